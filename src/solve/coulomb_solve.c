// From a guess to the solution of an island: Newton's method where the guess is not enough, and
// which search follows where that fails.
#include "solve/coulomb.h"

#include "math/pair2.h"
#include "solve/coulomb_convex.h"
#include "solve/coulomb_kept.h"
#include "solve/coulomb_plain.h"
#include "solve/coulomb_points.h"
#include "solve/coulomb_rest.h"
#include "solve/proximal_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>
enum {
    NEWTON_STEPS = 8, // with factors of their own, before the searches begin
    FEW_STEPS = 4,    // where they do little, and
    LAST_STEPS = 2,   // where the guess will do as well
    NEWTON_BAD = 3,
    POLISH_STEPS = 2,
    LEAST_ROUGH = 16, // sweeps towards a loose tolerance
    FEW_ROUGH = 32,   // less are not worth a beginning
    MOST_ROUGH = 1024,
    RIGID_ROUGH = 8, // times as many
    HEAP = 256,      // points of contact
    HEAP_STEPS = 16, // with factors of their own: in motion, two shorter steps cost less
    POLISHES = 4,    // of impulses that faces are looked for
};
static const double GOES_ON = 0.9;     // of the last change of impulses: what moves nothing fades
static const double PROGRESS = 0.1;    // of the residual: what a Newton step may leave
static const double FINE = 1e-6;       // of the tolerance: what refinement is spent for
static const double NEAR_SHIFT = 1e-2; // where the convex search begins
// Proximal compliances of Newton's method. Where contacts are redundant, residuals along what moves
// nothing are divided by them.
static const double SHIFT = 1e-6, LESS_SHIFT = 1e-2, LEAST_SHIFT = 5e-9;
static const double FREE_SHIFT = 1e-2; // over the square of the number of contacts in a row
static const double MORE_SHIFT = 30.0, MOST_SHIFT = 0.03;
static const double NEAR_OF_TREES = 1e-3; // factors of one tree cost little
static const double SLOW = 0.1;           // refinement should do better
static const double MORE_DIGITS = 8.0;    // nothing is won beyond, in the last of them
static const double FALLS = 0.5;          // no step in vain
static const double HASTE = 0.1;          // of c->speed
static const double DIGITS = 1e-4;      // of the first residual: while things move, no more matter
static const double NEARBY = 1e-3;      // of c->speed
static const double HUGE_PUSH = 1e4;    // of c->speed: impulses that grow without end?
static const double LOOSE = 1e-5;       // of c->speed: a few hundred sweeps may come that far
static const double ROUGH = 1e-4;       // of c->speed: from there on Newton's method does more
static const double FAR_OFF = 1e-2;     // of c->speed: a guess that sweeps do much for
static const double LEAST_SPEED = 1e-3; // [m/s]
static const double FAR_WORSE = 10.0;   // times what is left without impulses
static const double NOT_FAR = 10.0;     // times the tolerance: shorter steps will do

void dp_coulomb_keep(dp_coulomb *c, const double *x, const double *u, double residual)
{
    c->best_residual = residual;
    memmove(c->best, x, (size_t)c->p->nrow * sizeof *x);
    memcpy(c->u_best, u, (size_t)c->p->nrow * sizeof *u);
    memcpy(c->v_best, c->v, (size_t)c->p->nv * sizeof *c->v);
    c->v_best_known = true;
}

double dp_coulomb_judge(dp_coulomb *c, const double *x, const double *u)
{
    const double residual = dp_coulomb_residual(c, x, u);
    if (residual < c->best_residual) {
        dp_coulomb_keep(c, x, u, residual);
    }
    return residual;
}

// After a Newton step dx: velocities change by what it was solved for, W dx = G dv, as far as the
// digits of the factors go. Far from the end that will do. A convex problem that is solved is still
// to be polished, from impulses whose velocities are known. @return the residual
static double follow(dp_coulomb *c)
{
    for (int r = 0; r < c->p->nrow; ++r) {
        c->x[r] += c->dx[r];
        c->u[r] += c->du[r];
    }
    const bool polishes = dp_coulomb_is_convex(c) && c->best_residual <= c->strict;
    if (c->one_tree && !polishes) {
        const double residual = dp_coulomb_residual(c, c->x, c->u);
        if (residual > c->goal) {
            if (residual < c->best_residual) {
                dp_coulomb_keep(c, c->x, c->u, residual);
                c->v_best_known = false;
            }
            return residual;
        }
    }
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_judge(c, c->x, c->u);
}

