// Iterative refinement of the impulses [Higham2002, §12]. With y = M̃⁻¹ Gᵀ γ as further unknown, the
// residuals of
//
//     M̃ y − Gᵀ γ = 0,        G y + R γ = t − G v_free       (free rows; t is û or u_stop)
//
// are taken in doubled precision from M̃ and G themselves, and corrected with the factors at hand.
// Round-off in W, in its factor and in that of M̃ is lost in this, as long as a pass makes the error
// smaller.
#include "problem/gradient.h"
#include "solve/compliant.h"

#include <math.h>

// Corrections shrink by about the same factor from pass to pass; what the next one would be is the
// error that is left. To the last digit:
static const double ERROR_LEFT = 1e-16;
// Where no pivot of M̃ or S has lost more than three digits, passes in plain precision may do. They
// do where the correction is no larger than PLAIN_ENOUGH; what it leaves is of that size at most.
// One that begins with more than HOPELESS will not come down to it.
static const double GOOD_PIVOT = 1e-3, PLAIN_ENOUGH = 3e-14, HOPELESS = 1e-10;
// A matrix S of unit diagonal has no eigenvalue below det S/e: the others have at most the sum n,
// and hence at most the product (n/(n−1))^(n−1) < e. Above these bounds the factors have lost two
// digits at most, and the last digits of the velocities of rows are all there is to refine.
static const double GREAT_DETERMINANT = 2e-2, GREAT_PIVOT = 1e-2;
// A pass that does not make corrections smaller than this times the last one does not converge.
static const double CONTRACTION = 0.25;
// Corrections that stay at this size are the round-off of least squares with a large remainder.
static const double STAGNATION = 1e-9;
enum { MAX_PASSES = 30, PLAIN_PASSES = 2 };

// What the second equation leaves of the free rows: c->rhs by place. @param u G y, by place
static void row_residuals(dp_compliant *c, const double *u)
{
    for (int i = 0; i < c->n; ++i) {
        const bool soft = c->stand[i] == DP_STAND_SOFT;
        const double target = soft ? c->u_hat[i] : c->u_stop[i];
        c->rhs[i] = target - c->u_free[i] - (soft ? c->R[i] * c->gamma[i] : 0.0) - u[i];
    }
}

// What is left of both equations for γ and y = c->v: c->force (nv) and c->rhs (free rows, by
// place).
static void plain_residuals(dp_compliant *c)
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

// The same in doubled precision for γ and y = c->gamma2, c->v2.
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

// t − G v_free of the free rows, in doubled precision.
static void gaps(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            const double target = c->stand[i] == DP_STAND_SOFT ? c->u_hat[i] : c->u_stop[i];
            dp_doubled gap = {0.0, 0.0};
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                gap = dp_doubled_madd(gap, -*G++, (dp_doubled){p->v_free[p->col[k]], 0.0});
            }
            c->gap2[i] = dp_doubled_add(gap, dp_is_free(c->stand[i]) ? target : 0.0);
        }
    }
}

// c->x (n) = S⁻¹ c->rhs, and c->y (nv) the motion that comes of it
static void solve_rows(dp_compliant *c)
{
    const dp_free_set *set = &c->set;
    for (int f = 0; f < set->n; ++f) {
        c->Wx[f] = c->rhs[set->place[f]];
    }
    dp_free_set_solve(c->Wx, c, c->Wx);
    for (int i = 0; i < c->n; ++i) {
        c->x[i] = 0.0;
    }
    for (int f = 0; f < set->n; ++f) {
        c->x[set->place[f]] = c->Wx[f];
    }
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
    for (int f = 0; f < c->set.n; ++f) {
        const int i = c->set.place[f];
        const double root = 1.0 / c->set.scale[f];
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

// One pass in plain precision. @return the size of the correction relative to the impulses
static double correct_plainly(dp_compliant *c)
{
    plain_residuals(c);
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

// One pass in doubled precision. @return the size of the correction relative to the impulses
static double correct(dp_compliant *c)
{
    residuals(c);
    corrections(c);
    const double change = relative_change(c);
    for (int i = 0; i < c->n; ++i) {
        c->gamma2[i] = dp_doubled_add(c->gamma2[i], c->x[i]);
    }
    for (int j = 0; j < c->p->nv; ++j) {
        c->v2[j] = dp_doubled_add(c->v2[j], c->y[j]);
    }
    return change;
}

static void take_doubled(dp_compliant *c)
{
    for (int i = 0; i < c->n; ++i) {
        c->gamma[i] = c->gamma2[i].hi;
    }
    for (int j = 0; j < c->p->nv; ++j) {
        c->v[j] = c->v2[j].hi;
    }
}

// Refine from the γ at hand. @return false: the factor is too poor for that
static bool refine(dp_compliant *c)
{
    dp_delassus_motion(c->v, &c->d, c->p, c->gamma);
    if (c->set.determinant >= GREAT_DETERMINANT && c->d.least_pivot >= GREAT_PIVOT) {
        correct_velocities(c);
        return true;
    }
    const bool good = c->set.least_pivot >= GOOD_PIVOT && c->d.least_pivot >= GOOD_PIVOT;
    for (int pass = 0; good && pass < PLAIN_PASSES; ++pass) {
        const double change = correct_plainly(c);
        if (change <= PLAIN_ENOUGH) {
            return true;
        }
        if (!(change <= HOPELESS)) {
            break;
        }
    }
    gaps(c);
    for (int j = 0; j < c->p->nv; ++j) {
        c->v2[j] = (dp_doubled){c->v[j], 0.0};
    }
    for (int i = 0; i < c->n; ++i) {
        c->gamma2[i] = (dp_doubled){c->gamma[i], 0.0};
    }
    double last = 1.0;
    for (int pass = 0; pass < MAX_PASSES; ++pass) {
        const double change = correct(c);
        const bool done = change * (change / last) <= ERROR_LEFT;
        if (done || !(change <= CONTRACTION * last)) {
            take_doubled(c);
            return done || change <= STAGNATION; // of least squares there may be no more to be had
        }
        last = change;
    }
    take_doubled(c);
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
    for (int resort = c->set.pivoted; resort < 2 && !good; ++resort) {
        dp_free_set_factor_any(c, 0.0, resort == 1);
        dp_free_set_impulses(c, (dp_prox){0.0, NULL});
        good = refine(c);
    }
    row_velocities(c);
}

void dp_compliant_motion(dp_compliant *c)
{
    dp_delassus_motion(c->v, &c->d, c->p, c->gamma);
    row_velocities(c);
    dp_stand_measure(c);
}
