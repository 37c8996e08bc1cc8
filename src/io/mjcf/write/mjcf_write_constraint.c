// Contact pairs, excludes, equalities and tendons.
#include "io/mjcf/write/mjcf_write.h"

#include "math/v3.h"

#include <string.h>

// ---- contact

typedef struct material_number {
    const char *name;
    double value, usual;
    bool decides;       // whoever gives it means the material, not solref and solimp
    bool of_foundation; // the same word says this of a foundation
} material_number;

dp_status dp_mjcf_put_material(dp_mjcf_writer *w, dp_element_kind kind, int index,
                               const dp_contact_spec *contact, bool founded)
{
    const dp_material *is = &contact->material, usual = dp_material_default();
    const material_number number[] = {
        {"dp:stiffness", is->stiffness, usual.stiffness, true, false},
        {"dp:damping", is->damping, usual.damping, true, true},
        {"dp:youngs_modulus", is->youngs_modulus, usual.youngs_modulus, true, true},
        {"dp:poisson", is->poisson, usual.poisson, false, false},
        {"dp:dissipation", is->dissipation, usual.dissipation, true, false},
        {"dp:restitution", is->restitution, usual.restitution, true, false},
    };
    if (is->tangential_stiffness != usual.tangential_stiffness) {
        return dp_mjcf_cannot_say(w, kind, index,
                                  "has a tangential stiffness, which no file does (expected "
                                  "infinity)");
    }
    bool told = false;
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i) {
        const material_number *n = &number[i];
        if (memcmp(&n->value, &n->usual, sizeof n->value) == 0) {
            continue;
        }
        if (founded && n->of_foundation) {
            return dp_mjcf_cannot_say(w, kind, index,
                                      "has %s of its material beside a foundation (expected the "
                                      "default: in MJCF the word means the foundation)",
                                      n->name);
        }
        if (n->decides && !contact->material_given) {
            return dp_mjcf_cannot_say(w, kind, index,
                                      "has %s and material_given is false (expected true: what a "
                                      "file says is given)",
                                      n->name);
        }
        dp_mjcf_put_namespace(w);
        dp_xml_put_numbers(&w->xml, n->name, &n->value, 1);
        told = told || n->decides;
    }
    if (contact->material_given && !told) {
        dp_mjcf_put_namespace(w);
        dp_xml_put_numbers(&w->xml, "dp:stiffness", &is->stiffness, 1);
    }
    return DP_OK;
}

// A <pair> has numbers of its own: where it is silent MuJoCo takes 1 1 0.005 0.0001 0.0001 and the
// like, not the numbers of the geoms.
static dp_status check_pair(const dp_mjcf_writer *w, int i, const dp_pair_spec *pair)
{
    bool own = pair->contact_given;
    for (int k = 0; k < 5; ++k) {
        own = own && !(pair->friction[k] < 0.0);
    }
    const dp_v3 belt = pair->contact.material.surface_velocity;
    if (!(dp_mjcf_is_zero(belt.x) && dp_mjcf_is_zero(belt.y) && dp_mjcf_is_zero(belt.z))) {
        return dp_mjcf_cannot_say(w, DP_ELEMENT_PAIR, i,
                                  "has a surface velocity (expected 0: geoms have it)");
    }
    if (own) {
        return DP_OK;
    }
    return dp_mjcf_cannot_say(
        w, DP_ELEMENT_PAIR, i,
        "takes %s from its geoms, which a <pair> of MJCF never does (expected "
        "numbers of its own)",
        pair->contact_given ? "friction" : "its contact numbers");
}

static dp_status write_pair(dp_mjcf_writer *w, int i)
{
    const dp_pair_spec *pair = &dp_spec_pairs(w->spec)[i];
    const dp_contact_spec *contact = &pair->contact;
    DP_TRY(check_pair(w, i, pair));
    dp_xml_begin(&w->xml, "pair");
    dp_xml_put_text(&w->xml, "name", pair->name);
    dp_xml_put_text(&w->xml, "geom1", pair->geom[0]);
    dp_xml_put_text(&w->xml, "geom2", pair->geom[1]);
    dp_xml_put_integers(&w->xml, "condim", &contact->condim, 1);
    dp_xml_put_numbers(&w->xml, "friction", pair->friction, 5);
    dp_mjcf_put_solver(w, contact->solver_given && !w->model, contact->solref, contact->solimp);
    dp_xml_put_numbers(&w->xml, "margin", &contact->margin, 1);
    dp_xml_put_numbers(&w->xml, "gap", &contact->gap, 1);
    if (w->model) {
        dp_mjcf_put_pair_softness(w, i);
    } else {
        DP_TRY(dp_mjcf_put_material(w, DP_ELEMENT_PAIR, i, contact, false));
    }
    dp_xml_end(&w->xml, "pair");
    return dp_mjcf_written(w, DP_ELEMENT_PAIR, i);
}

