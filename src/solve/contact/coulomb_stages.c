// The solve of an island, as a list of stages. Each begins where the ones before it have come to,
// and ends with the best point so far; most are passed over, since the first ones solve nearly all
// steps. Factorizations are what they cost: each stage has a budget of them, and all together have
// c->work.most, so that the work of a solve is bounded.
#include "solve/contact/coulomb_stages.h"

#include "solve/contact/allowed_error.h"
#include "solve/contact/convex_search.h"
#include "solve/contact/gauss_seidel/large_island.h"
#include "solve/contact/operator/operator.h"
#include "solve/contact/proximal_newton.h"
#include "solve/contact/settle_at_rest.h"
#include "solve/tamsi.h"

#include <math.h>
#include <string.h>

/// A solve on its way.
typedef struct solving {
    dp_coulomb *c;
    const dp_law_options *opt;
    const double *warm;    // NULL: none
    dp_step_solution *out; // v: those of the guess, at first
    double first;          // [m/s] residual where the search begins
    bool solved;
    bool known;     // out->state has the states of the best point
    bool iterated;  // Gauss–Seidel iterations came first
    bool searched;  // Newton's method was not enough
    bool over;      // without a solution that more of a search would find
    bool suspects;  // impulses seem to grow without end
    bool looked;    // for rows that contradict each other
    double relaxed; // [m/s] by how much they do, 0: not at all or not known
} solving;

// ---- where to begin

// Residuals that factorizations and refinement are spent for.
static void set_goals(dp_coulomb *c, double first)
{
    const dp_step_problem *p = c->p;
    dp_coulomb_tolerances *t = &c->tol;
    t->goal = fmin(fmax(DP_GOAL * t->solved, DP_DIGITS * first), t->solved);
    t->fine = fmin(fmax(DP_GOAL * DP_GOAL * t->solved, DP_GOAL * DP_DIGITS * first), t->solved);
    t->digits = fmin(DP_ROUND_OFF * dp_coulomb_largest_push(c, c->x), t->solved);
    t->approach = DP_LEAST_SPEED;
    for (int b = 0; b < p->nblock; ++b) {
        const int r = p->row_start[b];
        if (c->block[b].ngroup > 0) {
            const double approach = c->soft[r].u_hat - c->u_free[r];
            t->approach = approach > t->approach ? approach : t->approach;
        }
    }
}

// Of a residual, which may be no number.
static double finite_or_lost(double residual)
{
    return residual < (double)INFINITY ? residual : (double)INFINITY;
}

static bool accept_guess(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    (void)budget;
    if (!dp_guess_is_enough(c, s->first, s->out->v)) {
        return false;
    }
    dp_coulomb_keep(c, c->x, c->u, s->first);
    s->known = true;
    return true;
}

// The better of two guesses.
static bool choose_start(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    (void)budget;
    dp_coulomb_row_velocities(c, c->u_free, c->p->v_free);
    s->first = dp_coulomb_extrapolate(c, s->first);
    set_goals(c, s->first);
    dp_coulomb_keep(c, c->x, c->u, finite_or_lost(s->first));
    return false;
}

// ---- the searches

static bool gauss_seidel_may_pay(const solving *s)
{
    return dp_gauss_seidel_may_pay(s->c);
}

// To what the error of the step allows. Begins without impulses where the guess is far worse than
// that: few factorizations would not mend it.
static bool iterate(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    (void)budget;
    if (dp_allow_error(c, s->opt->error_share)) {
        s->first = finite_or_lost(dp_coulomb_residual(c, c->x, c->u));
        dp_coulomb_keep(c, c->x, c->u, s->first);
        set_goals(c, s->first);
    }
    if (!dp_gauss_seidel_comes_first(c, s->first)) {
        return false;
    }
    if (dp_coulomb_is_loose(c) && !(DP_FALL * s->first <= c->tol.approach)) {
        s->warm = NULL;
        s->first = dp_coulomb_begin_from_rest(c);
        set_goals(c, s->first);
        dp_coulomb_keep(c, c->x, c->u, finite_or_lost(s->first));
    }
    s->iterated = true;
    return dp_gauss_seidel_first(c, s->first);
}

