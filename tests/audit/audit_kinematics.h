// The mechanism of a scene at one moment, from q and v alone: poses, twists, Jacobians, mass
// matrix, velocity terms, momenta and energies. Everything goes by Jacobians of bodies in world
// axes; there is no recursion over inertias, and nothing in common with the library under audit.
#ifndef AUDIT_KINEMATICS_H
#define AUDIT_KINEMATICS_H

#include "audit_scene.h"
#include "audit_vector.h"

typedef struct audit_frame {
    pose X;      // of the body in the world
    v3 w, v;     // angular velocity; velocity of the origin: world axes
    v3 alpha, a; // their derivatives for v̇ = 0
    v3 com;      // centre of mass in the world
    m3 inertia;  // about it, world axes
    bool moves;  // some degree of freedom moves it
    int tree;    // number of its kinematic tree; −1: fixed to the world or a mocap body
    double Jw[AUDIT_NV][3], Jv[AUDIT_NV][3]; // columns of the Jacobian: angular, of the origin
} audit_frame;

typedef struct audit_kinematics {
    const audit_scene *scene;
    int ntree;
    int tree_of_dof[AUDIT_NV];
    double q[AUDIT_NQ], v[AUDIT_NV];
    v3 anchor[AUDIT_JOINTS], axis[AUDIT_JOINTS]; // of joints, in the world
    m3 joint_R[AUDIT_JOINTS];                    // of the body after the joint: axes of a ball
    audit_frame body[AUDIT_BODIES];
} audit_kinematics;

// Poses of mocap bodies, by mocap number.
typedef struct audit_mocap {
    double pos[3], quat[4];
} audit_mocap;

// @param mocap NULL: those of the scene's start
void audit_kin_place(audit_kinematics *k, const audit_scene *scene, const double *q,
                     const double *v, const audit_mocap *mocap);
// q ⊕ s v: the coordinates that v leads to in the time s, rotations by the exponential map.
void audit_kin_advance(double *out, const audit_scene *scene, const double *q, const double *v,
                       double s);

// Velocity of the point x (world) of body b, and its row n·v(x) of the Jacobian.
v3 audit_kin_point_velocity(const audit_kinematics *k, int b, v3 x);
// out += the generalised force of a force f and a moment m on body b at the world point x.
void audit_kin_add_wrench(double *out, const audit_kinematics *k, int b, v3 x, v3 f, v3 m);

// M, nv × nv, armature of joints included.
void audit_kin_mass(double *M, const audit_kinematics *k);
// Generalised forces of gravity (less compensation), and minus the velocity terms.
void audit_kin_gravity(double *out, const audit_kinematics *k);
void audit_kin_velocity_terms(double *out, const audit_kinematics *k);

// e of each coordinate: how far its spring is from rest; rotation vectors of balls, body axes.
void audit_kin_spring_displacement(double *e, const audit_scene *scene, const double *q);

typedef struct audit_momentum {
    double mass;
    v3 moment;    // Σ m x
    v3 linear;    // Σ m ẋ
    double terms; // of linear, before they cancel
    v3 angular;   // about the world's origin
} audit_momentum;
// [kg m/s] Σ m |∂x_c/∂q_i| |v_i| of a body: the parts of its momentum, which may cancel.
double audit_kin_momentum_terms(const audit_kinematics *k, int b, const double *v);
audit_momentum audit_kin_momentum(const audit_kinematics *k, int tree); // −1: all
// The angular momentum of a tree about a point: that about the origin has lost digits far from it.
v3 audit_kin_angular(const audit_kinematics *k, int tree, v3 at);

typedef struct audit_energy {
    double kinetic, gravity, spring; // armature of joints included; springs of joints alone
} audit_energy;
audit_energy audit_kin_energy(const audit_kinematics *k, int tree); // −1: all

// A tendon: its length and the gradient of that with respect to v (∇l · v = l̇). False: its path is
// not known here.
bool audit_kin_tendon(double *length, double *gradient, const audit_kinematics *k, int tendon);

#endif
