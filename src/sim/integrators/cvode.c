// CVODE of SUNDIALS on the differential equation: backward differences of orders 1 to 5 with error
// control [HindmarshBrownGrantLeeSerbanShumakerWoodward2005], on the same y = (q, v, activations)
// and the same rates as the Runge–Kutta pair. It begins anew in each step, so that a state is q, v
// and the time. SUNDIALS is known to the plugin dashpot_cvode alone.
#include "sim/integrators/cvode_plugin.h"

#include "base/memory.h"
#include "base/plugin.h"
#include "sim/integrators/integrators.h"

#include <math.h>
#include <string.h>

struct dp_cvode {
    const dp_cvode_table *use;
    dp_cvode_solver *solver;
    double start;     // of the step; CVODE counts time from there
    dp_status status; // of the last evaluation
};

static const dp_cvode_table *find_plugin(void)
{
    return dp_plugin("dashpot_cvode", DP_CVODE_VERSION);
}

bool dp_has_cvode(void)
{
    return find_plugin() != NULL;
}

// As the stages of Runge–Kutta methods are evaluated.
static dp_cvode_rated rate(double *k, double s, const double *y, void *context)
{
    dp_data *d = context;
    dp_cvode *c = d->cvode;
    const dp_model *m = d->model;
    const size_t n = dp_stage_numbers(m);
    double *at = d->scratch.stage + n;
    memcpy(at, y, n * sizeof *at);
    c->status = DP_OK;
    if (!dp_stage_is_finite(at, n)) {
        return DP_CVODE_SHORTER;
    }
    dp_activations_clamp(at + m->size.nq + m->size.nv, m);
    c->status = dp_stage_rate(k, d, c->start + s, at);
    if (d->art.singular >= 0) { // a trial too long may lead to where joints lock
        d->art.singular = -1;
        return DP_CVODE_SHORTER;
    }
    if (c->status != DP_OK) {
        return DP_CVODE_STOP;
    }
    return dp_stage_is_finite(k, n) ? DP_CVODE_RATED : DP_CVODE_SHORTER;
}

void dp_cvode_release(dp_data *d)
{
    dp_cvode *c = d->cvode;
    if (!c) {
        return;
    }
    if (c->solver) {
        c->use->destroy(c->solver);
    }
    dp_release(&d->allocator, c, 1, sizeof *c);
    d->cvode = NULL;
}

static dp_status make(dp_data *d)
{
    if (d->cvode) {
        return DP_OK;
    }
    const dp_cvode_table *use = find_plugin();
    if (!use) {
        (void)dp_fail(DP_ERROR_UNSUPPORTED,
                      "the integrator is cvode, and there is no plugin dashpot_cvode.so (expected "
                      "rk45 or implicit-euler; for cvode, build with libsundials-dev)");
        return dp_fail_feature(DP_ERROR_UNSUPPORTED, "sundials");
    }
    const size_t n = dp_stage_numbers(d->model);
    DP_TRY(dp_allocate(&d->cvode, &d->allocator, 1, sizeof *d->cvode));
    *d->cvode = (dp_cvode){.use = use, .solver = use->create(n, rate, d)};
    if (!d->cvode->solver) {
        dp_cvode_release(d);
        return dp_fail(DP_ERROR_MEMORY, "no memory for CVODE on %zu numbers", n);
    }
    return DP_OK;
}

// The samples up to the time s of a step of length h.
static bool sample(dp_data *d, double s, double h)
{
    for (double at; (at = dp_sample_due(d, h)) <= s;) {
        double *y = d->cvode->use->between(d->cvode->solver, at);
        if (!y) {
            return false;
        }
        dp_sample_keep(d, y);
    }
    return true;
}

static void note_work(dp_data *d)
{
    const dp_cvode_work w = d->cvode->use->work(d->cvode->solver);
    d->report->work.rejected += w.rejected;
    d->report->work.iterations += w.iterations;
    d->report->work.factorizations += w.factorizations;
}

static dp_status refuse(const dp_data *d, double s, int made, const char *reason)
{
    if (d->cvode->status != DP_OK) { // the last evaluation failed, and has said why
        return d->cvode->status;
    }
    const dp_options *o = &d->options;
    return dp_fail(DP_ERROR_NUMERIC,
                   "CVODE gave up at t = %.10g s after %d substeps of at most %d (%s; "
                   "tolerances %g relative, %g absolute: larger ones, more substeps or the "
                   "integrator semi-implicit may help)",
                   d->cvode->start + s, made, o->max_substeps, reason, o->relative_tolerance,
                   o->absolute_tolerance);
}

// CVODE bounds the root of the mean of the squares of errors; by √n less, the error of each number
// is within the tolerances, as it is of the Runge–Kutta pair.
static dp_status advance(dp_data *d, double h, size_t n)
{
    const dp_cvode *c = d->cvode;
    const dp_options *o = &d->options;
    const double part = 1.0 / sqrt((double)n);
    double s = 0.0;
    if (!c->use->begin(c->solver, part * o->relative_tolerance, part * o->absolute_tolerance, h)) {
        return refuse(d, s, 0, "it cannot begin");
    }
    for (int made = 0; s < h; ++made) {
        if (made >= o->max_substeps) {
            return refuse(d, s, made, "too many substeps");
        }
        const char *reason = c->use->advance(c->solver, &s, h);
        if (reason) {
            return refuse(d, s, made, reason);
        }
        if (!sample(d, s, h)) {
            return refuse(d, s, made, "a sample is not within the substep");
        }
        d->report->work.substeps++;
    }
    return DP_OK;
}

dp_status dp_advance_cvode(double *y, dp_data *d, double t, double h)
{
    const size_t n = dp_stage_numbers(d->model);
    if (n == 0) { // CVODE wants something to integrate
        return dp_advance_rk45(y, d, t, h);
    }
    DP_TRY(make(d));
    DP_ASSERT(d->cvode);
    double *own = d->cvode->use->state(d->cvode->solver);
    d->cvode->start = t;
    d->cvode->status = DP_OK;
    memcpy(own, y, n * sizeof *y);
    const dp_status status = advance(d, h, n);
    memcpy(y, own, n * sizeof *y);
    note_work(d);
    return status;
}
