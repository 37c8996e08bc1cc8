#include "solve/contact/operator/contact_batch.h"

#include "base/simd_dispatch.h"
#include "math/f64x2.h"

#ifdef DP_AVX2
#include <immintrin.h>
#endif

enum { BODY = 6, ROWS = 3, CONTACT = ROWS * BODY };
// Forces of so many contacts are summed by themselves: round-off grows with the root of what is
// summed in a row.
enum { TOGETHER = 32 };

// ---- four numbers at once, with the sums of two at once

#ifdef DP_AVX2
// The three pairs of two rows: those of the first row below, those of the second above.
typedef struct row_pairs {
    __m256d first, second, third;
} row_pairs;

// @param a four numbers of the first row, b two of both, c four of the second
DP_AVX2 DP_INLINE row_pairs part(__m256d a, __m256d b, __m256d c)
{
    return (row_pairs){_mm256_blend_pd(a, b, 12), _mm256_permute2f128_pd(a, c, 0x21),
                       _mm256_blend_pd(b, c, 12)};
}

// What rows are multiplied by, as part() has them.
typedef struct two_sixes {
    __m256d a, b, c;
} two_sixes;

DP_AVX2 DP_INLINE two_sixes twice(const double *x)
{
    return (two_sixes){_mm256_loadu_pd(x), _mm256_setr_pd(x[4], x[5], x[0], x[1]),
                       _mm256_loadu_pd(x + 2)};
}

// Of numbers of rows 0, 2, 1, 3: those of rows 0 to 3.
DP_AVX2 DP_INLINE __m256d in_order(__m256d x)
{
    return _mm256_permute4x64_pd(x, 0xd8);
}

DP_AVX2 DP_INLINE __m256d multiply_two(const double *g, const two_sixes *v)
{
    const row_pairs is =
        part(_mm256_mul_pd(_mm256_loadu_pd(g), v->a), _mm256_mul_pd(_mm256_loadu_pd(g + 4), v->b),
             _mm256_mul_pd(_mm256_loadu_pd(g + 8), v->c));
    return _mm256_add_pd(_mm256_add_pd(is.first, is.second), is.third);
}

// @return how many rows are done: all but three at most
DP_AVX2 static int velocities_by_fours(double *u, int nrow, const double *G, const double *scale,
                                       const double *v)
{
    const two_sixes sixes = twice(v);
    int r = 0;
    for (; r + 4 <= nrow; r += 4, G += 4 * BODY) {
        const __m256d sum =
            _mm256_hadd_pd(multiply_two(G, &sixes), multiply_two(G + 2 * BODY, &sixes));
        _mm256_storeu_pd(u + r, _mm256_mul_pd(_mm256_loadu_pd(scale + r), in_order(sum)));
    }
    return r;
}

// g² over a diagonal.
DP_AVX2 DP_INLINE row_pairs weigh_two(const double *g, const two_sixes *over)
{
    const __m256d a = _mm256_loadu_pd(g), b = _mm256_loadu_pd(g + 4), c = _mm256_loadu_pd(g + 8);
    return part(_mm256_mul_pd(_mm256_mul_pd(a, a), over->a),
                _mm256_mul_pd(_mm256_mul_pd(b, b), over->b),
                _mm256_mul_pd(_mm256_mul_pd(c, c), over->c));
}

// sum + a's first + a's second, of four rows
DP_AVX2 DP_INLINE __m256d add_pair(__m256d sum, __m256d a, __m256d b)
{
    sum = _mm256_add_pd(sum, _mm256_unpacklo_pd(a, b));
    return _mm256_add_pd(sum, _mm256_unpackhi_pd(a, b));
}

// Where M̃ is diagonal. @return as above
DP_AVX2 static int mobilities_by_fours(double *w, int nrow, const double *G, const double *scale,
                                       const double *inverse)
{
    const two_sixes over = twice(inverse);
    int r = 0;
    for (; r + 4 <= nrow; r += 4, G += 4 * BODY) {
        const row_pairs x = weigh_two(G, &over), y = weigh_two(G + 2 * BODY, &over);
        const __m256d s = _mm256_loadu_pd(scale + r);
        __m256d sum = add_pair(_mm256_setzero_pd(), x.first, y.first);
        sum = add_pair(sum, x.second, y.second);
        sum = add_pair(sum, x.third, y.third);
        _mm256_storeu_pd(w + r, _mm256_mul_pd(_mm256_mul_pd(s, s), in_order(sum)));
    }
    return r;
}

