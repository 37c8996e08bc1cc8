// Lemke's method on (LC 1) [Lemke1965], [CottlePangStone2009, §4.4 and §4.9].
//
// A variable z₀ ≥ 0 is added with a covering vector d: u = A y + d z₀ + b. For large z₀ the basis
// of all u is feasible. From there the path of bases goes on in which z₀ is basic and of each pair
// at most one variable is: the partner of what left the basis enters. It ends with z₀ leaving, a
// solution, or in a ray along which nothing leaves.
//
// Ties are broken lexicographically: b means b + (ε, ε², …), whose basic values are those of
// columns of the dictionary, so that no basis comes twice.
//
// Departures. Ranges of y are rows of their own, range − y ≥ 0 with a multiplier, for which d is 0:
// z₀ need not lift what is feasible, and with all ranges finite there is no ray at all, whatever A
// is (docs/theory/lcp.md). In floating point: values within round-off of the least ratio count as
// tied; of these, small pivots are avoided; whether the dictionary still belongs to its basis is
// looked at now and then, and it is computed afresh from A where it does not, and always before a
// ray is believed.
#include "base/interrupt.h"
#include "linalg/dense.h"
#include "solve/lcp/lcp_core.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DRIFT = 1e-9;

typedef struct lemke {
    const dp_lcp_core *core;
    int N;         // rows: pairs, and those with a range once more
    int *ranged;   // N − m: which pairs these are
    double *d;     // N
    size_t stride; // N + 2: columns of the nonbasic, and the constants
    double *T;     // N rows
    // Variables: 0 … N − 1 are rows (u), N … 2N − 1 columns (y), 2N is z₀.
    int *basic;      // N: variable of each row
    int *nonbasic;   // N + 1: of each column
    int *where;      // 2N + 1: row, or −1 − column
    uint8_t *tied;   // N
    uint8_t *wanted; // 2N + 1
    double *y;       // N: scratch
    double threshold;
    double round_off; // of basic values and of columns, in units of the scaled data
    int since;        // exchanges since the dictionary was computed afresh
} lemke;

static double *row_of(const lemke *L, int r)
{
    return L->T + (size_t)r * L->stride;
}

static double constant(const lemke *L, int r)
{
    return row_of(L, r)[L->N + 1];
}

// ---- the problem with ranges as rows

static double matrix_element(const lemke *L, int i, int j)
{
    const int m = L->core->m;
    if (i < m && j < m) {
        return L->core->A[(size_t)i * (size_t)m + (size_t)j];
    }
    if (i >= m && j >= m) {
        return 0.0;
    }
    return i >= m ? (L->ranged[i - m] == j ? -1.0 : 0.0) : (L->ranged[j - m] == i ? 1.0 : 0.0);
}

static double vector_element(const lemke *L, int i)
{
    const int m = L->core->m;
    return i < m ? L->core->b[i] : L->core->pair[L->ranged[i - m]].range;
}

static void begin(lemke *L)
{
    for (int i = 0; i < L->N; ++i) {
        double *row = row_of(L, i);
        for (int j = 0; j < L->N; ++j) {
            row[j] = matrix_element(L, i, j);
        }
        row[L->N] = L->d[i];
        row[L->N + 1] = vector_element(L, i);
        L->basic[i] = i;
        L->where[i] = i;
        L->nonbasic[i] = L->N + i;
        L->where[L->N + i] = -1 - i;
    }
    L->nonbasic[L->N] = 2 * L->N;
    L->where[2 * L->N] = -1 - L->N;
    L->since = 0;
}

// Basic variable of row r and nonbasic variable of column c change places.
static void exchange(lemke *L, int r, int c)
{
    dp_dictionary_exchange(L->T, L->N, L->N + 2, L->stride, r, c);
    const int in = L->nonbasic[c], out = L->basic[r];
    L->basic[r] = in;
    L->nonbasic[c] = out;
    L->where[in] = r;
    L->where[out] = -1 - c;
    ++L->since;
}

// ---- afresh

// The largest element in rows that are to leave and columns that are to enter.
static double find_exchange(const lemke *L, int *row, int *column)
{
    double most = 0.0;
    *row = *column = 0;
    for (int i = 0; i < L->N; ++i) {
        if (L->wanted[L->basic[i]]) {
            continue;
        }
        for (int j = 0; j <= L->N; ++j) {
            const double size = L->wanted[L->nonbasic[j]] ? fabs(row_of(L, i)[j]) : 0.0;
            if (size > most) {
                most = size;
                *row = i;
                *column = j;
            }
        }
    }
    return most;
}

// The dictionary of the same basis from A, d and b. @return false where the basis is singular
static bool renew(lemke *L)
{
    static const double SINGULAR = 1e-14;
    int missing = 0;
    memset(L->wanted, 0, 2 * (size_t)L->N + 1);
    for (int i = 0; i < L->N; ++i) {
        L->wanted[L->basic[i]] = 1;
        missing += L->basic[i] >= L->N;
    }
    begin(L);
    for (; missing > 0; --missing) {
        int row, column;
        if (!(find_exchange(L, &row, &column) > SINGULAR)) {
            return false;
        }
        exchange(L, row, column);
    }
    L->since = 0;
    return true;
}

