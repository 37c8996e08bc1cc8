// The scaled problem, and the values of a basis computed from it.
//
// Rows and columns are scaled by powers of two until their largest elements are about 1
// [Ruiz2001]: that changes no digit, keeps a symmetric matrix symmetric and takes problems of any
// units to the middle of the range of a double.
#include "solve/lcp/lcp_core.h"

#include "linalg/double_double.h"
#include "problem/lcp/lcp_row.h"
#include "problem/lcp/lcp_scale.h"

#include <float.h>
#include <limits.h>
#include <math.h>

// Pivots up to here are round-off, and so are differences of elements that were equal.
static const double SINGULAR = 1e-14, ASYMMETRIC = 1e-11;

void dp_lcp_core_carve(dp_lcp_core *core, dp_carver *c, int count)
{
    const size_t n = (size_t)count;
    double **const reals[] = {&core->s, &core->sign, &core->range, &core->y,
                              &core->u, &core->x,    &core->right, &core->factor.value};
    int **const counts[] = {&core->row,          &core->column, &core->basis_row,
                            &core->basis_column, &core->judge,  &core->factor.row,
                            &core->factor.column};
    uint8_t **const marks[] = {&core->kind, &core->basis, &core->lost_row, &core->lost_column};
    core->S = dp_carve(c, n * n, sizeof(double));
    core->factor.LU = dp_carve(c, n * n, sizeof(double));
    for (size_t k = 0; k < sizeof reals / sizeof *reals; ++k) {
        *reals[k] = dp_carve(c, n, sizeof(double));
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        *counts[k] = dp_carve(c, n, sizeof(int));
    }
    for (size_t k = 0; k < sizeof marks / sizeof *marks; ++k) {
        *marks[k] = dp_carve(c, n, 1);
    }
}

// ---- the problem, scaled

static dp_lcp_kind kind_of(const dp_lcp *p, int i)
{
    const double lo = dp_lcp_lo(p, i), hi = dp_lcp_hi(p, i);
    return lo == hi       ? DP_LCP_FIXED
           : isfinite(lo) ? DP_LCP_FROM_LO
           : isfinite(hi) ? DP_LCP_FROM_HI
                          : DP_LCP_FREE;
}

// out_k = 2^(row_i − shift) sign_i (M z + q)_i of some rows, the largest about 1. @return shift
static int scale_rows(double *out, const dp_lcp_core *core, const double *z, const int *which,
                      int count)
{
    int shift = INT_MIN;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < count; ++k) {
            const int i = which ? which[k] : k;
            double terms;
            const dp_scaled row = dp_lcp_row(&terms, core->p, z, i);
            const int e = row.exponent + core->row[i];
            const bool counts = row.value != 0.0 && core->kind[i] != DP_LCP_FIXED;
            if (pass == 0) {
                shift = counts && dp_exponent_of(row.value) + e > shift
                            ? dp_exponent_of(row.value) + e
                            : shift;
            } else {
                out[k] = counts ? core->sign[i] * ldexp(row.value, e - shift) : 0.0;
            }
        }
        shift = shift == INT_MIN ? 0 : shift;
    }
    return shift;
}

void dp_lcp_core_scale(dp_lcp_core *core)
{
    const dp_lcp *p = core->p;
    const int n = p->n;
    double *end = core->x;
    for (int i = 0; i < n; ++i) {
        const dp_lcp_kind kind = kind_of(p, i);
        core->kind[i] = (uint8_t)kind;
        core->sign[i] = kind == DP_LCP_FROM_HI ? -1.0 : 1.0;
        end[i] = kind == DP_LCP_FREE      ? 0.0
                 : kind == DP_LCP_FROM_HI ? dp_lcp_hi(p, i)
                                          : dp_lcp_lo(p, i);
    }
    dp_lcp_scaling scale = {core->row, core->column, core->basis_row, core->basis_column, p};
    dp_lcp_equilibrate(&scale, p->M, n);
    core->symmetric = true;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const size_t at = (size_t)i * (size_t)n + (size_t)j;
            const bool counts = core->kind[i] != DP_LCP_FIXED && core->kind[j] != DP_LCP_FIXED;
            core->S[at] = counts ? core->sign[i] * core->sign[j] *
                                       ldexp(p->M[at], core->row[i] + core->column[j])
                                 : 0.0;
        }
        for (int j = 0; j < i; ++j) {
            const double difference = core->S[i * n + j] - core->S[j * n + i];
            core->symmetric = core->symmetric && fabs(difference) <= ASYMMETRIC;
        }
    }
    core->shift = scale_rows(core->s, core, end, NULL, n);
    for (int i = 0; i < n; ++i) {
        const int e = -core->column[i] - core->shift;
        const double width = ldexp(dp_lcp_hi(p, i), e) - ldexp(dp_lcp_lo(p, i), e);
        core->range[i] = isnan(width) ? (double)INFINITY : fmax(width, DBL_MIN);
    }
}

// ---- the equations of a basis

static bool is_between(const dp_lcp_core *core, int i)
{
    return core->kind[i] == DP_LCP_FREE ||
           (core->kind[i] != DP_LCP_FIXED && core->basis[i] == DP_PAIR_BETWEEN);
}

