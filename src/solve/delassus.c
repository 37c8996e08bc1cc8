#include "solve/delassus.h"

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

// ---- B and C. Most blocks have one row, three or six: where their number is known, loops over
// them vanish.

// Gᵀ of a block over its reach.
static inline void load_gradients(double *restrict B, const dp_delassus *d,
                                  const dp_step_problem *p, int o, const int nrow)
{
    const int b = d->block[o];
    const int *column = d->reach.column + d->reach.column_start[o];
    const int ncol = d->reach.column_start[o + 1] - d->reach.column_start[o];
    const int count = d->reach.start[o + 1] - d->reach.start[o];
    const double *G = p->G + p->G_start[b];
    if (ncol < count) {
        memset(B, 0, (size_t)count * (size_t)nrow * sizeof *B);
    }
    for (int r = 0; r < nrow; ++r) {
        for (int k = 0; k < ncol; ++k) {
            B[column[k] * nrow + r] = *G++;
        }
    }
}

// Gᵀ → B = L⁻ᵀ Gᵀ, and C = D⁻¹ B
static inline void sweep(double *restrict B, double *restrict C, const dp_delassus *d, int o,
                         const int nrow)
{
    const int from = d->reach.start[o], count = d->reach.start[o + 1] - from;
    const int *velocity = d->reach.velocity + from, *next = d->reach.next + from;
    const int *run = d->reach.run + from;
    double *x = B;
    for (int k = 0; k < count; ++k, x += nrow, C += nrow) {
        const int i = velocity[k];
        const double *L = d->LD + d->tree.start[i];
        if (run[k] > 0) {
            double *y = x + nrow;
            for (int n = 1; n < run[k]; ++n, y += nrow) {
                for (int r = 0; r < nrow; ++r) {
                    y[r] -= L[n] * x[r];
                }
            }
        } else { // other branches come in between
            for (int j = next[k]; j >= 0; j = next[j]) {
                double *y = B + (ptrdiff_t)j * nrow;
                ++L;
                for (int r = 0; r < nrow; ++r) {
                    y[r] -= *L * x[r];
                }
            }
        }
        for (int r = 0; r < nrow; ++r) {
            C[r] = x[r] * d->inverse[i];
        }
    }
}

static inline void fill_C(dp_delassus *d, const dp_step_problem *p, int o, const int nrow)
{
    load_gradients(d->B, d, p, o, nrow);
    sweep(d->B, d->C + d->reach.C_start[o], d, o, nrow);
}

// ---- W

static double *element(const dp_delassus *d, int i, int j)
{
    return d->W + d->at.start[i] + (j - d->at.first[i]);
}

static double dot(const double *a, const double *b, int n)
{
    double even = 0.0, odd = 0.0; // two chains of additions run side by side
    for (int k = 0; k + 1 < n; k += 2) {
        even += a[k] * b[k];
        odd += a[k + 1] * b[k + 1];
    }
    return n % 2 == 1 ? even + odd + a[n - 1] * b[n - 1] : even + odd;
}

// W = Σ Bᵀ C of two blocks of three rows over n velocities. @param lower its lower
// triangle only
static inline void multiply_threes(dp_delassus *d, int i, int j, const double *B, const double *C,
                                   int n, const bool lower)
{
    double s[3][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < n; ++k, B += 3, C += 3) {
        for (int m = 0; m < 3; ++m) {
            for (int l = 0; l < (lower ? m + 1 : 3); ++l) {
                s[m][l] += B[m] * C[l];
            }
        }
    }
    double *const W[3] = {element(d, i, j), element(d, i + 1, j), element(d, i + 2, j)};
    W[0][0] = s[0][0];
    W[1][0] = s[1][0];
    W[1][1] = s[1][1];
    W[2][0] = s[2][0];
    W[2][1] = s[2][1];
    W[2][2] = s[2][2];
    if (!lower) {
        W[0][1] = s[0][1];
        W[0][2] = s[0][2];
        W[1][2] = s[1][2];
    }
}

static void couple_threes(dp_delassus *d, int o, const dp_coupling *with)
{
    const int q = with->before, i = d->kind_start[o], j = d->kind_start[q];
    const double *B = d->B + 3 * (ptrdiff_t)with->at;
    const double *C = d->C + d->reach.C_start[q] + 3 * (ptrdiff_t)with->at_other;
    if (o == q) {
        multiply_threes(d, i, j, B, C, with->length, true);
    } else {
        multiply_threes(d, i, j, B, C, with->length, false);
    }
}

