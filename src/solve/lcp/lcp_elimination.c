// Elimination of the free variables of a linear complementarity problem, with complete pivoting;
// what is left are the pairs of (LC 1).
//
// Where only a bounded variable is left to pair with (a multiplier of an equation between bounded
// variables), that one is exchanged with its row, a principal pivot, which keeps positive
// semidefinite matrices so [CottlePangStone2009, §4.1]. What then is left of a row of a free
// variable is nothing: it depends on others.
#include "base/interrupt.h"
#include "problem/lcp_row.h"
#include "problem/lcp_scale.h"
#include "solve/lcp/lcp_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Elements of a scaled matrix below this are the round-off of what was eliminated.
static const double RANK_TOLERANCE = 1e-11;
// What is left of differences of elements of about 1 that were equal.
static const double CANCELLED = 1e-14;

// ---- pivots

static double *row_of(const dp_lcp_core *core, int i)
{
    return core->elimination.K + (size_t)i * ((size_t)core->p->n + 1);
}

static double element(const dp_lcp_core *core, int i, int j)
{
    return row_of(core, i)[j];
}

// A pivot after which its row (of a variable that is computed in the end) or its column (of a row
// that is zero for good) is left out.
static void exchange(dp_lcp_core *core, int row, int column, bool leave_row, bool leave_column)
{
    const int n = core->p->n;
    dp_dictionary_exchange(core->elimination.K, n, n + 1, (size_t)n + 1, row, column);
    if (leave_row) {
        memset(row_of(core, row), 0, ((size_t)n + 1) * sizeof(double));
    }
    for (int i = 0; leave_column && i < n; ++i) {
        row_of(core, i)[column] = 0.0;
    }
}

static void settle(dp_lcp_elimination *e, int row, int column)
{
    e->free_row[row] = e->free_column[column] = 0;
    e->eliminated += 1;
}

