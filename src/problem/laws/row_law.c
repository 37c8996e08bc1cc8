// With s = hk/(hk + b), the part of a row that is spring, (SP 2) reads
//
//     û = s u_stop − (1 − s) b_ref,   u_stop = −φ/h − φ_t:                                  (SP 4)
//
// between the velocity that closes the gap and the one that the dashpot wants. No product with k
// is left in it, so that it has all digits for every k and b and is u_stop itself for k = ∞ or
// b = 0. k and b are divided by the larger of them before they meet, so that nothing overflows.
#include "problem/laws/row_law.h"

#include "math/elementary.h"
#include "math/exponential.h"

dp_softness dp_row_softness(const dp_row *row, double h)
{
    const double infinity = (double)INFINITY;
    if (row->k == infinity) {
        return (dp_softness){0.0, 1.0, 0.0};
    }
    if (row->b == infinity) {
        return (dp_softness){0.0, 0.0, 1.0};
    }
    const double most = row->k > row->b ? row->k : row->b;
    if (most == 0.0) { // nothing holds it
        return (dp_softness){infinity, 0.0, 0.0};
    }
    const double spring = h * (row->k / most), damper = row->b / most;
    const double sum = spring + damper; // (hk + b)/most
    return (dp_softness){1.0 / h / sum / most, spring / sum, damper / sum};
}

dp_soft dp_row_soft(const dp_row *row, double h)
{
    return dp_softness_at(dp_row_softness(row, h), row, h);
}

double dp_row_residual(const dp_row *row, double h, double a, double gamma, double u)
{
    return dp_soft_residual(dp_row_soft(row, h), row->lo, row->hi, a, gamma, u);
}

double dp_row_spring_force(const dp_row *row, double h, double gap)
{
    const double f = -row->k * gap, lo = row->lo / h, hi = row->hi / h;
    return f < lo ? lo : f > hi ? hi : f;
}

double dp_row_spring_energy(const dp_row *row, double h, double gap)
{
    const double f = dp_row_spring_force(row, h, gap);
    return row->k > 0.0 ? -f * gap - 0.5 * f * f / row->k : 0.0;
}

// With κ = h² k w and β = h b w depths are sums of powers of the roots z of
// (1 + β + κ) z² − (2 + β) z + 1 = 0, and what is left of the speed when the force vanishes, which
// is when it ends to push, is
//
//     e = |z|^(2 + 2δ/θ),   z = |z| exp iθ,   1 − z = |1 − z| exp(−iδ),                   (VS 1)
//
// (MX 3) in the limit of short steps. What is left by a spring that does not swing, with real
// roots, depends on where in a step contact begins: 1.3 % of e = 0.05 where the same formula is off
// by 0.2 % (k = 1e5 N/m, 1 kg, steps of 10 µs).
double dp_row_restitution(const dp_row *row, double h, double w)
{
    const double beta = h * row->b * w, kappa = h * h * row->k * w, square = 1.0 + beta + kappa;
    const double apart = (kappa - 0.25 * beta * beta) / (square * square); // −discriminant/4
    if (!isfinite(square) || !(apart > 0.0)) {
        return 0.0;
    }
    const double middle = 0.5 * (2.0 + beta) / square, size = sqrt(1.0 / square);
    const double back = (kappa + 0.5 * beta) / square; // 1 − Re z
    const double theta = dp_acos(middle / size), delta = dp_acos(back / sqrt(back * back + apart));
    return dp_exp(-(1.0 + delta / theta) * dp_log(square));
}
