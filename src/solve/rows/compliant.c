// The compliant law on one island: the parts in turn.
//
//  1. Newton on the modes of the rows from those of the last step.
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
#include "base/memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const dp_prox NO_PROX = {0.0, NULL};

// ---- memory and numbers

// All arrays but those of the factors.
static void carve(dp_compliant *c, dp_carver *at, int nrow, int nv)
{
    dp_active_factor *s = &c->factor;
    double **const of_row[] = {&c->size,
                               &c->w,
                               &c->a,
                               &c->root,
                               &c->R,
                               &c->u_hat,
                               &c->u_stop,
                               &c->lo,
                               &c->hi,
                               &c->u_free,
                               &c->gamma,
                               &c->u,
                               &c->rhs,
                               &c->x,
                               &c->Wx,
                               &c->centre,
                               &c->from,
                               &c->u_from,
                               &s->scale,
                               &s->any.tau,
                               &s->any.work,
                               &c->best.gamma,
                               &c->refined.gamma};
    double **const of_velocity[] = {&c->v, &c->force, &c->y, &c->refined.v};
    uint8_t **const mode[] = {&c->mode, &c->best.mode, &s->mode};
    int **const of_active[] = {&s->place, &s->first, &s->any.order};
    const size_t n = (size_t)nrow;
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; ++k) {
        *of_row[k] = dp_carve(at, n, sizeof(double));
    }
    for (size_t k = 0; k < sizeof of_velocity / sizeof *of_velocity; ++k) {
        *of_velocity[k] = dp_carve(at, (size_t)nv, sizeof(double));
    }
    for (size_t k = 0; k < 3; ++k) {
        *mode[k] = dp_carve(at, n, 1);
        *of_active[k] = dp_carve(at, n, sizeof(int));
    }
    c->refined.force = dp_carve(at, (size_t)nv, sizeof(dp_double_double));
    c->softness = dp_carve(at, n, sizeof(dp_softness));
    c->law = dp_carve(at, n, sizeof(dp_soft));
    s->start = dp_carve(at, n + 1, sizeof(size_t));
}

size_t dp_compliant_memory(const dp_step_size *max)
{
    dp_compliant c;
    dp_carver at = {NULL, 0};
    carve(&c, &at, max->nrow, max->nv);
    return dp_delassus_memory(max) + dp_arena_bytes(at.used, 1) +
           2 * dp_arena_bytes(dp_triangle(max->nrow), sizeof(double)); // factor.L, any.L
}

dp_status dp_compliant_begin(dp_compliant *c, const dp_step_problem *p, const dp_law_options *opt,
                             dp_arena *scratch)
{
    *c = (dp_compliant){.p = p, .n = p->nrow};
    dp_active_factor *s = &c->factor;
    dp_carver at = {NULL, 0};
    DP_TRY(dp_delassus_plan(&c->d, p, scratch));
    carve(c, &at, p->nrow, p->nv);
    DP_TRY(dp_arena_take(&at.base, scratch, at.used, 1));
    at.used = 0;
    carve(c, &at, p->nrow, p->nv);
    DP_TRY(dp_arena_take(&s->L, scratch, c->d.at.start[p->nrow], sizeof *s->L));
    DP_TRY(dp_arena_take(&s->any.L, scratch, dp_triangle(p->nrow), sizeof *s->any.L));
    return dp_compliant_restart(c, opt);
}

dp_status dp_compliant_restart(dp_compliant *c, const dp_law_options *opt)
{
    const dp_step_problem *p = c->p;
    DP_TRY(dp_delassus_fill(&c->d));
    c->max_factorizations = opt->max_factorizations;
    c->two_sided = true;
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
        c->two_sided = c->two_sided && (idle || (isinf(row->lo) && isinf(row->hi)));
    }
    return DP_OK;
}

void dp_compliant_targets(dp_compliant *c)
{
    for (int i = 0; i < c->n; ++i) {
        c->law[i] = dp_softness_at(c->softness[i], c->p->row + c->d.row[i], c->p->h);
        c->u_hat[i] = c->law[i].u_hat;
        c->u_stop[i] = c->law[i].u_stop;
    }
    dp_delassus_rates(c->u_free, &c->d, c->p->v_free);
}

