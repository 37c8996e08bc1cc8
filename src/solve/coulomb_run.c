#include "solve/coulomb_run.h"

#include "math/pair2.h"

enum { BODY = 6, ROWS = 3, CONTACT = ROWS * BODY };

// A row times v, of which the sum is left to do.
static inline dp_pair2 multiply(const double *g, const dp_pair2 v[3])
{
    const dp_pair2 first = dp_pair2_mul(dp_pair2_load(g), v[0]);
    return dp_pair2_madd(dp_pair2_madd(first, dp_pair2_load(g + 2), v[1]), dp_pair2_load(g + 4),
                         v[2]);
}

void dp_run_velocities(double *u, int n, const double *G, const double *scale, const double *v)
{
    const dp_pair2 pair[3] = {dp_pair2_load(v), dp_pair2_load(v + 2), dp_pair2_load(v + 4)};
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, u += ROWS) {
        const dp_pair2 a = multiply(G, pair), b = multiply(G + BODY, pair);
        const dp_pair2 sum = dp_pair2_add(dp_pair2_firsts(a, b), dp_pair2_seconds(a, b));
        dp_pair2_store(u, dp_pair2_mul(dp_pair2_load(scale), sum));
        u[2] = scale[2] * dp_pair2_sum(multiply(G + 2 * BODY, pair));
    }
}

// Forces of so many contacts are summed by themselves: round-off grows with the root of what is
// summed in a row.
enum { TOGETHER = 32 };

static void add_forces(dp_pair2 sum[3], int n, const double *G, const double *scale,
                       const double *y)
{
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, y += ROWS) {
        const dp_pair2 x[ROWS] = {dp_pair2_both(scale[0] * y[0]), dp_pair2_both(scale[1] * y[1]),
                                  dp_pair2_both(scale[2] * y[2])};
        for (int k = 0; k < 3; ++k) {
            const double *g = G + 2 * k;
            dp_pair2 push = dp_pair2_mul(dp_pair2_load(g), x[0]);
            push = dp_pair2_madd(push, dp_pair2_load(g + BODY), x[1]);
            push = dp_pair2_madd(push, dp_pair2_load(g + 2 * BODY), x[2]);
            sum[k] = dp_pair2_add(sum[k], push);
        }
    }
}

void dp_run_forces(double *force, int n, const double *G, const double *scale, const double *y)
{
    dp_pair2 sum[3] = {dp_pair2_load(force), dp_pair2_load(force + 2), dp_pair2_load(force + 4)};
    int i = 0;
    for (; i + TOGETHER < n; i += TOGETHER) {
        dp_pair2 part[3] = {dp_pair2_zero(), dp_pair2_zero(), dp_pair2_zero()};
        add_forces(part, TOGETHER, G + CONTACT * i, scale + ROWS * i, y + ROWS * i);
        for (int k = 0; k < 3; ++k) {
            sum[k] = dp_pair2_add(sum[k], part[k]);
        }
    }
    add_forces(sum, n - i, G + CONTACT * i, scale + ROWS * i, y + ROWS * i);
    for (int k = 0; k < 3; ++k) {
        dp_pair2_store(force + 2 * k, sum[k]);
    }
}

// The numbers of two rows, one beside the other.
static inline void put_beside(dp_pair2 g[BODY], const double *one, const double *two)
{
    for (int k = 0; k < BODY; k += 2) {
        const dp_pair2 a = dp_pair2_load(one + k), b = dp_pair2_load(two + k);
        g[k] = dp_pair2_firsts(a, b);
        g[k + 1] = dp_pair2_seconds(a, b);
    }
}

// ‖D^−½ L^−ᵀ g‖² of two rows.
static inline dp_pair2 mobility_of_two(const double *one, const double *two, dp_pair2 L[BODY][BODY],
                                       const dp_pair2 inverse[BODY])
{
    dp_pair2 g[BODY], w = dp_pair2_zero();
    put_beside(g, one, two);
    for (int i = BODY - 1; i >= 0; --i) {
        for (int j = i - 1; j >= 0; --j) {
            g[j] = dp_pair2_sub(g[j], dp_pair2_mul(L[i][j], g[i]));
        }
    }
    for (int i = 0; i < BODY; ++i) {
        w = dp_pair2_madd(w, dp_pair2_mul(g[i], g[i]), inverse[i]);
    }
    return w;
}

// The same where L = 1: the sums are those of mobility_of_two.
static void find_by_diagonal(double *w, int n, const double *G, const double *scale,
                             const dp_pair2 over[BODY])
{
    int r = 0;
    for (; r + 2 <= ROWS * n; r += 2, G += 2 * BODY) {
        dp_pair2 g[BODY], sum = dp_pair2_zero();
        put_beside(g, G, G + BODY);
        for (int i = 0; i < BODY; ++i) {
            sum = dp_pair2_madd(sum, dp_pair2_mul(g[i], g[i]), over[i]);
        }
        const dp_pair2 s = dp_pair2_load(scale + r);
        dp_pair2_store(w + r, dp_pair2_mul(dp_pair2_mul(s, s), sum));
    }
    for (; r < ROWS * n; ++r, G += BODY) {
        double sum = 0.0;
        for (int i = 0; i < BODY; ++i) {
            sum += G[i] * G[i] * dp_pair2_first(over[i]);
        }
        w[r] = scale[r] * scale[r] * sum;
    }
}

