// The scaled problem, and the values of a basis computed from it.
//
// Rows and columns are scaled by powers of two until their largest elements are about 1
// [Ruiz2001]: that changes no digit, keeps a symmetric matrix symmetric and takes problems of any
// units to the middle of the range of a double.
#include "solve/lcp/lcp_core.h"

#include "linalg/doubled.h"
#include "problem/lcp_row.h"
#include "problem/lcp_scale.h"

#include <float.h>
#include <limits.h>
#include <math.h>

// Pivots up to here are round-off.
static const double SINGULAR = 1e-14;

// ---- memory

static void carve_dense(dp_dense *f, dp_carver *c, size_t n)
{
    f->LU = dp_carve(c, n * n, sizeof(double));
    f->row = dp_carve(c, n, sizeof(int));
    f->column = dp_carve(c, n, sizeof(int));
    f->value = dp_carve(c, n, sizeof(double));
}

void dp_lcp_carve_variables(dp_lcp_core *core, dp_carver *c, int count)
{
    const size_t n = (size_t)count;
    dp_lcp_elimination *e = &core->elimination;
    double **const reals[] = {&core->s, &core->base, &core->x, &core->y};
    int **const counts[] = {&core->row,   &core->column, &core->basis_row, &core->basis_column,
                            &core->judge, &e->row_at,    &e->column_at};
    uint8_t **const marks[] = {&core->state,    &core->lost_row,  &core->lost_column, &e->free_row,
                               &e->free_column, &e->may_exchange, &e->exchanged};
    core->S = dp_carve(c, n * n, sizeof(double));
    e->K = dp_carve(c, n * (n + 1), sizeof(double));
    carve_dense(&core->factor, c, n);
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

void dp_lcp_carve_pairs(dp_lcp_core *core, dp_carver *c, int count)
{
    const size_t m = (size_t)count;
    dp_lcp_trial *t = &core->trial;
    double **const reals[] = {&core->b, &t->y, &t->u, &t->x};
    core->A = dp_carve(c, m * m, sizeof(double));
    carve_dense(&t->factor, c, m);
    for (size_t k = 0; k < sizeof reals / sizeof *reals; ++k) {
        *reals[k] = dp_carve(c, m, sizeof(double));
    }
    core->pair = dp_carve(c, m, sizeof *core->pair);
    core->source = dp_carve(c, m, sizeof *core->source);
    core->A_row = dp_carve(c, m, sizeof(int));
    core->exponent = dp_carve(c, 3 * m, sizeof(int));
    t->between = dp_carve(c, m, sizeof(int));
    t->basis = dp_carve(c, m, 1);
}

// ---- the problem, scaled

dp_lcp_kind dp_lcp_kind_of(const dp_lcp *p, int i)
{
    const double lo = dp_lcp_lo(p, i), hi = dp_lcp_hi(p, i);
    return lo == hi       ? DP_LCP_FIXED
           : isfinite(lo) ? DP_LCP_FROM_LO
           : isfinite(hi) ? DP_LCP_FROM_HI
                          : DP_LCP_FREE;
}

// s_i = 2^(row_i − shift) (M z + q)_i with the largest about 1. @return shift
static int scale_rows(double *s, const dp_lcp_core *core, const double *z, const int *which,
                      int count)
{
    int shift = INT_MIN;
    for (int k = 0; k < count; ++k) {
        const int i = which ? which[k] : k;
        double terms;
        const dp_scaled row = dp_lcp_row(&terms, core->p, z, i);
        if (row.value != 0.0 && core->state[i] == DP_LCP_BETWEEN) {
            const int e = dp_exponent_of(row.value) + row.exponent + core->row[i];
            shift = e > shift ? e : shift;
        }
    }
    shift = shift == INT_MIN ? 0 : shift;
    for (int k = 0; k < count; ++k) {
        const int i = which ? which[k] : k;
        double terms;
        const dp_scaled row = dp_lcp_row(&terms, core->p, z, i);
        s[k] = core->state[i] == DP_LCP_BETWEEN
                   ? ldexp(row.value, row.exponent + core->row[i] - shift)
                   : 0.0;
    }
    return shift;
}

void dp_lcp_core_scale(dp_lcp_core *core)
{
    const dp_lcp *p = core->p;
    const int n = p->n;
    for (int i = 0; i < n; ++i) {
        const dp_lcp_kind kind = dp_lcp_kind_of(p, i);
        core->base[i] = kind == DP_LCP_FREE      ? 0.0
                        : kind == DP_LCP_FROM_HI ? dp_lcp_hi(p, i)
                                                 : dp_lcp_lo(p, i);
        core->state[i] = kind == DP_LCP_FIXED ? DP_LCP_AT_LO : DP_LCP_BETWEEN;
    }
    dp_lcp_scaling scale = {core->row, core->column, core->basis_row, core->basis_column, p};
    dp_lcp_equilibrate(&scale, p->M, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const size_t at = (size_t)i * (size_t)n + (size_t)j;
            const bool counts =
                core->state[i] == DP_LCP_BETWEEN && core->state[j] == DP_LCP_BETWEEN;
            core->S[at] = counts ? ldexp(p->M[at], core->row[i] + core->column[j]) : 0.0;
        }
    }
    core->shift = scale_rows(core->s, core, core->base, NULL, n);
}

