// Actuators and sensors: what they refer to, and where their activations and values are stored.
#include "geom/mass.h"
#include "model/compile/compile.h"

#include <string.h>

static dp_status check_gear(const dp_compiler *c, int i)
{
    const dp_actuator *actuator = &c->actuator[i];
    if (actuator->body >= 0) {
        return DP_OK; // has none
    }
    const bool site = actuator->transmission == DP_TRANSMISSION_SITE;
    const int n = actuator->joint >= 0 ? c->joint[actuator->joint].nv : site ? 6 : 1;
    for (int k = 0; k < n; ++k) {
        if (actuator->gear[k] != 0.0) {
            return DP_OK;
        }
    }
    if (actuator->joint < 0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_ACTUATOR, i,
                            "has %s on its %s (expected %s)", site ? "zero gear" : "gear 0",
                            dp_transmission_name(actuator->transmission),
                            site ? "one of six numbers not 0" : "a number that is not 0");
    }
    const char *kind_name = dp_joint_kind_name(c->joint[actuator->joint].kind);
    if (n == 1) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_ACTUATOR, i,
                            "has gear 0 on its %s joint (expected a number that is not 0)",
                            kind_name);
    }
    return dp_spec_fail(
        DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_ACTUATOR, i,
        "has zero gear on its %s joint (expected one of its first %d numbers not 0)", kind_name, n);
}

// What an actuator drives.
static dp_status resolve_transmission(dp_compiler *c, int i)
{
    const dp_actuator_spec *from = &dp_spec_actuators(c->spec)[i];
    dp_actuator *actuator = &c->actuator[i];
    const dp_element_kind kind = DP_ELEMENT_ACTUATOR;
    actuator->transmission = from->transmission;
    actuator->joint = actuator->tendon = actuator->site = actuator->reference_site = -1;
    actuator->body = -1;
    switch (from->transmission) {
    case DP_TRANSMISSION_JOINT:
        return dp_resolve(&actuator->joint, c, kind, i, DP_ELEMENT_JOINT, from->joint);
    case DP_TRANSMISSION_TENDON:
        return dp_resolve(&actuator->tendon, c, kind, i, DP_ELEMENT_TENDON, from->tendon);
    case DP_TRANSMISSION_SITE:
        DP_TRY(dp_resolve(&actuator->site, c, kind, i, DP_ELEMENT_SITE, from->site));
        if (!from->reference_site || !*from->reference_site) {
            return DP_OK;
        }
        return dp_resolve(&actuator->reference_site, c, kind, i, DP_ELEMENT_SITE,
                          from->reference_site);
    case DP_TRANSMISSION_BODY:
        c->m->has_adhesion = true;
        return dp_resolve(&actuator->body, c, kind, i, DP_ELEMENT_BODY, from->body);
    }
    return DP_OK;
}

dp_status dp_compile_actuators(dp_compiler *c)
{
    for (int i = 0; i < c->m->size.nactuator; ++i) {
        const dp_actuator_spec *from = &dp_spec_actuators(c->spec)[i];
        dp_actuator *actuator = &c->actuator[i];
        DP_TRY(resolve_transmission(c, i));
        actuator->in_parent = from->in_parent;
        actuator->dynamics = from->dynamics;
        actuator->time_constant = from->time_constant;
        actuator->relaxation_time = from->relaxation_time;
        actuator->smoothing = from->smoothing;
        actuator->muscle_gain = from->muscle_gain;
        actuator->muscle_bias = from->muscle_bias;
        actuator->gain_muscle = from->gain_muscle;
        actuator->bias_muscle = from->bias_muscle;
        actuator->damping_ratio = from->damping_ratio;
        actuator->control_limited = from->control_limited;
        actuator->force_limited = from->force_limited;
        actuator->activation_limited = from->activation_limited;
        memcpy(actuator->gear, from->gear, sizeof actuator->gear);
        memcpy(actuator->gain, from->gain, sizeof actuator->gain);
        memcpy(actuator->bias, from->bias, sizeof actuator->bias);
        memcpy(actuator->control_range, from->control_range, sizeof actuator->control_range);
        memcpy(actuator->force_range, from->force_range, sizeof actuator->force_range);
        memcpy(actuator->activation_range, from->activation_range,
               sizeof actuator->activation_range);
        DP_TRY(check_gear(c, i));
        DP_TRY(dp_compile_length_range(c, i));
        actuator->activation_index =
            from->dynamics == DP_ACTUATOR_DYNAMICS_NONE ? -1 : c->m->size.na++;
    }
    return DP_OK;
}

