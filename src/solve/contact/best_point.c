// The best point that a search has come to: kept, judged, and made a solution.
#include "solve/contact/coulomb.h"

#include "math/f64x2.h"
#include "solve/contact/allowed_error.h"

#include <float.h>
#include <math.h>
#include <string.h>

static size_t bytes_of(const dp_coulomb *c)
{
    return (size_t)c->p->nrow * sizeof *c->x;
}

void dp_coulomb_keep(dp_coulomb *c, const double *x, const double *u, double residual)
{
    c->best.residual = residual;
    memmove(c->best.x, x, bytes_of(c));
    memcpy(c->best.u, u, bytes_of(c));
    memcpy(c->best.v, c->v, (size_t)c->p->nv * sizeof *c->v);
    c->best.v_known = true;
}

double dp_coulomb_judge(dp_coulomb *c, const double *x, const double *u)
{
    const double residual = dp_coulomb_residual(c, x, u);
    if (residual < c->best.residual) {
        dp_coulomb_keep(c, x, u, residual);
    }
    return residual;
}

double dp_coulomb_judge_sum(dp_coulomb *c, bool summed, double enough)
{
    if (summed) {
        const double residual = dp_coulomb_residual(c, c->x, c->u);
        if (residual > enough) {
            if (residual < c->best.residual) {
                dp_coulomb_keep(c, c->x, c->u, residual);
                c->best.v_known = false;
            }
            return residual;
        }
    }
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_judge(c, c->x, c->u);
}

void dp_coulomb_complete_best(dp_coulomb *c)
{
    if (!c->best.v_known) {
        dp_coulomb_velocities(c, c->u, c->best.x);
        dp_coulomb_keep(c, c->best.x, c->u, dp_coulomb_residual(c, c->best.x, c->u));
    }
}

void dp_coulomb_go_to_best(dp_coulomb *c)
{
    memcpy(c->x, c->best.x, bytes_of(c));
    dp_coulomb_velocities(c, c->u, c->x);
}

double dp_coulomb_largest_push(const dp_coulomb *c, const double *x)
{
    const int nrow = c->p->nrow;
    dp_f64x2 most = dp_f64x2_zero();
    int r = 0;
    for (; r + 2 <= nrow; r += 2) {
        const dp_f64x2 impulse = dp_f64x2_abs(dp_f64x2_load(x + r));
        most = dp_f64x2_max(dp_f64x2_mul(dp_f64x2_load(c->w + r), impulse), most);
    }
    return fmax(dp_f64x2_larger(most), r < nrow ? c->w[r] * fabs(x[r]) : 0.0);
}

bool dp_coulomb_is_exhausted(const dp_coulomb *c)
{
    return c->best.residual <= DP_ROUND_OFF * dp_coulomb_largest_push(c, c->best.x);
}

// With a step ρ that is nothing beside any impulse.
void dp_coulomb_project(dp_coulomb *c, double *x)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->rho[r] = DBL_EPSILON * DBL_EPSILON * c->one_over_a[r];
    }
    const dp_coulomb_map map = {.shift = 0.0, .centre = x, .rho = c->rho};
    dp_coulomb_evaluate(c, c->F, &map, x, c->u_trial);
    for (int r = 0; r < c->p->nrow; ++r) {
        x[r] -= c->F[r];
    }
}

void dp_coulomb_present(dp_step_solution *out, dp_coulomb *c, bool known, bool solved,
                        double relaxed, dp_solve_info *info)
{
    const dp_step_problem *p = c->p;
    for (int i = 0; i < p->nv; ++i) {
        out->v[i] = p->v_free[i] + c->best.v[i];
    }
    for (int r = 0; r < p->nrow; ++r) {
        out->gamma[r] = c->scale[r] * c->best.x[r];
    }
    dp_coulomb_states(out->state, c, c->best.x, c->best.u, known);
    double residual = c->best.residual;
    if (relaxed > 0.0) { // what is reported is of the rows as they are
        dp_coulomb_take_targets(c);
        residual = dp_coulomb_residual(c, c->best.x, c->best.u);
    } else if (dp_coulomb_is_loose(c)) { // and by what they leave, not by what they may
        dp_allow_no_error(c);
        residual = dp_coulomb_residual(c, c->best.x, c->best.u);
    }
    // A residual far above the tolerance is no round-off: impulses have grown without a reason, and
    // shorter steps may need none of that size.
    *info = (dp_solve_info){.outcome = solved               ? DP_OUTCOME_CONVERGED
                                       : c->found.unbounded ? DP_OUTCOME_WEAKLY_INFEASIBLE
                                                            : DP_OUTCOME_CAPPED,
                            .residual = residual,
                            .islands = 1,
                            .iterations = c->work.iterations,
                            .factorizations = c->work.factorizations - c->work.spared,
                            .inconsistent = fmax(relaxed, c->found.inconsistent),
                            .exhausted = !solved && dp_coulomb_is_exhausted(c) &&
                                         DP_GOAL * residual <= c->tol.strict,
                            .within_error = solved && residual > c->tol.strict ? 1 : 0};
}

void dp_coulomb_conclude(dp_step_solution *out, dp_coulomb *c, bool solved, dp_solve_info *info)
{
    dp_coulomb_present(out, c, false, solved, 0.0, info);
}