// ---- the current point

static double clamped(const dp_compliant *c, int i, double gamma)
{
    const double above = gamma > c->lo[i] ? gamma : c->lo[i]; // also where it is not a number
    return above < c->hi[i] ? above : c->hi[i];
}

// The modes that the impulses of the last step suggest.
static void guess_modes(dp_compliant *c, const double *warm)
{
    for (int i = 0; i < c->n; ++i) {
        const double inside = clamped(c, i, warm ? warm[c->d.row[i]] : 0.0);
        c->gamma[i] = isfinite(inside) ? inside : 0.0;
        c->mode[i] = c->two_sided && c->lo[i] < c->hi[i] ? DP_MODE_REGULARISED : DP_MODE_LO;
    }
    if (!c->two_sided) {
        dp_compliant_velocities(c);
        dp_row_modes_update(c, NO_PROX);
    }
}

// Impulses that round-off took out of their range go back. The motion is only found anew where
// that is more than the last digits of the impulses.
static void clamp(dp_compliant *c)
{
    const double last_digits = dp_impulse_round_off(c);
    bool moved = false;
    for (int i = 0; i < c->n; ++i) {
        const double inside = clamped(c, i, c->gamma[i]);
        moved = moved || c->root[i] * fabs(inside - c->gamma[i]) > last_digits;
        c->gamma[i] = inside;
    }
    if (moved) {
        dp_compliant_motion(c);
    }
}

static void store_best(dp_compliant *c)
{
    memcpy(c->best.gamma, c->gamma, (size_t)c->n * sizeof *c->gamma);
    memcpy(c->best.mode, c->mode, (size_t)c->n * sizeof *c->mode);
    c->best.residual = c->residual;
}

static void restore_best(dp_compliant *c)
{
    memcpy(c->gamma, c->best.gamma, (size_t)c->n * sizeof *c->gamma);
    memcpy(c->mode, c->best.mode, (size_t)c->n * sizeof *c->mode);
}

// Judge the point, and keep it if it is the best yet.
static void keep_best(dp_compliant *c)
{
    clamp(c);
    c->residual = dp_compliant_residual(c);
    if (c->residual < c->best.residual) { // never for one that is not a number
        store_best(c);
    }
}

// [m/s] The most by which the law of a row was relaxed.
static double infeasibility(const dp_compliant *c)
{
    double most = 0.0;
    for (int i = 0; i < c->n; ++i) {
        if (c->u_hat[i] != c->law[i].u_hat) {
            most = dp_worse(most, fabs(c->u_hat[i] - c->law[i].u_hat) * c->p->row[c->d.row[i]].len);
        }
    }
    return most;
}

// [m/s] What least squares leave open of rows that could also let go. Among two-sided rows least
// squares are the answer; with others the balance may lie elsewhere.
static double one_sided_gap(const dp_compliant *c)
{
    double worst = 0.0;
    for (int i = 0; c->factor.pivoted && i < c->n; ++i) {
        if (dp_is_active(c->mode[i]) && dp_row_is_bounded(c, i)) {
            worst =
                dp_worse(worst, fabs(c->u[i] - dp_row_velocity(c, i)) * c->p->row[c->d.row[i]].len);
        }
    }
    return worst;
}

// [m/s] The largest gap that the least squares of dependent rows left open, that rows which nothing
// can move have, or by which rows were relaxed.
static double contradiction(const dp_compliant *c)
{
    double worst = infeasibility(c);
    for (int i = 0; i < c->n; ++i) {
        const dp_row *row = c->p->row + c->d.row[i];
        const bool idle = c->lo[i] == c->hi[i] && row->lo < row->hi;
        if (idle || (c->factor.pivoted && dp_is_active(c->mode[i]))) {
            worst = dp_worse(worst, dp_compliant_row_residual(c, i));
        }
    }
    return worst;
}

// ---- the search

