// Actuators, sensors and keyframes.
#include "io/mjcf/write/mjcf_write.h"

#include "base/text/number.h"
#include "io/mjcf/schema/mjcf_schema.h"

#include <stdio.h>

// ---- actuators

static void put_transmission(dp_mjcf_writer *w, const dp_actuator_spec *a)
{
    switch (a->transmission) {
    case DP_TRANSMISSION_JOINT:
        dp_xml_put_text(&w->xml, a->in_parent ? "jointinparent" : "joint", a->joint);
        break;
    case DP_TRANSMISSION_TENDON:
        dp_xml_put_text(&w->xml, "tendon", a->tendon);
        break;
    case DP_TRANSMISSION_SITE:
        dp_xml_put_text(&w->xml, "site", a->site);
        dp_xml_put_text(&w->xml, "refsite", a->reference_site);
        break;
    case DP_TRANSMISSION_BODY:
        dp_xml_put_text(&w->xml, "body", a->body);
        break;
    }
    int count = 6;
    while (count > 1 && dp_mjcf_is_zero(a->gear[count - 1])) {
        --count;
    }
    if (count > 1 || a->gear[0] != 1.0) {
        dp_xml_put_numbers(&w->xml, "gear", a->gear, (size_t)count);
    }
}

// MuJoCo takes a servo of fixed gain kp with bias 0 −kp x, x > 0, for one with the damping ratio x.
// With affine gain, of the same numbers, it does not.
static bool looks_like_ratio(const dp_actuator_spec *a)
{
    return a->gain[0] == -a->bias[1] && a->bias[2] > 0.0;
}

static dp_status put_servo(dp_mjcf_writer *w, int i, const dp_actuator_spec *a)
{
    if (a->damping_ratio < 0.0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_ACTUATOR, i,
                            "has damping ratio %g (expected a number ≥ 0)", a->damping_ratio);
    }
    if (a->gain[0] != -a->bias[1] || a->gain[1] != 0.0 || a->gain[2] != 0.0) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_ACTUATOR, i,
                            "has damping ratio %g but is no position servo (expected gain kp and "
                            "bias 0, −kp)",
                            a->damping_ratio);
    }
    dp_xml_put_text(&w->xml, "gaintype", "fixed");
    dp_xml_put_numbers(&w->xml, "gainprm", a->gain, 1);
    dp_xml_put_text(&w->xml, "biastype", "affine");
    dp_xml_put_numbers(&w->xml, "biasprm",
                       (const double[3]){a->bias[0], a->bias[1], a->damping_ratio}, 3);
    return DP_OK;
}

static void put_curves(dp_mjcf_writer *w, const char *attribute, const dp_muscle *p)
{
    const double x[9] = {p->range[0], p->range[1], p->force,   p->scale,      p->shortest,
                         p->longest,  p->fastest,  p->passive, p->lengthening};
    dp_xml_put_numbers(&w->xml, attribute, x, 9);
}

static void put_gain_and_bias(dp_mjcf_writer *w, const dp_actuator_spec *a)
{
    const bool affine_gain =
        !dp_mjcf_is_zero(a->gain[1]) || !dp_mjcf_is_zero(a->gain[2]) || looks_like_ratio(a);
    const bool affine_bias = !dp_mjcf_is_zero(a->bias[0]) || !dp_mjcf_is_zero(a->bias[1]) ||
                             !dp_mjcf_is_zero(a->bias[2]);
    if (a->muscle_gain) {
        dp_xml_put_text(&w->xml, "gaintype", "muscle");
        put_curves(w, "gainprm", &a->gain_muscle);
    } else {
        dp_xml_put_text(&w->xml, "gaintype", affine_gain ? "affine" : "fixed");
        dp_xml_put_numbers(&w->xml, "gainprm", a->gain, affine_gain ? 3 : 1);
    }
    dp_xml_put_text(&w->xml, "biastype",
                    a->muscle_bias ? "muscle"
                    : affine_bias  ? "affine"
                                   : "none");
    if (a->muscle_bias) {
        put_curves(w, "biasprm", &a->bias_muscle);
    } else if (affine_bias) {
        dp_xml_put_numbers(&w->xml, "biasprm", a->bias, 3);
    }
}

