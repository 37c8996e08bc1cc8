// Iterative refinement of the impulses [Higham2002, §12]. With y = M̃⁻¹ Gᵀ γ as further unknown, the
// residuals of
//
//     M̃ y − Gᵀ γ = 0,        G y + R γ = t − G v_free       (free rows; t is û or u_stop)
//
// are taken in doubled precision from M̃ and G themselves, and corrected with the factors at hand.
// Round-off in W, in its factor and in that of M̃ is lost in this, as long as a pass makes the error
// smaller.
#include "solve/compliant.h"

#include <math.h>

// Corrections shrink by about the same factor from pass to pass; what the next one would be is the
// error that is left. To the last digit:
static const double ERROR_LEFT = 1e-16;
// A pass that does not make corrections smaller than this times the last one does not converge.
static const double CONTRACTION = 0.25;
// Corrections that stay at this size are the round-off of least squares with a large remainder.
static const double STAGNATION = 1e-9;
enum { MAX_PASSES = 30 };

// out (nv) = Gᵀ x, x by place
static void add_up_forces(double *out, const dp_compliant *c, const double *x)
{
    const dp_step_problem *p = c->p;
    for (int i = 0; i < p->nv; ++i) {
        out[i] = 0.0;
    }
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                out[p->col[k]] += *G++ * x[i];
            }
        }
    }
}

// What is left of both equations: c->force (nv) and c->rhs (free rows, by place).
static void residuals(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    for (int i = 0; i < p->nv; ++i) {
        c->force2[i] = (dp_doubled){0.0, 0.0};
    }
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            const bool free = dp_is_free(c->stand[i]);
            const dp_doubled gamma = c->gamma2[i];
            dp_doubled gap = c->gap2[i];
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k, ++G) {
                const int j = p->col[k];
                c->force2[j] = dp_doubled_madd(c->force2[j], *G, gamma);
                gap = free ? dp_doubled_madd(gap, -*G, c->v2[j]) : gap;
            }
            if (c->stand[i] == DP_STAND_SOFT) {
                gap = dp_doubled_madd(gap, -c->R[i], gamma);
            }
            c->rhs[i] = gap.hi + gap.lo;
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        c->force2[i] = dp_doubled_madd(c->force2[i], -*M, c->v2[i]);
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            const double element = *++M;
            c->force2[i] = dp_doubled_madd(c->force2[i], -element, c->v2[j]);
            c->force2[j] = dp_doubled_madd(c->force2[j], -element, c->v2[i]);
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] = c->force2[i].hi + c->force2[i].lo;
    }
}

// t − G v_free of the free rows, once.
static void gaps(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            dp_doubled gap = {c->stand[i] == DP_STAND_SOFT ? c->u_hat[i] : c->u_stop[i], 0.0};
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                gap = dp_doubled_madd(gap, -*G++, (dp_doubled){p->v_free[p->col[k]], 0.0});
            }
            c->gap2[i] = gap;
        }
    }
}

// One pass. @return the size of the correction relative to the impulses
static double correct(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    const dp_free_set *set = &c->set;
    residuals(c);
    dp_branch_solve(c->v, c->d.tree, c->d.LD, c->force);
    for (int o = 0; o < p->nblock; ++o) { // rhs −= G M̃⁻¹ (first residual)
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                c->rhs[i] -= *G++ * c->v[p->col[k]];
            }
        }
    }
    for (int f = 0; f < set->n; ++f) {
        c->Wx[f] = c->rhs[set->place[f]];
    }
    dp_free_set_solve(c->Wx, set, c->Wx);
    for (int i = 0; i < c->n; ++i) {
        c->x[i] = 0.0;
    }
    double change = 0.0, size = 0.0;
    for (int f = 0; f < set->n; ++f) {
        const int i = set->place[f];
        const double root = sqrt(c->a[i]);
        change = fmax(change, root * fabs(c->Wx[f]));
        size = fmax(size, root * fabs(c->gamma2[i].hi));
        c->x[i] = c->Wx[f];
        c->gamma2[i] = dp_doubled_add(c->gamma2[i], c->Wx[f]);
    }
    add_up_forces(c->force, c, c->x);
    dp_branch_solve(c->force, c->d.tree, c->d.LD, c->force);
    for (int j = 0; j < p->nv; ++j) {
        c->v2[j] = dp_doubled_add(c->v2[j], c->v[j] + c->force[j]);
    }
    return change > 0.0 ? change / (size > 0.0 ? size : change) : 0.0;
}

// Refine from the γ at hand. @return false: the factor is too poor for that
static bool refine(dp_compliant *c)
{
    add_up_forces(c->v, c, c->gamma);
    dp_branch_solve(c->v, c->d.tree, c->d.LD, c->v);
    for (int j = 0; j < c->p->nv; ++j) {
        c->v2[j] = (dp_doubled){c->v[j], 0.0};
    }
    for (int i = 0; i < c->n; ++i) {
        c->gamma2[i] = (dp_doubled){c->gamma[i], 0.0};
    }
    double last = 1.0;
    for (int pass = 0; pass < MAX_PASSES; ++pass) {
        const double change = correct(c);
        if (change * (change / last) <= ERROR_LEFT) {
            return true;
        }
        if (!(change <= CONTRACTION * last)) {
            return change <= STAGNATION; // of least squares there may be no more to be had
        }
        last = change;
    }
    return false;
}

// u = u_free + G v, and size: v is exact to its last digits, unlike W γ
static void row_velocities(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            c->u[i] = c->u_free[i];
            c->size[i] = fabs(c->u_free[i]);
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                const double part = *G++ * c->v[p->col[k]];
                c->u[i] += part;
                c->size[i] += fabs(part);
            }
        }
    }
}

void dp_refine(dp_compliant *c)
{
    gaps(c);
    bool good = refine(c);
    for (int resort = c->set.dependent; resort < 2 && !good; ++resort) {
        dp_free_set_factor_any(c, 0.0, resort == 1);
        dp_free_set_impulses(c, (dp_prox){0.0, NULL});
        good = refine(c);
    }
    for (int i = 0; i < c->n; ++i) {
        c->gamma[i] = c->gamma2[i].hi;
    }
    for (int j = 0; j < c->p->nv; ++j) {
        c->v[j] = c->v2[j].hi;
    }
    row_velocities(c);
}

void dp_compliant_motion(dp_compliant *c)
{
    add_up_forces(c->v, c, c->gamma);
    dp_branch_solve(c->v, c->d.tree, c->d.LD, c->v);
    row_velocities(c);
    dp_stand_measure(c);
}
