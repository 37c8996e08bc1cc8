#include "solve/contact/gauss_seidel/large_island.h"

#include "solve/contact/gauss_seidel/gauss_seidel_simd.h"

#include <math.h>
#include <string.h>

// Iterations that cost as much as a few factorizations, which run at several times their pace. What
// one takes is guessed, since H is not laid out yet: 6 (6 + 6)² multiplications for each body that
// is eliminated next to one other, as in chains, and more with the loops that bodies make.
static int worthwhile_iterations(const dp_coulomb *c)
{
    const double bodies = c->p->ntree, loops = dp_coulomb_loops(c);
    const double work = 6 * 36 * (4 * bodies + 16 * loops + loops * loops);
    const double one = 36 * c->p->nblock; // a point is 72 multiplications, many of them at once
    const double most = work / one;
    return (int)fmin(most, 2 * DP_WORTHWHILE);
}

bool dp_gauss_seidel_may_pay(const dp_coulomb *c)
{
    return c->gs.has_points && !dp_coulomb_is_convex(c) &&
           worthwhile_iterations(c) >= DP_WORTHWHILE;
}

static bool is_loose(const dp_coulomb *c)
{
    return c->tol.solved > DP_LOOSE * c->tol.approach;
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
    return is_loose(c) || (first > DP_FALL * DP_FALL * c->tol.approach && is_compliant(c));
}

bool dp_gauss_seidel_first(dp_coulomb *c, double first)
{
    const bool met = first <= c->tol.solved;
    const double enough = is_loose(c) ? c->tol.solved : DP_DIGITS * c->tol.approach;
    const int most = (dp_is_rigid_moving_island(c) ? DP_RIGID_TIMES : 1) * worthwhile_iterations(c);
    c->gs.by_points = is_loose(c);
    const bool solved = dp_gauss_seidel_until(c, met ? DP_FEW_ITERATIONS : most,
                                              met ? DP_GOAL * c->tol.solved : enough);
    if (!solved && !met) {
        dp_coulomb_go_to_best(c);
    }
    return solved || met;
}

void dp_gauss_seidel_confine(dp_coulomb *c)
{
    dp_coulomb_go_to_best(c);
    (void)dp_gauss_seidel_until(c, DP_FEW_ITERATIONS, 0.0);
    const double residual = dp_coulomb_residual(c, c->x, c->u);
    if (residual <= c->tol.solved) {
        dp_coulomb_keep(c, c->x, c->u, residual);
    }
}
