// From a mixed linear complementarity problem with bounds to (LC 1), and back.
//
// Rows and columns are scaled by powers of two until their largest elements are about 1
// [Ruiz2001]: that changes no digit, keeps a symmetric matrix symmetric and takes problems of any
// units to the middle of the range of a double. Free variables are eliminated with complete
// pivoting; where only a bounded variable is left to pair with (a multiplier of an equation
// between bounded variables), that one is exchanged with its row, a principal pivot, which keeps
// positive semidefinite matrices so [CottlePangStone2009, §4.1]. What then is left of a row of a
// free variable is nothing: it depends on others.
#include "solve/lcp_core.h"

#include "base/interrupt.h"
#include "linalg/doubled.h"
#include "problem/lcp_row.h"
#include "problem/lcp_scale.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// Elements of a scaled matrix below this are the round-off of what was eliminated.
static const double RANK_TOLERANCE = 1e-11;
// What is left of differences of elements of about 1 that were equal.
static const double CANCELLED = 1e-14;

// ---- the problem, scaled

typedef enum variable_kind { FIXED, FREE, FROM_LO, FROM_HI } variable_kind;

static variable_kind kind_of(const dp_lcp *p, int i)
{
    const double lo = dp_lcp_lo(p, i), hi = dp_lcp_hi(p, i);
    return lo == hi ? FIXED : isfinite(lo) ? FROM_LO : isfinite(hi) ? FROM_HI : FREE;
}

static void scale_problem(dp_lcp_core *core)
{
    const dp_lcp *p = core->p;
    const int n = p->n;
    uint8_t *is_out = core->lost_row; // for now: the fixed ones
    for (int i = 0; i < n; ++i) {
        const variable_kind kind = kind_of(p, i);
        is_out[i] = kind == FIXED;
        core->base[i] = kind == FREE ? 0.0 : kind == FROM_HI ? dp_lcp_hi(p, i) : dp_lcp_lo(p, i);
        core->state[i] = kind == FIXED ? DP_LCP_AT_LO : DP_LCP_BETWEEN;
    }
    dp_lcp_scaling scale = {core->row, core->column, core->basis_row, core->basis_column, p};
    dp_lcp_equilibrate(&scale, p->M, n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const size_t at = (size_t)i * (size_t)n + (size_t)j;
            core->S[at] =
                is_out[i] || is_out[j] ? 0.0 : ldexp(p->M[at], core->row[i] + core->column[j]);
        }
    }
    for (int i = 0; i < n; ++i) {
        is_out[i] = 0;
    }
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

// ---- elimination of free variables

// The dictionary of all variables on its way to that of the pairs.
typedef struct reduction {
    int n;
    size_t stride;
    double *K;                       // n × (n + 1): S with signs, and s
    uint8_t *free_row, *free_column; // n: still to be eliminated
    int *row_at, *column_at; // n: where the row and the column of each pair are; −1: no pair
    uint8_t *may_exchange;   // n: pairs with one bound
    uint8_t *exchanged;      // n
    int eliminated;
} reduction;

static double element(const reduction *r, int i, int j)
{
    return r->K[(size_t)i * r->stride + (size_t)j];
}

static void clear_row(reduction *r, int i)
{
    memset(r->K + (size_t)i * r->stride, 0, r->stride * sizeof *r->K);
}

static void clear_column(reduction *r, int j)
{
    for (int i = 0; i < r->n; ++i) {
        r->K[(size_t)i * r->stride + (size_t)j] = 0.0;
    }
}

// A free variable and the row of one, the pair of the largest element.
static bool eliminate_free(reduction *r)
{
    int row = -1, column = -1;
    double most = RANK_TOLERANCE;
    for (int i = 0; i < r->n; ++i) {
        for (int j = 0; r->free_row[i] && j < r->n; ++j) {
            const double size = r->free_column[j] ? fabs(element(r, i, j)) : 0.0;
            if (size > most) {
                most = size;
                row = i;
                column = j;
            }
        }
    }
    if (row < 0) {
        return false;
    }
    dp_dictionary_exchange(r->K, r->n, r->n + 1, r->stride, row, column);
    r->free_row[row] = r->free_column[column] = 0;
    r->eliminated += 1;
    clear_row(r, row); // the variable is computed in the end; its row is zero for good
    clear_column(r, column);
    return true;
}