// Factor their rows and columns. @return how many
static int factor_basis(dp_lcp_core *core)
{
    const int n = core->p->n;
    int rows = 0, columns = 0;
    for (int i = 0; i < n; ++i) {
        if (is_between(core, i) && !core->lost_row[i]) {
            core->basis_row[rows++] = i;
        }
        if (is_between(core, i) && !core->lost_column[i]) {
            core->basis_column[columns++] = i;
        }
    }
    const int count = rows < columns ? rows : columns;
    for (int i = 0; i < count; ++i) {
        const double *from = core->S + (size_t)core->basis_row[i] * (size_t)n;
        for (int j = 0; j < count; ++j) {
            core->factor.LU[(size_t)i * (size_t)count + (size_t)j] = from[core->basis_column[j]];
        }
    }
    dp_dense_factor(&core->factor, count, SINGULAR);
    core->factorizations += 1;
    return count;
}

// u = S y + s
static void find_rows(dp_lcp_core *core)
{
    const int n = core->p->n;
    for (int i = 0; i < n; ++i) {
        const double *row = core->S + (size_t)i * (size_t)n;
        double sum = core->s[i];
        for (int j = 0; j < n; ++j) {
            sum += row[j] * core->y[j];
        }
        core->u[i] = sum;
    }
}

bool dp_lcp_core_values(dp_lcp_core *core)
{
    for (int i = 0; i < core->p->n; ++i) {
        core->y[i] = core->basis[i] == DP_PAIR_HI ? core->range[i] : 0.0;
    }
    find_rows(core);
    const int count = factor_basis(core);
    for (int k = 0; k < count; ++k) {
        core->x[k] = -core->u[core->basis_row[k]];
    }
    dp_dense_solve(core->x, &core->factor, core->x);
    for (int k = 0; k < count; ++k) {
        core->y[core->basis_column[k]] = core->x[k];
    }
    find_rows(core);
    return core->factor.rank == count;
}

// ---- from a basis to the variables

// Where the variables are: the ends of their ranges, and 0 for those that are to be solved for.
static void place_variables(double *z, uint8_t *state, const dp_lcp_core *core)
{
    for (int i = 0; i < core->p->n; ++i) {
        const bool from_hi = core->sign[i] < 0.0, at_end = core->basis[i] == DP_PAIR_HI;
        const bool at_hi = core->kind[i] != DP_LCP_FIXED && from_hi != at_end;
        state[i] = (uint8_t)(is_between(core, i) ? DP_LCP_STATE_BETWEEN
                             : at_hi             ? DP_LCP_STATE_AT_HI
                                                 : DP_LCP_STATE_AT_LO);
        z[i] = is_between(core, i) ? 0.0 : at_hi ? dp_lcp_hi(core->p, i) : dp_lcp_lo(core->p, i);
    }
}

// right = s + S x on the basis, summed in twice the digits. @return the largest
static double basis_residual(dp_lcp_core *core, const double *s, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *S = core->S + (size_t)core->basis_row[i] * (size_t)core->p->n;
        dp_double_double sum = {s[i], 0.0};
        for (int j = 0; j < count; ++j) {
            sum = dp_double_double_madd(sum, S[core->basis_column[j]],
                                        (dp_double_double){core->x[j], 0.0});
        }
        core->right[i] = sum.hi;
        most = fmax(most, fabs(sum.hi));
    }
    return most;
}

// x with S x + s = 0 on the basis, to all digits.
static void solve_basis(dp_lcp_core *core, const double *s, int count)
{
    enum { REFINEMENTS = 4 };
    double before = (double)INFINITY;
    for (int i = 0; i < count; ++i) {
        core->x[i] = 0.0;
    }
    for (int pass = 0; pass <= REFINEMENTS; ++pass) {
        const double now = basis_residual(core, s, count);
        if (!(now < before)) {
            return;
        }
        before = now;
        dp_dense_solve(core->right, &core->factor, core->right);
        for (int i = 0; i < count; ++i) {
            core->x[i] -= core->right[i];
        }
    }
}

static double within(double x, double lo, double hi)
{
    x = x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : isnan(x) ? 0.0 : x;
    return x < lo ? lo : x > hi ? hi : x;
}

double dp_lcp_core_residual(const dp_lcp_core *core, const double *z, double *w)
{
    const dp_lcp_judge judge = {core->row, core->column, core->judge};
    return dp_lcp_residual_judged(core->p, z, w, &judge);
}

double dp_lcp_core_finish(double *z, uint8_t *state, dp_lcp_core *core)
{
    static const double GROWTH = 1e13; // of z beside q, both scaled: then q has three digits left
    const dp_lcp *p = core->p;
    place_variables(z, state, core);
    const int count = factor_basis(core);
    const int shift = scale_rows(core->u, core, z, core->basis_row, count);
    solve_basis(core, core->u, count);
    double largest = 0.0;
    for (int k = 0; k < count; ++k) {
        const int j = core->basis_column[k];
        const double x = ldexp(core->sign[j] * core->x[k], core->column[j] + shift);
        z[j] = within(x, dp_lcp_lo(p, j), dp_lcp_hi(p, j));
        largest = fmax(largest, fabs(core->x[k]));
    }
    for (int i = 0; i < p->n; ++i) {
        state[i] = core->lost_row[i] ? DP_LCP_STATE_DEPENDENT : state[i];
    }
    return largest <= GROWTH ? dp_lcp_core_residual(core, z, NULL) : (double)INFINITY;
}