// An object of a sensor of two.
static dp_status resolve_one(int *out, dp_compiler *c, int i, dp_object_kind kind, const char *name,
                             bool as_reference)
{
    const dp_sensor_kind of = dp_spec_sensors(c->spec)[i].kind;
    *out = -1;
    if (!dp_sensor_takes(of, kind, as_reference)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
                            "of kind %s has an object of kind '%s' (expected geom or body%s)",
                            dp_sensor_kind_name(of), dp_object_kind_name(kind),
                            of == DP_SENSOR_CONTACT ? ", subtree, site or none" : "");
    }
    return kind == DP_OBJECT_NONE
               ? DP_OK
               : dp_resolve(out, c, DP_ELEMENT_SENSOR, i, dp_object_element(kind), name);
}

static dp_status resolve_pair(dp_compiler *c, int i)
{
    const dp_sensor_spec *from = &dp_spec_sensors(c->spec)[i];
    dp_sensor *sensor = &c->sensor[i];
    sensor->object_kind = from->object_kind;
    sensor->reference_kind = from->reference_kind;
    DP_TRY(resolve_one(&sensor->object, c, i, from->object_kind, from->object, false));
    return resolve_one(&sensor->reference, c, i, from->reference_kind, from->reference, true);
}

static dp_status resolve_object(dp_compiler *c, int i)
{
    const dp_sensor_spec *from = &dp_spec_sensors(c->spec)[i];
    dp_sensor *sensor = &c->sensor[i];
    const char *kind_name = dp_sensor_kind_name(from->kind);
    const dp_object_kind wanted = dp_sensor_object_kind(from->kind);
    const bool frame = wanted == DP_OBJECT_INERTIAL;
    sensor->object = -1;
    if (wanted == DP_OBJECT_NONE) {
        if (from->object_kind != DP_OBJECT_NONE || (from->object && *from->object)) {
            return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
                                "of kind %s is attached to '%s' (expected no object)", kind_name,
                                from->object ? from->object : "");
        }
        return DP_OK;
    }
    if (frame && !dp_sensor_takes(from->kind, from->object_kind, false)) {
        return dp_spec_fail(
            DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
            "of kind %s is attached to object kind '%s' (expected body, inertial, geom "
            "or site)",
            kind_name, dp_object_kind_name(from->object_kind));
    }
    if (!frame && from->object_kind != DP_OBJECT_NONE && from->object_kind != wanted) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
                            "of kind %s is attached to object kind '%s' (expected %s)", kind_name,
                            dp_object_kind_name(from->object_kind), dp_object_kind_name(wanted));
    }
    sensor->object_kind = frame ? from->object_kind : wanted;
    return dp_resolve(&sensor->object, c, DP_ELEMENT_SENSOR, i,
                      dp_object_element(sensor->object_kind), from->object);
}

static dp_status resolve_reference(dp_compiler *c, int i)
{
    const dp_sensor_spec *from = &dp_spec_sensors(c->spec)[i];
    dp_sensor *sensor = &c->sensor[i];
    sensor->reference = -1;
    sensor->reference_kind = from->reference_kind;
    if (from->reference_kind == DP_OBJECT_NONE && !(from->reference && *from->reference)) {
        return DP_OK;
    }
    if (!dp_sensor_has_reference(from->kind)) {
        return dp_spec_fail(
            DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
            "of kind %s has the reference '%s' (expected none: it cannot be relative)",
            dp_sensor_kind_name(from->kind), from->reference ? from->reference : "");
    }
    if (!dp_sensor_takes(from->kind, from->reference_kind, true)) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
                            "has a reference of object kind '%s' (expected %s)",
                            dp_object_kind_name(from->reference_kind),
                            from->kind == DP_SENSOR_INSIDE_SITE ? "site"
                                                                : "body, inertial, geom or site");
    }
    return dp_resolve(&sensor->reference, c, DP_ELEMENT_SENSOR, i,
                      dp_object_element(from->reference_kind), from->reference);
}

