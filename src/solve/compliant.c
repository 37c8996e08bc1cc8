// The compliant law on one island: the parts in turn.
//
//  1. Newton on the stand of the rows from that of the last step (active_set).
//  2. Where it does not settle: the proximal method with less and less compliance, and Newton from
//     the stand that it finds, so that the answer never carries the proximal term.
//  3. Small islands: pivoting one row at a time.
//
// The point of least residual is kept throughout and is the answer where all of that fails.
#include "solve/compliant.h"

#include "base/interrupt.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    NEWTON_STEPS = 10,   // it settles in one to four, or hardly ever
    REFINEMENTS = 4,     // that may each reveal a row that stands wrong, hardly ever two
    CROSSOVER_STEPS = 4, // from a stand that should be right
    SHIFTS = 6,          // proximal compliances, down to 1e-12
    APPROACHES = 20,     // proximal steps where rows contradict each other
    PIVOTING_ROWS = 30,  // more would take too many pivots
};
// Proximal compliance relative to w + R: from a problem that is easy down to one that differs from
// the true one by little more than round-off.
static const double FIRST_SHIFT = 1e-2, SHIFT_RATIO = 1e-2;
// Where rigid rows contradict each other: see give_way.
static const double GIVE_SHIFT = 1e-6;
// Small enough to leave the stand of rows as it is in the limit, large beside round-off.
static const double LEAST_SHIFT = 1e-7;
// Far above round-off: to take a row for undecided costs work, to overlook one makes the impulses
// depend on the start.
static const double UNDECIDED = 1e-10;
// Square of the part that a row has in what dependent rows can do to no effect; less is round-off.
static const double DEPENDS = 1e-12;

size_t dp_compliant_memory(const dp_step_size *max)
{
    const size_t nv = (size_t)max->nv, n = (size_t)max->nrow;
    const size_t triangle = n * (n + 1) / 2;
    size_t bytes = dp_delassus_memory(max);
    bytes += 27 * dp_arena_bytes(n, sizeof(double));
    bytes += dp_arena_bytes(n, sizeof(dp_softness)) + dp_arena_bytes(n, sizeof(dp_soft));
    bytes += 3 * dp_arena_bytes(n, sizeof(uint8_t)); // stand, best_stand, set.stand
    bytes += 7 * dp_arena_bytes(n, sizeof(int));     // set: place … first, any.order
    bytes += 2 * dp_arena_bytes(n, sizeof(bool)) + dp_arena_bytes(n, 1); // set: soft, follows, has
    bytes += dp_arena_bytes(n + 1, sizeof(size_t));                      // set.start
    bytes += 3 * dp_arena_bytes(n, sizeof(double));        // set: scale, any.tau, any.work
    bytes += 2 * dp_arena_bytes(triangle, sizeof(double)); // set: L, any.L
    bytes += 3 * dp_arena_bytes(nv, sizeof(double)) + 2 * dp_arena_bytes(nv, sizeof(dp_doubled));
    bytes += 2 * dp_arena_bytes(n, sizeof(dp_doubled)); // gamma2, gap2
    return bytes;
}

