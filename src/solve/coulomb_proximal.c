// The proximal search: solve (CO 2) with a compliance s·a about r, take the solution for r, lessen
// s, and so on. The step length ρ of the map goes with s: where s is small, projections look
// further ahead. Without that coupling the search fails often.
//
// Departures. Proximal point methods are for monotone maps and converge there; Coulomb's law is
// not one, and nothing is proved here. The sequence may wander for long before it settles, so it is
// bounded by work and not by patience; the best point that was judged is kept throughout.
#include "solve/coulomb.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 25, VERY_EASY = 6, EASY = 12, HARD = 18, HALVINGS = 12 };
static const double REACH = 0.1; // ρ = REACH/(s a) where that is more than 1/a
static const double QUICK = 0.2; // where Newton needs few steps
static const double ARMIJO = 1e-4;
static const double LEAST_SHIFT = 1e-12, MOST_SHIFT = 1e6;

// [m/s] How far (x, u) is from a zero of the map, with ρ = 1/a: ρ itself would tell more than there
// are digits where s is small.
static double map_residual(dp_coulomb *c, const dp_coulomb_map *map)
{
    dp_coulomb_map plain = *map;
    plain.rho = c->one_over_a;
    plain.radius_of_impulse = true; // as the judge sees it
    dp_coulomb_evaluate(c, c->q, &plain, c->x, c->u);
    double worst = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        const double off = c->a[r] * fabs(c->q[r]) * c->len[r];
        worst = isnan(worst) || off <= worst ? worst : off;
    }
    return worst;
}

double dp_coulomb_descend(dp_coulomb *c, const dp_coulomb_map *map, double *merit, int halvings)
{
    const int n = c->p->nrow;
    ++c->iterations;
    if (!dp_coulomb_direction(c, c->dx, map, c->x, c->u)) {
        return 0.0;
    }
    dp_coulomb_mobility(c, c->du, c->dx);
    double step = 1.0;
    for (int k = 0; k < halvings; ++k, step *= 0.5) {
        for (int r = 0; r < n; ++r) {
            c->trial[r] = c->x[r] + step * c->dx[r];
            c->u_trial[r] = c->u[r] + step * c->du[r];
        }
        const double now = dp_coulomb_evaluate(c, c->F, map, c->trial, c->u_trial);
        if (now <= (1.0 - 2.0 * ARMIJO * step) * *merit) {
            memcpy(c->x, c->trial, (size_t)n * sizeof *c->x);
            dp_coulomb_velocities(c, c->u, c->x);
            dp_coulomb_tangents(c, c->x, c->u);
            *merit = dp_coulomb_evaluate(c, c->F, map, c->x, c->u);
            return step;
        }
    }
    return 0.0;
}

void dp_coulomb_reach(dp_coulomb *c, double shift)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->rho[r] = (REACH / shift > 1.0 ? REACH / shift : 1.0) / c->a[r];
    }
}

typedef enum inner { INNER_SOLVED, INNER_FAILED, INNER_DONE } inner;

// Newton with a monotone line search on the map with the present shift and centre.
static inner solve_inner(dp_coulomb *c, const dp_coulomb_map *map, double tolerance, int limit,
                         int *steps)
{
    dp_coulomb_tangents(c, c->x, c->u);
    double merit = dp_coulomb_evaluate(c, c->F, map, c->x, c->u);
    for (*steps = 0; *steps < MAX_NEWTON && !dp_coulomb_is_interrupted(c); ++*steps) {
        if (*steps > 0 &&
            map_residual(c, map) <= tolerance) { // each search costs something: it ends
            return INNER_SOLVED;
        }
        if (c->factorizations >= limit) {
            return INNER_FAILED;
        }
        if (!(dp_coulomb_descend(c, map, &merit, HALVINGS) > 0.0)) {
            return INNER_FAILED;
        }
        if (dp_coulomb_judge(c, c->x, c->u) <= c->tolerance) {
            return INNER_DONE;
        }
    }
    return map_residual(c, map) <= tolerance ? INNER_SOLVED : INNER_FAILED;
}

bool dp_coulomb_proximal(dp_coulomb *c, double shift, int max_factorizations)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    const int limit = c->factorizations + max_factorizations;
    double fall = 0.5, s = shift;
    memcpy(c->centre, c->x, bytes);
    dp_coulomb_velocities(c, c->u, c->x);
    double centre_residual = dp_coulomb_judge(c, c->x, c->u);
    while (c->factorizations < limit && !dp_coulomb_is_interrupted(c)) {
        dp_coulomb_reach(c, s);
        const dp_coulomb_map map = {s, c->centre, c->rho, false};
        double tau = 1e-2 * centre_residual / c->speed;
        tau = tau < 1e-13 ? 1e-13 : tau > 1e-2 ? 1e-2 : tau;
        int steps;
        const double least = 1e-2 * c->tolerance;
        const double enough = tau * c->speed > least ? tau * c->speed : least;
        const inner end = solve_inner(c, &map, enough, limit, &steps);
        if (end == INNER_DONE) {
            return true;
        }
        const double residual = dp_coulomb_residual(c, c->x, c->u);
        if (end == INNER_SOLVED) {
            memcpy(c->centre, c->x, bytes);
            centre_residual = residual;
            if (steps <= EASY) {
                s *= steps <= VERY_EASY ? QUICK * fall : fall;
                fall = 0.7 * fall > 0.5 ? 0.7 * fall : 0.5;
            } else if (steps > HARD) {
                s *= 2.0;
            }
        } else {
            s *= 3.0;
            fall = sqrt(fall) < 0.8 ? sqrt(fall) : 0.8;
            if (residual < centre_residual) {
                memcpy(c->centre, c->x, bytes);
                centre_residual = residual;
            } else {
                memcpy(c->x, c->centre, bytes);
                dp_coulomb_velocities(c, c->u, c->x);
            }
        }
        s = s < LEAST_SHIFT ? LEAST_SHIFT : s > MOST_SHIFT ? MOST_SHIFT : s;
    }
    return false;
}