// The row of a free variable with the variable of a pair, and the row of that with a free one.
static bool eliminate_with_pair(reduction *r)
{
    int best = -1, row = -1, column = -1;
    double most = RANK_TOLERANCE;
    for (int p = 0; p < r->n; ++p) {
        if (!r->may_exchange[p]) {
            continue;
        }
        int i_most = -1, j_most = -1;
        double of_row = 0.0, of_column = 0.0;
        for (int k = 0; k < r->n; ++k) {
            const double down = r->free_row[k] ? fabs(element(r, k, r->column_at[p])) : 0.0;
            const double along = r->free_column[k] ? fabs(element(r, r->row_at[p], k)) : 0.0;
            i_most = down > of_row ? k : i_most;
            of_row = down > of_row ? down : of_row;
            j_most = along > of_column ? k : j_most;
            of_column = along > of_column ? along : of_column;
        }
        const double least = of_row < of_column ? of_row : of_column;
        if (least > most) {
            most = least;
            best = p;
            row = i_most;
            column = j_most;
        }
    }
    if (best < 0) {
        return false;
    }
    const int pair_row = r->row_at[best], pair_column = r->column_at[best];
    dp_dictionary_exchange(r->K, r->n, r->n + 1, r->stride, row, pair_column);
    clear_column(r, pair_column); // the row of a free variable, zero for good
    dp_dictionary_exchange(r->K, r->n, r->n + 1, r->stride, pair_row, column);
    clear_row(r, pair_row); // a free variable, computed in the end
    r->free_row[row] = r->free_column[column] = 0;
    r->eliminated += 1;
    r->row_at[best] = row;
    r->column_at[best] = column;
    r->exchanged[best] = !r->exchanged[best];
    return true;
}

static bool is_pair_column(const reduction *r, int j)
{
    for (int p = 0; p < r->n; ++p) {
        if (r->column_at[p] == j) {
            return true;
        }
    }
    return false;
}

static bool is_pair_row(const reduction *r, int i)
{
    for (int p = 0; p < r->n; ++p) {
        if (r->row_at[p] == i) {
            return true;
        }
    }
    return false;
}

static bool is_zero_row(const reduction *r, int i)
{
    for (int j = 0; j < r->n; ++j) {
        if (fabs(element(r, i, j)) > RANK_TOLERANCE &&
            (r->free_column[j] || is_pair_column(r, j))) {
            return false;
        }
    }
    return true;
}

static bool is_zero_column(const reduction *r, int j)
{
    for (int i = 0; i < r->n; ++i) {
        if (fabs(element(r, i, j)) > RANK_TOLERANCE && (r->free_row[i] || is_pair_row(r, i))) {
            return false;
        }
    }
    return true;
}

// Rows that follow from others go, each with a variable that nothing depends on.
static void drop_dependent(dp_lcp_core *core, reduction *r)
{
    int j = 0;
    for (int i = 0; i < r->n; ++i) {
        if (!r->free_row[i] || !is_zero_row(r, i)) {
            continue;
        }
        core->dependent += 1;
        core->inconsistent = fmax(core->inconsistent, fabs(element(r, i, r->n)));
        while (j < r->n && !(r->free_column[j] && is_zero_column(r, j))) {
            ++j;
        }
        if (j < r->n) {
            core->lost_row[i] = core->lost_column[j] = 1;
            r->free_row[i] = r->free_column[j] = 0;
        }
    }
}

