#include "solve/impact.h"

#include "base/span.h"
#include "problem/gradient.h"
#include "problem/laws/normal_law.h"
#include "problem/laws/rigid.h"
#include "problem/laws/row_law.h"

#include <math.h>
#include <string.h>

void dp_impact_carve(dp_impact *impact, dp_carver *c, const dp_step_size *max)
{
    const size_t nv = (size_t)max->nv, nrow = (size_t)max->nrow, nblock = (size_t)max->nblock;
    const size_t ntree = (size_t)max->ntree, nisland = ntree + 1; // rows without a tree are one
    const struct {
        double **array;
        size_t length;
    } numbers[] = {
        {&impact->v, nv},
        {&impact->v_after, nv},
        {&impact->v_move, nv},
        {&impact->found.v, nv},
        {&impact->v_free, nv},
        {&impact->v_before, nv},
        {&impact->gamma, nrow},
        {&impact->u, nrow},
        {&impact->u_before, nrow},
        {&impact->compress, nrow},
        {&impact->loss, nisland},
        {&impact->restitution, nisland},
        {&impact->tau, nisland},
        {&impact->scale, nisland},
        {&impact->found.gamma, nrow},
        {&impact->factor, max->nMt},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        *numbers[k].array = dp_carve(c, numbers[k].length, sizeof(double));
    }
    impact->found.state = dp_carve(c, nrow, sizeof(uint8_t));
    impact->row = dp_carve(c, nrow, sizeof(dp_row));
    impact->island = dp_carve(c, ntree, sizeof(int));
    impact->block_island = dp_carve(c, nblock, sizeof(int));
    impact->row_island = dp_carve(c, nrow, sizeof(int));
    impact->velocity_island = dp_carve(c, nv, sizeof(int));
    impact->struck = dp_carve(c, ntree, sizeof(uint8_t));
    impact->wanted = dp_carve(c, nisland, sizeof(uint8_t));
    impact->closes = dp_carve(c, nblock, sizeof(uint8_t));
    impact->accounted = dp_carve(c, nrow, sizeof(uint8_t));
}

typedef struct context {
    dp_impact *out;
    dp_law_task **task;
    const dp_impact_step *step;
    const dp_step_problem *p;
    dp_law_options law; // that solves the phases
    bool restarts;      // phases differ by more than gaps
    bool is_after;      // the impact is over: (IM 5)
    double open_speed;  // [m/s] of rows that stay open: nothing is as fast
    dp_impact_rule rule;
    int islands;
} context;

// ---- which contacts close

// The gap of a row at the end of the step with the velocities v.
static double end_gap(const dp_step_problem *p, int block, int row, const double *v)
{
    const dp_row *r = &p->row[row];
    return r->phi + p->h * (dp_gradient_rate(p, block, row, v) + r->phi_t);
}

// Does a row push in the step, or end it closed? A contact beside others that hold the same load
// may end closed and not push.
static bool touches(const dp_step_problem *p, const dp_step_solution *found, int block, int row,
                    double gap)
{
    return found->gamma[row] > 0.0 || end_gap(p, block, row, found->v) <= gap;
}

bool dp_impact_closes(const dp_step_problem *p, const dp_step_solution *found, int block,
                      double speed, double gap)
{
    const int r = p->row_start[block];
    return dp_gradient_rate(p, block, r, p->v0) + p->row[r].phi_t < -speed &&
           touches(p, found, block, r, gap);
}

// The share τ of the step after which the gap of a block is closed if forces alone act,
// φ + τ h (u₀ + τ (u* − u₀)) = 0.
static double share_until(const dp_step_problem *p, int block)
{
    const int r = p->row_start[block];
    const dp_row *row = &p->row[r];
    const double first = p->h * (dp_gradient_rate(p, block, r, p->v0) + row->phi_t);
    const double last = p->h * (dp_gradient_rate(p, block, r, p->v_free) + row->phi_t);
    if (!(row->phi > 0.0)) {
        return 0.0;
    }
    const double square = first * first - 4.0 * row->phi * (last - first);
    if (!(row->phi + last < 0.0) || !(square >= 0.0)) {
        return 1.0;
    }
    const double share = 2.0 * row->phi / (sqrt(square) - first);
    return share > 0.0 && share < 1.0 ? share : 1.0;
}

static bool is_struck(const dp_impact *out, int block)
{
    const int i = out->block_island[block];
    return i >= 0 && out->wanted[i];
}

