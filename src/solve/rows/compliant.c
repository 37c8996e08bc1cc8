// The compliant law on one island: the parts in turn.
//
//  1. Newton on the modes of the rows from those of the last step (active_set).
//  2. Where it does not settle: the proximal method with less and less compliance, and Newton from
//     the modes that it finds, so that the answer never carries the proximal term.
//  3. Where rigid rows contradict each other: relaxation of their laws by the least change of
//     velocities that makes them consistent, and 2 again.
//  4. Where impulses are not unique: those of minimum norm.
//
// The point of least residual is kept throughout and is the answer where all of that fails.
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include "base/interrupt.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Arrays by row and by velocity, of one island.
enum { ROW_NUMBERS = 23, VELOCITY_NUMBERS = 3, ROW_BYTES = 3, ROW_INTS = 3 };

size_t dp_compliant_memory(const dp_step_size *max)
{
    const size_t nv = (size_t)max->nv, n = (size_t)max->nrow;
    return dp_delassus_memory(max) + dp_arena_bytes(ROW_NUMBERS * n, sizeof(double)) +
           dp_arena_bytes(VELOCITY_NUMBERS * nv, sizeof(double)) +
           dp_arena_bytes(2 * (n + nv), sizeof(dp_doubled)) +
           dp_arena_bytes(n, sizeof(dp_softness)) + dp_arena_bytes(n, sizeof(dp_soft)) +
           dp_arena_bytes(ROW_BYTES * n, 1) + dp_arena_bytes(ROW_INTS * n, sizeof(int)) +
           dp_arena_bytes(n + 1, sizeof(size_t)) +                     // factor.start
           2 * dp_arena_bytes(dp_triangle(max->nrow), sizeof(double)); // factor.L, any.L
}

// Elements of S where all rows are active.
static size_t most_of_S(const dp_delassus *d)
{
    size_t count = 0;
    for (int i = 0; i < d->nrow; ++i) {
        count += (size_t)(i - d->direction_place[d->at.first[d->direction[i]]] + 1);
    }
    return count;
}

// `count` arrays of `length` numbers each, one after the other.
static dp_status take_numbers(double **array[], int count, size_t length, dp_arena *scratch)
{
    double *first;
    DP_TRY(dp_arena_take(&first, scratch, (size_t)count * length, sizeof *first));
    for (int k = 0; k < count; ++k) {
        *array[k] = first + (size_t)k * length;
    }
    return DP_OK;
}

static dp_status take_scratch(dp_compliant *c, dp_arena *scratch)
{
    const size_t n = (size_t)c->n, nv = (size_t)c->p->nv;
    dp_active_factor *s = &c->factor;
    double **of_row[ROW_NUMBERS] = {
        &c->w,       &c->a,     &c->root,    &c->R,        &c->u_hat,     &c->u_stop,
        &c->lo,      &c->hi,    &c->u_free,  &c->gamma,    &c->u,         &c->rhs,
        &c->x,       &c->Wx,    &c->centre,  &c->from,     &c->size,      &c->u_from,
        &c->relaxed, &s->scale, &s->any.tau, &s->any.work, &c->best.gamma};
    double **of_velocity[VELOCITY_NUMBERS] = {&c->v, &c->force, &c->y};
    DP_TRY(take_numbers(of_row, ROW_NUMBERS, n, scratch));
    DP_TRY(take_numbers(of_velocity, VELOCITY_NUMBERS, nv, scratch));
    DP_TRY(dp_arena_take(&c->refined.gamma, scratch, 2 * (n + nv), sizeof *c->refined.gamma));
    c->refined.gap = c->refined.gamma + n;
    c->refined.v = c->refined.gap + n;
    c->refined.force = c->refined.v + nv;
    DP_TRY(dp_arena_take(&c->softness, scratch, n, sizeof *c->softness));
    DP_TRY(dp_arena_take(&c->law, scratch, n, sizeof *c->law));
    DP_TRY(dp_arena_take(&c->mode, scratch, ROW_BYTES * n, sizeof *c->mode));
    c->best.mode = c->mode + n;
    s->mode = c->best.mode + n;
    DP_TRY(dp_arena_take(&s->place, scratch, ROW_INTS * n, sizeof *s->place));
    s->first = s->place + n;
    s->any.order = s->first + n;
    DP_TRY(dp_arena_take(&s->start, scratch, n + 1, sizeof *s->start));
    DP_TRY(dp_arena_take(&s->L, scratch, most_of_S(&c->d), sizeof *s->L));
    return dp_arena_take(&s->any.L, scratch, dp_triangle(c->n), sizeof *s->any.L);
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
    c->best.held = false;
    c->factor.valid = false;
    for (int i = 0; i < c->n; ++i) {
        const dp_row *row = p->row + c->d.row[i];
        const dp_softness softness = dp_row_softness(row, p->h);
        c->softness[i] = softness;
        c->w[i] = dp_delassus_diagonal(&c->d, i);
        c->root[i] = sqrt(c->w[i]);
        // A row that nothing holds, or that holds nothing, has no impulse.
        const bool idle = softness.R > DBL_MAX || c->w[i] + softness.R == 0.0;
        c->R[i] = idle ? 0.0 : softness.R;
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
        c->law[i] = dp_softness_at(c->softness[i], p->row + c->d.row[i], p->h);
        c->u_hat[i] = c->law[i].u_hat;
        c->u_stop[i] = c->law[i].u_stop;
        c->relaxed[i] = 0.0;
    }
    c->is_relaxed = false;
    dp_delassus_rates(c->u_free, &c->d, p, p->v_free);
}

