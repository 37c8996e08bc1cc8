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
// compliant law. Newton's method takes all of them at once, about (x_n, s):
//
//     dγ_t = −reach (m dγ_n + γ_n m' ds),                                                  (TA 2)
//
// which is (23) of the paper among the impulses; the matrix is that of coulomb.h. A step that takes
// the slip of a contact across the disc |s| ≤ v_s, where it would stick, ends at the point that is
// nearest to rest, and none turns the slip by more than an angle: of all contacts the shortest step
// counts. What Newton's method does not solve is left to the searches of coulomb.h, with (TA 1) as
// a compliance of friction that follows γ_n.
#ifndef DP_SOLVE_TAMSI_H
#define DP_SOLVE_TAMSI_H

#include "solve/contact/coulomb.h"

#include <math.h>

enum { DP_TAMSI_STEPS = 30 }; ///< of Newton's method
#define DP_TAMSI_NEAR 1e-3    ///< of the largest impulse, as velocities: worth judging

/// [m/s] What residuals are brought below.
static inline double dp_tamsi_tolerance(const dp_law_options *opt)
{
    const double precision = 1e-5; // of v_s
    return fmin(opt->tolerance, precision * opt->slip_speed);
}

/// A row as the natural map has it, about (x, u): dx = q − C du.
typedef struct dp_row_slope {
    double q, C;
    bool spring; // x + q is the impulse at u
} dp_row_slope;
/// @param a its mobility w + R
dp_row_slope dp_tamsi_row_slope(const dp_row *row, dp_soft soft, double a, double x, double u);

/// @param warm nrow impulses as a first guess; NULL: none
void dp_tamsi_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                    const dp_law_options *opt, dp_solve_info *info);

/// (TA 2) about the velocities `at` of the rows, from (c->x, c->u): q and C of dx = q − C du.
void dp_tamsi_linearise(dp_coulomb *c, const double *at);

/// How far a slip may turn in one step.
typedef struct dp_turn_limit {
    double sine, cosine; // of the angle
} dp_turn_limit;

/// Is a step of the square of a length so short beside that of a slip that it goes neither near the
/// disc of radius v_s nor far around? Then all of it is taken.
static inline bool dp_transition_is_far(double length, double slip, double v_s, dp_turn_limit most)
{
    const double nearest = 4.0; // it ends within 30°, at half the slip or more
    return nearest * length <= slip && nearest * v_s * v_s < slip && most.cosine < 0.86;
}

/// What is taken of a step ds from the slip s, 0 … 1, so that it does not pass by the disc of
/// radius v_s and turns by that much at most.
double dp_transition_step(const double s[2], const double ds[2], double v_s, dp_turn_limit most);

#endif
