// Iterative refinement of the impulses [Higham2002, §12]. With y = M̃⁻¹ Gᵀ γ as further unknown, the
// residuals of
//
//     M̃ y − Gᵀ γ = 0,        G y + R γ = t − G v_free       (active rows; t is û or u_stop)
//
// are taken in double-double from M̃ and G themselves, and corrected with the factors at hand.
// Round-off in W, in its factor and in that of M̃ is lost in this, as long as a pass makes the error
// smaller.
#include "problem/gradient.h"
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include <math.h>

// What the second equation leaves of the active rows: c->rhs by place. @param u G y, by place
static void row_residuals(dp_compliant *c, const double *u)
{
    for (int i = 0; i < c->n; ++i) {
        const bool regularised = c->mode[i] == DP_MODE_REGULARISED;
        const double target = regularised ? c->u_hat[i] : c->u_stop[i];
        c->rhs[i] = target - c->u_free[i] - (regularised ? c->R[i] * c->gamma[i] : 0.0) - u[i];
    }
}

// What is left of both equations for γ and y = c->v: c->force (nv) and c->rhs (active rows, by
// place).
static void residuals_double(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    dp_branch_apply(c->force, c->d.tree, p->Mt, c->v);
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] = -c->force[i];
    }
    for (int o = 0; o < p->nblock; ++o) {
        dp_gradient_add(c->force, p, c->d.block[o], c->gamma + c->d.place_start[o]);
    }
    dp_delassus_rates(c->x, &c->d, p, c->v);
    row_residuals(c, c->x);
}

// The same in double-double for γ and y = c->refined.gamma, c->refined.v.
static void residuals_double_double(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    for (int i = 0; i < p->nv; ++i) {
        c->refined.force[i] = (dp_doubled){0.0, 0.0};
    }
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            const bool active = dp_is_active(c->mode[i]);
            const dp_doubled gamma = c->refined.gamma[i];
            dp_doubled gap = c->refined.gap[i];
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k, ++G) {
                const int j = p->col[k];
                c->refined.force[j] = dp_doubled_madd(c->refined.force[j], *G, gamma);
                gap = active ? dp_doubled_madd(gap, -*G, c->refined.v[j]) : gap;
            }
            if (c->mode[i] == DP_MODE_REGULARISED) {
                gap = dp_doubled_madd(gap, -c->R[i], gamma);
            }
            c->rhs[i] = gap.hi + gap.lo;
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        c->refined.force[i] = dp_doubled_madd(c->refined.force[i], -*M, c->refined.v[i]);
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            const double element = *++M;
            c->refined.force[i] = dp_doubled_madd(c->refined.force[i], -element, c->refined.v[j]);
            c->refined.force[j] = dp_doubled_madd(c->refined.force[j], -element, c->refined.v[i]);
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] = c->refined.force[i].hi + c->refined.force[i].lo;
    }
}

// t − G v_free of the active rows, in double-double.
static void active_gaps(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            const double target = c->mode[i] == DP_MODE_REGULARISED ? c->u_hat[i] : c->u_stop[i];
            dp_doubled gap = {0.0, 0.0};
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                gap = dp_doubled_madd(gap, -*G++, (dp_doubled){p->v_free[p->col[k]], 0.0});
            }
            c->refined.gap[i] = dp_doubled_add(gap, dp_is_active(c->mode[i]) ? target : 0.0);
        }
    }
}

// c->x (n) = S⁻¹ c->rhs, and c->y (nv) the motion that comes of it
static void solve_rows(dp_compliant *c)
{
    dp_active_factor_solve(c->x, &c->factor, c->n, c->rhs);
    dp_delassus_motion(c->y, &c->d, c->p, c->x);
}

// The corrections that take the residuals away: of γ in c->x (n), of y in c->y (nv).
static void corrections(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    dp_branch_solve(c->force, c->d.tree, c->d.LD, c->force);
    dp_delassus_rates(c->x, &c->d, p, c->force); // rhs −= G M̃⁻¹ (first residual)
    for (int i = 0; i < c->n; ++i) {
        c->rhs[i] -= c->x[i];
    }
    solve_rows(c);
    for (int j = 0; j < p->nv; ++j) {
        c->y[j] += c->force[j];
    }
}

// The size of c->x relative to γ.
static double relative_change(const dp_compliant *c)
{
    double change = 0.0, size = 0.0;
    for (int f = 0; f < c->factor.n; ++f) {
        const int i = c->factor.place[f];
        const double root = 1.0 / c->factor.scale[f];
        change = dp_worse(change, root * fabs(c->x[i]));
        size = dp_worse(size, root * fabs(c->gamma[i]));
    }
    return change == 0.0 || size == 0.0 ? change : change / size;
}