static dp_status write_exclude(dp_mjcf_writer *w, int i)
{
    const dp_exclude_spec *exclude = &dp_spec_excludes(w->spec)[i];
    dp_xml_begin(&w->xml, "exclude");
    dp_xml_put_text(&w->xml, "name", exclude->name);
    dp_xml_put_text(&w->xml, "body1", exclude->body[0]);
    dp_xml_put_text(&w->xml, "body2", exclude->body[1]);
    dp_xml_end(&w->xml, "exclude");
    return dp_mjcf_written(w, DP_ELEMENT_EXCLUDE, i);
}

dp_status dp_mjcf_write_contacts(dp_mjcf_writer *w)
{
    const dp_mjcf_part part[] = {{dp_spec_pair_count(w->spec), write_pair},
                                 {dp_spec_exclude_count(w->spec), write_exclude}};
    return dp_mjcf_write_section(w, "contact", part, 2);
}

// ---- equalities

static bool is_zero(dp_v3 x)
{
    return x.x == 0.0 && x.y == 0.0 && x.z == 0.0;
}

static dp_status put_sites(dp_mjcf_writer *w, int i, const dp_equality_spec *e)
{
    if (!e->object[1] || !*e->object[1]) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_EQUALITY, i,
                            "holds site '%s' alone (expected two sites)", e->object[0]);
    }
    if (!is_zero(e->anchor) || !is_zero(e->second_anchor) || e->relative_given) {
        return dp_mjcf_cannot_say(w, DP_ELEMENT_EQUALITY, i,
                                  "has %s beside its sites, which say it in MJCF (expected none)",
                                  e->relative_given ? "a relative pose" : "an anchor");
    }
    dp_xml_put_text(&w->xml, "site1", e->object[0]);
    dp_xml_put_text(&w->xml, "site2", e->object[1]);
    return DP_OK;
}

// x with x − c = p to the bit; false: there is none, since c is too much larger than p.
static bool undo_difference(double *x, double p, double c)
{
    const double sum = p + c;
    const double candidate[3] = {sum, nextafter(sum, -INFINITY), nextafter(sum, INFINITY)};
    for (int k = 0; k < 3; ++k) {
        const double back = candidate[k] - c;
        if (memcmp(&back, &p, sizeof p) == 0) {
            *x = candidate[k];
            return true;
        }
    }
    *x = sum;
    return !isfinite(sum); // refused elsewhere
}

// Where the first body holds the anchor of the second, and the second's orientation; a reader takes
// the anchor off again.
static dp_status put_relative(dp_mjcf_writer *w, int i, const dp_equality_spec *e)
{
    const dp_quat q = dp_mjcf_unit(w, e->relative.q);
    const dp_v3 p = e->relative.p, c = dp_quat_rotate(q, e->anchor);
    double x[7] = {p.x, p.y, p.z};
    dp_quat_store(x + 3, q);
    if (!is_zero(e->anchor) &&
        !(undo_difference(&x[0], p.x, c.x) && undo_difference(&x[1], p.y, c.y) &&
          undo_difference(&x[2], p.z, c.z))) {
        return dp_mjcf_cannot_say(w, DP_ELEMENT_EQUALITY, i,
                                  "has a relative position that is lost beside its anchor in the "
                                  "digits of a relpose (expected the anchor nearer to 0)");
    }
    dp_xml_put_numbers(&w->xml, "relpose", x, 7);
    return DP_OK;
}