static dp_status reduce(dp_lcp_core *core, reduction *r)
{
    const dp_lcp *p = core->p;
    for (int i = 0; i < r->n; ++i) {
        const variable_kind kind = kind_of(p, i);
        r->free_row[i] = r->free_column[i] = kind == FREE;
        r->row_at[i] = r->column_at[i] = kind == FROM_LO || kind == FROM_HI ? i : -1;
        r->may_exchange[i] =
            r->row_at[i] >= 0 && !(isfinite(dp_lcp_lo(p, i)) && isfinite(dp_lcp_hi(p, i)));
        const double sign_i = kind == FROM_HI ? -1.0 : 1.0;
        for (int j = 0; j < r->n; ++j) {
            const double sign_j = kind_of(p, j) == FROM_HI ? -1.0 : 1.0;
            r->K[(size_t)i * r->stride + (size_t)j] =
                sign_i * sign_j * core->S[(size_t)i * (size_t)r->n + (size_t)j];
        }
        r->K[(size_t)i * r->stride + (size_t)r->n] = sign_i * core->s[i];
    }
    while (eliminate_free(r) || eliminate_with_pair(r)) {
        DP_TRY(dp_interrupt_check((size_t)r->n * (size_t)r->n));
    }
    drop_dependent(core, r);
    return DP_OK;
}

// ---- what is left

// Where a row and a column of (LC 1) come from; a free variable that is left comes twice.
typedef struct source {
    int row, column;
    double sign;
} source;

static void gather(dp_lcp_core *core, const reduction *r, source *from)
{
    const dp_lcp *p = core->p;
    core->m = 0;
    for (int i = 0; i < r->n; ++i) {
        if (r->row_at[i] < 0) {
            continue;
        }
        const double width = ldexp(dp_lcp_hi(p, i), -core->column[i] - core->shift) -
                             ldexp(dp_lcp_lo(p, i), -core->column[i] - core->shift);
        from[core->m] = (source){r->row_at[i], r->column_at[i], 1.0};
        core->pair[core->m++] = (dp_lcp_pair){
            .variable = i,
            .sign = kind_of(p, i) == FROM_HI ? -1.0 : 1.0,
            .range = isnan(width) ? (double)INFINITY : fmax(width, DBL_MIN),
            .exchanged = r->exchanged[i] != 0,
        };
    }
    int j = 0;
    for (int i = 0; i < r->n; ++i) {
        if (!r->free_row[i]) {
            continue;
        }
        while (!r->free_column[j]) { // there are as many columns as rows
            ++j;
        }
        for (int side = 0; side < 2; ++side) {
            from[core->m] = (source){i, j, side == 0 ? 1.0 : -1.0};
            core->pair[core->m++] =
                (dp_lcp_pair){.variable = j, .sign = 1.0, .range = (double)INFINITY, .split = true};
        }
        ++j;
    }
}

static void fill(dp_lcp_core *core, const reduction *r, const source *from, int *exponent)
{
    const int m = core->m;
    const size_t width = (size_t)m;
    double largest_b = 0.0;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            const double a = element(r, from[i].row, from[j].column);
            core->A[(size_t)i * width + (size_t)j] =
                r->eliminated > 0 && fabs(a) <= CANCELLED ? 0.0 : from[i].sign * from[j].sign * a;
        }
        core->b[i] = from[i].sign * element(r, from[i].row, r->n);
    }
    int *row = core->A_row, *column = exponent;
    dp_lcp_scaling scale = {row, column, exponent + m, exponent + 2 * (size_t)m, NULL};
    dp_lcp_equilibrate(&scale, core->A, m);
    for (int i = 0; i < m; ++i) {
        core->b[i] = ldexp(core->b[i], row[i]);
        largest_b = fmax(largest_b, fabs(core->b[i]));
    }
    const int shift = largest_b > 0.0 ? dp_exponent_of(largest_b) : 0;
    for (int i = 0; i < m; ++i) {
        core->b[i] = ldexp(core->b[i], -shift);
        core->pair[i].range = fmax(ldexp(core->pair[i].range, -column[i] - shift), DBL_MIN);
        for (int j = 0; j < m; ++j) {
            double *a = &core->A[(size_t)i * width + (size_t)j];
            *a = ldexp(*a, row[i] + column[j]);
        }
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < i; ++j) {
            const double difference =
                core->A[(size_t)i * width + (size_t)j] - core->A[(size_t)j * width + (size_t)i];
            core->symmetric = core->symmetric && fabs(difference) <= RANK_TOLERANCE;
        }
    }
}

