#include "linalg/jacobi_svd.h"

#include "base/interrupt.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const double ROUND_OFF = 1e-15; // of a scalar product, over the lengths
enum { MOST_SWEEPS = 60 };             // six to ten is usual

// In four sums, which need not wait for each other.
static double dot(const double *a, const double *b, int n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; ++k) {
            sum[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < n; ++i) {
        sum[0] += a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// (a, b) becomes (c a − s b, s a + c b).
static void rotate(double *restrict a, double *restrict b, int n, double c, double s)
{
    for (int i = 0; i < n; ++i) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

// Make two columns orthogonal, of squared lengths aa and bb; false: they are. What is round-off
// beside `most`, the largest of them at first, stays as it is.
static bool make_orthogonal(double *a, double *b, int m, double *aa, double *bb, double most)
{
    const double least = ROUND_OFF * ROUND_OFF * most;
    if (*aa <= least || *bb <= least) {
        return false;
    }
    const double ab = dot(a, b, m);
    if (fabs(ab) <= ROUND_OFF * sqrt(*aa) * sqrt(*bb)) {
        return false;
    }
    const double zeta = (*bb - *aa) / (2.0 * ab);
    const double t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    rotate(a, b, m, c, c * t);
    *aa = dot(a, a, m);
    *bb = dot(b, b, m);
    return true;
}

static void swap_columns(double *a, double *b, int m)
{
    for (int i = 0; i < m; ++i) {
        const double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void sort_columns(double *A, double *sigma, int m, int n)
{
    for (int j = 0; j < n; ++j) {
        int most = j;
        for (int k = j + 1; k < n; ++k) {
            most = sigma[k] > sigma[most] ? k : most;
        }
        if (most != j) {
            const double kept = sigma[j];
            sigma[j] = sigma[most];
            sigma[most] = kept;
            swap_columns(A + (size_t)j * (size_t)m, A + (size_t)most * (size_t)m, m);
        }
    }
}

// Orthogonalise the columns and sort them.
static void rotate_columns(double *A, double *sigma, int m, int n)
{
    const size_t length = (size_t)m;
    double most = 0.0;
    for (int j = 0; j < n; ++j) {
        sigma[j] = dot(A + (size_t)j * length, A + (size_t)j * length, m); // squared for now
        most = fmax(most, sigma[j]);
    }
    bool turned = n > 1;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; ++sweep) {
        turned = false;
        for (int i = 0; i < n - 1; ++i) {
            if (dp_interrupted(4 * (size_t)(n - i) * length)) {
                return;
            }
            for (int j = i + 1; j < n; ++j) {
                turned |= make_orthogonal(A + (size_t)i * length, A + (size_t)j * length, m,
                                          &sigma[i], &sigma[j], most);
            }
        }
    }
    for (int j = 0; j < n; ++j) {
        double *a = A + (size_t)j * length;
        sigma[j] = sqrt(dot(a, a, m));
        for (int i = 0; i < m; ++i) {
            a[i] = sigma[j] > 0.0 ? a[i] / sigma[j] : 0.0;
        }
    }
    sort_columns(A, sigma, m, n);
}

// a −= 2 (u·a) u, for a unit vector u
static void reflect(double *a, const double *u, int n)
{
    const double twice = 2.0 * dot(a, u, n);
    for (int i = 0; i < n; ++i) {
        a[i] -= twice * u[i];
    }
}

// A = Q R by reflections: R (n × n, by columns) is taken out, and the unit vector of reflection k
// stands in column k from its diagonal on.
static void triangularise(double *A, double *R, int m, int n)
{
    const size_t length = (size_t)m;
    for (int k = 0; k < n; ++k) {
        double *u = A + (size_t)k * length + k;
        const double size = sqrt(dot(u, u, m - k));
        const double pivot = u[0] > 0.0 ? -size : size;
        double *r = R + (size_t)k * (size_t)n;
        memset(r, 0, (size_t)n * sizeof *r);
        memcpy(r, A + (size_t)k * length, (size_t)k * sizeof *r);
        r[k] = pivot;
        u[0] -= pivot;
        const double whole = sqrt(dot(u, u, m - k));
        for (int i = 0; i < m - k; ++i) {
            u[i] = whole > 0.0 ? u[i] / whole : 0.0;
        }
        for (int j = k + 1; j < n; ++j) {
            reflect(A + (size_t)j * length + k, u, m - k);
        }
    }
}

void dp_jacobi_svd(double *U, double *sigma, double *A, double *R, int m, int n)
{
    const size_t length = (size_t)m, width = (size_t)n;
    if (m <= n) {
        rotate_columns(A, sigma, m, n);
        if (m > 0) {
            memcpy(U, A, length * width * sizeof *U);
        }
        return;
    }
    triangularise(A, R, m, n);
    rotate_columns(R, sigma, n, n);
    for (size_t j = 0; j < width; ++j) { // Q times the columns of R
        double *u = U + j * length;
        memset(u, 0, length * sizeof *u);
        memcpy(u, R + j * width, width * sizeof *u);
        for (int k = n - 1; k >= 0; --k) {
            reflect(u + k, A + (size_t)k * length + k, m - k);
        }
    }
}

// Take the part along the unit vector u from a.
static void take_away(double *a, const double *u, int n)
{
    const double along = dot(a, u, n);
    for (int i = 0; i < n; ++i) {
        a[i] -= along * u[i];
    }
}

static const double *longest_column(const double *A, int m, int n)
{
    double most = -1.0;
    const double *longest = A;
    for (int j = 0; j < n; ++j) {
        const double *a = A + (size_t)j * (size_t)m;
        const double square = dot(a, a, m);
        if (square > most) {
            most = square;
            longest = a;
        }
    }
    return longest;
}

void dp_span(double *out, double *A, int m, int n, int rank)
{
    const size_t length = (size_t)m;
    for (int k = 0; k < rank; ++k) {
        double *u = out + (size_t)k * length;
        memcpy(u, longest_column(A, m, n), length * sizeof *u);
        for (int i = 0; i < k; ++i) {
            take_away(u, out + (size_t)i * length, m);
        }
        const double size = sqrt(dot(u, u, m));
        for (int i = 0; i < m; ++i) {
            u[i] /= size;
        }
        for (int j = 0; j < n; ++j) {
            take_away(A + (size_t)j * length, u, m);
        }
    }
}
