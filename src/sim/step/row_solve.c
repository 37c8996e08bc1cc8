// Rows within a step: chosen, made, solved (gap_iteration.c), and what they leave behind.
#include "dynamics/composite.h"
#include "problem/island.h"
#include "problem/laws/rigid.h"
#include "sim/step/step.h"

#include <math.h>
#include <string.h>

enum {
    SOLVES = 4,        // of full length that all parts and passes of an attempt may take, or
    LEAST_BUDGET = 64, // [factorizations] what each solve is given all the same
};
static const double WORK = 1e6; // [iterations × rows] of an island if that is more: some 0.5 s

// Of two parts of a step, one after the other.
static void add_certificate(dp_certificate *sum, const dp_certificate *part)
{
    const int nrow = sum->nrow, nactive = sum->nactive, replaced = sum->replaced;
    const int frictionless = sum->frictionless;
    dp_certificate_add(sum, part);
    sum->replaced = part->replaced > replaced ? part->replaced : replaced;
    sum->frictionless = part->frictionless > frictionless ? part->frictionless : frictionless;
    sum->nrow = part->nrow > nrow ? part->nrow : nrow;
    sum->nactive = part->nactive > nactive ? part->nactive : nactive;
}

void dp_constrained_certify(const dp_data *d)
{
    const dp_constrained *c = &d->rows;
    if (c->verdict->pending) {
        dp_certificate part;
        if (c->split.certified) {
            part = c->split.certificate;
        } else {
            dp_law_certify(&part, c->task, &c->solution, c->compliance.given, d->workers,
                           c->scratch);
        }
        part.replaced = c->replaced;
        part.frictionless = c->frictionless;
        part.impacts = c->split.impact.count;
        part.fallbacks += part.impacts > 0 ? c->split.impact.fallbacks : 0;
        part.correction = c->split.correction;
        add_certificate(&d->report->certificate, &part);
        c->verdict->pending = false;
    }
}

void dp_constrained_clear(dp_data *d)
{
    dp_constrained *c = &d->rows;
    c->problem = (dp_step_problem){.nrow = 0};
    c->verdict->unfolded = false;
    c->warm = (dp_warm){.nblock = 0};
    c->next.nblock = c->next.nbend = 0;
    c->info = (dp_solve_info){.outcome = DP_OUTCOME_CONVERGED};
    c->split.any = c->split.certified = c->gaps.corrects = c->gaps.closes_part = false;
    c->split.impact.count = c->split.by_rule = c->split.by_spring = 0;
    c->split.correction = 0.0;
    memset(d->scratch.tree_held, 0, (size_t)d->model->size.ntree);
    if (c->possible) {
        memset(c->pressure, 0, (size_t)d->model->nspring * sizeof *c->pressure);
    }
}

static dp_moment start_of(const dp_data *d)
{
    return (dp_moment){
        .m = d->model, .kin = &d->kin, .q = d->q, .v = d->v, .time = d->time, .tendon = &d->tendon};
}

// May a long tree go without its matrices?
static bool may_lift(const dp_data *d)
{
    return !d->wants_matrices && !d->forces.any_fluid && !d->rows.inertia.known &&
           !d->model->any_restitution && dp_law_has(&d->options.solver, DP_LAW_TRAIT_LINKS);
}

// @param user NULL: none
static dp_rows_input input_of(const dp_data *d, double h, const dp_user_rows *user)
{
    return (dp_rows_input){.start = start_of(d),
                           .h = h,
                           .options = &d->options,
                           .equality_active = d->rows.equality_active,
                           .transmission = &d->transmission,
                           .tendon_ahead = d->tendon_inertia.ahead,
                           .drive = d->rows.drive,
                           .user = user,
                           .motion = d->timed.target,
                           .touching = d->rows.candidates.point,
                           .ntouching = d->rows.candidates.count,
                           .may_lift = may_lift(d),
                           .workers = d->workers,
                           .moved = d->model->moves_mocap ? &d->kin_end : NULL};
}

dp_rows_input dp_constrained_input(const dp_attempt *s)
{
    return input_of(s->d, s->h, &s->user);
}

static dp_warm warm_start(const dp_impulses *from)
{
    return (dp_warm){.nblock = (int)from->nblock,
                     .id = from->id,
                     .row_start = from->row_start,
                     .gamma = from->gamma,
                     .change = from->change};
}

