#include "linalg/tree_lu.h"

#include "base/interrupt.h"
#include "base/simd_dispatch.h"
#include "math/f64x2.h"

#include <math.h>
#include <string.h>

enum { DEEP = 100 };              // so many rows of such a length are worth a poll each
static const double LOST = 1e-14; // of what stood there before: no digit of a pivot is right

// Let one way to a root hold both a and b, whatever else their ways held.
static void merge_ways(int *parent, int a, int b)
{
    while (a != b && a >= 0 && b >= 0) {
        const int higher = a > b ? a : b, lower = a > b ? b : a;
        const int next = parent[higher];
        if (next < lower) {
            parent[higher] = lower;
            a = lower;
            b = next;
        } else {
            a = next;
            b = lower;
        }
    }
}

dp_status dp_tree_lu_analyse(dp_tree_lu *out, int n, const int *parent, int nclique,
                             const int *clique_start, const int *clique_node, dp_arena *arena)
{
    int *up;
    *out = (dp_tree_lu){.n = n};
    DP_TRY(dp_arena_take(&up, arena, (size_t)n, sizeof *up));
    DP_TRY(dp_arena_take(&out->depth, arena, (size_t)n, sizeof *out->depth));
    DP_TRY(dp_arena_take(&out->start, arena, (size_t)n + 1, sizeof *out->start));
    DP_TRY(dp_arena_take(&out->inverse, arena, (size_t)n, sizeof *out->inverse));
    DP_TRY(dp_arena_take(&out->apart, arena, (size_t)n, sizeof *out->apart));
    for (int i = 0; i < n; ++i) {
        up[i] = parent[i];
    }
    for (int q = 0; q < nclique; ++q) {
        for (int k = clique_start[q] + 1; k < clique_start[q + 1]; ++k) {
            merge_ways(up, clique_node[k - 1], clique_node[k]);
        }
    }
    for (int i = 0; i < n; ++i) {
        out->apart[i] = true;
    }
    for (int k = clique_start[0]; k < clique_start[nclique]; ++k) {
        out->apart[clique_node[k]] = false;
    }
    for (int i = n - 1; i >= 0; --i) {
        if (up[i] >= 0 && !out->apart[i]) {
            out->apart[up[i]] = false;
        }
    }
    out->start[0] = 0;
    for (int i = 0; i < n; ++i) {
        out->depth[i] = up[i] < 0 ? 0 : out->depth[up[i]] + 1;
        out->start[i + 1] = out->start[i] + (size_t)out->depth[i] + 1;
    }
    DP_TRY(dp_arena_take(&out->way, arena, out->start[n], sizeof *out->way));
    DP_TRY(dp_arena_take(&out->pair, arena, 2 * out->start[n], sizeof *out->pair));
    DP_TRY(dp_arena_take(&out->forest, arena, 2 * out->start[n], sizeof *out->forest));
    for (int i = 0; i < n; ++i) {
        int *way = out->way + out->start[i];
        if (up[i] >= 0) {
            memcpy(way, out->way + out->start[up[i]], (size_t)out->depth[i] * sizeof *way);
        }
        way[out->depth[i]] = i;
    }
    return DP_OK;
}

void dp_tree_lu_begin(dp_tree_lu *A)
{
    memcpy(A->pair, A->forest, 2 * A->start[A->n] * sizeof *A->pair);
}

// Take k out of i, which is place d of its way. Row and column go side by side.
static inline void eliminate(double *restrict pair_i, const double *restrict pair_k, int d,
                             double inverse)
{
    const dp_f64x2 f = dp_f64x2_of(pair_k[2 * d + 1] * inverse, pair_k[2 * d] * inverse);
    const double *end = pair_k + 2 * d;
    for (; pair_k < end; pair_k += 4, pair_i += 4) {
        const dp_f64x2 one = dp_f64x2_msub(dp_f64x2_load(pair_i), f, dp_f64x2_load(pair_k));
        const dp_f64x2 two = dp_f64x2_msub(dp_f64x2_load(pair_i + 2), f, dp_f64x2_load(pair_k + 2));
        dp_f64x2_store(pair_i, one);
        dp_f64x2_store(pair_i + 2, two);
    }
    if (pair_k == end) {
        dp_f64x2_store(pair_i, dp_f64x2_msub(dp_f64x2_load(pair_i), f, dp_f64x2_load(pair_k)));
    }
}

// Take k out of i, and then k's parent, in one go.
static inline void eliminate_two(double *restrict pair_i, const double *restrict pair_k,
                                 const double *restrict pair_up, int d, double inverse_k,
                                 double inverse_up)
{
    const dp_f64x2 f = dp_f64x2_of(pair_k[2 * d + 1] * inverse_k, pair_k[2 * d] * inverse_k);
    const dp_f64x2 g = dp_f64x2_of(pair_up[2 * d + 1] * inverse_up, pair_up[2 * d] * inverse_up);
    for (int e = 0; e <= d; ++e, pair_i += 2, pair_k += 2, pair_up += 2) {
        const dp_f64x2 less = dp_f64x2_msub(dp_f64x2_load(pair_i), f, dp_f64x2_load(pair_k));
        dp_f64x2_store(pair_i, dp_f64x2_msub(less, g, dp_f64x2_load(pair_up)));
    }
}

// Is the way of k that of k − 1 and one more?
static inline bool goes_on(const dp_tree_lu *A, int k)
{
    return k > 0 && A->depth[k] > 0 && A->way[A->start[k + 1] - 2] == k - 1;
}

