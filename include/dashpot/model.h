// The compiled mechanism: immutable, shared by any number of threads.
#ifndef DASHPOT_MODEL_H
#define DASHPOT_MODEL_H

#include <dashpot/spec.h>

DP_BEGIN_C

/// A compiled mechanism: topology, inertias, shapes, options. Immutable, so threads may share it.
typedef struct dp_model dp_model;

/// Compile `spec` into a model the caller owns (dp_model_destroy). The spec is not kept.
/// @return DP_ERROR_ARGUMENT for an impossible mechanism, e.g. a moving body without mass, and
///         DP_ERROR_UNSUPPORTED for one that asks for what is not simulated yet; *out is then NULL
///         and dp_last_error() names the culprit.
DP_API DP_NODISCARD dp_status dp_model_compile(dp_model **out, const dp_spec *spec);
DP_API void dp_model_destroy(dp_model *m); ///< NULL is allowed

/// How many there are of everything.
typedef struct dp_model_size {
    int nbody; ///< bodies, the world included
    int njoint, ngeom, nsite, nactuator, nsensor, nkey;
    int nq;          ///< generalised positions
    int nv;          ///< generalised velocities (degrees of freedom)
    int na;          ///< activations
    int nu;          ///< controls, one per actuator
    int nmocap;      ///< bodies moved by the user
    int nsensordata; ///< numbers that all sensors give
    int ntree;       ///< kinematic trees that can move
} dp_model_size;
DP_API const dp_model_size *dp_model_sizes(const dp_model *m);

DP_API const char *dp_model_title(const dp_model *m);
DP_API const dp_options *dp_model_options(const dp_model *m);

/// Find an element by name. @return DP_ERROR_ARGUMENT, with the nearest name in the message.
DP_API DP_NODISCARD dp_status dp_model_find_body(dp_body_id *out, const dp_model *m,
                                                 const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_joint(dp_joint_id *out, const dp_model *m,
                                                  const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_geom(dp_geom_id *out, const dp_model *m,
                                                 const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_site(dp_site_id *out, const dp_model *m,
                                                 const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_actuator(dp_actuator_id *out, const dp_model *m,
                                                     const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_sensor(dp_sensor_id *out, const dp_model *m,
                                                   const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_key(dp_key_id *out, const dp_model *m,
                                                const char *name);

// What is known of one element. Names are "" where none was given. Ids out of range give a struct
// of zeros with an empty name.

typedef struct dp_body_info {
    const char *name;
    dp_body_id parent;
    dp_pose pose; ///< in the parent's frame, all joints at their reference
    dp_inertial inertial;
    double gravity_compensation;
    int njoint;      ///< see dp_model_body_joint
    int v_index, nv; ///< its degrees of freedom
    int tree;        ///< −1: fixed to the world
    int mocap;       ///< index among mocap bodies, −1: none
} dp_body_info;
DP_API dp_body_info dp_model_body(const dp_model *m, dp_body_id body);
/// The k-th joint of a body, in the order they act; index −1 when there is none.
DP_API dp_joint_id dp_model_body_joint(const dp_model *m, dp_body_id body, int k);

typedef struct dp_joint_info {
    const char *name;
    dp_joint_kind kind;
    dp_body_id body;
    int q_index, nq;    ///< its positions are q[q_index …]
    int v_index, nv;    ///< its velocities are v[v_index …]
    dp_v3 anchor, axis; ///< in the body frame; axis is a unit vector
    double ref, armature, damping, stiffness, spring_ref;
} dp_joint_info;
DP_API dp_joint_info dp_model_joint(const dp_model *m, dp_joint_id joint);

typedef struct dp_geom_info {
    const char *name;
    dp_geom_kind kind;
    dp_body_id body;
    double size[3];
    dp_pose pose; ///< in the body frame
    int group;
    float rgba[4];
} dp_geom_info;
DP_API dp_geom_info dp_model_geom(const dp_model *m, dp_geom_id geom);

typedef struct dp_site_info {
    const char *name;
    dp_body_id body;
    dp_pose pose; ///< in the body frame
} dp_site_info;
DP_API dp_site_info dp_model_site(const dp_model *m, dp_site_id site);

typedef struct dp_actuator_info {
    const char *name;
    dp_joint_id joint;
    int activation_index; ///< −1: none
    bool control_limited;
    double control_range[2];
} dp_actuator_info;
DP_API dp_actuator_info dp_model_actuator(const dp_model *m, dp_actuator_id actuator);

typedef struct dp_sensor_info {
    const char *name;
    dp_sensor_kind kind;
    int data_index, ndata; ///< its values are sensor data [data_index …]
} dp_sensor_info;
DP_API dp_sensor_info dp_model_sensor(const dp_model *m, dp_sensor_id sensor);

DP_API const char *dp_model_key_name(const dp_model *m, dp_key_id key);

/// The configuration as described, nq values: all joints at their reference. Borrowed.
DP_API const double *dp_model_q_reference(const dp_model *m);

DP_END_C
#endif