dp_status dp_constrained_expect(dp_data *d, double h)
{
    dp_constrained *c = &d->rows;
    DP_TRY(dp_candidates_find(d, h));
    if (!dp_rows_on_demand(&c->rows, d->model)) {
        return DP_OK;
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_ROWS);
    const dp_rows_input in = input_of(d, h, NULL);
    const dp_warm warm = warm_start(&c->now);
    for (int u = 0; u < d->model->size.nu; ++u) {
        c->drive[u] = dp_drive_law_of(d, u);
    }
    dp_rows_expect(&c->rows, &in, &warm, d->v);
    for (int u = 0; u < d->model->size.nu; ++u) {
        const dp_drive_law *law = &c->drive[u];
        uint8_t *stand = &c->rows.drive[u];
        if (*stand == DP_STANDS_WITHIN && dp_drive_needs_row(d, u)) {
            *stand = DP_STANDS_AS_ROW;
        } else if (law->stiffness + law->damping == 0.0 || d->options.disable_actuation) {
            *stand = DP_STANDS_WITHIN; // its gain has vanished since the last step
        }
    }
    return DP_OK;
}

dp_status dp_constrained_gather(dp_data *d, double h)
{
    dp_constrained *c = &d->rows;
    dp_attempt moment = {.d = d, .h = h};
    const dp_user_rows user = dp_row_callbacks(&moment);
    const dp_warm none = {.nblock = 0};
    DP_TRY(dp_timed_expect(d, h));
    DP_TRY(dp_candidates_find(d, h));
    dp_rows_input in = input_of(d, h, &user);
    in.drive = NULL;
    in.may_lift = false;
    dp_rows_expect(&c->rows, &in, &none, d->v);
    return dp_rows_make(&c->rows, &in);
}

// The impulses of the last solve, for the next step, by how much they differ from those of the step
// before, and their forces.
static void note_impulses(dp_constrained *c)
{
    const dp_rows *rows = &c->rows;
    dp_impulses *next = &c->next;
    const size_t nblock = (size_t)rows->nblock, nrow = (size_t)rows->nrow;
    next->nblock = rows->nblock;
    memcpy(next->id, rows->id, nblock * sizeof *next->id);
    memcpy(next->row_start, rows->row_start, (nblock + 1) * sizeof *next->row_start);
    memcpy(next->gamma, c->solution.gamma, nrow * sizeof *next->gamma);
    int64_t at = 0;
    for (int b = 0; b < rows->nblock; ++b) {
        const int row = rows->row_start[b], n = rows->row_start[b + 1] - row;
        const int last = dp_impulses_find(&c->now, &at, rows->id[b], n);
        for (int r = 0; r < n; ++r) {
            next->change[row + r] = last >= 0 ? next->gamma[row + r] - c->now.gamma[last + r] : 0.0;
            c->lambda[row + r] = next->gamma[row + r] / c->problem.h;
        }
    }
    dp_bends_note(next, c->gaps.bend);
}

static void note_drive_forces(dp_constrained *c, int nu)
{
    memset(c->drive_force, 0, (size_t)nu * sizeof(double));
    for (int i = 0; i < c->rows.nblock; ++i) {
        if (c->rows.owner[i].source == DP_ROW_SOURCE_DRIVE) {
            c->drive_force[c->rows.owner[i].element] = c->lambda[c->rows.row_start[i]];
        }
    }
}

// A face over several planes has the sum.
static void note_pressures(dp_constrained *c, const dp_model *m, const dp_options *options)
{
    for (int i = 0; i < c->rows.nblock; ++i) {
        if (c->rows.owner[i].source != DP_ROW_SOURCE_FOUNDATION) {
            continue;
        }
        const dp_foundation *f = &m->foundation[c->rows.owner[i].element];
        const bool rough = f->friction * options->contact_friction_scale > 0.0;
        const double *lambda = c->lambda + c->rows.row_start[i];
        for (int k = 0; k < f->nx * f->ny; ++k) {
            c->pressure[f->first + k] += lambda[k] / f->area;
            c->frictionless += rough && lambda[k] > 0.0;
        }
    }
}

dp_status dp_constrained_make(dp_attempt *s)
{
    dp_data *d = s->d;
    dp_constrained *c = &d->rows;
    const dp_rows_input in = dp_constrained_input(s);
    c->solved = true;
    c->gaps.error = 0.0;
    if (c->again) {
        dp_impulses_copy(&c->before, &c->next);
    }
    dp_constrained_clear(d);
    c->warm = warm_start(c->again ? &c->before : &c->now);
    c->again = false;
    DP_TRY(dp_rows_make(&c->rows, &in));
    dp_gaps_keep(c);
    return DP_OK;
}

// Rows as a rigid law takes them.
static void make_rigid(dp_data *d)
{
    dp_constrained *c = &d->rows;
    c->compliance.s = dp_law_compliance(&d->options.solver);
    c->compliance.equal = d->options.solver.rigid.weights == DP_RIGID_WEIGHTS_EQUAL;
    c->compliance.limit = dp_law_has(&d->options.solver, DP_LAW_TRAIT_LIMIT);
    c->replaced = c->compliance.s > 0.0
                      ? dp_compliant_rows(c->rows.row, &c->problem, &c->compliance)
                      : dp_rigid_rows(c->rows.row, &c->problem);
    c->problem.normal = NULL;
    c->rows.layout.stands = false;
}

