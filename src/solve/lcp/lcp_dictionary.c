// Elimination of the free variables of a linear complementarity problem, with complete pivoting.
//
// Where only a bounded variable is left to pair with (a multiplier of an equation between bounded
// variables), that one is exchanged with its row, a principal pivot, which keeps positive
// semidefinite matrices so [CottlePangStone2009, §4.1]. What then is left of a row of a free
// variable is nothing: it depends on others.
#include "solve/lcp/lcp_dictionary.h"

#include "base/interrupt.h"
#include "problem/lcp/lcp_row.h"
#include "problem/lcp/lcp_scale.h"

#include <math.h>
#include <string.h>

// Elements of a scaled matrix below this are the round-off of what was eliminated.
static const double RANK_TOLERANCE = 1e-11;
// What is left of differences of elements of about 1 that were equal.
static const double CANCELLED = 1e-14;
static const double SINGULAR = 1e-14;

int dp_lcp_dictionary_size(const dp_lcp *p)
{
    int size = p->n;
    for (int i = 0; i < p->n; ++i) { // a second half of what is free, or a range
        const bool lo = isfinite(dp_lcp_lo(p, i)), hi = isfinite(dp_lcp_hi(p, i));
        size += lo == hi;
    }
    return size;
}

void dp_lcp_dictionary_carve(dp_lcp_dictionary *L, dp_carver *c, int most)
{
    const size_t N = (size_t)most, all = 2 * N + 1;
    L->most = most;
    L->T = dp_carve(c, N * (N + 2), sizeof *L->T);
    L->d = dp_carve(c, N, sizeof *L->d);
    L->of = dp_carve(c, N, sizeof *L->of);
    L->basic = dp_carve(c, N, sizeof *L->basic);
    L->nonbasic = dp_carve(c, N + 1, sizeof *L->nonbasic);
    L->where = dp_carve(c, all, sizeof *L->where);
    L->partner = dp_carve(c, all, sizeof *L->partner);
    L->begins = dp_carve(c, all, 1);
    L->idle = dp_carve(c, all, 1);
    L->tied = dp_carve(c, N, 1);
    L->wanted = dp_carve(c, all, 1);
}

// ---- the numbers

double dp_lcp_dictionary_matrix(const dp_lcp_dictionary *L, int i, int j)
{
    const dp_lcp_row_of *a = &L->of[i], *b = &L->of[j];
    if (a->ranged >= 0 || b->ranged >= 0) {
        return a->ranged == j ? -1.0 : b->ranged == i ? 1.0 : 0.0;
    }
    return a->sign * b->sign *
           L->core->S[(size_t)a->row * (size_t)L->core->p->n + (size_t)b->column];
}

static double vector_element(const dp_lcp_dictionary *L, int i)
{
    const dp_lcp_row_of *of = &L->of[i];
    return ldexp(of->ranged >= 0 ? L->core->range[of->column] : of->sign * L->core->s[of->row],
                 -L->shift);
}

void dp_lcp_dictionary_exchange(dp_lcp_dictionary *L, int r, int c)
{
    dp_dictionary_exchange(L->T, L->N, L->N + 2, L->stride, r, c);
    const int in = L->nonbasic[c], out = L->basic[r];
    L->basic[r] = in;
    L->nonbasic[c] = out;
    L->where[in] = r;
    L->where[out] = -1 - c;
    ++L->since;
}

static void write(dp_lcp_dictionary *L)
{
    L->stride = (size_t)L->N + 2;
    for (int i = 0; i < L->N; ++i) {
        double *row = dp_lcp_dictionary_row(L, i);
        for (int j = 0; j < L->N; ++j) {
            row[j] = dp_lcp_dictionary_matrix(L, i, j);
        }
        row[L->N] = L->d[i];
        row[L->N + 1] = vector_element(L, i);
        L->basic[i] = i;
        L->where[i] = i;
        L->nonbasic[i] = L->most + i;
        L->where[L->most + i] = -1 - i;
    }
    L->nonbasic[L->N] = 2 * L->most;
    L->where[2 * L->most] = -1 - L->N;
}

// The largest element in rows that are to leave and columns that are to enter.
static double find_exchange(const dp_lcp_dictionary *L, const uint8_t *basic, int *row, int *column)
{
    double largest = 0.0;
    for (int i = 0; i < L->N; ++i) {
        const double *T = dp_lcp_dictionary_row(L, i);
        for (int j = 0; !basic[L->basic[i]] && j <= L->N; ++j) {
            const double size = basic[L->nonbasic[j]] ? fabs(T[j]) : 0.0;
            if (size > largest) {
                largest = size;
                *row = i;
                *column = j;
            }
        }
    }
    return largest;
}