// Where a step with the factors at hand led from `before` to `residual`. @return whether Newton's
// method should go on; with another shift, if *shift is changed
static bool adapt_shift(double *shift, const dp_coulomb *c, double before, double residual)
{
    if (residual < SLOW * before) {
        return true;
    }
    if (residual < before) { // the shift holds it back
        *shift *= LESS_SHIFT;
        return residual > c->goal && *shift >= LEAST_SHIFT;
    }
    *shift *= MORE_SHIFT; // digits are lost
    return c->best_residual > c->tolerance && *shift <= MOST_SHIFT;
}

typedef enum likeness { OTHER, NEAR, SAME } likeness;

// How C is like that of the factors at hand.
static likeness compare_factored(const dp_coulomb *c)
{
    if (memcmp(c->C, c->C_factored, c->nC * sizeof *c->C) == 0) {
        return SAME;
    }
    const double near = c->one_tree ? NEAR_OF_TREES : SLOW;
    for (int b = 0; b < c->p->nblock; ++b) {
        const size_t from = c->block[b].C, end = b + 1 < c->p->nblock ? c->block[b + 1].C : c->nC;
        double most = 0.0, change = 0.0;
        for (size_t k = from; k < end; ++k) {
            most = fmax(most, fabs(c->C_factored[k]));
            change = fmax(change, fabs(c->C[k] - c->C_factored[k]));
        }
        if (change > near * most) {
            return OTHER;
        }
    }
    return NEAR;
}

// Contacts that are no more than bodies do not depend on each other, and need little of it. In a
// stack of n of them a compliance s holds steps back by s n²: from a few hundred on that is much.
static double first_shift(const dp_coulomb *c)
{
    const double n = c->p->nblock;
    return c->p->nblock > c->p->ntree ? SHIFT
                                      : fmax(LEAST_SHIFT, fmin(SHIFT, FREE_SHIFT / (n * n)));
}

// A proximal compliance about each point keeps the matrix regular where rows depend on each other.
// It slows the steps down, but while rows keep their states, as good as, one factorization does for
// all of them: steps with the same factors are the refinement of the first.
bool dp_coulomb_newton(dp_coulomb *c, int most, int bad)
{
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    const int limit = c->factorizations + most;
    // With a tree, refinement costs about as much as all else.
    const double refined = fmax(FINE * c->tolerance, c->one_tree ? DP_COULOMB_GOAL * c->fine : 0.0);
    dp_coulomb_map map = {first_shift(c), c->centre, c->one_over_a, true};
    double before = dp_coulomb_residual(c, c->x, c->u), least = before;
    const double falls = before <= HASTE * c->speed ? FALLS : 0.0; // in a collapse it tells nothing
    bool factored = false, stale = false;
    for (int worse = 0, changes = 0; worse < bad && !dp_coulomb_is_interrupted(c);) {
        memcpy(c->centre, c->x, bytes);
        dp_coulomb_tangents(c, c->x, c->u);
        dp_coulomb_linearise(c, &map, c->x, c->u);
        if (c->kept.used) {
            dp_kept_round(c);
        }
        const likeness like = factored ? compare_factored(c) : OTHER;
        const bool refines = like == SAME || (like == NEAR && !stale);
        if (!refines) {
            const bool enough = factored && least <= c->goal;
            if (enough || c->factorizations == limit ||
                !(c->kept.used ? dp_kept_factor(c) : dp_coulomb_factor(c))) {
                break;
            }
            memcpy(c->C_factored, c->C, c->nC * sizeof *c->C);
            factored = true;
            ++changes;
        }
        ++c->iterations;
        if (c->kept.used) {
            dp_kept_step(c, c->dx);
        } else {
            dp_coulomb_step(c, c->dx);
        }
        const double residual = follow(c);
        if (residual <= fmax(refines ? refined : c->fine, c->digits) ||
            !(residual < DP_COULOMB_HUGE) ||
            (like == SAME && !adapt_shift(&map.shift, c, before, residual))) {
            break;
        }
        if (c->redundant && !dp_coulomb_is_convex(c) && !refines &&
            c->best_residual > c->tolerance && residual > PROGRESS * before) {
            break; // modes change to and fro: the proximal search sees further
        }
        stale = like == NEAR && residual > SLOW * before;
        if (stale && residual < before && map.shift * LESS_SHIFT >= LEAST_SHIFT) {
            map.shift *= LESS_SHIFT; // it holds the steps back
        }
        if (refines && !(residual < before)) {
            memcpy(c->x, c->best, bytes);
            dp_coulomb_velocities(c, c->u, c->x);
        } else if (residual <= c->tolerance && !(residual < 0.5 * least) && changes > 1) {
            break; // states change and nothing is gained
        }
        worse = residual < fmax(least, falls * before) ? 0 : worse + 1;
        least = residual < least ? residual : least;
        before = refines && !(residual < before) ? c->best_residual : residual;
    }
    if (!c->v_best_known) {
        dp_coulomb_velocities(c, c->u, c->best);
        dp_coulomb_keep(c, c->best, c->u, dp_coulomb_residual(c, c->best, c->u));
    }
    return c->best_residual <= c->tolerance;
}