// The modes that the impulses of the last step suggest.
static void guess_modes(dp_compliant *c, const double *warm)
{
    if (c->two_sided) {
        for (int i = 0; i < c->n; ++i) {
            c->mode[i] = c->lo[i] < c->hi[i] ? DP_MODE_REGULARISED : DP_MODE_LO;
        }
        return;
    }
    for (int i = 0; i < c->n; ++i) {
        const double guess = warm ? warm[c->d.row[i]] : 0.0;
        const double above = guess > c->lo[i] ? guess : c->lo[i]; // also where it is not a number
        const double inside = above < c->hi[i] ? above : c->hi[i];
        c->gamma[i] = isfinite(inside) ? inside : 0.0;
        c->mode[i] = DP_MODE_LO;
    }
    dp_compliant_velocities(c);
    dp_row_modes_update(c, (dp_prox){0.0, NULL});
}

// Impulses that round-off took out of their range go back. The motion is only found anew where
// that is more than the last digits of the impulses.
static void clamp(dp_compliant *c)
{
    const double last_digits = dp_impulse_round_off(c);
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
static void keep_best(dp_compliant *c)
{
    clamp(c);
    c->residual = dp_compliant_residual(c);
    if (!c->best.held && c->residual < c->best.residual) { // never for one that is not a number
        c->best.residual = c->residual;
        memcpy(c->best.gamma, c->gamma, (size_t)c->n * sizeof *c->best.gamma);
        memcpy(c->best.mode, c->mode, (size_t)c->n * sizeof *c->best.mode);
    }
}

// [m/s] The most by which the law of a row was relaxed.
static double infeasibility(const dp_compliant *c)
{
    double most = 0.0;
    for (int i = 0; c->is_relaxed && i < c->n; ++i) {
        most = dp_worse(most, fabs(c->relaxed[i]) * c->p->row[c->d.row[i]].len);
    }
    return most;
}

// [m/s] What least squares leave open of rows that could also let go. Among two-sided rows least
// squares are the answer; with others the balance may lie elsewhere.
static double one_sided_gap(const dp_compliant *c)
{
    double worst = 0.0;
    const bool depend = c->factor.pivoted;
    for (int i = 0; depend && i < c->n; ++i) {
        if (dp_is_active(c->mode[i]) && (isfinite(c->lo[i]) || isfinite(c->hi[i]))) {
            const bool regularised = c->mode[i] == DP_MODE_REGULARISED;
            const double law = regularised ? c->u_hat[i] - c->R[i] * c->gamma[i] : c->u_stop[i];
            worst = dp_worse(worst, fabs(c->u[i] - law) * c->p->row[c->d.row[i]].len);
        }
    }
    return worst;
}

// Newton to the end and refinement. @return whether all rows keep their modes in the end; then
// c->residual is that of the end
static bool settle(dp_compliant *c, int most, double tolerance)
{
    if (c->two_sided) { // modes are known
        ++c->iterations;
        dp_active_factor_update(c, 0.0);
        dp_active_impulses(c, (dp_prox){0.0, NULL});
        dp_refine(c);
        c->residual = dp_compliant_residual(c);
        return true;
    }
    for (int k = 0; k < DP_REFINEMENTS; ++k) {
        if (!dp_active_set(c, most)) {
            dp_compliant_motion(c);
            keep_best(c);
            return false;
        }
        dp_refine(c);
        const bool settled = dp_row_modes_update(c, (dp_prox){0.0, NULL}) == 0;
        keep_best(c);
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
    keep_best(c);
    return settle(c, DP_CROSSOVER_STEPS, tolerance);
}

// Rigid rows may contradict each other, one against the limit of another, so that no impulses solve
// (CL 1). Then the steps of the proximal method tend to the least change of velocities that makes
// the rows agree [Pazy1971]: shift·a·(γ − γ_c) → e. With û − e in place of û there is a solution,
// with bounded impulses, and e is what the rows are reported to contradict each other by.
static void relax(dp_compliant *c)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    memset(c->centre, 0, bytes);
    memset(c->gamma, 0, bytes);
    const dp_prox prox = {DP_RELAXATION_SHIFT, c->centre};
    c->is_relaxed = true;
    dp_proximal(c, prox);
    memcpy(c->centre, c->gamma, bytes);
    dp_proximal(c, prox);
    for (int i = 0; i < c->n; ++i) {
        if (c->R[i] <= DP_RIGID * c->a[i]) {
            const double e = DP_RELAXATION_SHIFT * c->a[i] * (c->gamma[i] - c->centre[i]);
            c->relaxed[i] += e;
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
    if (settle(c, DP_NEWTON_STEPS, tolerance)) {
        return true;
    }
    memset(c->gamma, 0, bytes); // no impulses at all: bounds the residual of what is returned
    dp_compliant_motion(c);
    keep_best(c);
    memset(c->centre, 0, bytes);
    double shift = DP_FIRST_SHIFT;
    for (int k = 0; k < DP_SHIFTS && !dp_interrupt_is_raised(); ++k, shift *= DP_SHIFT_RATIO) {
        if (approach(c, shift, tolerance)) {
            return true;
        }
    }
    if (c->best.residual <= tolerance || dp_interrupt_is_raised()) {
        return false;
    }
    relax(c);
    for (int k = 0; k < DP_RELAXATIONS && !dp_interrupt_is_raised(); ++k) {
        relax(c); // takes away the round-off of the one before
        for (int m = 0; m < DP_APPROACHES; ++m) {
            if (approach(c, DP_RELAXATION_SHIFT, tolerance)) {
                return true;
            }
            if (c->best.residual <= tolerance + infeasibility(c)) {
                return false;
            }
        }
    }
    return false;
}

// Is row i rigid, at an end of its range, and without slack? Then it may as well be active.
static bool is_weakly_active(const dp_compliant *c, int i)
{
    if (dp_is_active(c->mode[i]) || c->lo[i] == c->hi[i] || c->R[i] > DP_RIGID * c->a[i]) {
        return false;
    }
    const double law = c->u_stop[i] < c->u_hat[i] ? c->u_stop[i] : c->u_hat[i];
    return fabs(c->u[i] - law) <= DP_WEAKLY_ACTIVE * (c->size[i] + fabs(law));
}

// @return how many, made free
static int activate_weak_rows(dp_compliant *c)
{
    int count = 0;
    for (int i = 0; i < c->n; ++i) {
        if (is_weakly_active(c, i)) {
            c->mode[i] = c->u_stop[i] < c->u_hat[i] ? DP_MODE_CLOSING : DP_MODE_REGULARISED;
            ++count;
        }
    }
    return count;
}

// Could rows with bounds bear other impulses as well? Two-sided ones have the least already.
static bool is_degenerate(dp_compliant *c)
{
    const dp_active_factor *s = &c->factor;
    const bool depend = s->pivoted;
    for (int f = 0; depend && f < s->n; ++f) {
        const int i = s->place[f];
        if ((isfinite(c->lo[i]) || isfinite(c->hi[i])) &&
            dp_semidefinite_null(&s->any, f) > DP_NULL_PART) {
            return true;
        }
    }
    memcpy(c->best.mode, c->mode, (size_t)c->n * sizeof *c->best.mode);
    const int count = activate_weak_rows(c);
    memcpy(c->mode, c->best.mode, (size_t)c->n * sizeof *c->best.mode);
    return count > 0;
}

// Are the impulses at hand those of find_minimum_norm? Among those of the active rows they are.
// With S z = a γ there, no weakly active row may want to leave its end: a γ ≥ W z at lo, ≤ at hi.
// That is how it mostly is after a step that ended so.
static bool is_minimum_norm(dp_compliant *c)
{
    const dp_active_factor *s = &c->factor;
    for (int f = 0; f < s->n; ++f) {
        c->rhs[s->place[f]] = c->gamma[s->place[f]] / (s->scale[f] * s->scale[f]);
    }
    dp_active_factor_solve(c->x, s, c->n, c->rhs);
    dp_delassus_apply(c->Wx, &c->d, c->x);
    for (int i = 0; i < c->n; ++i) {
        if (is_weakly_active(c, i)) {
            const double pull = c->a[i] * c->gamma[i] - c->Wx[i];
            if (!(c->mode[i] == DP_MODE_LO ? pull > 0.0 : pull < 0.0)) {
                return false;
            }
        }
    }
    return true;
}

// Where rows depend on each other, impulses that solve (CL 1) are not unique, and which were found
// depends on where the search began. The least of them, Σ a γ² smallest, are those of a vanishing
// compliance about no impulse at all; the modes are found from there.
static void find_minimum_norm(dp_compliant *c, double tolerance)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    c->best.residual = c->residual;
    memcpy(c->best.gamma, c->gamma, bytes);
    memcpy(c->best.mode, c->mode, (size_t)c->n * sizeof *c->best.mode);
    const bool pivoted = c->factor.pivoted;
    bool depend = c->factor.pivoted, chosen = false;
    if (activate_weak_rows(c) > 0 && !depend) {
        dp_active_factor_pivoted(c, 0.0, true);
        depend = dp_active_factor_dependent(&c->factor) > 0;
    }
    if (depend) {
        c->best.held = true;
        chosen = settle(c, DP_CROSSOVER_STEPS, tolerance) && is_minimum_norm(c);
        if (!chosen) {
            memset(c->centre, 0, bytes);
            memset(c->gamma, 0, bytes);
            chosen = dp_proximal(c, (dp_prox){DP_MINIMUM_NORM_SHIFT, c->centre}) &&
                     settle(c, DP_CROSSOVER_STEPS, tolerance);
        }
        c->best.held = false;
    }
    if (!chosen) {
        memcpy(c->gamma, c->best.gamma, bytes);
        memcpy(c->mode, c->best.mode, (size_t)c->n * sizeof *c->best.mode);
        if (pivoted) {
            dp_active_factor_pivoted(c, 0.0, false);
        } else {
            dp_active_factor_update(c, 0.0);
        }
        dp_refine(c);
        clamp(c);
        c->residual = dp_compliant_residual(c);
    }
}

// [m/s] The largest gap that the least squares of dependent rows left open, or by which rows were
// relaxed.
static double contradiction(const dp_compliant *c)
{
    double worst = infeasibility(c);
    const bool depend = c->factor.pivoted;
    const bool any = c->any_idle || depend;
    for (int i = 0; any && i < c->n; ++i) {
        const dp_row *row = c->p->row + c->d.row[i];
        const bool idle = c->lo[i] == c->hi[i] && row->lo < row->hi;
        if (idle || (depend && dp_is_active(c->mode[i]))) {
            const double r =
                dp_soft_residual(c->law[i], row->lo, row->hi, c->a[i], c->gamma[i], c->u[i]);
            worst = dp_worse(worst, r * row->len);
        }
    }
    return worst;
}

static uint8_t state_of(const dp_compliant *c, int i)
{
    const dp_row *row = c->p->row + c->d.row[i];
    if (dp_row_is_one_sided(row)) {
        return c->gamma[i] > 0.0 ? DP_ROW_ACTIVE : DP_ROW_OPEN;
    }
    return c->mode[i] == DP_MODE_HI && c->hi[i] == row->hi   ? DP_ROW_AT_HI
           : c->mode[i] == DP_MODE_LO && c->lo[i] == row->lo ? DP_ROW_AT_LO
                                                             : DP_ROW_ACTIVE;
}

void dp_compliant_solve(dp_step_solution *out, dp_compliant *c, const double *warm,
                        const dp_law_options *opt, dp_solve_info *info)
{
    c->iterations = c->factorizations = 0;
    c->best.residual = (double)INFINITY;
    c->factor.valid =
        c->factor.valid && !c->factor.forced; // nothing but the problem decides on the bits
    dp_compliant_targets(c);
    guess_modes(c, warm);
    const bool settled = search(c, opt->tolerance) && isfinite(c->residual);
    if (settled && !c->two_sided && contradiction(c) <= opt->tolerance && is_degenerate(c) &&
        !is_minimum_norm(c)) {
        find_minimum_norm(c, opt->tolerance);
    }
    if (!settled) {
        if (c->best.residual < (double)INFINITY) {
            memcpy(c->gamma, c->best.gamma, (size_t)c->n * sizeof *c->best.gamma);
            memcpy(c->mode, c->best.mode, (size_t)c->n * sizeof *c->best.mode);
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
        out->state[c->d.row[i]] = state_of(c, i);
    }
    const double contradictory = settled ? contradiction(c) : infeasibility(c);
    // No more can be asked than what contradictions and round-off leave.
    const double allowed = opt->tolerance + contradictory;
    const bool converged =
        c->residual <= allowed || c->residual <= allowed + dp_velocity_round_off(c);
    *info = (dp_solve_info){
        .outcome = converged ? DP_CONVERGED : DP_CAPPED,
        .residual = c->residual,
        .islands = 1,
        .iterations = c->iterations,
        .factorizations = c->factorizations,
        .dependent = settled ? dp_active_factor_dependent(&c->factor) : 0,
        .inconsistent = contradictory,
    };
}
