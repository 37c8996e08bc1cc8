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
// tied; of these, small pivots are avoided; before a ray is believed, the dictionary is computed
// afresh from the problem.
#include "base/interrupt.h"
#include "solve/lcp/lcp_dictionary.h"

#include <math.h>
#include <string.h>

// Does the row never leave?
static bool is_idle(const dp_lcp_dictionary *L, int r)
{
    return L->idle[L->basic[r]];
}

// ---- afresh

static bool renew(dp_lcp_dictionary *L)
{
    memset(L->wanted, 0, 2 * (size_t)L->most + 1);
    for (int r = 0; r < L->N; ++r) {
        L->wanted[L->basic[r]] = 1;
    }
    return dp_lcp_dictionary_fill(L, L->wanted);
}

// ---- which row leaves

// How the basic variable of a row depends on the perturbation of row k, as it was in the beginning:
// an element of the inverse of the basis.
static double inverse_element(const dp_lcp_dictionary *L, int r, int k)
{
    const int at = L->where[L->begins[k] ? k : k + L->most];
    return at >= 0 ? (at == r ? 1.0 : 0.0) : -dp_lcp_dictionary_row(L, r)[-1 - at];
}

// Of the tied rows those remain whose next ratio is the least. @return how many
static int narrow(dp_lcp_dictionary *L, int c, int k)
{
    double least = (double)INFINITY, size = 0.0;
    for (int r = 0; r < L->N; ++r) {
        if (L->tied[r]) {
            const double ratio = inverse_element(L, r, k) / -dp_lcp_dictionary_row(L, r)[c];
            least = ratio < least ? ratio : least;
            size = fmax(size, fabs(ratio));
        }
    }
    int left = 0;
    for (int r = 0; r < L->N; ++r) {
        if (L->tied[r]) {
            const double ratio = inverse_element(L, r, k) / -dp_lcp_dictionary_row(L, r)[c];
            L->tied[r] = ratio <= least + L->round_off * size;
            left += L->tied[r];
        }
    }
    return left;
}

static int first_tied(const dp_lcp_dictionary *L)
{
    int r = 0;
    while (r < L->N && !L->tied[r]) {
        ++r;
    }
    return r < L->N ? r : -1;
}

// Rows whose value falls to 0 before any other, give or take round-off. @return how many
static int tie_ratios(dp_lcp_dictionary *L, int c)
{
    double largest = 0.0, least = (double)INFINITY, pivot = 0.0;
    for (int r = 0; r < L->N; ++r) {
        largest = is_idle(L, r) ? largest : fmax(largest, fabs(dp_lcp_dictionary_row(L, r)[c]));
    }
    for (int r = 0; r < L->N; ++r) {
        const double slope = -dp_lcp_dictionary_row(L, r)[c];
        L->tied[r] = !is_idle(L, r) && slope > L->round_off * largest;
        if (L->tied[r]) {
            const double value = fmax(dp_lcp_dictionary_constant(L, r), 0.0);
            least = fmin(least, (value + L->round_off * fmax(1.0, value)) / slope);
        }
    }
    for (int r = 0; r < L->N; ++r) {
        const double slope = -dp_lcp_dictionary_row(L, r)[c];
        L->tied[r] = L->tied[r] && fmax(dp_lcp_dictionary_constant(L, r), 0.0) / slope <= least;
        pivot = L->tied[r] ? fmax(pivot, slope) : pivot;
    }
    int count = 0;
    for (int r = 0; r < L->N; ++r) {
        L->tied[r] = L->tied[r] && -dp_lcp_dictionary_row(L, r)[c] >= L->threshold * pivot;
        count += L->tied[r];
    }
    return count;
}

// The row that leaves when column c grows from 0; −1: none does.
static int leaving_row(dp_lcp_dictionary *L, int c)
{
    int count = tie_ratios(L, c);
    const int of_z0 = L->where[2 * L->most];
    if (of_z0 >= 0 && L->tied[of_z0]) {
        return of_z0; // the end
    }
    for (int k = 0; k < L->N && count > 1; ++k) {
        count = narrow(L, c, k);
    }
    return first_tied(L);
}