// [m/s] The largest velocity that the impulse of a row makes by itself.
double dp_coulomb_largest_push(const dp_coulomb *c, const double *x)
{
    const int nrow = c->p->nrow;
    dp_pair2 most = dp_pair2_zero();
    int r = 0;
    for (; r + 2 <= nrow; r += 2) {
        const dp_pair2 impulse = dp_pair2_abs(dp_pair2_load(x + r));
        most = dp_pair2_max(dp_pair2_mul(dp_pair2_load(c->w + r), impulse), most);
    }
    return fmax(dp_pair2_larger(most), r < nrow ? c->w[r] * fabs(x[r]) : 0.0);
}

// [m/s] The root of the mean square of all rows, at the start of the step.
static double usual_speed(dp_coulomb *c)
{
    double square = 0.0;
    dp_coulomb_row_velocities(c, c->du, c->p->v0);
    for (int r = 0; r < c->p->nrow; ++r) {
        const double u = c->du[r] * c->len[r];
        square += u * u;
    }
    return sqrt(square / c->p->nrow);
}

// Is the best residual in the last digits of the velocities that impulses make? So large they are
// where joints hold bodies deep within each other.
static bool is_exhausted(const dp_coulomb *c)
{
    return c->best_residual <= DBL_EPSILON * dp_coulomb_largest_push(c, c->best);
}

// What a guess that is good enough does without.
static void prepare_search(dp_coulomb *c, double first)
{
    const dp_step_problem *p = c->p;
    c->goal = fmin(fmax(DP_COULOMB_GOAL * c->tolerance, DIGITS * first), c->tolerance);
    c->fine = fmin(fmax(FINE * c->tolerance, DP_COULOMB_GOAL * DIGITS * first), c->tolerance);
    c->digits = fmin(DBL_EPSILON * dp_coulomb_largest_push(c, c->x), c->tolerance);
    c->speed = LEAST_SPEED;
    for (int b = 0; b < p->nblock; ++b) {
        const int r = p->row_start[b];
        if (c->block[b].ngroup > 0) {
            const double approach = c->soft[r].u_hat - c->u_free[r];
            c->speed = approach > c->speed ? approach : c->speed;
        }
    }
}

// Of a residual, which may be no number.
static double finite_or_lost(double residual)
{
    return residual < (double)INFINITY ? residual : (double)INFINITY;
}

// Sweeps that cost as much as a few factorizations, which run at several times their pace. What one
// takes is guessed, since H is not laid out yet: 6 (6 + 6)² multiplications for each body that is
// eliminated next to one other, as in chains, and more with the loops that bodies make.
static int sweeps_worth_it(const dp_coulomb *c)
{
    const double bodies = c->p->ntree, loops = dp_coulomb_loops(c);
    const double work = 216.0 * (4.0 * bodies + 16.0 * loops + loops * loops);
    const double one = 36.0 * c->p->nblock; // a point is 72 multiplications, many of them at once
    const double most = work / one;
    return most < MOST_ROUGH ? (int)most : MOST_ROUGH;
}

