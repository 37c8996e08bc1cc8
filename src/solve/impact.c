#include "solve/impact.h"

#include "base/span.h"
#include "linalg/branch.h"
#include "problem/gradient.h"
#include "problem/normal_law.h"
#include "problem/rigid.h"
#include "problem/row_law.h"

#include <math.h>
#include <string.h>

void dp_impact_carve(dp_impact *impact, dp_carver *c, const dp_step_size *max)
{
    const size_t nv = (size_t)max->nv, nrow = (size_t)max->nrow, nblock = (size_t)max->nblock;
    const size_t ntree = (size_t)max->ntree, nisland = ntree + 1; // rows without a tree are one
    double **const of_v[] = {&impact->v,       &impact->v_after, &impact->v_move,
                             &impact->found.v, &impact->v_free,  &impact->v_before};
    double **const of_row[] = {&impact->gamma, &impact->found.gamma, &impact->u, &impact->u_before,
                               &impact->compress};
    double **const of_island[] = {&impact->restitution, &impact->tau, &impact->loss,
                                  &impact->scale};
    for (size_t k = 0; k < sizeof of_v / sizeof *of_v; ++k) {
        *of_v[k] = dp_carve(c, nv, sizeof(double));
    }
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; ++k) {
        *of_row[k] = dp_carve(c, nrow, sizeof(double));
    }
    for (size_t k = 0; k < sizeof of_island / sizeof *of_island; ++k) {
        *of_island[k] = dp_carve(c, nisland, sizeof(double));
    }
    impact->found.state = dp_carve(c, nrow, sizeof(uint8_t));
    impact->row = dp_carve(c, nrow, sizeof(dp_row));
    impact->factor = dp_carve(c, max->nMt, sizeof(double));
    impact->island = dp_carve(c, ntree, sizeof(int));
    impact->block_island = dp_carve(c, nblock, sizeof(int));
    impact->struck = dp_carve(c, ntree, sizeof(uint8_t));
    impact->wanted = dp_carve(c, nisland, sizeof(uint8_t));
    impact->closes = dp_carve(c, nblock, sizeof(uint8_t));
    impact->accounted = dp_carve(c, nrow, sizeof(uint8_t));
}

typedef struct striking {
    dp_impact *out;
    dp_law_task **task;
    const dp_impact_step *step;
    const dp_step_problem *p;
    dp_law_options law; // that solves the phases
    bool restarts;      // phases differ by more than gaps
    double far;         // [m/s] nothing is as fast
} striking;

// ---- which contacts close

// G v of a row
static double rate_of(const dp_step_problem *p, int block, int row, const double *v)
{
    const int first = p->col_start[block], ncol = p->col_start[block + 1] - first;
    const size_t place = (size_t)(row - p->row_start[block]);
    const double *G = p->G + p->G_start[block] + place * (size_t)ncol;
    double u = 0.0;
    for (int k = 0; k < ncol; ++k) {
        u += G[k] * v[p->col[first + k]];
    }
    return u;
}

// A contact beside others that hold the same load may end closed and not push.
bool dp_impact_closes(const dp_step_problem *p, const dp_step_solution *found, int block,
                      double speed, double gap)
{
    const int r = p->row_start[block];
    const dp_row *row = &p->row[r];
    if (!(rate_of(p, block, r, p->v0) + row->phi_t < -speed)) {
        return false;
    }
    const double end = row->phi + p->h * (rate_of(p, block, r, found->v) + row->phi_t);
    return found->gamma[r] > 0.0 || end <= gap;
}