// Six numbers.
typedef struct six_wide {
    __m256d four;
    __m128d two;
} six_wide;

DP_AVX2 DP_INLINE six_wide add_sixes(six_wide a, six_wide b)
{
    return (six_wide){_mm256_add_pd(a.four, b.four), _mm_add_pd(a.two, b.two)};
}

DP_AVX2 DP_INLINE six_wide scale_six(const double *g, double x)
{
    return (six_wide){_mm256_mul_pd(_mm256_loadu_pd(g), _mm256_set1_pd(x)),
                      _mm_mul_pd(_mm_loadu_pd(g + 4), _mm_set1_pd(x))};
}

DP_AVX2 DP_INLINE six_wide add_forces_wide(six_wide sum, int n, const double *G,
                                           const double *scale, const double *y)
{
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, y += ROWS) {
        six_wide push = scale_six(G, scale[0] * y[0]);
        push = add_sixes(push, scale_six(G + BODY, scale[1] * y[1]));
        push = add_sixes(push, scale_six(G + 2 * BODY, scale[2] * y[2]));
        sum = add_sixes(sum, push);
    }
    return sum;
}

DP_AVX2 static void forces_by_fours(double *force, int n, const double *G, const double *scale,
                                    const double *y)
{
    six_wide sum = {_mm256_loadu_pd(force), _mm_loadu_pd(force + 4)};
    int i = 0;
    for (; i + TOGETHER < n; i += TOGETHER) {
        const six_wide zero = {_mm256_setzero_pd(), _mm_setzero_pd()};
        sum = add_sixes(
            sum, add_forces_wide(zero, TOGETHER, G + CONTACT * i, scale + ROWS * i, y + ROWS * i));
    }
    sum = add_forces_wide(sum, n - i, G + CONTACT * i, scale + ROWS * i, y + ROWS * i);
    _mm256_storeu_pd(force, sum.four);
    _mm_storeu_pd(force + 4, sum.two);
}
#endif

// ---- two at once

// A row times v, of which the sum is left to do.
static inline dp_f64x2 multiply(const double *g, const dp_f64x2 v[3])
{
    const dp_f64x2 first = dp_f64x2_mul(dp_f64x2_load(g), v[0]);
    return dp_f64x2_madd(dp_f64x2_madd(first, dp_f64x2_load(g + 2), v[1]), dp_f64x2_load(g + 4),
                         v[2]);
}

void dp_batch_velocities(double *u, int n, const double *G, const double *scale, const double *v)
{
    const dp_f64x2 pair[3] = {dp_f64x2_load(v), dp_f64x2_load(v + 2), dp_f64x2_load(v + 4)};
#ifdef DP_AVX2
    if (n >= 4 && dp_has_avx2()) {
        const int done = velocities_by_fours(u, ROWS * (n / 4 * 4), G, scale, v);
        n %= 4;
        G += BODY * done;
        scale += done;
        u += done;
    }
#endif
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, u += ROWS) {
        const dp_f64x2 a = multiply(G, pair), b = multiply(G + BODY, pair);
        const dp_f64x2 sum = dp_f64x2_add(dp_f64x2_firsts(a, b), dp_f64x2_seconds(a, b));
        dp_f64x2_store(u, dp_f64x2_mul(dp_f64x2_load(scale), sum));
        u[2] = scale[2] * dp_f64x2_sum(multiply(G + 2 * BODY, pair));
    }
}

static void add_forces(dp_f64x2 sum[3], int n, const double *G, const double *scale,
                       const double *y)
{
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, y += ROWS) {
        const dp_f64x2 x[ROWS] = {dp_f64x2_both(scale[0] * y[0]), dp_f64x2_both(scale[1] * y[1]),
                                  dp_f64x2_both(scale[2] * y[2])};
        for (int k = 0; k < 3; ++k) {
            const double *g = G + 2 * k;
            dp_f64x2 push = dp_f64x2_mul(dp_f64x2_load(g), x[0]);
            push = dp_f64x2_madd(push, dp_f64x2_load(g + BODY), x[1]);
            push = dp_f64x2_madd(push, dp_f64x2_load(g + 2 * BODY), x[2]);
            sum[k] = dp_f64x2_add(sum[k], push);
        }
    }
}