// @return 1/pivot; 0 where it is lost
static inline double invert_pivot(double pivot, double before)
{
    return fabs(pivot) > LOST * fabs(before) && isfinite(pivot) ? 1.0 / pivot : 0.0;
}

// Take those out that stand apart, or the others. @return false where a pivot is lost
// @param deep whether a poll of each row is worth it
DP_INLINE bool eliminate_rows(dp_tree_lu *A, double *pairs, bool apart, const bool deep)
{
    for (int i = 0; i < A->n; ++i) {
        if (A->apart[i] == apart) {
            A->inverse[i] = pairs[2 * A->start[i + 1] - 2];
        }
    }
    for (int k = A->n - 1; k >= 0; --k) {
        if (A->apart[k] != apart) {
            continue;
        }
        const double *pair = pairs + 2 * A->start[k];
        const int *way = A->way + A->start[k], depth = A->depth[k];
        const double inverse = A->inverse[k] = invert_pivot(pair[2 * depth], A->inverse[k]);
        if (inverse == 0.0 || (deep && dp_interrupted((size_t)depth * (size_t)depth))) {
            return false;
        }
        if (!goes_on(A, k) || A->apart[k - 1] != apart) {
            for (int d = depth - 1; d >= 0; --d) {
                eliminate(pairs + 2 * A->start[way[d]], pair, d, inverse);
            }
            continue;
        }
        --k;
        double *up = pairs + 2 * A->start[k];
        eliminate(up, pair, depth - 1, inverse);
        const double next = A->inverse[k] = invert_pivot(up[2 * depth - 2], A->inverse[k]);
        if (next == 0.0) {
            return false;
        }
        for (int d = depth - 2; d >= 0; --d) {
            eliminate_two(pairs + 2 * A->start[way[d]], pair, up, d, inverse, next);
        }
    }
    return true;
}

static bool eliminate_all(dp_tree_lu *A, double *pairs, bool apart)
{
    return A->start[A->n] > DEEP * DEEP ? eliminate_rows(A, pairs, apart, true)
                                        : eliminate_rows(A, pairs, apart, false);
}

bool dp_tree_lu_load(dp_tree_lu *A, const int *parent, const size_t *M_start, const double *M)
{
    if (A->start[A->n] > M_start[A->n] - M_start[0]) { // ways that are longer than those of M
        memset(A->forest, 0, 2 * A->start[A->n] * sizeof *A->forest);
    }
    for (int i = 0; i < A->n; ++i) {
        const double *element = M + M_start[i];
        double *pair = A->forest + 2 * A->start[i];
        for (int j = i; j >= 0; j = parent[j], ++element) {
            pair[2 * A->depth[j]] = pair[2 * A->depth[j] + 1] = *element;
        }
    }
    return eliminate_all(A, A->forest, true);
}

bool dp_tree_lu_factor(dp_tree_lu *A)
{
    return eliminate_all(A, A->pair, false);
}

void dp_tree_lu_solve(double *x, const dp_tree_lu *A, const double *b)
{
    if (x != b) {
        memcpy(x, b, (size_t)A->n * sizeof *x);
    }
    for (int k = A->n - 1; k >= 0; --k) {
        const double *pair = A->pair + 2 * A->start[k] + 1, y = x[k] * A->inverse[k];
        const int *way = A->way + A->start[k], depth = A->depth[k];
        if (!goes_on(A, k)) {
            for (int d = 0; d < depth; ++d) {
                x[way[d]] -= pair[2 * d] * y;
            }
            continue;
        }
        --k;
        x[k] -= pair[2 * depth - 2] * y;
        const double *up = A->pair + 2 * A->start[k] + 1, z = x[k] * A->inverse[k];
        for (int d = 0; d + 1 < depth; ++d) {
            x[way[d]] = (x[way[d]] - pair[2 * d] * y) - up[2 * d] * z;
        }
    }
    for (int k = 0; k < A->n; ++k) {
        const double *pair = A->pair + 2 * A->start[k];
        const int *way = A->way + A->start[k], depth = A->depth[k];
        double even = x[k], odd = 0.0; // two chains of additions run side by side
        if (k + 1 == A->n || !goes_on(A, k + 1)) {
            for (int d = 0; d + 1 < depth; d += 2) {
                even -= pair[2 * d] * x[way[d]];
                odd -= pair[2 * d + 2] * x[way[d + 1]];
            }
            if (depth % 2 == 1) {
                even -= pair[2 * depth - 2] * x[way[depth - 1]];
            }
            x[k] = (even + odd) * A->inverse[k];
            continue;
        }
        const double *next = A->pair + 2 * A->start[k + 1];
        double even_next = x[k + 1], odd_next = 0.0;
        for (int d = 0; d + 1 < depth; d += 2) {
            const double x_d = x[way[d]], x_e = x[way[d + 1]];
            even -= pair[2 * d] * x_d;
            odd -= pair[2 * d + 2] * x_e;
            even_next -= next[2 * d] * x_d;
            odd_next -= next[2 * d + 2] * x_e;
        }
        if (depth % 2 == 1) {
            const double x_d = x[way[depth - 1]];
            even -= pair[2 * depth - 2] * x_d;
            even_next -= next[2 * depth - 2] * x_d;
        }
        x[k] = (even + odd) * A->inverse[k];
        if (depth % 2 == 1) {
            odd_next -= next[2 * depth] * x[k];
        } else {
            even_next -= next[2 * depth] * x[k];
        }
        ++k;
        x[k] = (even_next + odd_next) * A->inverse[k];
    }
}
