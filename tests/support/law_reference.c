// The reference of law_problem.h: no code of the library's solvers, and more digits.
#include "law_problem.h"

#include <math.h>
#include <stdlib.h>

// A x = b by elimination with the largest pivot of each column, rows scaled. b becomes x.
static void eliminate(long double *A, long double *b, int n)
{
#define AT(i, j) A[(size_t)(i) * (size_t)n + (size_t)(j)]
    for (int i = 0; i < n; ++i) {
        long double most = 0.0L;
        for (int j = 0; j < n; ++j) {
            most = fmaxl(most, fabsl(AT(i, j)));
        }
        for (int j = 0; j < n; ++j) {
            AT(i, j) /= most;
        }
        b[i] /= most;
    }
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabsl(AT(i, k)) > fabsl(AT(p, k)) ? i : p;
        }
        for (int j = 0; j < n; ++j) {
            const long double kept = AT(k, j);
            AT(k, j) = AT(p, j);
            AT(p, j) = kept;
        }
        const long double kept = b[k];
        b[k] = b[p];
        b[p] = kept;
        for (int i = k + 1; i < n; ++i) {
            const long double f = AT(i, k) / AT(k, k);
            if (f != 0.0L) {
                for (int j = k; j < n; ++j) {
                    AT(i, j) -= f * AT(k, j);
                }
                b[i] -= f * b[k];
            }
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            b[i] -= AT(i, j) * b[j];
        }
        b[i] /= AT(i, i);
    }
#undef AT
}

void law_reference_solve(long double *gamma, long double *y, const dp_step_problem *p,
                         const bool *free_row, const long double *R, const long double *t)
{
    const int n = p->nv + p->nrow;
    const size_t N = (size_t)n;
    long double *A = calloc(N * N, sizeof *A), *x = calloc(N, sizeof *x);
    assert_non_null(A);
    assert_non_null(x);
    for (int i = 0; i < p->nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            A[(size_t)i * N + (size_t)j] = A[(size_t)j * N + (size_t)i] = (long double)*M++;
        }
    }
    for (int b = 0; b < p->nblock; ++b) {
        const double *G = p->G + p->G_start[b];
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const size_t at = (size_t)(p->nv + r);
            x[at] = free_row[r] ? t[r] : gamma[r];
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k, ++G) {
                const size_t j = (size_t)p->col[k];
                A[j * N + at] = -(long double)*G;
                if (free_row[r]) {
                    A[at * N + j] = (long double)*G;
                    x[at] -= (long double)*G * (long double)p->v_free[j];
                }
            }
            A[at * N + at] = free_row[r] ? R[r] : 1.0L;
        }
    }
    eliminate(A, x, n);
    for (int j = 0; j < p->nv; ++j) {
        y[j] = x[j];
    }
    for (int r = 0; r < p->nrow; ++r) {
        gamma[r] = x[p->nv + r];
    }
    free(A);
    free(x);
}

void law_reference_soft(long double *R, long double *u_hat, const dp_row *row, double h)
{
    const long double hl = (long double)h, k = (long double)row->k, b = (long double)row->b;
    const long double phi = (long double)row->phi, phi_t = (long double)row->phi_t;
    if (isinf(row->k)) {
        *R = 0.0L;
        *u_hat = -phi / hl - phi_t;
    } else {
        *R = 1.0L / (hl * hl * k + hl * b);
        *u_hat = -(k * phi + hl * k * phi_t + b * (long double)row->b_ref) / (hl * k + b);
    }
}

void law_reference_two_sided(long double *gamma, long double *y, const dp_step_problem *p)
{
    const size_t n = (size_t)p->nrow;
    bool *free_row = calloc(n, sizeof *free_row);
    long double *R = calloc(n, sizeof *R), *t = calloc(n, sizeof *t);
    for (int r = 0; r < p->nrow; ++r) {
        free_row[r] = true;
        law_reference_soft(R + r, t + r, p->row + r, p->h);
    }
    law_reference_solve(gamma, y, p, free_row, R, t);
    free(free_row);
    free(R);
    free(t);
}

// Does row r, standing as it does, meet its law?
static bool meets(const dp_row *row, double h, long double gamma, long double u, int stand,
                  long double tolerance)
{
    long double R, u_hat;
    law_reference_soft(&R, &u_hat, row, h);
    const bool one_sided = row->lo == 0.0 && isinf(row->hi);
    const long double stop = -(long double)row->phi / (long double)h - (long double)row->phi_t;
    long double f = u_hat - R * gamma;
    f = one_sided && stop < f ? stop : f;
    switch (stand) {
    case 0: // at lo
        return u >= f - tolerance;
    case 1: // at hi
        return u <= f + tolerance;
    default:
        return fabsl(u - f) <= tolerance && gamma >= (long double)row->lo - tolerance &&
               gamma <= (long double)row->hi + tolerance;
    }
}

bool law_reference_enumerate(long double *gamma, long double *y, const dp_step_problem *p,
                             double tolerance)
{
    bool free_row[16];
    long double R[16], t[16];
    int stand[16] = {0}; // lo, hi, soft, stop
    assert_true(p->nrow <= 16);
    for (;;) {
        bool possible = true;
        for (int r = 0; r < p->nrow; ++r) {
            const dp_row *row = p->row + r;
            const bool one_sided = row->lo == 0.0 && isinf(row->hi);
            possible = possible && !(stand[r] == 0 && isinf(row->lo)) &&
                       !(stand[r] == 1 && isinf(row->hi)) && !(stand[r] == 3 && !one_sided);
            free_row[r] = stand[r] >= 2;
            gamma[r] = (long double)(stand[r] == 0 ? row->lo : stand[r] == 1 ? row->hi : 0.0);
            law_reference_soft(R + r, t + r, row, p->h);
            if (stand[r] == 3) {
                R[r] = 0.0L;
                t[r] = -(long double)row->phi / (long double)p->h - (long double)row->phi_t;
            }
        }
        if (possible) {
            law_reference_solve(gamma, y, p, free_row, R, t);
            bool good = true;
            for (int b = 0; b < p->nblock && good; ++b) {
                const double *G = p->G + p->G_start[b];
                for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
                    long double u = 0.0L;
                    for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                        const int j = p->col[k];
                        u += (long double)*G++ * (y[j] + (long double)p->v_free[j]);
                    }
                    good = good &&
                           meets(p->row + r, p->h, gamma[r], u, stand[r], (long double)tolerance);
                }
            }
            if (good) {
                return true;
            }
        }
        int r = 0;
        while (r < p->nrow && ++stand[r] == 4) {
            stand[r++] = 0;
        }
        if (r == p->nrow) {
            return false;
        }
    }
}