static dp_status take_scratch(dp_compliant *c, dp_arena *scratch)
{
    const size_t n = (size_t)c->n, nv = (size_t)c->p->nv, number = sizeof(double);
    double **of_row[] = {
        &c->w,          &c->a,          &c->root,     &c->R,      &c->u_hat,
        &c->u_stop,     &c->lo,         &c->hi,       &c->u_free, &c->gamma,
        &c->u,          &c->best,       &c->rhs,      &c->x,      &c->Wx,
        &c->centre,     &c->from,       &c->u_from,   &c->given,  &c->size,
        &c->set.scale,  &c->set.weight, &c->set.give, &c->set.R,  &c->set.group_scale,
        &c->set.target, &c->set.impulse};
    const size_t arrays = sizeof of_row / sizeof *of_row;
    double *first;
    DP_TRY(dp_arena_take(&first, scratch, arrays * n, number));
    for (size_t k = 0; k < arrays; ++k) {
        *of_row[k] = first + k * n;
    }
    DP_TRY(dp_arena_take(&c->softness, scratch, n, sizeof *c->softness));
    DP_TRY(dp_arena_take(&c->told, scratch, n, sizeof *c->told));
    DP_TRY(dp_arena_take(&c->stand, scratch, n, sizeof *c->stand));
    DP_TRY(dp_arena_take(&c->best_stand, scratch, n, sizeof *c->best_stand));
    DP_TRY(dp_arena_take(&c->gamma2, scratch, n, sizeof *c->gamma2));
    DP_TRY(dp_arena_take(&c->gap2, scratch, n, sizeof *c->gap2));
    DP_TRY(dp_arena_take(&c->v, scratch, nv, number));
    DP_TRY(dp_arena_take(&c->force, scratch, nv, number));
    DP_TRY(dp_arena_take(&c->y, scratch, nv, number));
    DP_TRY(dp_arena_take(&c->v2, scratch, nv, sizeof *c->v2));
    DP_TRY(dp_arena_take(&c->force2, scratch, nv, sizeof *c->force2));

    dp_free_set *set = &c->set;
    DP_TRY(dp_arena_take(&set->stand, scratch, n, sizeof *set->stand));
    DP_TRY(dp_arena_take(&set->place, scratch, n, sizeof *set->place));
    DP_TRY(dp_arena_take(&set->group, scratch, n, sizeof *set->group));
    DP_TRY(dp_arena_take(&set->soft, scratch, n, sizeof *set->soft));
    DP_TRY(dp_arena_take(&set->follows, scratch, n, sizeof *set->follows));
    DP_TRY(dp_arena_take(&set->has, scratch, n, sizeof *set->has));
    DP_TRY(dp_arena_take(&set->rows, scratch, n, sizeof *set->rows));
    DP_TRY(dp_arena_take(&set->kind, scratch, n, sizeof *set->kind));
    DP_TRY(dp_arena_take(&set->rigid_rows, scratch, n, sizeof *set->rigid_rows));
    DP_TRY(dp_arena_take(&set->first, scratch, n, sizeof *set->first));
    DP_TRY(dp_arena_take(&set->start, scratch, n + 1, sizeof *set->start));
    const size_t nL = c->d.at.start[c->d.nkind]; // a subset needs no more
    DP_TRY(dp_arena_take(&set->L, scratch, nL, number));
    DP_TRY(dp_arena_take(&set->any.order, scratch, n, sizeof *set->any.order));
    DP_TRY(dp_arena_take(&set->any.tau, scratch, n, number));
    DP_TRY(dp_arena_take(&set->any.work, scratch, n, number));
    return dp_arena_take(&set->any.L, scratch, dp_triangle(c->n), number);
}

dp_status dp_compliant_begin(dp_compliant *c, const dp_step_problem *p, const dp_law_options *opt,
                             dp_arena *scratch)
{
    *c = (dp_compliant){.p = p, .n = p->nrow};
    DP_TRY(dp_delassus_plan(&c->d, p, scratch));
    DP_TRY(take_scratch(c, scratch));
    return dp_compliant_restart(c, opt);
}

dp_status dp_compliant_restart(dp_compliant *c, const dp_law_options *opt)
{
    const dp_step_problem *p = c->p;
    DP_TRY(dp_delassus_fill(&c->d, p));
    c->max_factorizations = opt->max_factorizations;
    c->two_sided = true;
    c->any_idle = false;
    c->held = false;
    c->set.valid = false;
    for (int i = 0; i < c->n; ++i) {
        const dp_row *row = p->row + c->d.row[i];
        const dp_softness soft = dp_row_softness(row, p->h);
        c->softness[i] = soft;
        c->w[i] = dp_delassus_diagonal(&c->d, i);
        c->root[i] = sqrt(c->w[i]);
        // A row that nothing holds, or that holds nothing, has no impulse.
        const bool idle = soft.R > DBL_MAX || c->w[i] + soft.R == 0.0;
        c->R[i] = idle ? 0.0 : soft.R;
        c->a[i] = c->w[i] + c->R[i] > 0.0 ? c->w[i] + c->R[i] : 1.0;
        c->lo[i] = idle ? 0.0 : row->lo;
        c->hi[i] = idle ? 0.0 : row->hi;
        c->any_idle = c->any_idle || idle;
        c->two_sided = c->two_sided && (idle || (isinf(row->lo) && isinf(row->hi)));
    }
    return DP_OK;
}

