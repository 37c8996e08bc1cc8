#include "solve/impact.h"

#include "base/span.h"
#include "linalg/branch.h"
#include "problem/gradient.h"
#include "problem/rigid.h"
#include "problem/row_law.h"

#include <math.h>
#include <string.h>

void dp_impact_carve(dp_impact *impact, dp_carver *c, const dp_step_size *max)
{
    const size_t nv = (size_t)max->nv, nrow = (size_t)max->nrow, nblock = (size_t)max->nblock;
    const size_t ntree = (size_t)max->ntree, nisland = ntree + 1; // rows without a tree are one
    double **const of_v[] = {&impact->v, &impact->found.v, &impact->v_free, &impact->v_before};
    double **const of_row[] = {&impact->gamma, &impact->found.gamma, &impact->u, &impact->u_before,
                               &impact->compress};
    double **const of_island[] = {&impact->restitution, &impact->tau, &impact->loss};
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
}

typedef struct striking {
    dp_impact *out;
    dp_law_task *task;
    const dp_step_problem *p;
    const dp_step_solution *found;
    const double *restitution;
    const dp_law_options *opt;
    double gap; // [m]
    double far; // [m/s] nothing is as fast
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

static bool closes(const dp_step_problem *p, const dp_step_solution *found, int block, double speed)
{
    const int r = p->row_start[block];
    return found->gamma[r] > 0.0 && rate_of(p, block, r, p->v0) + p->row[r].phi_t < -speed;
}

bool dp_impact_any(const dp_step_problem *p, const dp_step_solution *found,
                   const double *restitution, double speed)
{
    for (int b = 0; b < p->nblock; ++b) {
        if (restitution[b] > 0.0 && closes(p, found, b, speed)) {
            return true;
        }
    }
    return false;
}

// The share of the step after which the gap of a block is closed, if it goes on freely.
static double share_until(const dp_step_problem *p, int block)
{
    const int r = p->row_start[block];
    const dp_row *row = &p->row[r];
    const double way = -p->h * (rate_of(p, block, r, p->v_free) + row->phi_t);
    return row->phi <= 0.0 ? 0.0 : way > row->phi ? row->phi / way : 1.0;
}

// Islands that are struck, with what throws back and when.
static void find_struck(const striking *s)
{
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    const int nisland = dp_law_islands(out->island, s->task);
    for (int i = 0; i < nisland; ++i) {
        out->restitution[i] = (double)INFINITY;
        out->tau[i] = 1.0;
        out->loss[i] = 0.0;
        out->wanted[i] = 0;
    }
    for (int b = 0; b < p->nblock; ++b) {
        const bool held = p->col_start[b + 1] > p->col_start[b];
        const int i =
            held ? out->island[dp_span_of(p->tree_start, p->ntree, p->col[p->col_start[b]])] : -1;
        out->block_island[b] = i;
        out->closes[b] =
            i >= 0 && s->restitution[b] >= 0.0 && closes(p, s->found, b, s->opt->impact_speed);
        if (out->closes[b]) {
            out->restitution[i] = fmin(out->restitution[i], s->restitution[b]);
            out->tau[i] = fmin(out->tau[i], share_until(p, b));
            out->wanted[i] = out->wanted[i] || s->restitution[b] > 0.0;
        }
    }
    for (int i = 0; i < nisland; ++i) {
        const bool together = s->opt->impact_rule == DP_IMPACT_EXPEDIENT;
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

// ---- the problems

// Does a one-sided row push in the step, or end it closed?
static bool touches(const striking *s, int block, int row)
{
    const dp_step_problem *p = s->p;
    const dp_row *r = &p->row[row];
    const double end = r->phi + p->h * (rate_of(p, block, row, s->found->v) + r->phi_t);
    return s->found->gamma[row] > 0.0 || end <= s->gap;
}

static void open_row(dp_row *row, const striking *s)
{
    row->phi = s->p->h * (s->far + fabs(row->phi_t));
}

// What holds before the impact: ends that were closed are, those that close are not there.
static void set_rows_before(const striking *s)
{
    const dp_step_problem *p = s->p;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            dp_row *row = &s->out->row[r];
            *row = p->row[r];
            if (dp_row_is_one_sided(row) && touches(s, b, r) && !s->out->closes[b]) {
                row->phi = 0.0;
            } else if (dp_row_is_one_sided(row)) {
                open_row(row, s);
            }
        }
    }
}

// What holds in it: all ends that are closed; other rows keep the rates that they have.
static void set_rows_within(const striking *s, dp_impact_rule rule)
{
    const dp_step_problem *p = s->p;
    const bool newton = rule == DP_IMPACT_NEWTON;
    for (int b = 0; b < p->nblock; ++b) {
        const dp_friction *friction = dp_friction_of(p, b);
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            dp_row *row = &s->out->row[r];
            *row = p->row[r];
            if (friction && r > p->row_start[b]) {
                continue;
            }
            if (!dp_row_is_one_sided(row)) {
                row->phi = 0.0;
                row->phi_t = row->b_ref = -s->out->u_before[r];
            } else if (!touches(s, b, r)) {
                open_row(row, s);
            } else {
                const double back = newton && s->out->closes[b] ? s->restitution[b] : 0.0;
                row->phi = p->h * back * fmin(0.0, s->out->u_before[r] + row->phi_t); // (IM 4)
            }
        }
    }
}

