#include "solve/rows/delassus.h"

#include "base/twice.h"
#include "problem/gradient.h"
#include "solve/rows/row_constants.h"

#include <string.h>

static dp_status factor_mass(dp_delassus *d)
{
    const dp_step_problem *p = d->p;
    memcpy(d->LD, p->LD ? p->LD : p->Mt, p->Mt_start[p->nv] * sizeof *d->LD);
    const int bad = p->LD ? -1 : dp_branch_factor(d->LD, d->tree);
    if (bad >= 0) {
        return dp_fail(DP_ERROR_NUMERIC,
                       "step problem: M̃ has the pivot %g at velocity %d (expected > 0)",
                       d->LD[p->Mt_start[bad]], bad);
    }
    d->least_pivot = 1.0;
    for (int i = 0; i < p->nv; ++i) {
        const double pivot = d->LD[p->Mt_start[i]], diagonal = p->Mt[p->Mt_start[i]];
        if (pivot < d->least_pivot * diagonal) {
            d->least_pivot = pivot / diagonal;
        }
        d->inverse[i] = 1.0 / pivot;
    }
    return DP_OK;
}

// ---- W. Up to six rows of a block at a time: most blocks have one, three or six. Where their
// number is known, loops over them vanish.

typedef struct row_range {
    int block, from; // the block by its position in order, the first of its rows
    int count;
} row_range;

// Gᵀ of these rows, zero elsewhere.
DP_INLINE void load_gradients(double *restrict B, const dp_delassus *d, row_range rows)
{
    const dp_step_problem *p = d->p;
    const int b = d->block[rows.block];
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *G = p->G + p->G_start[b] + (ptrdiff_t)rows.from * ncol;
    for (int r = 0; r < rows.count; ++r) {
        for (int k = 0; k < ncol; ++k) {
            B[(ptrdiff_t)col[k] * rows.count + r] = *G++;
        }
    }
}

// Gᵀ → B = L⁻ᵀ Gᵀ, and C = D⁻¹ B, within one reach. @param stride rows of the whole block
DP_INLINE void solve_reach(double *restrict B, double *restrict C, const dp_delassus *d,
                           const dp_reach *reach, row_range rows, const int stride)
{
    C += rows.from;
    for (int k = reach->start; k < reach->end; ++k, C += stride) {
        const int i = d->velocity[k];
        const double *x = B + (ptrdiff_t)i * rows.count, *L = d->LD + d->tree.start[i];
        for (int j = d->tree.parent[i]; j >= 0; j = d->tree.parent[j]) {
            double *y = B + (ptrdiff_t)j * rows.count;
            const double L_ij = *++L;
            for (int r = 0; r < rows.count && L_ij != 0.0; ++r) {
                y[r] -= L_ij * x[r];
            }
        }
        for (int r = 0; r < rows.count; ++r) {
            C[r] = x[r] * d->inverse[i];
        }
    }
}

DP_INLINE void clear(double *restrict B, const dp_delassus *d, row_range rows)
{
    const int first = d->reach_start[rows.block], end = d->reach_start[rows.block + 1];
    for (int r = first; r < end; ++r) {
        for (int k = d->reach[r].start; k < d->reach[r].end; ++k) {
            memset(B + (ptrdiff_t)d->velocity[k] * rows.count, 0, (size_t)rows.count * sizeof *B);
        }
    }
}

// W(rows, columns) += Bᵀ C over the reach of the columns, of which the lower triangle is stored.
// @param stride rows of the whole block of the columns
DP_INLINE void couple(dp_delassus *d, row_range rows, const dp_reach *reach, row_range columns,
                      const int stride)
{
    const double *C = d->C + reach->C + columns.from;
    double sum[DP_DELASSUS_ROWS * DP_DELASSUS_ROWS] = {0.0};
    for (int k = reach->start; k < reach->end; ++k, C += stride) {
        const double *b = d->B + (ptrdiff_t)d->velocity[k] * rows.count;
        for (int m = 0; m < rows.count; ++m) {
            for (int n = 0; n < columns.count; ++n) {
                sum[m * columns.count + n] += b[m] * C[n];
            }
        }
    }
    const int first = d->place_start[columns.block] + columns.from;
    for (int m = 0; m < rows.count; ++m) {
        const int i = d->place_start[rows.block] + rows.from + m;
        double *restrict W = d->W + d->at.start[i + 1] - 1; // W(i, i)
        for (int n = 0; n < columns.count; ++n) {
            const int j = first + n;
            if (j <= i && j >= d->at.first[i]) {
                W[j - i] += sum[m * columns.count + n];
            }
        }
    }
}