// The share τ of the step after which the gap of a block is closed if forces alone act,
// φ + τ h (u₀ + τ (u* − u₀)) = 0.
static double share_until(const dp_step_problem *p, int block)
{
    const int r = p->row_start[block];
    const dp_row *row = &p->row[r];
    const double first = p->h * (rate_of(p, block, r, p->v0) + row->phi_t);
    const double last = p->h * (rate_of(p, block, r, p->v_free) + row->phi_t);
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

// Islands with impacts, their restitution and when the first contact closes.
static void find_struck(const striking *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    const dp_law_options *opt = s->step->opt;
    const int nisland = dp_law_islands(out->island, *s->task);
    for (int i = 0; i < nisland; ++i) {
        out->restitution[i] = (double)INFINITY;
        out->tau[i] = 1.0;
        out->loss[i] = out->scale[i] = 0.0;
        out->wanted[i] = 0;
    }
    for (int b = 0; b < p->nblock; ++b) {
        const bool held = p->col_start[b + 1] > p->col_start[b];
        const int i =
            held ? out->island[dp_span_of(p->tree_start, p->ntree, p->col[p->col_start[b]])] : -1;
        const double e = s->step->restitution[b];
        out->block_island[b] = i;
        out->closes[b] = i >= 0 && e >= 0.0 &&
                         dp_impact_closes(p, s->step->found, b, opt->impact_speed, s->step->gap);
        if (out->closes[b]) {
            out->restitution[i] = fmin(out->restitution[i], e);
            out->tau[i] = fmin(out->tau[i], share_until(p, b));
            out->wanted[i] = out->wanted[i] || e > 0.0;
        }
    }
    for (int i = 0; i < nisland; ++i) {
        const bool together = opt->impact_rule == DP_IMPACT_EXPEDIENT;
        out->wanted[i] = out->wanted[i] && !(together && out->restitution[i] == 0.0);
        out->count += out->wanted[i];
    }
    for (int t = 0; t < p->ntree; ++t) {
        out->struck[t] = out->island[t] >= 0 && out->wanted[out->island[t]];
    }
}

static bool is_struck(const striking *s, int block)
{
    const int i = s->out->block_island[block];
    return i >= 0 && s->out->wanted[i];
}

// Do rows of struck islands act by time, or contacts by springs? Else phases differ by gaps alone,
// and what is factored stays.
static bool any_soft(const striking *s)
{
    for (int b = 0; b < s->p->nblock; ++b) {
        for (int r = s->p->row_start[b]; is_struck(s, b) && r < s->p->row_start[b + 1]; ++r) {
            if (s->step->soft[r]) {
                return true;
            }
        }
    }
    return false;
}

static void row_rates(double *u, const striking *s, const double *v)
{
    for (int b = 0; b < s->p->nblock; ++b) {
        if (is_struck(s, b)) {
            dp_gradient_apply(u + s->p->row_start[b], s->p, b, v);
        }
    }
}

static double fastest(const striking *s, const double *v)
{
    double most = 0.0;
    row_rates(s->out->u, s, v);
    for (int b = 0; b < s->p->nblock; ++b) {
        for (int r = s->p->row_start[b]; is_struck(s, b) && r < s->p->row_start[b + 1]; ++r) {
            most = fmax(most, fabs(s->out->u[r]) + fabs(s->p->row[r].phi_t));
        }
    }
    return most;
}

// ---- the rows of each phase

// Does a one-sided row push in the step, or end it closed?
static bool touches(const striking *s, int block, int row)
{
    const dp_step_problem *p = s->p;
    const dp_step_solution *found = s->step->found;
    const dp_row *r = &p->row[row];
    const double end = r->phi + p->h * (rate_of(p, block, row, found->v) + r->phi_t);
    return found->gamma[row] > 0.0 || end <= s->step->gap;
}

static void open_row(dp_row *row, const striking *s)
{
    row->phi = s->p->h * (s->far + fabs(row->phi_t));
}

// A contact that obeys the rule is rigid.
static void make_rigid(dp_row *row)
{
    row->k = (double)INFINITY;
    row->b = 0.0;
}

// A spring, dashpot or bounded force over a share of the step, from the gap phi on.
static void act_for(dp_row *row, const striking *s, int block, double share, double phi)
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

// (IM 0): what closes is open, what was closed is.
static void set_rows_before(const striking *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        const bool friction = dp_friction_of(p, b) != NULL;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            dp_row *row = &s->out->row[r];
            *row = p->row[r];
            if (!is_struck(s, b) || (friction && r > p->row_start[b])) {
                continue;
            }
            const bool end = dp_row_is_one_sided(row), closes = end && s->out->closes[b];
            if (s->step->soft[r] && !closes) {
                act_for(row, s, b, s->out->tau[s->out->block_island[b]], row->phi);
            } else if (end && !closes && touches(s, b, r)) {
                row->phi = 0.0;
            } else if (end) {
                open_row(row, s);
            }
        }
    }
}