void dp_compliant_targets(dp_compliant *c)
{
    const dp_step_problem *p = c->p;
    for (int i = 0; i < c->n; ++i) {
        c->told[i] = dp_softness_at(c->softness[i], p->row + c->d.row[i], p->h);
        c->u_hat[i] = c->told[i].u_hat;
        c->u_stop[i] = c->told[i].u_stop;
        c->given[i] = 0.0;
    }
    c->gave_way = false;
    dp_delassus_rates(c->u_free, &c->d, p, p->v_free);
}

// The stand that the impulses of the last step suggest.
static void guess_stand(dp_compliant *c, const double *warm)
{
    if (c->two_sided) {
        for (int i = 0; i < c->n; ++i) {
            c->stand[i] = c->lo[i] < c->hi[i] ? DP_STAND_SOFT : DP_STAND_LO;
        }
        return;
    }
    for (int i = 0; i < c->n; ++i) {
        const double guess = warm ? warm[c->d.row[i]] : 0.0;
        const double above = guess > c->lo[i] ? guess : c->lo[i]; // also where it is not a number
        const double inside = above < c->hi[i] ? above : c->hi[i];
        c->gamma[i] = isfinite(inside) ? inside : 0.0;
        c->stand[i] = DP_STAND_LO;
    }
    dp_compliant_velocities(c);
    dp_stand_update(c, (dp_prox){0.0, NULL});
}

// Impulses that round-off took out of their range go back. The motion is only found anew where
// that is more than the last digits of the impulses.
static void clamp(dp_compliant *c)
{
    const double last_digits = dp_stand_digits(c);
    bool moved = false;
    for (int i = 0; i < c->n; ++i) {
        const double above = c->gamma[i] > c->lo[i] ? c->gamma[i] : c->lo[i];
        const double inside = above < c->hi[i] ? above : c->hi[i];
        moved = moved || c->root[i] * fabs(inside - c->gamma[i]) > last_digits;
        c->gamma[i] = inside;
    }
    if (moved) {
        dp_compliant_motion(c);
    }
}

// Keep the point if it is the best yet.
static void judge(dp_compliant *c)
{
    clamp(c);
    c->residual = dp_compliant_residual(c);
    if (!c->held && c->residual < c->best_residual) { // never for one that is not a number
        c->best_residual = c->residual;
        memcpy(c->best, c->gamma, (size_t)c->n * sizeof *c->best);
        memcpy(c->best_stand, c->stand, (size_t)c->n * sizeof *c->best_stand);
    }
}

// [m/s] The most that a row gave way.
static double most_given(const dp_compliant *c)
{
    double most = 0.0;
    for (int i = 0; c->gave_way && i < c->n; ++i) {
        most = dp_worse(most, fabs(c->given[i]) * c->p->row[c->d.row[i]].len);
    }
    return most;
}

// [m/s] What least squares leave open of rows that could also let go. Among two-sided rows least
// squares are the answer; with others the balance may lie elsewhere.
static double one_sided_gap(const dp_compliant *c)
{
    double worst = 0.0;
    const bool depend = dp_free_set_depends(&c->set);
    for (int i = 0; depend && i < c->n; ++i) {
        if (dp_is_free(c->stand[i]) && (isfinite(c->lo[i]) || isfinite(c->hi[i]))) {
            const bool soft = c->stand[i] == DP_STAND_SOFT;
            const double law = soft ? c->u_hat[i] - c->R[i] * c->gamma[i] : c->u_stop[i];
            worst = dp_worse(worst, fabs(c->u[i] - law) * c->p->row[c->d.row[i]].len);
        }
    }
    return worst;
}

