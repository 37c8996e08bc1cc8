// Tendons: what their paths lead through. A fixed tendon is a sum over hinges and slides; a spatial
// one goes from site to site in one branch or, parted by pulleys, in several.
#include "model/check.h"
#include "model/compile/compile.h"

#include <string.h>

static const dp_field tendon_field[] = {
    DP_FIELD(dp_tendon_spec, range, "range"),
    DP_FIELD(dp_tendon_spec, stiffness, "stiffness"),
    DP_FIELD(dp_tendon_spec, damping, "damping"),
    DP_FIELD(dp_tendon_spec, spring_range, "spring length"),
    DP_FIELD(dp_tendon_spec, friction_loss, "frictionloss"),
    DP_FIELD(dp_tendon_spec, armature, "armature"),
    DP_FIELD(dp_tendon_spec, limit_solref, "solref of its limit"),
    DP_FIELD(dp_tendon_spec, limit_solimp, "solimp of its limit"),
    DP_FIELD(dp_tendon_spec, margin, "margin"),
};

dp_status dp_check_tendon(const dp_spec *spec, int i)
{
    const dp_tendon_spec *t = &dp_spec_tendons(spec)[i];
    const dp_element_kind kind = DP_ELEMENT_TENDON;
    DP_TRY(dp_check_finite(spec, kind, i, t, tendon_field, DP_FIELD_COUNT(tendon_field)));
    DP_TRY(dp_check_not_negative(spec, kind, i, "stiffness", t->stiffness));
    DP_TRY(dp_check_not_negative(spec, kind, i, "damping", t->damping));
    DP_TRY(dp_check_not_negative(spec, kind, i, "frictionloss", t->friction_loss));
    DP_TRY(dp_check_not_negative(spec, kind, i, "armature", t->armature));
    if (t->spring_range[0] > t->spring_range[1]) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, i,
                            "has spring length [%g, %g] (expected the first number at most the "
                            "second)",
                            t->spring_range[0], t->spring_range[1]);
    }
    if (t->limited) {
        DP_TRY(dp_check_bearing(spec, kind, i, "limit", &t->limit));
        DP_TRY(dp_check_range(spec, kind, i, "range", t->range));
        DP_TRY(dp_check_solref(spec, kind, i, t->limit_solref));
    }
    if (!t->wrap || t->nwrap < 1) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, i, "has an empty path (expected %s)",
                            t->spatial ? "sites" : "joints");
    }
    for (int k = 0; k < t->nwrap; ++k) {
        if ((unsigned)t->wrap[k].kind > DP_WRAP_PULLEY) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, i,
                                "has kind number %d at station %d of its path (expected joint, "
                                "site, geom or pulley)",
                                (int)t->wrap[k].kind, k + 1);
        }
        if (!isfinite(t->wrap[k].coefficient)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, spec, kind, i,
                                "has coefficient %g at station %d of its path (expected a finite "
                                "number)",
                                t->wrap[k].coefficient, k + 1);
        }
    }
    return DP_OK;
}

static dp_status compile_joint_station(dp_compiler *c, int tendon, int k, dp_wrap *wrap)
{
    const dp_wrap_spec *from = &dp_spec_tendons(c->spec)[tendon].wrap[k];
    if (from->kind != DP_WRAP_JOINT) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "is fixed but has a %s at station %d of its path (expected only "
                            "joints, or a spatial tendon)",
                            dp_wrap_kind_name(from->kind), k + 1);
    }
    DP_TRY(dp_resolve(&wrap->object, c, DP_ELEMENT_TENDON, tendon, DP_ELEMENT_JOINT, from->object));
    const dp_joint_kind kind = c->joint[wrap->object].kind;
    if (kind != DP_JOINT_HINGE && kind != DP_JOINT_SLIDE) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "has %s in its path, a %s joint (expected hinges and slides)",
                            dp_spec_label(c->spec, DP_ELEMENT_JOINT, wrap->object).text,
                            dp_joint_kind_name(kind));
    }
    return DP_OK;
}

static bool is_site(const dp_tendon_spec *t, int k)
{
    return k >= 0 && k < t->nwrap && t->wrap[k].kind == DP_WRAP_SITE;
}

static bool ends_branch(const dp_tendon_spec *t, int k)
{
    return k < 0 || k >= t->nwrap || t->wrap[k].kind == DP_WRAP_PULLEY;
}