static void clean(dp_lcp_dictionary *L)
{
    for (int i = 0; L->eliminated > 0 && i < L->N; ++i) {
        double *T = dp_lcp_dictionary_row(L, i);
        for (int j = 0; j < L->N; ++j) {
            T[j] = fabs(T[j]) <= CANCELLED ? 0.0 : T[j];
        }
    }
    L->since = 0;
}

bool dp_lcp_dictionary_fill(dp_lcp_dictionary *L, const uint8_t *basic)
{
    int missing = 0;
    for (int k = 0; k < L->N; ++k) {
        missing += basic[L->most + k];
    }
    write(L);
    for (missing += basic[2 * L->most]; missing > 0; --missing) {
        int row = 0, column = 0;
        if (!(find_exchange(L, basic, &row, &column) > SINGULAR)) {
            return false;
        }
        dp_lcp_dictionary_exchange(L, row, column);
    }
    clean(L);
    return true;
}

static void add_row(dp_lcp_dictionary *L, dp_lcp_row_of of)
{
    const int k = L->N++;
    L->of[k] = of;
    L->partner[k] = k + L->most;
    L->partner[k + L->most] = k;
}

// ---- free variables

static bool is_free(const dp_lcp_dictionary *L, int k)
{
    return L->of[k].ranged < 0 && L->core->kind[L->of[k].column] == DP_LCP_FREE;
}

// Rows and columns of free variables that are still to be eliminated.
static bool is_free_row(const dp_lcp_dictionary *L, int r)
{
    const int v = L->basic[r];
    return v < L->most && is_free(L, v) && !L->idle[v];
}

static bool is_free_column(const dp_lcp_dictionary *L, int c)
{
    const int v = L->nonbasic[c] - L->most;
    return v >= 0 && v < L->most && is_free(L, v) && !L->idle[v + L->most];
}

// A free variable and the row of one, the pair of the largest element.
static bool eliminate_free(dp_lcp_dictionary *L)
{
    int row = -1, column = -1;
    double largest = RANK_TOLERANCE;
    for (int i = 0; i < L->N; ++i) {
        const double *T = dp_lcp_dictionary_row(L, i);
        for (int j = 0; is_free_row(L, i) && j < L->N; ++j) {
            if (fabs(T[j]) > largest && is_free_column(L, j)) {
                largest = fabs(T[j]);
                row = i;
                column = j;
            }
        }
    }
    if (row >= 0) {
        L->idle[L->basic[row]] = L->idle[L->nonbasic[column]] = 1;
        dp_lcp_dictionary_exchange(L, row, column);
        L->eliminated += 1;
    }
    return row >= 0;
}

static bool has_range(const dp_lcp_dictionary *L, int k)
{
    return L->of[k].ranged >= 0 || isfinite(L->core->range[L->of[k].column]);
}

// The row of a free variable with the variable of a pair, and the row of that with a free one.
static bool eliminate_with_pair(dp_lcp_dictionary *L)
{
    int pivot[4] = {-1, -1, -1, -1}; // rows and columns of the two exchanges
    double largest = RANK_TOLERANCE;
    for (int p = 0; p < L->N; ++p) {
        const bool exchanged = L->where[p] < 0;
        const int own = L->where[exchanged ? p + L->most : p];
        const int other = -1 - L->where[exchanged ? p : p + L->most];
        int row = -1, column = -1;
        double of_row = 0.0, of_column = 0.0;
        for (int k = 0; k < L->N && !is_free(L, p) && !has_range(L, p); ++k) {
            const double in_column = fabs(dp_lcp_dictionary_row(L, k)[other]);
            const double in_row = fabs(dp_lcp_dictionary_row(L, own)[k]);
            if (in_column > of_row && is_free_row(L, k)) {
                of_row = in_column;
                row = k;
            }
            if (in_row > of_column && is_free_column(L, k)) {
                of_column = in_row;
                column = k;
            }
        }
        if (fmin(of_row, of_column) > largest) {
            largest = fmin(of_row, of_column);
            memcpy(pivot, (int[]){row, other, own, column}, sizeof pivot);
        }
    }
    if (pivot[0] >= 0) {
        L->idle[L->basic[pivot[0]]] = L->idle[L->nonbasic[pivot[3]]] = 1;
        dp_lcp_dictionary_exchange(L, pivot[0], pivot[1]);
        dp_lcp_dictionary_exchange(L, pivot[2], pivot[3]);
        L->eliminated += 1;
    }
    return pivot[0] >= 0;
}

