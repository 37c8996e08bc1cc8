#include "solve/rows/delassus.h"

#include "base/twice.h"
#include "problem/gradient.h"

#include <string.h>

static dp_status factor_mass(dp_delassus *d, const dp_step_problem *p)
{
    d->tree = (dp_branch){p->nv, p->parent, p->Mt_start};
    if (p->nv > 0) {
        memcpy(d->LD, p->LD ? p->LD : p->Mt, p->Mt_start[p->nv] * sizeof *d->LD);
    }
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
DP_INLINE void load_gradients(double *restrict B, const dp_delassus *d, const dp_step_problem *p,
                              row_range rows)
{
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
    for (int k = d->reach[first].start; k < d->reach[end].start; ++k) {
        for (int r = 0; r < rows.count; ++r) {
            B[(ptrdiff_t)d->velocity[k] * rows.count + r] = 0.0;
        }
    }
}

// W(rows, q) += Bᵀ C over the reach of q. @param stride rows of the block of q
DP_INLINE void couple(dp_delassus *d, row_range rows, const dp_reach *q, const int stride)
{
    const int i = d->direction_start[rows.block] + rows.from, j = d->direction_start[q->block];
    const int *velocity = d->velocity + q->start, count = q->end - q->start;
    const double *C = d->C + q->C;
    const bool few = rows.count == stride && stride <= 3; // sums stay in registers
    double sum[9] = {0.0};
    for (int k = 0; few && k < count; ++k, C += stride) {
        const double *b = d->B + (ptrdiff_t)velocity[k] * rows.count;
        for (int m = 0; m < rows.count; ++m) {
            for (int n = 0; n < stride; ++n) {
                sum[m * stride + n] += b[m] * C[n];
            }
        }
    }
    for (int m = 0; m < rows.count; ++m) {
        double *restrict W = d->W + d->at.start[i + m] + (j - d->at.first[i + m]);
        const int columns = rows.block == q->block ? rows.from + m + 1 : stride;
        for (int n = 0; few && n < columns; ++n) {
            W[n] += sum[m * stride + n];
        }
        const double *b = d->B + m;
        for (int k = 0; !few && k < count; ++k) {
            const double b_k = b[(ptrdiff_t)velocity[k] * rows.count];
            for (int n = 0; n < columns; ++n) {
                W[n] += b_k * C[(ptrdiff_t)k * stride + n];
            }
        }
    }
}

DP_INLINE void fill_rows(dp_delassus *d, const dp_step_problem *p, row_range rows, const int stride)
{
    load_gradients(d->B, d, p, rows);
    for (int r = d->reach_start[rows.block]; r < d->reach_start[rows.block + 1]; ++r) {
        const dp_reach *reach = &d->reach[r];
        solve_reach(d->B, d->C + reach->C, d, reach, rows, stride);
        const int *user = d->user + d->user_start[reach->tree];
        for (bool is_last = false; !is_last; ++user) { // the last is this reach itself
            const dp_reach *q = &d->reach[*user];
            const int rows_q = d->place_start[q->block + 1] - d->place_start[q->block];
            if (rows_q == stride) {
                couple(d, rows, q, stride);
            } else {
                couple(d, rows, q, rows_q);
            }
            is_last = *user == r;
        }
    }
    clear(d->B, d, rows);
}

static void fill_block(dp_delassus *d, const dp_step_problem *p, int o)
{
    const int nrow = dp_block_rows(p, d->block[o]);
    if (nrow == 1) {
        fill_rows(d, p, (row_range){o, 0, 1}, 1);
    } else if (nrow == 3) {
        fill_rows(d, p, (row_range){o, 0, 3}, 3);
    } else if (nrow == 6) {
        fill_rows(d, p, (row_range){o, 0, 6}, 6);
    } else {
        for (int from = 0; from < nrow; from += DP_DELASSUS_ROWS) {
            const int left = nrow - from;
            fill_rows(d, p, (row_range){o, from, left < DP_DELASSUS_ROWS ? left : DP_DELASSUS_ROWS},
                      nrow);
        }
    }
}

// How many times the block that it is parallel to a block is, or itself.
static double ratio_of(const dp_delassus *d, const dp_step_problem *p, int o)
{
    const int first = d->parallel_to[o];
    return first < 0 ? 1.0 : p->G[p->G_start[d->block[o]]] / p->G[p->G_start[d->block[first]]];
}

dp_status dp_delassus_fill(dp_delassus *d, const dp_step_problem *p)
{
    DP_TRY(factor_mass(d, p));
    if (d->ndirection > 0) {
        memset(d->W, 0, d->at.start[d->ndirection] * sizeof *d->W);
    }
    for (int o = 0; o < d->nblock; ++o) {
        const double ratio = ratio_of(d, p, o);
        for (int i = d->place_start[o]; i < d->place_start[o + 1]; ++i) {
            d->ratio[i] = ratio;
        }
        if (d->parallel_to[o] < 0) {
            fill_block(d, p, o);
        }
    }
    return DP_OK;
}

// ---- products

void dp_delassus_apply(double *y, const dp_delassus *d, const double *x)
{
    if (d->ndirection == d->nrow) {
        dp_envelope_apply(y, d->at, d->W, x);
        return;
    }
    memset(d->sum, 0, (size_t)d->ndirection * sizeof *d->sum);
    for (int i = 0; i < d->nrow; ++i) {
        d->sum[d->direction[i]] += d->ratio[i] * x[i];
    }
    dp_envelope_apply(d->rate, d->at, d->W, d->sum);
    for (int i = 0; i < d->nrow; ++i) {
        y[i] = d->ratio[i] * d->rate[d->direction[i]];
    }
}

// v += C x of a block
DP_INLINE void add_reaches(double *restrict v, const dp_delassus *d, int o, const double *x,
                           const int nrow)
{
    const int end = d->reach[d->reach_start[o + 1]].start;
    const double *C = d->C + d->reach[d->reach_start[o]].C;
    for (int k = d->reach[d->reach_start[o]].start; k < end; ++k, C += nrow) {
        double sum = 0.0;
        for (int r = 0; r < nrow; ++r) {
            sum += C[r] * x[r];
        }
        v[d->velocity[k]] += sum;
    }
}

void dp_delassus_motion(double *v, const dp_delassus *d, const dp_step_problem *p, const double *x)
{
    memset(v, 0, (size_t)p->nv * sizeof *v);
    for (int o = 0; o < d->nblock; ++o) {
        const double *x_o = x + d->place_start[o];
        const int nrow = d->place_start[o + 1] - d->place_start[o];
        if (!d->is_short) {
            dp_gradient_add(v, p, d->block[o], x_o);
        } else if (nrow == 3) {
            add_reaches(v, d, o, x_o, 3);
        } else {
            add_reaches(v, d, o, x_o, nrow);
        }
    }
    if (d->is_short) {
        dp_branch_solve_lower(v, d->tree, d->LD, v); // M̃⁻¹ Gᵀ = L⁻¹ C: half of the way is done
    } else {
        dp_branch_solve(v, d->tree, d->LD, v);
    }
}

void dp_delassus_rates(double *u, const dp_delassus *d, const dp_step_problem *p, const double *v)
{
    for (int o = 0; o < d->nblock; ++o) {
        dp_gradient_apply(u + d->place_start[o], p, d->block[o], v);
    }
}