// Newton to the end and refinement. @return whether all rows keep their modes in the end; then
// c->residual is that of the end
static bool settle(dp_compliant *c, int most, double tolerance)
{
    if (c->two_sided) { // modes are known
        ++c->iterations;
        dp_active_factor_update(c, 0.0);
        dp_active_impulses(c, NO_PROX);
        dp_refine(c);
        c->residual = dp_compliant_residual(c);
        return true;
    }
    for (int k = 0; k < DP_REFINEMENTS; ++k) {
        const bool found = dp_compliant_newton(c, NO_PROX, most);
        if (found) {
            dp_refine(c);
        } else {
            dp_compliant_motion(c);
        }
        const bool settled = found && dp_row_modes_update(c, NO_PROX) == 0;
        keep_best(c);
        if (settled || !found) {
            return settled && one_sided_gap(c) <= tolerance;
        }
    }
    return false;
}

// The proximal method from `centre` on, and Newton from where it ends. @return whether rows settled
static bool approach(dp_compliant *c, double shift, double tolerance)
{
    memcpy(c->gamma, c->centre, (size_t)c->n * sizeof *c->gamma);
    dp_compliant_newton(c, (dp_prox){shift, c->centre}, DP_PROXIMAL_STEPS);
    memcpy(c->centre, c->gamma, (size_t)c->n * sizeof *c->gamma);
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
    memset(c->gamma, 0, bytes);
    for (int k = 0; k < 2; ++k) {
        memcpy(c->centre, c->gamma, bytes);
        dp_compliant_newton(c, (dp_prox){DP_RELAXATION_SHIFT, c->centre}, DP_PROXIMAL_STEPS);
    }
    for (int i = 0; i < c->n; ++i) {
        if (c->R[i] <= DP_RIGID * c->a[i]) {
            const double e = DP_RELAXATION_SHIFT * c->a[i] * (c->gamma[i] - c->centre[i]);
            c->u_hat[i] -= e;
            c->u_stop[i] -= e;
        }
    }
    memset(c->centre, 0, bytes);
}

// Steps 1 to 3. @return whether it settled
static bool search(dp_compliant *c, double tolerance)
{
    if (settle(c, DP_NEWTON_STEPS, tolerance)) {
        return true;
    }
    memset(c->gamma, 0, (size_t)c->n * sizeof *c->gamma); // no impulses at all: bounds the residual
    dp_compliant_motion(c);
    keep_best(c);
    memset(c->centre, 0, (size_t)c->n * sizeof *c->centre);
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
    for (int k = 0; k < DP_RELAXATIONS * DP_APPROACHES && !dp_interrupt_is_raised(); ++k) {
        if (k % DP_APPROACHES == 0) {
            relax(c); // takes away the round-off of the one before
        }
        if (approach(c, DP_RELAXATION_SHIFT, tolerance)) {
            return true;
        }
        if (c->best.residual <= tolerance + infeasibility(c)) {
            return false;
        }
    }
    return false;
}

// ---- impulses of minimum norm

// Is row i rigid, at an end of its range, and without slack? Then it may as well be active.
static bool is_weakly_active(const dp_compliant *c, int i)
{
    const double law = fmin(c->u_stop[i], c->u_hat[i]);
    return !dp_is_active(c->mode[i]) && c->lo[i] < c->hi[i] && c->R[i] <= DP_RIGID * c->a[i] &&
           fabs(c->u[i] - law) <= DP_WEAKLY_ACTIVE * (c->size[i] + fabs(law));
}

// Are the current impulses those of minimum norm? Among those of the active rows they are. With
// S z = a γ there, no weakly active row may want to leave its end: a γ ≥ W z at lo, ≤ at hi.
// That is how it mostly is after a step that ended so.
static bool is_minimum_norm(dp_compliant *c)
{
    const dp_active_factor *s = &c->factor;
    int first = 0;
    while (first < c->n && !is_weakly_active(c, first)) {
        ++first;
    }
    if (first == c->n) {
        return true;
    }
    for (int f = 0; f < s->n; ++f) {
        c->rhs[s->place[f]] = c->gamma[s->place[f]] / (s->scale[f] * s->scale[f]);
    }
    dp_active_factor_solve(c, c->x, c->rhs);
    dp_delassus_apply(c->Wx, &c->d, c->x);
    for (int i = first; i < c->n; ++i) {
        const double pull = c->a[i] * c->gamma[i] - c->Wx[i];
        if (is_weakly_active(c, i) && !(c->mode[i] == DP_MODE_LO ? pull > 0.0 : pull < 0.0)) {
            return false;
        }
    }
    return true;
}