static dp_status solve(const striking *s, const double *v_free)
{
    dp_impact *out = s->out;
    dp_step_problem own = *s->p;
    own.row = out->row;
    own.v_free = v_free;
    dp_solve_info info;
    DP_TRY(dp_law_continue_some(&out->found, s->task, &own, NULL, out->wanted, &info));
    out->solved = out->solved && dp_outcome_is_solved(info.outcome);
    out->passes += 1;
    out->iterations += info.iterations;
    out->factorizations += info.factorizations;
    return DP_OK;
}

// v⁻
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
    memcpy(out->gamma, out->found.gamma, (size_t)p->nrow * sizeof *out->gamma);
    return DP_OK;
}

// γ of the rows of struck blocks += factor · found
static void add_impulses(double *gamma, const striking *s, double factor)
{
    for (int b = 0; b < s->p->nblock; ++b) {
        for (int r = s->p->row_start[b]; is_struck(s, b) && r < s->p->row_start[b + 1]; ++r) {
            gamma[r] += factor * s->out->found.gamma[r];
        }
    }
}

// ---- what is thrown back

// (IM 2): v⁺, and the impulses of the impact in `compress`
static void throw_together(const striking *s)
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
static dp_status throw_by_impulse(const striking *s)
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
            out->u[r] = back ? s->restitution[b] * out->found.gamma[r] : 0.0;
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
    add_impulses(out->compress, s, 1.0);
    memcpy(out->v, out->found.v, (size_t)p->nv * sizeof *out->v);
    return DP_OK;
}

// v⁺ and the impulses of the impact, in `compress`. @param met whether the law was
static dp_status throw_back(bool *met, const striking *s, dp_impact_rule rule)
{
    dp_impact *out = s->out;
    out->solved = true;
    set_rows_within(s, rule);
    DP_TRY(solve(s, out->v_before)); // (IM 1)
    switch (rule) {
    case DP_IMPACT_EXPEDIENT:
        throw_together(s);
        break;
    case DP_IMPACT_POISSON:
        DP_TRY(throw_by_impulse(s));
        break;
    case DP_IMPACT_NEWTON:
        memcpy(out->v, out->found.v, (size_t)s->p->nv * sizeof *out->v);
        memcpy(out->compress, out->found.gamma, (size_t)s->p->nrow * sizeof *out->compress);
        break;
    }
    *met = out->solved;
    return DP_OK;
}

