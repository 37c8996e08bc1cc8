// actuatorfrcrange of a joint: a bound on the sum of what its actuators do. Where there is one
// actuator, that is a bound on its own force.
#include "io/mjcf/mjcf.h"

#include "model/spec/spec.h"

#include <math.h>

dp_status dp_mjcf_limit_joint(dp_mjcf *m, const dp_xml_node *node, dp_joint_id joint,
                              const double range[2])
{
    if (!(range[0] < range[1])) {
        return dp_mjcf_fail(node,
                            "found actuatorfrcrange %g %g (expected the first number below "
                            "the second)",
                            range[0], range[1]);
    }
    dp_mjcf_joint_force *entry;
    DP_TRY(dp_pool_take(&entry, &m->pool, 1, sizeof *entry));
    *entry = (dp_mjcf_joint_force){node, joint, {range[0], range[1]}, m->joint_force};
    m->joint_force = entry;
    return DP_OK;
}

// What drives a joint.
typedef struct driver {
    int count;    // actuators on the joint itself, and fixed tendons through it
    int actuator; // the latest on the joint itself, −1: none
} driver;

static void add_driver(driver *drivers, const dp_spec *spec, const char *joint, int actuator)
{
    const int j = joint ? dp_name_find(&spec->list[DP_ELEMENT_JOINT].index,
                                       dp_spec_names(spec, DP_ELEMENT_JOINT), joint)
                        : -1;
    if (j >= 0) {
        ++drivers[j].count;
        drivers[j].actuator = actuator >= 0 ? actuator : drivers[j].actuator;
    }
}

// Enter an actuator. True: it may act on any joint.
static bool enter_actuator(driver *drivers, const dp_spec *spec, int u)
{
    const dp_actuator_spec *a = &dp_spec_actuators(spec)[u];
    if (a->transmission == DP_TRANSMISSION_JOINT) {
        add_driver(drivers, spec, a->joint, u);
        return false;
    }
    const int t = a->tendon ? dp_name_find(&spec->list[DP_ELEMENT_TENDON].index,
                                           dp_spec_names(spec, DP_ELEMENT_TENDON), a->tendon)
                            : -1;
    if (t < 0 || dp_spec_tendons(spec)[t].spatial) {
        return true;
    }
    const dp_tendon_spec *tendon = &dp_spec_tendons(spec)[t];
    for (int k = 0; k < tendon->nwrap; ++k) {
        add_driver(drivers, spec, tendon->wrap[k].object, -1);
    }
    return false;
}

static double clamp(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

// Narrow the force range of an actuator so that gear · force stays in the range. False: nothing is
// left of it.
static bool narrow(dp_actuator_spec *a, const double range[2])
{
    const double gear = a->gear[0];
    if (gear == 0.0) {
        return false;
    }
    const double end[2] = {range[0] / gear, range[1] / gear};
    const double low = fmin(end[0], end[1]), high = fmax(end[0], end[1]);
    a->force_range[0] = a->force_limited ? clamp(a->force_range[0], low, high) : low;
    a->force_range[1] = a->force_limited ? clamp(a->force_range[1], low, high) : high;
    a->force_limited = true;
    return a->force_range[0] < a->force_range[1];
}

static dp_status apply(dp_mjcf *m, const dp_mjcf_joint_force *force, const driver *drives,
                       bool anything)
{
    const dp_xml_attribute *own = dp_xml_find(force->node, "actuatorfrcrange");
    const dp_joint_kind kind = dp_spec_joint(m->spec, force->joint)->kind;
    if (drives->count == 0 && !anything) {
        return DP_OK; // nothing to bound
    }
    if (drives->count == 1 && drives->actuator >= 0 && !anything &&
        (kind == DP_JOINT_HINGE || kind == DP_JOINT_SLIDE) &&
        narrow(dp_spec_actuator(m->spec, (dp_actuator_id){drives->actuator}), force->range)) {
        return dp_mjcf_judge(m, force->node, own, DP_IMPORT_VERDICT_APPROXIMATED,
                             "as a force range of its only actuator, whose own sensor then shows "
                             "the bounded force");
    }
    return dp_mjcf_refuse(m, force->node, own, "actuatorfrcrange",
                          "limiting the sum of several actuators' forces at a joint is not "
                          "simulated");
}

dp_status dp_mjcf_limit_joint_forces(dp_mjcf *m)
{
    if (!m->joint_force) {
        return DP_OK;
    }
    driver *drivers;
    const int njoint = dp_spec_joint_count(m->spec);
    DP_TRY(dp_pool_take(&drivers, &m->pool, (size_t)njoint, sizeof *drivers));
    for (int j = 0; j < njoint; ++j) {
        drivers[j].actuator = -1;
    }
    bool anything = false;
    for (int u = 0; u < dp_spec_actuator_count(m->spec); ++u) {
        anything = enter_actuator(drivers, m->spec, u) || anything;
    }
    for (const dp_mjcf_joint_force *f = m->joint_force; f; f = f->next) {
        DP_TRY(apply(m, f, &drivers[f->joint.index], anything));
    }
    return DP_OK;
}