static dp_status put_law(dp_mjcf_writer *w, int i, const dp_actuator_spec *a)
{
    static const char *const dynamics[] = {"none", "integrator", "filter", "filterexact", "muscle"};
    dp_xml_put_text(&w->xml, "dyntype", dynamics[a->dynamics]);
    if (a->dynamics == DP_ACTUATOR_DYNAMICS_MUSCLE) {
        const double x[3] = {a->time_constant, a->relaxation_time, a->smoothing};
        dp_xml_put_numbers(&w->xml, "dynprm", x, 3);
    } else {
        dp_mjcf_put_number(w, "dynprm", a->time_constant, 1.0);
    }
    dp_mjcf_put_numbers(w, "lengthrange", a->length_range, (const double[2]){0.0, 0.0}, 2);
    if (a->damping_ratio != 0.0) {
        return put_servo(w, i, a);
    }
    put_gain_and_bias(w, a);
    return DP_OK;
}

static dp_status write_actuator(dp_mjcf_writer *w, int i)
{
    const dp_actuator_spec *a = &dp_spec_actuators(w->spec)[i];
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_ACTUATOR, i, "transmission", (int)a->transmission,
                              DP_TRANSMISSION_BODY));
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_ACTUATOR, i, "dynamics", (int)a->dynamics,
                              DP_ACTUATOR_DYNAMICS_MUSCLE));
    dp_xml_begin(&w->xml, "general");
    dp_xml_put_text(&w->xml, "name", a->name);
    put_transmission(w, a);
    DP_TRY(put_law(w, i, a));
    dp_mjcf_put_limit(w, "ctrllimited", "ctrlrange", a->control_limited, a->control_range);
    dp_mjcf_put_limit(w, "forcelimited", "forcerange", a->force_limited, a->force_range);
    dp_mjcf_put_limit(w, "actlimited", "actrange", a->activation_limited, a->activation_range);
    dp_xml_end(&w->xml, "general");
    return dp_mjcf_written(w, DP_ELEMENT_ACTUATOR, i);
}

dp_status dp_mjcf_write_actuators(dp_mjcf_writer *w)
{
    const dp_mjcf_part all = {dp_spec_actuator_count(w->spec), write_actuator};
    return dp_mjcf_write_section(w, "actuator", &all, 1);
}

// ---- sensors

// How MJCF calls a frame; NULL: it is none.
static const char *frame_name(dp_object_kind kind)
{
    switch (kind) {
    case DP_OBJECT_BODY:
        return "xbody";
    case DP_OBJECT_INERTIAL:
        return "body";
    case DP_OBJECT_GEOM:
        return "geom";
    case DP_OBJECT_SITE:
        return "site";
    default:
        return NULL;
    }
}

// In MJCF the frame of a mesh is that of its principal axes, not the one it was drawn in.
static bool is_mesh(const dp_spec *spec, dp_object_kind kind, const char *name)
{
    if (kind != DP_OBJECT_GEOM || !name) {
        return false;
    }
    const int i = dp_name_find(&spec->list[DP_ELEMENT_GEOM].index,
                               dp_spec_names(spec, DP_ELEMENT_GEOM), name);
    return i >= 0 && dp_spec_geoms(spec)[i].spec.kind == DP_GEOM_MESH;
}

static bool is_given(dp_object_kind kind, const char *name)
{
    return kind != DP_OBJECT_NONE || (name && *name);
}

