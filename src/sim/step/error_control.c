// Steps with error control. A part of the step is made in one go, in two halves and in four
// quarters. Where the motion is smooth their ends y₁, y₂, y₄ have errors in powers of the length,
// from that of the order p of the method on, and point to the limit (Richardson):
//
//     a = y₂ + (y₂ − y₁)/(2ᵖ − 1),   b = y₄ + (y₄ − y₂)/(2ᵖ − 1),
//     c = b + (b − a)/(2ᵖ⁺¹ − 1)                                                           (AC 1)
//
// The part ends with c; |c − a| is the error of a, and is kept within a share of options.accuracy.
// a is off by the order p + 2 of the length s of the part, c by the order p + 3: so what T/s parts
// add up to goes as |c − a| T, in proportion to what was asked. It would not if the part ended with
// what the estimate is about. [HairerWanner1996, IV.9]
//
// Parts are h/2ⁿ, each at a multiple of itself.
#include "sim/integrators/integrators.h"
#include "sim/parallel_for.h"
#include "sim/step/step.h"

#include <math.h>
#include <string.h>

static const double SMALLEST = 0x1p-20; // part of a step
static const double SMALL = 0x1p-14;    // the smallest while max_substeps leave no more than these
static const double SHARE = 0.25;       // of options.accuracy, for one part
static const double MUCH_BETTER = 0.1;  // an error that allows a part of twice the length
static const double QUIET = 1e-3;       // of options.accuracy: what gaps left open do to velocities
static const double SLIPS = 0.99;       // of the most that friction can do
enum {
    MOST_AT_ONCE = 4, // halvings after one look
    MOST_NEWS = 200,  // parts of a step made again for what is new in them: contacts whose points
                      // have other names every time are not followed for ever
    RESERVE = 100,    // parts on the way from SMALLEST to SMALL
};

// (AC 1). @param x quarters; out: the limit. @param order p. @return the largest error
static double limits_of(double *x, const double *whole, const double *halves, int n, int order)
{
    const double first = 1.0 / ((1 << order) - 1), second = 1.0 / ((2 << order) - 1);
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        const double a = halves[i] + first * (halves[i] - whole[i]);
        const double b = x[i] + first * (x[i] - halves[i]);
        x[i] = b + second * (b - a);
        worst = fmax(worst, fabs(x[i] - a));
    }
    return worst;
}

// From the state of the quarters to the limit. @return the largest error of q [m, rad] and v [m/s,
// rad/s]
static double go_to_limit(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_snapshot *whole = &d->snapshot[DP_SNAPSHOT_WHOLE];
    const dp_snapshot *halves = &d->snapshot[DP_SNAPSHOT_HALVES];
    const int order = d->options.integrator == DP_INTEGRATOR_RK4 ? 4 : 1;
    const double q = limits_of(d->q, whole->q, halves->q, m->size.nq, order);
    const double v = limits_of(d->v, whole->v, halves->v, m->size.nv, order);
    (void)limits_of(d->activation, whole->activation, halves->activation, m->size.na, order);
    dp_activations_clamp(d->activation, m);
    return fmax(q, v);
}

// ---- what the ends do not tell
//
// A force that begins in the first piece of a part acts from its start on, in the whole as in the
// quarters: their ends agree, and all are wrong by what it does in the time before it begins. One
// that begins in the last piece acts in proportion to the lengths of the three: the limit is as if
// it did not begin. So is friction that turns round or that ends. The error is at most what these
// forces do in a quarter.

// Impulses that are new in a piece.
typedef struct news {
    double v;      // [m/s, rad/s; where the place alone is off m, rad] what they do to their rows
    double struck; // of this, by rigid ends
} news;

// Did the geoms of a contact push each other before, at whatever point? @param at where the contact
// is among the blocks, or would be
static bool pair_pushed(const dp_impulses *before, int64_t at, uint64_t id)
{
    const uint64_t pair = dp_contact_geoms(id);
    while (at > 0 && dp_contact_geoms(before->id[at - 1]) == pair) {
        --at;
    }
    for (; at < before->nblock && dp_contact_geoms(before->id[at]) == pair; ++at) {
        if (before->gamma[before->row_start[at]] > 0.0) {
            return true;
        }
    }
    return false;
}

