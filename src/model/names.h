// Names of enumerations and facts about sensors, shared by messages, formats and reports.
#ifndef DP_MODEL_NAMES_H
#define DP_MODEL_NAMES_H

#include <dashpot/spec.h>

/// Kinds of elements that have names and ids.
typedef enum dp_element_kind {
    DP_ELEMENT_BODY,
    DP_ELEMENT_JOINT,
    DP_ELEMENT_GEOM,
    DP_ELEMENT_SITE,
    DP_ELEMENT_ACTUATOR,
    DP_ELEMENT_SENSOR,
    DP_ELEMENT_MESH,
    DP_ELEMENT_HFIELD,
    DP_ELEMENT_PAIR,
    DP_ELEMENT_EXCLUDE,
    DP_ELEMENT_TENDON,
    DP_ELEMENT_EQUALITY,
    DP_ELEMENT_KEY,
    DP_ELEMENT_FORCE,
    DP_ELEMENT_MOTION,
    DP_ELEMENT_KINDS,
} dp_element_kind;

/// "body", "joint", …, "key". The other kinds have theirs in dashpot/spec.h.
const char *dp_element_kind_name(dp_element_kind kind);

/// What elements the name of an object of this kind is one of; bodies where it is none.
dp_element_kind dp_object_element(dp_object_kind kind);

/// How many values a sensor of this kind gives.
int dp_sensor_kind_size(dp_sensor_kind kind);

/// The same of one sensor, whose kind may leave it to its fields.
int dp_sensor_size(const dp_sensor_spec *of);
/// Is it of two objects, each a geom or a body or more?
bool dp_sensor_is_of_pair(dp_sensor_kind kind);
/// May a sensor of this kind be attached to an object of that kind, or have it for a reference?
bool dp_sensor_takes(dp_sensor_kind kind, dp_object_kind object, bool as_reference);
/// What a sensor of this kind is attached to: none, site, joint, actuator, tendon, or body for a
/// subtree.
/// Frame sensors leave the choice of body, inertial, geom or site; for them this is
/// DP_OBJECT_INERTIAL.
dp_object_kind dp_sensor_object_kind(dp_sensor_kind kind);
/// The unit of its values; "q", "v" or "f": that of the position, velocity or force of its joint or
/// actuator.
const char *dp_sensor_unit(dp_sensor_kind kind);
/// May it be measured relative to another frame?
bool dp_sensor_has_reference(dp_sensor_kind kind);
/// Whether it measures a limit of its joint or tendon.
bool dp_sensor_needs_limit(dp_sensor_kind kind);

#endif