// Where two bodies are held.
static dp_status put_places(dp_mjcf_writer *w, int i, const dp_equality_spec *e)
{
    if (e->kind == DP_EQUALITY_DISTANCE) {
        dp_mjcf_put_vector(w, "anchor1", e->anchor, (dp_v3){0.0, 0.0, 0.0});
        dp_mjcf_put_vector(w, "anchor2", e->second_anchor, (dp_v3){0.0, 0.0, 0.0});
        return DP_OK;
    }
    if (e->kind == DP_EQUALITY_WELD && e->relative_given) {
        DP_TRY(put_relative(w, i, e));
    }
    if (e->kind == DP_EQUALITY_PLANE && e->relative_given) {
        double x[4] = {e->relative.p.x, e->relative.p.y, e->relative.p.z};
        dp_xml_put_numbers(&w->xml, "pos", x, 3); // always: it says that there is a frame
        dp_quat_store(x, dp_mjcf_unit(w, e->relative.q));
        dp_mjcf_put_numbers(w, "quat", x, (const double[4]){1.0, 0.0, 0.0, 0.0}, 4);
    }
    double anchor[3];
    dp_v3_store(anchor, e->anchor);
    if (e->kind == DP_EQUALITY_CONNECT || !is_zero(e->anchor)) {
        dp_xml_put_numbers(&w->xml, "anchor", anchor, 3);
    }
    return DP_OK;
}

// What is held, of bodies.
static dp_status put_frames(dp_mjcf_writer *w, int i, const dp_equality_spec *e)
{
    if (e->kind == DP_EQUALITY_DISTANCE || e->kind == DP_EQUALITY_PLANE) {
        dp_mjcf_put_namespace(w);
    }
    if (e->object_kind == DP_OBJECT_SITE) {
        DP_TRY(put_sites(w, i, e));
    } else if (e->object_kind == DP_OBJECT_BODY) {
        dp_xml_put_text(&w->xml, "body1", e->object[0]);
        dp_xml_put_text(&w->xml, "body2", e->object[1]);
        DP_TRY(put_places(w, i, e));
    } else {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_EQUALITY, i,
                            "holds objects of kind '%s' (expected body or site)",
                            dp_object_kind_name(e->object_kind));
    }
    if (e->kind == DP_EQUALITY_WELD) {
        dp_mjcf_put_number(w, "torquescale", e->torque_scale, 1.0);
    }
    if (e->kind == DP_EQUALITY_DISTANCE && !(e->distance < 0.0)) {
        dp_xml_put_numbers(&w->xml, "distance", &e->distance, 1);
    }
    return DP_OK;
}

static void put_polynomial(dp_mjcf_writer *w, const dp_equality_spec *e)
{
    const bool joint = e->kind == DP_EQUALITY_JOINT;
    const dp_equality_spec usual = dp_equality_spec_default();
    dp_xml_put_text(&w->xml, joint ? "joint1" : "tendon1", e->object[0]);
    dp_xml_put_text(&w->xml, joint ? "joint2" : "tendon2", e->object[1]);
    dp_mjcf_put_numbers(w, "polycoef", e->polynomial, usual.polynomial, 5);
}

// An element of ours has declared the namespace.
static void put_give(dp_mjcf_writer *w, int i, const dp_equality_spec *e)
{
    const bool ours = e->kind == DP_EQUALITY_DISTANCE || e->kind == DP_EQUALITY_PLANE;
    if (!ours || e->solver_given) {
        dp_mjcf_put_bearing(w, DP_ELEMENT_EQUALITY, i, (const char *const[]){"solref", "solimp"},
                            e->solver_given, e->solref, e->solimp, &e->bearing);
    } else if (e->bearing.stiffness != INFINITY) {
        dp_xml_put_numbers(&w->xml, "dp:stiffness", &e->bearing.stiffness, 1);
        dp_mjcf_put_number(w, "dp:damping", e->bearing.damping, 0.0);
    }
}

static dp_status write_equality(dp_mjcf_writer *w, int i)
{
    const dp_equality_spec *e = &dp_spec_equalities(w->spec)[i];
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_EQUALITY, i, "kind", (int)e->kind, DP_EQUALITY_PLANE));
    const bool ours = e->kind == DP_EQUALITY_DISTANCE || e->kind == DP_EQUALITY_PLANE;
    if (ours && w->model) {
        dp_mjcf_note_lacking(w, DP_ELEMENT_EQUALITY, i, "a kind of equality of Dashpot's");
        return w->xml.status;
    }
    const char *element = e->kind == DP_EQUALITY_DISTANCE ? "dp:distance"
                          : e->kind == DP_EQUALITY_PLANE  ? "dp:plane"
                                                          : dp_equality_kind_name(e->kind);
    dp_xml_begin(&w->xml, element);
    dp_xml_put_text(&w->xml, "name", e->name);
    if (e->kind == DP_EQUALITY_JOINT || e->kind == DP_EQUALITY_TENDON) {
        put_polynomial(w, e);
    } else {
        DP_TRY(put_frames(w, i, e));
    }
    put_give(w, i, e);
    if (!e->active) {
        dp_mjcf_put_switch(w, "active", false);
    }
    dp_xml_end(&w->xml, element);
    return dp_mjcf_written(w, DP_ELEMENT_EQUALITY, i);
}