// (IM 1): closed ends are, other rows keep the rates that they have; bounded forces have no time.
static void set_rows_within(const striking *s, dp_impact_rule rule)
{
    const dp_step_problem *p = s->p;
    const bool newton = rule == DP_IMPACT_NEWTON;
    for (int b = 0; b < p->nblock; ++b) {
        const bool friction = dp_friction_of(p, b) != NULL;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            dp_row *row = &s->out->row[r];
            *row = p->row[r];
            if (friction && r > p->row_start[b]) {
                continue;
            }
            if (!dp_row_is_one_sided(row)) {
                const bool bounded = isfinite(row->lo) || isfinite(row->hi);
                if (s->step->soft[r] && bounded) {
                    act_for(row, s, b, 0.0, 0.0);
                }
                row->phi = 0.0;
                row->phi_t = row->b_ref = -s->out->u_before[r];
            } else if (!touches(s, b, r)) {
                open_row(row, s);
            } else {
                const bool closes = s->out->closes[b];
                const double back = newton && closes ? s->step->restitution[b] : 0.0;
                row->phi = p->h * back * fmin(0.0, s->out->u_before[r] + row->phi_t); // (IM 4)
                if (closes) {
                    make_rigid(row);
                }
            }
        }
    }
}

// (IM 5)
static void set_rows_after(const striking *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        const bool friction = dp_friction_of(p, b) != NULL;
        const double tau = is_struck(s, b) ? s->out->tau[s->out->block_island[b]] : 0.0;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            dp_row *row = &s->out->row[r];
            *row = p->row[r];
            if (!is_struck(s, b) || (friction && r > p->row_start[b])) {
                continue;
            }
            const bool end = dp_row_is_one_sided(row);
            if (end && s->out->closes[b]) {
                make_rigid(row);
                row->phi = 0.0;
            } else if (end && !touches(s, b, r)) {
                open_row(row, s); // what the rebound alone leads to has its impact in the next step
            } else if (s->step->soft[r]) {
                const double way = tau * p->h * (s->out->u_before[r] + row->phi_t);
                act_for(row, s, b, 1.0 - tau, row->phi + way);
            } else if (end) {
                row->phi = 0.0;
            }
        }
    }
}

static dp_status solve(const striking *s, const double *v_free)
{
    dp_impact *out = s->out;
    out->own = *s->p;
    out->own.row = out->row;
    out->own.v_free = v_free;
    if (s->restarts) {
        DP_TRY(dp_law_restart(s->task, &out->own, &s->law, s->step->arena, s->step->crew));
    }
    dp_solve_info info;
    DP_TRY(dp_law_continue_some(&out->found, *s->task, &out->own, NULL, out->wanted, &info));
    out->solved = out->solved && dp_outcome_is_solved(info.outcome);
    out->passes += 1;
    out->iterations += info.iterations;
    out->factorizations += info.factorizations;
    return DP_OK;
}

// γ of the rows of struck blocks += those of `from`
static void add_impulses(double *gamma, const striking *s, const double *from)
{
    for (int b = 0; b < s->p->nblock; ++b) {
        for (int r = s->p->row_start[b]; is_struck(s, b) && r < s->p->row_start[b + 1]; ++r) {
            gamma[r] += from[r];
        }
    }
}

// ---- energy

// Which rows does the impact have in its account, phase by phase? Ends and friction; springs and
// dashpots have accounts of their own.
static void find_accounted(const striking *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        const bool friction = dp_friction_of(p, b) != NULL;
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            const dp_row *row = &p->row[r];
            const bool rubs = (friction && r > p->row_start[b]) ||
                              (row->k == 0.0 && isinf(row->b) && isfinite(row->hi));
            const bool end = dp_row_is_one_sided(row) && (s->out->closes[b] || !s->step->soft[r]);
            s->out->accounted[r] = is_struck(s, b) && (rubs || end);
        }
    }
}

