#include "solve/contact/large_island.h"

#include "solve/contact/gauss_seidel_simd.h"

#include <math.h>
#include <string.h>

enum {
    FEW_ITERATIONS = 16,    // towards a loose tolerance, at least
    LEAST_ITERATIONS = 512, // less are not worth a beginning: Newton's method solves such islands
    MOST_ITERATIONS = 1024, // and
    RIGID_TIMES = 8,        // times as many among rigid contacts
};
static const double LOOSE = 1e-5;   // of the approach: a few hundred iterations may come that far
static const double ROUGH = 1e-4;   // of it: from there on Newton's method does more
static const double FAR_OFF = 1e-2; // of it: a guess that iterations do much for

// Iterations that cost as much as a few factorizations, which run at several times their pace. What
// one takes is guessed, since H is not laid out yet: 6 (6 + 6)² multiplications for each body that
// is eliminated next to one other, as in chains, and more with the loops that bodies make.
static int worthwhile_iterations(const dp_coulomb *c)
{
    const double bodies = c->p->ntree, loops = dp_coulomb_loops(c);
    const double work = 216.0 * (4.0 * bodies + 16.0 * loops + loops * loops);
    const double one = 36.0 * c->p->nblock; // a point is 72 multiplications, many of them at once
    const double most = work / one;
    return most < MOST_ITERATIONS ? (int)most : MOST_ITERATIONS;
}

bool dp_gauss_seidel_may_pay(const dp_coulomb *c)
{
    return c->gs.has_points && !dp_coulomb_is_convex(c) &&
           worthwhile_iterations(c) >= LEAST_ITERATIONS;
}

static bool is_loose(const dp_coulomb *c)
{
    return c->tol.solved > LOOSE * c->tol.approach;
}

static bool is_compliant(const dp_coulomb *c)
{
    for (int b = 0; b < c->p->nblock; ++b) {
        if (!(c->soft[c->p->row_start[b]].R > 0.0)) {
            return false;
        }
    }
    return true;
}

bool dp_is_rigid_moving_island(const dp_coulomb *c)
{
    return dp_coulomb_is_loose(c) && !is_compliant(c);
}

bool dp_gauss_seidel_comes_first(const dp_coulomb *c, double first)
{
    return is_loose(c) || (first > FAR_OFF * c->tol.approach && is_compliant(c));
}

bool dp_gauss_seidel_first(dp_coulomb *c, double first)
{
    const bool met = first <= c->tol.solved;
    const double enough = is_loose(c) ? c->tol.solved : ROUGH * c->tol.approach;
    const int most = (dp_is_rigid_moving_island(c) ? RIGID_TIMES : 1) * worthwhile_iterations(c);
    c->gs.by_points = is_loose(c);
    const bool solved = dp_gauss_seidel_until(c, met ? FEW_ITERATIONS : most,
                                              met ? DP_COULOMB_GOAL * c->tol.solved : enough);
    if (!solved && !met) {
        dp_coulomb_go_to_best(c);
    }
    return solved || met;
}

void dp_gauss_seidel_confine(dp_coulomb *c)
{
    dp_coulomb_go_to_best(c);
    (void)dp_gauss_seidel_until(c, FEW_ITERATIONS, 0.0);
    const double residual = dp_coulomb_residual(c, c->x, c->u);
    if (residual <= c->tol.solved) {
        dp_coulomb_keep(c, c->x, c->u, residual);
    }
}
