// The law `tamsi` on one island: compliant contacts whose friction is regularised, by Newton's
// method with a line search that knows where friction changes
// [CastroQuKuppuswamyAlspachSherman2020].
//
// Friction grows with the slip s = u_t + b_ref up to the speed v_s, and then no more,
//
//     γ_t = −reach γ_n m(s),   m(s) = s/v_s within |s| ≤ v_s, s/|s| beyond:                (TA 1)
//
// a dashpot of v_s/(reach γ_n) for a contact that holds, and a creep of v_s at most. The normal
// pushes as its own law says, N(u_n) or a spring (SP 2), and all other rows are those of the
// compliant law. Newton's method takes all of them at once, at the velocities v:
//
//     (M̃ + Gᵀ C G) dv = M̃ (v_free − v) + Gᵀ γ(v),   C = −dγ/du,                           (TA 2)
//     dγ_t = −reach (m dγ_n + γ_n m' ds),                                                  (TA 3)
//
// which is (23) of the paper. A step that takes the slip of a contact across the disc |s| ≤ v_s,
// where it would stick, ends at the point that is nearest to rest, and none turns the slip by more
// than an angle: of all contacts the shortest step counts. A step that goes too far otherwise ends
// where the power of what is out of balance vanishes [MatthiesStrang1979]:
//
//     P(t) = dvᵀ (M̃ (v + t dv − v_free) − Gᵀ γ(v + t dv)).                                 (TA 4)
//
// Velocities are what is iterated, not impulses: of light bodies between heavy ones on stiff
// contacts the impulses do not have the digits to give the velocities back.
//
// What Newton's method does not solve is left to the searches of coulomb.h, with (TA 1) as a
// compliance of friction that follows γ_n.
//
// Without friction, springs alone, H is symmetric and (TA 4) the derivative along the step of
//
//     F(v) = ½ (v − v_free)ᵀ M̃ (v − v_free) − Σ ∫ γ(G v),                                  (VN 1)
//
// which is convex. So islands of many more springs than velocities, a cube on a thousand springs,
// are solved here under every law: in time linear in the springs, where the matrix G M̃⁻¹ Gᵀ would
// be by far the largest of all.
//
// Departures from the paper: the line search on power; friction that stays as it is where its
// coupling with the normal makes a step lead uphill; secants where a step was held back.
#ifndef DP_SOLVE_TAMSI_H
#define DP_SOLVE_TAMSI_H

#include "solve/contact/coulomb.h"

#include <dashpot/advanced/law.h>

/// Is the law that variant of `tamsi`?
bool dp_tamsi_is(const dp_law_options *opt, dp_tamsi_variant variant);

/// To a residual of opt->tolerance, and of 1e-5 v_s at most.
/// @param warm nrow impulses as a first guess; NULL: none
void dp_tamsi_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                    const dp_law_options *opt, dp_solve_info *info);

/// Springs without friction, many on few velocities, under any law: to a thousandth of the
/// tolerance.
void dp_springs_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                      const dp_law_options *opt, dp_solve_info *info);

/// The same for a law whose friction has its full size at once, towards its solution: by slips that
/// end at the tolerance, from the velocities at the start of the step. c->best is the last point.
/// @param v, dv nv: scratch. @param most factorizations. @return whether it is near the solution
bool dp_tamsi_approach(dp_coulomb *c, double *v, double *dv, const dp_law_options *opt, int most);

/// What slopes are taken of the law.
typedef struct dp_tamsi_slopes {
    double shift; // proximal compliance of rows without one, over their mobility
    double ahead; // the share of the last step, c->du, that was not taken: friction that it would
                  // turn has the slope of its secant
    bool coupled; // does friction follow its normal?
    const double *start; // nrow: velocities at which normals push; NULL: at their own
} dp_tamsi_slopes;

/// (TA 3) about the velocities `at` of the rows: their impulses in c->q, −dγ/du in c->C.
void dp_tamsi_linearise(dp_coulomb *c, const double *at, const dp_tamsi_slopes *of);

/// How far a slip may turn in one step.
typedef struct dp_turn_limit {
    double sine, cosine; // of the angle
} dp_turn_limit;

/// What is taken of a step ds from the slip s, 0 … 1, so that it does not pass by the disc of
/// radius v_s and turns by that much at most.
double dp_transition_step(const double s[2], const double ds[2], double v_s, dp_turn_limit most);

#endif
