#include "linalg/gemm_sub.h"

#include "base/simd_dispatch.h"

#include <stddef.h>

#ifdef DP_AVX2
#include <immintrin.h>
enum { MANY = 12 }; // columns: for fewer, narrow registers leave less over
#endif

// Six products at a time, since free bodies have six velocities. The loop over columns is the one
// that becomes wide.
DP_INLINE void subtract_product(double *restrict C, int C_stride, const double *restrict P,
                                int P_stride, const double *restrict Q, int Q_stride, int k, int m,
                                int n)
{
    for (; k >= 6; k -= 6, P += 6 * (ptrdiff_t)P_stride, Q += 6 * (ptrdiff_t)Q_stride) {
        const double *restrict q0 = Q, *restrict q1 = q0 + Q_stride, *restrict q2 = q1 + Q_stride;
        const double *restrict q3 = q2 + Q_stride, *restrict q4 = q3 + Q_stride;
        const double *restrict q5 = q4 + Q_stride;
        for (int i = 0; i < m; ++i) {
            double *restrict c = C + (ptrdiff_t)i * C_stride;
            const double *p = P + i;
            const double p0 = p[0], p1 = p[P_stride], p2 = p[2 * (ptrdiff_t)P_stride];
            const double p3 = p[3 * (ptrdiff_t)P_stride], p4 = p[4 * (ptrdiff_t)P_stride];
            const double p5 = p[5 * (ptrdiff_t)P_stride];
            for (int j = 0; j < n; ++j) {
                c[j] = (((((c[j] - p0 * q0[j]) - p1 * q1[j]) - p2 * q2[j]) - p3 * q3[j]) -
                        p4 * q4[j]) -
                       p5 * q5[j];
            }
        }
    }
    for (; k > 0; --k, P += P_stride, Q += Q_stride) {
        for (int i = 0; i < m; ++i) {
            double *restrict c = C + (ptrdiff_t)i * C_stride;
            for (int j = 0; j < n; ++j) {
                c[j] -= P[i] * Q[j];
            }
        }
    }
}

static void subtract_usual(double *restrict C, int C_stride, const double *restrict P, int P_stride,
                           const double *restrict Q, int Q_stride, int k, int m, int n)
{
    subtract_product(C, C_stride, P, P_stride, Q, Q_stride, k, m, n);
}

#ifdef DP_AVX2
// Part of a row in registers: eight columns or the first few of them, and six. Six such rows have
// names of their own, since the compiler writes what is in an array back in every turn of a loop.
typedef struct row8 {
    __m256d left, right;
} row8;

typedef struct row6 {
    __m256d left;
    __m128d right;
} row6;

typedef struct mask8 {
    __m256i left, right;
} mask8;

DP_AVX2 DP_INLINE row8 load8(const double *x, const bool whole, mask8 m)
{
    return whole ? (row8){_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)}
                 : (row8){_mm256_maskload_pd(x, m.left), _mm256_maskload_pd(x + 4, m.right)};
}

DP_AVX2 DP_INLINE void store8(double *x, row8 c, const bool whole, mask8 m)
{
    if (whole) {
        _mm256_storeu_pd(x, c.left);
        _mm256_storeu_pd(x + 4, c.right);
    } else {
        _mm256_maskstore_pd(x, m.left, c.left);
        _mm256_maskstore_pd(x + 4, m.right, c.right);
    }
}

// c − p q
DP_AVX2 DP_INLINE row8 less8(row8 c, const double *p, row8 q)
{
    const __m256d all = _mm256_broadcast_sd(p);
    return (row8){_mm256_sub_pd(c.left, _mm256_mul_pd(all, q.left)),
                  _mm256_sub_pd(c.right, _mm256_mul_pd(all, q.right))};
}

DP_AVX2 DP_INLINE row6 load6(const double *x)
{
    return (row6){_mm256_loadu_pd(x), _mm_loadu_pd(x + 4)};
}

DP_AVX2 DP_INLINE void store6(double *x, row6 c)
{
    _mm256_storeu_pd(x, c.left);
    _mm_storeu_pd(x + 4, c.right);
}

DP_AVX2 DP_INLINE row6 less6(row6 c, const double *p, row6 q)
{
    const __m256d all = _mm256_broadcast_sd(p);
    return (row6){_mm256_sub_pd(c.left, _mm256_mul_pd(all, q.left)),
                  _mm_sub_pd(c.right, _mm_mul_pd(_mm256_castpd256_pd128(all), q.right))};
}

