// Islands at rest: impulses that are valid from step to step.
#include "solve/contact/settle_at_rest.h"

#include "linalg/tree_ldl.h"
#include "math/f64x2.h"
#include "solve/contact/operator/factor_cache.h"
#include "solve/contact/proximal_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Does a group of friction hold, rather than slip? @param first row of its contact
static bool holds(const dp_coulomb *c, const dp_friction_group *group, int first)
{
    const double *x = c->x + first;
    const double nearly = 1.0 - DP_GOAL * DP_GOAL; // at its limit: who slips is there to round-off
    if (group->count == 2 && c->law.corners > 0) {
        return dp_coulomb_sticks(c, group, x + group->first, nearly * group->reach * x[0]);
    }
    const double *t = x + group->first, across = group->count == 2 ? t[1] : 0.0;
    const double limit =
        nearly * (c->law.bound ? c->law.bound[first + group->first] : group->reach * x[0]);
    return t[0] * t[0] + across * across < limit * limit;
}

// [m/s] How much the rows gain or lose in the step from c->du, if it ends at c->u.
static double change_of_all(const dp_coulomb *c)
{
    const int nrow = c->p->nrow;
    const double *u = c->u, *u0 = c->du, *len = c->len;
    dp_f64x2 worst = dp_f64x2_zero();
    int r = 0;
    for (; r + 2 <= nrow; r += 2) {
        const dp_f64x2 change = dp_f64x2_sub(dp_f64x2_load(u + r), dp_f64x2_load(u0 + r));
        worst = dp_f64x2_max(dp_f64x2_mul(dp_f64x2_abs(change), dp_f64x2_load(len + r)), worst);
    }
    const double last = r < nrow ? fabs(u[r] - u0[r]) * len[r] : 0.0;
    return fmax(dp_f64x2_larger(worst), last);
}

// [m/s] How much those that hold do: not those that are at an end of their range, and of contacts
// neither those that are open nor friction that slips.
static double change_of_held(const dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    double worst = 0.0;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_coulomb_block *block = &c->block[b];
        const int first = p->row_start[b];
        const int end = block->ngroup > 0 ? first + 1 : p->row_start[b + 1];
        for (int r = first; r < end; ++r) {
            const bool within = c->x[r] > p->row[r].lo && c->x[r] < p->row[r].hi;
            const double change = fabs(c->u[r] - c->du[r]) * c->len[r];
            worst = within && change > worst ? change : worst;
        }
        for (int g = 0; g < block->ngroup; ++g) {
            const dp_friction_group *group = &block->group[g];
            const bool held = c->x[first] > 0.0 && holds(c, group, first);
            for (int k = 0; held && k < group->count; ++k) {
                const int r = first + group->first + k;
                const double change = fabs(c->u[r] - c->du[r]) * c->len[r];
                worst = change > worst ? change : worst;
            }
        }
    }
    return worst;
}

// [m/s] What that leaves of its digits.
static double round_off(const dp_coulomb *c)
{
    return DP_ROUND_OFF * dp_coulomb_largest_push(c, c->x);
}

// [m/s] What is no change of velocity at rest.
static double little_of(const dp_coulomb *c)
{
    return fmax(DP_REST * c->tol.solved, round_off(c));
}

// [m/s] What a guess may leave at rest: more in a stack of hundreds of bodies, of which neither
// impulses nor gaps are known as well.
static double most_at_rest(const dp_coulomb *c)
{
    return fmin(fmax(DP_GOAL * c->tol.solved, DP_OF_GAPS * round_off(c)),
                DP_FALL * DP_FALL * c->tol.solved);
}

// The velocity that the law of a row asks for, at the impulse of the guess.
static double asked_of(const dp_coulomb *c, int r)
{
    return c->u[r] - dp_soft_slack(c->soft[r], c->x[r], c->u[r]);
}

// Rows of a block whose gap asks for a velocity: of a contact the normal.
static int end_of_gaps(const dp_coulomb *c, int b)
{
    return c->block[b].ngroup > 0 ? c->p->row_start[b] + 1 : c->p->row_start[b + 1];
}

// Does a row that is off by more than `enough` go further?
static bool strays(const dp_coulomb *c, double enough)
{
    const dp_step_problem *p = c->p;
    bool any = false;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < end_of_gaps(c, b); ++r) {
            const double asked = asked_of(c, r);
            const bool within = c->x[r] > p->row[r].lo && c->x[r] < p->row[r].hi;
            any = any || (within && fabs(asked) * c->len[r] > enough && asked * c->u[r] < 0.0);
        }
    }
    return any;
}