static void add_news(news *out, double gamma, double mobility, bool rigid)
{
    const double v = fabs(gamma) * mobility;
    out->v = fmax(out->v, v);
    out->struck = rigid ? fmax(out->struck, v) : out->struck;
}

// The share of what friction can do at most that it does.
static double slip_share(const double *gamma, const dp_friction *friction)
{
    const double x = gamma[1] / friction->mu[0], y = gamma[2] / friction->mu[1];
    return friction->mu[0] > 0.0 && friction->mu[1] > 0.0 ? sqrt(x * x + y * y) / gamma[0] : 0.0;
}

// Friction of what slips turns round or begins to yield; or it holds what slipped: then
// velocities are right, but not where it came to rest. Friction of what goes on to stick is no
// news. It is compared by its share of the normal impulse, which knows no lengths of pieces. @param
// h of the piece
static void friction_news(news *out, const double *gamma, const double *old, const double *w,
                          const dp_friction *friction, double h)
{
    const bool slips = slip_share(gamma, friction) >= SLIPS;
    if (!slips && slip_share(old, friction) < SLIPS) {
        return;
    }
    for (int k = 1; k < 3; ++k) {
        const double change = gamma[k] - old[k] * (gamma[0] / old[0]);
        add_news(out, slips ? change : h * change, w[k], false);
    }
}

// Forces among the points of two rigid surfaces may come and go while nothing moves: there only the
// first of them is news.
static void contact_news(news *out, const dp_constrained *c, int block, int64_t at,
                         const double *old, bool rigid)
{
    const int first = c->rows.row_start[block], n = c->rows.row_start[block + 1] - first;
    const double *gamma = c->now.gamma + first, *w = c->mobility + first;
    if (!(gamma[0] > 0.0)) {
        return;
    }
    if (old && old[0] > 0.0) {
        if (n >= 3) {
            friction_news(out, gamma, old, w, &c->rows.friction[c->rows.friction_of[block]],
                          c->problem.h);
        }
        return;
    }
    if (rigid && pair_pushed(&c->before, at, c->now.id[block])) {
        return;
    }
    for (int k = 0; k < n; ++k) {
        add_news(out, gamma[k], w[k], rigid);
    }
}

// What has one end begins; what has two turns round.
static double row_news(const dp_row *row, double gamma, double old)
{
    if (isinf(row->lo) && isinf(row->hi)) {
        return 0.0;
    }
    if (row->lo == 0.0 || row->hi == 0.0) {
        return old != 0.0 ? 0.0 : gamma;
    }
    const bool slips = gamma <= SLIPS * row->lo || gamma >= SLIPS * row->hi;
    return slips && gamma * old <= 0.0 ? gamma : 0.0;
}

// Of the piece that was made last.
static dp_status find_news(news *out, dp_data *d)
{
    dp_constrained *c = &d->rows;
    *out = (news){0.0, 0.0};
    if (!c->possible || c->problem.nrow == 0) {
        return DP_OK;
    }
    const bool all_rigid = dp_law_has(&d->options.solver, DP_LAW_TRAIT_RIGID);
    DP_TRY(dp_law_mobility(c->mobility, c->task));
    int64_t at = 0;
    for (int i = 0; i < c->rows.nblock; ++i) {
        const int first = c->rows.row_start[i], n = c->rows.row_start[i + 1] - first;
        const int last = dp_impulses_find(&c->before, &at, c->now.id[i], n);
        const double *old = last >= 0 ? c->before.gamma + last : NULL;
        const dp_row *row = c->rows.row + first;
        if (c->rows.owner[i].source == DP_ROW_SOURCE_CONTACT) {
            contact_news(out, c, i, at, old, all_rigid || isinf(row->k));
            continue;
        }
        for (int k = 0; k < n && c->rows.owner[i].source != DP_ROW_SOURCE_DRIVE; ++k) {
            add_news(out, row_news(&row[k], c->now.gamma[first + k], old ? old[k] : 0.0),
                     c->mobility[first + k],
                     isinf(row[k].k) && (row[k].lo == 0.0 || row[k].hi == 0.0));
        }
    }
    return DP_OK;
}