static dp_status keep_pairs(dp_lcp_core *core, const reduction *r)
{
    size_t most = 0;
    for (int i = 0; i < r->n; ++i) {
        most += (r->row_at[i] >= 0 ? 1U : 0U) + (r->free_row[i] ? 2U : 0U);
    }
    core->m = (int)most;
    core->symmetric = true;
    if (most == 0) {
        return DP_OK;
    }
    DP_TRY(dp_allocate(&core->pair, &core->a, most, sizeof *core->pair));
    DP_TRY(dp_allocate(&core->A, &core->a, most * most, sizeof *core->A));
    DP_TRY(dp_allocate(&core->b, &core->a, most, sizeof *core->b));
    DP_TRY(dp_allocate(&core->A_row, &core->a, most, sizeof *core->A_row));
    source *from = NULL;
    int *exponent = NULL;
    dp_status status = dp_allocate(&from, &core->a, most, sizeof *from);
    if (status == DP_OK) {
        status = dp_allocate(&exponent, &core->a, 3 * most, sizeof *exponent);
    }
    if (status == DP_OK) {
        gather(core, r, from);
        fill(core, r, from, exponent);
    }
    dp_release(&core->a, exponent, 3 * most, sizeof *exponent);
    dp_release(&core->a, from, most, sizeof *from);
    return status;
}

// ---- memory

static dp_status take_problem(dp_lcp_core *core)
{
    const size_t n = (size_t)core->p->n;
    const dp_allocator *a = &core->a;
    DP_TRY(dp_allocate(&core->S, a, n * n, sizeof *core->S));
    DP_TRY(dp_allocate(&core->factor.LU, a, n * n, sizeof *core->factor.LU));
    double **const reals[] = {&core->s, &core->base, &core->x, &core->y, &core->factor.value};
    int **const counts[] = {&core->row,          &core->column,     &core->basis_row,
                            &core->basis_column, &core->factor.row, &core->factor.column,
                            &core->judge};
    uint8_t **const marks[] = {&core->state, &core->lost_row, &core->lost_column};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; ++k) {
        DP_TRY(dp_allocate(reals[k], a, n, sizeof **reals[k]));
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        DP_TRY(dp_allocate(counts[k], a, n, sizeof **counts[k]));
    }
    for (size_t k = 0; k < sizeof marks / sizeof *marks; ++k) {
        DP_TRY(dp_allocate(marks[k], a, n, sizeof **marks[k]));
    }
    return DP_OK;
}

static dp_status take_reduction(reduction *r, const dp_lcp_core *core)
{
    const size_t n = (size_t)core->p->n;
    const dp_allocator *a = &core->a;
    *r = (reduction){.n = core->p->n, .stride = n + 1};
    DP_TRY(dp_allocate(&r->K, a, n * (n + 1), sizeof *r->K));
    DP_TRY(dp_allocate(&r->row_at, a, n, sizeof *r->row_at));
    DP_TRY(dp_allocate(&r->column_at, a, n, sizeof *r->column_at));
    DP_TRY(dp_allocate(&r->free_row, a, n, 1));
    DP_TRY(dp_allocate(&r->free_column, a, n, 1));
    DP_TRY(dp_allocate(&r->may_exchange, a, n, 1));
    return dp_allocate(&r->exchanged, a, n, 1);
}

static void release_reduction(reduction *r, const dp_allocator *a)
{
    const size_t n = (size_t)r->n;
    dp_release(a, r->K, n * (n + 1), sizeof *r->K);
    dp_release(a, r->row_at, n, sizeof *r->row_at);
    dp_release(a, r->column_at, n, sizeof *r->column_at);
    dp_release(a, r->free_row, n, 1);
    dp_release(a, r->free_column, n, 1);
    dp_release(a, r->may_exchange, n, 1);
    dp_release(a, r->exchanged, n, 1);
}