// Do velocities change so little from v0 to v that no row notices? By Cauchy and Schwarz in the
// metric of the mass, |g Δv|² ≤ (g M̃⁻¹ gᵀ)(Δvᵀ M̃ Δv): the rows themselves are not looked at.
static bool hardly_moves(dp_coulomb *c, const double *v)
{
    const dp_step_problem *p = c->p;
    if (c->op.by_links) {
        return false;
    }
    double *change = c->force, square = 0.0;
    for (int i = 0; i < p->nv; ++i) {
        change[i] = v[i] - p->v0[i];
    }
    const dp_tree_ldl at = {p->nv, p->parent, p->Mt_start};
    for (int t = 0; t < p->ntree; ++t) {
        square += dp_tree_ldl_square(at, p->Mt, change, p->tree_start[t], p->tree_start[t + 1]);
    }
    dp_f64x2 most = dp_f64x2_zero();
    int r = 0;
    for (; r + 2 <= p->nrow; r += 2) {
        const dp_f64x2 len = dp_f64x2_load(c->len + r);
        most = dp_f64x2_max(dp_f64x2_mul(dp_f64x2_load(c->w + r), dp_f64x2_mul(len, len)), most);
    }
    const double last = r < p->nrow ? c->w[r] * (c->len[r] * c->len[r]) : 0.0;
    const double little = DP_REST * c->tol.solved;
    return fmax(dp_f64x2_larger(most), last) * square <= little * little;
}

// Is the first guess good enough to be the answer? At rest, impulses that are off by a little leave
// a velocity that grows by as much in every step, and so do gaps with it: impulses that are off by
// hardly more than round-off do for many steps, others for a few, and then it takes several to come
// to rest again. While something moves, what is left is no beginning of a motion.
bool dp_guess_is_enough(dp_coulomb *c, double residual, const double *v)
{
    if (!(residual <= DP_FALL * DP_FALL * c->tol.solved)) {
        return false;
    }
    const double most = most_at_rest(c);
    if (residual > most || (residual > DP_PROGRESS * most && strays(c, DP_PROGRESS * most))) {
        return false;
    }
    if (hardly_moves(c, v)) {
        return true;
    }
    dp_coulomb_row_velocities(c, c->du, c->p->v0);
    const double little = little_of(c);
    if (change_of_all(c) <= little) { // mostly, and soon said
        return true;
    }
    const double change = change_of_held(c);
    return change <= little || (residual <= DP_REST * c->tol.solved && change > c->tol.solved);
}

// What rows are asked for at rest. Gaps are known to their last digits only, and the velocity that
// they ask for is no motion: impulses that follow it are wrong in the next step. Rows that are off
// by no more than factorizations are spent for are asked for a part of it only. They stay within
// that, the impulses balance, and are valid for many steps.
static void ask_for_less(dp_coulomb *c)
{
    const dp_step_problem *p = c->p;
    const double most = most_at_rest(c);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < end_of_gaps(c, b); ++r) {
            const double asked = asked_of(c, r);
            if (fabs(asked) * c->len[r] <= most) {
                c->soft[r].u_hat -= (1.0 - DP_FALL) * asked;
                c->soft[r].u_stop -= (1.0 - DP_FALL) * asked;
            }
        }
    }
}

// [m/s] The fastest row at the start of the step.
static double fastest_row(dp_coulomb *c)
{
    double fastest = 0.0;
    dp_coulomb_row_velocities(c, c->du, c->p->v0);
    for (int r = 0; r < c->p->nrow; ++r) {
        fastest = fmax(fastest, fabs(c->du[r]) * c->len[r]);
    }
    return fastest;
}

// Impulses that leave no more than `little`, from c->x. Where friction is at its limit, and sticks
// or slips by the last digits, Newton's method goes to and fro between the two, and the proximal
// search finds what both agree on. @return whether there are, in c->best.x
static bool balance(dp_coulomb *c, double little)
{
    const double goal = c->tol.goal, tolerance = c->tol.solved;
    c->tol.goal = little;
    dp_coulomb_keep(c, c->x, c->u, dp_coulomb_residual(c, c->x, c->u));
    (void)dp_cache_begin(c);
    (void)dp_coulomb_newton(c, DP_PATIENCE, DP_PATIENCE);
    dp_cache_end(c);
    if (c->best.residual > little) {
        memcpy(c->x, c->best.x, (size_t)c->p->nrow * sizeof *c->x);
        c->tol.solved = little;
        dp_search_plan plan = DP_SEARCH_FOLLOW;
        plan.shift = 1.0; // contacts as soft as bodies are heavy
        plan.factorizations = DP_NEWTON_BUDGET;
        (void)dp_proximal_newton(c, &plan);
    }
    c->tol.goal = goal;
    c->tol.solved = tolerance;
    return c->best.residual <= little;
}

bool dp_settle_at_rest(dp_coulomb *c, double first)
{
    if (!(first <= DP_FALL * DP_FALL * c->tol.solved) || c->p->normal || dp_coulomb_is_convex(c) ||
        fastest_row(c) > c->tol.solved) { // something moves
        return false;
    }
    const double little = little_of(c), most = most_at_rest(c);
    ask_for_less(c);
    const bool follows = balance(c, little);
    dp_coulomb_take_targets(c);
    c->best.residual = dp_coulomb_residual(c, c->best.x, c->best.u);
    return follows && c->best.residual <= most;
}