// Some sensors understand only some joints.
static dp_status check_joint_kind(const dp_compiler *c, int i)
{
    const dp_sensor *sensor = &c->sensor[i];
    if (sensor->object_kind != DP_OBJECT_JOINT) {
        return DP_OK;
    }
    const dp_joint_kind kind = c->joint[sensor->object].kind;
    const bool limit = dp_sensor_needs_limit(sensor->kind);
    const bool wants_ball =
        sensor->kind == DP_SENSOR_BALL_QUATERNION || sensor->kind == DP_SENSOR_BALL_VELOCITY;
    if (wants_ball ? kind == DP_JOINT_BALL
                   : kind == DP_JOINT_HINGE || kind == DP_JOINT_SLIDE ||
                         (limit && kind == DP_JOINT_BALL)) {
        return DP_OK;
    }
    return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
                        "of kind %s is attached to %s, a %s joint (expected a %s)",
                        dp_sensor_kind_name(sensor->kind),
                        dp_spec_label(c->spec, DP_ELEMENT_JOINT, sensor->object).text,
                        dp_joint_kind_name(kind),
                        wants_ball ? "ball"
                        : limit    ? "hinge, slide or ball"
                                   : "hinge or slide");
}

// A limit that does not exist cannot be measured.
static dp_status check_limit(const dp_compiler *c, int i)
{
    const dp_sensor *sensor = &c->sensor[i];
    if (!dp_sensor_needs_limit(sensor->kind)) {
        return DP_OK;
    }
    const bool of_joint = sensor->object_kind == DP_OBJECT_JOINT;
    const dp_element_kind element = of_joint ? DP_ELEMENT_JOINT : DP_ELEMENT_TENDON;
    const bool limited = of_joint ? dp_spec_joints(c->spec)[sensor->object].spec.limited
                                  : dp_spec_tendons(c->spec)[sensor->object].limited;
    if (limited) {
        return DP_OK;
    }
    return dp_spec_fail(DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
                        "of kind %s is attached to %s, which has no limit (expected a limited one)",
                        dp_sensor_kind_name(sensor->kind),
                        dp_spec_label(c->spec, element, sensor->object).text);
}

// What feels touch needs a volume.
static dp_status check_volume(const dp_compiler *c, int i)
{
    const dp_sensor *sensor = &c->sensor[i];
    const bool inside = sensor->kind == DP_SENSOR_INSIDE_SITE;
    const int site = inside ? sensor->reference : sensor->object;
    if (sensor->kind != DP_SENSOR_TOUCH && !inside &&
        !(sensor->kind == DP_SENSOR_CONTACT && sensor->object_kind == DP_OBJECT_SITE)) {
        return DP_OK;
    }
    const dp_shape *shape = &c->site[site].shape;
    for (int k = 0; k < dp_shape_size_count(shape->kind); ++k) {
        if (!(shape->size[k] > 0.0)) {
            return dp_spec_fail(
                DP_ERROR_ARGUMENT, c->spec, DP_ELEMENT_SENSOR, i,
                "of kind %s is attached to %s, which has size %g at place %d (expected "
                "a volume: sizes > 0)",
                dp_sensor_kind_name(sensor->kind),
                dp_spec_label(c->spec, DP_ELEMENT_SITE, site).text, shape->size[k], k + 1);
        }
    }
    return DP_OK;
}

dp_status dp_compile_sensors(dp_compiler *c)
{
    for (int i = 0; i < c->m->size.nsensor; ++i) {
        const dp_sensor_spec *from = &dp_spec_sensors(c->spec)[i];
        dp_sensor *sensor = &c->sensor[i];
        sensor->kind = from->kind;
        sensor->cutoff = from->cutoff;
        sensor->count = from->count;
        sensor->reduction = from->reduction;
        sensor->data = from->data ? from->data : 1;
        if (dp_sensor_is_of_pair(from->kind)) {
            DP_TRY(resolve_pair(c, i));
        } else {
            DP_TRY(resolve_object(c, i));
            DP_TRY(resolve_reference(c, i));
        }
        DP_TRY(check_joint_kind(c, i));
        DP_TRY(check_limit(c, i));
        DP_TRY(check_volume(c, i));
        c->m->has_rangefinders |= from->kind == DP_SENSOR_RANGEFINDER;
        sensor->data_index = c->m->size.nsensordata;
        sensor->ndata = dp_sensor_size(from);
        c->m->size.nsensordata += sensor->ndata;
    }
    return DP_OK;
}