// ---- energy

// A row that slides or turns back has −γ (½ (u⁻ + u⁺) + reference): what is taken from the bodies
// and from what moves their surfaces.
static void account(const striking *s)
{
    const double round_off = 1e-12;
    dp_impact *out = s->out;
    const dp_step_problem *p = s->p;
    double *const size = out->tau; // not needed any more
    for (int b = 0; b < p->nblock; ++b) {
        if (is_struck(s, b)) {
            size[out->block_island[b]] = 0.0;
        }
    }
    row_rates(out->u, s, out->v);
    for (int b = 0; b < p->nblock; ++b) {
        const dp_friction *friction = dp_friction_of(p, b);
        for (int r = p->row_start[b]; is_struck(s, b) && r < p->row_start[b + 1]; ++r) {
            const dp_row *row = &p->row[r];
            const bool rubs = friction && r > p->row_start[b];
            if (!rubs && !dp_row_is_one_sided(row)) {
                continue;
            }
            const double reference = rubs ? row->b_ref : row->phi_t, gamma = out->compress[r];
            const double mean = 0.5 * (out->u_before[r] + out->u[r]) + reference;
            out->loss[out->block_island[b]] -= gamma * mean;
            out->moved -= gamma * reference;
            size[out->block_island[b]] +=
                fabs(gamma) * (fabs(out->u_before[r]) + fabs(out->u[r]) + fabs(reference));
        }
    }
    for (int b = 0; b < p->nblock; ++b) { // each island once
        const int i = out->block_island[b];
        if (is_struck(s, b) && size[i] >= 0.0) {
            out->lost += out->loss[i];
            out->gains += out->loss[i] < -round_off * size[i];
            size[i] = -1.0;
        }
    }
}

static striking begin(dp_impact *out, dp_law_task *task, const dp_step_problem *p,
                      const dp_step_solution *found, const double *restitution,
                      const dp_law_options *opt, double gap)
{
    out->count = out->gains = out->fallbacks = out->passes = out->iterations = out->factorizations =
        0;
    out->solved = true;
    out->lost = out->moved = 0.0;
    return (striking){out, task, p, found, restitution, opt, gap, 0.0};
}

static void look_how_far(striking *s)
{
    const double beyond = 64.0; // light bodies may be thrown faster than all others move
    const dp_step_problem *p = s->p;
    s->far = beyond * fmax(fastest(s, p->v0), fmax(fastest(s, p->v_free), fastest(s, s->found->v)));
}

dp_status dp_impact_solve(dp_impact *out, dp_law_task *task, const dp_step_problem *p,
                          const dp_step_solution *found, const double *restitution,
                          const dp_law_options *opt, double gap)
{
    striking s = begin(out, task, p, found, restitution, opt, gap);
    find_struck(&s);
    if (out->count == 0) {
        return DP_OK;
    }
    look_how_far(&s);
    DP_TRY(find_before(&s));
    const bool sound = out->solved;
    bool met = false;
    DP_TRY(throw_back(&met, &s, opt->impact_rule));
    if (!met && opt->impact_rule != DP_IMPACT_EXPEDIENT) { // what it asks for need not exist
        out->fallbacks = out->count;
        DP_TRY(throw_back(&met, &s, DP_IMPACT_EXPEDIENT));
    }
    out->solved = sound && met;
    account(&s);
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; is_struck(&s, b) && r < p->row_start[b + 1]; ++r) {
            out->gamma[r] += out->compress[r];
        }
    }
    return DP_OK;
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

dp_status dp_impact_project(dp_impact *out, dp_law_task *task, const dp_step_problem *p,
                            const dp_step_solution *found, const dp_law_options *opt, double gap)
{
    striking s = begin(out, task, p, found, NULL, opt, gap);
    out->count = dp_law_islands(out->island, task);
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
    return DP_OK;
}
