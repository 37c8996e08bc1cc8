// Vectors and rectangular matrices by rows, both dense: sums in the order of the elements.
#ifndef DP_LINALG_VECTOR_H
#define DP_LINALG_VECTOR_H

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
