// Islands with many more rows than velocities, all of them regularised: a cube on a thousand
// springs. There S = W + R is large, and the same step is found on the velocities,
//
//     S⁻¹ = R⁻¹ − R⁻¹ G H⁻¹ Gᵀ R⁻¹,   H = M̃ + Gᵀ R⁻¹ G over the active rows,               (VN 2)
//
// with H of the size of the velocities: the Newton matrix of the convex function
//
//     F(v) = ½ (v − v_free)ᵀ M̃ (v − v_free) − Σ ∫ γ(G v),                                (VN 1)
//
// and each step linear in the rows. Closing rows (u = u_stop, (SP 3)) have no compliance of their
// own; they get a small share of their mobility, which refinement takes away again.
#include "problem/gradient.h"
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include <float.h>
#include <math.h>
#include <string.h>

dp_status dp_velocity_factor_take(dp_active_factor *s, int nv, dp_arena *scratch)
{
    int *parent;
    size_t *start;
    DP_TRY(dp_arena_take(&parent, scratch, (size_t)nv, sizeof *parent));
    DP_TRY(dp_arena_take(&start, scratch, (size_t)nv + 1, sizeof *start));
    for (int i = 0; i <= nv; ++i) {
        start[i] = dp_triangle(i);
    }
    for (int i = 0; i < nv; ++i) {
        parent[i] = i - 1;
    }
    s->dense = (dp_branch){nv, parent, start};
    return dp_arena_take(&s->H, scratch, dp_triangle(nv), sizeof *s->H);
}

void dp_velocity_factor_make(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    const dp_branch at = c->factor.dense;
    double *H = c->factor.H, *weight = c->factor.scale;
    memset(H, 0, at.start[p->nv] * sizeof *H);
    for (int i = 0; i < p->nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        for (int j = i; j >= 0; j = p->parent[j]) {
            H[at.start[i] + (size_t)(i - j)] = *M++;
        }
    }
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const int *col = p->col + p->col_start[b], ncol = p->col_start[b + 1] - p->col_start[b];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i, G += ncol) {
            const double R = fmax(dp_active_compliance(c, i), DP_CLOSING_COMPLIANCE * c->w[i]);
            weight[i] = dp_is_active(c->mode[i]) ? 1.0 / R : 0.0;
            for (int k = 0; weight[i] > 0.0 && k < ncol; ++k) {
                double *row = H + at.start[col[k]] + col[k]; // H(col[k], j) at row − j
                const double scaled = weight[i] * G[k];
                for (int m = 0; m <= k; ++m) {
                    row[-col[m]] += scaled * G[m];
                }
            }
        }
    }
    dp_branch_factor(H, at);
}

// With y = M̃⁻¹ Gᵀ x: M̃ y = Gᵀ x and R x + G y = b. As a difference of large numbers x costs digits,
// and closing rows are softer in H than they are; a second pass takes away what is left of both,
// a third where that was much: the next change is as small beside it as it is itself.
void dp_velocity_factor_solve(dp_compliant *c, double *x, const double *b)
{
    const dp_step_problem *p = c->p;
    const double *weight = c->factor.scale;
    double *du = c->factor.any.work, *force = c->force, change = 1.0;
    memset(x, 0, (size_t)c->n * sizeof *x);
    memset(c->Wx, 0, (size_t)c->n * sizeof *c->Wx);
    memset(c->y, 0, (size_t)p->nv * sizeof *c->y);
    for (int pass = 0; pass < DP_WIDE_PASSES && change * change > DBL_EPSILON; ++pass) {
        for (int i = 0; i < c->n; ++i) {
            if (weight[i] > 0.0) {
                x[i] += weight[i] * (b[i] - c->Wx[i] - dp_active_compliance(c, i) * x[i]);
            }
        }
        dp_branch_apply(force, c->d.tree, p->Mt, c->y);
        for (int i = 0; i < p->nv; ++i) {
            force[i] = -force[i];
        }
        for (int o = 0; o < p->nblock; ++o) {
            dp_gradient_add(force, p, c->d.block[o], x + c->d.place_start[o]);
        }
        dp_branch_solve(force, c->factor.dense, c->factor.H, force);
        dp_delassus_rates(du, &c->d, force);
        double step = 0.0, size = 0.0;
        for (int i = 0; i < p->nv; ++i) {
            c->y[i] += force[i];
            step = fmax(step, fabs(force[i]));
            size = fmax(size, fabs(c->y[i]));
        }
        change = size > 0.0 ? step / size : 0.0;
        for (int i = 0; i < c->n; ++i) {
            c->Wx[i] += du[i];
            x[i] -= weight[i] * du[i];
        }
    }
}