// The row that z₀ must lift most: the last of several that are alike, by the lexicographic order.
static int first_row(const dp_lcp_dictionary *L)
{
    int row = -1;
    double most = 0.0;
    for (int r = 0; r < L->N; ++r) {
        const double d = dp_lcp_dictionary_row(L, r)[L->N],
                     lift = -dp_lcp_dictionary_constant(L, r) / d;
        if (!is_idle(L, r) && d > 0.0 && lift > 0.0 && lift >= most) {
            most = lift;
            row = r;
        }
    }
    return row;
}

// ---- the path

// Does no y ≥ 0 have A y + b ≥ 0? The row of z₀ says z₀ = t + Σ T x over variables that are ≥ 0:
// where all T ≥ 0 < t, z₀ cannot become 0. For copositive-plus A every ray ends like this
// (docs/theory/lcp.md).
static bool row_proves(const dp_lcp_dictionary *L)
{
    static const double PROOF = 1e-9;
    const int r = L->where[2 * L->most];
    if (r < 0) {
        return false;
    }
    const double *row = dp_lcp_dictionary_row(L, r);
    double largest = 0.0, least = 0.0;
    for (int j = 0; j <= L->N; ++j) {
        if (!L->idle[L->nonbasic[j]]) {
            largest = fmax(largest, fabs(row[j]));
            least = fmin(least, row[j]);
        }
    }
    return least >= -L->round_off * largest && dp_lcp_dictionary_constant(L, r) > PROOF;
}

static dp_lcp_search follow(dp_lcp_dictionary *L, int most)
{
    dp_lcp_search out = {.end = DP_END_FOUND};
    const int first = first_row(L), z0 = 2 * L->most;
    if (first < 0) {
        return out;
    }
    int entering = L->partner[L->basic[first]];
    dp_lcp_dictionary_exchange(L, first, L->N);
    const size_t work = (size_t)L->N * (size_t)L->N; // of an exchange
    for (out.steps = 1; out.steps < most && !dp_interrupted(work); ++out.steps) {
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
        const int leaving = L->basic[row];
        dp_lcp_dictionary_exchange(L, row, column);
        if (leaving == z0) {
            ++out.steps;
            return out;
        }
        entering = L->partner[leaving];
    }
    out.end = DP_END_CAPPED;
    return out;
}

// A pair is between where its y is basic, at the far end where its multiplier is.
static void read_basis(uint8_t *basis, const dp_lcp_dictionary *L)
{
    for (int k = 0; k < L->N; ++k) {
        const dp_lcp_row_of *of = &L->of[k];
        const bool is_basic = L->where[L->most + k] >= 0;
        if (of->ranged < 0) {
            basis[of->column] = is_basic ? DP_PAIR_BETWEEN : DP_PAIR_LO;
        } else if (is_basic) { // behind its pair
            basis[of->column] = DP_PAIR_HI;
        }
    }
}

// ---- the call

// What z₀ lifts rows by where the path begins: nothing is asked of ranges, equations and free
// variables.
static double lift_of(const dp_lcp_dictionary *D, int k, const double *cover)
{
    const bool begins = D->begins[k], halved = D->of[k].sign < 0.0;
    return D->of[k].ranged >= 0 || D->idle[begins ? k : D->partner[k]] ? 0.0
           : begins && !halved && cover                                ? cover[D->of[k].row]
                                                                       : 1.0;
}

// The covering vector of the rows u − S y for that.
static void cover_rows(dp_lcp_dictionary *D, const double *cover)
{
    for (int i = 0; i < D->N; ++i) {
        D->d[i] = D->begins[i] ? lift_of(D, i, cover) : 0.0;
        for (int k = 0; k < D->N; ++k) {
            if (!D->begins[k] && D->begins[D->partner[k]]) { // exchanged with its row
                D->d[i] -= dp_lcp_dictionary_matrix(D, i, k) * lift_of(D, k, cover);
            }
        }
    }
}

dp_lcp_search dp_lcp_lemke(dp_lcp_dictionary *D, const double *cover, double threshold,
                           double round_off, int most)
{
    D->threshold = threshold;
    D->round_off = round_off;
    dp_lcp_search out = {.end = DP_END_LOST};
    cover_rows(D, cover);
    if (!D->is_new && !dp_lcp_dictionary_fill(D, D->begins)) {
        return out;
    }
    for (int r = 0; D->is_new && r < D->N; ++r) {
        dp_lcp_dictionary_row(D, r)[D->N] = lift_of(D, D->basic[r] % D->most, cover);
    }
    D->is_new = false;
    out = follow(D, most);
    read_basis(D->core->basis, D);
    return out;
}