// Newton to the end and refinement. @return whether all rows keep their stand in the end; then
// c->residual is that of the end
static bool settle(dp_compliant *c, int most, double tolerance)
{
    if (c->two_sided) { // rows stand as they do
        ++c->iterations;
        dp_free_set_factor(c, 0.0);
        dp_free_set_impulses(c, (dp_prox){0.0, NULL});
        dp_refine(c);
        c->residual = dp_compliant_residual(c);
        return true;
    }
    for (int k = 0; k < REFINEMENTS; ++k) {
        if (!dp_active_set(c, most)) {
            dp_compliant_motion(c);
            judge(c);
            return false;
        }
        dp_refine(c);
        const bool settled = dp_stand_update(c, (dp_prox){0.0, NULL}) == 0;
        judge(c);
        if (settled) {
            return one_sided_gap(c) <= tolerance;
        }
    }
    return false;
}

// The proximal method from `centre` on, and Newton from where it ends. @return whether rows settled
static bool approach(dp_compliant *c, double shift, double tolerance)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    memcpy(c->gamma, c->centre, bytes);
    dp_proximal(c, (dp_prox){shift, c->centre});
    memcpy(c->centre, c->gamma, bytes);
    dp_compliant_motion(c);
    judge(c);
    return settle(c, CROSSOVER_STEPS, tolerance);
}

// Rigid rows may contradict each other, one against the limit of another, so that no impulses solve
// (CL 1). Then the steps of the proximal method tend to the least change of velocities that makes
// the rows agree [Pazy1971]: shift·a·(γ − γ_c) → e. With û − e in place of û there is a solution,
// with bounded impulses, and e is what the rows are told to contradict each other by.
static void give_way(dp_compliant *c)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    memset(c->centre, 0, bytes);
    memset(c->gamma, 0, bytes);
    const dp_prox prox = {GIVE_SHIFT, c->centre};
    c->gave_way = true;
    dp_proximal(c, prox);
    memcpy(c->centre, c->gamma, bytes);
    dp_proximal(c, prox);
    for (int i = 0; i < c->n; ++i) {
        if (c->R[i] <= DP_RIGID * c->a[i]) {
            const double e = GIVE_SHIFT * c->a[i] * (c->gamma[i] - c->centre[i]);
            c->given[i] += e;
            c->u_hat[i] -= e;
            c->u_stop[i] -= e;
        }
    }
    memset(c->centre, 0, bytes);
}

// The whole chain. @return whether it settled
static bool search(dp_compliant *c, double tolerance)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    if (settle(c, NEWTON_STEPS, tolerance)) {
        return true;
    }
    memset(c->gamma, 0, bytes); // no impulses at all: bounds the residual of what is returned
    dp_compliant_motion(c);
    judge(c);
    memset(c->centre, 0, bytes);
    double shift = FIRST_SHIFT;
    for (int k = 0; k < SHIFTS && !dp_interrupt_is_raised(); ++k, shift *= SHIFT_RATIO) {
        if (approach(c, shift, tolerance)) {
            return true;
        }
    }
    if (c->best_residual <= tolerance || dp_interrupt_is_raised()) {
        return false;
    }
    give_way(c);
    give_way(c); // takes away the round-off of the first
    for (int k = 0; k < APPROACHES && !dp_interrupt_is_raised(); ++k) {
        if (approach(c, GIVE_SHIFT, tolerance)) {
            return true;
        }
        if (c->best_residual <= tolerance + most_given(c)) {
            return false;
        }
    }
    return c->n <= PIVOTING_ROWS && dp_pivoting(c, c->max_factorizations) &&
           settle(c, CROSSOVER_STEPS, tolerance);
}

