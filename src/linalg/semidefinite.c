#include "linalg/semidefinite.h"

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
    for (int k = 0; k < f->n; ++k) {
        int p = k;
        for (int i = k + 1; i < f->n; ++i) {
            p = *at(f->L, i, i) > *at(f->L, p, p) ? i : p;
        }
        if (!(*at(f->L, p, p) > tolerance)) {
            return;
        }
        if (p != k) {
            exchange(f, k, p);
        }
        const double root = sqrt(*at(f->L, k, k));
        *at(f->L, k, k) = root;
        for (int i = k + 1; i < f->n; ++i) {
            const double l = *at(f->L, i, k) / root;
            *at(f->L, i, k) = l;
            for (int j = k + 1; j <= i; ++j) {
                *at(f->L, i, j) -= l * *at(f->L, j, k);
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
    for (int a = r - 1; a >= 0; --a) {
        const double diagonal = *at(f->L, a, a);
        double square = 0.0;
        for (int i = r; i < f->n; ++i) {
            square += *at(f->L, i, a) * *at(f->L, i, a);
        }
        if (square == 0.0) {
            f->tau[a] = 0.0;
            continue;
        }
        const double length = sqrt(diagonal * diagonal + square);
        const double head = diagonal + length; // of z before it is scaled to 1
        f->tau[a] = head / length;
        *at(f->L, a, a) = -length;
        for (int i = r; i < f->n; ++i) {
            *at(f->L, i, a) /= head;
        }
        for (int j = 0; j < a; ++j) {
            double sum = *at(f->L, a, j);
            for (int i = r; i < f->n; ++i) {
                sum += *at(f->L, i, a) * *at(f->L, i, j);
            }
            sum *= f->tau[a];
            *at(f->L, a, j) -= sum;
            for (int i = r; i < f->n; ++i) {
                *at(f->L, i, j) -= sum * *at(f->L, i, a);
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
static void apply_reflection(double *y, const dp_semidefinite *f, int a)
{
    double sum = y[a];
    for (int i = f->rank; i < f->n; ++i) {
        sum += *in(f->L, i, a) * y[i];
    }
    sum *= f->tau[a];
    y[a] -= sum;
    for (int i = f->rank; i < f->n; ++i) {
        y[i] -= sum * *in(f->L, i, a);
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
        for (int j = 0; j < i; ++j) {
            y[i] -= *in(f->L, i, j) * y[j];
        }
        y[i] /= *in(f->L, i, i);
    }
    for (int i = f->rank - 1; i >= 0; --i) { // Tᵀ
        y[i] /= *in(f->L, i, i);
        for (int j = 0; j < i; ++j) {
            y[j] -= *in(f->L, i, j) * y[i];
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