// The island of each row and velocity, −1: it is not struck.
static void find_struck_rows(const context *s)
{
    for (int t = 0; t < s->p->ntree; ++t) {
        for (int k = s->p->tree_start[t]; k < s->p->tree_start[t + 1]; ++k) {
            s->out->velocity_island[k] = s->out->struck[t] ? s->out->island[t] : -1;
        }
    }
    for (int b = 0; b < s->p->nblock; ++b) {
        for (int r = s->p->row_start[b]; r < s->p->row_start[b + 1]; ++r) {
            s->out->row_island[r] = is_struck(s->out, b) ? s->out->block_island[b] : -1;
        }
    }
}

// Islands with impacts, their restitution and when the first contact closes.
static void find_struck(context *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    const dp_law_options *opt = s->step->opt;
    s->islands = dp_law_islands(out->island, *s->task);
    for (int i = 0; i < s->islands; ++i) {
        out->restitution[i] = (double)INFINITY;
        out->tau[i] = 1.0;
        out->wanted[i] = 0;
    }
    for (int b = 0; b < p->nblock; ++b) {
        const bool held = p->col_start[b + 1] > p->col_start[b];
        const int i =
            held ? out->island[dp_span_of(p->tree_start, p->ntree, p->col[p->col_start[b]])] : -1;
        const double e = s->step->restitution[b];
        out->block_island[b] = i;
        out->closes[b] = i >= 0 && e >= 0.0 &&
                         dp_impact_closes(p, s->step->found, b, opt->impact.speed, s->step->gap);
        if (out->closes[b]) {
            out->restitution[i] = fmin(out->restitution[i], e);
            out->tau[i] = fmin(out->tau[i], share_until(p, b));
            out->wanted[i] = out->wanted[i] || e > 0.0;
        }
    }
    for (int i = 0; i < s->islands; ++i) {
        const bool together = opt->impact.rule == DP_IMPACT_RULE_EXPEDIENT;
        out->wanted[i] = out->wanted[i] && !(together && out->restitution[i] == 0.0);
        out->count += out->wanted[i];
    }
    for (int t = 0; t < p->ntree; ++t) {
        out->struck[t] = out->island[t] >= 0 && out->wanted[out->island[t]];
    }
    find_struck_rows(s);
}

// Do rows of struck islands act by time, or contacts by springs? Else phases differ by gaps alone,
// and what is factored stays.
static bool any_soft(const context *s)
{
    bool any = false;
    for (int r = 0; r < s->p->nrow; ++r) {
        any = any || (s->out->row_island[r] >= 0 && s->step->soft[r]);
    }
    return any;
}

static void row_rates(double *u, const context *s, const double *v)
{
    for (int b = 0; b < s->p->nblock; ++b) {
        if (is_struck(s->out, b)) {
            dp_gradient_apply(u + s->p->row_start[b], s->p, b, v);
        }
    }
}

// What nothing is as fast as: light bodies may end faster than all others move.
static void find_open_speed(context *s)
{
    const double beyond = 64.0;
    const double *const v[] = {s->p->v0, s->p->v_free, s->step->found->v};
    for (int k = 0; k < 3; ++k) {
        row_rates(s->out->u, s, v[k]);
        for (int r = 0; r < s->p->nrow; ++r) {
            if (s->out->row_island[r] >= 0) {
                const double speed = fabs(s->out->u[r]) + fabs(s->p->row[r].phi_t);
                s->open_speed = fmax(s->open_speed, beyond * speed);
            }
        }
    }
}

// γ of struck rows += those of `from`
static void add_impulses(double *gamma, const context *s, const double *from)
{
    for (int r = 0; r < s->p->nrow; ++r) {
        gamma[r] += s->out->row_island[r] >= 0 ? from[r] : 0.0;
    }
}

// ---- the rows of each phase

// Is a one-sided row closed in the phases of the impact?
static bool is_closed(const context *s, int block, int row)
{
    return touches(s->p, s->step->found, block, row, s->step->gap);
}

static void open_row(dp_row *row, const context *s)
{
    row->phi = s->p->h * (s->open_speed + fabs(row->phi_t));
}

// A contact that obeys the rule is rigid.
static void make_rigid(dp_row *row)
{
    row->k = (double)INFINITY;
    row->b = 0.0;
}

// A spring, dashpot or bounded force over a share of the step, from the gap phi on.
static void act_for(dp_row *row, const context *s, int block, double share, double phi)
{
    const double least = 1e-6; // of the step: less is nothing
    const double time = fmax(share, least);
    const dp_normal *law = dp_normal_of(s->p, block);
    row->k *= law && dp_normal_is_hertz(law) ? time * time * sqrt(time) : time * time;
    row->b *= time;
    row->phi = phi / time;
    row->lo *= time;
    row->hi *= time;
}

