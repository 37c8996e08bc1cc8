// Products with the rows of an island, block by block. Most blocks are contacts of free bodies,
// whose six velocities lie side by side: for those, loops have lengths that the compiler knows,
// and sums run over pairs of numbers, on every machine.
#include "solve/contact/operator/contact_batch.h"
#include "solve/contact/operator/operator.h"

#include "math/f64x2.h"

#include <string.h>

// y += Gᵀ x for three rows of a free body, `stride` apart.
static inline void add_three(double *y, const double *G, int stride, const dp_f64x2 x[3])
{
    for (int k = 0; k < DP_FREE_BODY; k += 2, G += 2) {
        dp_f64x2 sum = dp_f64x2_madd(dp_f64x2_load(y + k), dp_f64x2_load(G), x[0]);
        sum = dp_f64x2_madd(sum, dp_f64x2_load(G + stride), x[1]);
        dp_f64x2_store(y + k, dp_f64x2_madd(sum, dp_f64x2_load(G + 2 * stride), x[2]));
    }
}

// ---- products

// Do six columns follow one another from k on, as those of a free base do? Columns ascend.
static inline bool are_six(const int *col, int ncol, int k)
{
    return k + DP_FREE_BODY <= ncol && col[k + DP_FREE_BODY - 1] == col[k] + DP_FREE_BODY - 1;
}

// force += Gᵀ x for three rows of any columns
static inline void add_rows(double *force, const double *G, const int *col, int ncol,
                            const double x[3])
{
    const dp_f64x2 pairs[3] = {dp_f64x2_both(x[0]), dp_f64x2_both(x[1]), dp_f64x2_both(x[2])};
    int k = 0;
    for (; are_six(col, ncol, k); k += DP_FREE_BODY) {
        add_three(force + col[k], G + k, ncol, pairs);
    }
    const double *g1 = G + ncol, *g2 = g1 + ncol;
    for (; k < ncol; ++k) {
        force[col[k]] = ((force[col[k]] + G[k] * x[0]) + g1[k] * x[1]) + g2[k] * x[2];
    }
}

void dp_coulomb_forces(const dp_coulomb *c, double *force, const double *y)
{
    const dp_step_problem *p = c->p;
    memset(force, 0, (size_t)p->nv * sizeof *force);
    for (int b = 0, next; b < p->nblock; b = next) {
        const dp_coulomb_block *block = &c->block[b];
        const dp_block_part *part = c->part + block->part;
        next = b + (block->batch > 0 ? block->batch : 1);
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        if (block->batch > 0) {
            dp_batch_forces(force + part->from, block->batch, G, c->scale + first, y + first);
            continue;
        }
        if (block->full_wrench && nrow == 3) {
            const double *scale = c->scale + first;
            const dp_f64x2 x[3] = {dp_f64x2_both(scale[0] * y[first]),
                                   dp_f64x2_both(scale[1] * y[first + 1]),
                                   dp_f64x2_both(scale[2] * y[first + 2])};
            for (int m = 0; m < block->nparts; ++m) {
                add_three(force + part[m].from, G + part[m].col, ncol, x);
            }
            continue;
        }
        const bool by_three = block->ngroup > 0 || nrow == 3;
        int r = first;
        for (; by_three && r + 3 <= first + nrow; r += 3, G += 3 * (ptrdiff_t)ncol) {
            const double *scale = c->scale + r;
            const double x[3] = {scale[0] * y[r], scale[1] * y[r + 1], scale[2] * y[r + 2]};
            add_rows(force, G, col, ncol, x);
        }
        for (; r < first + nrow; ++r, G += ncol) {
            const double impulse = c->scale[r] * y[r];
            for (int k = 0; k < ncol; ++k) {
                force[col[k]] += G[k] * impulse;
            }
        }
    }
}

// A row of a free body, times the six numbers v.
static inline dp_f64x2 madd_free(dp_f64x2 sum, const double *G, const dp_f64x2 v[3])
{
    sum = dp_f64x2_madd(sum, dp_f64x2_load(G), v[0]);
    sum = dp_f64x2_madd(sum, dp_f64x2_load(G + 2), v[1]);
    return dp_f64x2_madd(sum, dp_f64x2_load(G + 4), v[2]);
}

// G v of three rows of free bodies.
static void apply_three(double u[3], const double *G, int ncol, const dp_block_part *part,
                        int nparts, const double *v)
{
    dp_f64x2 sum0 = dp_f64x2_zero(), sum1 = dp_f64x2_zero(), sum2 = dp_f64x2_zero();
    for (int m = 0; m < nparts; ++m, G += DP_FREE_BODY) {
        dp_f64x2 v_m[3];
        dp_f64x2_load_six(v_m, v + part[m].from);
        sum0 = madd_free(sum0, G, v_m);
        sum1 = madd_free(sum1, G + ncol, v_m);
        sum2 = madd_free(sum2, G + 2 * ncol, v_m);
    }
    u[0] = dp_f64x2_sum(sum0);
    u[1] = dp_f64x2_sum(sum1);
    u[2] = dp_f64x2_sum(sum2);
}