static dp_status put_object(dp_mjcf_writer *w, int i, const dp_sensor_spec *s)
{
    const dp_object_kind wanted = dp_sensor_object_kind(s->kind);
    if (wanted == DP_OBJECT_INERTIAL && frame_name(s->object_kind)) {
        dp_xml_put_text(&w->xml, "objtype", frame_name(s->object_kind));
        dp_xml_put_text(&w->xml, "objname", s->object);
        return DP_OK;
    }
    if (wanted == DP_OBJECT_NONE ? is_given(s->object_kind, s->object)
                                 : s->object_kind != DP_OBJECT_NONE && s->object_kind != wanted) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_SENSOR, i,
                            "of kind %s is attached to object kind '%s' (expected %s)",
                            dp_sensor_kind_name(s->kind), dp_object_kind_name(s->object_kind),
                            wanted == DP_OBJECT_INERTIAL ? "body, inertial, geom or site"
                                                         : dp_object_kind_name(wanted));
    }
    if (wanted == DP_OBJECT_INERTIAL) { // of no kind
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_SENSOR, i,
                            "of kind %s does not say what kind of object it is attached to "
                            "(expected body, inertial, geom or site)",
                            dp_sensor_kind_name(s->kind));
    }
    if (wanted != DP_OBJECT_NONE) {
        dp_xml_put_text(&w->xml, dp_object_kind_name(wanted), s->object);
    }
    return DP_OK;
}

static dp_status put_reference(dp_mjcf_writer *w, int i, const dp_sensor_spec *s)
{
    if (!is_given(s->reference_kind, s->reference)) {
        return DP_OK;
    }
    const char *frame = frame_name(s->reference_kind);
    if (!dp_sensor_has_reference(s->kind) || !frame) {
        return dp_spec_fail(DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_SENSOR, i,
                            "of kind %s has a reference of object kind '%s' (expected %s)",
                            dp_sensor_kind_name(s->kind), dp_object_kind_name(s->reference_kind),
                            dp_sensor_has_reference(s->kind) ? "body, inertial, geom or site"
                                                             : "none: it cannot be relative");
    }
    dp_xml_put_text(&w->xml, "reftype", frame);
    dp_xml_put_text(&w->xml, "refname", s->reference);
    return DP_OK;
}

static void put_fields(dp_mjcf_writer *w, unsigned data, const char *words)
{
    char text[100] = "";
    size_t at = 0;
    for (int k = 0; *words; ++k) {
        const int length = dp_word_length(words);
        if (data >> k & 1u && at + (size_t)length + 2 < sizeof text) {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", at > 0 ? " " : "", length,
                                   words);
        }
        words = dp_skip_space(words + length);
    }
    dp_xml_put_text(&w->xml, "data", at > 0 ? text : NULL);
}

static void put_one(dp_mjcf_writer *w, dp_object_kind kind, const char *name, int number)
{
    char attribute[16];
    snprintf(attribute, sizeof attribute, "%s%d", dp_object_kind_name(kind), number);
    if (kind != DP_OBJECT_NONE) {
        dp_xml_put_text(&w->xml, kind == DP_OBJECT_SITE ? "site" : attribute, name);
    }
}

static dp_status put_pair(dp_mjcf_writer *w, int i, const dp_sensor_spec *s)
{
    static const char *const reduction[] = {"none", "mindist", "maxforce", "netforce"};
    if (!dp_sensor_takes(s->kind, s->object_kind, false) ||
        !dp_sensor_takes(s->kind, s->reference_kind, true)) {
        return dp_spec_fail(
            DP_ERROR_ARGUMENT, w->spec, DP_ELEMENT_SENSOR, i,
            "of kind %s has objects of kinds '%s' and '%s' (expected geoms or bodies)",
            dp_sensor_kind_name(s->kind), dp_object_kind_name(s->object_kind),
            dp_object_kind_name(s->reference_kind));
    }
    put_one(w, s->object_kind, s->object, 1);
    put_one(w, s->reference_kind, s->reference, 2);
    if (s->kind == DP_SENSOR_CONTACT) {
        DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_SENSOR, i, "reduction", (int)s->reduction,
                                  DP_CONTACT_REDUCTION_SUM));
        put_fields(w, s->data, DP_MJCF_CONTACT_FIELDS);
        dp_mjcf_put_integer(w, "num", s->count, 1);
        dp_xml_put_text(&w->xml, "reduce", s->reduction ? reduction[s->reduction] : NULL);
    }
    return DP_OK;
}