static dp_status compile_site_station(dp_compiler *c, int tendon, int k, dp_wrap *wrap)
{
    const dp_tendon_spec *t = &dp_spec_tendons(c->spec)[tendon];
    DP_TRY(dp_resolve(&wrap->object, c, DP_ELEMENT_TENDON, tendon, DP_ELEMENT_SITE,
                      t->wrap[k].object));
    if (ends_branch(t, k - 1) && ends_branch(t, k + 1)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "has a branch with %s alone (expected at least two sites)",
                            dp_spec_label(c->spec, DP_ELEMENT_SITE, wrap->object).text);
    }
    if (is_site(t, k - 1) && wrap[-1].object == wrap->object) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "goes from %s to itself (expected another site)",
                            dp_spec_label(c->spec, DP_ELEMENT_SITE, wrap->object).text);
    }
    return DP_OK;
}

static dp_status compile_geom_station(dp_compiler *c, int tendon, int k, dp_wrap *wrap)
{
    const dp_tendon_spec *t = &dp_spec_tendons(c->spec)[tendon];
    const dp_wrap_spec *from = &t->wrap[k];
    DP_TRY(dp_resolve(&wrap->object, c, DP_ELEMENT_TENDON, tendon, DP_ELEMENT_GEOM, from->object));
    const dp_geom_kind kind = c->geom[wrap->object].kind;
    if (kind != DP_GEOM_SPHERE && kind != DP_GEOM_CYLINDER) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "goes around %s, a %s (expected a sphere or cylinder)",
                            dp_spec_label(c->spec, DP_ELEMENT_GEOM, wrap->object).text,
                            dp_geom_kind_name(kind));
    }
    if (!is_site(t, k - 1) || !is_site(t, k + 1)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "goes around %s at station %d of its path (expected a site before and "
                            "a site after)",
                            dp_spec_label(c->spec, DP_ELEMENT_GEOM, wrap->object).text, k + 1);
    }
    if (from->side && *from->side) {
        DP_TRY(dp_resolve(&wrap->side, c, DP_ELEMENT_TENDON, tendon, DP_ELEMENT_SITE, from->side));
    }
    return DP_OK;
}

static dp_status check_pulley(const dp_compiler *c, int tendon, int k)
{
    const dp_tendon_spec *t = &dp_spec_tendons(c->spec)[tendon];
    if (!(t->wrap[k].coefficient > 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "has a pulley with divisor %g at station %d of its path (expected a "
                            "number > 0)",
                            t->wrap[k].coefficient, k + 1);
    }
    if (ends_branch(t, k + 1)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                            "has a pulley at station %d of its path and no site after it (expected "
                            "a branch of at least two)",
                            k + 1);
    }
    return DP_OK;
}

static dp_status compile_station(dp_compiler *c, int tendon, int k, dp_wrap *wrap)
{
    const dp_tendon_spec *t = &dp_spec_tendons(c->spec)[tendon];
    *wrap = (dp_wrap){t->wrap[k].kind, -1, -1, t->wrap[k].coefficient};
    if (!t->spatial) {
        return compile_joint_station(c, tendon, k, wrap);
    }
    switch (wrap->kind) {
    case DP_WRAP_SITE:
        return compile_site_station(c, tendon, k, wrap);
    case DP_WRAP_GEOM:
        return compile_geom_station(c, tendon, k, wrap);
    case DP_WRAP_PULLEY:
        return check_pulley(c, tendon, k);
    case DP_WRAP_JOINT:
        break;
    }
    return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_TENDON, tendon,
                        "is spatial but has a joint at station %d of its path (expected sites, "
                        "geoms and pulleys, or a fixed tendon)",
                        k + 1);
}

dp_status dp_compile_tendons(dp_compiler *c)
{
    for (int i = 0; i < c->m->size.ntendon; ++i) {
        const dp_tendon_spec *from = &dp_spec_tendons(c->spec)[i];
        dp_tendon *tendon = &c->tendon[i];
        dp_wrap *wrap;
        DP_TRY(dp_pool_take(&wrap, &c->m->pool, (size_t)from->nwrap, sizeof *wrap));
        for (int k = 0; k < from->nwrap; ++k) {
            DP_TRY(compile_station(c, i, k, &wrap[k]));
        }
        tendon->spatial = from->spatial;
        tendon->wrap = wrap;
        tendon->nwrap = from->nwrap;
        tendon->limited = from->limited;
        tendon->stiffness = from->stiffness;
        tendon->damping = from->damping;
        tendon->friction_loss = from->friction_loss;
        tendon->armature = from->armature;
        tendon->margin = from->margin;
        tendon->limit = from->limit;
        tendon->limit_given = from->limited && from->limit_solver_given;
        memcpy(tendon->range, from->range, sizeof tendon->range);
        memcpy(tendon->spring_range, from->spring_range, sizeof tendon->spring_range);
        memcpy(tendon->limit_solref, from->limit_solref, sizeof tendon->limit_solref);
        memcpy(tendon->limit_solimp, from->limit_solimp, sizeof tendon->limit_solimp);
    }
    return DP_OK;
}
