// One-sided Jacobi rotations [GolubVanLoan2013]: columns of A are turned in pairs until they are
// orthogonal, A V = U Σ. Singular values come out with small relative errors, whatever their size.
#include "methods/pseudo_inverse.h"

#include <math.h>
#include <stdbool.h>

typedef struct columns {
    int m, n;
    double U[CLI_PINV_MOST][CLI_PINV_MOST]; // [column][row]
    double V[CLI_PINV_MOST][CLI_PINV_MOST]; // [column][row]
} columns;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void turn(int n, double *a, double *b, double c, double s)
{
    for (int i = 0; i < n; ++i) {
        const double t = a[i];
        a[i] = c * t - s * b[i];
        b[i] = s * t + c * b[i];
    }
}

// Make columns p and q orthogonal. @return whether they were not
static bool rotate(columns *o, int p, int q)
{
    const double round_off = 1e-16;
    double *a = o->U[p], *b = o->U[q];
    const double aa = dot(o->m, a, a), bb = dot(o->m, b, b), ab = dot(o->m, a, b);
    if (fabs(ab) <= round_off * sqrt(aa * bb)) {
        return false;
    }
    const double zeta = (bb - aa) / (2.0 * ab);
    const double t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    turn(o->m, a, b, c, c * t);
    turn(o->n, o->V[p], o->V[q], c, c * t);
    return true;
}

int cli_pseudo_inverse(double *x, double *null, int m, int n, const double *A, const double *b,
                       double tolerance)
{
    columns o = {.m = m, .n = n};
    for (int j = 0; j < n; ++j) {
        o.V[j][j] = 1.0;
        for (int i = 0; i < m; ++i) {
            o.U[j][i] = A[i * n + j];
        }
    }
    bool more = true;
    for (int sweep = 0; sweep < 60 && more; ++sweep) {
        more = false;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                more = rotate(&o, p, q) || more;
            }
        }
    }
    double largest = 0.0;
    for (int j = 0; j < n; ++j) {
        x[j] = 0.0;
        largest = fmax(largest, dot(m, o.U[j], o.U[j]));
    }
    int nullity = 0;
    for (int j = 0; j < n; ++j) {
        const double square = dot(m, o.U[j], o.U[j]); // σ²
        if (square <= tolerance * tolerance * largest) {
            for (int i = 0; i < n && null; ++i) {
                null[nullity * n + i] = o.V[j][i];
            }
            ++nullity;
            continue;
        }
        const double along = dot(m, o.U[j], b) / square;
        for (int i = 0; i < n; ++i) {
            x[i] += along * o.V[j][i];
        }
    }
    return nullity;
}