// A row whose rate goes from `from` to `to` takes −γ (½ (from + to) + reference) from the bodies
// and from what moves their surfaces.
static void account(const striking *s, const double *gamma, const double *from, const double *to)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_friction *friction = dp_friction_of(p, b);
        for (int r = p->row_start[b]; is_struck(s, b) && r < p->row_start[b + 1]; ++r) {
            if (!s->out->accounted[r]) {
                continue;
            }
            const dp_row *row = &p->row[r];
            const bool rubs = !dp_row_is_one_sided(row) || (friction && r > p->row_start[b]);
            const double reference = rubs ? row->b_ref : row->phi_t;
            const int i = out->block_island[b];
            out->loss[i] -= gamma[r] * (0.5 * (from[r] + to[r]) + reference);
            out->moved -= gamma[r] * reference;
            out->scale[i] += fabs(gamma[r]) * (fabs(from[r]) + fabs(to[r]) + fabs(reference));
        }
    }
}

// After the impact proper: which islands have gained by it?
static void count_gains(const striking *s)
{
    const double round_off = 1e-12;
    dp_impact *out = s->out;
    for (int b = 0; b < s->p->nblock; ++b) { // each island once
        const int i = out->block_island[b];
        if (is_struck(s, b) && out->scale[i] >= 0.0) {
            out->rebound += out->loss[i];
            out->gains += out->loss[i] < -round_off * out->scale[i];
            out->scale[i] = -1.0;
        }
    }
}

static void add_losses(const striking *s, const double *gamma, const double *u)
{
    dp_impact *out = s->out;
    for (int b = 0; b < s->p->nblock; ++b) {
        if (is_struck(s, b)) {
            out->loss[out->block_island[b]] = 0.0;
        }
    }
    account(s, gamma, u, u);
    for (int b = 0; b < s->p->nblock; ++b) {
        if (is_struck(s, b)) {
            out->lost += out->loss[out->block_island[b]];
            out->loss[out->block_island[b]] = 0.0;
        }
    }
}

static void forget_losses(const striking *s)
{
    for (int b = 0; b < s->p->nblock; ++b) {
        if (is_struck(s, b)) {
            s->out->loss[s->out->block_island[b]] = s->out->scale[s->out->block_island[b]] = 0.0;
        }
    }
}

// ---- phases

// (IM 0)
static dp_status find_before(const striking *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    for (int t = 0; t < p->ntree; ++t) {
        const double tau = out->struck[t] ? out->tau[out->island[t]] : 1.0;
        for (int k = p->tree_start[t]; k < p->tree_start[t + 1]; ++k) {
            out->v_free[k] = p->v0[k] + tau * (p->v_free[k] - p->v0[k]);
        }
    }
    set_rows_before(s);
    DP_TRY(solve(s, out->v_free));
    for (int t = 0; t < p->ntree; ++t) {
        const double *from = out->struck[t] ? out->found.v : out->v_free;
        for (int k = p->tree_start[t]; k < p->tree_start[t + 1]; ++k) {
            out->v_before[k] = from[k];
        }
    }
    row_rates(out->u_before, s, out->v_before);
    memset(out->gamma, 0, (size_t)p->nrow * sizeof *out->gamma);
    add_impulses(out->gamma, s, out->found.gamma);
    add_losses(s, out->found.gamma, out->u_before);
    return DP_OK;
}

// (IM 2): v⁺, and the impulses of the impact in `compress`
static void restore_together(const striking *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    for (int t = 0; t < p->ntree; ++t) {
        const double e = out->struck[t] ? out->restitution[out->island[t]] : 0.0;
        for (int k = p->tree_start[t]; out->struck[t] && k < p->tree_start[t + 1]; ++k) {
            out->v[k] = out->found.v[k] + e * (out->found.v[k] - out->v_before[k]);
        }
    }
    for (int b = 0; b < p->nblock; ++b) {
        const double e = is_struck(s, b) ? out->restitution[out->block_island[b]] : 0.0;
        for (int r = p->row_start[b]; is_struck(s, b) && r < p->row_start[b + 1]; ++r) {
            out->compress[r] = (1.0 + e) * out->found.gamma[r];
        }
    }
}