// Where rows depend on each other, impulses that solve (CL 1) are not unique, and which were found
// depends on where the search began. The least of them, Σ a γ² smallest, are those of a vanishing
// compliance about no impulse at all; the modes are found from all that may be active, or from
// there.
static void find_minimum_norm(dp_compliant *c, double tolerance)
{
    store_best(c);
    c->best.residual = 0.0; // nothing replaces it
    for (int i = 0; i < c->n; ++i) {
        if (is_weakly_active(c, i)) {
            c->mode[i] = c->u_stop[i] < c->u_hat[i] ? DP_MODE_CLOSING : DP_MODE_REGULARISED;
        }
    }
    if (!c->factor.pivoted) {
        dp_active_factor_pivoted(c);
    }
    if (dp_active_factor_dependent(&c->factor) > 0) {
        if (settle(c, DP_CROSSOVER_STEPS, tolerance) && is_minimum_norm(c)) {
            return;
        }
        memset(c->gamma, 0, (size_t)c->n * sizeof *c->gamma);
        if (dp_compliant_newton(c, (dp_prox){DP_MINIMUM_NORM_SHIFT, NULL}, DP_PROXIMAL_STEPS) &&
            settle(c, DP_CROSSOVER_STEPS, tolerance)) {
            return;
        }
    }
    restore_best(c);
    dp_active_factor_update(c, 0.0);
    dp_refine(c);
    clamp(c);
    c->residual = dp_compliant_residual(c);
}

// ---- the whole

static uint8_t state_of(const dp_compliant *c, int i)
{
    const dp_row *row = c->p->row + c->d.row[i];
    if (dp_row_is_one_sided(row)) {
        return c->gamma[i] > 0.0 ? DP_ROW_STATE_ACTIVE : DP_ROW_STATE_OPEN;
    }
    return c->mode[i] == DP_MODE_HI && c->hi[i] == row->hi   ? DP_ROW_STATE_AT_HI
           : c->mode[i] == DP_MODE_LO && c->lo[i] == row->lo ? DP_ROW_STATE_AT_LO
                                                             : DP_ROW_STATE_ACTIVE;
}

void dp_compliant_solve(dp_step_solution *out, dp_compliant *c, const double *warm,
                        const dp_law_options *opt, dp_solve_info *info)
{
    c->iterations = c->factorizations = 0;
    c->factor.valid =
        c->factor.valid && !c->factor.forced; // nothing but the problem decides on the bits
    dp_compliant_targets(c);
    guess_modes(c, warm);
    c->residual = (double)INFINITY;
    store_best(c);
    memset(c->best.gamma, 0, (size_t)c->n * sizeof *c->best.gamma); // where all else is no number
    const bool settled = search(c, opt->tolerance) && isfinite(c->residual);
    if (settled && !c->two_sided && contradiction(c) <= opt->tolerance && !is_minimum_norm(c)) {
        find_minimum_norm(c, opt->tolerance);
    }
    if (!settled) {
        restore_best(c);
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
    // No more can be asked than what contradictions and round-off leave.
    const double contradictory = settled ? contradiction(c) : infeasibility(c);
    const double allowed = opt->tolerance + contradictory;
    const bool converged =
        c->residual <= allowed || c->residual <= allowed + dp_velocity_round_off(c);
    *info = (dp_solve_info){
        .outcome = converged ? DP_OUTCOME_CONVERGED : DP_OUTCOME_CAPPED,
        .residual = c->residual,
        .islands = 1,
        .iterations = c->iterations,
        .factorizations = c->factorizations,
        .dependent = settled ? dp_active_factor_dependent(&c->factor) : 0,
        .inconsistent = contradictory,
    };
}
