#include "linalg/tree_ldl.h"

#include "base/interrupt.h"
#include "base/simd_dispatch.h"
#include "math/f64x2.h"

#include <string.h>

void dp_tree_ldl_expand(double *dense, dp_tree_ldl at, const double *M)
{
    const size_t n = (size_t)at.n;
    // The lower triangle from the last row on: row i of the dense matrix begins where the packed
    // rows up to i have ended, or with the very number that is read, so M may be `dense`.
    for (int i = at.n - 1; i >= 0; --i) {
        double *out = dense + (size_t)i * n;
        const double *row = M + at.start[i];
        int done = i + 1; // columns from here on are written
        for (int j = i; j >= 0; j = at.parent[j]) {
            out[j] = *row++;
            for (int zero = j + 1; zero < done; ++zero) {
                out[zero] = 0.0;
            }
            done = j;
        }
        for (int zero = 0; zero < done; ++zero) {
            out[zero] = 0.0;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            dense[j * n + i] = dense[i * n + j];
        }
    }
}

// Free bodies are trees of six rows, each along the one before: loops over them have known lengths.
enum { SIX = 6 };

// So many rows of such a length are worth a poll each.
enum { DEEP = 100 };

// Does a tree of that kind begin at row i?
static bool is_six(dp_tree_ldl at, int i)
{
    const int *p = at.parent + i;
    return i + SIX <= at.n && p[0] < 0 && p[1] == i && p[2] == i + 1 && p[3] == i + 2 &&
           p[4] == i + 3 && p[5] == i + 4;
}

// Row k: where it begins, and what it adds to y = M x.
static inline int six_row(int k)
{
    return k * (k + 1) / 2;
}

static inline void apply_row(double *y, const double *M, const double *x, int k)
{
    const double *row = M + six_row(k);
    double sum = row[0] * x[k];
    for (int j = 1; j <= k; ++j) {
        sum += row[j] * x[k - j];
        y[k - j] += row[j] * x[k];
    }
    y[k] = sum;
}

static void apply_six(double *y, const double *M, const double *x)
{
    double out[SIX]; // apart from x, so that it stays in registers
    apply_row(out, M, x, 0);
    apply_row(out, M, x, 1);
    apply_row(out, M, x, 2);
    apply_row(out, M, x, 3);
    apply_row(out, M, x, 4);
    apply_row(out, M, x, 5);
    memcpy(y, out, sizeof out);
}

// What row k adds to xᵀ M x.
static inline double square_row(const double *M, const double *x, int k)
{
    const double *row = M + six_row(k);
    double beside = 0.0;
    for (int j = 1; j <= k; ++j) {
        beside += row[j] * x[k - j];
    }
    return x[k] * (row[0] * x[k] + 2.0 * beside);
}

static double square_six(const double *M, const double *x)
{
    return square_row(M, x, 0) + square_row(M, x, 1) + square_row(M, x, 2) + square_row(M, x, 3) +
           square_row(M, x, 4) + square_row(M, x, 5);
}

// Lᵀ x = b and L x = b for six. Loops over an array would be made vectors, which wait for memory
// that was just written number by number.
static void solve_six_upper(double *x, const double *LD)
{
    const double *row5 = LD + six_row(5), *row4 = LD + six_row(4), *row3 = LD + six_row(3);
    const double *row2 = LD + six_row(2), *row1 = LD + six_row(1);
    const double x5 = x[5];
    const double x4 = x[4] - row5[1] * x5;
    const double x3 = x[3] - row5[2] * x5 - row4[1] * x4;
    const double x2 = x[2] - row5[3] * x5 - row4[2] * x4 - row3[1] * x3;
    const double x1 = x[1] - row5[4] * x5 - row4[3] * x4 - row3[2] * x3 - row2[1] * x2;
    x[0] = x[0] - row5[5] * x5 - row4[4] * x4 - row3[3] * x3 - row2[2] * x2 - row1[1] * x1;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
    x[4] = x4;
}

static void solve_six_lower(double *x, const double *LD)
{
    const double *row5 = LD + six_row(5), *row4 = LD + six_row(4), *row3 = LD + six_row(3);
    const double *row2 = LD + six_row(2), *row1 = LD + six_row(1);
    const double x0 = x[0];
    const double x1 = x[1] - row1[1] * x0;
    const double x2 = x[2] - row2[1] * x1 - row2[2] * x0;
    const double x3 = x[3] - row3[1] * x2 - row3[2] * x1 - row3[3] * x0;
    const double x4 = x[4] - row4[1] * x3 - row4[2] * x2 - row4[3] * x1 - row4[4] * x0;
    x[5] = x[5] - row5[1] * x4 - row5[2] * x3 - row5[3] * x2 - row5[4] * x1 - row5[5] * x0;
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
    x[4] = x4;
}