// (IM 3)
static dp_status restore_by_impulse(const striking *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    const dp_branch at = {p->nv, p->parent, p->Mt_start};
    memcpy(out->factor, p->Mt, p->Mt_start[p->nv] * sizeof *out->factor);
    if (dp_branch_factor(out->factor, at) >= 0) {
        return dp_fail(DP_ERROR_NUMERIC, "Mt has no positive pivot (expected a positive definite "
                                         "matrix)");
    }
    memset(out->v_free, 0, (size_t)p->nv * sizeof *out->v_free);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; is_struck(s, b) && r < p->row_start[b + 1]; ++r) {
            const bool back = out->closes[b] && r == p->row_start[b];
            out->u[r] = back ? s->step->restitution[b] * out->found.gamma[r] : 0.0;
            out->compress[r] = out->found.gamma[r] + out->u[r];
        }
        if (is_struck(s, b)) {
            dp_gradient_add(out->v_free, p, b, out->u + p->row_start[b]);
        }
    }
    dp_branch_solve(out->v_free, at, out->factor, out->v_free);
    for (int k = 0; k < p->nv; ++k) {
        out->v_free[k] += out->found.v[k];
    }
    DP_TRY(solve(s, out->v_free));
    add_impulses(out->compress, s, out->found.gamma);
    memcpy(out->v, out->found.v, (size_t)p->nv * sizeof *out->v);
    return DP_OK;
}

// v⁺ and the impulses of the impact, in `compress`. @param met whether the law was
static dp_status find_rebound(bool *met, const striking *s, dp_impact_rule rule)
{
    dp_impact *out = s->out;
    out->solved = true;
    set_rows_within(s, rule);
    DP_TRY(solve(s, out->v_before)); // (IM 1)
    switch (rule) {
    case DP_IMPACT_EXPEDIENT:
        restore_together(s);
        break;
    case DP_IMPACT_POISSON:
        DP_TRY(restore_by_impulse(s));
        break;
    case DP_IMPACT_NEWTON:
        memcpy(out->v, out->found.v, (size_t)s->p->nv * sizeof *out->v);
        memcpy(out->compress, out->found.gamma, (size_t)s->p->nrow * sizeof *out->compress);
        break;
    }
    *met = out->solved;
    return DP_OK;
}

// (IM 5), (IM 6)
static dp_status find_after(const striking *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    for (int t = 0; t < p->ntree; ++t) {
        const double rest = out->struck[t] ? 1.0 - out->tau[out->island[t]] : 0.0;
        for (int k = p->tree_start[t]; k < p->tree_start[t + 1]; ++k) {
            const double v = out->struck[t] ? out->v[k] : p->v0[k];
            out->v_free[k] = v + rest * (p->v_free[k] - p->v0[k]);
        }
    }
    set_rows_after(s);
    DP_TRY(solve(s, out->v_free));
    for (int t = 0; t < p->ntree; ++t) {
        const double tau = out->struck[t] ? out->tau[out->island[t]] : 0.0;
        for (int k = p->tree_start[t]; out->struck[t] && k < p->tree_start[t + 1]; ++k) {
            out->v[k] = out->found.v[k];
            out->v_move[k] = tau * out->v_before[k] + (1.0 - tau) * out->v[k];
        }
    }
    row_rates(out->u, s, out->v);
    add_impulses(out->gamma, s, out->found.gamma);
    add_losses(s, out->found.gamma, out->u);
    return DP_OK;
}

static striking begin(dp_impact *out, dp_law_task **task, const dp_impact_step *step)
{
    out->count = out->gains = out->fallbacks = out->passes = out->iterations = out->factorizations =
        0;
    out->solved = true;
    out->lost = out->moved = out->rebound = 0.0;
    striking s = {.out = out, .task = task, .step = step, .p = step->p, .law = *step->opt};
    if (dp_law_of(step->opt)->impact) {
        s.law.user = dp_law_of(step->opt)->impact;
    }
    return s;
}

static void look_how_far(striking *s)
{
    const double beyond = 64.0; // light bodies may end faster than all others move
    const dp_step_problem *p = s->p;
    s->far = beyond *
             fmax(fastest(s, p->v0), fmax(fastest(s, p->v_free), fastest(s, s->step->found->v)));
}

