#include "base/error.h"
#include "linalg/double_double.h"
#include "problem/lcp/lcp_row.h"
#include "problem/lcp/lcp_scale.h"

#include <float.h>
#include <limits.h>
#include <math.h>

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
    product out = {.a = dp_mantissa(a, &ea), .b = dp_mantissa(b, &eb)};
    out.exponent = ea + eb;
    return out;
}

static product term_of(const dp_lcp *p, const double *z, int i, int j)
{
    return j == p->n ? product_of(p->q[i], 1.0)
                     : product_of(p->M[(size_t)i * (size_t)p->n + (size_t)j], z[j]);
}

static bool is_nothing(const dp_lcp *p, const double *z, int i, int j)
{
    return j == p->n ? p->q[i] == 0.0
                     : z[j] == 0.0 || p->M[(size_t)i * (size_t)p->n + (size_t)j] == 0.0;
}

// Terms below 2^-200 of the largest are less than the last digit of twice the digits.
dp_scaled dp_lcp_row(double *terms, const dp_lcp *p, const double *z, int i)
{
    enum { NOTHING = -(1 << 20), NEGLIGIBLE = 200 };
    dp_scaled out = {0.0, NOTHING};
    for (int j = 0; j <= p->n; ++j) {
        if (is_nothing(p, z, i, j)) {
            continue;
        }
        const product term = term_of(p, z, i, j);
        if (term.exponent > out.exponent) {
            out.exponent = term.exponent;
        }
    }
    dp_double_double sum = {0.0, 0.0};
    *terms = 0.0;
    for (int j = 0; j <= p->n; ++j) {
        if (is_nothing(p, z, i, j)) {
            continue;
        }
        const product term = term_of(p, z, i, j);
        const int below = out.exponent - term.exponent;
        if (below > NEGLIGIBLE) {
            continue;
        }
        const double a = term.a * dp_power_of_two(-below);
        sum = dp_double_double_sum(sum, dp_two_product(a, term.b));
        *terms += fabs(a * term.b);
    }
    out.value = sum.hi;
    out.exponent = out.exponent == NOTHING ? 0 : out.exponent;
    return out;
}

bool dp_lcp_row_proves(const dp_lcp *p, int i)
{
    for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? 1.0 : -1.0;
        if (isfinite(side == 0 ? dp_lcp_hi(p, i) : dp_lcp_lo(p, i))) {
            continue;
        }
        double most = sign * p->q[i], terms = fabs(p->q[i]);
        for (int j = 0; j < p->n; ++j) {
            const double M = sign * p->M[(size_t)i * (size_t)p->n + (size_t)j];
            const double end = M > 0.0 ? dp_lcp_hi(p, j) : dp_lcp_lo(p, j);
            const double term = M == 0.0 || end == 0.0 ? 0.0 : M * end;
            most += term;
            terms += fabs(term);
        }
        if (most < -2.0 * (p->n + 1) * DBL_EPSILON * terms && isfinite(terms)) {
            return true;
        }
    }
    return false;
}

static double finite_number(dp_scaled x)
{
    const double value = ldexp(x.value, x.exponent);
    return value > DBL_MAX ? DBL_MAX : value < -DBL_MAX ? -DBL_MAX : value;
}

static double miss_of(const dp_lcp *p, int i, double z, dp_scaled row)
{
    const bool may_be_positive = z <= dp_lcp_lo(p, i), may_be_negative = z >= dp_lcp_hi(p, i);
    const bool is_met =
        (may_be_positive && row.value >= 0.0) || (may_be_negative && row.value <= 0.0);
    return is_met ? 0.0 : fabs(row.value);
}

// The size of what meets in a row: that of its terms, or 2⁻¹⁶ of what its variables are in other
// rows where they count, each measured by the terms there.
enum { FLOOR_BITS = 16, COUNTS_BITS = 10 };

static bool counts_in(const dp_lcp *p, const dp_lcp_judge *judge, int i, int j, int *e)
{
    const double x = p->M[(size_t)i * (size_t)p->n + (size_t)j];
    *e = x == 0.0 ? 0 : dp_exponent_of(x);
    return x != 0.0 && *e + judge->row[i] + judge->column[j] >= -COUNTS_BITS;
}

enum { NOTHING = INT_MIN / 4 };

// Exponents of the terms of each row, and of the largest z of each column that they speak of.
static void measure(const dp_lcp *p, const double *z, double *w, const dp_lcp_judge *judge)
{
    for (int j = 0; j < p->n; ++j) {
        judge->of_column[j] = NOTHING;
    }
    for (int i = 0; i < p->n; ++i) {
        double terms;
        const dp_scaled row = dp_lcp_row(&terms, p, z, i);
        if (w) {
            w[i] = finite_number(row);
        }
        if (terms == 0.0) {
            continue;
        }
        const int size = dp_exponent_of(terms) + row.exponent;
        for (int j = 0; j < p->n; ++j) {
            int e;
            if (counts_in(p, judge, i, j, &e) && size - e > judge->of_column[j]) {
                judge->of_column[j] = size - e;
            }
        }
    }
}

static int floor_exponent(const dp_lcp *p, const dp_lcp_judge *judge, int i)
{
    int most = NOTHING;
    for (int j = 0; j < p->n; ++j) {
        int e;
        if (counts_in(p, judge, i, j, &e) && judge->of_column[j] > NOTHING &&
            e + judge->of_column[j] > most) {
            most = e + judge->of_column[j];
        }
    }
    return most - FLOOR_BITS;
}

double dp_lcp_residual_judged(const dp_lcp *p, const double *z, double *w,
                              const dp_lcp_judge *judge)
{
    for (int i = 0; i < p->n; ++i) {
        if (!(z[i] >= dp_lcp_lo(p, i) && z[i] <= dp_lcp_hi(p, i) && isfinite(z[i]))) {
            return (double)INFINITY;
        }
    }
    measure(p, z, w, judge);
    double worst = 0.0;
    for (int i = 0; i < p->n; ++i) {
        double terms;
        const dp_scaled row = dp_lcp_row(&terms, p, z, i);
        const double miss = miss_of(p, i, z[i], row);
        if (miss > 0.0) {
            const int floor = floor_exponent(p, judge, i) - row.exponent;
            worst = fmax(worst, miss / fmax(terms, ldexp(1.0, floor)));
        }
    }
    return worst;
}

double dp_lcp_residual(const dp_lcp *p, const double *z, double *w, int *scratch)
{
    const size_t n = (size_t)p->n;
    if (n == 0) {
        return 0.0;
    }
    dp_lcp_scaling s = {scratch, scratch + n, scratch + 2 * n, scratch + 3 * n, p};
    dp_lcp_equilibrate(&s, p->M, p->n);
    return dp_lcp_residual_judged(p, z, w, &(dp_lcp_judge){s.row, s.column, s.of_column});
}