void dp_batch_forces(double *force, int n, const double *G, const double *scale, const double *y)
{
#ifdef DP_AVX2
    if (n > 1 && dp_has_avx2()) {
        forces_by_fours(force, n, G, scale, y);
        return;
    }
#endif
    dp_f64x2 sum[3] = {dp_f64x2_load(force), dp_f64x2_load(force + 2), dp_f64x2_load(force + 4)};
    int i = 0;
    for (; i + TOGETHER < n; i += TOGETHER) {
        dp_f64x2 part[3] = {dp_f64x2_zero(), dp_f64x2_zero(), dp_f64x2_zero()};
        add_forces(part, TOGETHER, G + CONTACT * i, scale + ROWS * i, y + ROWS * i);
        for (int k = 0; k < 3; ++k) {
            sum[k] = dp_f64x2_add(sum[k], part[k]);
        }
    }
    add_forces(sum, n - i, G + CONTACT * i, scale + ROWS * i, y + ROWS * i);
    for (int k = 0; k < 3; ++k) {
        dp_f64x2_store(force + 2 * k, sum[k]);
    }
}

// The numbers of two rows, one beside the other.
static inline void put_beside(dp_f64x2 g[BODY], const double *one, const double *two)
{
    for (int k = 0; k < BODY; k += 2) {
        const dp_f64x2 a = dp_f64x2_load(one + k), b = dp_f64x2_load(two + k);
        g[k] = dp_f64x2_firsts(a, b);
        g[k + 1] = dp_f64x2_seconds(a, b);
    }
}

// ‖D^−½ L^−ᵀ g‖² of two rows.
static inline dp_f64x2 mobility_of_two(const double *one, const double *two, dp_f64x2 L[BODY][BODY],
                                       const dp_f64x2 inverse[BODY])
{
    dp_f64x2 g[BODY], w = dp_f64x2_zero();
    put_beside(g, one, two);
    for (int i = BODY - 1; i >= 0; --i) {
        for (int j = i - 1; j >= 0; --j) {
            g[j] = dp_f64x2_sub(g[j], dp_f64x2_mul(L[i][j], g[i]));
        }
    }
    for (int i = 0; i < BODY; ++i) {
        w = dp_f64x2_madd(w, dp_f64x2_mul(g[i], g[i]), inverse[i]);
    }
    return w;
}

// The same where L = 1: the sums are those of mobility_of_two.
static void find_by_diagonal(double *w, int n, const double *G, const double *scale,
                             const double *inverse)
{
    const int nrow = ROWS * n;
    dp_f64x2 over[BODY];
    int r = 0;
#ifdef DP_AVX2
    r = dp_has_avx2() ? mobilities_by_fours(w, nrow, G, scale, inverse) : 0;
#endif
    for (int i = 0; i < BODY; ++i) {
        over[i] = dp_f64x2_both(inverse[i]);
    }
    for (G += BODY * r; r + 2 <= nrow; r += 2, G += 2 * BODY) {
        dp_f64x2 g[BODY], sum = dp_f64x2_zero();
        put_beside(g, G, G + BODY);
        for (int i = 0; i < BODY; ++i) {
            sum = dp_f64x2_madd(sum, dp_f64x2_mul(g[i], g[i]), over[i]);
        }
        const dp_f64x2 s = dp_f64x2_load(scale + r);
        dp_f64x2_store(w + r, dp_f64x2_mul(dp_f64x2_mul(s, s), sum));
    }
    for (; r < nrow; ++r, G += BODY) {
        double sum = 0.0;
        for (int i = 0; i < BODY; ++i) {
            sum += G[i] * G[i] * inverse[i];
        }
        w[r] = scale[r] * scale[r] * sum;
    }
}

void dp_batch_mobilities(double *w, int n, const double *G, const double *scale, const double *LD,
                         const double *inverse, bool diagonal)
{
    if (diagonal) {
        find_by_diagonal(w, n, G, scale, inverse);
        return;
    }
    dp_f64x2 L[BODY][BODY], over[BODY];
    for (int i = 0; i < BODY; ++i) { // row i of LD: D(i), L(i, i − 1) … L(i, 0)
        over[i] = dp_f64x2_both(inverse[i]);
        for (int j = 0; j < BODY; ++j) {
            L[i][j] = dp_f64x2_both(j < i ? LD[i - j] : 0.0);
        }
        LD += i + 1;
    }
    const int nrow = ROWS * n;
    int r = 0;
    for (; r + 2 <= nrow; r += 2, G += 2 * BODY) {
        const dp_f64x2 s = dp_f64x2_load(scale + r);
        dp_f64x2_store(w + r,
                       dp_f64x2_mul(dp_f64x2_mul(s, s), mobility_of_two(G, G + BODY, L, over)));
    }
    if (r < nrow) {
        w[r] = scale[r] * scale[r] * dp_f64x2_first(mobility_of_two(G, G, L, over));
    }
}