dp_status dp_impact_solve(dp_impact *out, dp_law_task **task, const dp_impact_step *step)
{
    striking s = begin(out, task, step);
    find_struck(&s);
    if (out->count == 0) {
        return DP_OK;
    }
    s.restarts = any_soft(&s);
    find_accounted(&s);
    look_how_far(&s);
    DP_TRY(find_before(&s));
    const bool sound = out->solved;
    bool met = false;
    DP_TRY(find_rebound(&met, &s, step->opt->impact_rule));
    if (!met && step->opt->impact_rule != DP_IMPACT_EXPEDIENT) { // what it asks for need not exist
        out->fallbacks = out->count;
        DP_TRY(find_rebound(&met, &s, DP_IMPACT_EXPEDIENT));
    }
    forget_losses(&s);
    row_rates(out->u, &s, out->v);
    account(&s, out->compress, out->u_before, out->u);
    count_gains(&s);
    add_impulses(out->gamma, &s, out->compress);
    out->lost += out->rebound;
    memcpy(out->v_after, out->v, (size_t)step->p->nv * sizeof *out->v_after);
    out->solved = true;
    DP_TRY(find_after(&s));
    out->solved = out->solved && sound && met;
    return DP_OK;
}

// The share of the way from the end of the step to that of (IM 6) that a row lets pass.
static double share_allowed(const dp_impact *out, const dp_impact_step *step, int block, int row)
{
    const dp_step_problem *p = step->p;
    const dp_row *r = &p->row[row];
    const double end = r->phi + p->h * (rate_of(p, block, row, step->found->v) + r->phi_t);
    const double move = r->phi + p->h * (rate_of(p, block, row, out->v_move) + r->phi_t);
    return move >= fmin(end, 0.0) - step->gap ? 1.0 : (fmax(end, 0.0) + step->gap) / (end - move);
}

void dp_impact_keep_gaps(dp_impact *out, const dp_impact_step *step)
{
    const dp_step_problem *p = step->p;
    double *const share = out->loss; // not needed any more
    const striking s = {.out = out, .step = step, .p = p};
    for (int b = 0; b < p->nblock; ++b) {
        if (is_struck(&s, b)) {
            share[out->block_island[b]] = 1.0;
        }
    }
    for (int b = 0; b < p->nblock; ++b) {
        const dp_friction *friction = dp_friction_of(p, b);
        for (int r = p->row_start[b]; is_struck(&s, b) && r < p->row_start[b + 1]; ++r) {
            if (dp_row_is_one_sided(&p->row[r]) && !(friction && r > p->row_start[b])) {
                double *least = &share[out->block_island[b]];
                *least = fmin(*least, fmax(0.0, share_allowed(out, step, b, r)));
            }
        }
    }
    for (int t = 0; t < p->ntree; ++t) {
        const double part = out->struck[t] ? share[out->island[t]] : 1.0;
        for (int k = p->tree_start[t]; part < 1.0 && k < p->tree_start[t + 1]; ++k) {
            const double own = step->found->v[k];
            out->v_move[k] = own + part * (out->v_move[k] - own);
        }
    }
}

static void set_rows_level(const striking *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            dp_row *row = &s->out->row[r];
            *row = p->row[r];
            if (dp_row_is_one_sided(row) && !touches(s, b, r)) {
                open_row(row, s);
            } else if (row->k == (double)INFINITY) {
                row->phi = 0.0;
            }
        }
    }
}

dp_status dp_impact_project(dp_impact *out, dp_law_task **task, const dp_impact_step *step)
{
    const dp_step_problem *p = step->p;
    striking s = begin(out, task, step);
    out->count = dp_law_islands(out->island, *task);
    memset(out->wanted, 1, (size_t)out->count);
    for (int b = 0; b < p->nblock; ++b) {
        out->block_island[b] = 0;
    }
    for (int t = 0; t < p->ntree; ++t) {
        out->struck[t] = out->island[t] >= 0;
    }
    if (out->count == 0) {
        return DP_OK;
    }
    look_how_far(&s);
    set_rows_level(&s);
    DP_TRY(solve(&s, p->v_free));
    memcpy(out->v, out->found.v, (size_t)p->nv * sizeof *out->v);
    memcpy(out->v_move, step->found->v, (size_t)p->nv * sizeof *out->v_move);
    memcpy(out->gamma, out->found.gamma, (size_t)p->nrow * sizeof *out->gamma);
    return DP_OK;
}
