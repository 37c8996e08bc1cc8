// Vectors and rectangular matrices by rows, both dense: sums in the order of the elements.
#ifndef DP_LINALG_VECTOR_H
#define DP_LINALG_VECTOR_H

#include "math/f64x2.h"

#include <math.h>
#include <stddef.h>

static inline double dp_dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static inline double dp_norm(const double *a, int n)
{
    return sqrt(dp_dot(a, a, n));
}

/// The largest |a_i|, at least `least`.
static inline double dp_largest(const double *a, int n, double least)
{
    for (int i = 0; i < n; ++i) {
        least = fmax(least, fabs(a[i]));
    }
    return least;
}

/// The first of n numbers whose size is not below `limit`, which may be infinite; −1: all are.
static inline int dp_first_beyond(const double *x, int n, double limit)
{
    // All together, as long as even the sum of their squares is below; two sums, since one would
    // wait.
    dp_f64x2 sum[2] = {dp_f64x2_zero(), dp_f64x2_zero()};
    int first = 0;
    for (; first + 4 <= n; first += 4) {
        const dp_f64x2 one = dp_f64x2_load(x + first), two = dp_f64x2_load(x + first + 2);
        sum[0] = dp_f64x2_madd(sum[0], one, one);
        sum[1] = dp_f64x2_madd(sum[1], two, two);
    }
    if (!(dp_f64x2_sum(dp_f64x2_add(sum[0], sum[1])) < limit * limit)) {
        first = 0;
    }
    for (int i = first; i < n; ++i) {
        if (!(fabs(x[i]) < limit)) {
            return i;
        }
    }
    return -1;
}

/// y = A x, A of m × n.
static inline void dp_times(double *restrict y, const double *A, const double *x, int m, int n)
{
    for (int i = 0; i < m; ++i) {
        y[i] = dp_dot(A + (size_t)i * (size_t)n, x, n);
    }
}

/// y += factor Aᵀ x, A of m × n.
static inline void dp_add_transposed(double *restrict y, const double *A, const double *x, int m,
                                     int n, double factor)
{
    for (int i = 0; i < m; ++i) {
        const double *row = A + (size_t)i * (size_t)n, x_i = factor * x[i];
        for (int j = 0; j < n; ++j) {
            y[j] += row[j] * x_i;
        }
    }
}

#endif