static bool has_not_iterated(const solving *s)
{
    return !s->iterated;
}

static bool settle(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    const int before = c->work.factorizations;
    (void)budget;
    if (dp_settle_at_rest(c, s->first)) {
        return true;
    }
    if (c->work.factorizations > before) { // back to the guess
        dp_coulomb_take_guess(c, s->warm);
        dp_coulomb_velocities(c, c->u, c->x);
        dp_coulomb_keep(c, c->x, c->u, finite_or_lost(s->first));
    }
    return false;
}

static bool newton_applies(const solving *s)
{
    return s->relaxed > 0.0 || !(s->iterated && dp_is_rigid_moving_island(s->c));
}

static bool newton(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    if (dp_coulomb_newton(c, budget, DP_PATIENCE)) {
        return true;
    }
    s->searched = true;
    if (c->tol.solved < s->opt->tolerance) { // round-off, or a search that need not be as fine
        c->tol.solved = s->opt->tolerance;
        s->searched = c->best.residual > c->tol.solved;
    }
    return !s->searched;
}

static bool is_loose(const solving *s)
{
    return s->iterated && dp_coulomb_is_loose(s->c) && s->relaxed == 0.0;
}

static bool pushes_without_end(const dp_coulomb *c)
{
    return !(dp_coulomb_largest_push(c, c->x) <= DP_HUGE_PUSH * c->tol.approach);
}

static void return_to_best(dp_coulomb *c)
{
    memcpy(c->x, c->best.x, (size_t)c->p->nrow * sizeof *c->x);
}

// Towards a loose tolerance: what is not solved soon is better made in shorter steps.
static bool alternate_loosely(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    s->searched = true;
    return_to_best(c);
    const bool found = !dp_coulomb_is_exhausted(c) && dp_gauss_seidel_newton(c, budget);
    s->over = DP_FALL * c->best.residual <= c->tol.solved ||
              (dp_is_rigid_moving_island(c) && !pushes_without_end(c));
    return found;
}

static bool suspects(const solving *s)
{
    return !s->looked && pushes_without_end(s->c);
}

static bool has_not_looked(const solving *s)
{
    return !s->looked;
}

// Where rigid rows contradict each other there is nothing to be found, and impulses without end on
// the way: what they can have is asked for instead, and looked for anew from no impulses.
static bool relax_rows(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    s->looked = true;
    s->relaxed = dp_relax_rows(c, budget);
    if (s->relaxed > 0.0) {
        s->first = dp_coulomb_begin_from_rest(c);
        dp_coulomb_keep(c, c->x, c->u, s->first);
    }
    return false;
}

// From c->x, by a plan of the proximal Newton method.
static bool search_by(dp_coulomb *c, const dp_search_plan *plan, int budget)
{
    dp_search_plan own = *plan;
    own.factorizations = own.factorizations < budget ? own.factorizations : budget;
    return !dp_coulomb_is_exhausted(c) && dp_proximal_newton(c, &own);
}

static bool is_limit(const solving *s)
{
    return s->c->law.weight;
}

static bool is_convex(const solving *s)
{
    return dp_coulomb_is_convex(s->c);
}

static bool is_not_convex(const solving *s)
{
    return !dp_coulomb_is_convex(s->c);
}

static bool search_convex(solving *s, int budget)
{
    return_to_best(s->c);
    return dp_convex_search(s->c, budget);
}

static bool is_of_points(const solving *s)
{
    return s->c->gs.has_points && is_not_convex(s);
}

static bool alternate(solving *s, int budget)
{
    return_to_best(s->c);
    return dp_gauss_seidel_newton(s->c, budget);
}

static bool may_follow(const solving *s)
{
    return !is_limit(s) && !is_of_points(s);
}

static bool follow(solving *s, int budget)
{
    return_to_best(s->c);
    return search_by(s->c, &DP_SEARCH_FOLLOW, budget);
}

// Are all contacts springs?
static bool is_compliant(const solving *s)
{
    const dp_coulomb *c = s->c;
    bool all = !c->law.general && c->law.compliance == 0.0 && s->relaxed == 0.0;
    for (int b = 0; all && b < c->p->nblock; ++b) {
        all = c->block[b].ngroup == 0 || c->soft[c->p->row_start[b]].R > 0.0;
    }
    return all;
}

