// Implicit Euler on the whole of the differential equation, with contacts and
// inertia at the end of the step:
//
//     v₁ = v₀ + h v̇(q₁, v₁, a₁, t₁),   a₁ = a₀ + h ȧ(q₁, v₁, a₁, t₁),   q₁ = q₀ ⊕ h v₁      (OD 2)
//
// by Newton's method on z = (v₁, a₁). q₁ follows from v₁, quaternions by the rotation that v₁ makes
// in the time h, so that they stay unit. Slopes are forward differences. The search that ends steps
// where friction changes is that of solve/tamsi.h, with the rows of the iterate: the configuration
// is not frozen, and the next iterate may find that its tangents have turned
// [CastroQuKuppuswamyAlspachSherman2020, section IV].
#include "linalg/dense.h"
#include "sim/integrators/integrators.h"
#include "sim/step/step.h"
#include "solve/tamsi.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double CARE = 0.01;   // [m/s³] Newton's method ends at this times h², like the error
static const double FINEST = 0.01; // and at this times the slip speed at the latest
static const double QUIET = 1e-4;  // and at this times options.accuracy
static const double ROUNDING = 16.0 * DBL_EPSILON; // of velocities: what no iteration makes smaller
enum { MOST_PLAIN = 10, MOST_HELD_BACK = 30 };     // iterations

// ---- room

dp_status dp_euler_make_room(dp_data *d)
{
    const size_t n = (size_t)d->model->size.nv + (size_t)d->model->size.na;
    dp_euler *e = &d->euler;
    if (e->exchange) {
        return DP_OK;
    }
    dp_euler_release(d); // what an attempt without memory has left
    dp_pool_init(&e->pool, &d->allocator);
    DP_TRY(dp_pool_take(&e->J, &e->pool, n * n, sizeof(double)));
    DP_TRY(dp_pool_take(&e->LU, &e->pool, n * n, sizeof(double)));
    return dp_pool_take(&e->exchange, &e->pool, n, sizeof(int));
}

void dp_euler_release(dp_data *d)
{
    dp_pool_destroy(&d->euler.pool);
    d->euler.exchange = NULL;
}

// ---- Newton's method

// A part of a step, and vectors for it: states, of which z begins at nq.
typedef struct part {
    dp_data *d;
    double t, h;      // its start and length
    double *y;        // the state there
    double *at;       // the iterate, then the end
    double *rate;     // at the iterate
    double *dz;       // n
    double *residual; // n: −r
    int nq, n;        // n = nv + na
    double tolerance; // [m/s]
} part;

// Where the velocities of the iterate lead.
static void place(const part *p, double *y)
{
    dp_kin_advance(y, p->d->model, p->y, y + p->nq, p->h);
}

// The evaluation of an iterate. @param sane false: it is beyond all reason, or joints lock in it
static dp_status rate_at(bool *sane, const part *p, double *y)
{
    place(p, y);
    *sane = dp_stage_is_finite(y, dp_stage_numbers(p->d->model));
    if (!*sane) {
        return DP_OK;
    }
    const dp_status status = dp_stage_rate(p->rate, p->d, p->t + p->h, y);
    if (p->d->art.singular >= 0) {
        p->d->euler.locked = p->d->art.singular;
        p->d->art.singular = -1;
        *sane = false;
        return DP_OK;
    }
    *sane = dp_stage_is_finite(p->rate, dp_stage_numbers(p->d->model));
    return status;
}

// By how much z is changed for a difference, so that adding it loses nothing.
static double nudge(double z)
{
    const double by = 0x1p-26 * (fabs(z) > 1.0 ? fabs(z) : 1.0), to = z + by;
    return to - z;
}

// The columns of J, before what they are differences from is taken off.
static dp_status look_around(bool *sane, const part *p)
{
    double *z = p->at + p->nq;
    for (int k = 0; k < p->n && *sane; ++k) {
        const double was = z[k];
        z[k] += nudge(was);
        DP_TRY(rate_at(sane, p, p->at));
        for (int i = 0; i < p->n; ++i) {
            p->d->euler.J[(size_t)i * (size_t)p->n + (size_t)k] = p->rate[p->nq + i];
        }
        z[k] = was;
    }
    return DP_OK;
}