static inline row_range range_of(int block, int from, int nrow)
{
    const int left = nrow - from;
    return (row_range){block, from, left < DP_DELASSUS_ROWS ? left : DP_DELASSUS_ROWS};
}

// @param stride rows of the whole block
DP_INLINE void fill_rows(dp_delassus *d, row_range rows, const int stride)
{
    load_gradients(d->B, d, rows);
    for (int r = d->reach_start[rows.block]; r < d->reach_start[rows.block + 1]; ++r) {
        const dp_reach *reach = &d->reach[r];
        solve_reach(d->B, d->C + reach->C, d, reach, rows, stride);
        const int *user = d->user + d->user_start[reach->tree];
        for (; !d->only_diagonal && *user < r; ++user) {
            const dp_reach *q = &d->reach[*user];
            const int nrow = d->place_start[q->block + 1] - d->place_start[q->block];
            if (nrow == stride && stride <= DP_DELASSUS_ROWS) {
                couple(d, rows, q, (row_range){q->block, 0, stride}, stride);
            } else {
                for (int from = 0; from < nrow; from += DP_DELASSUS_ROWS) {
                    couple(d, rows, q, range_of(q->block, from, nrow), nrow);
                }
            }
        }
        for (int from = d->only_diagonal ? rows.from : 0; from < rows.from;
             from += DP_DELASSUS_ROWS) {
            couple(d, rows, reach, range_of(rows.block, from, stride), stride);
        }
        couple(d, rows, reach, rows, stride);
    }
    clear(d->B, d, rows);
}

dp_status dp_delassus_fill(dp_delassus *d)
{
    DP_TRY(factor_mass(d));
    memset(d->W, 0, d->at.start[d->p->nrow] * sizeof *d->W);
    for (int o = 0; o < d->p->nblock; ++o) {
        const int nrow = d->place_start[o + 1] - d->place_start[o];
        if (nrow == 1) {
            fill_rows(d, (row_range){o, 0, 1}, 1);
        } else if (nrow == 3) {
            fill_rows(d, (row_range){o, 0, 3}, 3);
        } else if (nrow == 6) {
            fill_rows(d, (row_range){o, 0, 6}, 6);
        } else {
            for (int from = 0; from < nrow; from += DP_DELASSUS_ROWS) {
                fill_rows(d, range_of(o, from, nrow), nrow);
            }
        }
    }
    return DP_OK;
}

// ---- products

void dp_delassus_accelerate(const dp_delassus *d, double *v)
{
    dp_branch_solve_upper(v, d->tree, d->LD, v);
    for (int i = 0; i < d->p->nv; ++i) {
        v[i] *= d->inverse[i]; // divisions would take as long as all the rest
    }
    dp_branch_solve_lower(v, d->tree, d->LD, v);
}

void dp_delassus_motion(double *v, const dp_delassus *d, const double *x)
{
    memset(v, 0, (size_t)d->p->nv * sizeof *v);
    for (int o = 0; o < d->p->nblock; ++o) {
        dp_gradient_add(v, d->p, d->block[o], x + d->place_start[o]);
    }
    dp_delassus_accelerate(d, v);
}

void dp_delassus_rates(double *u, const dp_delassus *d, const double *v)
{
    for (int o = 0; o < d->p->nblock; ++o) {
        dp_gradient_apply(u + d->place_start[o], d->p, d->block[o], v);
    }
}

void dp_delassus_apply(double *y, const dp_delassus *d, const double *x)
{
    if (d->only_diagonal) {
        dp_delassus_motion(d->motion, d, x);
        dp_delassus_rates(y, d, d->motion);
    } else {
        dp_envelope_apply(y, d->at, d->W, x);
    }
}