// What a sensor is of, and what it reports.
static dp_status put_objects(dp_mjcf_writer *w, int i, const dp_sensor_spec *s)
{
    if (dp_sensor_is_of_pair(s->kind)) {
        return put_pair(w, i, s);
    }
    DP_TRY(put_object(w, i, s));
    if (s->kind == DP_SENSOR_RANGEFINDER) {
        put_fields(w, s->data, DP_MJCF_RAY_FIELDS);
    } else if (s->kind == DP_SENSOR_INSIDE_SITE) {
        dp_xml_put_text(&w->xml, "site", s->reference);
        return DP_OK;
    } else if (s->kind == DP_SENSOR_USER) {
        dp_mjcf_put_integer(w, "dim", s->count, -1);
    }
    return put_reference(w, i, s);
}

static dp_status write_sensor(dp_mjcf_writer *w, int i)
{
    const dp_sensor_spec *s = &dp_spec_sensors(w->spec)[i];
    DP_TRY(dp_mjcf_check_kind(w, DP_ELEMENT_SENSOR, i, "kind", (int)s->kind, DP_SENSOR_KINDS - 1));
    const bool of_frames = dp_sensor_object_kind(s->kind) == DP_OBJECT_INERTIAL;
    if (of_frames && (is_mesh(w->spec, s->object_kind, s->object) ||
                      is_mesh(w->spec, s->reference_kind, s->reference))) {
        return dp_mjcf_cannot_say(w, DP_ELEMENT_SENSOR, i,
                                  "is attached to a mesh, whose frame MJCF moves to its centre of "
                                  "mass (expected a site in its place)");
    }
    const char *element = dp_sensor_kind_name(s->kind);
    dp_xml_begin(&w->xml, element);
    dp_xml_put_text(&w->xml, "name", s->name);
    DP_TRY(put_objects(w, i, s));
    dp_mjcf_put_number(w, "cutoff", s->cutoff, 0.0);
    dp_xml_end(&w->xml, element);
    return dp_mjcf_written(w, DP_ELEMENT_SENSOR, i);
}

dp_status dp_mjcf_write_sensors(dp_mjcf_writer *w)
{
    const dp_mjcf_part all = {dp_spec_sensor_count(w->spec), write_sensor};
    return dp_mjcf_write_section(w, "sensor", &all, 1);
}

// ---- keyframes

static void put_list(dp_mjcf_writer *w, const char *attribute, const double *x, int count)
{
    if (x && count > 0) {
        dp_xml_put_numbers(&w->xml, attribute, x, (size_t)count);
    }
}

static dp_status write_key(dp_mjcf_writer *w, int i)
{
    const dp_key_spec *key = &dp_spec_keys(w->spec)[i];
    dp_xml_begin(&w->xml, "key");
    dp_xml_put_text(&w->xml, "name", key->name);
    dp_mjcf_put_number(w, "time", key->time, 0.0);
    put_list(w, "qpos", key->q, key->nq);
    put_list(w, "qvel", key->v, key->nv);
    put_list(w, "act", key->activation, key->na);
    put_list(w, "ctrl", key->control, key->nu);
    put_list(w, "mpos", key->mocap_position, key->nmocap_position);
    put_list(w, "mquat", key->mocap_quaternion, key->nmocap_quaternion);
    dp_xml_end(&w->xml, "key");
    return dp_mjcf_written(w, DP_ELEMENT_KEY, i);
}

dp_status dp_mjcf_write_keyframes(dp_mjcf_writer *w)
{
    const dp_mjcf_part all = {dp_spec_key_count(w->spec), write_key};
    return dp_mjcf_write_section(w, "keyframe", &all, 1);
}
