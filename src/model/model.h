// The compiled mechanism as the dynamics see it. Filled by compile.c, constant afterwards.
//
// Bodies, joints, … keep the ids of the spec; parents come before children. Coordinates are
// numbered depth first over the tree, so the degrees of freedom of a tree, and of every subtree,
// are contiguous.
#ifndef DP_MODEL_MODEL_H
#define DP_MODEL_MODEL_H

#include "base/memory.h"
#include "geom/mesh/mesh.h"
#include "linalg/tree_ldl.h"
#include "math/spatial.h"
#include "model/name_index.h"
#include "model/names.h"
#include "model/pair_map.h"

#include <dashpot/advanced/collide.h>
#include <dashpot/model.h>

typedef struct dp_body {
    int parent;      // −1 for the world
    int joint_start; // its joints are body_joint[joint_start …], in the order they act
    int njoint;
    int dof_start, ndof;
    int tree;             // −1: fixed to the world
    int mocap;            // index among mocap bodies, −1: none
    int order, order_end; // depth-first number; those of it and all below: [order, order_end)
    dp_pose pose;         // X_PB in the parent, joints at their reference
    bool turned;          // pose.q is not the identity
    // With one hinge and nothing else, R_PB(q) = hinge_cos cos ½α + hinge_sin sin ½α, α = q − ref:
    bool single_hinge;
    dp_quat hinge_cos, hinge_sin;
    dp_v3 hinge_anchor; // in the parent's frame
    bool pure_turn;     // the hinge goes through the body's origin: S = (axis, 0)
    bool floats;        // its one joint is free, and its parent the world
    dp_inertial inertial;
    // About the body origin, in body axes:
    double mass;
    dp_v3 moment;        // m·c, first moment of mass
    dp_sym3 inertia;     // second moment (rotational inertia about the origin)
    dp_sym3 inertia_com; // rotational inertia about the centre of mass
    bool round;          // moment = 0, inertia = i 1: the same in any axes
    double gravity_compensation;
    double give;      // [1/kg] mobility of the centre of mass as described
    const char *name; // "" when unnamed
} dp_body;

typedef struct dp_joint {
    dp_joint_kind kind;
    int body;
    int q_index, nq, v_index, nv;
    dp_v3 anchor, axis; // body frame; axis has unit length
    double ref, armature, damping, stiffness, spring_ref;
    double friction_loss;
    bool limited;
    double range[2];
    dp_bearing limit;
    const char *name;
} dp_joint;

// What a joint has in MuJoCo's numbers: apart, since no step asks for it.
typedef struct dp_joint_ratio {
    double spring_damper[2]; // both > 0: stiffness and damping follow from them
    bool limit_given;        // dp_joint.limit follows from these:
    double limit_solref[2], limit_solimp[5];
} dp_joint_ratio;

typedef struct dp_geom {
    dp_geom_kind kind;
    int body;
    int mesh, hfield; // −1: none
    double size[3];
    dp_pose pose;
    bool shell;
    int contype, conaffinity, group;
    double friction[3];
    dp_contact_spec contact;
    dp_foundation_spec foundation; // nx = 0: none
    float rgba[4];
    const char *name;
} dp_geom;

// An elastic foundation over a plane: springs between a face and the plane.
typedef struct dp_foundation {
    int geom, plane;
    int nx, ny;
    dp_pose plane_pose; // in the frame of the plane's body; free side z > 0
    dp_v3 centre;       // of the face, in the frame of the geom's body
    dp_v3 half[2];      // from there to the middles of its edges, along nx and ny
    double stiffness;   // of each spring
    double damping;     // of each spring
    double area;        // of each spring
    double friction;    // [1] that the pair asks for and that springs do not have
    int first;          // place of the geom's springs among those of all geoms
} dp_foundation;

/// The middle of part i of n equal parts of [−1, 1].
static inline double dp_grid_place(int i, int n)
{
    return (2.0 * i + 1.0) / n - 1.0;
}

/// The axis along which a face of a box looks: 0 x, 1 y, 2 z; and whether it looks back, −1, or
/// ahead, 1.
static inline int dp_face_axis(dp_box_face face)
{
    return 2 - (int)face / 2;
}
static inline double dp_face_sign(dp_box_face face)
{
    return (int)face % 2 == 0 ? -1.0 : 1.0;
}

typedef struct dp_site {
    int body;
    dp_shape shape; // of its volume; sizes may be 0
    dp_pose pose;
    const char *name;
} dp_site;

