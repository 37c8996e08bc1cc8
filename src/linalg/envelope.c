#include "linalg/envelope.h"

#include "base/interrupt.h"

#include <math.h>
#include <string.h>

size_t dp_envelope_layout(size_t *start, int n, const int *first)
{
    start[0] = 0;
    for (int i = 0; i < n; ++i) {
        start[i + 1] = start[i] + (size_t)(i - first[i] + 1);
    }
    return start[n];
}

void dp_envelope_apply(double *y, dp_envelope at, const double *A, const double *x)
{
    for (int i = 0; i < at.n; ++i) {
        const double *row = A + at.start[i];
        const int first = at.first[i], width = i - first;
        const double x_i = x[i];
        double sum = row[width] * x_i;
        for (int j = 0; j < width; ++j) {
            sum += row[j] * x[first + j];
            y[first + j] += row[j] * x_i;
        }
        y[i] = sum;
    }
}

static double dot(const double *a, const double *b, int n)
{
    double even = 0.0, odd = 0.0; // two chains of additions run side by side
    int k = 0;
    for (; k + 1 < n; k += 2) {
        even += a[k] * b[k];
        odd += a[k + 1] * b[k + 1];
    }
    return k < n ? even + odd + a[k] * b[k] : even + odd;
}

int dp_envelope_factor(double *A, dp_envelope at, double tolerance, double *smallest)
{
    double least = 1.0;
    int bad = -1;
    for (int i = 0; i < at.n && bad < 0; ++i) {
        double *row_i = A + at.start[i];
        const int first_i = at.first[i];
        for (int j = first_i; j < i; ++j) { // L(i, ·) by forward substitution
            const double *row_j = A + at.start[j];
            const int first_j = at.first[j];
            const int from = first_i > first_j ? first_i : first_j;
            const double sum = dot(row_i + (from - first_i), row_j + (from - first_j), j - from);
            row_i[j - first_i] = (row_i[j - first_i] - sum) / row_j[j - first_j];
        }
        const double pivot = row_i[i - first_i] - dot(row_i, row_i, i - first_i);
        least = pivot < least ? pivot : least;
        const size_t width = (size_t)(i - first_i);
        if (!(pivot > tolerance) || dp_interrupted(width * width / 2)) { // NaN counts as bad
            bad = i;
        } else {
            row_i[i - first_i] = sqrt(pivot);
        }
    }
    if (smallest) {
        *smallest = least;
    }
    return bad;
}

void dp_envelope_solve(double *x, dp_envelope at, const double *L, const double *b)
{
    if (x != b) {
        memcpy(x, b, (size_t)at.n * sizeof *x);
    }
    for (int i = 0; i < at.n; ++i) { // L
        const double *row = L + at.start[i];
        const int first = at.first[i], width = i - first;
        x[i] = (x[i] - dot(row, x + first, width)) / row[width];
    }
    for (int i = at.n - 1; i >= 0; --i) { // Lᵀ
        const double *row = L + at.start[i];
        const int first = at.first[i], width = i - first;
        const double x_i = x[i] / row[width];
        for (int j = 0; j < width; ++j) {
            x[first + j] -= row[j] * x_i;
        }
        x[i] = x_i;
    }
}
