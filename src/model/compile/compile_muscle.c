// Muscles: their numbers, and the lengths between which they operate.
#include "model/check.h"
#include "model/compile/compile.h"

#include <math.h>
#include <string.h>

// ---- lengths

static void scale_range(double out[2], const double range[2], double factor)
{
    const double a = factor * range[0], b = factor * range[1];
    out[0] = fmin(a, b);
    out[1] = fmax(a, b);
}

static const dp_joint_spec *find_joint(const dp_spec *spec, const char *name)
{
    const int i = dp_name_find(&spec->list[DP_ELEMENT_JOINT].index,
                               dp_spec_names(spec, DP_ELEMENT_JOINT), name);
    return i < 0 ? NULL : &dp_spec_joints(spec)[i].spec;
}

static bool joint_range(double out[2], const dp_spec *spec, const char *name, double factor)
{
    const dp_joint_spec *joint = find_joint(spec, name);
    const bool scalar = joint && (joint->kind == DP_JOINT_HINGE || joint->kind == DP_JOINT_SLIDE);
    if (!scalar || !joint->limited) {
        return false;
    }
    scale_range(out, joint->range, factor);
    return true;
}

// A fixed tendon goes as far as its joints do.
static bool sum_of_joints(double out[2], const dp_spec *spec, const dp_tendon_spec *tendon)
{
    out[0] = out[1] = 0.0;
    for (int k = 0; k < tendon->nwrap; ++k) {
        double part[2];
        if (!joint_range(part, spec, tendon->wrap[k].object, tendon->wrap[k].coefficient)) {
            return false;
        }
        out[0] += part[0];
        out[1] += part[1];
    }
    return true;
}

static bool tendon_range(double out[2], const dp_spec *spec, const char *name, double factor)
{
    const int i = dp_name_find(&spec->list[DP_ELEMENT_TENDON].index,
                               dp_spec_names(spec, DP_ELEMENT_TENDON), name);
    const dp_tendon_spec *tendon = i < 0 ? NULL : &dp_spec_tendons(spec)[i];
    double range[2];
    if (!tendon) {
        return false;
    }
    if (tendon->limited) {
        memcpy(range, tendon->range, sizeof range);
    } else if (tendon->spatial || !sum_of_joints(range, spec, tendon)) {
        return false;
    }
    scale_range(out, range, factor);
    return true;
}

bool dp_spec_length_range(double out[2], const dp_spec *spec, const dp_actuator_spec *actuator)
{
    memcpy(out, actuator->length_range, sizeof actuator->length_range);
    if (out[0] != out[1]) {
        return out[0] < out[1];
    }
    const bool found = actuator->transmission == DP_TRANSMISSION_JOINT
                           ? joint_range(out, spec, actuator->joint, actuator->gear[0])
                       : actuator->transmission == DP_TRANSMISSION_TENDON
                           ? tendon_range(out, spec, actuator->tendon, actuator->gear[0])
                           : false;
    return found && out[0] < out[1];
}

dp_status dp_compile_length_range(dp_compiler *c, int i)
{
    const dp_actuator_spec *from = &dp_spec_actuators(c->spec)[i];
    if (!from->muscle_gain && !from->muscle_bias) {
        return DP_OK;
    }
    if (!dp_spec_length_range(c->actuator[i].length_range, c->spec, from)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_ACTUATOR, i,
                            "is a muscle without a range of lengths (expected a length range, or "
                            "limits of what it pulls at)");
    }
    return DP_OK;
}

// ---- numbers

static dp_status check_curves(const dp_spec *spec, int i, const dp_muscle *p)
{
    if (!(p->range[0] < p->range[1])) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "is a muscle with the range %g to %g (expected them to rise)",
                            p->range[0], p->range[1]);
    }
    if (!(p->shortest < 1.0) || !(p->longest > 1.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "is a muscle between lengths %g and %g (expected one < 1 and one > 1)",
                            p->shortest, p->longest);
    }
    if (!(p->fastest > 0.0) || !(p->lengthening >= 1.0) || !(p->passive >= 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "is a muscle with speed %g, passive force %g and lengthening force %g "
                            "(expected > 0, ≥ 0 and ≥ 1)",
                            p->fastest, p->passive, p->lengthening);
    }
    if (p->force < 0.0 && !(p->scale > 0.0)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "is a muscle with force %g and scale %g (expected one of them > 0)",
                            p->force, p->scale);
    }
    return DP_OK;
}

dp_status dp_check_muscle(const dp_spec *spec, int i)
{
    const dp_actuator_spec *a = &dp_spec_actuators(spec)[i];
    if (a->dynamics == DP_ACTUATOR_DYNAMICS_MUSCLE &&
        (!(a->time_constant > 0.0) || !(a->relaxation_time > 0.0) || !(a->smoothing >= 0.0))) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, spec, DP_ELEMENT_ACTUATOR, i,
                            "is activated as a muscle in %g s and relaxed in %g s, smoothed over "
                            "%g (expected > 0, > 0 and ≥ 0)",
                            a->time_constant, a->relaxation_time, a->smoothing);
    }
    if (a->muscle_gain) {
        DP_TRY(check_curves(spec, i, &a->gain_muscle));
    }
    return a->muscle_bias ? check_curves(spec, i, &a->bias_muscle) : DP_OK;
}
