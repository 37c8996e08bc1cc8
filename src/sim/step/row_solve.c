// Rows within a step: chosen, made, solved (passes.h), and what they leave behind.
#include "sim/data.h"

#include "dynamics/composite.h"
#include "problem/island.h"
#include "problem/rigid.h"
#include "sim/step/drift.h"
#include "sim/step/gap_iteration.h"
#include "sim/step/gap_predictor.h"
#include "sim/step/row_callback.h"
#include "sim/step/stepping.h"
#include "sim/step/tree_energy.h"

#include <string.h>

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
            dp_law_certify(&part, c->task, &c->solution, c->compliance.given, d->crew, c->scratch);
        }
        part.replaced = c->replaced;
        part.frictionless = c->frictionless;
        part.impacts = c->split.impact.count;
        part.fallbacks += part.impacts > 0 ? c->split.impact.fallbacks : 0;
        part.correction = c->split.correction;
        add_certificate(&c->verdict->certified, &part);
        c->verdict->pending = false;
    }
}

void dp_constrained_clear(dp_data *d)
{
    dp_constrained *c = &d->rows;
    if (c->is_clear) {
        return;
    }
    c->is_clear = true;
    c->problem = (dp_step_problem){.nrow = 0};
    c->verdict->unfolded = false;
    c->warm = (dp_warm){.nblock = 0};
    c->next.nblock = c->next.nbend = 0;
    c->info = (dp_solve_info){.outcome = DP_CONVERGED};
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
    return !d->wants_matrices && !d->rows.inertia.known && !d->rows.restitutes &&
           dp_law_has(&d->options.law, DP_TRAIT_LINKS);
}

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
                           .crew = d->crew,
                           .moved = d->model->moves_mocap ? &d->kin_end : NULL};
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
    DP_TRY(dp_touching_find(d, h));
    if (!dp_rows_on_demand(&c->rows, d->model)) {
        return DP_OK;
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_ROWS);
    const dp_user_rows none = {.count = 0};
    const dp_rows_input in = input_of(d, h, &none);
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
    const dp_row_solve moment = {.h = h};
    dp_row_caller caller = {d, &moment};
    const dp_user_rows user = dp_row_callbacks(&caller);
    const dp_warm none = {.nblock = 0};
    DP_TRY(dp_timed_expect(d, h));
    DP_TRY(dp_touching_find(d, h));
    dp_rows_input in = input_of(d, h, &user);
    in.drive = NULL;
    in.may_lift = false;
    dp_rows_expect(&c->rows, &in, &none, d->v);
    return dp_rows_make(&c->rows, &in);
}

