#include "io/mjcf/mjcf.h"

#include <string.h>

enum { KEYWORD_FALSE, KEYWORD_TRUE, KEYWORD_AUTO };

static bool is(const dp_xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

// ---- the path

// What the stations of a path refer to, by element.
static const struct {
    const char *name; // of the element, and of the attribute that names what it leads through
    dp_wrap_kind kind;
    dp_object_kind object;
} station[] = {
    {"joint", DP_WRAP_JOINT, DP_OBJECT_JOINT},
    {"site", DP_WRAP_SITE, DP_OBJECT_SITE},
    {"geom", DP_WRAP_GEOM, DP_OBJECT_GEOM},
    {"pulley", DP_WRAP_PULLEY, DP_OBJECT_NONE},
};

// The feature for want of which a station is missing; NULL: it is there.
static const char *read_station(dp_wrap_spec *out, const dp_mjcf *m, const dp_xml_node *node)
{
    size_t i = 0;
    while (!is(node, station[i].name)) {
        ++i; // the schema knows no others
    }
    const dp_mjcf_view view = {.node = node};
    *out = (dp_wrap_spec){.kind = station[i].kind};
    switch (out->kind) {
    case DP_WRAP_PULLEY:
        out->coefficient = dp_mjcf_number(&view, "divisor", 1.0);
        return NULL;
    case DP_WRAP_JOINT:
        out->coefficient = dp_mjcf_number(&view, "coef", 1.0);
        break;
    case DP_WRAP_GEOM:
        out->side = dp_xml_value(node, "sidesite", NULL);
        break;
    case DP_WRAP_SITE:
        break;
    }
    out->object = dp_xml_value(node, station[i].name, NULL);
    const char *missing = dp_mjcf_left_out(m, station[i].object, out->object);
    return missing || !out->side ? missing : dp_mjcf_left_out(m, DP_OBJECT_SITE, out->side);
}

static dp_status read_path(dp_tendon_spec *out, const char **missing, dp_mjcf *m,
                           const dp_xml_node *tendon)
{
    int n = 0;
    for (const dp_xml_node *node = tendon->child; node; node = node->next) {
        n += !is(node, "include");
    }
    dp_wrap_spec *wrap;
    DP_TRY(dp_pool_take(&wrap, &m->pool, (size_t)n, sizeof *wrap));
    *missing = NULL;
    for (const dp_xml_node *node = tendon->child; node; node = node->next) {
        if (!is(node, "include") && !*missing) {
            *missing = read_station(&wrap[out->nwrap++], m, node);
        }
    }
    out->wrap = wrap;
    return DP_OK;
}

// ---- what acts along it

static dp_status read_forces(dp_tendon_spec *out, dp_mjcf *m, const dp_mjcf_view *view)
{
    DP_TRY(dp_mjcf_linear(&out->stiffness, m, view, "stiffness"));
    DP_TRY(dp_mjcf_linear(&out->damping, m, view, "damping"));
    out->armature = dp_mjcf_number(view, "armature", 0.0);
    out->friction_loss =
        m->disabled.friction_loss ? 0.0 : dp_mjcf_number(view, "frictionloss", 0.0);
    // One number is both ends, also where the class has two.
    const dp_xml_attribute *spring = dp_mjcf_find(view, "springlength");
    if (spring) {
        out->spring_range[0] = spring->number[0];
        out->spring_range[1] = spring->number[spring->count - 1];
    }
    double range[2] = {0.0, 0.0};
    bool limited;
    dp_mjcf_numbers(range, view, "actuatorfrcrange");
    DP_TRY(dp_mjcf_limited(&limited, m, view->node, "actuatorfrc",
                           dp_mjcf_keyword(view, "actuatorfrclimited", KEYWORD_AUTO), range));
    if (limited) {
        return dp_mjcf_refuse(m, view->node, dp_xml_find(view->node, "actuatorfrcrange"),
                              "actuatorfrcrange",
                              "limiting the sum of actuator forces on a tendon is not simulated");
    }
    return DP_OK;
}

static dp_status read_limit(dp_tendon_spec *out, dp_mjcf *m, const dp_mjcf_view *view)
{
    dp_mjcf_numbers(out->range, view, "range");
    DP_TRY(dp_mjcf_limited(&out->limited, m, view->node, "",
                           dp_mjcf_keyword(view, "limited", KEYWORD_AUTO), out->range));
    out->margin = dp_mjcf_number(view, "margin", 0.0);
    dp_mjcf_bearing bearing = {.own = out->limit};
    memcpy(bearing.solref, out->limit_solref, sizeof bearing.solref);
    memcpy(bearing.solimp, out->limit_solimp, sizeof bearing.solimp);
    DP_TRY(dp_mjcf_read_bearing(&bearing, m, view, "solreflimit", "solimplimit"));
    out->limit = bearing.own;
    out->limit_solver_given = bearing.solver_given;
    memcpy(out->limit_solref, bearing.solref, sizeof bearing.solref);
    memcpy(out->limit_solimp, bearing.solimp, sizeof bearing.solimp);
    const dp_xml_attribute *range = dp_xml_find(view->node, "range");
    if (!out->limited || !range) {
        return DP_OK;
    }
    return m->disabled.limits ? dp_mjcf_judge(m, view->node, range, DP_IMPORT_VERDICT_IGNORED,
                                              "limits are switched off")
                              : dp_mjcf_judge_rigid(m, view->node, range, &bearing);
}

static dp_status read_tendon(dp_mjcf *m, dp_xml_node *node)
{
    dp_mjcf_view view;
    DP_TRY(dp_mjcf_open(&view, m, node, DP_MJCF_TENDON, m->main));
    dp_tendon_spec tendon = dp_tendon_spec_default();
    tendon.name = dp_xml_value(node, "name", NULL);
    tendon.where = dp_mjcf_where(node);
    tendon.spatial = is(node, "spatial");
    const char *missing;
    DP_TRY(read_path(&tendon, &missing, m, node));
    if (missing) {
        DP_TRY(dp_mjcf_leave_out(m, DP_OBJECT_TENDON, node, missing));
        return dp_mjcf_refuse(m, node, NULL, missing, "what it leads through is left out");
    }
    DP_TRY(read_forces(&tendon, m, &view));
    DP_TRY(read_limit(&tendon, m, &view));
    return dp_mjcf_located(node, dp_spec_add_tendon(NULL, m->spec, &tendon));
}

dp_status dp_mjcf_read_tendons(dp_mjcf *m)
{
    for (dp_xml_node *s = NULL; (s = dp_mjcf_section(m, "tendon", s));) {
        for (dp_xml_node *node = s->child; node; node = node->next) {
            if (!is(node, "include")) {
                DP_TRY(read_tendon(m, node));
            }
        }
    }
    return DP_OK;
}