// Do sweeps come far in the time of a few factorizations?
static bool may_sweep(const dp_coulomb *c)
{
    return c->has_points && !dp_coulomb_is_convex(c) && sweeps_worth_it(c) >= FEW_ROUGH;
}

// [m/s] What counts as solved in a heap. Where it moves, the step itself is off by far more than
// a small part of the speed: digits beyond that part tell nothing of the motion, and cost most of
// the work. What comes to rest is solved to all digits in the end.
static double tolerance_of_heap(dp_coulomb *c, const dp_law_options *opt)
{
    const bool heap = opt->heap_tolerance > 0.0 && c->p->nblock >= HEAP && may_sweep(c);
    return heap ? fmax(c->tolerance, opt->heap_tolerance * usual_speed(c)) : c->tolerance;
}

static bool is_loose(const dp_coulomb *c)
{
    return c->tolerance > LOOSE * c->speed;
}

// Do all contacts give way?
static bool is_soft(const dp_coulomb *c)
{
    bool soft = true;
    for (int b = 0; soft && b < c->p->nblock; ++b) {
        soft = c->soft[c->p->row_start[b]].R > 0.0;
    }
    return soft;
}

// Where sweeps may meet the tolerance; and in soft heaps whose guess is far off, where Newton's
// method takes half as long from what they find. Among rigid bodies they jam long before that.
static bool begins_with_sweeps(const dp_coulomb *c, double first)
{
    const bool helps = c->p->nblock >= HEAP && first > FAR_OFF * c->speed && is_soft(c);
    return (is_loose(c) || helps) && may_sweep(c);
}

// In rigid heaps that move, sweeps go on for long where factorizations hardly ever do: Newton's
// method finds one answer in hundreds, cycles one in ten.
static bool is_rigid_heap(const dp_coulomb *c)
{
    return c->tolerance > c->strict && !is_soft(c);
}

// Sweeps from the guess until the tolerance is met, or Newton's method will do more. If it is met,
// a few all the same: what is off then fades from step to step.
static bool sweep_roughly(dp_coulomb *c, double first)
{
    const bool met = first <= c->tolerance;
    const double enough = is_loose(c) ? c->tolerance : ROUGH * c->speed;
    const int most = (is_rigid_heap(c) ? RIGID_ROUGH : 1) * sweeps_worth_it(c);
    c->by_points = is_loose(c);
    dp_coulomb_keep(c, c->x, c->u, finite_or_lost(first));
    const bool solved = dp_points_sweep_until(c, met ? LEAST_ROUGH : most,
                                              met ? DP_COULOMB_GOAL * c->tolerance : enough);
    if (!solved && !met) {
        memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
        dp_coulomb_velocities(c, c->u, c->x);
    }
    return solved || met;
}

// In a heap that moves: is a guess far worse than none? That leaves c->speed, and few
// factorizations do not mend it.
static bool is_far_worse(const dp_coulomb *c, double first)
{
    return c->tolerance > c->strict && !(first <= FAR_WORSE * c->speed);
}

