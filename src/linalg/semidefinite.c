#include "linalg/semidefinite.h"

#include "base/interrupt.h"

#include <math.h>

static double *at(double *packed, int i, int j)
{
    return packed + (size_t)i * ((size_t)i + 1) / 2 + (size_t)j;
}

static const double *in(const double *packed, int i, int j)
{
    return packed + (size_t)i * ((size_t)i + 1) / 2 + (size_t)j;
}

static void swap(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

// Rows and columns k and p > k of a packed symmetric matrix change places.
static void exchange(dp_semidefinite *f, int k, int p)
{
    for (int j = 0; j < k; ++j) {
        swap(at(f->L, k, j), at(f->L, p, j));
    }
    for (int i = k + 1; i < p; ++i) {
        swap(at(f->L, i, k), at(f->L, p, i));
    }
    for (int i = p + 1; i < f->n; ++i) {
        swap(at(f->L, i, k), at(f->L, i, p));
    }
    swap(at(f->L, k, k), at(f->L, p, p));
    const int kept = f->order[k];
    f->order[k] = f->order[p];
    f->order[p] = kept;
}

// Right-looking: after step k the trailing triangle holds the Schur complement.
static void factor_pivoted(dp_semidefinite *f, double tolerance)
{
    f->rank = 0;
    f->least_pivot = f->determinant = 1.0;
    const int n = f->n;
    for (int k = 0; k < n; ++k) {
        double *const own = at(f->L, k, k);
        const double *diagonal = own;
        double pivot = *own;
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            diagonal += i + 1; // that of the next row
            if (*diagonal > pivot) {
                pivot = *diagonal;
                p = i;
            }
        }
        if (!(pivot > tolerance)) {
            return;
        }
        if (dp_interrupted((size_t)(n - k) * (size_t)(n - k) / 2)) {
            f->rank = 0; // nothing is left to be done with it
            return;
        }
        if (p != k) {
            exchange(f, k, p);
        }
        f->least_pivot = pivot; // they fall
        f->determinant *= pivot;
        const double root = sqrt(pivot);
        *own = root;
        double *restrict column = f->work, *restrict row = own + 1;
        for (int i = k + 1; i < n; row += ++i) {
            const double l = row[k] / root;
            row[k] = column[i] = l;
            for (int j = k + 1; j <= i; ++j) {
                row[j] -= l * column[j];
            }
        }
        f->rank = k + 1;
    }
}

// The reflection of column a acts on row a and the rows below the triangle, so that T stays lower
// triangular: columns from the last to the first.
static void reflect(dp_semidefinite *f)
{
    const int r = f->rank;
    double *const rest = at(f->L, r, 0); // the rows below the triangle
    for (int a = r - 1; a >= 0; --a) {
        const double diagonal = *at(f->L, a, a);
        double square = 0.0, *z = rest + a;
        for (int i = r; i < f->n; z += ++i) {
            square += *z * *z;
        }
        if (square == 0.0) {
            f->tau[a] = 0.0;
            continue;
        }
        const double length = sqrt(diagonal * diagonal + square);
        const double head = diagonal + length; // of z before it is scaled to 1
        f->tau[a] = head / length;
        *at(f->L, a, a) = -length;
        z = rest + a;
        for (int i = r; i < f->n; z += ++i) {
            *z /= head;
        }
        double *restrict head_row = at(f->L, a, 0), *restrict sum = f->work;
        for (int j = 0; j < a; ++j) {
            sum[j] = head_row[j];
        }
        const double *below = rest;
        for (int i = r; i < f->n; below += ++i) {
            for (int j = 0; j < a; ++j) {
                sum[j] += below[a] * below[j];
            }
        }
        for (int j = 0; j < a; ++j) {
            sum[j] *= f->tau[a];
            head_row[j] -= sum[j];
        }
        double *restrict row = rest;
        for (int i = r; i < f->n; row += ++i) {
            const double part = row[a];
            for (int j = 0; j < a; ++j) {
                row[j] -= sum[j] * part;
            }
        }
    }
}

void dp_semidefinite_factor(dp_semidefinite *f, int n, double tolerance)
{
    f->n = n;
    for (int i = 0; i < n; ++i) {
        f->order[i] = i;
    }
    factor_pivoted(f, tolerance);
    reflect(f);
}

// y ← (I − τ z zᵀ) y for the reflection of column a
static inline void apply_reflection(double *y, const dp_semidefinite *f, int a)
{
    const double *z = in(f->L, f->rank, a);
    double sum = y[a];
    for (int i = f->rank; i < f->n; ++i) {
        sum += *z * y[i];
        z += i + 1; // the same column of the next row
    }
    sum *= f->tau[a];
    y[a] -= sum;
    z = in(f->L, f->rank, a);
    for (int i = f->rank; i < f->n; ++i) {
        y[i] -= sum * *z;
        z += i + 1;
    }
}

double dp_semidefinite_null(const dp_semidefinite *f, int i)
{
    double *y = f->work;
    for (int k = 0; k < f->n; ++k) {
        y[k] = f->order[k] == i ? 1.0 : 0.0;
    }
    for (int a = f->rank - 1; a >= 0; --a) {
        apply_reflection(y, f, a);
    }
    double square = 0.0;
    for (int k = f->rank; k < f->n; ++k) {
        square += y[k] * y[k];
    }
    return square;
}

void dp_semidefinite_solve(double *x, const dp_semidefinite *f, const double *b)
{
    double *y = f->work;
    for (int i = 0; i < f->n; ++i) {
        y[i] = b[f->order[i]];
    }
    for (int a = f->rank - 1; a >= 0; --a) { // Qᵀ
        apply_reflection(y, f, a);
    }
    for (int i = 0; i < f->rank; ++i) { // T
        const double *row = in(f->L, i, 0);
        double y_i = y[i];
        for (int j = 0; j < i; ++j) {
            y_i -= row[j] * y[j];
        }
        y[i] = y_i / row[i];
    }
    for (int i = f->rank - 1; i >= 0; --i) { // Tᵀ
        const double *row = in(f->L, i, 0);
        const double y_i = y[i] / row[i];
        y[i] = y_i;
        for (int j = 0; j < i; ++j) {
            y[j] -= row[j] * y_i;
        }
    }
    for (int i = f->rank; i < f->n; ++i) {
        y[i] = 0.0;
    }
    for (int a = 0; a < f->rank; ++a) { // Q
        apply_reflection(y, f, a);
    }
    for (int i = 0; i < f->n; ++i) {
        x[f->order[i]] = y[i];
    }
}
