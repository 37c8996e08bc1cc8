// Names of enumerations, shared by messages, formats and reports.
#ifndef DP_MODEL_NAMES_H
#define DP_MODEL_NAMES_H

#include <dashpot/spec.h>

const char *dp_joint_kind_name(dp_joint_kind kind);   // "free", "ball", "hinge", "slide"
const char *dp_geom_kind_name(dp_geom_kind kind);     // "plane", "sphere", …
const char *dp_object_kind_name(dp_object_kind kind); // "body", "inertial", "joint", …
const char *dp_sensor_kind_name(dp_sensor_kind kind); // "accelerometer", …, as in MJCF
int dp_sensor_kind_size(dp_sensor_kind kind);         // how many values it gives

#endif
