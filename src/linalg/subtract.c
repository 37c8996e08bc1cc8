#include "linalg/subtract.h"

#include "base/twice.h"

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
// Six rows of C, and eight columns or the first few of them, stay in registers until all products
// are in.
DP_AVX2 DP_INLINE void subtract_tile(double *restrict C, int C_stride, const double *restrict P,
                                     int P_stride, const double *restrict Q, int Q_stride, int k,
                                     const bool whole, __m256i left, __m256i right)
{
    __m256d c[6][2];
    for (int i = 0; i < 6; ++i) {
        const double *from = C + (ptrdiff_t)i * C_stride;
        c[i][0] = whole ? _mm256_loadu_pd(from) : _mm256_maskload_pd(from, left);
        c[i][1] = whole ? _mm256_loadu_pd(from + 4) : _mm256_maskload_pd(from + 4, right);
    }
    for (; k > 0; --k, P += P_stride, Q += Q_stride) {
        const __m256d q0 = whole ? _mm256_loadu_pd(Q) : _mm256_maskload_pd(Q, left);
        const __m256d q1 = whole ? _mm256_loadu_pd(Q + 4) : _mm256_maskload_pd(Q + 4, right);
        for (int i = 0; i < 6; ++i) {
            const __m256d p = _mm256_broadcast_sd(P + i);
            c[i][0] = _mm256_sub_pd(c[i][0], _mm256_mul_pd(p, q0));
            c[i][1] = _mm256_sub_pd(c[i][1], _mm256_mul_pd(p, q1));
        }
    }
    for (int i = 0; i < 6; ++i) {
        double *to = C + (ptrdiff_t)i * C_stride;
        if (whole) {
            _mm256_storeu_pd(to, c[i][0]);
            _mm256_storeu_pd(to + 4, c[i][1]);
        } else {
            _mm256_maskstore_pd(to, left, c[i][0]);
            _mm256_maskstore_pd(to + 4, right, c[i][1]);
        }
    }
}

// Six rows of C, as of free bodies.
DP_AVX2 static void subtract_six(double *restrict C, int C_stride, const double *restrict P,
                                 int P_stride, const double *restrict Q, int Q_stride, int k, int n)
{
    const __m256i none = _mm256_setzero_si256();
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        subtract_tile(C + j, C_stride, P, P_stride, Q + j, Q_stride, k, true, none, none);
    }
    if (j < n) {
        const __m256i count = _mm256_set1_epi64x(n - j);
        const __m256i left = _mm256_cmpgt_epi64(count, _mm256_setr_epi64x(0, 1, 2, 3));
        const __m256i right = _mm256_cmpgt_epi64(count, _mm256_setr_epi64x(4, 5, 6, 7));
        subtract_tile(C + j, C_stride, P, P_stride, Q + j, Q_stride, k, false, left, right);
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

void dp_subtract_product(double *C, int C_stride, const double *P, int P_stride, const double *Q,
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

void dp_subtract_dots(double *y, const double *A, int stride, const double *x, int m, int n)
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