// The first block of the state whose id is not less. Ids ascend.
static int find_block(const dp_impulses *from, uint64_t id)
{
    int first = 0, end = (int)from->nblock;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (from->id[middle] < id) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

// By how much the impulses of some blocks differ from those of the last step.
static void note_changes(dp_constrained *c, int first, int end)
{
    const dp_impulses *last = &c->now;
    int at = find_block(last, c->next.id[first]);
    for (int b = first; b < end; ++b) {
        const int row = c->rows.row_start[b], n = c->rows.row_start[b + 1] - row;
        while (at < last->nblock && last->id[at] < c->next.id[b]) {
            ++at;
        }
        const bool known = at < last->nblock && last->id[at] == c->next.id[b] &&
                           last->row_start[at + 1] - last->row_start[at] == n;
        for (int r = 0; r < n; ++r) {
            c->next.change[row + r] =
                known ? c->next.gamma[row + r] - last->gamma[last->row_start[at] + r] : 0.0;
        }
    }
}

// The impulses of some blocks, for the next step, and their forces.
static dp_status note_part(void *job, int part, int first, int end)
{
    (void)part;
    dp_constrained *c = job;
    const dp_rows *rows = &c->rows;
    const int row = rows->row_start[first], nrow = rows->row_start[end] - row;
    memcpy(c->next.id + first, rows->id + first, (size_t)(end - first) * sizeof *c->next.id);
    memcpy(c->next.gamma + row, c->solution.gamma + row, (size_t)nrow * sizeof *c->next.gamma);
    if (end > first) {
        note_changes(c, first, end);
    }
    for (int i = row; i < row + nrow; ++i) {
        c->lambda[i] = c->solution.gamma[i] / c->problem.h;
    }
    return DP_OK;
}

static void note_impulses(dp_constrained *c)
{
    const dp_rows *rows = &c->rows;
    const size_t nblock = (size_t)rows->nblock;
    c->next.nblock = rows->nblock;
    memcpy(c->next.row_start, rows->row_start, (nblock + 1) * sizeof *c->next.row_start);
    dp_bends_note(c);
}

static void note_drive_forces(dp_constrained *c, int nu)
{
    memset(c->drive_force, 0, (size_t)nu * sizeof(double));
    for (int i = 0; i < c->rows.nblock; ++i) {
        if (c->rows.owner[i].source == DP_ROWS_DRIVE) {
            c->drive_force[c->rows.owner[i].element] = c->lambda[c->rows.row_start[i]];
        }
    }
}

// A face over several planes has the sum.
static void note_pressures(dp_constrained *c, const dp_model *m, const dp_options *options)
{
    for (int i = 0; i < c->rows.nblock; ++i) {
        if (c->rows.owner[i].source != DP_ROWS_FOUNDATION) {
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

dp_status dp_constrained_make(dp_data *d, const dp_row_solve *s)
{
    dp_constrained *c = &d->rows;
    dp_row_caller caller = {d, s};
    const dp_user_rows user = dp_row_callbacks(&caller);
    const dp_rows_input in = input_of(d, s->h, &user);
    c->solved = true;
    c->gaps.error = 0.0;
    if (c->again) {
        dp_impulses_copy(&c->before, &c->next);
    }
    dp_constrained_clear(d);
    c->is_clear = false;
    c->warm = warm_start(c->again ? &c->before : &c->now);
    c->again = false;
    DP_TRY(dp_rows_make(&c->rows, &in));
    return dp_gaps_keep(d);
}

// Rows as a rigid law takes them.
static void make_rigid(dp_data *d)
{
    dp_constrained *c = &d->rows;
    c->compliance.s = dp_law_compliance(&d->options.law);
    c->compliance.equal = d->options.law.weights == DP_WEIGHTS_EQUAL;
    c->compliance.limit = dp_law_has(&d->options.law, DP_TRAIT_LIMIT);
    c->replaced = c->compliance.s > 0.0
                      ? dp_compliant_rows(c->rows.row, &c->problem, &c->compliance)
                      : dp_rigid_rows(c->rows.row, &c->problem);
    c->problem.normal = NULL;
    c->rows.layout.stands = false;
}

dp_status dp_constrained_problem(dp_data *d, const dp_row_solve *s)
{
    const dp_model *m = d->model;
    const double *diagonal = d->scratch.diagonal; // of M̃, besides M
    dp_constrained *c = &d->rows;
    if (!c->inertia.known && !c->rows.lifted) {
        dp_crba(c->inertia.Mt, d->scratch.composite, &d->kin, m, diagonal);
    }
    dp_rows_problem(&c->problem, &c->rows, m, s->h, c->inertia.Mt, d->v, s->v_free, d->crew);
    c->problem.LD = c->inertia.known && c->problem.Mt == c->inertia.Mt ? c->inertia.LD : NULL;
    if (c->rows.lifted) {
        dp_rows_lift(&c->problem, &c->rows, &d->kin, m, diagonal);
    }
    c->replaced = c->frictionless = 0;
    if (dp_law_has(&d->options.law, DP_TRAIT_RIGID)) {
        make_rigid(d);
    }
    for (int t = 0; t < c->problem.ntree; ++t) {
        d->scratch.tree_held[c->rows.tree[t]] = 1;
    }
    dp_recoveries_note(d, diagonal);
    dp_stage_enter(&d->stopwatch, DP_STAGE_FACTOR);
    dp_law_options law = d->options.law;
    if (d->options.accuracy > 0.0) { // errors of steps are seen in digits that heaps may leave
        law.heap_tolerance = 0.0;
    }
    DP_TRY(dp_law_restart(&c->task, &c->problem, &law, &c->arena, d->crew));
    dp_gaps_begin(d, s);
    return DP_OK;
}

dp_status dp_constrained_judge(bool *again, dp_data *d, const dp_row_solve *s)
{
    const dp_model *m = d->model;
    dp_constrained *c = &d->rows;
    dp_row_caller caller = {d, s};
    const dp_user_rows user = dp_row_callbacks(&caller);
    const dp_rows_input in = input_of(d, s->h, &user);
    DP_TRY(dp_gaps_judge(again, d, s, &in));
    if (*again) {
        return DP_OK;
    }
    c->solved = c->solved && dp_outcome_is_solved(c->info.outcome);
    DP_TRY(dp_rows_share(&c->rows, d->crew, note_part, c));
    dp_limit_thrown(d);
    if (m->size.nu > 0) {
        note_drive_forces(c, m->size.nu);
    }
    if (m->size.nfoundation > 0) {
        note_pressures(c, m, &d->options);
    }
    note_impulses(c);
    return DP_OK;
}

dp_status dp_constrained_bend(double *phi, dp_data *d, const dp_row_solve *s, const double *v,
                              const double *moved)
{
    dp_row_caller caller = {d, s};
    const dp_user_rows user = dp_row_callbacks(&caller);
    const dp_rows_input in = input_of(d, s->h, &user);
    return dp_gaps_bend(phi, d, s, &in, v, moved);
}

int dp_constrained_miss(dp_data *d, const dp_row_solve *s)
{
    if (!dp_rows_on_demand(&d->rows.rows, d->model)) {
        return 0;
    }
    const dp_user_rows none = {.count = 0};
    const dp_rows_input in = input_of(d, s->h, &none);
    const dp_model *m = d->model;
    const bool needed = m->size.ntendon > 0 || m->size.nfoundation > 0;
    const bool looked = dp_bends_count(&d->rows.rows) > 0 && !s->once && !d->rows.gaps.recovering;
    const dp_moment end = dp_gaps_end(d, s, needed && !looked);
    return dp_rows_miss(&d->rows.rows, &in, &end);
}

bool dp_constrained_arrive(dp_data *d)
{
    const dp_model *m = d->model;
    const size_t q_bytes = (size_t)m->size.nq * sizeof(double);
    if (!d->rows.end_known) {
        return false;
    }
    d->rows.end_known = false;
    dp_kin_normalise(d->q, m);
    const bool same = m->nquaternion == 0 || memcmp(d->q, d->scratch.q, q_bytes) == 0;
    if (same) {
        const dp_kin kin = d->kin;
        d->kin = d->kin_end;
        d->kin_end = kin;
        memcpy(d->key.q, d->q, q_bytes);
        memcpy(d->key.v, d->v, (size_t)m->size.nv * sizeof(double));
        d->key.moving = true;
    }
    return same;
}

bool dp_constrained_any(const dp_data *d)
{
    for (int i = 0; i < d->rows.problem.nblock; ++i) {
        if (d->rows.rows.owner[i].source != DP_ROWS_DRIVE) {
            return true;
        }
    }
    return false;
}

void dp_constrained_forces(double *tau, const dp_data *d)
{
    if (d->rows.problem.nrow > 0) {
        dp_rows_add_forces(tau, &d->rows.rows, d->rows.lambda);
    }
}

void dp_constrained_push(dp_wrench *wrench, const dp_data *d, const double *lambda)
{
    if (d->rows.problem.nrow > 0) {
        const dp_user_rows none = {.count = 0};
        const dp_rows_input in = input_of(d, d->rows.problem.h, &none);
        dp_rows_add_wrenches(wrench, &d->rows.rows, &in, lambda);
    }
}

void dp_constrained_wrenches(dp_wrench *wrench, const dp_data *d)
{
    dp_constrained_push(wrench, d, d->rows.lambda);
}

double dp_constrained_tension(const dp_data *d, int tendon)
{
    if (d->rows.problem.nrow == 0) {
        return 0.0;
    }
    const dp_user_rows none = {.count = 0};
    const dp_rows_input in = input_of(d, d->rows.problem.h, &none);
    return dp_rows_tension(&d->rows.rows, &in, d->rows.lambda, tendon);
}