// A free variable and the row of one, the pair of the largest element.
static bool eliminate_free(dp_lcp_core *core)
{
    dp_lcp_elimination *e = &core->elimination;
    int row = -1, column = -1;
    double most = RANK_TOLERANCE;
    for (int i = 0; i < core->p->n; ++i) {
        for (int j = 0; e->free_row[i] && j < core->p->n; ++j) {
            const double size = e->free_column[j] ? fabs(element(core, i, j)) : 0.0;
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
    exchange(core, row, column, true, true);
    settle(e, row, column);
    return true;
}

// The row of a free variable with the variable of a pair, and the row of that with a free one.
static bool eliminate_with_pair(dp_lcp_core *core)
{
    dp_lcp_elimination *e = &core->elimination;
    int best = -1, row = -1, column = -1;
    double most = RANK_TOLERANCE;
    for (int p = 0; p < core->p->n; ++p) {
        int i_most = -1, j_most = -1;
        double of_row = 0.0, of_column = 0.0;
        for (int k = 0; e->may_exchange[p] && k < core->p->n; ++k) {
            const double in_column = e->free_row[k] ? fabs(element(core, k, e->column_at[p])) : 0.0;
            const double in_row = e->free_column[k] ? fabs(element(core, e->row_at[p], k)) : 0.0;
            i_most = in_column > of_row ? k : i_most;
            of_row = fmax(of_row, in_column);
            j_most = in_row > of_column ? k : j_most;
            of_column = fmax(of_column, in_row);
        }
        if (fmin(of_row, of_column) > most) {
            most = fmin(of_row, of_column);
            best = p;
            row = i_most;
            column = j_most;
        }
    }
    if (best < 0) {
        return false;
    }
    exchange(core, row, e->column_at[best], false, true);
    exchange(core, e->row_at[best], column, true, false);
    settle(e, row, column);
    e->row_at[best] = row;
    e->column_at[best] = column;
    e->exchanged[best] = !e->exchanged[best];
    return true;
}

// ---- rows that depend on others

// What has been eliminated is zero already.
static bool is_zero_row(const dp_lcp_core *core, int i)
{
    double most = 0.0;
    for (int j = 0; j < core->p->n; ++j) {
        most = fmax(most, fabs(element(core, i, j)));
    }
    return most <= RANK_TOLERANCE;
}

static bool is_zero_column(const dp_lcp_core *core, int j)
{
    double most = 0.0;
    for (int i = 0; i < core->p->n; ++i) {
        most = fmax(most, fabs(element(core, i, j)));
    }
    return most <= RANK_TOLERANCE;
}

// Rows that follow from others go, each with a variable that nothing depends on.
static void drop_dependent(dp_lcp_core *core)
{
    dp_lcp_elimination *e = &core->elimination;
    const int n = core->p->n;
    int j = 0;
    for (int i = 0; i < n; ++i) {
        if (!e->free_row[i] || !is_zero_row(core, i)) {
            continue;
        }
        core->dependent += 1;
        core->inconsistent = fmax(core->inconsistent, fabs(element(core, i, n)));
        while (j < n && !(e->free_column[j] && is_zero_column(core, j))) {
            ++j;
        }
        if (j < n) {
            core->lost_row[i] = core->lost_column[j] = 1;
            e->free_row[i] = e->free_column[j] = 0;
        }
    }
}

// y counts from hi downwards where there is no lo.
static double sign_of(const dp_lcp *p, int i)
{
    return dp_lcp_kind_of(p, i) == DP_LCP_FROM_HI ? -1.0 : 1.0;
}

dp_status dp_lcp_eliminate(dp_lcp_core *core)
{
    dp_lcp_elimination *e = &core->elimination;
    const dp_lcp *p = core->p;
    const int n = p->n;
    for (int i = 0; i < n; ++i) {
        const dp_lcp_kind kind = dp_lcp_kind_of(p, i);
        const bool is_pair = kind == DP_LCP_FROM_LO || kind == DP_LCP_FROM_HI;
        const bool ranged = isfinite(dp_lcp_lo(p, i)) && isfinite(dp_lcp_hi(p, i));
        e->free_row[i] = e->free_column[i] = kind == DP_LCP_FREE;
        e->row_at[i] = e->column_at[i] = is_pair ? i : -1;
        e->may_exchange[i] = is_pair && !ranged;
        for (int j = 0; j < n; ++j) {
            row_of(core, i)[j] =
                sign_of(p, i) * sign_of(p, j) * core->S[(size_t)i * (size_t)n + (size_t)j];
        }
        row_of(core, i)[n] = sign_of(p, i) * core->s[i];
    }
    while (eliminate_free(core) || eliminate_with_pair(core)) {
        DP_TRY(dp_interrupt_check((size_t)n * (size_t)n));
    }
    drop_dependent(core);
    for (int i = 0; i < n; ++i) {
        core->m += (e->row_at[i] >= 0 ? 1 : 0) + (e->free_row[i] ? 2 : 0);
    }
    return DP_OK;
}

// ---- the pairs

// A free variable that is left comes twice, as the difference of two that are not negative.
static void gather(dp_lcp_core *core)
{
    const dp_lcp_elimination *e = &core->elimination;
    const dp_lcp *p = core->p;
    int m = 0, j = 0;
    for (int i = 0; i < p->n; ++i) {
        if (e->row_at[i] >= 0) {
            const double width = ldexp(dp_lcp_hi(p, i), -core->column[i] - core->shift) -
                                 ldexp(dp_lcp_lo(p, i), -core->column[i] - core->shift);
            core->source[m] = (dp_lcp_source){e->row_at[i], e->column_at[i], 1.0};
            core->pair[m++] = (dp_lcp_pair){
                .variable = i,
                .sign = sign_of(p, i),
                .range = isnan(width) ? (double)INFINITY : fmax(width, DBL_MIN),
                .exchanged = e->exchanged[i] != 0,
            };
        }
    }
    for (int i = 0; i < p->n; ++i) {
        while (e->free_row[i] && !e->free_column[j]) { // there are as many columns as rows
            ++j;
        }
        for (int side = 0; e->free_row[i] && side < 2; ++side) {
            core->source[m] = (dp_lcp_source){i, j, side == 0 ? 1.0 : -1.0};
            core->pair[m++] =
                (dp_lcp_pair){.variable = j, .sign = 1.0, .range = (double)INFINITY, .split = true};
        }
        j += e->free_row[i];
    }
}

static void fill(dp_lcp_core *core)
{
    const dp_lcp_source *from = core->source;
    const size_t m = (size_t)core->m;
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < m; ++j) {
            const double a = element(core, from[i].row, from[j].column);
            const bool cancelled = core->elimination.eliminated > 0 && fabs(a) <= CANCELLED;
            core->A[i * m + j] = cancelled ? 0.0 : from[i].sign * from[j].sign * a;
        }
        core->b[i] = from[i].sign * element(core, from[i].row, core->p->n);
    }
}

static void scale(dp_lcp_core *core)
{
    const size_t m = (size_t)core->m;
    int *row = core->A_row, *column = core->exponent;
    double largest = 0.0;
    dp_lcp_scaling scaling = {row, column, column + m, column + 2 * m, NULL};
    dp_lcp_equilibrate(&scaling, core->A, core->m);
    for (size_t i = 0; i < m; ++i) {
        core->b[i] = ldexp(core->b[i], row[i]);
        largest = fmax(largest, fabs(core->b[i]));
    }
    const int shift = largest > 0.0 ? dp_exponent_of(largest) : 0;
    for (size_t i = 0; i < m; ++i) {
        core->b[i] = ldexp(core->b[i], -shift);
        core->pair[i].range = fmax(ldexp(core->pair[i].range, -column[i] - shift), DBL_MIN);
        for (size_t j = 0; j < m; ++j) {
            core->A[i * m + j] = ldexp(core->A[i * m + j], row[i] + column[j]);
        }
    }
}

void dp_lcp_list_pairs(dp_lcp_core *core)
{
    const size_t m = (size_t)core->m;
    gather(core);
    fill(core);
    scale(core);
    core->symmetric = true;
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < i; ++j) {
            const double difference = core->A[i * m + j] - core->A[j * m + i];
            core->symmetric = core->symmetric && fabs(difference) <= RANK_TOLERANCE;
        }
    }
}