static void take_differences(const part *p)
{
    const double *z = p->at + p->nq;
    for (int k = 0; k < p->n; ++k) {
        const double by = nudge(z[k]);
        for (int i = 0; i < p->n; ++i) {
            double *J = &p->d->euler.J[(size_t)i * (size_t)p->n + (size_t)k];
            *J = (*J - p->rate[p->nq + i]) / by;
        }
    }
}

static bool factor(const part *p)
{
    dp_euler *e = &p->d->euler;
    const size_t n = (size_t)p->n;
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < n; ++k) {
            e->LU[i * n + k] = (i == k ? 1.0 : 0.0) - p->h * e->J[i * n + k];
        }
    }
    p->d->report->work.factorizations++;
    return dp_rows_factor(e->LU, p->n, e->exchange);
}

// dz = −(I − h J)⁻¹ r at the iterate, whose rows stay those of the data. @param sane as rate_at
static dp_status find_step(bool *sane, const part *p, bool *factored)
{
    dp_euler *e = &p->d->euler;
    const bool fresh = !e->known;
    *sane = true;
    if (fresh) {
        DP_TRY(look_around(sane, p));
    }
    if (*sane) {
        DP_TRY(rate_at(sane, p, p->at)); // last, for its rows
    }
    if (!*sane) {
        return DP_OK;
    }
    if (fresh) {
        take_differences(p);
        *factored = false;
    }
    if (!*factored) {
        *sane = factor(p);
        *factored = true;
        if (!*sane) {
            return DP_OK;
        }
    }
    e->known = true;
    for (int i = 0; i < p->n; ++i) {
        const int k = p->nq + i;
        p->residual[i] = p->y[k] + p->h * p->rate[k] - p->at[k];
    }
    dp_rows_solve(p->dz, e->LU, e->exchange, p->residual, p->n);
    return DP_OK;
}

// The largest of |dz| beyond what round-off makes.
static double size_of(const part *p)
{
    double worst = 0.0;
    for (int i = 0; i < p->n; ++i) {
        const double size = fabs(p->dz[i]), z = fabs(p->at[p->nq + i]);
        if (!(size <= ROUNDING * (z > 1.0 ? z : 1.0)) && !(size <= worst)) {
            worst = size;
        }
    }
    return worst;
}

// θⁿ/(1 − θ) |dz|: what is left to go after n more iterations [HairerWanner1996, IV.8].
static double left_after(double theta, int n, double size)
{
    if (!(theta < 1.0)) {
        return INFINITY;
    }
    double left = size / (1.0 - theta);
    for (int i = 0; i < n; ++i) {
        left *= theta;
    }
    return left;
}

static dp_status newton(bool *solved, const part *p)
{
    const dp_law_options *opt = &p->d->options.solver;
    const bool held_back = !dp_tamsi_is(opt, DP_TAMSI_VARIANT_PLAIN);
    const int most = held_back ? MOST_HELD_BACK : MOST_PLAIN;
    double *z = p->at + p->nq;
    double last = 0.0; // size of the step before; 0: there is none to compare with
    bool factored = false;
    *solved = false;
    memcpy(p->at, p->y, dp_stage_numbers(p->d->model) * sizeof *p->at);
    for (int k = 0; k < most; ++k) {
        bool sane;
        if (p->d->euler.full) {
            p->d->euler.known = false;
        }
        p->d->report->work.iterations++;
        DP_TRY(find_step(&sane, p, &factored));
        if (!sane) {
            return DP_OK;
        }
        const dp_transition way =
            held_back ? dp_instant_transition(p->d, p->dz) : (dp_transition){1.0, false};
        for (int i = 0; i < p->n; ++i) {
            z[i] += way.share * p->dz[i];
        }
        if (way.share < 1.0 || way.changes) {
            p->d->euler.known = false; // friction has another slope there: nothing to compare with
            last = 0.0;
            continue;
        }
        const double size = size_of(p), theta = last > 0.0 ? size / last : 1.0;
        if (size == 0.0 || (last > 0.0 && left_after(theta, 1, size) <= p->tolerance)) {
            place(p, p->at);
            *solved = dp_stage_is_finite(p->at, dp_stage_numbers(p->d->model));
            return DP_OK;
        }
        if (last > 0.0 && left_after(theta, most - k - 1, size) > p->tolerance) {
            return DP_OK;
        }
        last = size;
    }
    return DP_OK;
}

