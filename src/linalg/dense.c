#include "linalg/dense.h"

#include "base/interrupt.h"

#include <math.h>

static void swap_rows(double *a, double *b, int n)
{
    for (int j = 0; j < n; ++j) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

static void swap_numbers(int *a, int *b)
{
    const int kept = *a;
    *a = *b;
    *b = kept;
}

// The largest element of the rows and columns from k on.
static double largest(int *row, int *column, const dp_dense *f, int k)
{
    double most = 0.0;
    *row = *column = k;
    for (int i = k; i < f->n; ++i) {
        const double *a = f->LU + (size_t)i * (size_t)f->n;
        for (int j = k; j < f->n; ++j) {
            if (fabs(a[j]) > most) {
                most = fabs(a[j]);
                *row = i;
                *column = j;
            }
        }
    }
    return most;
}

static void eliminate(dp_dense *f, int k)
{
    const double *pivot = f->LU + (size_t)k * (size_t)f->n;
    for (int i = k + 1; i < f->n; ++i) {
        double *restrict a = f->LU + (size_t)i * (size_t)f->n;
        const double l = a[k] / pivot[k];
        a[k] = l;
        if (l != 0.0) {
            for (int j = k + 1; j < f->n; ++j) {
                a[j] -= l * pivot[j];
            }
        }
    }
}

void dp_dense_factor(dp_dense *f, int n, double tolerance)
{
    f->n = n;
    f->rank = 0;
    for (int k = 0; k < n; ++k) {
        f->row[k] = f->column[k] = k;
    }
    for (int k = 0; k < n; ++k) {
        int row, column;
        if (dp_interrupted((size_t)(n - k) * (size_t)(n - k))) {
            f->rank = 0; // nothing is left to be done with it
            return;
        }
        if (!(largest(&row, &column, f, k) > tolerance)) {
            return;
        }
        if (row != k) {
            swap_rows(f->LU + (size_t)row * (size_t)n, f->LU + (size_t)k * (size_t)n, n);
            swap_numbers(&f->row[row], &f->row[k]);
        }
        if (column != k) {
            for (int i = 0; i < n; ++i) {
                swap_rows(f->LU + (size_t)i * (size_t)n + column, f->LU + (size_t)i * (size_t)n + k,
                          1);
            }
            swap_numbers(&f->column[column], &f->column[k]);
        }
        eliminate(f, k);
        f->rank = k + 1;
    }
}

void dp_dense_solve(double *x, const dp_dense *f, const double *b)
{
    double *y = f->value;
    for (int k = 0; k < f->rank; ++k) { // L
        const double *a = f->LU + (size_t)k * (size_t)f->n;
        double y_k = b[f->row[k]];
        for (int j = 0; j < k; ++j) {
            y_k -= a[j] * y[j];
        }
        y[k] = y_k;
    }
    for (int k = f->rank - 1; k >= 0; --k) { // U
        const double *a = f->LU + (size_t)k * (size_t)f->n;
        double y_k = y[k];
        for (int j = k + 1; j < f->rank; ++j) {
            y_k -= a[j] * y[j];
        }
        y[k] = y_k / a[k];
    }
    for (int k = 0; k < f->n; ++k) {
        x[f->column[k]] = k < f->rank ? y[k] : 0.0;
    }
}

void dp_dense_inverse(double *out, const dp_dense *f, double *scratch)
{
    for (int j = 0; j < f->n; ++j) {
        for (int i = 0; i < f->n; ++i) {
            scratch[i] = i == j ? 1.0 : 0.0;
        }
        dp_dense_solve(scratch, f, scratch);
        for (int i = 0; i < f->n; ++i) {
            out[(size_t)i * (size_t)f->n + (size_t)j] = scratch[i];
        }
    }
}

void dp_dictionary_exchange(double *T, int rows, int columns, size_t stride, int r, int c)
{
    double *restrict pivot_row = T + (size_t)r * stride;
    const double pivot = pivot_row[c];
    for (int j = 0; j < columns; ++j) {
        pivot_row[j] = -pivot_row[j] / pivot;
    }
    pivot_row[c] = 1.0 / pivot;
    for (int i = 0; i < rows; ++i) {
        double *restrict row = T + (size_t)i * stride;
        const double factor = row[c];
        if (i == r || factor == 0.0) {
            continue;
        }
        row[c] = 0.0;
        for (int j = 0; j < columns; ++j) {
            row[j] += factor * pivot_row[j];
        }
    }
}

bool dp_rows_factor(double *A, int n, int *exchange)
{
    for (int i = 0; i < n; ++i) {
        exchange[i] = i;
    }
    for (int c = 0; c < n; ++c) {
        int pivot = c;
        for (int r = c + 1; r < n; ++r) {
            pivot = fabs(A[r * n + c]) > fabs(A[pivot * n + c]) ? r : pivot;
        }
        const double value = A[pivot * n + c];
        if (!(fabs(value) > 0.0) || !isfinite(value) ||
            dp_interrupted((size_t)(n - c) * (size_t)(n - c))) {
            return false;
        }
        if (pivot != c) {
            for (int k = 0; k < n; ++k) {
                const double a = A[c * n + k];
                A[c * n + k] = A[pivot * n + k];
                A[pivot * n + k] = a;
            }
            const int row = exchange[c];
            exchange[c] = exchange[pivot];
            exchange[pivot] = row;
        }
        const double inverse = 1.0 / value, *restrict from = A + c * n;
        for (int r = c + 1; r < n; ++r) {
            double *restrict row = A + r * n;
            if (row[c] != 0.0) { // trees have many
                const double factor = row[c] * inverse;
                row[c] = factor;
                for (int k = c + 1; k < n; ++k) {
                    row[k] -= factor * from[k];
                }
            }
        }
    }
    return true;
}

void dp_rows_solve(double *restrict y, const double *LU, const int *exchange,
                   const double *restrict x, int n)
{
    for (int i = 0; i < n; ++i) {
        double sum = x[exchange[i]];
        for (int j = 0; j < i; ++j) {
            sum -= LU[i * n + j] * y[j];
        }
        y[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        double sum = y[i];
        for (int j = i + 1; j < n; ++j) {
            sum -= LU[i * n + j] * y[j];
        }
        y[i] = sum / LU[i * n + i];
    }
}
