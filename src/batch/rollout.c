#include <dashpot/rollout.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "sim/data.h"

#include <stdio.h>
#include <string.h>

// What one thread has for itself.
typedef struct own {
    dp_data *data;
    int failed; // the first of its simulations that failed; −1: none
    dp_status failure;
    char message[1024];
} own;

struct dp_rollout {
    dp_allocator allocator;
    const dp_data *from;
    dp_thread_pool *workers;
    int nown;
    own *own; // one for each of the workers
};

void dp_rollout_destroy(dp_rollout *r)
{
    if (!r) {
        return;
    }
    dp_thread_pool_destroy(r->workers);
    for (int i = 0; i < r->nown; ++i) {
        dp_data_destroy(r->own[i].data);
    }
    const dp_allocator allocator = r->allocator;
    dp_release(&allocator, r->own, (size_t)r->nown, sizeof *r->own);
    dp_release(&allocator, r, 1, sizeof *r);
}

static dp_status fill(dp_rollout *r, int threads)
{
    DP_TRY(dp_thread_pool_create(&r->workers, threads, &r->allocator));
    DP_TRY(dp_allocate(&r->own, &r->allocator, (size_t)threads, sizeof *r->own));
    r->nown = threads;
    for (int i = 0; i < threads; ++i) {
        DP_TRY(dp_data_create(&r->own[i].data, r->from->model, &r->allocator));
    }
    return DP_OK;
}

dp_status dp_rollout_create(dp_rollout **out, const dp_data *from, int threads,
                            const dp_allocator *allocator)
{
    *out = NULL;
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_rollout *r;
    DP_TRY(dp_allocate(&r, &a, 1, sizeof *r));
    r->allocator = a;
    r->from = from;
    const dp_status status = fill(r, threads);
    if (status != DP_OK) {
        dp_rollout_destroy(r);
        return status;
    }
    *out = r;
    return DP_OK;
}

int dp_rollout_state_size(const dp_model *m)
{
    return 1 + m->size.nq + m->size.nv + m->size.na;
}

void dp_rollout_state(double *out, const dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    out[0] = d->time;
    memcpy(out + 1, d->q, (size_t)n->nq * sizeof *out);
    memcpy(out + 1 + n->nq, d->v, (size_t)n->nv * sizeof *out);
    memcpy(out + 1 + n->nq + n->nv, d->activation, (size_t)n->na * sizeof *out);
}

static void set_state(dp_data *d, const double *state)
{
    const dp_model_size *n = &d->model->size;
    dp_data_set_time(d, state[0]);
    memcpy(d->q, state + 1, (size_t)n->nq * sizeof *state);
    memcpy(d->v, state + 1 + n->nq, (size_t)n->nv * sizeof *state);
    memcpy(d->activation, state + 1 + n->nq + n->nv, (size_t)n->na * sizeof *state);
}

typedef struct job {
    dp_rollout *r;
    const dp_rollout_task *task;
} job;

static dp_status start(dp_data *d, const job *j, int simulation)
{
    memset(d->sensed.sensor, 0, (size_t)d->model->size.nsensordata * sizeof *d->sensed.sensor);
    DP_TRY(dp_data_copy(d, j->r->from));
    if (j->task->start) {
        const size_t size = (size_t)dp_rollout_state_size(d->model);
        set_state(d, j->task->start + (size_t)simulation * size);
    }
    return DP_OK;
}

static dp_status advance(dp_rollout_result *result, dp_data *d, const job *j, size_t step)
{
    const dp_model *m = d->model;
    const dp_rollout_task *t = j->task;
    if (t->control && m->size.nu > 0) {
        const size_t nu = (size_t)m->size.nu;
        memcpy(d->control, t->control + step * nu, nu * sizeof *d->control);
    }
    DP_TRY(dp_step(d));
    result->steps++;
    result->unsolved += d->report->unsolved > 0;
    result->residual =
        d->report->residual > result->residual ? d->report->residual : result->residual;
    return t->sensors ? dp_sense(d) : DP_OK;
}

// @param step of all steps of all simulations
static void write_output(const job *j, const dp_data *d, size_t step)
{
    const dp_rollout_task *t = j->task;
    if (t->states) {
        dp_rollout_state(t->states + step * (size_t)dp_rollout_state_size(d->model), d);
    }
    if (t->sensors && d->model->size.nsensordata > 0) {
        const size_t n = (size_t)d->model->size.nsensordata;
        memcpy(t->sensors + step * n, dp_data_sensors(d), n * sizeof *t->sensors);
    }
}

static void note_failure(own *o, int simulation, dp_status status)
{
    if (o->failed < 0) { // a thread takes them in order
        o->failed = simulation;
        o->failure = status;
        snprintf(o->message, sizeof o->message, "%s", dp_last_error());
    }
}

static dp_status simulate(void *context, int simulation, int hand)
{
    const job *j = context;
    own *o = &j->r->own[hand];
    dp_rollout_result result = {.status = start(o->data, j, simulation)};
    for (int k = 0; k < j->task->steps; ++k) {
        const size_t step = (size_t)simulation * (size_t)j->task->steps + (size_t)k;
        if (result.status == DP_OK) {
            result.status = dp_interrupt_check(500 * (size_t)o->data->model->size.nbody);
        }
        if (result.status == DP_OK) {
            result.status = advance(&result, o->data, j, step);
        }
        write_output(j, o->data, step);
    }
    if (result.status != DP_OK) {
        note_failure(o, simulation, result.status);
    }
    if (j->task->result) {
        j->task->result[simulation] = result;
    }
    return DP_OK; // the others go on
}

dp_status dp_rollout_run(dp_rollout *r, const dp_rollout_task *task)
{
    if (task->count < 0 || task->steps < 0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_rollout_run: %d simulations of %d steps (expected none or more)",
                       task->count, task->steps);
    }
    for (int i = 0; i < r->nown; ++i) {
        r->own[i].failed = -1;
    }
    dp_constrained_certify(r->from); // or every thread would
    job j = {r, task};
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, r->from->callbacks.interrupt, r->from->callbacks.interrupt_user);
    const dp_status status = dp_thread_pool_run(r->workers, task->count, simulate, &j);
    dp_interrupt_end(&scope);
    DP_TRY(status);
    const own *first = NULL;
    for (int i = 0; i < r->nown; ++i) {
        if (r->own[i].failed >= 0 && (!first || r->own[i].failed < first->failed)) {
            first = &r->own[i];
        }
    }
    return first ? dp_fail(first->failure, "simulation %d: %s", first->failed, first->message)
                 : DP_OK;
}