dp_status dp_lcp_core_begin(dp_lcp_core *core, const dp_lcp *p, const dp_allocator *allocator)
{
    *core = (dp_lcp_core){.p = p, .a = dp_allocator_or_default(allocator)};
    DP_TRY(take_problem(core));
    scale_problem(core);
    core->shift = scale_rows(core->s, core, core->base, NULL, p->n);
    reduction r;
    dp_status status = take_reduction(&r, core);
    if (status == DP_OK) {
        status = reduce(core, &r);
    }
    if (status == DP_OK) {
        status = keep_pairs(core, &r);
    }
    release_reduction(&r, &core->a);
    return status;
}

void dp_lcp_core_end(dp_lcp_core *core)
{
    const size_t n = (size_t)core->p->n, m = (size_t)core->m;
    const dp_allocator *a = &core->a;
    dp_release(a, core->S, n * n, sizeof *core->S);
    dp_release(a, core->factor.LU, n * n, sizeof *core->factor.LU);
    double *const reals[] = {core->s, core->base, core->x, core->y, core->factor.value};
    int *const counts[] = {core->row,          core->column,     core->basis_row,
                           core->basis_column, core->factor.row, core->factor.column,
                           core->judge};
    uint8_t *const marks[] = {core->state, core->lost_row, core->lost_column};
    for (size_t k = 0; k < sizeof reals / sizeof *reals; ++k) {
        dp_release(a, reals[k], n, sizeof *reals[k]);
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        dp_release(a, counts[k], n, sizeof *counts[k]);
    }
    for (size_t k = 0; k < sizeof marks / sizeof *marks; ++k) {
        dp_release(a, marks[k], n, sizeof *marks[k]);
    }
    dp_release(a, core->pair, m, sizeof *core->pair);
    dp_release(a, core->A, m * m, sizeof *core->A);
    dp_release(a, core->b, m, sizeof *core->b);
    dp_release(a, core->A_row, m, sizeof *core->A_row);
}

// ---- back

