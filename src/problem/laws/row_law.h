// The law of one row, in the terms that solvers and certificate share. docs/theory/step-problem.md.
#ifndef DP_PROBLEM_ROW_LAW_H
#define DP_PROBLEM_ROW_LAW_H

#include <dashpot/advanced/problem.h>

#include <math.h>

/// Whether a row pushes only where its gap closes: (SP 3).
static inline bool dp_row_is_one_sided(const dp_row *row)
{
    return row->lo == 0.0 && row->hi == (double)INFINITY;
}

/// What of (SP 4) depends on k and b alone.
typedef struct dp_softness {
    double R;
    double spring, damper; // s and 1 − s; both 0 where nothing holds the row
} dp_softness;
dp_softness dp_row_softness(const dp_row *row, double h);

/// dp_row_soft where the softness is known already.
static inline dp_soft dp_softness_at(dp_softness is, const dp_row *row, double h)
{
    const bool one_sided = dp_row_is_one_sided(row);
    if (is.spring == 0.0 && !one_sided) { // friction: many rows, and nothing to divide
        return (dp_soft){is.R, -(is.damper * row->b_ref), (double)INFINITY};
    }
    const double stop = -row->phi / h - row->phi_t;
    return (dp_soft){is.R, is.spring * stop - is.damper * row->b_ref,
                     one_sided ? stop : (double)INFINITY};
}

/// u − min(u_stop, û − R γ): 0 within the range of γ, ≥ 0 at lo, ≤ 0 at hi.
static inline double dp_soft_slack(dp_soft soft, double gamma, double u)
{
    // Without an impulse a row of no stiffness is content: 0·∞ is nothing here.
    const double give = gamma == 0.0 ? 0.0 : soft.R * gamma;
    const double law = soft.u_hat - give;
    return u - (soft.u_stop < law ? soft.u_stop : law);
}

/// dp_row_residual, for a law that is known already. @param a > 0
static inline double dp_soft_residual(dp_soft soft, double lo, double hi, double a, double gamma,
                                      double u)
{
    if (soft.R == (double)INFINITY) { // R γ = û − u: no impulse, whatever u
        return fabs(gamma) > 0.0 ? (double)INFINITY : gamma == 0.0 ? 0.0 : gamma;
    }
    const double slack = dp_soft_slack(soft, gamma, u);
    if (lo == -(double)INFINITY && hi == (double)INFINITY) {
        return fabs(slack);
    }
    const double y = gamma - slack / a;
    if (y < lo) {
        return a * fabs(gamma - lo);
    }
    if (y > hi) {
        return a * fabs(gamma - hi);
    }
    return fabs(slack); // γ − (γ − slack/a), without the cancellation
}

/// [N] What the spring of a row pushes with at a gap, within the range of the row, f = Π(−k φ), and
/// what it holds there [J],
///
///     V(φ) = −f φ − f²/2k,   V(φ₁) − V(φ₀) ≤ −f(φ₁) (φ₁ − φ₀).                            (SP 8)
double dp_row_spring_force(const dp_row *row, double h, double gap);
double dp_row_spring_energy(const dp_row *row, double h, double gap);

/// The restitution that the spring and dashpot of a row have by implicit steps of length h; 0: they
/// do not swing. @param w its mobility
double dp_row_restitution(const dp_row *row, double h, double w);

#endif
