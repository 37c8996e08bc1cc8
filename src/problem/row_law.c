// With s = hk/(hk + b), the part of a row that is spring, (SP 2) reads
//
//     û = s u_stop − (1 − s) b_ref,   u_stop = −φ/h − φ_t:                                  (SP 4)
//
// between the velocity that closes the gap and the one that the dashpot wants. No product with k
// is left in it, so that it has all digits for every k and b and is u_stop itself for k = ∞ or
// b = 0. k and b are divided by the larger of them before they meet, so that nothing overflows.
#include "problem/row_law.h"

#include <math.h>

bool dp_row_is_one_sided(const dp_row *row)
{
    return row->lo == 0.0 && row->hi == (double)INFINITY;
}

dp_soft dp_row_soft(const dp_row *row, double h)
{
    const double infinity = (double)INFINITY;
    const double stop = -row->phi / h - row->phi_t;
    dp_soft soft = {.R = 0.0, .u_stop = dp_row_is_one_sided(row) ? stop : infinity};
    if (row->k == infinity) {
        soft.u_hat = stop;
        return soft;
    }
    if (row->b == infinity) {
        soft.u_hat = -row->b_ref;
        return soft;
    }
    const double most = row->k > row->b ? row->k : row->b;
    if (most == 0.0) { // nothing holds it
        soft.R = infinity;
        soft.u_hat = 0.0;
        return soft;
    }
    const double spring = h * (row->k / most), damper = row->b / most;
    const double sum = spring + damper; // (hk + b)/most
    soft.R = 1.0 / h / sum / most;
    soft.u_hat = spring / sum * stop - damper / sum * row->b_ref;
    return soft;
}

double dp_soft_slack(dp_soft soft, double gamma, double u)
{
    // Without an impulse a row of no stiffness is content: 0·∞ is nothing here.
    const double give = gamma == 0.0 ? 0.0 : soft.R * gamma;
    const double law = soft.u_hat - give;
    return u - (soft.u_stop < law ? soft.u_stop : law);
}

double dp_soft_residual(dp_soft soft, double lo, double hi, double a, double gamma, double u)
{
    if (soft.R == (double)INFINITY) { // R γ = û − u: no impulse, whatever u
        return fabs(gamma) > 0.0 ? (double)INFINITY : gamma == 0.0 ? 0.0 : gamma;
    }
    const double slack = dp_soft_slack(soft, gamma, u);
    const double y = gamma - slack / a;
    if (y < lo) {
        return a * fabs(gamma - lo);
    }
    if (y > hi) {
        return a * fabs(gamma - hi);
    }
    return fabs(slack); // γ − (γ − slack/a), without the cancellation
}

double dp_row_residual(const dp_row *row, double h, double a, double gamma, double u)
{
    return dp_soft_residual(dp_row_soft(row, h), row->lo, row->hi, a, gamma, u);
}