// The rows of C G where C is not diagonal.
static inline void mix(dp_f64x2 CG[ROWS][3], const double *G, const double *scale, const double *C)
{
    for (int i = 0; i < ROWS; ++i) {
        const dp_f64x2 c[ROWS] = {dp_f64x2_both(C[ROWS * i] * scale[i] * scale[0]),
                                  dp_f64x2_both(C[ROWS * i + 1] * scale[i] * scale[1]),
                                  dp_f64x2_both(C[ROWS * i + 2] * scale[i] * scale[2])};
        for (int k = 0; k < 3; ++k) {
            const double *g = G + 2 * k;
            CG[i][k] = dp_f64x2_mul(dp_f64x2_load(g), c[0]);
            CG[i][k] = dp_f64x2_madd(CG[i][k], dp_f64x2_load(g + BODY), c[1]);
            CG[i][k] = dp_f64x2_madd(CG[i][k], dp_f64x2_load(g + 2 * BODY), c[2]);
        }
    }
}

// H += Gᵀ CG, row k of H from pair `from` on.
static inline void add_row(dp_f64x2 H[3], const double *G, dp_f64x2 CG[ROWS][3], int k, int from)
{
    const dp_f64x2 g[ROWS] = {dp_f64x2_both(G[k]), dp_f64x2_both(G[BODY + k]),
                              dp_f64x2_both(G[2 * BODY + k])};
    for (int l = from; l < 3; ++l) {
        dp_f64x2 sum = dp_f64x2_mul(g[0], CG[0][l]);
        sum = dp_f64x2_madd(sum, g[1], CG[1][l]);
        sum = dp_f64x2_madd(sum, g[2], CG[2][l]);
        H[l] = dp_f64x2_add(H[l], sum);
    }
}

// Half of it.
static void add_diagonal(dp_f64x2 H[BODY][3], int n, const double *G, const double *scale,
                         const double *C)
{
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, C += ROWS * ROWS) {
        dp_f64x2 CG[ROWS][3];
        for (int j = 0; j < ROWS; ++j) {
            const dp_f64x2 c = dp_f64x2_both(C[(ROWS + 1) * j] * scale[j] * scale[j]);
            for (int k = 0; k < 3; ++k) {
                CG[j][k] = dp_f64x2_mul(dp_f64x2_load(G + BODY * j + 2 * k), c);
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

static void add_any(dp_f64x2 H[BODY][3], int n, const double *G, const double *scale,
                    const double *C)
{
    for (int i = 0; i < n; ++i, G += CONTACT, scale += ROWS, C += ROWS * ROWS) {
        if (C[0] == 0.0) { // pushes nothing, and has no friction then
            continue;
        }
        dp_f64x2 CG[ROWS][3];
        mix(CG, G, scale, C);
        for (int k = 0; k < BODY; ++k) {
            add_row(H[k], G, CG, k, 0);
        }
    }
}

void dp_batch_assemble(double *H, int stride, int n, const double *G, const double *scale,
                       const double *C, bool diagonal)
{
    dp_f64x2 pair[BODY][3];
    double sum[BODY][BODY];
    for (int k = 0; k < BODY; ++k) {
        pair[k][0] = pair[k][1] = pair[k][2] = dp_f64x2_zero();
    }
    if (diagonal) {
        add_diagonal(pair, n, G, scale, C);
    } else {
        add_any(pair, n, G, scale, C);
    }
    for (int k = 0; k < BODY; ++k) {
        for (int l = 0; l < 3; ++l) {
            dp_f64x2_store(&sum[k][2 * l], pair[k][l]);
        }
    }
    for (int k = 0; k < BODY; ++k) {
        for (int l = 0; l < BODY; ++l) {
            H[stride * k + l] += diagonal && l < k ? sum[l][k] : sum[k][l];
        }
    }
}
