// How rigid bodies move and push at one moment: the law with rows that do not give, among
// accelerations instead of velocities.
//
// With a the accelerations and φ̈ = G a + β, rows that are closed ask for φ̈ = 0, or for
// 0 ≤ λ ⊥ φ̈ ≥ 0. This is a step problem (SP 1)–(SP 7) with h = 1, v = a, M̃ = M and û = −β. Friction
// that slides knows its direction: û is the slip, made long. β, what φ̈ is for v̇ = 0, is the
// derivative of the rates along the motion, by central differences: so it is right for contacts
// that roll and for whatever else makes rows.
#include "dynamics/composite.h"
#include "sim/query/query.h"
#include "sim/statics/statics.h"
#include "sim/step/step.h"

#include <string.h>

static const double MOMENT = 1e-4;   // [s] step that stands for a moment, where steps are longer
static const double FAR = 1e6;       // [m/s²] what no closed contact opens by
static const double LONG = 1e9;      // [m/s²] beside which accelerations do not turn a slip
static const double SLIDES = 1e-7;   // [m/s, rad/s] slower is at rest
static const double OPENS = 1e-7;    // [m/s²] slower is closed
static const double TURN = 1e-5;     // [rad] how far to look for β
static const double PRECISE = 1e-11; // [m/s²] of the law
static const double MOVING = 1e-8;   // the same where β has the round-off of differences

// Is the row a reaction, or a load like springs and drives?
static bool is_reaction(const dp_data *d, int row)
{
    const dp_row_info info = dp_data_row(d, row);
    const dp_row *r = &d->rows.problem.row[row];
    switch (info.source) {
    case DP_ROW_SOURCE_DRIVE:
    case DP_ROW_SOURCE_TENDON_SPRING:
    case DP_ROW_SOURCE_FOUNDATION:
    case DP_ROW_SOURCES:
        return false;
    case DP_ROW_SOURCE_USER:
        return isinf(r->k) || isinf(r->b);
    default:
        return true;
    }
}

// A short step, by the law that all others are compared with: which one the scene has is of no
// account.
static void make_brief(dp_data *d)
{
    d->options.step = fmin(d->options.step, MOMENT);
    d->options.solver = dp_law_options_default();
    d->wants_matrices = true;
}

// ---- β

// The rates of the rows at a moment before or after, in the place of impulses.
static dp_status look(dp_impulses *out, dp_data *d, const dp_data *at, double seconds,
                      dp_pool *pool)
{
    DP_TRY(dp_data_copy(d, at));
    make_brief(d);
    dp_kin_advance(d->q, d->model, at->q, at->v, seconds);
    d->time = at->time + seconds;
    DP_TRY(dp_forward(d));
    const dp_step_problem *p = &d->rows.problem;
    out->nblock = p->nrow > 0 ? p->nblock : 0;
    if (out->nblock == 0) {
        return DP_OK;
    }
    DP_TRY(dp_pool_take(&out->id, pool, (size_t)p->nblock, sizeof(uint64_t)));
    DP_TRY(dp_pool_take(&out->row_start, pool, (size_t)p->nblock + 1, sizeof(int)));
    DP_TRY(dp_pool_take(&out->gamma, pool, (size_t)p->nrow, sizeof(double)));
    memcpy(out->id, p->id, (size_t)p->nblock * sizeof *out->id);
    memcpy(out->row_start, p->row_start, ((size_t)p->nblock + 1) * sizeof *out->row_start);
    for (int r = 0; r < p->nrow; ++r) {
        out->gamma[r] = dp_data_row(d, r).start_rate;
    }
    return DP_OK;
}

static void differentiate(dp_instant_row *row, const dp_data *d, const dp_impulses side[2],
                          double seconds)
{
    const dp_step_problem *p = &d->rows.problem;
    int64_t at[2] = {0, 0};
    for (int i = 0; i < p->nblock; ++i) {
        const int first = p->row_start[i], n = p->row_start[i + 1] - first;
        const int before = dp_impulses_find(&side[0], &at[0], p->id[i], n);
        const int after = dp_impulses_find(&side[1], &at[1], p->id[i], n);
        for (int r = 0; before >= 0 && after >= 0 && r < n; ++r) {
            row[first + r].bend =
                (side[1].gamma[after + r] - side[0].gamma[before + r]) / (2.0 * seconds);
        }
    }
}

// How fast anything turns, or passes its own length; 0: nothing moves and nothing is moved.
static double briskness(const dp_data *d)
{
    const dp_model *m = d->model;
    double most = m->size.nmotion > 0 ? 1.0 : 0.0;
    for (int k = 0; k < m->size.nv; ++k) {
        most = fmax(most, fabs(d->v[k]));
    }
    return most;
}

// ---- the problem

static bool touches(const dp_data *d, int row, double touch)
{
    return d->rows.gaps.start[row] <= touch;
}

static void hold(dp_row *row, double bend)
{
    row->phi = bend;
    row->phi_t = row->b_ref = row->b = 0.0;
    row->k = INFINITY;
}

static void hold_rate(dp_row *row, double rate)
{
    row->phi = row->phi_t = row->k = 0.0;
    row->b = INFINITY;
    row->b_ref = rate;
}

