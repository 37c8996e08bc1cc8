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

// LᵀL = scale⁻¹ C Cᵀ scale⁻¹.
static void factor_gram(dp_semidefinite *f)
{
    const int r = f->rank;
    for (int a = 0; a < r; ++a) {
        for (int b = 0; b <= a; ++b) {
            double sum = 0.0;
            for (int i = a; i < f->n; ++i) { // L(i, a) = 0 above
                sum += *in(f->L, i, a) * *in(f->L, i, b);
            }
            *at(f->gram, a, b) = sum;
        }
        f->scale[a] = 1.0 / sqrt(*at(f->gram, a, a));
    }
    for (int i = 0; i < r; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = *at(f->gram, i, j) * f->scale[i] * f->scale[j];
            for (int k = 0; k < j; ++k) {
                sum -= *at(f->gram, i, k) * *at(f->gram, j, k);
            }
            // LᵀL has full rank; round-off could still take a pivot to zero
            *at(f->gram, i, j) = i > j ? sum / *at(f->gram, j, j) : sqrt(sum > 1e-30 ? sum : 1e-30);
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
    factor_gram(f);
}

static void solve_gram(double *x, const dp_semidefinite *f)
{
    const int r = f->rank;
    for (int i = 0; i < r; ++i) {
        double sum = x[i] * f->scale[i];
        for (int j = 0; j < i; ++j) {
            sum -= *in(f->gram, i, j) * x[j];
        }
        x[i] = sum / *in(f->gram, i, i);
    }
    for (int i = r - 1; i >= 0; --i) {
        x[i] /= *in(f->gram, i, i);
        for (int j = 0; j < i; ++j) {
            x[j] -= *in(f->gram, i, j) * x[i];
        }
    }
    for (int i = 0; i < r; ++i) {
        x[i] *= f->scale[i];
    }
}

void dp_semidefinite_solve(double *x, const dp_semidefinite *f, const double *b)
{
    for (int a = 0; a < f->rank; ++a) { // Lᵀ b
        double sum = 0.0;
        for (int i = a; i < f->n; ++i) {
            sum += *in(f->L, i, a) * b[f->order[i]];
        }
        f->work[a] = sum;
    }
    solve_gram(f->work, f);
    solve_gram(f->work, f);
    for (int i = 0; i < f->n; ++i) { // L (…)
        double sum = 0.0;
        for (int a = 0; a < f->rank && a <= i; ++a) {
            sum += *in(f->L, i, a) * f->work[a];
        }
        x[f->order[i]] = sum;
    }
}