void dp_run_mobilities(double *w, int n, const double *G, const double *scale, const double *LD,
                       const double *inverse, bool diagonal)
{
    dp_pair2 L[BODY][BODY], over[BODY];
    for (int i = 0; i < BODY; ++i) { // row i of LD: D(i), L(i, i − 1) … L(i, 0)
        over[i] = dp_pair2_both(inverse[i]);
        for (int j = 0; j < BODY; ++j) {
            L[i][j] = dp_pair2_both(j < i ? LD[i - j] : 0.0);
        }
        LD += i + 1;
    }
    if (diagonal) {
        find_by_diagonal(w, n, G, scale, over);
        return;
    }
    const int nrow = ROWS * n;
    int r = 0;
    for (; r + 2 <= nrow; r += 2, G += 2 * BODY) {
        const dp_pair2 s = dp_pair2_load(scale + r);
        dp_pair2_store(w + r,
                       dp_pair2_mul(dp_pair2_mul(s, s), mobility_of_two(G, G + BODY, L, over)));
    }
    if (r < nrow) {
        w[r] = scale[r] * scale[r] * dp_pair2_first(mobility_of_two(G, G, L, over));
    }
}

// The rows of C G where C is not diagonal.
static inline void mix(dp_pair2 CG[ROWS][3], const double *G, const double *scale, const double *C)
{
    for (int i = 0; i < ROWS; ++i) {
        const dp_pair2 c[ROWS] = {dp_pair2_both(C[ROWS * i] * scale[i] * scale[0]),
                                  dp_pair2_both(C[ROWS * i + 1] * scale[i] * scale[1]),
                                  dp_pair2_both(C[ROWS * i + 2] * scale[i] * scale[2])};
        for (int k = 0; k < 3; ++k) {
            const double *g = G + 2 * k;
            CG[i][k] = dp_pair2_mul(dp_pair2_load(g), c[0]);
            CG[i][k] = dp_pair2_madd(CG[i][k], dp_pair2_load(g + BODY), c[1]);
            CG[i][k] = dp_pair2_madd(CG[i][k], dp_pair2_load(g + 2 * BODY), c[2]);
        }
    }
}

// H += Gᵀ CG, row k of H from pair `from` on.
static inline void add_row(dp_pair2 H[3], const double *G, dp_pair2 CG[ROWS][3], int k, int from)
{
    const dp_pair2 g[ROWS] = {dp_pair2_both(G[k]), dp_pair2_both(G[BODY + k]),
                              dp_pair2_both(G[2 * BODY + k])};
    for (int l = from; l < 3; ++l) {
        dp_pair2 sum = dp_pair2_mul(g[0], CG[0][l]);
        sum = dp_pair2_madd(sum, g[1], CG[1][l]);
        sum = dp_pair2_madd(sum, g[2], CG[2][l]);
        H[l] = dp_pair2_add(H[l], sum);
    }
}

// Half of it.
static void add_diagonal(dp_pair2 H[BODY][3], int n, const double *G, const double *scale,
                         const double *C)
{
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, C += ROWS * ROWS) {
        dp_pair2 CG[ROWS][3];
        for (int j = 0; j < ROWS; ++j) {
            const dp_pair2 c = dp_pair2_both(C[(ROWS + 1) * j] * scale[j] * scale[j]);
            for (int k = 0; k < 3; ++k) {
                CG[j][k] = dp_pair2_mul(dp_pair2_load(G + BODY * j + 2 * k), c);
            }
        }
        add_row(H[0], G, CG, 0, 0);
        add_row(H[1], G, CG, 1, 0);
        add_row(H[2], G, CG, 2, 1);
        add_row(H[3], G, CG, 3, 1);
        add_row(H[4], G, CG, 4, 2);
        add_row(H[5], G, CG, 5, 2);
    }
}

static void add_any(dp_pair2 H[BODY][3], int n, const double *G, const double *scale,
                    const double *C)
{
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, C += ROWS * ROWS) {
        if (C[0] == 0.0) { // pushes nothing, and has no friction then
            continue;
        }
        dp_pair2 CG[ROWS][3];
        mix(CG, G, scale, C);
        for (int k = 0; k < BODY; ++k) {
            add_row(H[k], G, CG, k, 0);
        }
    }
}

void dp_run_assemble(double *H, int stride, int n, const double *G, const double *scale,
                     const double *C, bool diagonal)
{
    dp_pair2 pair[BODY][3];
    double sum[BODY][BODY];
    for (int k = 0; k < BODY; ++k) {
        pair[k][0] = pair[k][1] = pair[k][2] = dp_pair2_zero();
    }
    if (diagonal) {
        add_diagonal(pair, n, G, scale, C);
    } else {
        add_any(pair, n, G, scale, C);
    }
    for (int k = 0; k < BODY; ++k) {
        for (int l = 0; l < 3; ++l) {
            dp_pair2_store(&sum[k][2 * l], pair[k][l]);
        }
    }
    for (int k = 0; k < BODY; ++k) {
        for (int l = 0; l < BODY; ++l) {
            H[stride * k + l] += diagonal && l < k ? sum[l][k] : sum[k][l];
        }
    }
}