int dp_budget_left(const dp_attempt *s)
{
    const dp_data *d = s->d;
    const int islands = s->islands > 1 ? s->islands : 1;
    const int most = d->options.solver.max_factorizations;
    const double rows = fmax(d->rows.problem.nrow, 1.0) / islands;
    const double spent = (double)(d->report->work.iterations - s->iterations) / islands;
    const double left = fmax(SOLVES * (double)most, WORK / rows) - spent;
    return left < 0.0 ? 0 : left < most ? (int)left : most;
}

dp_status dp_constrained_problem(dp_attempt *s)
{
    dp_data *d = s->d;
    const dp_model *m = d->model;
    const double *diagonal = d->scratch.diagonal; // of M̃, besides M
    dp_constrained *c = &d->rows;
    if (!c->inertia.known && !c->rows.lifted) {
        const dp_body_drag drag = dp_forces_drag(d, s->h);
        dp_crba(c->inertia.Mt, d->scratch.composite, &d->kin, m, diagonal);
        if (drag.slope) {
            dp_crba_add_drag(c->inertia.Mt, d->art.inertia, &d->kin, m, drag, 1, m->size.nbody);
        }
    }
    dp_rows_problem(&c->problem, &c->rows, m, s->h, c->inertia.Mt, d->v, s->v_free, d->workers);
    c->problem.mass_factor =
        c->inertia.known && c->problem.Mt == c->inertia.Mt ? c->inertia.LD : NULL;
    if (c->rows.lifted) {
        dp_rows_lift(&c->problem, &c->rows, &d->kin, m, diagonal);
    }
    c->replaced = c->frictionless = 0;
    if (dp_law_has(&d->options.solver, DP_LAW_TRAIT_RIGID)) {
        make_rigid(d);
    }
    for (int t = 0; t < c->problem.ntree; ++t) {
        d->scratch.tree_held[c->rows.tree[t]] = 1;
    }
    dp_recoveries_note(d, diagonal);
    dp_stage_enter(&d->stopwatch, DP_STAGE_FACTOR);
    dp_law_options law = d->options.solver;
    if (d->options.accuracy > 0.0) { // errors of steps are measured: no share of them is allowed
        law.error_share = 0.0;
    }
    const int left = dp_budget_left(s);
    law.max_factorizations = left > LEAST_BUDGET                     ? left
                             : LEAST_BUDGET < law.max_factorizations ? LEAST_BUDGET
                                                                     : law.max_factorizations;
    DP_TRY(dp_law_restart(&c->task, &c->problem, &law, &c->arena, d->workers));
    dp_gaps_begin(d, s);
    return DP_OK;
}

dp_status dp_constrained_judge(dp_attempt *s)
{
    dp_data *d = s->d;
    const dp_model *m = d->model;
    dp_constrained *c = &d->rows;
    bool again;
    DP_TRY(dp_gaps_judge(&again, d, s));
    if (again) {
        dp_report_change(s, DP_CHANGE_GAP, 1);
        return DP_OK;
    }
    c->solved = c->solved && dp_outcome_is_solved(c->info.outcome);
    note_impulses(c);
    dp_limit_thrown(d);
    if (m->size.nu > 0) {
        note_drive_forces(c, m->size.nu);
    }
    if (m->size.nfoundation > 0) {
        note_pressures(c, m, &d->options);
    }
    return DP_OK;
}

int dp_limits_add(dp_data *d, const dp_attempt *s)
{
    if (!dp_rows_on_demand(&d->rows.rows, d->model)) {
        return 0;
    }
    const dp_rows_input in = input_of(d, s->h, NULL);
    const dp_model *m = d->model;
    const bool needed = m->size.ntendon > 0 || m->size.nfoundation > 0;
    const bool looked = dp_bends_count(&d->rows.rows) > 0 && !s->once && !d->rows.gaps.recovering;
    const dp_moment end = dp_gaps_end(d, s, needed && !looked);
    return dp_rows_miss(&d->rows.rows, &in, &end);
}

void dp_constrained_push(dp_wrench *wrench, const dp_data *d, const double *lambda)
{
    if (d->rows.problem.nrow > 0) {
        const dp_rows_input in = input_of(d, d->rows.problem.h, NULL);
        dp_rows_add_wrenches(wrench, &d->rows.rows, &in, lambda);
    }
}

double dp_constrained_tension(const dp_data *d, int tendon)
{
    if (d->rows.problem.nrow == 0) {
        return 0.0;
    }
    const dp_rows_input in = input_of(d, d->rows.problem.h, NULL);
    return dp_rows_tension(&d->rows.rows, &in, d->rows.lambda, tendon);
}
