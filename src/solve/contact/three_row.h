// A contact of three rows whose normal is a spring, which most are: as the law sees it, without
// loops and with hardly a division.
#ifndef DP_SOLVE_COULOMB_PLAIN_H
#define DP_SOLVE_COULOMB_PLAIN_H

#include "solve/contact/coulomb.h"

#include <dashpot/advanced/problem.h>

/// dp_soft_slack of a row of friction, which has two sides and some stiffness or a dashpot.
static inline double dp_three_row_slack(dp_soft soft, double x, double u)
{
    return u - (soft.u_hat - soft.R * x);
}

/// y = x − ρ ũ, and whether it lies in the disc. Rows go by the three pointers.
typedef struct dp_three_row {
    double way[3], y[3]; // way = ρ ũ
    double square;       // y₁² + y₂²
    double radius;       // of the disc
    bool within;         // y lies in it
} dp_three_row;

/// @param slack three. @param normal the normal impulse that the disc belongs to
static inline dp_three_row dp_three_row_at(const double *x, const double *slack, const double *rho,
                                           double reach, bool of_impulse)
{
    dp_three_row at;
    for (int k = 0; k < 3; ++k) {
        at.way[k] = rho[k] * slack[k];
        at.y[k] = x[k] - at.way[k];
    }
    const double normal = of_impulse ? x[0] : at.y[0];
    at.square = at.y[1] * at.y[1] + at.y[2] * at.y[2];
    at.radius = normal > 0.0 ? reach * normal : 0.0;
    at.within = at.square <= at.radius * at.radius;
    return at;
}

/// The same where the search has no compliance of its own.
static inline dp_three_row dp_three_row_judge(const dp_coulomb *c, int first, double reach,
                                              const double *x, const double *u)
{
    const dp_soft *soft = c->soft + first;
    const double slack[3] = {dp_soft_slack(soft[0], x[0], u[0]),
                             dp_three_row_slack(soft[1], x[1], u[1]),
                             dp_three_row_slack(soft[2], x[2], u[2])};
    dp_three_row at = dp_three_row_at(x, slack, c->one_over_a + first, reach, true);
    at.way[0] = slack[0];
    at.way[1] = slack[1];
    at.way[2] = slack[2];
    return at;
}

#endif