// ---- the step

// With the Jacobian that there is, if there is one, and else or then with a new one.
static dp_status solve_part(bool *solved, const part *p)
{
    dp_euler *e = &p->d->euler;
    const bool old = e->known && !e->full;
    DP_TRY(newton(solved, p));
    if (!*solved && old) {
        e->known = false;
        DP_TRY(newton(solved, p));
    }
    e->known = e->known && *solved;
    return DP_OK;
}

static dp_status refuse(dp_data *d, double t, double step)
{
    if (d->euler.locked >= 0) { // however short the part
        d->time = t;
        d->art.singular = d->euler.locked;
        const dp_status status = dp_refuse_singular(d);
        d->art.singular = -1;
        return status;
    }
    return dp_fail(DP_ERROR_NUMERIC,
                   "Newton's method on implicit Euler gave up at t = %.10g s after %d parts of at "
                   "most %d (next part %.3g s; a larger friction.slip_speed, softer materials, "
                   "more max_substeps or the integrator semi-implicit may help)",
                   t, d->report->work.substeps + d->report->work.rejected, d->options.max_substeps,
                   step);
}

// From p->y at t over h, in parts of h/2ⁿ, each at a multiple of itself.
static dp_status advance(part *p, double t, double h)
{
    dp_data *d = p->d;
    const double slip_speed = d->options.solver.friction.slip_speed;
    const int begun = d->report->work.substeps + d->report->work.rejected;
    double share = 1.0, done = 0.0; // of h; sums of powers of two, hence exact
    d->euler.locked = -1;
    while (done < 1.0) {
        p->t = t + done * h;
        p->h = share * h;
        p->tolerance = fmin(CARE * p->h * p->h, FINEST * slip_speed);
        if (d->options.accuracy > 0.0) { // ends of parts are compared to find their limit
            p->tolerance = fmin(p->tolerance, QUIET * d->options.accuracy);
        }
        if (d->report->work.substeps + d->report->work.rejected - begun >=
                d->options.max_substeps ||
            !(p->t + p->h > p->t)) {
            return refuse(d, p->t, p->h);
        }
        bool solved;
        d->euler.locked = -1;
        DP_TRY(solve_part(&solved, p));
        if (!solved) {
            d->report->work.rejected++;
            share *= 0.5;
            continue;
        }
        d->report->work.substeps++;
        memcpy(p->y, p->at, dp_stage_numbers(d->model) * sizeof *p->y);
        dp_activations_clamp(p->y + p->nq + d->model->size.nv, d->model);
        done += share;
        const double count = done / (2.0 * share);
        if (done + 2.0 * share <= 1.0 && count == floor(count)) {
            share *= 2.0;
        }
    }
    return DP_OK;
}

dp_status dp_advance_implicit_euler(double *y, dp_data *d, double t, double h)
{
    const size_t n = dp_stage_numbers(d->model);
    part p = {.d = d,
              .y = y,
              .at = y + n,
              .rate = y + 2 * n,
              .dz = y + 3 * n,
              .residual = y + 4 * n,
              .nq = d->model->size.nq,
              .n = d->model->size.nv + d->model->size.na};
    d->euler.known = false; // a state is all that a part depends on
    return advance(&p, t, h);
}