// The largest element of a row, or of a column, that may still change.
static double largest_of(const dp_lcp_dictionary *L, int at, bool row)
{
    double largest = 0.0;
    for (int k = 0; k < L->N; ++k) {
        const double size = fabs(dp_lcp_dictionary_row(L, row ? at : k)[row ? k : at]);
        largest = L->idle[row ? L->nonbasic[k] : L->basic[k]] ? largest : fmax(largest, size);
    }
    return largest;
}

// Rows that follow from others go, each with a variable that nothing depends on.
static void drop_dependent(dp_lcp_dictionary *L)
{
    dp_lcp_core *core = L->core;
    int c = 0;
    for (int r = 0; r < L->N; ++r) {
        if (!is_free_row(L, r) || largest_of(L, r, true) > RANK_TOLERANCE) {
            continue;
        }
        core->dependent += 1;
        core->inconsistent = fmax(core->inconsistent, fabs(dp_lcp_dictionary_constant(L, r)));
        while (c < L->N && !(is_free_column(L, c) && largest_of(L, c, false) <= RANK_TOLERANCE)) {
            ++c;
        }
        if (c < L->N) {
            core->lost_row[L->of[L->basic[r]].row] = 1;
            core->lost_column[L->of[L->nonbasic[c] - L->most].column] = 1;
            L->idle[L->basic[r]] = L->idle[L->nonbasic[c]] = 1;
        }
    }
}

// A free variable that is left comes twice, as the difference of two that are not negative, each
// with a row that is left. @return whether there are any
static bool split(dp_lcp_dictionary *L)
{
    const int N = L->N;
    for (int r = 0, c = 0; r < N; ++r) {
        if (is_free_row(L, r)) {
            while (!is_free_column(L, c)) { // there are as many as rows
                ++c;
            }
            const int k = L->basic[r], j = L->nonbasic[c++] - L->most;
            L->partner[k] = j + L->most;
            L->partner[j + L->most] = k;
            L->begins[L->N] = 1;
            add_row(L, (dp_lcp_row_of){L->of[k].row, L->of[j].column, -1.0, -1});
        }
    }
    return L->N > N;
}

// ---- all of it

static void list_rows(dp_lcp_dictionary *L)
{
    const dp_lcp_core *core = L->core;
    L->N = L->shift = L->eliminated = 0;
    for (int i = 0; i < core->p->n; ++i) {
        if (core->kind[i] != DP_LCP_FIXED) {
            add_row(L, (dp_lcp_row_of){i, i, 1.0, -1});
        }
    }
    for (int k = 0, pairs = L->N; k < pairs; ++k) {
        if (isfinite(core->range[L->of[k].column])) {
            add_row(L, (dp_lcp_row_of){-1, L->of[k].column, 1.0, k});
        }
    }
}

dp_status dp_lcp_dictionary_begin(dp_lcp_dictionary *L)
{
    const size_t all = 2 * (size_t)L->most + 1;
    list_rows(L);
    memset(L->idle, 0, all);
    memset(L->begins, 0, all);
    memset(L->d, 0, (size_t)L->most * sizeof *L->d);
    write(L);
    while (eliminate_free(L) || eliminate_with_pair(L)) {
        DP_TRY(dp_interrupt_check((size_t)L->N * (size_t)L->N));
    }
    drop_dependent(L);
    double largest = 0.0;
    for (int r = 0; r < L->N; ++r) {
        const int v = L->basic[r];
        const bool counts = !L->idle[v] && L->of[v % L->most].ranged < 0;
        L->begins[v] = 1;
        largest = counts ? fmax(largest, fabs(dp_lcp_dictionary_constant(L, r))) : largest;
    }
    const double least = L->eliminated > 0 ? CANCELLED : 0.0; // what is below is not made large
    L->shift = largest > least ? dp_exponent_of(largest) : 0;
    clean(L);
    for (int r = 0; r < L->N; ++r) {
        double *constant = &dp_lcp_dictionary_row(L, r)[L->N + 1];
        *constant = ldexp(*constant, -L->shift);
    }
    L->is_new = !split(L);
    return DP_OK;
}