// By how much the basic values miss their equations, beside the size of the terms.
static double drift(lemke *L)
{
    const int N = L->N;
    const double z0 = L->where[2 * N] >= 0 ? constant(L, L->where[2 * N]) : 0.0;
    double worst = 0.0;
    for (int j = 0; j < N; ++j) {
        L->y[j] = L->where[N + j] >= 0 ? constant(L, L->where[N + j]) : 0.0;
    }
    for (int i = 0; i < N; ++i) {
        const double u = L->where[i] >= 0 ? constant(L, L->where[i]) : 0.0;
        double sum = vector_element(L, i) + L->d[i] * z0 - u;
        double size = 1.0 + fabs(L->d[i] * z0) + fabs(u);
        for (int j = 0; j < N; ++j) {
            if (L->y[j] != 0.0) {
                const double term = matrix_element(L, i, j) * L->y[j];
                sum += term;
                size += fabs(term);
            }
        }
        const double miss = fabs(sum) / size;
        worst = miss <= worst ? worst : miss; // not a number is not small
    }
    return worst;
}

// ---- which row leaves

// How the basic variable of a row depends on the perturbation of row k: an element of the inverse
// of the basis.
static double inverse_element(const lemke *L, int r, int k)
{
    const int at = L->where[k];
    return at >= 0 ? (at == r ? 1.0 : 0.0) : -row_of(L, r)[-1 - at];
}

// Of the tied rows those remain whose next ratio is the least. @return how many
static int narrow(lemke *L, int c, int k)
{
    double least = (double)INFINITY, size = 0.0;
    for (int r = 0; r < L->N; ++r) {
        if (L->tied[r]) {
            const double ratio = inverse_element(L, r, k) / -row_of(L, r)[c];
            least = ratio < least ? ratio : least;
            size = fmax(size, fabs(ratio));
        }
    }
    int left = 0;
    for (int r = 0; r < L->N; ++r) {
        if (L->tied[r]) {
            const double ratio = inverse_element(L, r, k) / -row_of(L, r)[c];
            L->tied[r] = ratio <= least + L->round_off * size;
            left += L->tied[r];
        }
    }
    return left;
}

static int first_tied(const lemke *L)
{
    int r = 0;
    while (r < L->N && !L->tied[r]) {
        ++r;
    }
    return r < L->N ? r : -1;
}

// Rows whose value falls to 0 before any other, give or take round-off. @return how many
static int tie_ratios(lemke *L, int c)
{
    double largest = 0.0, least = (double)INFINITY, pivot = 0.0;
    for (int r = 0; r < L->N; ++r) {
        largest = fmax(largest, fabs(row_of(L, r)[c]));
    }
    for (int r = 0; r < L->N; ++r) {
        const double slope = -row_of(L, r)[c];
        if (slope > L->round_off * largest) {
            const double value = fmax(constant(L, r), 0.0);
            least = fmin(least, (value + L->round_off * fmax(1.0, value)) / slope);
        }
    }
    for (int r = 0; r < L->N; ++r) {
        const double slope = -row_of(L, r)[c];
        L->tied[r] = slope > L->round_off * largest && fmax(constant(L, r), 0.0) / slope <= least;
        pivot = L->tied[r] ? fmax(pivot, slope) : pivot;
    }
    int count = 0;
    for (int r = 0; r < L->N; ++r) {
        L->tied[r] = L->tied[r] && -row_of(L, r)[c] >= L->threshold * pivot;
        count += L->tied[r];
    }
    return count;
}

// The row that leaves when column c grows from 0; −1: none does.
static int leaving_row(lemke *L, int c)
{
    int count = tie_ratios(L, c);
    const int of_z0 = L->where[2 * L->N];
    if (of_z0 >= 0 && L->tied[of_z0]) {
        return of_z0; // the end
    }
    for (int k = 0; k < L->N && count > 1; ++k) {
        count = narrow(L, c, k);
    }
    return first_tied(L);
}

// The row that z₀ must lift most: the last of several that are alike, by the lexicographic order.
static int first_row(const lemke *L)
{
    int row = -1;
    double most = 0.0;
    for (int i = 0; i < L->N; ++i) {
        if (L->d[i] > 0.0 && vector_element(L, i) < 0.0) {
            const double lift = -vector_element(L, i) / L->d[i];
            if (lift >= most) {
                most = lift;
                row = i;
            }
        }
    }
    return row;
}

// ---- the path