dp_status dp_mjcf_write_equalities(dp_mjcf_writer *w)
{
    const dp_mjcf_part all = {dp_spec_equality_count(w->spec), write_equality};
    return dp_mjcf_write_section(w, "equality", &all, 1);
}

// ---- tendons

static dp_status write_station(dp_mjcf_writer *w, int i, const dp_tendon_spec *tendon, int k)
{
    const dp_wrap_spec *wrap = &tendon->wrap[k];
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_TENDON, i, "station kind", (int)wrap->kind,
                              DP_WRAP_PULLEY));
    const char *element = dp_wrap_kind_name(wrap->kind);
    if ((wrap->kind == DP_WRAP_JOINT) == tendon->spatial) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_TENDON, i,
                            "is %s but has a %s at station %d of its path (expected %s)",
                            tendon->spatial ? "spatial" : "fixed", element, k + 1,
                            tendon->spatial ? "sites, geoms and pulleys" : "joints");
    }
    dp_xml_begin(&w->xml, element);
    if (wrap->kind == DP_WRAP_PULLEY) {
        dp_xml_put_numbers(&w->xml, "divisor", &wrap->coefficient, 1);
    } else {
        dp_xml_put_text(&w->xml, element, wrap->object);
    }
    if (wrap->kind == DP_WRAP_JOINT) {
        dp_xml_put_numbers(&w->xml, "coef", &wrap->coefficient, 1);
    }
    if (wrap->kind == DP_WRAP_GEOM) {
        dp_xml_put_text(&w->xml, "sidesite", wrap->side);
    }
    dp_xml_end(&w->xml, element);
    return DP_OK;
}

// One number where both are the same, which is all that MuJoCo 2 knows.
static void put_spring_length(dp_mjcf_writer *w, const double x[2], const double usual[2])
{
    if (memcmp(x, usual, 2 * sizeof *x) != 0) {
        dp_xml_put_numbers(&w->xml, "springlength", x, memcmp(x, x + 1, sizeof *x) == 0 ? 1 : 2);
    }
}

static dp_status write_tendon(dp_mjcf_writer *w, int i)
{
    const dp_tendon_spec *tendon = &dp_spec_tendons(w->spec)[i];
    const dp_tendon_spec usual = dp_tendon_spec_default();
    const char *element = tendon->spatial ? "spatial" : "fixed";
    dp_xml_begin(&w->xml, element);
    dp_xml_put_text(&w->xml, "name", tendon->name);
    dp_mjcf_put_limit(w, "limited", "range", tendon->limited, tendon->range);
    dp_mjcf_put_number(w, "stiffness", tendon->stiffness, 0.0);
    dp_mjcf_put_number(w, "damping", tendon->damping, 0.0);
    put_spring_length(w, tendon->spring_range, usual.spring_range);
    dp_mjcf_put_number(w, "frictionloss", tendon->friction_loss, 0.0);
    dp_mjcf_put_number(w, "armature", tendon->armature, 0.0);
    dp_mjcf_put_bearing(
        w, DP_ELEMENT_TENDON, i, (const char *const[]){"solreflimit", "solimplimit"},
        tendon->limit_solver_given, tendon->limit_solref, tendon->limit_solimp, &tendon->limit);
    dp_mjcf_put_number(w, "margin", tendon->margin, 0.0);
    for (int k = 0; tendon->wrap && k < tendon->nwrap; ++k) {
        DP_TRY(write_station(w, i, tendon, k));
    }
    dp_xml_end(&w->xml, element);
    return dp_mjcf_written(w, DP_ELEMENT_TENDON, i);
}

dp_status dp_mjcf_write_tendons(dp_mjcf_writer *w)
{
    const dp_mjcf_part all = {dp_spec_tendon_count(w->spec), write_tendon};
    return dp_mjcf_write_section(w, "tendon", &all, 1);
}