// Newton's method on velocities, with friction that grows with the slip at first, and ever faster.
static bool regularise(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    const size_t bytes = (size_t)c->p->nrow * sizeof *c->x;
    const double earlier = c->best.residual;
    memcpy(c->last.x, c->best.x, bytes);
    const bool near = dp_tamsi_approach(c, c->v_direction, s->out->v, s->opt, budget);
    return_to_best(c);
    dp_coulomb_velocities(c, c->u, c->x);
    const double now = dp_coulomb_residual(c, c->x, c->u);
    dp_coulomb_keep(c, c->x, c->u, finite_or_lost(now));
    if (now <= c->tol.solved || (near && dp_coulomb_newton(c, DP_NEWTON_BUDGET, 1))) {
        return true;
    }
    if (!(c->best.residual <= earlier)) {
        memcpy(c->x, c->last.x, bytes);
        dp_coulomb_velocities(c, c->u, c->x);
        dp_coulomb_keep(c, c->x, c->u, earlier);
    }
    return false;
}

static bool may_be_patient(const solving *s)
{
    return is_not_convex(s) && !s->c->found.wedged;
}

static bool search_patiently(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    dp_search_plan plan = DP_SEARCH_PATIENT;
    const double off = c->best.residual / c->tol.approach; // a shift leaves about as much as itself
    plan.shift = !c->redundant && off < DP_GOAL ? fmax(off, DP_NEWTON_SHIFT) : plan.shift;
    return_to_best(c);
    return search_by(c, &plan, budget);
}

static bool search_from_rest(solving *s, int budget)
{
    memset(s->c->x, 0, (size_t)s->c->p->nrow * sizeof *s->c->x);
    return search_by(s->c, &DP_SEARCH_FAR, budget);
}

// ---- what is left to do once it is solved, or is not

static bool is_loosely_solved(const solving *s)
{
    const dp_coulomb *c = s->c;
    return s->iterated && dp_coulomb_is_loose(c) && c->best.residual > c->tol.strict &&
           c->work.factorizations > 0;
}

static bool confine(solving *s, int budget)
{
    (void)budget;
    dp_gauss_seidel_confine(s->c);
    return true;
}

// The faces that impulses lie on are known when velocities are, to more digits than the tolerance
// asks for.
static void find_faces(dp_coulomb *c)
{
    const dp_coulomb_tolerances usual = c->tol;
    double before = (double)INFINITY;
    c->tol.solved = DP_GOAL * usual.solved;
    c->tol.goal = DP_GOAL * c->tol.solved;
    c->tol.fine = DP_GOAL * DP_GOAL * c->tol.solved;
    c->tol.digits = DP_ROUND_OFF * dp_coulomb_largest_push(c, c->best.x);
    for (int k = 0; k < DP_PATIENCE && c->best.residual > c->tol.digits &&
                    c->best.residual < DP_PROGRESS * before;
         ++k) {
        before = c->best.residual;
        dp_coulomb_go_to_best(c);
        (void)(k % 2 == 0 ? dp_coulomb_newton(c, DP_NEWTON_BUDGET, DP_PATIENCE)
                          : dp_convex_search(c, DP_NEWTON_BUDGET));
    }
    c->tol.solved = usual.solved;
    c->tol.goal = usual.goal;
    c->tol.fine = usual.fine;
}

// Which impulses, of all that meet the tolerance: those of minimum norm, or of the compliance.
static bool select_impulses(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    (void)budget;
    s->known = false;
    if (c->law.weight) {
        find_faces(c);
        c->found.unbounded = false;
        dp_minimum_norm(c);
    } else {
        dp_compliant_impulses(c);
    }
    return c->best.residual <= c->tol.solved;
}

static bool is_compliant_convex(const solving *s)
{
    return is_convex(s) && !is_limit(s);
}