// Where the variables are: the ends of their ranges, and 0 for those that are to be solved for.
static void stand_of_variables(double *z, uint8_t *state, const dp_lcp_core *core,
                               const uint8_t *stand)
{
    for (int i = 0; i < core->p->n; ++i) {
        state[i] = core->state[i];
        z[i] = core->state[i] == DP_LCP_BETWEEN ? 0.0 : core->base[i];
    }
    for (int k = 0; k < core->m; ++k) {
        const dp_lcp_pair *pair = &core->pair[k];
        const int i = pair->variable;
        const bool is_between = (stand[k] == DP_PAIR_IN) != pair->exchanged;
        if (pair->split || is_between) {
            continue;
        }
        const bool at_hi = pair->sign < 0.0 || (stand[k] == DP_PAIR_HI && !pair->exchanged);
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

static double basis_element(const dp_lcp_core *core, int i, int j)
{
    return core->S[(size_t)core->basis_row[i] * (size_t)core->p->n + (size_t)core->basis_column[j]];
}

// y = s + S x on the basis, summed in twice the digits. @return the largest
static double basis_residual(double *y, const dp_lcp_core *core, const double *s, const double *x,
                             int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        dp_doubled sum = {s[i], 0.0};
        for (int j = 0; j < count; ++j) {
            sum = dp_doubled_madd(sum, basis_element(core, i, j), (dp_doubled){x[j], 0.0});
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
    static const double SINGULAR = 1e-14;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            core->factor.LU[(size_t)i * (size_t)count + (size_t)j] = basis_element(core, i, j);
        }
        x[i] = 0.0;
    }
    core->factorizations += 1;
    dp_dense_factor(&core->factor, count, SINGULAR);
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

double dp_lcp_core_finish(double *z, uint8_t *state, dp_lcp_core *core, const uint8_t *stand)
{
    static const double GROWTH = 1e13; // of z beside q, both scaled: then q has three digits left
    static const double NOISE[] = {0.0, 1e-24, 1e-14}; // beside the largest z
    enum { TRIES = sizeof NOISE / sizeof *NOISE };
    static const double GOOD = 1e-14;
    const dp_lcp *p = core->p;
    stand_of_variables(z, state, core, stand);
    const int count = gather_basis(core, state);
    double *s = core->s; // it has done its duty in the reduction
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

// ---- searches

dp_status dp_lcp_trial_begin(dp_lcp_trial *t, const dp_lcp_core *core)
{
    const size_t m = (size_t)core->m;
    const dp_allocator *a = &core->a;
    *t = (dp_lcp_trial){0};
    DP_TRY(dp_allocate(&t->stand, a, m, sizeof *t->stand));
    DP_TRY(dp_allocate(&t->y, a, m, sizeof *t->y));
    DP_TRY(dp_allocate(&t->u, a, m, sizeof *t->u));
    DP_TRY(dp_allocate(&t->x, a, m, sizeof *t->x));
    DP_TRY(dp_allocate(&t->place, a, m, sizeof *t->place));
    DP_TRY(dp_allocate(&t->factor.LU, a, m * m, sizeof *t->factor.LU));
    DP_TRY(dp_allocate(&t->factor.row, a, m, sizeof *t->factor.row));
    DP_TRY(dp_allocate(&t->factor.column, a, m, sizeof *t->factor.column));
    return dp_allocate(&t->factor.value, a, m, sizeof *t->factor.value);
}

void dp_lcp_trial_end(dp_lcp_trial *t, const dp_lcp_core *core)
{
    const size_t m = (size_t)core->m;
    const dp_allocator *a = &core->a;
    dp_release(a, t->stand, m, sizeof *t->stand);
    dp_release(a, t->y, m, sizeof *t->y);
    dp_release(a, t->u, m, sizeof *t->u);
    dp_release(a, t->x, m, sizeof *t->x);
    dp_release(a, t->place, m, sizeof *t->place);
    dp_release(a, t->factor.LU, m * m, sizeof *t->factor.LU);
    dp_release(a, t->factor.row, m, sizeof *t->factor.row);
    dp_release(a, t->factor.column, m, sizeof *t->factor.column);
    dp_release(a, t->factor.value, m, sizeof *t->factor.value);
}

void dp_lcp_trial_rows(dp_lcp_trial *t, const dp_lcp_core *core)
{
    for (int i = 0; i < core->m; ++i) {
        const double *row = core->A + (size_t)i * (size_t)core->m;
        double sum = core->b[i];
        for (int j = 0; j < core->m; ++j) {
            sum += row[j] * t->y[j];
        }
        t->u[i] = sum;
    }
}

bool dp_lcp_trial_solve(dp_lcp_trial *t, dp_lcp_core *core)
{
    static const double SINGULAR = 1e-14;
    const size_t m = (size_t)core->m;
    int count = 0;
    for (int i = 0; i < core->m; ++i) {
        t->y[i] = t->stand[i] == DP_PAIR_HI ? core->pair[i].range : 0.0;
        if (t->stand[i] == DP_PAIR_IN) {
            t->place[count++] = i;
        }
    }
    dp_lcp_trial_rows(t, core);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            t->factor.LU[(size_t)i * (size_t)count + (size_t)j] =
                core->A[(size_t)t->place[i] * m + (size_t)t->place[j]];
        }
        t->x[i] = -t->u[t->place[i]];
    }
    core->factorizations += 1;
    dp_dense_factor(&t->factor, count, SINGULAR);
    dp_dense_solve(t->x, &t->factor, t->x);
    for (int i = 0; i < count; ++i) {
        t->y[t->place[i]] = t->x[i];
    }
    dp_lcp_trial_rows(t, core);
    return t->factor.rank == count;
}