// The same of any columns.
static inline void apply_rows(double u[3], const double *G, const int *col, int ncol,
                              const double *v)
{
    dp_f64x2 sum0 = dp_f64x2_zero(), sum1 = dp_f64x2_zero(), sum2 = dp_f64x2_zero();
    int k = 0;
    for (; are_six(col, ncol, k); k += DP_FREE_BODY) {
        dp_f64x2 v_k[3];
        dp_f64x2_load_six(v_k, v + col[k]);
        sum0 = madd_free(sum0, G + k, v_k);
        sum1 = madd_free(sum1, G + ncol + k, v_k);
        sum2 = madd_free(sum2, G + 2 * ncol + k, v_k);
    }
    const double *g1 = G + ncol, *g2 = g1 + ncol;
    double u0 = dp_f64x2_sum(sum0), u1 = dp_f64x2_sum(sum1), u2 = dp_f64x2_sum(sum2);
    for (; k < ncol; ++k) {
        const double v_k = v[col[k]];
        u0 += G[k] * v_k;
        u1 += g1[k] * v_k;
        u2 += g2[k] * v_k;
    }
    u[0] = u0;
    u[1] = u1;
    u[2] = u2;
}

void dp_trees_row_velocities(const dp_coulomb *c, double *u, const double *v)
{
    const dp_step_problem *p = c->p;
    for (int b = 0, next; b < p->nblock; b = next) {
        const dp_coulomb_block *block = &c->block[b];
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const double *G = p->G + p->G_start[b];
        next = b + (block->batch > 0 ? block->batch : 1);
        if (block->batch > 0) {
            dp_batch_velocities(u + first, block->batch, G, c->scale + first,
                                v + c->part[block->part].from);
            continue;
        }
        if (block->full_wrench && nrow == 3) {
            double sum[3];
            apply_three(sum, G, ncol, c->part + block->part, block->nparts, v);
            u[first] = c->scale[first] * sum[0];
            u[first + 1] = c->scale[first + 1] * sum[1];
            u[first + 2] = c->scale[first + 2] * sum[2];
            continue;
        }
        const bool by_three = block->ngroup > 0 || nrow == 3;
        int r = first;
        for (; by_three && r + 3 <= first + nrow; r += 3, G += 3 * (ptrdiff_t)ncol) {
            double sum[3];
            apply_rows(sum, G, col, ncol, v);
            for (int k = 0; k < 3; ++k) {
                u[r + k] = c->scale[r + k] * sum[k];
            }
        }
        for (; r < first + nrow; ++r, G += ncol) {
            double sum = 0.0;
            for (int k = 0; k < ncol; ++k) {
                sum += G[k] * v[col[k]];
            }
            u[r] = c->scale[r] * sum;
        }
    }
}

// ---- H

static void add_mass(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    for (int t = 0; t < p->ntree; ++t) {
        const int from = p->tree_start[t], width = p->tree_start[t + 1] - from;
        const dp_block_view H = dp_block_at(&c->op.H, t, t);
        if (c->op.diagonal[t]) {
            for (int i = 0; i < DP_FREE_BODY; ++i) {
                H.value[i * H.stride + i] += p->Mt[p->Mt_start[from + i]];
            }
            continue;
        }
        for (int i = 0; i < width; ++i) {
            const double *element = p->Mt + p->Mt_start[from + i];
            H.value[i * H.stride + i] += *element;
            for (int j = p->parent[from + i]; j >= 0; j = p->parent[j]) {
                ++element;
                H.value[i * H.stride + j - from] += *element;
                H.value[(j - from) * H.stride + i] += *element;
            }
        }
    }
}

void dp_coulomb_multiply(dp_coulomb *c, int b, int top, int step, int ncol)
{
    const dp_step_problem *p = c->p;
    const int first = p->row_start[b] + top;
    const double *G = p->G + p->G_start[b] + (size_t)(top * ncol), *C = c->C + c->block[b].C;
    for (int i = 0; i < step; ++i) {
        double *restrict CG = c->op.CG + i * ncol;
        for (int j = 0; j < step; ++j) {
            const double element =
                (step > 1 ? C[i * step + j] : C[top]) * c->scale[first + i] * c->scale[first + j];
            const double *from = G + j * ncol;
            if (j == 0) {
                for (int k = 0; k < ncol; ++k) {
                    CG[k] = element * from[k];
                }
            } else if (element != 0.0) {
                for (int k = 0; k < ncol; ++k) {
                    CG[k] += element * from[k];
                }
            }
        }
    }
}

