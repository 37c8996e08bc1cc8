// The small types of mechanics, passed and returned by value. SI units; right-handed frames.
#ifndef DASHPOT_TYPES_H
#define DASHPOT_TYPES_H

#include <dashpot/base.h>

/// A vector in three dimensions.
typedef struct dp_v3 {
    double x, y, z;
} dp_v3;

/// A unit quaternion (w, x, y, z). As the rotation R_AB it turns components in B into those in A.
typedef struct dp_quat {
    double w, x, y, z;
} dp_quat;

/// A 3×3 matrix by rows: m[row][column].
typedef struct dp_m3 {
    double m[3][3];
} dp_m3;

/// A rigid placement X_AB: the orientation of frame B in A and the position of its origin.
typedef struct dp_pose {
    dp_quat q; ///< R_AB
    dp_v3 p;   ///< p_AB [m]
} dp_pose;

/// A motion, angular part first. Velocity: w [rad/s], v [m/s] of the point it is taken about.
typedef struct dp_twist {
    dp_v3 w, v;
} dp_twist;

/// A force, angular part first: moment t [N m] about the point it is taken about, force f [N].
typedef struct dp_wrench {
    dp_v3 t, f;
} dp_wrench;

// clang-format off
#define DP_IDENTITY_POSE (DP_LITERAL(dp_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}})
// clang-format on

/// Elements of a mechanism. An id is the order of addition to the spec and the same in the model,
/// so ids of the spec may be used with the model. Distinct types keep a joint from being passed as
/// a body.
typedef struct dp_body_id {
    int index; ///< 0 is the world
} dp_body_id;
typedef struct dp_joint_id {
    int index;
} dp_joint_id;
typedef struct dp_geom_id {
    int index;
} dp_geom_id;
typedef struct dp_site_id {
    int index;
} dp_site_id;
typedef struct dp_actuator_id {
    int index;
} dp_actuator_id;
typedef struct dp_sensor_id {
    int index;
} dp_sensor_id;
typedef struct dp_mesh_id {
    int index;
} dp_mesh_id;
typedef struct dp_hfield_id {
    int index;
} dp_hfield_id;
typedef struct dp_pair_id {
    int index;
} dp_pair_id;
typedef struct dp_exclude_id {
    int index;
} dp_exclude_id;
typedef struct dp_tendon_id {
    int index;
} dp_tendon_id;
typedef struct dp_equality_id {
    int index;
} dp_equality_id;
typedef struct dp_key_id {
    int index;
} dp_key_id;
typedef struct dp_force_id {
    int index;
} dp_force_id;
typedef struct dp_motion_id {
    int index;
} dp_motion_id;

/// The fixed frame that every tree hangs from.
#define DP_WORLD (DP_LITERAL(dp_body_id){0})

/// Sums over all moving bodies or one subtree.
typedef struct dp_momentum {
    double mass;   ///< [kg]
    dp_v3 com;     ///< centre of mass [m]
    dp_v3 linear;  ///< [kg m/s]
    dp_v3 angular; ///< about `com` [kg m²/s]
} dp_momentum;

#endif
