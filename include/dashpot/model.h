// The compiled mechanism: immutable, shared by any number of threads.
#ifndef DASHPOT_MODEL_H
#define DASHPOT_MODEL_H

#include <dashpot/expression.h>
#include <dashpot/spec.h>

DP_BEGIN_C

/// A compiled mechanism: topology, inertias, shapes, options. Immutable, so threads may share it.
typedef struct dp_model dp_model;

/// Compile `spec` into a model the caller owns (dp_model_destroy). The spec is not kept.
/// @return DP_ERROR_ARGUMENT for an impossible mechanism, e.g. a moving body without mass,
///         DP_ERROR_PARSE and DP_ERROR_NUMERIC for an expression that is none or has no value at t
///         = 0, and DP_ERROR_UNSUPPORTED for what is not simulated yet; *out is then NULL and
///         dp_last_error() names the culprit.
DP_API DP_NODISCARD dp_status dp_model_compile(dp_model **out, const dp_spec *spec);
DP_API void dp_model_destroy(dp_model *m); ///< NULL is allowed

/// How many there are of everything.
typedef struct dp_model_size {
    int nbody; ///< bodies, the world included
    int njoint, ngeom, nsite, nactuator, nsensor, nkey;
    int nmesh, nhfield, npair, nexclude, ntendon, nequality, nforce, nmotion;
    int nq;           ///< generalised positions
    int nv;           ///< generalised velocities (degrees of freedom)
    int na;           ///< activations
    int nu;           ///< controls, one per actuator
    int nmocap;       ///< bodies moved by the user
    int nsensordata;  ///< numbers that all sensors give
    int ntree;        ///< kinematic trees that can move
    int nfoundation;  ///< pairs of an elastic foundation and a plane that it may rest on
    long long ntouch; ///< pairs of geoms that could touch, by masks, bodies, excludes and given
                      ///< pairs, foundations on planes left out; −1: some, too many kinds of masks
                      ///< to count; 0: contact is disabled
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
DP_API DP_NODISCARD dp_status dp_model_find_mesh(dp_mesh_id *out, const dp_model *m,
                                                 const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_hfield(dp_hfield_id *out, const dp_model *m,
                                                   const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_pair(dp_pair_id *out, const dp_model *m,
                                                 const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_exclude(dp_exclude_id *out, const dp_model *m,
                                                    const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_tendon(dp_tendon_id *out, const dp_model *m,
                                                   const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_equality(dp_equality_id *out, const dp_model *m,
                                                     const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_key(dp_key_id *out, const dp_model *m,
                                                const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_force(dp_force_id *out, const dp_model *m,
                                                  const char *name);
DP_API DP_NODISCARD dp_status dp_model_find_motion(dp_motion_id *out, const dp_model *m,
                                                   const char *name);

// What is known of one element. Names are "" where none was given. Ids out of range give a struct
// of zeros with an empty name. An id inside a struct has index −1 where it refers to nothing.
// Arrays are borrowed from the model.

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
    double ref, armature, damping, stiffness, spring_ref, friction_loss;
    bool limited;
    double range[2];  ///< [rad, m]
    dp_bearing limit; ///< how both ends of the range give
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
    dp_mesh_id mesh;
    dp_mesh_contact mesh_contact; ///< by what a mesh touches: hull or triangles; auto: by neither
    dp_hfield_id hfield;
    bool shell; ///< its mass is on its surface
    int contype, conaffinity;
    double friction[3]; ///< sliding [1], torsional [m], rolling [m]
    dp_contact_spec contact;
    dp_foundation_spec foundation; ///< nx = 0: none
} dp_geom_info;
DP_API dp_geom_info dp_model_geom(const dp_model *m, dp_geom_id geom);

/// A geom with an elastic foundation, and a plane that it may rest on.
typedef struct dp_foundation_info {
    dp_geom_id geom, plane; ///< index −1 out of range
    double stiffness;       ///< [N/m] of each spring
    double area;            ///< [m²] of each spring
    double friction; ///< [1] sliding friction of the two. It is not simulated: springs only push
                     ///< along the normal
} dp_foundation_info;
DP_API dp_foundation_info dp_model_foundation(const dp_model *m, int index);

typedef struct dp_site_info {
    const char *name;
    dp_body_id body;
    dp_geom_kind kind;
    double size[3];
    dp_pose pose; ///< in the body frame
} dp_site_info;
DP_API dp_site_info dp_model_site(const dp_model *m, dp_site_id site);

typedef struct dp_actuator_info {
    const char *name;
    dp_transmission transmission; ///< which of the next three it drives
    dp_joint_id joint;
    dp_tendon_id tendon;
    dp_site_id site;
    dp_site_id reference_site;
    dp_body_id body;
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

/// A triangle mesh, in its own frame.
typedef struct dp_mesh_info {
    const char *name;
    const double *vertex; ///< 3·nvertex [m]
    int nvertex;
    const int *face; ///< 3·nface vertex numbers, counterclockwise from outside
    int nface;
    const double *hull_vertex; ///< 3·nhull_vertex [m]: its convex hull, where mass or contact need
                               ///< one or it has no faces of its own; else none
    int nhull_vertex;
    const int *hull_face; ///< 3·nhull_face
    int nhull_face;
    dp_mesh_inertia inertia;
    double measure; ///< volume [m³], or area [m²] of a shell, by `inertia`; 0: no mass needs it
} dp_mesh_info;
DP_API dp_mesh_info dp_model_mesh(const dp_model *m, dp_mesh_id mesh);

typedef struct dp_hfield_info {
    const char *name;
    int nrow, ncol;
    const double *elevation; ///< nrow·ncol, by rows, 0 … 1; NULL: flat
    double size[4];          ///< as in dp_hfield_spec
} dp_hfield_info;
DP_API dp_hfield_info dp_model_hfield(const dp_model *m, dp_hfield_id hfield);

typedef struct dp_pair_info {
    const char *name;
    dp_geom_id geom[2];
    double friction[5]; ///< negative: from the geoms
    dp_contact_spec contact;
    bool contact_given; ///< `contact` counts, not the geoms' numbers
} dp_pair_info;
DP_API dp_pair_info dp_model_pair(const dp_model *m, dp_pair_id pair);

typedef struct dp_exclude_info {
    const char *name;
    dp_body_id body[2];
} dp_exclude_info;
DP_API dp_exclude_info dp_model_exclude(const dp_model *m, dp_exclude_id exclude);

typedef struct dp_tendon_info {
    const char *name;
    bool spatial;
    int nwrap; ///< see dp_model_tendon_wrap
    bool limited;
    double range[2];  ///< [m]
    dp_bearing limit; ///< how both ends of the range give
    double stiffness, damping, friction_loss, armature;
    double spring_range[2]; ///< [m] −1 −1: the length where the springs of the joints rest
} dp_tendon_info;
DP_API dp_tendon_info dp_model_tendon(const dp_model *m, dp_tendon_id tendon);

/// One station of a tendon's path.
typedef struct dp_wrap_info {
    dp_wrap_kind kind;
    int object;         ///< number of the joint, site or geom; −1 for a pulley
    dp_site_id side;    ///< the side on which it passes a geom
    double coefficient; ///< of a joint; divisor of a pulley
} dp_wrap_info;
/// The k-th station; one that does not exist has object −1 and coefficient 0.
DP_API dp_wrap_info dp_model_tendon_wrap(const dp_model *m, dp_tendon_id tendon, int k);

/// Two things that are held together. Connect: the origins of the frames meet; weld: the frames do.
typedef struct dp_equality_info {
    const char *name;
    dp_equality_kind kind;
    int object[2];        ///< numbers of the bodies (0: the world), joints or tendons; −1: none
    dp_pose frame[2];     ///< connect, weld, distance, plane: in each body's frame
    double distance;      ///< [m] distance
    double torque_scale;  ///< [m] weld
    double polynomial[5]; ///< joint, tendon
    dp_bearing bearing;   ///< how it gives
    dp_bearing turning;   ///< weld: how it yields to torques
    bool active;
} dp_equality_info;
DP_API dp_equality_info dp_model_equality(const dp_model *m, dp_equality_id equality);

/// A force given by expressions; those that are NULL are 0.
typedef struct dp_force_info {
    const char *name;
    dp_body_id body;   ///< or
    dp_joint_id joint; ///< that it acts on
    dp_pose frame;     ///< body: the point, and the axes where `local`, in the body frame
    bool local;
    const dp_expression *force[3], *torque[3]; ///< as in dp_force_spec
} dp_force_info;
DP_API dp_force_info dp_model_force(const dp_model *m, dp_force_id force);

/// A motion given by expressions; NULL as in dp_motion_spec.
typedef struct dp_motion_info {
    const char *name;
    dp_joint_id joint; ///< or
    dp_body_id body;   ///< that it moves
    const dp_expression *position[3], *rotation[3];
    dp_bearing bearing;
} dp_motion_info;
DP_API dp_motion_info dp_model_motion(const dp_model *m, dp_motion_id motion);

DP_API const char *dp_model_key_name(const dp_model *m, dp_key_id key);

/// The configuration as described, nq values: all joints at their reference. Borrowed.
DP_API const double *dp_model_q_reference(const dp_model *m);

// Parameters: numbers of elements by name, each of which a simulation may have a value of its own
// for (parameters.h).

/// A parameter of a model, 0 … dp_model_parameter_count − 1.
typedef struct dp_parameter_id {
    int index;
} dp_parameter_id;

/// Longest name of a parameter, with its end.
enum { DP_PARAMETER_NAME = 512 };

typedef struct dp_parameter_info {
    char name[DP_PARAMETER_NAME]; ///< an element whose name is too long goes by its number
    const char *unit;             ///< "kg", "N m s/rad", "1". Static
    double value;                 ///< of the model
    double lower, upper; ///< between these it may be set; infinite: any finite number, and infinity
                         ///< itself for stiffness and damping of contacts
    bool lower_open;     ///< above `lower`, not at it
} dp_parameter_info;

DP_API int dp_model_parameter_count(const dp_model *m);
/// Out of range: an empty name and zeros.
DP_API dp_parameter_info dp_model_parameter(const dp_model *m, dp_parameter_id parameter);
/// Find a parameter by name. @return DP_ERROR_ARGUMENT, with what is known of the name in the
/// message
DP_API DP_NODISCARD dp_status dp_model_find_parameter(dp_parameter_id *out, const dp_model *m,
                                                      const char *name);

DP_END_C
#endif
