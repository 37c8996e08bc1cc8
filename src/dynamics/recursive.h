// Inverse dynamics by the recursive Newton–Euler algorithm, and what else comes from one sweep over
// the bodies: generalised forces of wrenches, energy, momentum.
#ifndef DP_DYNAMICS_RECURSIVE_H
#define DP_DYNAMICS_RECURSIVE_H

#include "dynamics/kinematics.h"

#include <dashpot/types.h>

/// tau = M a + c − Σ Jᵀ external (armature included) [Featherstone2008, §5.3].
/// @param a        nv; NULL: zero, which gives the bias force
/// @param external nbody wrenches about the bodies' origins; NULL: none
/// @param reaction nbody: the wrench each body gets from its parent, about its own origin
/// @param motion   nbody: each body's acceleration as in dp_link.A0, about its own origin
void dp_rnea(double *tau, dp_wrench *reaction, dp_twist *motion, const dp_kin *kin,
             const dp_model *m, const double *a, const dp_wrench *external);

/// tau += Σ Jᵀ wrench, for wrenches on bodies about their origins. Overwrites `wrench` with sums
/// over subtrees of what moves.
void dp_project_wrenches(double *tau, dp_wrench *wrench, const dp_kin *kin, const dp_model *m);
/// The same of the bodies first … end − 1, first ≥ 1: whole trees.
void dp_project_wrenches_part(double *tau, dp_wrench *wrench, const dp_kin *kin, const dp_model *m,
                              int first, int end);

/// tau += the forces of joint springs at q.
void dp_add_spring_forces(double *tau, const dp_model *m, const double *q);
/// tau += what holds bodies up against a share of their weight. @param wrench nbody: scratch
void dp_add_compensation(double *tau, dp_wrench *wrench, const dp_kin *kin, const dp_model *m,
                         dp_v3 gravity);

/// ½ vᵀ M v, armature included.
double dp_kinetic_energy(const dp_kin *kin, const dp_model *m, const double *v);
/// The same for other velocities than those of kin. @param V nbody: those of the bodies
double dp_kinetic_energy_at(dp_twist *V, const dp_kin *kin, const dp_model *m, const double *v);
/// −Σ (1 − compensation) m g·c over moving bodies and those fixed to the world.
double dp_gravity_energy(const dp_kin *kin, const dp_model *m, dp_v3 gravity);
/// ½ Σ k e² over the joint springs at q.
double dp_spring_energy(const dp_model *m, const double *q);

/// Mass, centre of mass and momentum of body `b` and all below it.
dp_momentum dp_subtree_momentum(const dp_kin *kin, const dp_model *m, int b);

#endif