// @return the residual
static double begin_from_nothing(dp_coulomb *c)
{
    memset(c->x, 0, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_residual(c, c->x, c->u);
}

// Newton's method leaves impulses of a heap outside their cones by as much as the tolerance, sweeps
// leave none.
static void confine(dp_coulomb *c)
{
    memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    (void)dp_points_sweep_until(c, LEAST_ROUGH, 0.0);
    const double residual = dp_coulomb_residual(c, c->x, c->u);
    if (residual <= c->tolerance) {
        dp_coulomb_keep(c, c->x, c->u, residual);
    }
}

// x in the sets of the law: friction within what normals allow, normals that push. c->u_trial must
// be numbers.
static void project(dp_coulomb *c, double *x)
{
    const double no_way = 1e-20; // beside any impulse
    for (int r = 0; r < c->p->nrow; ++r) {
        c->rho[r] = no_way * c->one_over_a[r];
    }
    const dp_coulomb_map map = {.shift = 0.0, .centre = x, .rho = c->rho};
    dp_coulomb_evaluate(c, c->F, &map, x, c->u_trial);
    for (int r = 0; r < c->p->nrow; ++r) {
        x[r] -= c->F[r];
    }
}

// Impulses lie in their sets, solved or not: those that are nearest to what a search has left.
static void confine_to_sets(dp_coulomb *c)
{
    memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
    memcpy(c->u_trial, c->u_best, (size_t)c->p->nrow * sizeof *c->x);
    project(c, c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    dp_coulomb_keep(c, c->x, c->u, dp_coulomb_residual(c, c->x, c->u));
}

// Rows of a block with ranges of their own: of a contact the normal.
static int end_of_ranges(const dp_coulomb *c, int b)
{
    return c->block[b].ngroup > 0 ? c->p->row_start[b] + 1 : c->p->row_start[b + 1];
}

// Does a normal or a one-sided row pull, by more than a hundredth of the tolerance? Beside impulses
// of 1e5 N s that is more than their round-off.
static bool pulls(const dp_coulomb *c)
{
    const double noticed = 1e-2;
    const dp_step_problem *p = c->p;
    double most = 0.0;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < end_of_ranges(c, b); ++r) {
            const bool below = p->row[r].lo == 0.0 && c->best[r] < 0.0;
            most = below ? fmax(most, -c->w[r] * c->best[r]) : most;
        }
    }
    return most > noticed * c->strict;
}