// LᵀDL x = b in place.
static void solve_six(double *x, const double *LD)
{
    const bool diagonal = dp_mat6_is_diagonal(LD);
    if (!diagonal) {
        solve_six_upper(x, LD);
    }
    for (int k = 0; k < SIX; ++k) {
        x[k] /= LD[six_row(k)];
    }
    if (!diagonal) {
        solve_six_lower(x, LD);
    }
}

// Take row k out of row i < k.
static inline void eliminate(double *M, double inverse, int k, int i)
{
    double *row_k = M + six_row(k) + (k - i), *row_i = M + six_row(i);
    if (row_k[0] == 0.0) { // many are, about a centre of mass
        return;
    }
    const double l = row_k[0] * inverse;
    for (int j = 0; j <= i; ++j) {
        row_i[j] -= l * row_k[j];
    }
    row_k[0] = l;
}

static inline void eliminate_all(double *M, int k)
{
    const double inverse = 1.0 / M[six_row(k)];
    for (int i = k - 1; i >= 0; --i) {
        eliminate(M, inverse, k, i);
    }
}

// @return −1, or the first row from the end whose pivot is not > 0
DP_INLINE int factor_six(double *M)
{
    if (!dp_mat6_is_diagonal(M)) {
        eliminate_all(M, 5);
        eliminate_all(M, 4);
        eliminate_all(M, 3);
        eliminate_all(M, 2);
        eliminate_all(M, 1);
    }
    int k = SIX - 1;
    while (k >= 0 && M[six_row(k)] > 0.0) {
        --k;
    }
    return k;
}

void dp_tree_ldl_apply(double *y, dp_tree_ldl at, const double *M, const double *x)
{
    for (int i = 0; i < at.n; ++i) {
        if (is_six(at, i)) {
            apply_six(y + i, M + at.start[i], x + i);
            i += SIX - 1;
            continue;
        }
        const double *row = M + at.start[i], x_i = x[i];
        double sum = *row * x_i;
        for (int j = at.parent[i]; j >= 0; j = at.parent[j]) {
            const double element = *++row;
            sum += element * x[j];
            y[j] += element * x_i;
        }
        y[i] = sum;
    }
}

double dp_tree_ldl_square(dp_tree_ldl at, const double *M, const double *x, int first, int end)
{
    if (end - first == SIX && is_six(at, first)) {
        return square_six(M + at.start[first], x + first);
    }
    double sum = 0.0;
    for (int i = first; i < end; ++i) {
        const double *row = M + at.start[i];
        const double own = row[0] * x[i];
        double beside = 0.0;
        for (int j = at.parent[i]; j >= 0; j = at.parent[j]) {
            beside += *++row * x[j];
        }
        sum += x[i] * (own + 2.0 * beside);
    }
    return sum;
}

// y −= l x
static inline void subtract(double *restrict y, double l, const double *restrict x, int n)
{
    const dp_f64x2 both = dp_f64x2_of(l, l);
    int k = 0;
    for (; k + 2 <= n; k += 2) {
        dp_f64x2_store(y + k, dp_f64x2_msub(dp_f64x2_load(y + k), both, dp_f64x2_load(x + k)));
    }
    if (k < n) {
        y[k] -= l * x[k];
    }
}

// y −= l x, and then m z
static inline void subtract_two(double *restrict y, double l, const double *restrict x, double m,
                                const double *restrict z, int n)
{
    const dp_f64x2 of_x = dp_f64x2_both(l), of_z = dp_f64x2_both(m);
    int k = 0;
    for (; k + 2 <= n; k += 2) {
        const dp_f64x2 less = dp_f64x2_msub(dp_f64x2_load(y + k), of_x, dp_f64x2_load(x + k));
        dp_f64x2_store(y + k, dp_f64x2_msub(less, of_z, dp_f64x2_load(z + k)));
    }
    if (k < n) {
        y[k] = (y[k] - l * x[k]) - m * z[k];
    }
}

