// Products with the rows of an island, block by block. Most blocks are contacts of free bodies,
// whose six velocities stand side by side: for those, loops have lengths that the compiler knows.
// Sums run in the same order either way.
#include "solve/coulomb.h"

#include <string.h>

// y += Gᵀ x for three rows of n columns, `stride` apart.
static inline void add_three(double *restrict y, const double *restrict G, int n, int stride,
                             const double x[3])
{
    for (int k = 0; k < n; ++k) {
        y[k] = ((y[k] + G[k] * x[0]) + G[stride + k] * x[1]) + G[2 * stride + k] * x[2];
    }
}

void dp_coulomb_forces(const dp_coulomb *c, double *force, const double *y)
{
    const dp_step_problem *p = c->p;
    memset(force, 0, (size_t)p->nv * sizeof *force);
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const dp_block_part *part = c->part + block->part;
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        if (block->whole && nrow == 3) {
            const double *scale = c->scale + first;
            const double x[3] = {scale[0] * y[first], scale[1] * y[first + 1],
                                 scale[2] * y[first + 2]};
            for (int m = 0; m < block->nparts; ++m) {
                add_three(force + part[m].from, G + part[m].col, part[m].count, ncol, x);
            }
            continue;
        }
        for (int r = first; r < first + nrow; ++r, G += ncol) {
            const double impulse = c->scale[r] * y[r];
            for (int k = 0; k < ncol; ++k) {
                force[col[k]] += G[k] * impulse;
            }
        }
    }
}

// G v of three rows of free bodies.
static void apply_three(double u[3], const double *G, int ncol, const dp_block_part *part,
                        int nparts, const double *v)
{
    const double *g0 = G, *g1 = G + ncol, *g2 = G + 2 * ncol;
    double sum0 = 0.0, sum1 = 0.0, sum2 = 0.0;
    for (int m = 0; m < nparts; ++m, g0 += DP_WHOLE, g1 += DP_WHOLE, g2 += DP_WHOLE) {
        const double *v_m = v + part[m].from;
        for (int k = 0; k < DP_WHOLE; ++k) {
            sum0 += g0[k] * v_m[k];
            sum1 += g1[k] * v_m[k];
            sum2 += g2[k] * v_m[k];
        }
    }
    u[0] = sum0;
    u[1] = sum1;
    u[2] = sum2;
}

void dp_coulomb_row_velocities(const dp_coulomb *c, double *u, const double *v)
{
    const dp_step_problem *p = c->p;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const int first = p->row_start[b], nrow = p->row_start[b + 1] - first;
        const double *G = p->G + p->G_start[b];
        if (block->whole && nrow == 3) {
            double sum[3];
            apply_three(sum, G, ncol, c->part + block->part, block->nparts, v);
            u[first] = c->scale[first] * sum[0];
            u[first + 1] = c->scale[first + 1] * sum[1];
            u[first + 2] = c->scale[first + 2] * sum[2];
            continue;
        }
        for (int r = first; r < first + nrow; ++r, G += ncol) {
            double sum = 0.0;
            for (int k = 0; k < ncol; ++k) {
                sum += G[k] * v[col[k]];
            }
            u[r] = c->scale[r] * sum;
        }
    }
}

// ---- M̃⁻¹

void dp_coulomb_accelerate_tree(const dp_coulomb *c, int tree, double *y)
{
    const dp_step_problem *p = c->p;
    const int from = p->tree_start[tree], width = p->tree_start[tree + 1] - from;
    for (int i = width - 1; i >= 0; --i) {
        const double *row = c->LD + p->Mt_start[from + i], y_i = y[i];
        for (int j = p->parent[from + i]; j >= 0; j = p->parent[j]) {
            y[j - from] -= *++row * y_i;
        }
    }
    for (int i = 0; i < width; ++i) {
        const double *row = c->LD + p->Mt_start[from + i];
        double y_i = y[i] * c->inverse[from + i];
        for (int j = p->parent[from + i]; j >= 0; j = p->parent[j]) {
            y_i -= *++row * y[j - from];
        }
        y[i] = y_i;
    }
}

// y ← L⁻ᵀ y of a free body. Written out: compilers leave loops within such loops as they are.
static inline void solve_upper(double y[DP_WHOLE], const double *LD)
{
    const double *row5 = LD + 15, *row4 = LD + 10, *row3 = LD + 6, *row2 = LD + 3;
    y[4] -= row5[1] * y[5];
    y[3] -= row5[2] * y[5];
    y[2] -= row5[3] * y[5];
    y[1] -= row5[4] * y[5];
    y[0] -= row5[5] * y[5];
    y[3] -= row4[1] * y[4];
    y[2] -= row4[2] * y[4];
    y[1] -= row4[3] * y[4];
    y[0] -= row4[4] * y[4];
    y[2] -= row3[1] * y[3];
    y[1] -= row3[2] * y[3];
    y[0] -= row3[3] * y[3];
    y[1] -= row2[1] * y[2];
    y[0] -= row2[2] * y[2];
    y[0] -= LD[2] * y[1];
}