// ---- parts

// A part, and what came out of it.
typedef struct part {
    dp_data *d;
    double h; // [s]
    dp_step_report before;
    bool halved;     // implicit Euler has made some piece in parts, and would be compared to itself
    bool unsolved;   // some piece of it
    bool heeds_news; // else what is new in it is no error
    double news;     // [m/s, rad/s] the most of one of its quarters
    double struck;   // [m/s, rad/s] the largest blow by a rigid end in any piece
} part;

// The work that was done since stays.
static void forget(dp_data *d, const dp_step_report *before)
{
    const dp_step_report done = *d->report;
    *d->report = *before;
    const int substeps = d->report->work.substeps;
    d->report->work = done.work;
    d->report->work.substeps = substeps;
    d->report->error = done.error;
    *d->rows.verdict = (dp_verdict){.pending = false};
}

static void go_back(const part *p)
{
    dp_snapshot_restore(p->d, DP_SNAPSHOT_START);
    forget(p->d, &p->before);
    dp_data_refresh(p->d);
}

// Has implicit Euler made more than one part of what was asked for? Its Newton's method does where
// it fails.
static bool in_parts(const dp_data *d, int substeps_before)
{
    return d->options.integrator == DP_INTEGRATOR_IMPLICIT_EULER &&
           d->report->work.substeps > substeps_before + 1;
}

static dp_status make_in_pieces(part *p, int count)
{
    dp_data *d = p->d;
    const double h = p->h / count, share = h / d->options.step;
    dp_impulses_scale(&d->rows.now, share); // what forces that stay do in that time
    d->rows.gaps.tolerance = QUIET * d->options.accuracy * h;
    for (int i = 0; i < count; ++i) {
        const int before = d->report->work.substeps;
        DP_TRY(dp_advance(d, h, 0)); // halves of its own are made here anyway
        p->halved = p->halved || (count < 4 && in_parts(d, before));
        news now;
        DP_TRY(find_news(&now, d));
        p->news = fmax(i == 0 ? 0.0 : p->news, now.v);
        p->struck = fmax(p->struck, now.struck);
    }
    dp_impulses_scale(&d->rows.now, 1.0 / share);
    p->unsolved = p->unsolved || d->report->unsolved > p->before.unsolved;
    return DP_OK;
}

// In one go, in halves, and in quarters, which is what it leaves.
static dp_status make_part(part *p)
{
    DP_TRY(make_in_pieces(p, 1));
    dp_snapshot_take(p->d, DP_SNAPSHOT_WHOLE);
    go_back(p);
    DP_TRY(make_in_pieces(p, 2));
    dp_snapshot_take(p->d, DP_SNAPSHOT_HALVES);
    go_back(p);
    return make_in_pieces(p, 4);
}

// Trees that sleep after the quarters stay where they fell asleep: the whole and the halves end
// there, too, so that there is no other limit and no error.
static void leave_sleepers(dp_data *d)
{
    const dp_model *m = d->model;
    for (int t = 0; d->sleep.count > 0 && t < m->size.ntree; ++t) {
        if (d->sleep.group[t] < 0) {
            continue;
        }
        const int q = dp_tree_q(m, t), nq = dp_tree_q(m, t + 1) - q;
        const int v = m->tree_start[t], nv = m->tree_start[t + 1] - v;
        for (int i = DP_SNAPSHOT_WHOLE; i <= DP_SNAPSHOT_HALVES; ++i) {
            memcpy(d->snapshot[i].q + q, d->q + q, (size_t)nq * sizeof *d->q);
            memcpy(d->snapshot[i].v + v, d->v + v, (size_t)nv * sizeof *d->v);
        }
    }
}