// The nearest impulses in their sets, if they solve the problem as well.
static void push_alone(dp_coulomb *c)
{
    memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
    memcpy(c->u_trial, c->u_best, (size_t)c->p->nrow * sizeof *c->x);
    project(c, c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    const double residual = dp_coulomb_residual(c, c->x, c->u);
    if (residual <= c->tolerance) {
        dp_coulomb_keep(c, c->x, c->u, residual);
    }
}

// From c->x. @param budget of factorizations, where that is less
static bool search_by(dp_coulomb *c, const dp_search_plan *plan, int budget)
{
    dp_search_plan own = *plan;
    own.factorizations = own.factorizations < budget ? own.factorizations : budget;
    return !is_exhausted(c) && dp_proximal_newton(c, &own);
}

static void return_to_best(dp_coulomb *c)
{
    memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
}

// From c->x, what changed since the last step.
static bool search_first(dp_coulomb *c)
{
    if (c->weight) {
        return dp_convex_search(c, NEAR_SHIFT, c->max_factorizations);
    }
    if (!c->redundant && !dp_coulomb_is_convex(c)) { // single points: many may change at once
        return dp_coulomb_cycle(c, c->max_factorizations);
    }
    return search_by(c, &DP_SEARCH_FOLLOW, c->max_factorizations);
}

static bool search_on(dp_coulomb *c)
{
    const int most = c->max_factorizations;
    return_to_best(c);
    if (dp_coulomb_is_convex(c)) { // in the limit there is nothing else that would do more
        return !c->weight && dp_convex_search(c, NEAR_SHIFT, most);
    }
    dp_search_plan patient = DP_SEARCH_PATIENT;
    const double off = c->best_residual / c->speed; // a shift leaves about as much as itself
    patient.shift = !c->redundant && off < NEARBY ? fmax(off, SHIFT) : patient.shift;
    if (!c->wedged && search_by(c, &patient, most)) {
        return true;
    }
    memset(c->x, 0, (size_t)c->p->nrow * sizeof *c->x);
    return search_by(c, &DP_SEARCH_FAR, 2 * most);
}

// Where rigid rows contradict each other there is nothing to be found, and impulses without end on
// the way: what they can have is asked for instead, and looked for anew from no impulses.
// @param yielded [m/s] by how much they do, 0: not to be seen
static bool search_without_contradictions(dp_coulomb *c, double *yielded)
{
    *yielded = dp_coulomb_yield(c);
    if (!(*yielded > 0.0)) {
        return false;
    }
    memset(c->x, 0, (size_t)c->p->nrow * sizeof *c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    dp_coulomb_keep(c, c->x, c->u, dp_coulomb_residual(c, c->x, c->u));
    return dp_coulomb_newton(c, NEWTON_STEPS, NEWTON_BAD) || search_first(c) || search_on(c);
}

static bool pushes_without_end(const dp_coulomb *c)
{
    return !(dp_coulomb_largest_push(c, c->x) <= HUGE_PUSH * c->speed);
}

// From where Newton's method has left c->x.
static bool search_all(dp_coulomb *c, double *yielded)
{
    *yielded = 0.0;
    if (c->tolerance > c->strict) { // a heap that moves
        const int most = c->max_factorizations < HEAP_STEPS ? c->max_factorizations : HEAP_STEPS;
        return_to_best(c);
        const bool found = !is_exhausted(c) && dp_coulomb_cycle(c, most);
        const bool not_far = c->best_residual <= NOT_FAR * c->tolerance;
        if (found || not_far || (is_rigid_heap(c) && !pushes_without_end(c))) {
            return found;
        }
    }
    const bool suspect = pushes_without_end(c);
    if (suspect && (search_without_contradictions(c, yielded) || *yielded > 0.0)) {
        return c->best_residual <= c->tolerance;
    }
    return_to_best(c);
    if (search_first(c)) {
        return true;
    }
    if (!suspect && (search_without_contradictions(c, yielded) || *yielded > 0.0)) {
        return c->best_residual <= c->tolerance;
    }
    return search_on(c);
}

// Rigid faces touch at more points than they need to, and gaps that differ in their last digits
// decide which of these push: Newton's method takes all of them for what they were, the proximal
// search does better.
static int newton_steps(const dp_coulomb *c, double first)
{
    for (int b = 0; c->redundant && !dp_coulomb_is_convex(c) && b < c->p->nblock; ++b) {
        if (c->block[b].ngroup > 0) {
            return c->soft[c->p->row_start[b]].R > 0.0 ? NEWTON_STEPS
                   : first <= c->tolerance             ? LAST_STEPS
                                                       : FEW_STEPS;
        }
    }
    return NEWTON_STEPS;
}

// The faces that impulses lie on are known when velocities are, to more digits than the tolerance
// asks for.
static void find_least(dp_coulomb *c)
{
    const double tolerance = c->tolerance, goal = c->goal, fine = c->fine;
    double before = (double)INFINITY;
    c->tolerance = DP_COULOMB_GOAL * tolerance;
    c->goal = DP_COULOMB_GOAL * c->tolerance;
    c->fine = FINE * c->tolerance;
    c->digits = DBL_EPSILON * dp_coulomb_largest_push(c, c->best);
    for (int k = 0; k < POLISHES && c->best_residual > MORE_DIGITS * c->digits &&
                    c->best_residual < FALLS * before;
         ++k) {
        before = c->best_residual;
        memcpy(c->x, c->best, (size_t)c->p->nrow * sizeof *c->x);
        dp_coulomb_velocities(c, c->u, c->x);
        (void)(k % 2 == 0 ? dp_coulomb_newton(c, NEWTON_STEPS, NEWTON_BAD)
                          : dp_convex_search(c, NEAR_SHIFT, NEWTON_STEPS));
    }
    c->tolerance = tolerance;
    c->goal = goal;
    c->fine = fine;
    c->unbounded = false;
    dp_convex_least(c);
}

// Which impulses, of all that meet the tolerance.
static void find_impulses(dp_coulomb *c)
{
    if (c->weight) {
        find_least(c);
    } else {
        dp_convex_finish(c);
    }
}

static void take_guess(dp_coulomb *c, const double *warm)
{
    const dp_step_problem *p = c->p;
    if (!warm) {
        memset(c->x, 0, (size_t)p->nrow * sizeof *c->x);
        return;
    }
    memcpy(c->x, warm, (size_t)p->nrow * sizeof *c->x);
    for (int b = 0; b < p->nblock; ++b) {
        if (c->block[b].round) {
            b += c->block[b].run > 0 ? c->block[b].run - 1 : 0;
            continue;
        }
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            c->x[r] = c->scale[r] > 0.0 ? warm[r] / c->scale[r] : 0.0;
        }
    }
}

// Are all contacts compliant? How redundant rigid ones share a load is not determined, and
// extrapolation would let it drift.
static bool determines_loads(const dp_coulomb *c)
{
    bool soft = true;
    for (int b = 0; soft && b < c->p->nblock; ++b) {
        soft = c->block[b].ngroup == 0 || c->soft[c->p->row_start[b]].R > 0.0;
    }
    return soft;
}

// The guess, or how it goes on from the last two steps, whatever is the better of the two.
// @param first residual of the guess. @return that of what c->x is then
static double extrapolate(dp_coulomb *c, double first)
{
    const dp_step_problem *p = c->p;
    if (!c->change || !(first > c->tolerance) || !determines_loads(c)) {
        return first;
    }
    for (int r = 0; r < p->nrow; ++r) {
        c->trial[r] = c->scale[r] > 0.0 ? c->x[r] + GOES_ON * c->change[r] / c->scale[r] : 0.0;
        c->u_trial[r] = c->u[r];
    }
    project(c, c->trial);
    dp_coulomb_velocities(c, c->u_trial, c->trial);
    const double residual = dp_coulomb_residual(c, c->trial, c->u_trial);
    if (!(residual < first)) {
        dp_coulomb_velocities(c, c->u, c->x);
        return first;
    }
    memcpy(c->x, c->trial, (size_t)p->nrow * sizeof *c->x);
    memcpy(c->u, c->u_trial, (size_t)p->nrow * sizeof *c->u);
    return residual;
}

// [m/s] What a law that shares loads by a compliance s D is solved to: s w γ, by which that shows,
// may be far below what counts as solved.
static double tolerance_of(const dp_coulomb *c, const dp_law_options *opt)
{
    const double shows = 100.0; // times s
    const double share =
        c->compliance > 0.0 && !dp_coulomb_is_convex(c) ? shows * c->compliance : 1.0;
    return share < 1.0 ? share * opt->tolerance : opt->tolerance;
}

// @param v where the velocities of the guess go
static void aim(dp_coulomb *c, double *v, const double *warm, const dp_law_options *opt)
{
    const dp_step_problem *p = c->p;
    c->iterations = c->factorizations = c->spared = 0;
    c->by_points = false;
    c->tolerance = tolerance_of(c, opt);
    c->strict = opt->tolerance;
    if (p->normal ||
        dp_coulomb_is_convex(c)) { // tangents of their laws look at them, and what ends a search
        dp_coulomb_row_velocities(c, c->u_free, p->v_free);
    }
    dp_coulomb_take_targets(c);
    c->inconsistent = 0.0;
    c->unbounded = c->wedged = false;
    if (dp_coulomb_is_convex(c)) {
        dp_coulomb_take_convex_targets(c);
    }
    take_guess(c, warm);
    if (c->by_links) {
        dp_coulomb_answer_of_links(c, &c->mass, c->v, NULL, c->x);
    } else {
        dp_coulomb_forces(c, c->force, c->x);
        dp_coulomb_accelerate(c, c->v, c->force);
    }
    for (int i = 0; i < p->nv; ++i) {
        v[i] = p->v_free[i] + c->v[i];
    }
    dp_coulomb_row_velocities(c, c->u, v);
}

void dp_coulomb_aim(dp_coulomb *c, const double *warm, const dp_law_options *opt)
{
    aim(c, c->v_best, warm, opt);
    const double first = dp_coulomb_residual(c, c->x, c->u);
    dp_coulomb_row_velocities(c, c->u_free, c->p->v_free);
    prepare_search(c, first);
    dp_coulomb_keep(c, c->x, c->u, finite_or_lost(first));
}

// A point as a solution, whose velocities are c->v_best. @param known its states are there, as
// dp_coulomb_residual_of_guess left them. @param yielded [m/s] what rigid rows gave way by
static void present(dp_step_solution *out, dp_coulomb *c, const double *x, const double *u,
                    bool known, bool solved, double yielded, dp_solve_info *info)
{
    const dp_step_problem *p = c->p;
    for (int i = 0; i < p->nv; ++i) {
        out->v[i] = p->v_free[i] + c->v_best[i];
    }
    for (int r = 0; r < p->nrow; ++r) {
        out->gamma[r] = c->scale[r] * x[r];
    }
    dp_coulomb_states(out->state, c, x, u, known);
    if (yielded > 0.0) { // what is told is told of the rows as they are
        dp_coulomb_take_targets(c);
        c->best_residual = dp_coulomb_residual(c, c->best, c->u_best);
    }
    *info = (dp_solve_info){.outcome = solved         ? DP_CONVERGED
                                       : c->unbounded ? DP_WEAKLY_INFEASIBLE
                                                      : DP_CAPPED,
                            .residual = c->best_residual,
                            .islands = 1,
                            .iterations = c->iterations,
                            .factorizations = c->factorizations - c->spared,
                            .inconsistent = fmax(yielded, c->inconsistent),
                            .exhausted = !solved && is_exhausted(c),
                            .heaps = solved && c->best_residual > c->strict ? 1 : 0};
}

void dp_coulomb_conclude(dp_step_solution *out, dp_coulomb *c, bool solved, dp_solve_info *info)
{
    present(out, c, c->best, c->u_best, false, solved, 0.0, info);
}

void dp_coulomb_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                      const dp_law_options *opt, dp_solve_info *info)
{
    const dp_step_problem *p = c->p;
    aim(c, out->v, warm, opt);
    double first = dp_coulomb_residual_of_guess(out->state, c, c->x, c->u);
    bool solved = dp_rest_serves(c, first, out->v);
    if (solved) {
        c->best_residual = first;
        memcpy(c->v_best, c->v, (size_t)p->nv * sizeof *c->v);
        if (dp_coulomb_is_convex(c)) {
            dp_coulomb_keep(c, c->x, c->u, first);
            find_impulses(c);
            present(out, c, c->best, c->u_best, false, true, 0.0, info);
        } else {
            present(out, c, c->x, c->u, true, true, 0.0, info);
        }
        return;
    }
    c->tolerance = tolerance_of_heap(c, opt);
    dp_coulomb_row_velocities(c, c->u_free, p->v_free);
    first = extrapolate(c, first);
    prepare_search(c, first);
    if (is_far_worse(c, first)) {
        warm = NULL;
        first = begin_from_nothing(c);
        prepare_search(c, first);
    }
    const bool swept = begins_with_sweeps(c, first);
    solved = swept ? sweep_roughly(c, first) : dp_rest_calm(c, first);
    if (!solved) {
        if (c->factorizations > 0) { // back to the guess
            take_guess(c, warm);
            dp_coulomb_velocities(c, c->u, c->x);
        }
        if (!swept) {
            dp_coulomb_keep(c, c->x, c->u, finite_or_lost(first));
        }
        solved = !(swept && is_rigid_heap(c)) &&
                 dp_coulomb_newton(c, newton_steps(c, first), NEWTON_BAD);
    }
    if (!solved &&
        c->tolerance < opt->tolerance) { // round-off, or a search that need not be as fine
        c->tolerance = opt->tolerance;
        solved = c->best_residual <= c->tolerance;
    }
    const bool searched = !solved;
    double yielded = 0.0;
    solved = solved || search_all(c, &yielded);
    if (searched && solved && c->best_residual > c->goal) { // digits that cost little
        memcpy(c->x, c->best, (size_t)p->nrow * sizeof *c->x);
        dp_coulomb_velocities(c, c->u, c->x);
        solved = dp_coulomb_newton(c, POLISH_STEPS, 1);
    }
    if (solved && c->best_residual > c->strict && c->tolerance > c->strict &&
        c->factorizations > 0) {
        confine(c);
    }
    if (dp_coulomb_is_convex(c) && (solved || !c->weight)) {
        find_impulses(c);
        solved = c->best_residual <= c->tolerance;
    }
    if (!solved) {
        confine_to_sets(c);
    } else if (pulls(c)) {
        push_alone(c);
    }
    present(out, c, c->best, c->u_best, false, solved, yielded, info);
}