// Does no y ≥ 0 have A y + b ≥ 0? The row of z₀ says z₀ = t + Σ T x over variables that are ≥ 0:
// where all T ≥ 0 < t, z₀ cannot become 0. For copositive-plus A every ray ends like this
// (docs/theory/lcp.md).
static bool row_proves(const lemke *L)
{
    static const double PROOF = 1e-9;
    const int r = L->where[2 * L->N];
    if (r < 0) {
        return false;
    }
    const double *row = row_of(L, r);
    double largest = 0.0, least = 0.0;
    for (int j = 0; j <= L->N; ++j) {
        largest = fmax(largest, fabs(row[j]));
        least = fmin(least, row[j]);
    }
    return least >= -L->round_off * largest && constant(L, r) > PROOF;
}

static int partner(const lemke *L, int variable)
{
    return variable < L->N ? variable + L->N : variable - L->N;
}

static bool is_feasible(const lemke *L)
{
    double size = 1.0, least = 0.0;
    for (int r = 0; r < L->N; ++r) {
        size = fmax(size, fabs(constant(L, r)));
        least = fmin(least, constant(L, r));
    }
    return least >= -DRIFT * size;
}

static dp_lcp_search follow(lemke *L, int most)
{
    enum { LOOK = 32 };
    dp_lcp_search out = {.end = DP_END_FOUND};
    begin(L);
    const int first = first_row(L);
    if (first < 0) {
        return out;
    }
    int entering = partner(L, first);
    exchange(L, first, L->N);
    const size_t work = (size_t)L->N * (size_t)L->N; // of an exchange
    for (out.steps = 1; out.steps < most && !dp_interrupted(work); ++out.steps) {
        if (L->since >= LOOK && L->since % LOOK == 0 && !(drift(L) <= DRIFT)) {
            if (!renew(L) || !is_feasible(L)) {
                out.end = DP_END_LOST;
                return out;
            }
        }
        int column = -1 - L->where[entering];
        int row = leaving_row(L, column);
        if (row < 0 && L->since > 0) { // believed of a dictionary computed afresh only
            if (!renew(L)) {
                out.end = DP_END_LOST;
                return out;
            }
            column = -1 - L->where[entering];
            row = leaving_row(L, column);
        }
        if (row < 0) {
            out.infeasible = row_proves(L);
            out.end = DP_END_RAY;
            return out;
        }
        const int out_variable = L->basic[row];
        exchange(L, row, column);
        if (out_variable == 2 * L->N) {
            ++out.steps;
            return out;
        }
        entering = partner(L, out_variable);
    }
    out.end = DP_END_CAPPED;
    return out;
}

// A pair is between where its y is basic, at the far end where its multiplier is.
static void read_basis(uint8_t *basis, const lemke *L)
{
    const int m = L->core->m;
    for (int i = 0; i < m; ++i) {
        basis[i] = L->where[L->N + i] >= 0 ? DP_PAIR_BETWEEN : DP_PAIR_LO;
    }
    for (int k = m; k < L->N; ++k) {
        if (L->where[L->N + k] >= 0) {
            basis[L->ranged[k - m]] = DP_PAIR_HI;
        }
    }
}

// ---- the call

static void carve(lemke *L, dp_carver *c)
{
    const size_t N = (size_t)L->N;
    L->stride = N + 2;
    L->T = dp_carve(c, N * L->stride, sizeof *L->T);
    L->d = dp_carve(c, N, sizeof *L->d);
    L->y = dp_carve(c, N, sizeof *L->y);
    L->ranged = dp_carve(c, N, sizeof *L->ranged);
    L->basic = dp_carve(c, N, sizeof *L->basic);
    L->nonbasic = dp_carve(c, N + 1, sizeof *L->nonbasic);
    L->where = dp_carve(c, 2 * N + 1, sizeof *L->where);
    L->tied = dp_carve(c, N, sizeof *L->tied);
    L->wanted = dp_carve(c, 2 * N + 1, sizeof *L->wanted);
}

size_t dp_lcp_lemke_memory(int N)
{
    lemke L = {.N = N};
    dp_carver measure = {NULL, 0};
    carve(&L, &measure);
    return measure.used;
}

dp_status dp_lcp_lemke(dp_lcp_search *out, dp_lcp_core *core, const double *d, dp_lcp_care care,
                       int most, const dp_allocator *a)
{
    lemke L = {
        .core = core, .N = core->m, .threshold = care.threshold, .round_off = care.round_off};
    for (int i = 0; i < core->m; ++i) {
        L.N += isfinite(core->pair[i].range);
    }
    char *memory;
    const size_t bytes = dp_lcp_lemke_memory(L.N);
    DP_TRY(dp_allocate_unset(&memory, a, bytes, 1));
    dp_carver carver = {memory, 0};
    carve(&L, &carver);
    int row = core->m; // of the next range
    for (int i = 0; i < core->m; ++i) {
        L.d[i] = d[i];
        if (isfinite(core->pair[i].range)) {
            L.ranged[row - core->m] = i;
            L.d[row++] = 0.0;
        }
    }
    *out = follow(&L, most);
    read_basis(core->trial.basis, &L);
    dp_release(a, memory, bytes, 1);
    return DP_OK;
}