// The same for blocks of six, row by row.
static void couple_sixes(dp_delassus *d, int o, const dp_coupling *with)
{
    const int q = with->before, i = d->kind_start[o], j = d->kind_start[q];
    for (int m = 0; m < 6; ++m) {
        const double *B = d->B + 6 * (ptrdiff_t)with->at + m;
        const double *C = d->C + d->reach.C_start[q] + 6 * (ptrdiff_t)with->at_other;
        double s[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (int k = 0; k < with->length; ++k, B += 6, C += 6) {
            for (int l = 0; l < 6; ++l) {
                s[l] += *B * C[l];
            }
        }
        memcpy(element(d, i + m, j), s, (size_t)(o == q ? m + 1 : 6) * sizeof *s);
    }
}

// Any number of rows, and common velocities anywhere. Both reaches descend.
static void couple_any(dp_delassus *d, const dp_step_problem *p, int o, int q)
{
    const int rows_o = dp_block_rows(p, d->block[o]), rows_q = dp_block_rows(p, d->block[q]);
    const int i = d->kind_start[o], j = d->kind_start[q];
    for (int m = 0; m < rows_o; ++m) {
        memset(element(d, i + m, j), 0, (size_t)(o == q ? m + 1 : rows_q) * sizeof *d->W);
    }
    const int *reach = d->reach.velocity, *start = d->reach.start;
    const double *C = d->C + d->reach.C_start[q];
    for (int k = start[o], l = start[q]; k < start[o + 1] && l < start[q + 1];) {
        if (reach[k] != reach[l]) {
            if (reach[k] > reach[l]) {
                ++k;
            } else {
                ++l;
            }
            continue;
        }
        const double *b = d->B + (ptrdiff_t)(k - start[o]) * rows_o;
        const double *c = C + (ptrdiff_t)(l - start[q]) * rows_q;
        for (int m = 0; m < rows_o; ++m) {
            double *W = element(d, i + m, j);
            for (int n = 0; n < (o == q ? m + 1 : rows_q); ++n) {
                W[n] += b[m] * c[n];
            }
        }
        ++k;
        ++l;
    }
}

static void couple(dp_delassus *d, const dp_step_problem *p, int o, const dp_coupling *with)
{
    const int q = with->before;
    const int rows_o = dp_block_rows(p, d->block[o]), rows_q = dp_block_rows(p, d->block[q]);
    if (rows_o == 1 && rows_q == 1 && with->length > 0) {
        *element(d, d->kind_start[o], d->kind_start[q]) =
            dot(d->B + with->at, d->C + d->reach.C_start[q] + with->at_other, with->length);
    } else if (rows_o == 3 && rows_q == 3 && with->length > 0) {
        couple_threes(d, o, with);
    } else if (rows_o == 6 && rows_q == 6 && with->length > 0) {
        couple_sixes(d, o, with);
    } else {
        couple_any(d, p, o, q);
    }
}

// How many times its twin a block is, or itself.
static double ratio_of(const dp_delassus *d, const dp_step_problem *p, int o)
{
    return d->twin[o] < 0 ? 1.0
                          : p->G[p->G_start[d->block[o]]] / p->G[p->G_start[d->block[d->twin[o]]]];
}

dp_status dp_delassus_fill(dp_delassus *d, const dp_step_problem *p)
{
    DP_TRY(factor_mass(d, p));
    for (int o = 0; o < d->nblock; ++o) {
        const double ratio = ratio_of(d, p, o);
        for (int i = d->place_start[o]; i < d->place_start[o + 1]; ++i) {
            d->ratio[i] = ratio;
        }
        if (d->twin[o] >= 0) {
            continue;
        }
        const int nrow = dp_block_rows(p, d->block[o]);
        if (nrow == 1) {
            fill_C(d, p, o, 1);
        } else if (nrow == 3) {
            fill_C(d, p, o, 3);
        } else if (nrow == 6) {
            fill_C(d, p, o, 6);
        } else {
            fill_C(d, p, o, nrow);
        }
        for (int k = d->coupling_start[o]; k < d->coupling_start[o + 1]; ++k) {
            couple(d, p, o, &d->coupling[k]);
        }
    }
    return DP_OK;
}

// ---- products

void dp_delassus_apply(double *y, const dp_delassus *d, const double *x)
{
    if (d->nkind == d->nrow) {
        dp_envelope_apply(y, d->at, d->W, x);
        return;
    }
    for (int k = 0; k < d->nkind; ++k) {
        d->sum[k] = 0.0;
    }
    for (int i = 0; i < d->nrow; ++i) {
        d->sum[d->kind[i]] += d->ratio[i] * x[i];
    }
    dp_envelope_apply(d->rate, d->at, d->W, d->sum);
    for (int i = 0; i < d->nrow; ++i) {
        y[i] = d->ratio[i] * d->rate[d->kind[i]];
    }
}

// v += C x of a block
static inline void add_reach(double *restrict v, const dp_delassus *d, int o, const double *x,
                             const int nrow)
{
    const double *C = d->C + d->reach.C_start[o];
    for (int k = d->reach.start[o]; k < d->reach.start[o + 1]; ++k, C += nrow) {
        double sum = 0.0;
        for (int r = 0; r < nrow; ++r) {
            sum += C[r] * x[r];
        }
        v[d->reach.velocity[k]] += sum;
    }
}

void dp_delassus_motion(double *v, const dp_delassus *d, const dp_step_problem *p, const double *x)
{
    for (int i = 0; i < p->nv; ++i) {
        v[i] = 0.0;
    }
    if (!d->is_short) {
        for (int o = 0; o < d->nblock; ++o) {
            dp_gradient_add(v, p, d->block[o], x + d->place_start[o]);
        }
        dp_branch_solve(v, d->tree, d->LD, v);
        return;
    }
    for (int o = 0; o < d->nblock; ++o) { // M̃⁻¹ Gᵀ = L⁻¹ C: half of the way is done
        const int nrow = d->place_start[o + 1] - d->place_start[o];
        if (nrow == 3) {
            add_reach(v, d, o, x + d->place_start[o], 3);
        } else if (nrow == 6) {
            add_reach(v, d, o, x + d->place_start[o], 6);
        } else {
            add_reach(v, d, o, x + d->place_start[o], nrow);
        }
    }
    dp_branch_solve_lower(v, d->tree, d->LD, v);
}

void dp_delassus_rates(double *u, const dp_delassus *d, const dp_step_problem *p, const double *v)
{
    for (int o = 0; o < d->nblock; ++o) {
        dp_gradient_apply(u + d->place_start[o], p, d->block[o], v);
    }
}