// y ← L⁻¹ y
static inline void solve_lower(double y[DP_WHOLE], const double *LD)
{
    const double *row5 = LD + 15, *row4 = LD + 10, *row3 = LD + 6, *row2 = LD + 3;
    y[1] -= LD[2] * y[0];
    y[2] = (y[2] - row2[1] * y[1]) - row2[2] * y[0];
    y[3] = ((y[3] - row3[1] * y[2]) - row3[2] * y[1]) - row3[3] * y[0];
    y[4] = (((y[4] - row4[1] * y[3]) - row4[2] * y[2]) - row4[3] * y[1]) - row4[4] * y[0];
    y[5] = ((((y[5] - row5[1] * y[4]) - row5[2] * y[3]) - row5[3] * y[2]) - row5[4] * y[1]) -
           row5[5] * y[0];
}

static void accelerate_whole(double *v, const double *LD, const double *inverse,
                             const double *force)
{
    double y[DP_WHOLE];
    for (int i = 0; i < DP_WHOLE; ++i) {
        y[i] = force[i];
    }
    solve_upper(y, LD);
    for (int i = 0; i < DP_WHOLE; ++i) {
        y[i] *= inverse[i];
    }
    solve_lower(y, LD);
    for (int i = 0; i < DP_WHOLE; ++i) {
        v[i] = y[i];
    }
}

void dp_coulomb_accelerate(const dp_coulomb *c, double *v, const double *force)
{
    const dp_step_problem *p = c->p;
    for (int t = 0; t < p->ntree; ++t) {
        const int from = p->tree_start[t];
        if (c->diagonal[t]) {
            for (int i = from; i < from + DP_WHOLE; ++i) {
                v[i] = force[i] * c->inverse[i];
            }
            continue;
        }
        if (c->free_body[t]) {
            accelerate_whole(v + from, c->LD + p->Mt_start[from], c->inverse + from, force + from);
            continue;
        }
        memcpy(v + from, force + from, (size_t)(p->tree_start[t + 1] - from) * sizeof *v);
        dp_coulomb_accelerate_tree(c, t, v + from);
    }
}

// ---- mobilities: ‖D^−½ L^−ᵀ g‖² along the branches that a block meets

static inline double square_of_whole(const double *g, const double *inverse)
{
    double w = 0.0;
    for (int i = 0; i < DP_WHOLE; ++i) {
        w += g[i] * g[i] * inverse[i];
    }
    return w;
}

static double mobility_of_whole(const double *LD, const double *inverse, const double *G)
{
    double g[DP_WHOLE];
    for (int i = 0; i < DP_WHOLE; ++i) {
        g[i] = G[i];
    }
    solve_upper(g, LD);
    return square_of_whole(g, inverse);
}

static void find_whole(dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const dp_block_part *part = c->part + block->part;
    const double *G = p->G + p->G_start[b];
    for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
        double w = 0.0;
        for (int m = 0; m < block->nparts; ++m, G += DP_WHOLE) {
            const int from = part[m].from;
            const double *inverse = c->inverse + from;
            w += c->diagonal[part[m].tree]
                     ? square_of_whole(G, inverse)
                     : mobility_of_whole(c->LD + p->Mt_start[from], inverse, G);
        }
        c->w[r] = c->scale[r] * c->scale[r] * w;
    }
}

static void find_any(dp_coulomb *c, int b)
{
    const dp_step_problem *p = c->p;
    double *g = c->v; // zero
    uint8_t *met = c->met;
    int *branch = c->branch;
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *G = p->G + p->G_start[b];
    int count = 0; // what lies between the columns and the roots, merged in descending order
    for (int k = 0; k < ncol; ++k) {
        for (int i = col[k]; i >= 0 && !met[i]; i = p->parent[i]) {
            met[i] = 1;
            int at = count++;
            for (; at > 0 && branch[at - 1] < i; --at) {
                branch[at] = branch[at - 1];
            }
            branch[at] = i;
        }
    }
    for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r, G += ncol) {
        for (int k = 0; k < ncol; ++k) {
            g[col[k]] = c->scale[r] * G[k];
        }
        double w = 0.0;
        for (int k = 0; k < count; ++k) {
            const int i = branch[k];
            const double *row = c->LD + p->Mt_start[i], g_i = g[i];
            w += g_i * g_i * c->inverse[i];
            g[i] = 0.0;
            for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
                g[j] -= *++row * g_i;
            }
        }
        c->w[r] = w;
    }
    for (int k = 0; k < count; ++k) {
        met[branch[k]] = 0;
    }
}

void dp_coulomb_mobilities(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    memset(c->v, 0, (size_t)p->nv * sizeof *c->v);
    for (int b = 0; b < c->p->nblock; ++b) {
        if (c->block[b].whole) {
            find_whole(c, b);
        } else {
            find_any(c, b);
        }
    }
}