// ---- from a basis to the variables

// Where the variables are: the ends of their ranges, and 0 for those that are to be solved for.
static void place_variables(double *z, uint8_t *state, const dp_lcp_core *core,
                            const uint8_t *basis)
{
    for (int i = 0; i < core->p->n; ++i) {
        state[i] = core->state[i];
        z[i] = core->state[i] == DP_LCP_BETWEEN ? 0.0 : core->base[i];
    }
    for (int k = 0; k < core->m; ++k) {
        const dp_lcp_pair *pair = &core->pair[k];
        const int i = pair->variable;
        const bool is_between = (basis[k] == DP_PAIR_BETWEEN) != pair->exchanged;
        if (pair->split || is_between) {
            continue;
        }
        const bool at_hi = pair->sign < 0.0 || (basis[k] == DP_PAIR_HI && !pair->exchanged);
        state[i] = at_hi ? DP_LCP_AT_HI : DP_LCP_AT_LO;
        z[i] = at_hi ? dp_lcp_hi(core->p, i) : dp_lcp_lo(core->p, i);
    }
}

// Rows and columns of the equations. @return how many
static int gather_basis(dp_lcp_core *core, const uint8_t *state)
{
    int rows = 0, columns = 0;
    for (int i = 0; i < core->p->n; ++i) {
        const bool is_between = state[i] == DP_LCP_BETWEEN;
        if (is_between && !core->lost_row[i]) {
            core->basis_row[rows++] = i;
        }
        if (is_between && !core->lost_column[i]) {
            core->basis_column[columns++] = i;
        }
    }
    return rows < columns ? rows : columns;
}

// Factor `count` rows and columns of a matrix of n.
static void factor_part(dp_dense *f, const double *A, int n, const int *row, const int *column,
                        int count)
{
    for (int i = 0; i < count; ++i) {
        const double *from = A + (size_t)row[i] * (size_t)n;
        for (int j = 0; j < count; ++j) {
            f->LU[(size_t)i * (size_t)count + (size_t)j] = from[column[j]];
        }
    }
    dp_dense_factor(f, count, SINGULAR);
}

// y = s + S x on the basis, summed in twice the digits. @return the largest
static double basis_residual(double *y, const dp_lcp_core *core, const double *s, const double *x,
                             int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *S = core->S + (size_t)core->basis_row[i] * (size_t)core->p->n;
        dp_doubled sum = {s[i], 0.0};
        for (int j = 0; j < count; ++j) {
            sum = dp_doubled_madd(sum, S[core->basis_column[j]], (dp_doubled){x[j], 0.0});
        }
        y[i] = sum.hi;
        most = fmax(most, fabs(sum.hi));
    }
    return most;
}