// Take row k out of its parents.
static void eliminate_row(double *M, dp_tree_ldl at, int k, double inverse)
{
    double *row_k = M + at.start[k];
    const int length = (int)(at.start[k + 1] - at.start[k]);
    int along = 1;
    for (int i = at.parent[k]; i >= 0; i = at.parent[i], ++along) {
        const double l = row_k[along] * inverse;
        // both chains run to the root from i on
        subtract(M + at.start[i], l, row_k + along, length - along);
        row_k[along] = l; // not read again: later i use elements further along
    }
}

// The same for row k and its parent k − 1, which has the pivot that k has left.
static void eliminate_rows(double *M, dp_tree_ldl at, int k, double inverse)
{
    double *row_k = M + at.start[k], *up = M + at.start[k - 1];
    const int length = (int)(at.start[k] - at.start[k - 1]);
    const double last = row_k[1] * inverse;
    subtract(up, last, row_k + 1, length);
    row_k[1] = last;
    const double inverse_up = 1.0 / up[0];
    int along = 1;
    for (int i = at.parent[k - 1]; i >= 0; i = at.parent[i], ++along) {
        const double l = row_k[along + 1] * inverse, m = up[along] * inverse_up;
        subtract_two(M + at.start[i], l, row_k + along + 1, m, up + along, length - along);
        row_k[along + 1] = l;
        up[along] = m;
    }
}

int dp_tree_ldl_factor(double *M, dp_tree_ldl at)
{
    return dp_tree_ldl_factor_part(M, at, 0, at.n);
}

// @param deep whether a poll of each row is worth it
DP_INLINE int factor_part(double *M, dp_tree_ldl at, int first, int end, const bool deep)
{
    int bad = -1;
    for (int k = end - 1; k >= first; --k) {
        if (k - first >= SIX - 1 && is_six(at, k - (SIX - 1))) {
            k -= SIX - 1;
            const int bad_row = factor_six(M + at.start[k]);
            bad = bad < 0 && bad_row >= 0 ? k + bad_row : bad;
            continue;
        }
        const double pivot = M[at.start[k]];
        bad = bad < 0 && !(pivot > 0.0) ? k : bad;
        if (deep && dp_interrupted((size_t)k * (size_t)k / 2)) { // ends as if it were singular
            return k;
        }
        if (k == first || at.parent[k] != k - 1) {
            eliminate_row(M, at, k, 1.0 / pivot);
            continue;
        }
        eliminate_rows(M, at, k, 1.0 / pivot);
        --k;
        bad = bad < 0 && !(M[at.start[k]] > 0.0) ? k : bad;
    }
    return bad;
}

int dp_tree_ldl_factor_part(double *M, dp_tree_ldl at, int first, int end)
{
    return at.start[end] - at.start[first] > DEEP * DEEP ? factor_part(M, at, first, end, true)
                                                         : factor_part(M, at, first, end, false);
}

// Lᵀ x = b and L x = b, one row of any tree.
static void solve_row_up(double *x, dp_tree_ldl at, const double *LD, int i)
{
    const double *row = LD + at.start[i], x_i = x[i];
    for (int j = at.parent[i]; j >= 0; j = at.parent[j]) {
        x[j] -= *++row * x_i;
    }
}

static void solve_row_down(double *x, dp_tree_ldl at, const double *LD, int i)
{
    const double *row = LD + at.start[i];
    double x_i = x[i];
    for (int j = at.parent[i]; j >= 0; j = at.parent[j]) {
        x_i -= *++row * x[j];
    }
    x[i] = x_i;
}

void dp_tree_ldl_solve_part(double *x, dp_tree_ldl at, const double *LD, int first, int end)
{
    for (int i = end - 1; i >= first; --i) { // Lᵀ, then D
        if (i - first >= SIX - 1 && is_six(at, i - (SIX - 1))) {
            i -= SIX - 1;
            solve_six(x + i, LD + at.start[i]); // and L: they begin at a root
        } else {
            solve_row_up(x, at, LD, i);
            x[i] /= LD[at.start[i]];
        }
    }
    for (int i = first; i < end; ++i) { // L
        if (end - i >= SIX && is_six(at, i)) {
            i += SIX - 1;
        } else {
            solve_row_down(x, at, LD, i);
        }
    }
}

void dp_tree_ldl_solve(double *x, dp_tree_ldl at, const double *LD, const double *b)
{
    if (x != b) {
        memcpy(x, b, (size_t)at.n * sizeof *x);
    }
    dp_tree_ldl_solve_part(x, at, LD, 0, at.n);
}