static double difference(const double *a, const double *b, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// Across a blow velocities jump, at another moment in each of the three: they count by where they
// lead to in the part, and there is no limit to go to.
static double blow_error(const part *p)
{
    const dp_data *d = p->d;
    const dp_model_size *n = &d->model->size;
    const dp_snapshot *halves = &d->snapshot[DP_SNAPSHOT_HALVES];
    const double q = difference(d->q, halves->q, n->nq), v = difference(d->v, halves->v, n->nv);
    return fmax(q, p->h * fmax(v, p->struck));
}

// The error of the part, whose end is then the best that is known. @param allowed of the error
static double finish_part(const part *p, double allowed)
{
    dp_data *d = p->d;
    leave_sleepers(d);
    if (p->struck > allowed) {
        return blow_error(p);
    }
    const double energy = d->options.ledger ? dp_ledger_stored(d) : 0.0;
    const double error = go_to_limit(d);
    dp_data_refresh(d); // normalises quaternions
    if (d->options.ledger) {
        d->ledger.remainder += dp_ledger_stored(d) - energy;
    }
    return fmax(error, p->heeds_news ? p->news : 0.0);
}

// The length to try after one whose error was too large, if errors go with its third power at
// least.
static double shorter(double share, double error, double smallest)
{
    share *= 0.5;
    for (int i = 1; i < MOST_AT_ONCE && error > 8.0 && share > smallest; ++i) {
        share *= 0.5;
        error *= 0.125;
    }
    return share;
}

static int parts_made(const dp_data *d)
{
    return d->report->work.substeps + d->report->work.rejected;
}

// Errors that do not fall with the length of parts are round-off, or what the law leaves open.
static dp_status refuse_parts(const dp_data *d, double next)
{
    return dp_fail(
        DP_ERROR_NUMERIC,
        "the error control gave up at t = %.10g s after %d parts of at most %d (next part "
        "%.3g s; accuracy %g: a larger one, more max_substeps or a smaller "
        "law.tolerance may help)",
        d->time, parts_made(d), d->options.max_substeps, next, d->options.accuracy);
}

// The share that an error can still halve. Parts of SMALL and more can always be had for the rest
// of a step where that many are allowed: quarters, and every second one tried again in vain.
static double smallest_share(const dp_data *d, double done)
{
    const int most = d->options.max_substeps;
    const double needed = 4.5 * (1.0 - done) / SMALL + RESERVE;
    return most - parts_made(d) > fmin(needed, 0.75 * most) ? SMALLEST : SMALL;
}

static dp_status advance_in_parts(dp_data *d, double h)
{
    const double allowed = SHARE * d->options.accuracy;
    double least = 1.0; // share that is halved because its rows are not solved
    for (int i = 0; i < d->options.max_halvings; ++i) {
        least *= 0.5;
    }
    int patience = MOST_NEWS;
    double share = 1.0, done = 0.0; // of the step; sums of powers of two, hence exact
    while (done < 1.0) {
        if (parts_made(d) > d->options.max_substeps) {
            return refuse_parts(d, share * h);
        }
        const double smallest = smallest_share(d, done);
        dp_snapshot_take(d, DP_SNAPSHOT_START);
        dp_snapshot_take_impulses(d, DP_SNAPSHOT_START);
        dp_constrained_certify(d);
        part p = {.d = d, .h = share * h, .before = *d->report, .heeds_news = patience > 0};
        DP_TRY(make_part(&p));
        const double error = finish_part(&p, allowed) / allowed;
        if (((error > 1.0 || p.halved) && share > smallest) || (p.unsolved && share > least)) {
            go_back(&p);
            d->report->work.rejected++;
            patience -= p.heeds_news && p.news > allowed;
            share = shorter(share, error, smallest);
            continue;
        }
        d->report->error = fmax(d->report->error, error);
        done += share;
        const double count = done / (2.0 * share);
        if ((error < MUCH_BETTER || share < smallest) && count == (double)(int64_t)count &&
            done + 2.0 * share <= 1.0) {
            share *= 2.0;
        }
    }
    return DP_OK;
}

dp_status dp_advance_accurately(dp_data *d, double h)
{
    if (dp_has_tolerances(&d->options)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "options.accuracy is %g, but the integrator %s has an error control of its "
                       "own (expected "
                       "0, and relative_tolerance and absolute_tolerance instead)",
                       d->options.accuracy, dp_integrator_name(d->options.integrator));
    }
    const double start = d->time;
    const dp_status status = advance_in_parts(d, h);
    d->rows.gaps.tolerance = 0.0;
    DP_TRY(status);
    d->time = dp_next_time(start, h);
    return DP_OK;
}