// (IM 0) and (IM 5): contacts that close are open before, rigid after; what is open in the step
// stays so, and what the rebound alone leads to has its impact in the next step.
static void set_row_beside(dp_row *row, const context *s, int block, int r, bool end)
{
    const double tau = s->out->tau[s->out->block_island[block]];
    const bool closes = end && s->out->closes[block];
    if (closes && s->is_after) {
        make_rigid(row);
        row->phi = 0.0;
    } else if (end && (closes || !is_closed(s, block, r))) {
        open_row(row, s);
    } else if (s->step->soft[r] && s->is_after) {
        const double travelled = tau * s->p->h * (s->out->u_before[r] + row->phi_t);
        act_for(row, s, block, 1.0 - tau, row->phi + travelled);
    } else if (s->step->soft[r]) {
        act_for(row, s, block, tau, row->phi);
    } else if (end) {
        row->phi = 0.0;
    }
}

// (IM 1): closed ends stay closed, other rows keep their rates; bounded forces have no time to act.
static void set_row_within(dp_row *row, const context *s, int block, int r, bool end)
{
    const double before = s->out->u_before[r];
    const bool closes = s->out->closes[block];
    if (!end) {
        if (s->step->soft[r] && (isfinite(row->lo) || isfinite(row->hi))) {
            act_for(row, s, block, 0.0, 0.0);
        }
        row->phi = 0.0;
        row->phi_t = row->b_ref = -before;
    } else if (!is_closed(s, block, r)) {
        open_row(row, s);
    } else {
        const double e =
            s->rule == DP_IMPACT_RULE_NEWTON && closes ? s->step->restitution[block] : 0.0;
        row->phi = s->p->h * e * fmin(0.0, before + row->phi_t); // (IM 4)
        if (closes) {
            make_rigid(row);
        }
    }
}

// For dp_impact_project: every gap that is closed is 0.
static void set_row_level(dp_row *row, const context *s, int block, int r, bool end)
{
    if (end && !is_closed(s, block, r)) {
        open_row(row, s);
    } else if (row->k == (double)INFINITY) {
        row->phi = 0.0;
    }
}

typedef void row_setter(dp_row *row, const context *s, int block, int r, bool end);

// The rows of a phase: those of friction and of other islands are as in the step.
// @param end in the setter: a one-sided row
static void set_rows(const context *s, row_setter *set)
{
    const dp_step_problem *p = s->p;
    memcpy(s->out->row, p->row, (size_t)p->nrow * sizeof *p->row);
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b];
        const int last = dp_friction_of(p, b) ? first + 1 : p->row_start[b + 1];
        for (int r = first; is_struck(s->out, b) && r < last; ++r) {
            set(&s->out->row[r], s, b, r, dp_row_is_one_sided(&p->row[r]));
        }
    }
}

static dp_status solve(const context *s, const double *v_free)
{
    dp_impact *out = s->out;
    out->own = *s->p;
    out->own.row = out->row;
    out->own.v_free = v_free;
    if (s->restarts) {
        DP_TRY(dp_law_restart(s->task, &out->own, &s->law, s->step->arena, s->step->workers));
    }
    dp_solve_info info;
    DP_TRY(dp_law_continue_some(&out->found, *s->task, &out->own, NULL, out->wanted, &info));
    out->solved = out->solved && dp_outcome_is_solved(info.outcome);
    out->passes += 1;
    out->iterations += info.iterations;
    out->factorizations += info.factorizations;
    return DP_OK;
}

// ---- energy

// Rows whose loss belongs to the impact: ends of ranges, and friction. Springs and dashpots have
// accounts of their own.
enum { NOT_ACCOUNTED, END, FRICTION };

static void find_accounted(const context *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        const bool contact = dp_friction_of(p, b) != NULL;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const dp_row *row = &p->row[r];
            const bool one_sided = dp_row_is_one_sided(row);
            const bool friction = (contact && r > p->row_start[b]) ||
                                  (row->k == 0.0 && isinf(row->b) && isfinite(row->hi));
            const bool end = one_sided && (s->out->closes[b] || !s->step->soft[r]);
            s->out->accounted[r] = !is_struck(s->out, b) ? NOT_ACCOUNTED
                                   : friction            ? FRICTION
                                   : end                 ? END
                                                         : NOT_ACCOUNTED;
        }
    }
}