// A mesh and what was made of it. The geoms that show it keep their poses: it is not recentred.
typedef struct dp_mesh_asset {
    const char *name;
    dp_mesh own;             // as described; without faces of its own: the hull's
    dp_mesh hull;            // no vertices: nothing needs it
    const dp_hull *solid;    // the hull for queries; NULL: nothing needs it
    const dp_surface *faces; // the triangles for queries; NULL: nothing needs them
    dp_mesh_moments moments; // of 1 kg, by `inertia`; measure 0: nothing needs them
    dp_mesh_inertia inertia;
} dp_mesh_asset;

typedef struct dp_hfield {
    int nrow, ncol;
    const double *elevation; // NULL: flat
    double size[4];
    const dp_terrain *terrain; // for queries; NULL: nothing needs it
    const char *name;
} dp_hfield;

typedef struct dp_pair {
    int geom[2];
    double friction[5]; // negative: from the geoms
    dp_contact_spec contact;
    bool contact_given;
    const char *name;
} dp_pair;

typedef struct dp_exclude {
    int body[2];
    const char *name;
} dp_exclude;

// A station of a tendon.
typedef struct dp_wrap {
    dp_wrap_kind kind;
    int object; // joint, site or geom; −1: a pulley
    int side;   // site, −1: none
    double coefficient;
} dp_wrap;

typedef struct dp_tendon {
    bool spatial;
    const dp_wrap *wrap;
    int nwrap;
    bool limited;
    double range[2];
    double stiffness, damping, friction_loss, armature;
    double spring_range[2]; // −1 −1: the length at q_spring
    double limit_solref[2], limit_solimp[5], margin;
    bool limit_given; // `limit` follows from these
    dp_bearing limit;
    const char *name;
} dp_tendon;

typedef struct dp_equality {
    dp_equality_kind kind;
    // Between bodies: a frame on each. Connect and weld: the origins shall meet, for a weld the
    // axes too, and the error is measured at the origin. Distance: between the origins. Plane: the
    // second origin stays on z = 0 of the first frame. Joint and tendon: y − y₀ = polynomial(x −
    // x₀) of object 0 (y) and 1 (x; −1: x = x₀), where ₀ is the reference configuration.
    int object[2];
    dp_pose frame[2];
    double distance; // > 0 for a distance
    double torque_scale;
    double polynomial[5];
    bool active;
    double solref[2], solimp[5];
    bool solver_given;
    dp_bearing bearing;
    dp_bearing turning; // of a weld
    const char *name;
} dp_equality;

typedef struct dp_actuator {
    dp_transmission transmission;
    int joint, tendon, site, reference_site, body; // −1: none
    bool in_parent;
    double gear[6];
    dp_actuator_dynamics dynamics;
    double time_constant, relaxation_time, smoothing;
    double gain[3], bias[3];
    bool muscle_gain, muscle_bias; // instead of these
    dp_muscle gain_muscle, bias_muscle;
    double length_range[2]; // of muscles
    double peak_force[2];   // of gain and bias
    double damping_ratio;   // > 0: bias[2] follows from it
    bool control_limited, force_limited, activation_limited;
    double control_range[2], force_range[2], activation_range[2];
    int activation_index; // −1: none
    const char *name;
} dp_actuator;

typedef struct dp_sensor {
    dp_sensor_kind kind;
    dp_object_kind object_kind;
    int object; // index, −1: none
    dp_object_kind reference_kind;
    int reference;
    double cutoff;
    unsigned data; // fields, as bits; not 0 where there are any
    int count;
    dp_contact_reduction reduction;
    int data_index, ndata;
    const char *name;
} dp_sensor;

typedef struct dp_key {
    double time;
    const double *q, *v, *activation, *control; // complete: nq, nv, na, nu
    const dp_pose *mocap;                       // nmocap
    const char *name;
} dp_key;

// A force given by expressions. NULL: 0
typedef struct dp_force {
    int body, joint; // one of them −1
    dp_pose frame;   // body: where it acts, and the axes where `local`
    bool local;
    dp_expression *force[3], *torque[3];
    const char *name;
} dp_force;

// A motion given by expressions.
typedef struct dp_motion {
    int joint, mocap; // one of them −1
    dp_expression *position[3], *rotation[3];
    dp_bearing bearing;
    const char *name;
} dp_motion;

/// A parameter: a row of the table of a kind of elements (parameter.c), and which element.
typedef struct dp_parameter {
    uint8_t kind, row; // dp_element_kind, or DP_PARAMETER_OF_OPTIONS
    int element;
} dp_parameter;