// x with S x + s = 0 on the basis, to all digits.
static void solve_basis(double *x, dp_lcp_core *core, const double *s, int count)
{
    enum { REFINEMENTS = 4 };
    for (int i = 0; i < count; ++i) {
        x[i] = 0.0;
    }
    core->factorizations += 1;
    factor_part(&core->factor, core->S, core->p->n, core->basis_row, core->basis_column, count);
    double *y = core->y, before = (double)INFINITY;
    for (int pass = 0; pass <= REFINEMENTS; ++pass) {
        const double now = basis_residual(y, core, s, x, count);
        if (!(now < before)) {
            return;
        }
        before = now;
        dp_dense_solve(y, &core->factor, y);
        for (int i = 0; i < count; ++i) {
            x[i] -= y[i];
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

// z from the x of the basis; x smaller than `least` are taken for the round-off of 0.
static double judge(double *z, const dp_lcp_core *core, int count, int shift, double least)
{
    const dp_lcp *p = core->p;
    for (int k = 0; k < count; ++k) {
        const int j = core->basis_column[k];
        const double x = fabs(core->x[k]) > least ? core->x[k] : 0.0;
        z[j] = within(ldexp(x, core->column[j] + shift), dp_lcp_lo(p, j), dp_lcp_hi(p, j));
    }
    return dp_lcp_core_residual(core, z, NULL);
}

double dp_lcp_core_finish(double *z, uint8_t *state, dp_lcp_core *core, const uint8_t *basis)
{
    static const double GROWTH = 1e13; // of z beside q, both scaled: then q has three digits left
    static const double NOISE[] = {0.0, 1e-24, 1e-14}; // beside the largest z
    enum { TRIES = sizeof NOISE / sizeof *NOISE };
    static const double GOOD = 1e-14;
    const dp_lcp *p = core->p;
    place_variables(z, state, core, basis);
    const int count = gather_basis(core, state);
    double *s = core->s; // no longer needed since the elimination
    const int shift = scale_rows(s, core, z, core->basis_row, count);
    solve_basis(core->x, core, s, count);
    double largest_z = 0.0;
    for (int k = 0; k < count; ++k) {
        largest_z = fmax(largest_z, fabs(core->x[k]));
    }
    for (int i = 0; i < p->n; ++i) {
        state[i] = core->lost_row[i] ? DP_LCP_DEPENDENT : state[i];
    }
    // A row whose terms are all 0 in truth cannot tell round-off from a solution: see for which
    // size of what is taken for 0 the rows agree best.
    double least = 0.0, best = (double)INFINITY;
    for (int k = 0; k < TRIES && !(best <= GOOD); ++k) {
        const double residual = judge(z, core, count, shift, NOISE[k] * largest_z);
        if (residual < best) {
            best = residual;
            least = NOISE[k] * largest_z;
        }
    }
    const double residual = judge(z, core, count, shift, least);
    return largest_z <= GROWTH ? residual : (double)INFINITY;
}

// ---- from a basis to the pairs

// u = A y + b
static void find_rows(dp_lcp_core *core)
{
    dp_lcp_trial *t = &core->trial;
    for (int i = 0; i < core->m; ++i) {
        const double *row = core->A + (size_t)i * (size_t)core->m;
        double sum = core->b[i];
        for (int j = 0; j < core->m; ++j) {
            sum += row[j] * t->y[j];
        }
        t->u[i] = sum;
    }
}

bool dp_lcp_trial_solve(dp_lcp_core *core)
{
    dp_lcp_trial *t = &core->trial;
    int count = 0;
    for (int i = 0; i < core->m; ++i) {
        t->y[i] = t->basis[i] == DP_PAIR_HI ? core->pair[i].range : 0.0;
        if (t->basis[i] == DP_PAIR_BETWEEN) {
            t->between[count++] = i;
        }
    }
    find_rows(core);
    for (int i = 0; i < count; ++i) {
        t->x[i] = -t->u[t->between[i]];
    }
    core->factorizations += 1;
    factor_part(&t->factor, core->A, core->m, t->between, t->between, count);
    dp_dense_solve(t->x, &t->factor, t->x);
    for (int i = 0; i < count; ++i) {
        t->y[t->between[i]] = t->x[i];
    }
    find_rows(core);
    return t->factor.rank == count;
}