// H += Gᵀ CG for two free bodies of a block of three rows, `ncol` apart. Sums run as in add_free.
static void add_three_free(double *H, int stride, const double *G, const double *CG, int ncol)
{
    for (int k = 0; k < DP_FREE_BODY; ++k, H += stride) {
        const dp_f64x2 g[3] = {dp_f64x2_both(G[k]), dp_f64x2_both(G[ncol + k]),
                               dp_f64x2_both(G[2 * ncol + k])};
        add_three(H, CG, ncol, g);
    }
}

// The same for `step` rows.
static void add_free(double *restrict H, int stride, const double *restrict G,
                     const double *restrict CG, int step, int ncol)
{
    for (int k = 0; k < DP_FREE_BODY; ++k, H += stride) {
        for (int i = 0; i < step; ++i) {
            const double g = G[i * ncol + k];
            for (int l = 0; l < DP_FREE_BODY; ++l) {
                H[l] += g * CG[i * ncol + l];
            }
        }
    }
}

static void add_any(double *H, int stride, const dp_block_part *one, const dp_block_part *two,
                    const int *col, const double *G, const double *CG, int step, int ncol)
{
    for (int k = one->col; k < one->col + one->count; ++k) {
        double *out = H + (ptrdiff_t)(col[k] - one->from) * stride - two->from;
        for (int i = 0; i < step; ++i) {
            const double g = G[i * ncol + k];
            for (int l = two->col; l < two->col + two->count; ++l) {
                out[col[l]] += g * CG[i * ncol + l];
            }
        }
    }
}

// The same for three rows: the sums are those of add_any.
static void add_three_any(double *H, int stride, const dp_block_part *one, const dp_block_part *two,
                          const int *col, const double *G, const double *CG, int ncol)
{
    const double *c0 = CG + two->col, *c1 = c0 + ncol, *c2 = c1 + ncol;
    for (int k = one->col; k < one->col + one->count; ++k) {
        double *out = H + (ptrdiff_t)(col[k] - one->from) * stride - two->from;
        const double g0 = G[k], g1 = G[ncol + k], g2 = G[2 * ncol + k];
        for (int l = 0; l < two->count; ++l) {
            double *at = out + col[two->col + l];
            *at = ((*at + g0 * c0[l]) + g1 * c1[l]) + g2 * c2[l];
        }
    }
}

static void add_product(const dp_block_view *H, const dp_block_part *one, const dp_block_part *two,
                        const int *col, const double *G, const double *CG, int step, int ncol)
{
    if (one->full_wrench && two->full_wrench && step == 3) {
        add_three_free(H->value, H->stride, G + one->col, CG + two->col, ncol);
    } else if (one->full_wrench && two->full_wrench) {
        add_free(H->value, H->stride, G + one->col, CG + two->col, step, ncol);
    } else if (step == 3) {
        add_three_any(H->value, H->stride, one, two, col, G, CG, ncol);
    } else {
        add_any(H->value, H->stride, one, two, col, G, CG, step, ncol);
    }
}

// H += Gᵀ C G of one block. One of plain rows goes row by row.
static void add_block(dp_coulomb *c, int b, bool symmetric)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const int nrow = p->row_start[b + 1] - p->row_start[b];
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *C = c->C + block->C;
    const int step = block->ngroup > 0 ? nrow : 1;
    for (int top = 0; top < nrow; top += step) {
        if (!dp_coulomb_pushes(c, C + top, step)) {
            continue;
        }
        dp_coulomb_multiply(c, b, top, step, ncol);
        const double *G = p->G + p->G_start[b] + (size_t)(top * ncol);
        const dp_block_part *part = c->part + block->part;
        const dp_block_view *at = c->op.H_at + block->H_at;
        for (int m = 0; m < block->nparts; ++m) {
            for (int n = 0; n < block->nparts; ++n, ++at) {
                if (!at->by_columns) {
                    add_product(at, &part[m], &part[n], col, G, c->op.CG, step, ncol);
                } else if (!symmetric) { // its transpose, (CG)ᵀ G
                    add_product(at, &part[n], &part[m], col, c->op.CG, G, step, ncol);
                }
            }
        }
    }
}

void dp_coulomb_assemble(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    dp_block_clear(&c->op.H, c->op.symmetric);
    add_mass(c);
    for (int b = 0, next; b < p->nblock; b = next) {
        const dp_coulomb_block *block = &c->block[b];
        next = b + (block->batch > 0 ? block->batch : 1);
        if (block->batch > 0) {
            const int tree = c->part[block->part].tree;
            const dp_block_view H = dp_block_at(&c->op.H, tree, tree);
            dp_batch_assemble(H.value, H.stride, block->batch, p->G + p->G_start[b],
                              c->scale + p->row_start[b], c->C + block->C, c->op.symmetric);
        } else {
            add_block(c, b, c->op.symmetric);
        }
    }
}