// A row whose rate goes from `from` to `to` takes −γ (½ (from + to) + reference) from the bodies
// and from what moves their surfaces. @param rebound this is the impact proper, in which islands
// may gain energy
static void account(const context *s, const double *gamma, const double *from, const double *to,
                    bool rebound)
{
    const double round_off = 1e-12;
    dp_impact *out = s->out;
    for (int i = 0; i < s->islands; ++i) {
        out->loss[i] = out->scale[i] = 0.0;
    }
    for (int r = 0; r < s->p->nrow; ++r) {
        if (out->accounted[r] != NOT_ACCOUNTED) {
            const dp_row *row = &s->p->row[r];
            const double reference = out->accounted[r] == FRICTION ? row->b_ref : row->phi_t;
            const int i = out->row_island[r];
            out->loss[i] -= gamma[r] * (0.5 * (from[r] + to[r]) + reference);
            out->moved -= gamma[r] * reference;
            out->scale[i] += fabs(gamma[r]) * (fabs(from[r]) + fabs(to[r]) + fabs(reference));
        }
    }
    for (int i = 0; i < s->islands; ++i) {
        out->lost += out->loss[i];
        out->rebound += rebound ? out->loss[i] : 0.0;
        out->gains += rebound && out->loss[i] < -round_off * out->scale[i];
    }
}

// ---- phases

// (IM 0) or (IM 5): forces act for their share of the step on what begins with the velocities
// `from`. @param v, u what it ends with, and the rates of the struck rows
static dp_status solve_beside(const context *s, const double *from, double *v, double *u)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    for (int k = 0; k < p->nv; ++k) {
        const int i = out->velocity_island[k];
        const double share = i < 0 ? 1.0 : s->is_after ? 1.0 - out->tau[i] : out->tau[i];
        out->v_free[k] = (i < 0 ? p->v0[k] : from[k]) + share * (p->v_free[k] - p->v0[k]);
    }
    set_rows(s, set_row_beside);
    DP_TRY(solve(s, out->v_free));
    for (int k = 0; k < p->nv; ++k) {
        v[k] = out->velocity_island[k] >= 0 ? out->found.v[k] : out->v_free[k];
    }
    row_rates(u, s, v);
    add_impulses(out->gamma, s, out->found.gamma);
    account(s, out->found.gamma, u, u, false);
    return DP_OK;
}

// (IM 2): v⁺, and the impulses of the impact in `compress`
static void restore_together(const context *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    for (int k = 0; k < p->nv; ++k) {
        const int i = out->velocity_island[k];
        if (i >= 0) {
            out->v[k] =
                out->found.v[k] + out->restitution[i] * (out->found.v[k] - out->v_before[k]);
        }
    }
    for (int r = 0; r < p->nrow; ++r) {
        const int i = out->row_island[r];
        out->compress[r] = i >= 0 ? (1.0 + out->restitution[i]) * out->found.gamma[r] : 0.0;
    }
}

// (IM 3)
static dp_status restore_by_impulse(const context *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    DP_TRY(dp_problem_factor_mass(out->factor, p));
    memset(out->v_free, 0, (size_t)p->nv * sizeof *out->v_free);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; is_struck(s->out, b) && r < p->row_start[b + 1]; ++r) {
            const bool back = out->closes[b] && r == p->row_start[b];
            out->u[r] = back ? s->step->restitution[b] * out->found.gamma[r] : 0.0;
            out->compress[r] = out->found.gamma[r] + out->u[r];
        }
        if (is_struck(s->out, b)) {
            dp_gradient_add(out->v_free, p, b, out->u + p->row_start[b]);
        }
    }
    dp_problem_solve_mass(out->v_free, p, out->factor);
    for (int k = 0; k < p->nv; ++k) {
        out->v_free[k] += out->found.v[k];
    }
    DP_TRY(solve(s, out->v_free));
    add_impulses(out->compress, s, out->found.gamma);
    memcpy(out->v, out->found.v, (size_t)p->nv * sizeof *out->v);
    return DP_OK;
}

// v⁺ and the impulses of the impact, in `compress`. @param met whether the law was
static dp_status find_rebound(bool *met, context *s, dp_impact_rule rule)
{
    dp_impact *out = s->out;
    out->solved = true;
    s->rule = rule;
    set_rows(s, set_row_within);
    DP_TRY(solve(s, out->v_before)); // (IM 1)
    switch (rule) {
    case DP_IMPACT_RULE_EXPEDIENT:
        restore_together(s);
        break;
    case DP_IMPACT_RULE_POISSON:
        DP_TRY(restore_by_impulse(s));
        break;
    case DP_IMPACT_RULE_NEWTON:
        memcpy(out->v, out->found.v, (size_t)s->p->nv * sizeof *out->v);
        memcpy(out->compress, out->found.gamma, (size_t)s->p->nrow * sizeof *out->compress);
        break;
    }
    *met = out->solved;
    return DP_OK;
}