// Is row i rigid, at an end of its range, and yet would not mind to push? Then its stand is a
// matter of taste.
static bool is_row_undecided(const dp_compliant *c, int i)
{
    if (dp_is_free(c->stand[i]) || c->lo[i] == c->hi[i] || c->R[i] > DP_RIGID * c->a[i]) {
        return false;
    }
    const double law = c->u_stop[i] < c->u_hat[i] ? c->u_stop[i] : c->u_hat[i];
    return fabs(c->u[i] - law) <= UNDECIDED * (c->size[i] + fabs(law));
}

// @return how many, made free
static int free_the_undecided(dp_compliant *c)
{
    int count = 0;
    for (int i = 0; i < c->n; ++i) {
        if (is_row_undecided(c, i)) {
            c->stand[i] = c->u_stop[i] < c->u_hat[i] ? DP_STAND_STOP : DP_STAND_SOFT;
            ++count;
        }
    }
    return count;
}

// Could rows with bounds bear other impulses as well? Two-sided ones have the least already.
static bool is_undecided(dp_compliant *c)
{
    const dp_free_set *set = &c->set;
    const bool depend = dp_free_set_depends(set);
    for (int f = 0; depend && f < set->n; ++f) {
        const int i = set->place[f];
        if ((isfinite(c->lo[i]) || isfinite(c->hi[i])) && dp_free_set_null(set, f) > DEPENDS) {
            return true;
        }
    }
    memcpy(c->best_stand, c->stand, (size_t)c->n * sizeof *c->best_stand);
    const int count = free_the_undecided(c);
    memcpy(c->stand, c->best_stand, (size_t)c->n * sizeof *c->best_stand);
    return count > 0;
}

// Are the impulses at hand those of choose_least? Among those of the free rows they are. With
// S z = a γ there, no undecided row may want to leave its end: a γ ≥ W z at lo, ≤ at hi. That is
// how it mostly is after a step that ended so.
static bool is_least(dp_compliant *c)
{
    const dp_free_set *set = &c->set;
    for (int f = 0; f < set->n; ++f) {
        c->rhs[f] = c->gamma[set->place[f]] / (set->scale[f] * set->scale[f]);
    }
    dp_free_set_solve(c->rhs, c, c->rhs);
    memset(c->x, 0, (size_t)c->n * sizeof *c->x);
    for (int f = 0; f < set->n; ++f) {
        c->x[set->place[f]] = c->rhs[f];
    }
    dp_delassus_apply(c->Wx, &c->d, c->x);
    for (int i = 0; i < c->n; ++i) {
        if (is_row_undecided(c, i)) {
            const double pull = c->a[i] * c->gamma[i] - c->Wx[i];
            if (!(c->stand[i] == DP_STAND_LO ? pull > 0.0 : pull < 0.0)) {
                return false;
            }
        }
    }
    return true;
}

// Where rows depend on each other, impulses that solve (CL 1) are not unique, and which were found
// depends on where the search began. The least of them, Σ a γ² smallest, are those of a vanishing
// compliance about no impulse at all; its stand is found from there.
static void choose_least(dp_compliant *c, double tolerance)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    c->best_residual = c->residual;
    memcpy(c->best, c->gamma, bytes);
    memcpy(c->best_stand, c->stand, (size_t)c->n * sizeof *c->best_stand);
    const bool pivoted = c->set.pivoted;
    bool depend = dp_free_set_depends(&c->set), chosen = false;
    if (free_the_undecided(c) > 0 && !depend) {
        dp_free_set_factor_any(c, 0.0, true);
        depend = dp_free_set_dependent(&c->set) > 0;
    }
    if (depend) {
        c->held = true;
        chosen = settle(c, CROSSOVER_STEPS, tolerance) && is_least(c);
        if (!chosen) {
            memset(c->centre, 0, bytes);
            memset(c->gamma, 0, bytes);
            chosen = dp_proximal(c, (dp_prox){LEAST_SHIFT, c->centre}) &&
                     settle(c, CROSSOVER_STEPS, tolerance);
        }
        c->held = false;
    }
    if (!chosen) {
        memcpy(c->gamma, c->best, bytes);
        memcpy(c->stand, c->best_stand, (size_t)c->n * sizeof *c->best_stand);
        if (pivoted) {
            dp_free_set_factor_any(c, 0.0, false);
        } else {
            dp_free_set_factor(c, 0.0);
        }
        dp_refine(c);
        clamp(c);
        c->residual = dp_compliant_residual(c);
    }
}