// Six rows of C stay in registers until all products are in.
DP_AVX2 DP_INLINE void subtract_tile(double *restrict C, int C_stride, const double *restrict P,
                                     int P_stride, const double *restrict Q, int Q_stride, int k,
                                     const bool whole, mask8 m)
{
    const ptrdiff_t s = C_stride;
    row8 c0 = load8(C, whole, m), c1 = load8(C + s, whole, m), c2 = load8(C + 2 * s, whole, m);
    row8 c3 = load8(C + 3 * s, whole, m), c4 = load8(C + 4 * s, whole, m);
    row8 c5 = load8(C + 5 * s, whole, m);
    for (; k > 0; --k, P += P_stride, Q += Q_stride) {
        const row8 q = load8(Q, whole, m);
        c0 = less8(c0, P, q);
        c1 = less8(c1, P + 1, q);
        c2 = less8(c2, P + 2, q);
        c3 = less8(c3, P + 3, q);
        c4 = less8(c4, P + 4, q);
        c5 = less8(c5, P + 5, q);
    }
    store8(C, c0, whole, m);
    store8(C + s, c1, whole, m);
    store8(C + 2 * s, c2, whole, m);
    store8(C + 3 * s, c3, whole, m);
    store8(C + 4 * s, c4, whole, m);
    store8(C + 5 * s, c5, whole, m);
}

// The same for six columns.
DP_AVX2 static void subtract_square(double *restrict C, int C_stride, const double *restrict P,
                                    int P_stride, const double *restrict Q, int Q_stride, int k)
{
    const ptrdiff_t s = C_stride;
    row6 c0 = load6(C), c1 = load6(C + s), c2 = load6(C + 2 * s);
    row6 c3 = load6(C + 3 * s), c4 = load6(C + 4 * s), c5 = load6(C + 5 * s);
    for (; k > 0; --k, P += P_stride, Q += Q_stride) {
        const row6 q = load6(Q);
        c0 = less6(c0, P, q);
        c1 = less6(c1, P + 1, q);
        c2 = less6(c2, P + 2, q);
        c3 = less6(c3, P + 3, q);
        c4 = less6(c4, P + 4, q);
        c5 = less6(c5, P + 5, q);
    }
    store6(C, c0);
    store6(C + s, c1);
    store6(C + 2 * s, c2);
    store6(C + 3 * s, c3);
    store6(C + 4 * s, c4);
    store6(C + 5 * s, c5);
}

// Six rows of C, as of free bodies.
DP_AVX2 static void subtract_six(double *restrict C, int C_stride, const double *restrict P,
                                 int P_stride, const double *restrict Q, int Q_stride, int k, int n)
{
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        const mask8 none = {_mm256_setzero_si256(), _mm256_setzero_si256()};
        subtract_tile(C + j, C_stride, P, P_stride, Q + j, Q_stride, k, true, none);
    }
    if (n - j == 6) {
        subtract_square(C + j, C_stride, P, P_stride, Q + j, Q_stride, k);
    } else if (j < n) {
        const __m256i count = _mm256_set1_epi64x(n - j);
        const mask8 first = {_mm256_cmpgt_epi64(count, _mm256_setr_epi64x(0, 1, 2, 3)),
                             _mm256_cmpgt_epi64(count, _mm256_setr_epi64x(4, 5, 6, 7))};
        subtract_tile(C + j, C_stride, P, P_stride, Q + j, Q_stride, k, false, first);
    }
}

DP_AVX2 static void subtract_wide(double *restrict C, int C_stride, const double *restrict P,
                                  int P_stride, const double *restrict Q, int Q_stride, int k,
                                  int m, int n)
{
    if (m == 6) {
        subtract_six(C, C_stride, P, P_stride, Q, Q_stride, k, n);
    } else {
        subtract_product(C, C_stride, P, P_stride, Q, Q_stride, k, m, n);
    }
}
#endif

void dp_gemm_sub(double *C, int C_stride, const double *P, int P_stride, const double *Q,
                 int Q_stride, int k, int m, int n)
{
#ifdef DP_AVX2
    if ((n >= MANY || (m == 6 && n == 6)) && dp_has_avx2()) {
        subtract_wide(C, C_stride, P, P_stride, Q, Q_stride, k, m, n);
        return;
    }
#endif
    subtract_usual(C, C_stride, P, P_stride, Q, Q_stride, k, m, n);
}

void dp_dots_sub(double *y, const double *A, int stride, const double *x, int m, int n)
{
    for (int i = 0; i < m; ++i, A += stride) {
        double sum[4] = {0.0, 0.0, 0.0, 0.0}; // chains of additions that run side by side
        int j = 0;
        for (; j + 4 <= n; j += 4) {
            sum[0] += A[j] * x[j];
            sum[1] += A[j + 1] * x[j + 1];
            sum[2] += A[j + 2] * x[j + 2];
            sum[3] += A[j + 3] * x[j + 3];
        }
        for (; j < n; ++j) {
            sum[0] += A[j] * x[j];
        }
        y[i] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}
