#include "base/error.h"
#include "linalg/doubled.h"
#include "problem/lcp_row.h"

#include <float.h>
#include <math.h>

double dp_lcp_lo(const dp_lcp *p, int i)
{
    return p->lo ? p->lo[i] : 0.0;
}

double dp_lcp_hi(const dp_lcp *p, int i)
{
    return p->hi ? p->hi[i] : (double)INFINITY;
}

static dp_status check_numbers(const char *name, const double *x, size_t n, int columns)
{
    for (size_t k = 0; k < n; ++k) {
        if (isfinite(x[k])) {
            continue;
        }
        if (columns > 0) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s(%zu, %zu) is %g (expected a finite number)", name,
                           k / (size_t)columns, k % (size_t)columns, x[k]);
        }
        return dp_fail(DP_ERROR_ARGUMENT, "%s[%zu] is %g (expected a finite number)", name, k,
                       x[k]);
    }
    return DP_OK;
}

dp_status dp_lcp_check(const dp_lcp *p)
{
    if (p->n < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "n is %d (expected 0 or more)", p->n);
    }
    const size_t n = (size_t)p->n;
    if (n > 0 && n > SIZE_MAX / sizeof(double) / n) {
        return dp_fail(DP_ERROR_ARGUMENT, "n is %d (expected a matrix that fits into memory)",
                       p->n);
    }
    DP_TRY(check_numbers("M", p->M, n * n, p->n));
    DP_TRY(check_numbers("q", p->q, n, 0));
    for (int i = 0; i < p->n; ++i) {
        const double lo = dp_lcp_lo(p, i), hi = dp_lcp_hi(p, i);
        if (!(lo < (double)INFINITY)) {
            return dp_fail(DP_ERROR_ARGUMENT, "lo[%d] is %g (expected a number or -inf)", i, lo);
        }
        if (!(hi > -(double)INFINITY)) {
            return dp_fail(DP_ERROR_ARGUMENT, "hi[%d] is %g (expected a number or inf)", i, hi);
        }
        if (lo > hi) {
            return dp_fail(DP_ERROR_ARGUMENT, "hi[%d] is %g (expected no less than lo, %g)", i, hi,
                           lo);
        }
    }
    return DP_OK;
}

// ---- rows

// a b as mantissa and exponent; 0 has no exponent.
typedef struct product {
    double a, b;
    int exponent;
} product;

static product product_of(double a, double b)
{
    int ea = 0, eb = 0;
    product out = {.a = frexp(a, &ea), .b = frexp(b, &eb)};
    out.exponent = ea + eb;
    return out;
}

static product term_of(const dp_lcp *p, const double *z, int i, int j)
{
    return j == p->n ? product_of(p->q[i], 1.0)
                     : product_of(p->M[(size_t)i * (size_t)p->n + (size_t)j], z[j]);
}

// Terms below 2^-200 of the largest are less than the last digit of twice the digits.
dp_scaled dp_lcp_row(double *terms, const dp_lcp *p, const double *z, int i)
{
    enum { NOTHING = -(1 << 20), NEGLIGIBLE = 200 };
    dp_scaled out = {0.0, NOTHING};
    for (int j = 0; j <= p->n; ++j) {
        const product term = term_of(p, z, i, j);
        if (term.a != 0.0 && term.b != 0.0 && term.exponent > out.exponent) {
            out.exponent = term.exponent;
        }
    }
    dp_doubled sum = {0.0, 0.0};
    *terms = 0.0;
    for (int j = 0; j <= p->n; ++j) {
        const product term = term_of(p, z, i, j);
        const int below = out.exponent - term.exponent;
        if (term.a == 0.0 || term.b == 0.0 || below > NEGLIGIBLE) {
            continue;
        }
        const double a = ldexp(term.a, -below);
        sum = dp_doubled_sum(sum, dp_two_product(a, term.b));
        *terms += fabs(a * term.b);
    }
    out.value = sum.hi;
    out.exponent = out.exponent == NOTHING ? 0 : out.exponent;
    return out;
}

static double finite_number(dp_scaled x)
{
    const double value = ldexp(x.value, x.exponent);
    return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value;
}

double dp_lcp_residual(const dp_lcp *p, const double *z, double *w)
{
    double worst = 0.0;
    for (int i = 0; i < p->n; ++i) {
        if (!isfinite(z[i])) {
            return (double)INFINITY;
        }
        worst = z[i] < dp_lcp_lo(p, i) || z[i] > dp_lcp_hi(p, i) ? (double)INFINITY : worst;
    }
    for (int i = 0; i < p->n; ++i) {
        double terms;
        const dp_scaled row = dp_lcp_row(&terms, p, z, i);
        if (w) {
            w[i] = finite_number(row);
        }
        const bool may_be_positive = z[i] <= dp_lcp_lo(p, i);
        const bool may_be_negative = z[i] >= dp_lcp_hi(p, i);
        const bool is_met = (may_be_positive && row.value >= 0.0) ||
                            (may_be_negative && row.value <= 0.0) || row.value == 0.0;
        const double miss = is_met ? 0.0 : fabs(row.value) / terms;
        worst = miss > worst ? miss : worst;
    }
    return worst;
}
