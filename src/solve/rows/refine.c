// Iterative refinement of the impulses [Higham2002, §12]. With y = M̃⁻¹ Gᵀ γ as further unknown, the
// residuals of
//
//     M̃ y − Gᵀ γ = 0,        G y + R γ = t − G v_free       (active rows; t is û or u_stop)
//
// are taken from M̃ and G themselves, and corrected with the current factors. Round-off in W, in its
// factor and in that of M̃ is lost in this, as long as a pass makes the error smaller. In double
// where the factors are good, in double-double where not; where they are as good as can be, the
// second residual is all there is to correct.
#include "problem/gradient.h"
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include <math.h>
#include <string.h>

// What is left of the second equation for y = c->v: c->rhs (active rows).
static void row_residuals(dp_compliant *c)
{
    dp_delassus_rates(c->x, &c->d, c->v);
    for (int i = 0; i < c->n; ++i) {
        c->rhs[i] = dp_row_velocity(c, i) - c->u_free[i] - c->x[i];
    }
}

// Of both for γ and y: c->force (nv), and that.
static void residuals_double(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    dp_tree_ldl_apply(c->force, c->d.tree, p->Mt, c->v);
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] = -c->force[i];
    }
    for (int o = 0; o < p->nblock; ++o) {
        dp_gradient_add(c->force, p, c->d.block[o], c->gamma + c->d.place_start[o]);
    }
    row_residuals(c);
}

// The same in double-double for γ + refined.gamma and v + refined.v.
static void residuals_double_double(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    dp_double_double *force = c->refined.force;
    memset(force, 0, (size_t)p->nv * sizeof *force);
    for (int o = 0; o < p->nblock; ++o) {
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            const bool active = dp_is_active(c->mode[i]);
            const dp_double_double gamma = {c->gamma[i], c->refined.gamma[i]};
            dp_double_double gap = {active ? dp_row_target(c, i) : 0.0, 0.0};
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k, ++G) {
                const int j = p->col[k];
                const dp_double_double v = {c->v[j], c->refined.v[j]};
                force[j] = dp_double_double_madd(force[j], *G, gamma);
                if (active) {
                    gap = dp_double_double_madd(gap, -*G, (dp_double_double){p->v_free[j], 0.0});
                    gap = dp_double_double_madd(gap, -*G, v);
                }
            }
            if (c->mode[i] == DP_MODE_REGULARISED) {
                gap = dp_double_double_madd(gap, -c->R[i], gamma);
            }
            c->rhs[i] = gap.hi + gap.lo;
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        const double *M = p->Mt + p->Mt_start[i];
        const dp_double_double v = {c->v[i], c->refined.v[i]};
        force[i] = dp_double_double_madd(force[i], -*M, v);
        for (int j = p->parent[i]; j >= 0; j = p->parent[j]) {
            const double element = *++M;
            force[i] = dp_double_double_madd(force[i], -element,
                                             (dp_double_double){c->v[j], c->refined.v[j]});
            force[j] = dp_double_double_madd(force[j], -element, v);
        }
    }
    for (int i = 0; i < p->nv; ++i) {
        c->force[i] = force[i].hi + force[i].lo;
    }
}

// The corrections that take the second residual away: of γ in c->x (n), of y in c->y (nv).
static void correct_rows(dp_compliant *c)
{
    dp_active_factor_solve(c, c->x, c->rhs);
    dp_delassus_motion(c->y, &c->d, c->x);
}

// Those that take both away.
static void correct_both(dp_compliant *c)
{
    dp_delassus_accelerate(&c->d, c->force);
    dp_delassus_rates(c->x, &c->d, c->force); // rhs −= G M̃⁻¹ (first residual)
    for (int i = 0; i < c->n; ++i) {
        c->rhs[i] -= c->x[i];
    }
    correct_rows(c);
    for (int j = 0; j < c->p->nv; ++j) {
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

// hi + lo += x
static void add_doubled(double *hi, double *lo, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        const dp_double_double sum = dp_double_double_add((dp_double_double){hi[i], lo[i]}, x[i]);
        hi[i] = sum.hi;
        lo[i] = sum.lo;
    }
}

static void add_corrections(dp_compliant *c)
{
    add_doubled(c->gamma, c->refined.gamma, c->x, c->n);
    add_doubled(c->v, c->refined.v, c->y, c->p->nv);
}

// Begin with doubles.
static void begin(dp_compliant *c)
{
    memset(c->refined.gamma, 0, (size_t)c->n * sizeof *c->refined.gamma);
    memset(c->refined.v, 0, (size_t)c->p->nv * sizeof *c->refined.v);
}

// Passes with residuals in double, or in double-double, as long as corrections shrink. @return
// whether there is no more to be had
static bool iterate(dp_compliant *c, bool doubled)
{
    const int most = doubled ? DP_DOUBLE_DOUBLE_PASSES : DP_DOUBLE_PASSES;
    double last = 1.0;
    begin(c);
    for (int pass = 0; pass < most; ++pass) {
        if (doubled) {
            residuals_double_double(c);
        } else {
            residuals_double(c);
        }
        correct_both(c);
        const double change = relative_change(c);
        add_corrections(c);
        if (doubled ? change * (change / last) <= DP_ERROR_LEFT : change <= DP_DOUBLE_ENOUGH) {
            return true;
        }
        if (!(change <= DP_CONTRACTION * last)) {
            return false;
        }
        last = change;
    }
    return false;
}

// u = u_free + G v, and size: v is exact to its last digits, unlike W γ
static void row_velocities(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    dp_delassus_rates(c->u, &c->d, c->v);
    for (int i = 0; i < c->n; ++i) {
        c->u[i] += c->u_free[i];
    }
    for (int o = 0; o < p->nblock && !c->two_sided; ++o) { // else none will ask for the size
        const int b = c->d.block[o];
        const double *G = p->G + p->G_start[b];
        for (int i = c->d.place_start[o]; i < c->d.place_start[o + 1]; ++i) {
            c->size[i] = fabs(c->u_free[i]);
            for (int k = p->col_start[b]; k < p->col_start[b + 1]; ++k) {
                c->size[i] += fabs(*G++ * c->v[p->col[k]]);
            }
        }
    }
}

// From the present γ. @return false: the factor is too poor for that
static bool refine(dp_compliant *c)
{
    const double pivot = fmin(c->factor.least_pivot, c->d.least_pivot);
    dp_delassus_motion(c->v, &c->d, c->gamma);
    if (c->factor.determinant >= DP_GREAT_DETERMINANT && c->d.least_pivot >= DP_GREAT_PIVOT) {
        begin(c);
        row_residuals(c);
        correct_rows(c);
        add_corrections(c);
        return true;
    }
    return (pivot >= DP_GOOD_PIVOT && iterate(c, false)) || iterate(c, true);
}

// With a factor that takes its pivots by size where the one along the structure is too poor: one
// of 3000 small problems with rigid rows.
void dp_refine(dp_compliant *c)
{
    if (!refine(c) && !c->factor.pivoted) {
        dp_active_factor_pivoted(c);
        dp_active_impulses(c, (dp_prox){0.0, NULL});
        (void)refine(c);
    }
    row_velocities(c);
}

void dp_compliant_motion(dp_compliant *c)
{
    dp_delassus_motion(c->v, &c->d, c->gamma);
    row_velocities(c);
    dp_row_magnitudes(c);
}
