// Cycles of sweeps and Newton steps, for collapses: many contacts open, close and change between
// stick and slip at once. Sweeps put right what is wrong between neighbours, but what concerns many
// bodies hardly moves; Newton's method does the opposite, once most contacts do what they will do
// in the end. So they take turns, as smoother and correction do on coarser and coarser grids
// [GraserKornhuber2009]. A Newton step is one of the proximal search (proximal_newton.c) about the
// point that sweeps led to, and s follows its success.
//
// Where a few contacts nearly have a solution and yet have none, merit functions have minima that
// Newton steps fall back to. Sweeps drift past, if slowly: so steps that went nowhere are undone.
// If that takes too long, another attempt begins with no impulses, and sweeps more: it goes another
// way.
//
// Departures. There the functions are convex and each half descends on the same one. Coulomb's law
// has none: nothing is proved here, and the cycles are bounded by work.
#include "solve/contact/coulomb.h"

#include <string.h>

enum {
    SWEEPS = 96, // about as much work as two Newton steps among 300 spheres
    CYCLES = 50, // of an attempt
    ATTEMPTS = 4,
    NEWTON_STEPS = 3, // in a cycle
    HALVINGS = 5,
};
static const double FIRST_SHIFT = 1e-2;
static const double LEAST_SHIFT = 1e-12, MOST_SHIFT = 1.0;
static const double FALL = 0.2, RISE = 3.0; // of the shift
static const double REACH = 0.1;            // ρ = REACH/(s a) where that is more than 1/a
static const double ARMIJO = 1e-4;
static const double SHORT = 0.2;   // steps that tell of a shift that is too small
static const double SOLVED = 1e-4; // of the merit: the map is solved as well as it matters
static const double GAIN = 0.3;    // of the residual: no sweeps are needed

// One Newton step on a map from c->x, c->u, c->F, with a monotone line search on *merit, which
// belongs to them before and after. @return its length; 0: none was found, nothing changed but c->F
static double descend(dp_coulomb *c, const dp_coulomb_map *map, double *merit)
{
    const int n = c->p->nrow;
    ++c->work.iterations;
    if (!dp_coulomb_direction(c, c->dx, map, c->x, c->u)) {
        return 0.0;
    }
    dp_coulomb_mobility(c, c->du, c->dx);
    double step = 1.0;
    for (int k = 0; k < HALVINGS; ++k, step *= 0.5) {
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

// ρ as it goes with the shift s.
static void reach(dp_coulomb *c, double shift)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->rho[r] = (REACH / shift > 1.0 ? REACH / shift : 1.0) / c->a[r];
    }
}

// Newton steps about c->x with the shift s. @return the length of the last, 0: it was none
static double correct(dp_coulomb *c, double s)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    reach(c, s);
    memcpy(c->centre, c->x, bytes);
    const dp_coulomb_map map = {s, c->centre, c->rho, false};
    dp_coulomb_tangents(c, c->x, c->u);
    double merit = dp_coulomb_evaluate(c, c->F, &map, c->x, c->u), step = 1.0;
    const double enough = SOLVED * merit;
    for (int k = 0; k < NEWTON_STEPS && (k == 0 || merit > enough); ++k) {
        step = descend(c, &map, &merit);
        if (!(step > 0.0)) {
            memcpy(c->x, c->centre, bytes);
            dp_coulomb_velocities(c, c->u, c->x);
            break;
        }
        if (dp_coulomb_judge(c, c->x, c->u) <= c->tol.solved) {
            break;
        }
    }
    return step;
}

// One attempt from c->x.
static bool attempt(dp_coulomb *c, int sweeps, int limit)
{
    double s = FIRST_SHIFT;
    bool solved = dp_gauss_seidel_iterate(c, sweeps);
    for (int k = 0;
         k < CYCLES && !solved && c->work.factorizations < limit && !dp_coulomb_is_interrupted(c);
         ++k) {
        const double before = dp_coulomb_residual(c, c->x, c->u);
        const double step = correct(c, s);
        solved = c->best.residual <= c->tol.solved;
        s *= step == 1.0 ? FALL : step < SHORT ? RISE : 1.0;
        s = s < LEAST_SHIFT ? LEAST_SHIFT : s > MOST_SHIFT ? MOST_SHIFT : s;
        const bool gained = step == 1.0 && dp_coulomb_residual(c, c->x, c->u) < GAIN * before;
        if (!solved && !gained) {
            solved = dp_gauss_seidel_iterate(c, sweeps);
        }
    }
    return solved;
}

bool dp_gauss_seidel_newton(dp_coulomb *c, int max_factorizations)
{
    const int limit = c->work.factorizations + max_factorizations;
    bool solved = attempt(c, SWEEPS, limit);
    for (int k = 1;
         k < ATTEMPTS && !solved && c->work.factorizations < limit && !dp_coulomb_is_interrupted(c);
         ++k) {
        memset(c->x, 0, (size_t)c->p->nrow * sizeof *c->x);
        solved = attempt(c, (k + 1) * SWEEPS, limit);
    }
    return solved;
}