static void add_corrections(dp_compliant *c)
{
    for (int i = 0; i < c->n; ++i) {
        c->gamma[i] += c->x[i];
    }
    for (int j = 0; j < c->p->nv; ++j) {
        c->v[j] += c->y[j];
    }
}

// One pass in double. @return the size of the correction relative to the impulses
static double correct_double(dp_compliant *c)
{
    residuals_double(c);
    corrections(c);
    const double change = relative_change(c);
    add_corrections(c);
    return change;
}

// Where the factors are as good as can be: the velocities of rows to the last digit.
static void correct_velocities(dp_compliant *c)
{
    dp_delassus_rates(c->x, &c->d, c->p, c->v);
    row_residuals(c, c->x);
    solve_rows(c);
    add_corrections(c);
}

// One pass in double-double. @return the size of the correction relative to the impulses
static double correct_double_double(dp_compliant *c)
{
    residuals_double_double(c);
    corrections(c);
    const double change = relative_change(c);
    for (int i = 0; i < c->n; ++i) {
        c->refined.gamma[i] = dp_doubled_add(c->refined.gamma[i], c->x[i]);
    }
    for (int j = 0; j < c->p->nv; ++j) {
        c->refined.v[j] = dp_doubled_add(c->refined.v[j], c->y[j]);
    }
    return change;
}

static void round_to_double(dp_compliant *c)
{
    for (int i = 0; i < c->n; ++i) {
        c->gamma[i] = c->refined.gamma[i].hi;
    }
    for (int j = 0; j < c->p->nv; ++j) {
        c->v[j] = c->refined.v[j].hi;
    }
}

// Refine from the γ at hand. @return false: the factor is too poor for that
static bool refine(dp_compliant *c)
{
    dp_delassus_motion(c->v, &c->d, c->p, c->gamma);
    if (c->factor.determinant >= DP_GREAT_DETERMINANT && c->d.least_pivot >= DP_GREAT_PIVOT) {
        correct_velocities(c);
        return true;
    }
    const bool good = c->factor.least_pivot >= DP_GOOD_PIVOT && c->d.least_pivot >= DP_GOOD_PIVOT;
    for (int pass = 0; good && pass < DP_DOUBLE_PASSES; ++pass) {
        const double change = correct_double(c);
        if (change <= DP_DOUBLE_ENOUGH) {
            return true;
        }
        if (!(change <= DP_DOUBLE_HOPELESS)) {
            break;
        }
    }
    active_gaps(c);
    for (int j = 0; j < c->p->nv; ++j) {
        c->refined.v[j] = (dp_doubled){c->v[j], 0.0};
    }
    for (int i = 0; i < c->n; ++i) {
        c->refined.gamma[i] = (dp_doubled){c->gamma[i], 0.0};
    }
    double last = 1.0;
    for (int pass = 0; pass < DP_DOUBLE_DOUBLE_PASSES; ++pass) {
        const double change = correct_double_double(c);
        const bool done = change * (change / last) <= DP_ERROR_LEFT;
        if (done || !(change <= DP_CONTRACTION * last)) {
            round_to_double(c);
            return done ||
                   change <= DP_STAGNATION; // of least squares there may be no more to be had
        }
        last = change;
    }
    round_to_double(c);
    return false;
}

// u = u_free + G v, and size: v is exact to its last digits, unlike W γ
static void row_velocities(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    if (c->two_sided) { // none will ask for the size
        dp_delassus_rates(c->u, &c->d, p, c->v);
        for (int i = 0; i < c->n; ++i) {
            c->u[i] += c->u_free[i];
        }
        return;
    }
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            double u = c->u_free[i], size = fabs(u);
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                const double part = *G++ * c->v[p->col[k]];
                u += part;
                size += fabs(part);
            }
            c->u[i] = u;
            c->size[i] = size;
        }
    }
}

void dp_refine(dp_compliant *c)
{
    bool good = refine(c);
    for (int resort = c->factor.pivoted; resort < 2 && !good; ++resort) {
        dp_active_factor_pivoted(c, 0.0, resort == 1);
        dp_active_impulses(c, (dp_prox){0.0, NULL});
        good = refine(c);
    }
    row_velocities(c);
}

void dp_compliant_motion(dp_compliant *c)
{
    dp_delassus_motion(c->v, &c->d, c->p, c->gamma);
    row_velocities(c);
    dp_row_magnitudes(c);
}
