// The articulated-body algorithm: M(q) + diagonal factored and solved in time linear in the bodies
// [Featherstone2008, §7.3].
#ifndef DP_DYNAMICS_ARTICULATED_H
#define DP_DYNAMICS_ARTICULATED_H

#include "dynamics/kinematics.h"

typedef struct dp_articulated {
    dp_articulated_inertia *inertia; // nbody, scratch of the factorisation
    dp_wrench *U;                    // nv: Iᴬ S of each degree of freedom when it is eliminated
    double *inverse_pivot;           // nv: 1/(Sᵀ U + diagonal)
    dp_wrench *force;                // nbody, scratch of the solve
    dp_twist *motion;                // nbody: accelerations of the last solve, about each origin
    double *reduced;                 // nv, scratch of the solve
    int singular; // a dof without inertia of its own in the last factorisation, −1: none
} dp_articulated;

void dp_articulated_carve(dp_articulated *art, dp_carver *c, const dp_model *m);

/// What an implicit step adds to the inertias of bodies: the slopes of drag times the step.
typedef struct dp_body_drag {
    const dp_articulated_inertia *slope; // nbody; NULL: none
    double time;                         // [s]
} dp_body_drag;

/// The momentum of the motion s.
dp_wrench dp_articulated_apply(const dp_articulated_inertia *I, dp_twist s);
/// Add `I`, shifted to a point from which its own lies at r, to `sum`.
void dp_articulated_accumulate(dp_articulated_inertia *sum, const dp_articulated_inertia *I,
                               dp_v3 r);
/// Add that of one body to its inertia.
void dp_articulated_add_drag(dp_articulated_inertia *I, dp_body_drag drag, int body);

/// Factor M + diag(diagonal) at the configuration of `kin`. @param diagonal nv, ≥ 0: armature and
/// more
void dp_articulated_factor(dp_articulated *art, const dp_kin *kin, const dp_model *m,
                           const double *diagonal, dp_body_drag drag);

/// x with (M + diag) x = tau − Σ Jᵀ wrench, for wrenches on bodies (about their origins; NULL:
/// none). The bodies' accelerations due to x alone are left in art->motion. x may be tau.
void dp_articulated_solve(double *x, dp_articulated *art, const dp_kin *kin, const dp_model *m,
                          const double *tau, const dp_wrench *wrench);

/// Both at once: the two sweeps towards the roots wait for each other's results less when they are
/// one.
void dp_articulated_factor_solve(double *x, dp_articulated *art, const dp_kin *kin,
                                 const dp_model *m, const double *diagonal, dp_body_drag drag,
                                 const double *tau, const dp_wrench *wrench);

#endif
