// What a mechanism may ask for and is not simulated: contact, joint limits, dry friction of joints,
// equalities, tendons, actuators on anything but joints. Each is refused unless the spec allows to
// go on without it.
#include "model/touch.h"

#include <stdio.h>

static dp_status refuse_limits(const dp_spec *spec)
{
    if (spec->options.disable_limits || dp_spec_allows(spec, "limit")) {
        return DP_OK;
    }
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        const dp_joint_spec *joint = &dp_spec_joints(spec)[j].spec;
        if (joint->limited && joint->kind != DP_FREE) {
            return dp_spec_fail(
                DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_JOINT, j,
                "is limited to [%g, %g], and joint limits are not simulated yet (to go on "
                "without them: allow \"limit\")",
                joint->range[0], joint->range[1]);
        }
    }
    return DP_OK;
}

static dp_status refuse_friction_loss(const dp_spec *spec)
{
    if (dp_spec_allows(spec, "frictionloss")) {
        return DP_OK;
    }
    for (int j = 0; j < dp_spec_joint_count(spec); ++j) {
        const dp_joint_spec *joint = &dp_spec_joints(spec)[j].spec;
        if (joint->friction_loss > 0.0) {
            return dp_spec_fail(
                DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_JOINT, j,
                "has frictionloss %g, and dry friction of joints is not simulated yet (to "
                "go on without it: allow \"frictionloss\")",
                joint->friction_loss);
        }
    }
    return DP_OK;
}

static dp_status refuse_equalities(const dp_spec *spec)
{
    if (spec->options.disable_equality || dp_spec_allows(spec, "equality")) {
        return DP_OK;
    }
    for (int i = 0; i < dp_spec_equality_count(spec); ++i) {
        const dp_equality_spec *equality = &dp_spec_equalities(spec)[i];
        if (equality->active) {
            return dp_spec_fail(
                DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_EQUALITY, i,
                "is an active %s, and equalities are not simulated yet (to go on without them: "
                "allow \"equality\", disable equality in the options, or "
                "switch it off)",
                dp_equality_kind_name(equality->kind));
        }
    }
    return DP_OK;
}

// What a tendon does by itself, or NULL.
static const char *work_of_tendon(const dp_tendon *tendon, const dp_options *options)
{
    return tendon->limited && !options->disable_limits            ? "is limited"
           : tendon->stiffness > 0.0 && !options->disable_springs ? "has stiffness"
           : tendon->damping > 0.0 && !options->disable_dampers   ? "has damping"
           : tendon->friction_loss > 0.0                          ? "has frictionloss"
           : tendon->armature > 0.0                               ? "has armature"
                                                                  : NULL;
}

static dp_status refuse_tendon(const dp_spec *spec, int tendon, const char *what)
{
    return dp_spec_fail(DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_TENDON, tendon,
                        "%s, and tendons are not simulated yet (to go on without them: allow "
                        "\"tendon\")",
                        what);
}

// A tendon that nothing pulls and nobody measures may stay.
static dp_status refuse_tendons(const dp_compiler *c)
{
    const dp_spec *spec = c->spec;
    if (dp_spec_allows(spec, "tendon")) {
        return DP_OK;
    }
    for (int i = 0; i < c->m->size.ntendon; ++i) {
        const char *work = work_of_tendon(&c->tendon[i], &spec->options);
        if (work) {
            return refuse_tendon(spec, i, work);
        }
    }
    for (int i = 0; i < c->m->size.nactuator && !spec->options.disable_actuation; ++i) {
        if (c->actuator[i].tendon >= 0) {
            char what[360];
            snprintf(what, sizeof what, "is driven by %s",
                     dp_spec_label(spec, DP_ELEMENT_ACTUATOR, i).text);
            return refuse_tendon(spec, c->actuator[i].tendon, what);
        }
    }
    for (int i = 0; i < c->m->size.nsensor; ++i) {
        if (c->sensor[i].object_kind == DP_OBJECT_TENDON) {
            char what[360];
            snprintf(what, sizeof what, "is measured by %s",
                     dp_spec_label(spec, DP_ELEMENT_SENSOR, i).text);
            return refuse_tendon(spec, c->sensor[i].object, what);
        }
    }
    return DP_OK;
}

static dp_status refuse_transmissions(const dp_spec *spec)
{
    if (spec->options.disable_actuation || dp_spec_allows(spec, "transmission")) {
        return DP_OK;
    }
    for (int i = 0; i < dp_spec_actuator_count(spec); ++i) {
        const dp_transmission transmission = dp_spec_actuators(spec)[i].transmission;
        if (transmission != DP_DRIVES_JOINT) {
            return dp_spec_fail(
                DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_ACTUATOR, i,
                "drives a %s, and only joints are driven yet (to go on without its force: allow "
                "\"transmission\")",
                dp_transmission_name(transmission));
        }
    }
    return DP_OK;
}

static dp_status refuse_contact(dp_compiler *c)
{
    const dp_spec *spec = c->spec;
    if (spec->options.disable_contact) {
        return DP_OK;
    }
    dp_touch touch;
    DP_TRY(dp_find_touch(&touch, c));
    c->m->size.ntouch = touch.count;
    if (touch.count == 0 || dp_spec_allows(spec, "contact")) {
        return DP_OK;
    }
    char others[64] = "";
    if (touch.count > 1) {
        snprintf(others, sizeof others, " (%lld pairs of geoms in all)", touch.count);
    }
    const dp_label a = dp_spec_label(spec, DP_ELEMENT_GEOM, touch.geom[0]);
    const dp_label b = dp_spec_label(spec, DP_ELEMENT_GEOM, touch.geom[1]);
    if (touch.pair >= 0) {
        return dp_spec_fail(DP_ERROR_UNSUPPORTED, spec, DP_ELEMENT_PAIR, touch.pair,
                            "lets %s touch %s%s, and contact is not simulated yet (to go on "
                            "without it: allow \"contact\", or disable contact "
                            "in the options)",
                            a.text, b.text, others);
    }
    return dp_fail_at(DP_ERROR_UNSUPPORTED, dp_spec_where(spec, DP_ELEMENT_GEOM, touch.geom[1]),
                      "%s could touch %s%s, and contact is not simulated yet (to go on without it: "
                      "allow \"contact\", disable contact in the options, or "
                      "set contype and conaffinity to 0)",
                      b.text, a.text, others);
}

// Name what a refusal is about, for dp_last_feature().
static dp_status about(const char *feature, dp_status status)
{
    return status == DP_ERROR_UNSUPPORTED ? dp_fail_feature(status, feature) : status;
}

dp_status dp_refuse_unsupported(dp_compiler *c)
{
    DP_TRY(about("limit", refuse_limits(c->spec)));
    DP_TRY(about("frictionloss", refuse_friction_loss(c->spec)));
    DP_TRY(about("equality", refuse_equalities(c->spec)));
    DP_TRY(about("tendon", refuse_tendons(c)));
    DP_TRY(about("transmission", refuse_transmissions(c->spec)));
    return about("contact", refuse_contact(c));
}
