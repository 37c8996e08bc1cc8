// States as one row of numbers, y = (q, v, activations), and their rates: what methods with stages
// work on.
#include "sim/integrators/integrators.h"
#include "sim/step/step.h"

#include "base/interrupt.h"

#include <string.h>

size_t dp_stage_numbers(const dp_model *m)
{
    return (size_t)m->size.nq + (size_t)m->size.nv + (size_t)m->size.na;
}

void dp_stage_load(double *y, const dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    memcpy(y, d->q, (size_t)n->nq * sizeof *y);
    memcpy(y + n->nq, d->v, (size_t)n->nv * sizeof *y);
    memcpy(y + n->nq + n->nv, d->activation, (size_t)n->na * sizeof *y);
}

static void store(dp_data *d, const double *y)
{
    const dp_model_size *n = &d->model->size;
    memcpy(d->q, y, (size_t)n->nq * sizeof *y);
    memcpy(d->v, y + n->nq, (size_t)n->nv * sizeof *y);
    memcpy(d->activation, y + n->nq + n->nv, (size_t)n->na * sizeof *y);
}

dp_status dp_stage_rate(double *k, dp_data *d, double t, const double *y)
{
    const dp_model_size *n = &d->model->size;
    DP_TRY(dp_interrupt_check(500 * (size_t)n->nbody));
    store(d, y);
    d->time = t;
    DP_TRY(dp_timed_look(d, t));
    dp_timed_put(d);
    DP_TRY(dp_evaluate(d));
    if (dp_options_is_ode(&d->options)) {
        DP_TRY(dp_instant_accelerate(d));
    }
    d->report->work.evaluations++;
    dp_kin_rate(k, d->model, d->q, d->v);
    memcpy(k + n->nq, d->acceleration, (size_t)n->nv * sizeof *k);
    memcpy(k + n->nq + n->nv, d->forces.activation_rate, (size_t)n->na * sizeof *k);
    return DP_OK;
}

double dp_sample_due(const dp_data *d, double h)
{
    const dp_samples *out = &d->samples;
    return out->made < out->count - 1 ? (out->made + 1.0) / out->count * h : (double)INFINITY;
}

void dp_sample_keep(dp_data *d, double *y)
{
    const size_t nq = (size_t)d->model->size.nq, nv = (size_t)d->model->size.nv;
    const size_t i = (size_t)d->samples.made++;
    dp_kin_normalise(y, d->model);
    memcpy(d->samples.q + i * nq, y, nq * sizeof *y);
    memcpy(d->samples.v + i * nv, y + nq, nv * sizeof *y);
}

void dp_stage_leave(dp_data *d, double t, const double *y0, const double *result)
{
    const dp_model_size *n = &d->model->size;
    store(d, y0);
    d->time = t;
    if (result) {
        memcpy(d->scratch.q, result, (size_t)n->nq * sizeof *result);
        memcpy(d->scratch.v, result + n->nq, (size_t)n->nv * sizeof *result);
        memcpy(d->scratch.activation, result + n->nq + n->nv, (size_t)n->na * sizeof *result);
        dp_kin_normalise(d->scratch.q, d->model);
        dp_activations_clamp(d->scratch.activation, d->model);
    }
}
