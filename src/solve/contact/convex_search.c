// The variational inequality (CV 1) with a proximal compliance, E = R + s a > 0 in all, has the
// impulses x = P(y(u)), y = (û + s a r − u)/E, P the nearest point in the metric E. So velocities
// alone are unknown, and they are those of the least
//
//     ℓ(v) = ½ (v − v_free)ᵀ M̃ (v − v_free) + Σ (xᵀE y − ½ xᵀE x),   x = P(y(G v)),          (CV 3)
//
// which is strictly convex and once differentiable, ∇ℓ = M̃(v − v_free) − Gᵀx, with the second
// derivative M̃ + Gᵀ C G ≥ M̃ wherever it has one. Newton's method with a line search that ends where
// ℓ still falls, but no longer as steeply, comes to its minimum from everywhere, and so does the
// proximal point method around it to a solution of (CV 1), if there is one [Rockafellar1976].
//
// Departures. [CastroPermenterHan2023] minimise (CV 3) for the compliance of the contacts
// themselves; here it is that of the proximal method, and goes to 0. Where round-off makes ℓ too
// flat to tell, steps are taken whole.
#include "solve/contact/convex_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

// By the chord, which is the slope itself where that is straight, and never too near to an end.
double dp_convex_share(double (*slope)(void *job, double share), void *job, double first)
{
    double low = 0.0, high = 1.0, at_low = -first, share = 1.0, now = slope(job, share);
    double at_high = now;
    for (int k = 0; k < DP_HALVINGS && (now > DP_GOAL * DP_GOAL * first ||
                                        (share < 1.0 && now < -DP_PROGRESS * first));
         ++k) {
        if (now > 0.0) {
            high = share;
            at_high = now;
        } else {
            low = share;
            at_low = now;
        }
        const double chord = at_low / (at_low - at_high);
        share = low + (high - low) * fmin(fmax(chord, DP_FALL), 1.0 - DP_FALL);
        now = slope(job, share);
    }
    return share;
}

// ρ = 1/E: y no longer depends on x.
static void reach_for(dp_coulomb *c, double shift)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->rho[r] = 1.0 / (c->soft[r].R + shift * c->a[r]);
    }
}

static double slope(const dp_coulomb *c, const double *F)
{
    double sum = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        sum += F[r] * c->du[r]; // ∇ℓ · dv = Gᵀ(x − P) · dv
    }
    return sum;
}

typedef struct descent {
    dp_coulomb *c;
    const dp_coulomb_map *map;
} descent;

// The slope at a share of the step; c->trial is where that leads.
static double slope_at(void *job, double share)
{
    const descent *s = job;
    dp_coulomb *c = s->c;
    for (int r = 0; r < c->p->nrow; ++r) {
        c->trial[r] = c->x[r] + share * c->dx[r];
        c->u_trial[r] = c->u[r] + share * c->du[r];
    }
    dp_coulomb_evaluate(c, c->F, s->map, c->trial, c->u_trial);
    return slope(c, c->F);
}

// One Newton step with its line search, from c->x, c->u, c->F. @return whether there was one
static bool descend(dp_coulomb *c, const dp_coulomb_map *map)
{
    descent s = {c, map};
    ++c->work.iterations;
    if (!dp_coulomb_direction(c, c->dx, map, c->x, c->u)) {
        return false;
    }
    dp_coulomb_mobility(c, c->du, c->dx);
    const double first = -slope(c, c->F);
    if (!(first > 0.0)) { // at the bottom, to round-off
        return false;
    }
    (void)dp_convex_share(slope_at, &s, first);
    memcpy(c->x, c->trial, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    dp_coulomb_evaluate(c, c->F, map, c->x, c->u);
    return true;
}

// [m/s] By how much x is not P(y).
static double off_by(const dp_coulomb *c)
{
    double worst = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        worst = fmax(worst, c->a[r] * fabs(c->F[r]) * c->len[r]);
    }
    return worst;
}

// @return whether c->x is the minimum of (CV 3), within `enough`
static bool minimise(dp_coulomb *c, const dp_coulomb_map *map, double enough, int limit, int *steps)
{
    double before = (double)INFINITY;
    dp_coulomb_evaluate(c, c->F, map, c->x, c->u);
    for (*steps = 0; *steps < DP_NEWTON_STEPS && c->work.factorizations < limit &&
                     !dp_coulomb_is_interrupted(c);
         ++*steps) {
        const double off = off_by(c);
        if (*steps > 0 && off <= enough) {
            return true;
        }
        if (!descend(c, map)) {
            return off <= before; // nothing more to be had
        }
        before = off;
        if (dp_coulomb_judge(c, c->x, c->u) <= c->tol.solved) {
            return true;
        }
    }
    return off_by(c) <= enough;
}

// [√J] How large impulses are.
static double norm_of(const dp_coulomb *c)
{
    double sum = 0.0;
    for (int r = 0; r < c->p->nrow; ++r) {
        sum += c->a[r] * c->x[r] * c->x[r];
    }
    return sqrt(sum);
}

