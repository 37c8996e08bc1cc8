// The compiled mechanism as the dynamics see it. Filled by compile.c, constant afterwards.
//
// Bodies, joints, … keep the ids of the spec; parents come before children. Coordinates are
// numbered depth first over the tree, so the degrees of freedom of a tree, and of every subtree,
// are contiguous.
#ifndef DP_MODEL_MODEL_H
#define DP_MODEL_MODEL_H

#include "base/memory.h"
#include "math/spatial.h"
#include "model/name_index.h"
#include "model/names.h"

#include <dashpot/model.h>

typedef struct dp_body {
    int parent;      // −1 for the world
    int joint_start; // its joints are body_joint[joint_start …], in the order they act
    int njoint;
    int dof_start, ndof;
    int tree;            // −1: fixed to the world
    int mocap;           // index among mocap bodies, −1: none
    int subtree_end_dof; // one past the last dof of this body and all below
    dp_pose pose;        // X_PB in the parent, joints at their reference
    dp_m3 R_PB;          // the same rotation
    bool turned;         // pose.q is not the identity
    // With one hinge and nothing else, R_PB(q) = hinge_cos cos ½α + hinge_sin sin ½α, α = q − ref:
    bool single_hinge;
    dp_quat hinge_cos, hinge_sin;
    dp_v3 hinge_anchor; // in the parent's frame
    bool pure_turn;     // the hinge goes through the body's origin: S = (axis, 0)
    dp_inertial inertial;
    // About the body origin, in body axes:
    double mass;
    dp_v3 moment;        // m·c, first moment of mass
    dp_sym3 inertia;     // second moment (rotational inertia about the origin)
    dp_sym3 inertia_com; // rotational inertia about the centre of mass
    double gravity_compensation;
    const char *name; // "" when unnamed
} dp_body;

typedef struct dp_joint {
    dp_joint_kind kind;
    int body;
    int q_index, nq, v_index, nv;
    dp_v3 anchor, axis; // body frame; axis has unit length
    double ref, armature, damping, stiffness, spring_ref;
    const char *name;
} dp_joint;

typedef struct dp_geom {
    dp_geom_kind kind;
    int body;
    double size[3];
    dp_pose pose;
    int contype, conaffinity, group;
    double friction[3];
    float rgba[4];
    const char *name;
} dp_geom;

typedef struct dp_site {
    int body;
    dp_pose pose;
    const char *name;
} dp_site;

typedef struct dp_actuator {
    int joint;
    bool in_parent;
    double gear[6];
    dp_actuator_dynamics dynamics;
    double time_constant;
    double gain[3], bias[3];
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
    int data_index, ndata;
    const char *name;
} dp_sensor;

typedef struct dp_key {
    double time;
    const double *q, *v, *activation, *control; // complete: nq, nv, na, nu
    const dp_pose *mocap;                       // nmocap
    const char *name;
} dp_key;

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
    const dp_geom *geom;
    const dp_site *site;
    const dp_actuator *actuator;
    const dp_sensor *sensor;
    const dp_key *key;
    const int *mocap_body; // nmocap: body ids

    const double *q_reference; // nq
    const double *q_spring;    // nq: where the springs rest

    int nquaternion;
    const int *quaternion; // nquaternion: where in q each quaternion starts

    // Degrees of freedom
    const int *dof_body;   // nv
    const int *dof_joint;  // nv
    const int *dof_parent; // nv: the next dof towards the root, −1 at a root
    const double *dof_armature, *dof_damping, *dof_stiffness; // nv
    const size_t *dof_packed; // nv+1: row i of the packed inertia matrix, M(i,i), M(i,parent) …
    const int *tree_start;    // ntree+1: dofs of tree t are tree_start[t] … tree_start[t+1]
    const int *tree_body;     // ntree: its root body (the first that moves)
    bool any_spring, any_damper, any_compensation;
};

#endif