// [m/s] The largest gap that the least squares of dependent rows left open, or that rows gave way.
static double contradiction(const dp_compliant *c)
{
    double worst = most_given(c);
    const bool depend = dp_free_set_depends(&c->set);
    const bool any = c->any_idle || depend;
    for (int i = 0; any && i < c->n; ++i) {
        const dp_row *row = c->p->row + c->d.row[i];
        const bool idle = c->lo[i] == c->hi[i] && row->lo < row->hi;
        if (idle || (depend && dp_is_free(c->stand[i]))) {
            const double r =
                dp_soft_residual(c->told[i], row->lo, row->hi, c->a[i], c->gamma[i], c->u[i]);
            worst = dp_worse(worst, r * row->len);
        }
    }
    return worst;
}

static uint8_t told_state(const dp_compliant *c, int i)
{
    const dp_row *row = c->p->row + c->d.row[i];
    if (dp_row_is_one_sided(row)) {
        return c->gamma[i] > 0.0 ? DP_ROW_ACTIVE : DP_ROW_OPEN;
    }
    return c->stand[i] == DP_STAND_HI && c->hi[i] == row->hi   ? DP_ROW_AT_HI
           : c->stand[i] == DP_STAND_LO && c->lo[i] == row->lo ? DP_ROW_AT_LO
                                                               : DP_ROW_ACTIVE;
}

void dp_compliant_solve(dp_step_solution *out, dp_compliant *c, const double *warm,
                        const dp_law_options *opt, dp_solve_info *info)
{
    c->iterations = c->factorizations = 0;
    c->best_residual = (double)INFINITY;
    c->set.valid = c->set.valid && !c->set.forced; // nothing but the problem decides on the bits
    dp_compliant_targets(c);
    guess_stand(c, warm);
    const bool settled = search(c, opt->tolerance) && isfinite(c->residual);
    if (settled && !c->two_sided && contradiction(c) <= opt->tolerance && is_undecided(c) &&
        !is_least(c)) {
        choose_least(c, opt->tolerance);
    }
    if (!settled) {
        if (c->best_residual < (double)INFINITY) {
            memcpy(c->gamma, c->best, (size_t)c->n * sizeof *c->best);
            memcpy(c->stand, c->best_stand, (size_t)c->n * sizeof *c->best_stand);
        } else {
            memset(c->gamma, 0, (size_t)c->n * sizeof *c->gamma);
        }
        dp_compliant_motion(c);
        c->residual = dp_compliant_residual(c);
    }

    const dp_step_problem *p = c->p;
    for (int j = 0; j < p->nv; ++j) {
        out->v[j] = p->v_free[j] + c->v[j];
    }
    for (int i = 0; i < c->n; ++i) {
        out->gamma[c->d.row[i]] = c->gamma[i];
        out->state[c->d.row[i]] = told_state(c, i);
    }
    const double contradictory = settled ? contradiction(c) : most_given(c);
    // No more can be asked than what contradictions and round-off leave.
    const double allowed = opt->tolerance + contradictory;
    const bool converged = c->residual <= allowed || c->residual <= allowed + dp_stand_round_off(c);
    *info = (dp_solve_info){
        .outcome = converged ? DP_CONVERGED : DP_CAPPED,
        .residual = c->residual,
        .islands = 1,
        .iterations = c->iterations,
        .factorizations = c->factorizations,
        .dependent = settled ? dp_free_set_dependent(&c->set) : 0,
        .inconsistent = contradictory,
    };
}
