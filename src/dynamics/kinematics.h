// Positions and velocities of a mechanism: everything that follows from q and v alone.
//
// World axes throughout; every body's quantities are about its own origin, so numbers stay small
// far from the world's origin and moving along the tree is a shift without rotation.
#ifndef DP_DYNAMICS_KINEMATICS_H
#define DP_DYNAMICS_KINEMATICS_H

#include "math/spatial.h"
#include "model/model.h"

/// What is known of one body at (q, v).
typedef struct dp_link {
    dp_pose X;   // X_WB
    dp_m3 R;     // R_WB
    dp_v3 r;     // from the parent's origin to this one
    dp_twist V;  // velocity
    dp_twist A0; // acceleration for v̇ = 0 with −gravity added: Σ Ṡ v − g
    dp_rigid_inertia J;
    dp_wrench F0; // J A0 + V ×* J V: the wrench that v̇ = 0 needs
} dp_link;

typedef struct dp_kin {
    dp_link *link; // nbody
    dp_twist *S;   // nv: unit motion of each degree of freedom, about the origin of its body
    dp_v3 *anchor; // njoint
    dp_v3 *axis;   // njoint: hinge and slide; zero otherwise
} dp_kin;

/// From the origin of a body to its centre of mass; without mass, to where its inertia was given.
static inline dp_v3 dp_body_centre(const dp_kin *kin, const dp_model *m, int body)
{
    const dp_link *link = &kin->link[body];
    return link->J.m > 0.0 ? dp_v3_scale(link->J.h, 1.0 / link->J.m)
                           : dp_m3_apply(&link->R, m->body[body].inertial.frame.p);
}

/// Carve the arrays for `m`.
void dp_kin_carve(dp_kin *kin, dp_carver *c, const dp_model *m);

/// Everything about bodies that are fixed to the world. @param mocap nmocap poses, unit quaternions
void dp_kin_fix(dp_kin *kin, const dp_model *m, const dp_pose *mocap, dp_v3 gravity);

/// Poses, motion subspaces and inertias at q (unit quaternions), velocities and bias at v, of all
/// bodies that can move. Those that cannot must be up to date (dp_kin_fix).
void dp_kin_update(dp_kin *kin, const dp_model *m, const double *q, const double *v);

/// The same of the bodies first … end − 1: whole trees, what is fixed to the world aside.
void dp_kin_update_part(dp_kin *kin, const dp_model *m, const double *q, const double *v, int first,
                        int end);

/// Velocities V alone, for another v at the same q. @param V nbody
void dp_kin_velocities(dp_twist *V, const dp_kin *kin, const dp_model *m, const double *v);
/// The same of the bodies first … end − 1, first ≥ 1: whole trees, what is fixed to the world
/// aside.
void dp_kin_velocities_part(dp_twist *V, const dp_kin *kin, const dp_model *m, const double *v,
                            int first, int end);

/// q ⊕ h v: vectors add, rotations turn by the Cayley map. q_next may be q.
void dp_kin_advance(double *q_next, const dp_model *m, const double *q, const double *v, double h);
/// The same for the coordinates of one joint, in arrays of all.
void dp_kin_advance_joint(double *q_next, const dp_joint *joint, const double *q, const double *v,
                          double h);

/// q̇ in the embedding of q (quaternions as four numbers): for Runge–Kutta methods. @param q_rate nq
void dp_kin_rate(double *q_rate, const dp_model *m, const double *q, const double *v);

/// Normalise the quaternions in q, leaving those alone that are unit to round-off.
void dp_kin_normalise(double *q, const dp_model *m);
/// The same for the joints whose velocities are first … end − 1.
void dp_kin_normalise_part(double *q, const dp_model *m, int first, int end);

/// The displacement of one joint from its spring's rest, joint->nv values: q − q_spring, rotation
/// vectors in body axes for rotations.
void dp_kin_joint_displacement(double *e, const dp_model *m, const dp_joint *joint,
                               const double *q);

/// 6 × nv by rows, angular first: the twist of body b about the world point p is jacobian · v.
void dp_kin_jacobian(double *jacobian, const dp_kin *kin, const dp_model *m, int body, dp_v3 p);

#endif
