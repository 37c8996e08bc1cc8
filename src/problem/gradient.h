// Products with the gradients of one block, G of a step problem. Most blocks have one row or three:
// those with three read each velocity once for all of them.
#ifndef DP_PROBLEM_GRADIENT_H
#define DP_PROBLEM_GRADIENT_H

#include <dashpot/advanced/problem.h>

/// u = G v over the rows of a block. @param u its rows; v all velocities
static inline void dp_gradient_apply(double *u, const dp_step_problem *p, int block,
                                     const double *v)
{
    const int nrow = p->row_start[block + 1] - p->row_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    const int *col = p->col + p->col_start[block];
    const double *G = p->G + p->G_start[block];
    if (nrow == 3) {
        const double *G1 = G + ncol, *G2 = G1 + ncol;
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < ncol; ++k) {
            const double v_k = v[col[k]];
            sum[0] += G[k] * v_k;
            sum[1] += G1[k] * v_k;
            sum[2] += G2[k] * v_k;
        }
        u[0] = sum[0];
        u[1] = sum[1];
        u[2] = sum[2];
        return;
    }
    for (int r = 0; r < nrow; ++r, G += ncol) {
        double sum = 0.0;
        for (int k = 0; k < ncol; ++k) {
            sum += G[k] * v[col[k]];
        }
        u[r] = sum;
    }
}

/// u = g v of one row.
static inline double dp_gradient_rate(const dp_step_problem *p, int block, int row, const double *v)
{
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    const int *col = p->col + p->col_start[block];
    const double *g = p->G + p->G_start[block] + (ptrdiff_t)(row - p->row_start[block]) * ncol;
    double sum = 0.0;
    for (int k = 0; k < ncol; ++k) {
        sum += g[k] * v[col[k]];
    }
    return sum;
}

/// f += Gᵀ x. @param f all velocities; x the rows of the block
static inline void dp_gradient_add(double *f, const dp_step_problem *p, int block, const double *x)
{
    const int nrow = p->row_start[block + 1] - p->row_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    const int *col = p->col + p->col_start[block];
    const double *G = p->G + p->G_start[block];
    if (nrow == 3) {
        const double *G1 = G + ncol, *G2 = G1 + ncol;
        const double x0 = x[0], x1 = x[1], x2 = x[2];
        for (int k = 0; k < ncol; ++k) {
            f[col[k]] += G[k] * x0 + G1[k] * x1 + G2[k] * x2;
        }
        return;
    }
    for (int r = 0; r < nrow; ++r, G += ncol) {
        const double x_r = x[r];
        for (int k = 0; k < ncol; ++k) {
            f[col[k]] += G[k] * x_r;
        }
    }
}

#endif