// The inertia of a tendon: λ = −a (J v̇ + J̇ v), a dashpot among accelerations.
static void carry(dp_row *row, const dp_data *d, int tendon)
{
    row->phi = row->phi_t = row->k = 0.0;
    row->b = d->model->tendon[tendon].armature;
    row->b_ref = dp_tendon_move(&d->kin, d->model, tendon, d->v).bias;
}

// A one-sided row: closed, or so far open that nothing closes it.
static void close_row(dp_instant *s, dp_data *d, int row, double touch)
{
    const bool closed = touches(d, row, touch) && s->row[row].rate <= SLIDES;
    s->row[row].closed = closed;
    s->impacts += closed && s->row[row].rate < -SLIDES;
    hold(&d->rows.rows.row[row], closed ? s->row[row].bend : FAR);
}

static void slide_rows(dp_instant *s, dp_data *d, int first, int count)
{
    double slip = 0.0;
    for (int r = first; r < first + count; ++r) {
        slip += s->row[r].rate * s->row[r].rate;
    }
    slip = sqrt(slip);
    for (int r = first; r < first + count; ++r) {
        s->row[r].moving = s->row[r].sliding = slip > SLIDES;
        hold_rate(&d->rows.rows.row[r],
                  s->row[r].sliding ? LONG * (s->row[r].rate / slip) : s->row[r].bend);
    }
}

static void adapt_contact(dp_instant *s, dp_data *d, int first, int n, double touch)
{
    close_row(s, d, first, touch);
    for (int r = first + 1; r < first + n; ++r) {
        s->row[r].closed = s->row[first].closed;
    }
    if (n >= 3) {
        slide_rows(s, d, first + 1, 2);
    }
    if (n >= 4) {
        slide_rows(s, d, first + 3, 1);
    }
    if (n >= 6) {
        slide_rows(s, d, first + 4, 2);
    }
}

// Turn the rows of the step into those of the moment.
static void adapt_rows(dp_instant *s, dp_data *d, double touch)
{
    const dp_step_problem *p = &d->rows.problem;
    d->rows.rows.layout.stands = false;
    for (int i = 0; i < p->nblock; ++i) {
        const int first = p->row_start[i], n = p->row_start[i + 1] - first;
        const dp_row_source source = (dp_row_source)d->rows.rows.owner[i].source;
        if (source == DP_ROW_SOURCE_CONTACT) {
            adapt_contact(s, d, first, n, touch);
            continue;
        }
        for (int r = first; r < first + n; ++r) {
            dp_row *row = &d->rows.rows.row[r];
            row->lo /= p->h;
            row->hi /= p->h;
            s->row[r].closed = s->row[r].reaction;
            if (dp_is_tendon_inertia(&d->rows.rows.owner[i])) {
                carry(row, d, d->rows.rows.owner[i].element);
            } else if (!s->row[r].closed) {
                hold(row, 0.0);
                row->lo = row->hi = 0.0;
            } else if (source == DP_ROW_SOURCE_JOINT_LIMIT ||
                       source == DP_ROW_SOURCE_TENDON_LIMIT) {
                close_row(s, d, r, touch);
            } else if (source == DP_ROW_SOURCE_JOINT_FRICTION ||
                       source == DP_ROW_SOURCE_TENDON_FRICTION) {
                slide_rows(s, d, r, 1);
            } else {
                hold(row, s->row[r].bend);
            }
        }
    }
}

// The accelerations without the rows that are reactions and the inertia of tendons.
static dp_status accelerate(double *a, dp_data *d, const dp_instant_row *row, dp_pool *pool)
{
    const dp_model *m = d->model;
    const dp_step_problem *p = &d->rows.problem;
    const size_t nv = (size_t)m->size.nv;
    double *tau, *lambda;
    DP_TRY(dp_pool_take(&tau, pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&lambda, pool, (size_t)p->nrow, sizeof(double)));
    DP_TRY(dp_evaluate_trees(d)); // forces of this very moment
    for (int i = 0; i < p->nblock; ++i) {
        for (int r = p->row_start[i]; r < p->row_start[i + 1]; ++r) {
            const dp_row_owner *owner = &d->rows.rows.owner[i];
            const bool load = !row[r].reaction && owner->source != DP_ROW_SOURCE_DRIVE &&
                              !dp_is_tendon_inertia(owner);
            lambda[r] = load ? d->rows.lambda[r] : 0.0;
        }
    }
    memcpy(d->rows.lambda, lambda, (size_t)p->nrow * sizeof *lambda);
    dp_rows_add_forces(tau, &d->rows.rows, lambda);
    dp_articulated_solve(a, &d->art, &d->kin, m, tau, NULL);
    for (size_t k = 0; k < nv; ++k) {
        a[k] += d->acceleration[k];
    }
    return DP_OK;
}