// What a fluid sees: a geom as an ellipsoid, or a body as the box of equal inertia.
typedef struct dp_fluid_shape {
    int body;
    bool ellipsoid;
    dp_pose frame; // in the body
    double r[3];   // semi-axes, or half sides
    double coefficient[5];
    double added_mass[3], added_inertia[3]; // in a fluid of unit density
} dp_fluid_shape;

struct dp_model {
    dp_pool pool; // owns every array and string below
    dp_model_size size;
    dp_options options;
    const char *title;
    uint64_t signature; // of topology and sizes; guards saved states
    dp_name_index name_index[DP_ELEMENT_KINDS];

    const dp_body *body;
    const int *body_joint; // njoint: joint ids grouped by body
    const dp_joint *joint;
    const dp_joint_ratio *joint_ratio; // njoint
    const dp_geom *geom;
    const dp_site *site;
    const dp_actuator *actuator;
    const dp_sensor *sensor;
    const dp_mesh_asset *mesh;
    const dp_hfield *hfield;
    const dp_pair *pair;
    const dp_exclude *exclude;
    const dp_tendon *tendon;
    const dp_equality *equality;
    const dp_key *key;
    const dp_force *force;
    const dp_motion *motion;
    int nfluid;
    const dp_fluid_shape *fluid;     // nfluid; none: options have no fluid
    bool moves_mocap;                // some motion is that of a mocap body
    const dp_foundation *foundation; // nfoundation
    int nspring;                     // of the geoms with foundations
    const int *mocap_body;           // nmocap: body ids

    // Contact
    const int *weld;       // nbody: the body that moves it, itself or one above; 0: fixed
    const dp_shape *shape; // ngeom: in the geom's frame; see dp_has_shape
    const bool *paired;    // ngeom: some pair was given for it
    const double *reach;   // ngeom [m]: how far around it a geom asks for contacts
    dp_pair_map excluded;  // bodies, to the exclude
    dp_pair_map given;     // geoms, to the pair

    const double *q_reference; // nq
    const double *q_spring;    // nq: where the springs rest

    int nquaternion;
    const int *quaternion; // nquaternion: where in q each quaternion starts

    // Degrees of freedom
    const int *dof_body;    // nv
    const int *dof_joint;   // nv
    const bool *dof_turned; // nv: some joint above it turns it
    const int *dof_parent;  // nv: the next dof towards the root, −1 at a root
    const double *dof_armature, *dof_damping, *dof_stiffness; // nv
    const size_t *dof_packed; // nv+1: row i of the packed inertia matrix, M(i,i), M(i,parent) …
    const int *tree_start;    // ntree+1: dofs of tree t are tree_start[t] … tree_start[t+1]
    const int *tree_body;     // ntree: its root body (the first that moves)
    bool has_rangefinders, has_adhesion;
    bool depth_first; // bodies are numbered so, too: those of a tree are together
    bool any_spring, any_damper, any_compensation;
    bool any_restitution;    // of materials that may touch
    double most_friction[3]; // of any two geoms: sliding, torsion, rolling
    double fastest_belt;     // [m/s]

    int nparameter;
    const dp_parameter *parameter;
};

/// The names of its elements of one kind.
dp_name_list dp_model_names(const dp_model *m, dp_element_kind kind);

/// Has it a shape that queries know? All geoms but meshes that can touch nothing.
static inline bool dp_has_shape(const dp_model *m, int geom)
{
    const dp_shape *s = &m->shape[geom];
    return s->kind == DP_GEOM_MESH ? s->hull || s->surface
                                   : s->kind != DP_GEOM_HFIELD || s->terrain;
}

/// Can a geom touch any other? Is it fixed to the world?
static inline bool dp_can_touch(const dp_model *m, int g)
{
    return m->geom[g].contype != 0 || m->geom[g].conaffinity != 0 || m->paired[g];
}
static inline bool dp_is_fixed_geom(const dp_model *m, int g)
{
    return m->weld[m->geom[g].body] == 0;
}

/// Is no other body attached to it?
static inline bool dp_is_alone(const dp_body *body)
{
    return body->order_end == body->order + 1;
}

/// May two geoms touch, wherever they are? Decided by masks, bodies, excludes and given pairs, in
/// constant time; elastic foundations on planes have springs instead.
bool dp_may_touch(const dp_model *m, int a, int b);

/// The distance at which two geoms have contacts: that of the pair that was given for them, or the
/// sum of their own, as in MuJoCo 3 [m].
double dp_pair_margin(const dp_model *m, int a, int b);

/// Where the elements of a packed nv × nv matrix are.
static inline dp_tree_ldl dp_model_branch(const dp_model *m)
{
    return (dp_tree_ldl){m->size.nv, m->dof_parent, m->dof_packed};
}

#endif
