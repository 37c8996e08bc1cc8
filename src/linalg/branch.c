#include "linalg/branch.h"

#include <string.h>

void dp_branch_expand(double *dense, dp_branch at, const double *M)
{
    const size_t n = (size_t)at.n;
    // The lower triangle from the last row on: row i of the dense matrix begins where the packed
    // rows up to i have ended, or with the very number that is read, so M may be `dense`.
    for (int i = at.n - 1; i >= 0; --i) {
        double *out = dense + (size_t)i * n;
        const double *row = M + at.start[i];
        int done = i + 1; // columns from here on are written
        for (int j = i; j >= 0; j = at.parent[j]) {
            out[j] = *row++;
            for (int zero = j + 1; zero < done; ++zero) {
                out[zero] = 0.0;
            }
            done = j;
        }
        for (int zero = 0; zero < done; ++zero) {
            out[zero] = 0.0;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) {
            dense[j * n + i] = dense[i * n + j];
        }
    }
}

void dp_branch_apply(double *y, dp_branch at, const double *M, const double *x)
{
    for (int i = 0; i < at.n; ++i) {
        const double *row = M + at.start[i], x_i = x[i];
        double sum = *row * x_i;
        for (int j = at.parent[i]; j >= 0; j = at.parent[j]) {
            const double element = *++row;
            sum += element * x[j];
            y[j] += element * x_i;
        }
        y[i] = sum;
    }
}

int dp_branch_factor(double *M, dp_branch at)
{
    int bad = -1;
    for (int k = at.n - 1; k >= 0; --k) {
        double *row_k = M + at.start[k];
        if (!(row_k[0] > 0.0) && bad < 0) {
            bad = k;
        }
        const double inverse = 1.0 / row_k[0];
        int along = 1;
        for (int i = at.parent[k]; i >= 0; i = at.parent[i], ++along) {
            double *row_i = M + at.start[i];
            const double l = row_k[along] * inverse;
            const int length = (int)(at.start[k + 1] - at.start[k]) - along;
            for (int j = 0; j < length; ++j) { // both chains run to the root from i on
                row_i[j] -= l * row_k[along + j];
            }
            row_k[along] = l; // not read again: later i use elements further along
        }
    }
    return bad;
}

static void solve_upper(double *x, dp_branch at, const double *LD, int first, int end)
{
    for (int i = end - 1; i >= first; --i) {
        const double *row = LD + at.start[i], x_i = x[i];
        for (int j = at.parent[i]; j >= 0; j = at.parent[j]) {
            x[j] -= *++row * x_i;
        }
    }
}

static void solve_lower(double *x, dp_branch at, const double *LD, const double *b, int first,
                        int end)
{
    for (int i = first; i < end; ++i) {
        const double *row = LD + at.start[i];
        double x_i = b[i];
        for (int j = at.parent[i]; j >= 0; j = at.parent[j]) {
            x_i -= *++row * x[j];
        }
        x[i] = x_i;
    }
}

void dp_branch_solve_upper(double *x, dp_branch at, const double *LD, const double *b)
{
    if (x != b) {
        memcpy(x, b, (size_t)at.n * sizeof *x);
    }
    solve_upper(x, at, LD, 0, at.n);
}

void dp_branch_solve_lower(double *x, dp_branch at, const double *LD, const double *b)
{
    solve_lower(x, at, LD, b, 0, at.n);
}

void dp_branch_solve_part(double *x, dp_branch at, const double *LD, int first, int end)
{
    solve_upper(x, at, LD, first, end); // Lᵀ
    for (int i = first; i < end; ++i) { // D
        x[i] /= LD[at.start[i]];
    }
    solve_lower(x, at, LD, x, first, end); // L
}

void dp_branch_solve(double *x, dp_branch at, const double *LD, const double *b)
{
    if (x != b) {
        memcpy(x, b, (size_t)at.n * sizeof *x);
    }
    dp_branch_solve_part(x, at, LD, 0, at.n);
}