// The impulses in their sets that are nearest to the best ones, in c->x. @return their residual
static double project_best(dp_coulomb *c)
{
    memcpy(c->u_trial, c->best.u, (size_t)c->p->nrow * sizeof *c->x);
    return_to_best(c);
    dp_coulomb_project(c, c->x);
    dp_coulomb_velocities(c, c->u, c->x);
    return dp_coulomb_residual(c, c->x, c->u);
}

// Impulses lie in their sets, solved or not.
static bool project(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    (void)budget;
    const double residual = project_best(c);
    dp_coulomb_keep(c, c->x, c->u, residual);
    return false;
}

// Rows of a block with ranges of their own: of a contact the normal.
static int end_of_ranges(const dp_coulomb *c, int b)
{
    return c->block[b].ngroup > 0 ? c->p->row_start[b] + 1 : c->p->row_start[b + 1];
}

// Does a normal or a one-sided row pull, by more than a hundredth of the tolerance, beside impulses
// so large that this is many newtons? Elsewhere the next step would have to find again what is
// lost.
static bool pulls(const solving *s)
{
    const dp_coulomb *c = s->c;
    const dp_step_problem *p = c->p;
    double most = 0.0;
    for (int b = 0; !s->known && b < p->nblock; ++b) { // a guess that was accepted had been judged
        for (int r = p->row_start[b]; r < end_of_ranges(c, b); ++r) {
            const bool below = p->row[r].lo == 0.0 && c->best.x[r] < 0.0;
            most = below ? fmax(most, -c->w[r] * c->best.x[r]) : most;
        }
    }
    return most > DP_FALL * c->tol.strict;
}

// The same, if they solve the problem as well.
static bool project_solution(solving *s, int budget)
{
    dp_coulomb *c = s->c;
    (void)budget;
    const double residual = project_best(c);
    if (residual <= c->tol.solved) {
        dp_coulomb_keep(c, c->x, c->u, residual);
        s->known = false;
    }
    return true;
}

// ---- the table

typedef enum stage_when { UNSOLVED, SOLVED } stage_when;

typedef struct stage {
    const char *name;
    stage_when when;
    bool (*applies)(const solving *s);   // NULL: always
    bool (*run)(solving *s, int budget); // @return whether it is solved now
    int budget; // of factorizations; 0: makes none, or few that are always there
    int again;  // the stage to go on with, once, where rows were relaxed
} stage;

enum { ALL = 1 << 20, FIRST_NEWTON = 4 };

static const stage stages[] = {
    // The impulses of the last step, extrapolated or not, do for many steps at rest.
    {"accept the guess", UNSOLVED, NULL, accept_guess, 0, 0},
    {"choose the start", UNSOLVED, NULL, choose_start, 0, 0},
    {"Gauss-Seidel", UNSOLVED, gauss_seidel_may_pay, iterate, 0, 0},
    {"settle at rest", UNSOLVED, has_not_iterated, settle, 0, 0},
    // Full Newton steps: most steps end here.
    {"Newton", UNSOLVED, newton_applies, newton, DP_NEWTON_BUDGET, 0},
    {"alternate, loosely", UNSOLVED, is_loose, alternate_loosely, 2 * DP_NEWTON_BUDGET, 0},
    // Rows that contradict each other are relaxed, and Newton's method begins again: at most once.
    {"relax suspect rows", UNSOLVED, suspects, relax_rows, ALL, FIRST_NEWTON},
    // What changed since the last step: one of three searches.
    {"convex search", UNSOLVED, is_limit, search_convex, ALL, 0},
    {"alternate Gauss-Seidel and Newton", UNSOLVED, is_of_points, alternate, ALL, 0},
    {"proximal Newton", UNSOLVED, may_follow, follow, ALL, 0},
    // Heavy bodies on light ones: impulses lack the digits that velocities have.
    {"regularised friction", UNSOLVED, is_compliant, regularise, DP_REGULARISE_BUDGET, 0},
    {"relax rows", UNSOLVED, has_not_looked, relax_rows, ALL, FIRST_NEWTON},
    {"convex search after all", UNSOLVED, is_compliant_convex, search_convex, ALL, 0},
    {"patient proximal Newton", UNSOLVED, may_be_patient, search_patiently, ALL, 0},
    {"proximal Newton from rest", UNSOLVED, is_not_convex, search_from_rest, ALL, 0},
    // Ends.
    {"confine", SOLVED, is_loosely_solved, confine, 0, 0},
    {"select impulses", SOLVED, is_convex, select_impulses, 0, 0},
    {"select compliant impulses", UNSOLVED, is_compliant_convex, select_impulses, 0, 0},
    {"project what pulls", SOLVED, pulls, project_solution, 0, 0},
    {"project into the sets", UNSOLVED, NULL, project, 0, 0},
};
enum { STAGES = sizeof stages / sizeof *stages, LAST_SEARCH = 14 };

