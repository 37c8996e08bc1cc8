// Newton's method on the natural map (CO 2) with full steps, about a centre that follows every
// step.
//
// A small proximal compliance s about each point keeps the matrix regular where rows depend on each
// other. It slows convergence, but while rows keep their modes one factorization is valid for all
// of the steps: those with the same factors are the refinement of the first. It converges within a
// few steps from a guess whose modes are nearly right, and cycles between modes otherwise: then
// proximal_newton.h takes over.
#include "solve/contact/coulomb.h"
#include "solve/contact/operator/factor_cache.h"

#include <math.h>
#include <string.h>

typedef enum likeness { OTHER, NEAR, SAME } likeness;

typedef struct newton {
    dp_coulomb *c;
    dp_coulomb_map map;
    double before, least; // residuals: of the last step, and the least
    double refined;       // [m/s] what steps with the same factors are made for
    int limit;            // of factorizations
    int changes;          // factorizations made
    int worse;            // steps in a row without gain
    bool stale;           // the factors are of a similar C, and do little
} newton;

// How similar C is to that of the last factors.
static likeness compare_factored(const dp_coulomb *c)
{
    if (memcmp(c->C, c->op.C_factored, c->op.nC * sizeof *c->C) == 0) {
        return SAME;
    }
    for (int b = 0; b < c->p->nblock; ++b) {
        const size_t from = c->block[b].C,
                     end = b + 1 < c->p->nblock ? c->block[b + 1].C : c->op.nC;
        double most = 0.0, change = 0.0;
        for (size_t k = from; k < end; ++k) {
            most = fmax(most, fabs(c->op.C_factored[k]));
            change = fmax(change, fabs(c->C[k] - c->op.C_factored[k]));
        }
        if (change > DP_FALL * most) {
            return OTHER;
        }
    }
    return NEAR;
}

// In a chain of n contacts, each between other bodies, a compliance s holds steps back by s n²:
// from a few hundred on that is much.
static double first_shift(const dp_coulomb *c)
{
    const double n = c->p->nblock, least = DP_FALL * DP_FALL * DP_NEWTON_SHIFT;
    return c->p->nblock > c->p->ntree
               ? DP_NEWTON_SHIFT
               : fmax(least, fmin(DP_NEWTON_SHIFT, DP_FIRST_SHIFT / (n * n)));
}

// F, q and C about the present point. @return how C is like that of the factors
static likeness linearise(newton *n)
{
    dp_coulomb *c = n->c;
    memcpy(c->centre, c->x, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_tangents(c, c->x, c->u);
    dp_coulomb_linearise(c, &n->map, c->x, c->u);
    if (c->op.cache.in_use) {
        dp_cache_round(c);
    }
    return n->changes > 0 ? compare_factored(c) : OTHER;
}

// @return whether there are new factors
static bool factor(newton *n)
{
    dp_coulomb *c = n->c;
    const bool enough = n->changes > 0 && n->least <= c->tol.goal;
    if (enough || c->work.factorizations >= n->limit ||
        !(c->op.cache.in_use ? dp_cache_factor(c) : dp_coulomb_factor(c))) {
        return false;
    }
    ++n->changes;
    return true;
}

// The velocities of a Newton step dx change by what it was solved for, W dx = G dv, as far as the
// digits of the factors go. Far from the end that will do. A convex problem that is solved is still
// to be polished, from impulses whose velocities are known. @return the residual
static double follow(dp_coulomb *c)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->x[r] += c->dx[r];
        c->u[r] += c->du[r];
    }
    const bool polishes = dp_coulomb_is_convex(c) && c->best.residual <= c->tol.strict;
    return dp_coulomb_judge_sum(c, c->op.one_tree && !polishes, c->tol.goal);
}

static double make_step(newton *n)
{
    dp_coulomb *c = n->c;
    ++c->work.iterations;
    if (c->op.cache.in_use) {
        dp_cache_step(c, c->dx);
    } else {
        dp_coulomb_step(c, c->dx);
    }
    return follow(c);
}

// After a step with the same factors of the same C: s follows its success. @return whether another
// is worth it
static bool adapt_shift(newton *n, double residual)
{
    if (residual < DP_FALL * n->before) {
        return true;
    }
    n->map.shift *= DP_FALL * DP_FALL; // it holds them back
    return residual < n->before && residual > n->c->tol.goal &&
           n->map.shift >= DP_FALL * DP_FALL * DP_NEWTON_SHIFT;
}

// Is this the end, solved or not?
static bool ends(newton *n, likeness like, bool refines, double residual)
{
    const dp_coulomb *c = n->c;
    if (residual <= fmax(refines ? n->refined : c->tol.fine, c->tol.digits) ||
        !isfinite(residual) || (like == SAME && !adapt_shift(n, residual))) {
        return true;
    }
    // Modes of redundant contacts change to and fro: the proximal search sees further.
    const bool cycles = !refines && c->redundant && !dp_coulomb_is_convex(c) &&
                        c->best.residual > c->tol.solved && residual > DP_PROGRESS * n->before;
    // Modes change and nothing is gained.
    const bool idle = !(refines && !(residual < n->before)) && residual <= c->tol.solved &&
                      !(residual < DP_PROGRESS * n->least) && n->changes > 1;
    return cycles || idle;
}

// A step with the last factors that increased the residual is taken back, and counts as none.
static void take_stock(newton *n, likeness like, bool refines, double residual)
{
    dp_coulomb *c = n->c;
    const bool undone = refines && !(residual < n->before);
    n->stale = like == NEAR && residual > DP_FALL * n->before;
    if (n->stale && residual < n->before && n->map.shift >= DP_NEWTON_SHIFT) {
        n->map.shift *= DP_FALL * DP_FALL; // it holds the steps back
    }
    if (undone) {
        memcpy(c->x, c->best.x, (size_t)c->p->nrow * sizeof *c->x);
        dp_coulomb_velocities(c, c->u, c->x);
    }
    n->worse = residual < n->least ? 0 : n->worse + 1;
    n->least = residual < n->least ? residual : n->least;
    n->before = undone ? c->best.residual : residual;
}

bool dp_coulomb_newton(dp_coulomb *c, int most, int bad)
{
    const double first = dp_coulomb_residual(c, c->x, c->u);
    newton n = {.c = c,
                .map = {first_shift(c), c->centre, c->one_over_a, true},
                .before = first,
                .least = first,
                // With a tree, refinement costs about as much as all else.
                .refined = fmax(DP_GOAL * DP_GOAL * c->tol.solved,
                                c->op.one_tree ? DP_GOAL * c->tol.fine : 0.0),
                .limit = c->work.factorizations + most};
    while (n.worse < bad && !dp_coulomb_is_interrupted(c)) {
        const likeness like = linearise(&n);
        const bool refines = like == SAME || (like == NEAR && !n.stale);
        if (!refines && !factor(&n)) {
            break;
        }
        const double residual = make_step(&n);
        if (ends(&n, like, refines, residual)) {
            break;
        }
        take_stock(&n, like, refines, residual);
    }
    dp_coulomb_complete_best(c);
    return c->best.residual <= c->tol.solved;
}