// ---- H

static void add_mass(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    for (int t = 0; t < p->ntree; ++t) {
        const int from = p->tree_start[t], width = p->tree_start[t + 1] - from;
        double *H = dp_block_at(&c->H, t, t);
        if (c->diagonal[t]) {
            for (int i = 0; i < DP_WHOLE; ++i) {
                H[i * DP_WHOLE + i] += p->Mt[p->Mt_start[from + i]];
            }
            continue;
        }
        for (int i = 0; i < width; ++i) {
            const double *element = p->Mt + p->Mt_start[from + i];
            H[i * width + i] += *element;
            for (int j = p->parent[from + i]; j >= 0; j = p->parent[j]) {
                ++element;
                H[i * width + j - from] += *element;
                H[(j - from) * width + i] += *element;
            }
        }
    }
}

// The rows C G of rows `top` … of a block, into c->CG. @param step how many rows C couples
static void multiply(dp_coulomb *c, int b, int top, int step, int ncol)
{
    const dp_step_problem *p = c->p;
    const int first = p->row_start[b] + top;
    const double *G = p->G + p->G_start[b] + (size_t)(top * ncol), *C = c->C + c->block[b].C;
    for (int i = 0; i < step; ++i) {
        double *restrict CG = c->CG + i * ncol;
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

// H += Gᵀ CG for two free bodies of a block of three rows, `ncol` apart. Sums run as in add_whole;
// n is 6, but a loop whose length the compiler does not know becomes one over pairs of columns.
static void add_three_whole(double *restrict H, const double *restrict G, const double *restrict CG,
                            int ncol, int n)
{
    for (int k = 0; k < DP_WHOLE; ++k, H += n) {
        const double g0 = G[k], g1 = G[ncol + k], g2 = G[2 * ncol + k];
        for (int l = 0; l < n; ++l) {
            H[l] = ((H[l] + g0 * CG[l]) + g1 * CG[ncol + l]) + g2 * CG[2 * ncol + l];
        }
    }
}

// The same for `step` rows.
static void add_whole(double *restrict H, const double *restrict G, const double *restrict CG,
                      int step, int ncol)
{
    for (int i = 0; i < step; ++i, G += ncol, CG += ncol) {
        for (int k = 0; k < DP_WHOLE; ++k) {
            const double g = G[k];
            for (int l = 0; l < DP_WHOLE; ++l) {
                H[DP_WHOLE * k + l] += g * CG[l];
            }
        }
    }
}

static void add_any(double *H, const dp_step_problem *p, const dp_block_part *one,
                    const dp_block_part *two, const int *col, const double *G, const double *CG,
                    int step, int ncol)
{
    const int width = p->tree_start[two->tree + 1] - two->from;
    for (int k = one->col; k < one->col + one->count; ++k) {
        double *out = H + (col[k] - one->from) * width - two->from;
        for (int i = 0; i < step; ++i) {
            const double g = G[i * ncol + k];
            for (int l = two->col; l < two->col + two->count; ++l) {
                out[col[l]] += g * CG[i * ncol + l];
            }
        }
    }
}

// H += Gᵀ C G of one block. One of plain rows goes row by row.
static void add_block(dp_coulomb *c, int b, bool symmetric)
{
    const dp_step_problem *p = c->p;
    const dp_coulomb_block *block = &c->block[b];
    const dp_block_part *part = c->part + block->part;
    const int nrow = p->row_start[b + 1] - p->row_start[b];
    const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
    const double *C = c->C + block->C;
    const int step = block->ngroup > 0 ? nrow : 1;
    for (int top = 0; top < nrow; top += step) {
        if (C[top] == 0.0) { // pushes nothing, and has no friction then
            continue;
        }
        multiply(c, b, top, step, ncol);
        const double *G = p->G + p->G_start[b] + (size_t)(top * ncol);
        const size_t *at = c->H_at + block->H_at;
        for (int m = 0; m < block->nparts; ++m) {
            for (int n = 0; n < block->nparts; ++n) {
                double *H = c->H.value + *at++;
                if (symmetric && dp_block_is_before(&c->H, part[m].tree, part[n].tree)) {
                    continue;
                }
                if (part[m].whole && part[n].whole && step == 3) {
                    add_three_whole(H, G + part[m].col, c->CG + part[n].col, ncol, part[n].count);
                } else if (part[m].whole && part[n].whole) {
                    add_whole(H, G + part[m].col, c->CG + part[n].col, step, ncol);
                } else {
                    add_any(H, p, &part[m], &part[n], col, G, c->CG, step, ncol);
                }
            }
        }
    }
}

void dp_coulomb_assemble(dp_coulomb *c)
{
    dp_block_clear(&c->H);
    add_mass(c);
    for (int b = 0; b < c->p->nblock; ++b) {
        add_block(c, b, c->symmetric);
    }
}