int dp_coulomb_stage_count(void)
{
    return STAGES;
}

const char *dp_coulomb_stage_name(int index)
{
    return stages[index].name;
}

// ---- the solve

// [m/s] What a law that shares loads by a compliance s D is solved to: s w γ, by which that shows,
// may be far below what counts as solved.
static double tolerance_of(const dp_coulomb *c, const dp_law_options *opt)
{
    const bool shares = c->law.compliance > 0.0 && !dp_coulomb_is_convex(c);
    const double share = shares ? c->law.compliance / (DP_FALL * DP_FALL) : 1.0;
    return share < 1.0 ? share * opt->tolerance : opt->tolerance;
}

// @param v where the velocities of the guess go
static void aim(dp_coulomb *c, double *v, const double *warm, const dp_law_options *opt)
{
    const dp_step_problem *p = c->p;
    c->work = (dp_coulomb_work){.most = opt->max_factorizations};
    c->gs.by_points = false;
    c->tol.solved = tolerance_of(c, opt);
    c->tol.strict = opt->tolerance;
    if (p->normal || dp_coulomb_is_convex(c)) { // tangents of their laws look at them, and what
                                                // ends a search
        dp_coulomb_row_velocities(c, c->u_free, p->v_free);
    }
    dp_coulomb_take_targets(c);
    c->found = (dp_coulomb_found){.inconsistent = 0.0};
    if (dp_coulomb_is_convex(c)) {
        dp_coulomb_take_convex_targets(c);
    }
    dp_coulomb_take_guess(c, warm);
    c->op.use->respond(c, c->v, NULL, c->x);
    for (int i = 0; i < p->nv; ++i) {
        v[i] = p->v_free[i] + c->v[i];
    }
    dp_coulomb_row_velocities(c, c->u, v);
}

void dp_coulomb_aim(dp_coulomb *c, const double *warm, const dp_law_options *opt)
{
    aim(c, c->best.v, warm, opt);
    const double first = dp_coulomb_residual(c, c->x, c->u);
    dp_coulomb_row_velocities(c, c->u_free, c->p->v_free);
    set_goals(c, first);
    dp_coulomb_keep(c, c->x, c->u, finite_or_lost(first));
}

static bool is_due(const solving *s, int k, int left)
{
    const stage *st = &stages[k];
    const bool is_when = s->solved == (st->when == SOLVED);
    const bool is_over = s->over && k <= LAST_SEARCH;
    const bool is_left_out = (s->c->skip >> k & 1U) != 0;
    return is_when && !is_over && !is_left_out && (st->budget == 0 || left > 0) &&
           (!st->applies || st->applies(s));
}

void dp_coulomb_solve(dp_step_solution *out, dp_coulomb *c, const double *warm,
                      const dp_law_options *opt, dp_solve_info *info)
{
    solving s = {.c = c, .opt = opt, .warm = warm, .out = out};
    aim(c, out->v, warm, opt);
    s.first = dp_coulomb_residual_of_guess(out->state, c, c->x, c->u);
    for (int k = 0; k < STAGES; ++k) {
        const int left = c->work.most - c->work.factorizations, most = stages[k].budget;
        if (!is_due(&s, k, left)) {
            continue;
        }
        s.solved = stages[k].run(&s, most < left ? most : left);
        if (stages[k].again > 0 && s.relaxed > 0.0) {
            k = stages[k].again - 1;
        }
    }
    dp_coulomb_present(out, c, s.known, s.solved, s.relaxed, info);
}