// Where no impulses solve (CV 1), as in a wedge whose cones add up to one that is not closed, those
// of the proximal method grow without end: from the time when the shift was small, and still.
static bool grows(const dp_coulomb *c, double s, double *early)
{
    const double now = norm_of(c);
    if (s > DP_GOAL) {
        *early = now;
    }
    return s < DP_GOAL * DP_GOAL && DP_FALL * now > *early && *early > 0.0;
}

bool dp_convex_search(dp_coulomb *c, int max_factorizations)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    const int limit = c->work.factorizations + max_factorizations;
    double s = DP_FIRST_SHIFT, early = 0.0;
    dp_coulomb_velocities(c, c->u, c->x);
    double residual = dp_coulomb_judge(c, c->x, c->u);
    c->found.unbounded = false;
    while (c->work.factorizations < limit && c->best.residual > c->tol.solved &&
           !c->found.unbounded && !dp_coulomb_is_interrupted(c)) {
        memcpy(c->centre, c->x, bytes);
        reach_for(c, s);
        const dp_coulomb_map map = {s, c->centre, c->rho, false};
        const double most = DP_FALL * DP_FALL * residual;
        const double least = DP_FALL * DP_FALL * c->tol.solved;
        int steps;
        const bool solved = minimise(c, &map, most > least ? most : least, limit, &steps);
        residual = dp_coulomb_residual(c, c->x, c->u);
        const bool free = c->law.weight || c->law.compliance == 0.0; // of what would hold impulses
        c->found.unbounded = free && c->best.residual > c->tol.solved && grows(c, s, &early);
        s *= !solved ? 1.0 / DP_FALL : steps <= DP_EASY ? DP_FALL : DP_PROGRESS;
        s = fmin(fmax(s, DP_LEAST_SHIFT), DP_MOST_SHIFT);
    }
    return c->best.residual <= c->tol.solved;
}

// [m/s] How far c->x is from the minimum of (CV 3) without any shift. The nearest is kept in
// c->direction.
static double look(dp_coulomb *c, double *nearest)
{
    memset(c->centre, 0, (size_t)c->p->nrow * sizeof *c->centre);
    reach_for(c, 0.0);
    const dp_coulomb_map map = {0.0, c->centre, c->rho, false};
    dp_coulomb_evaluate(c, c->F, &map, c->x, c->u);
    const double off = off_by(c);
    if (off < *nearest) {
        *nearest = off;
        memcpy(c->direction, c->x, (size_t)c->p->nrow * sizeof *c->x);
    }
    return off;
}

// The minimum with a shift about no impulses at all.
static double settle(dp_coulomb *c, double shift, double enough, int most, double *nearest)
{
    int steps;
    memset(c->centre, 0, (size_t)c->p->nrow * sizeof *c->centre);
    reach_for(c, shift);
    const dp_coulomb_map map = {shift, c->centre, c->rho, false};
    const double tolerance = c->tol.solved;
    c->tol.solved = -1.0; // all of it
    (void)minimise(c, &map, enough, c->work.factorizations + most, &steps);
    c->tol.solved = tolerance;
    return look(c, nearest);
}

void dp_compliant_impulses(dp_coulomb *c)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    double push = 0.0, nearest = (double)INFINITY;
    for (int r = 0; r < c->p->nrow; ++r) {
        if (!(c->soft[r].R > 0.0)) {
            return;
        }
        push = fmax(push, c->w[r] * fabs(c->best.x[r]) * c->len[r]);
    }
    const double digits = DP_ROUND_OFF * push;
    const double will_do = digits * (1.0 + 1.0 / c->law.compliance); // y = … /E
    memcpy(c->x, c->best.x, bytes);
    dp_coulomb_velocities(c, c->u, c->x);
    (void)look(c, &nearest);
    if (settle(c, 0.0, digits, DP_NEWTON_BUDGET, &nearest) > will_do) {
        // then from no impulses, with less and less shift
        memset(c->x, 0, bytes);
        dp_coulomb_velocities(c, c->u, c->x);
        double shift = 1.0;
        while (shift > c->law.compliance && !dp_coulomb_is_interrupted(c)) {
            (void)settle(c, shift, DP_FALL * DP_FALL * c->tol.solved, DP_NEWTON_STEPS, &nearest);
            shift *= DP_PROGRESS;
        }
        (void)settle(c, 0.0, digits, DP_NEWTON_STEPS, &nearest);
    }
    dp_coulomb_velocities(c, c->u, c->direction);
    const double residual = dp_coulomb_residual(c, c->direction, c->u);
    if (residual <= c->tol.solved || !(c->best.residual <= c->tol.solved)) {
        memcpy(c->best.x, c->direction, bytes);
        memcpy(c->best.u, c->u, bytes);
        c->best.residual = residual;
    } else { // what solved the problem stays
        dp_coulomb_velocities(c, c->best.u, c->best.x);
    }
    memcpy(c->best.v, c->v, (size_t)c->p->nv * sizeof *c->v);
}