// Take the solution over: accelerations of the trees that have rows, forces of the rows.
static void take_over(dp_instant *s, dp_data *d, const dp_step_problem *p,
                      const dp_step_solution *solution)
{
    const dp_model *m = d->model;
    for (int t = 0; t < m->size.ntree; ++t) {
        const int index = d->rows.rows.tree_index[t];
        if (index >= 0) {
            const int n = p->tree_start[index + 1] - p->tree_start[index];
            memcpy(d->acceleration + m->tree_start[t], solution->v + p->tree_start[index],
                   (size_t)n * sizeof(double));
        }
    }
    for (int i = 0; i < p->nblock; ++i) {
        for (int r = p->row_start[i]; r < p->row_start[i + 1]; ++r) {
            s->row[r].pull = dp_row_speed(p, i, r, solution->v) + s->row[r].bend;
            if (s->row[r].reaction || dp_is_tendon_inertia(&d->rows.rows.owner[i])) {
                d->rows.lambda[r] = solution->gamma[r];
            }
        }
    }
}

// What opens no longer acts; friction that was at rest may begin to slide.
static void judge(dp_instant *s, const dp_step_problem *p, const dp_step_solution *solution,
                  const dp_row_owner *owner)
{
    for (int i = 0; i < p->nblock; ++i) {
        const int first = p->row_start[i], end = p->row_start[i + 1];
        const int source = owner[i].source;
        const bool one_sided = source == DP_ROW_SOURCE_CONTACT ||
                               source == DP_ROW_SOURCE_JOINT_LIMIT ||
                               source == DP_ROW_SOURCE_TENDON_LIMIT;
        if (one_sided && s->row[first].pull > OPENS && !(solution->gamma[first] > 0.0)) {
            for (int r = first; r < end; ++r) {
                s->row[r].closed = false;
            }
        }
        for (int r = first; r < end; ++r) {
            const bool friction = source == DP_ROW_SOURCE_JOINT_FRICTION ||
                                  source == DP_ROW_SOURCE_TENDON_FRICTION ||
                                  (source == DP_ROW_SOURCE_CONTACT && r > first);
            const bool gives = solution->state[r] != DP_ROW_STATE_STICK &&
                               solution->state[r] != DP_ROW_STATE_ACTIVE;
            s->row[r].sliding =
                s->row[r].sliding || (friction && gives && fabs(s->row[r].pull) > OPENS);
        }
    }
}

static dp_status solve(dp_instant *s, dp_data *d, double touch, dp_pool *pool)
{
    const dp_model *m = d->model;
    dp_constrained *c = &d->rows;
    const size_t nrow = (size_t)c->problem.nrow, nv = (size_t)m->size.nv;
    double *a, *M, *zero;
    dp_step_solution solution;
    DP_TRY(dp_pool_take(&a, pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&zero, pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&M, pool, m->dof_packed[nv], sizeof(double)));
    DP_TRY(dp_pool_take(&solution.v, pool, nv, sizeof(double)));
    DP_TRY(dp_pool_take(&solution.gamma, pool, nrow, sizeof(double)));
    DP_TRY(dp_pool_take(&solution.state, pool, nrow, sizeof(uint8_t)));
    adapt_rows(s, d, touch);
    DP_TRY(accelerate(a, d, s->row, pool));
    memcpy(d->acceleration, a, nv * sizeof *a);
    dp_crba(M, d->scratch.composite, &d->kin, m, m->dof_armature);
    dp_step_problem p;
    dp_rows_problem(&p, &c->rows, m, 1.0, M, zero, a, NULL);
    p.normal = NULL;
    dp_law_options law = dp_law_options_default();
    law.tolerance = briskness(d) > 0.0 ? MOVING : PRECISE;
    DP_TRY(dp_law_solve(&solution, &p, NULL, &law, &pool->allocator, &s->solve));
    take_over(s, d, &p, &solution);
    judge(s, &p, &solution, c->rows.owner);
    return DP_OK;
}

dp_status dp_instant_find(dp_instant *s, dp_data *d, double touch, dp_pool *pool)
{
    const double brisk = briskness(d);
    dp_impulses side[2] = {{.nblock = 0}, {.nblock = 0}};
    *s = (dp_instant){.impacts = 0};
    make_brief(d);
    if (brisk > 0.0 && d->rows.possible) {
        dp_data *other;
        DP_TRY(dp_data_create(&other, d->shared, &pool->allocator));
        dp_status status = look(&side[0], other, d, -TURN / brisk, pool);
        status = status == DP_OK ? look(&side[1], other, d, TURN / brisk, pool) : status;
        dp_data_destroy(other);
        DP_TRY(status);
    }
    DP_TRY(dp_forward(d));
    const size_t nrow = (size_t)d->rows.problem.nrow;
    DP_TRY(dp_pool_take(&s->row, pool, nrow, sizeof *s->row));
    if (nrow > 0) {
        for (int r = 0; r < d->rows.problem.nrow; ++r) {
            const dp_row *row = &d->rows.problem.row[r];
            s->row[r].rate = dp_data_row(d, r).start_rate + (row->b_ref - row->phi_t); // belts
            s->row[r].reaction = is_reaction(d, r);
        }
        if (brisk > 0.0) {
            differentiate(s->row, d, side, TURN / brisk);
        }
        DP_TRY(solve(s, d, touch, pool));
    }
    dp_find_reactions(d);
    return DP_OK;
}