static context begin(dp_impact *out, dp_law_task **task, const dp_impact_step *step)
{
    out->count = out->gains = out->fallbacks = out->passes = out->iterations = out->factorizations =
        0;
    out->solved = true;
    out->lost = out->moved = out->rebound = 0.0;
    context s = {.out = out, .task = task, .step = step, .p = step->p, .law = *step->opt};
    if (dp_law_of(step->opt)->impact) {
        s.law.user = dp_law_of(step->opt)->impact;
    }
    return s;
}

dp_status dp_impact_solve(dp_impact *out, dp_law_task **task, const dp_impact_step *step)
{
    context s = begin(out, task, step);
    find_struck(&s);
    if (out->count == 0) {
        return DP_OK;
    }
    s.restarts = any_soft(&s);
    find_accounted(&s);
    find_open_speed(&s);
    memset(out->gamma, 0, (size_t)step->p->nrow * sizeof *out->gamma);
    DP_TRY(solve_beside(&s, step->p->v0, out->v_before, out->u_before));
    const bool sound = out->solved;
    bool met = false;
    DP_TRY(find_rebound(&met, &s, step->opt->impact.rule));
    if (!met &&
        step->opt->impact.rule != DP_IMPACT_RULE_EXPEDIENT) { // what it asks for need not exist
        out->fallbacks = out->count;
        DP_TRY(find_rebound(&met, &s, DP_IMPACT_RULE_EXPEDIENT));
    }
    row_rates(out->u, &s, out->v);
    account(&s, out->compress, out->u_before, out->u, true);
    add_impulses(out->gamma, &s, out->compress);
    memcpy(out->v_after, out->v, (size_t)step->p->nv * sizeof *out->v_after);
    out->solved = true;
    s.is_after = true;
    DP_TRY(solve_beside(&s, out->v, out->v, out->u));
    for (int k = 0; k < step->p->nv; ++k) { // (IM 6)
        const int i = out->velocity_island[k];
        if (i >= 0) {
            out->v_move[k] = out->tau[i] * out->v_before[k] + (1.0 - out->tau[i]) * out->v[k];
        }
    }
    out->solved = out->solved && sound && met;
    return DP_OK;
}

void dp_impact_keep_gaps(dp_impact *out, const dp_impact_step *step)
{
    const dp_step_problem *p = step->p;
    double *const share = out->loss; // not needed any more: of the way to that of (IM 6)
    for (int i = 0; i <= p->ntree; ++i) {
        share[i] = 1.0;
    }
    for (int b = 0; b < p->nblock; ++b) {
        const int first = p->row_start[b];
        const int last = dp_friction_of(p, b) ? first + 1 : p->row_start[b + 1];
        for (int r = first; is_struck(out, b) && r < last; ++r) {
            const int i = out->block_island[b];
            const double end = end_gap(p, b, r, step->found->v);
            const double move = end_gap(p, b, r, out->v_move);
            if (dp_row_is_one_sided(&p->row[r]) && move < fmin(end, 0.0) - step->gap) {
                const double allowed = (fmax(end, 0.0) + step->gap) / (end - move);
                share[i] = fmin(share[i], fmax(0.0, allowed));
            }
        }
    }
    for (int k = 0; k < p->nv; ++k) {
        const int i = out->velocity_island[k];
        const double own = step->found->v[k];
        if (i >= 0 && share[i] < 1.0) {
            out->v_move[k] = own + share[i] * (out->v_move[k] - own);
        }
    }
}

dp_status dp_impact_project(dp_impact *out, dp_law_task **task, const dp_impact_step *step)
{
    const dp_step_problem *p = step->p;
    context s = begin(out, task, step);
    out->count = s.islands = dp_law_islands(out->island, *task);
    memset(out->wanted, 1, (size_t)out->count);
    for (int b = 0; b < p->nblock; ++b) {
        out->block_island[b] = 0;
    }
    for (int t = 0; t < p->ntree; ++t) {
        out->struck[t] = out->island[t] >= 0;
    }
    find_struck_rows(&s);
    if (out->count == 0) {
        return DP_OK;
    }
    find_open_speed(&s);
    set_rows(&s, set_row_level);
    DP_TRY(solve(&s, p->v_free));
    memcpy(out->v, out->found.v, (size_t)p->nv * sizeof *out->v);
    memcpy(out->v_move, step->found->v, (size_t)p->nv * sizeof *out->v_move);
    memcpy(out->gamma, out->found.gamma, (size_t)p->nrow * sizeof *out->gamma);
    return DP_OK;
}
