// Worlds and their arrays. Every call that runs worlds is a function of one world and passes
// through dp_batch_do.
#include "batch/batch.h"

#include "base/interrupt.h"

#include <stdio.h>
#include <string.h>

// ---- memory

// The rows of all worlds, one array after the other. Measure with c->base == NULL.
static void carve(dp_batch *b, dp_carver *c)
{
    const dp_model_size *n = &b->model->size;
    const size_t count = (size_t)b->count;
    dp_batch_arrays *a = &b->arrays;
    *a = (dp_batch_arrays){.count = b->count,
                           .nq = n->nq,
                           .nv = n->nv,
                           .na = n->na,
                           .nu = n->nu,
                           .nmocap = n->nmocap,
                           .nbody = n->nbody,
                           .nsensordata = n->nsensordata};
    dp_carve_doubles(c, count * (size_t)n->nq, (double **[]){&a->q, NULL});
    dp_carve_doubles(c, count * (size_t)n->nv, (double **[]){&a->v, &a->force, NULL});
    dp_carve_doubles(c, count * (size_t)n->na, (double **[]){&a->activation, NULL});
    dp_carve_doubles(c, count * (size_t)n->nu, (double **[]){&a->control, NULL});
    a->mocap = dp_carve(c, count * (size_t)n->nmocap, sizeof *a->mocap);
    a->wrench = dp_carve(c, count * (size_t)n->nbody, sizeof *a->wrench);
    a->sensors = b->sensors = dp_carve(c, count * (size_t)n->nsensordata, sizeof *b->sensors);
    a->time = b->time = dp_carve(c, count, sizeof *b->time);
    a->result = b->result = dp_carve(c, count, sizeof *b->result);
}

static dp_world_arrays rows_of(const dp_batch *b, int world)
{
    const dp_batch_arrays *a = &b->arrays;
    const size_t i = (size_t)world;
    return (dp_world_arrays){.q = a->q + i * (size_t)a->nq,
                             .v = a->v + i * (size_t)a->nv,
                             .activation = a->activation + i * (size_t)a->na,
                             .mocap = a->mocap + i * (size_t)a->nmocap,
                             .control = a->control + i * (size_t)a->nu,
                             .force = a->force + i * (size_t)a->nv,
                             .wrench = a->wrench + i * (size_t)a->nbody,
                             .sensor = b->sensors + i * (size_t)a->nsensordata};
}

static dp_status create_world(dp_batch *b, int i, const dp_data *from)
{
    DP_TRY(dp_data_create(&b->world[i], b->model, &b->allocator));
    const dp_world_arrays rows = rows_of(b, i);
    dp_data_move(b->world[i], &rows);
    DP_TRY(dp_data_copy(b->world[i], from));
    b->time[i] = from->time;
    return DP_OK;
}

static dp_status fill(dp_batch *b, const dp_data *from)
{
    DP_TRY(dp_thread_pool_create(&b->workers, b->threads, &b->allocator));
    DP_TRY(dp_allocate(&b->failure, &b->allocator, (size_t)b->threads, sizeof *b->failure));
    dp_carver c = {NULL, 0};
    carve(b, &c);
    const size_t bytes = dp_carve_room(c.used);
    DP_TRY(dp_allocate(&b->block, &b->allocator, 1, bytes));
    b->bytes = bytes;
    c = dp_carve_in(b->block, 0);
    carve(b, &c);
    DP_TRY(dp_allocate(&b->world, &b->allocator, (size_t)b->count, sizeof(dp_data *)));
    for (int i = 0; i < b->count; ++i) {
        DP_TRY(create_world(b, i, from));
    }
    return DP_OK;
}

dp_status dp_batch_create(dp_batch **out, const dp_data *from, int count, int threads,
                          const dp_allocator *allocator)
{
    *out = NULL;
    if (count < 1) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_batch_create: %d worlds (expected 1 or more)", count);
    }
    const dp_allocator a = dp_allocator_or_default(allocator);
    dp_batch *b;
    DP_TRY(dp_allocate(&b, &a, 1, sizeof *b));
    b->allocator = a;
    b->model = dp_data_model(from);
    b->count = count;
    b->threads = threads;
    const dp_status status = fill(b, from);
    if (status != DP_OK) {
        dp_batch_destroy(b);
        return status;
    }
    *out = b;
    return DP_OK;
}

void dp_batch_destroy(dp_batch *b)
{
    if (!b) {
        return;
    }
    const dp_allocator a = b->allocator;
    dp_thread_pool_destroy(b->workers);
    for (int i = 0; b->world && i < b->count; ++i) {
        dp_data_destroy(b->world[i]);
    }
    dp_release(&a, b->world, (size_t)b->count, sizeof(dp_data *));
    dp_release(&a, b->block, 1, b->bytes);
    dp_release(&a, b->failure, (size_t)b->threads, sizeof *b->failure);
    dp_release(&a, b, 1, sizeof *b);
}

int dp_batch_count(const dp_batch *b)
{
    return b->count;
}

const dp_model *dp_batch_model(const dp_batch *b)
{
    return b->model;
}

dp_data *dp_batch_world(dp_batch *b, int world)
{
    return world >= 0 && world < b->count ? b->world[world] : NULL;
}

dp_batch_arrays dp_batch_arrays_of(const dp_batch *b)
{
    return b->arrays;
}

void dp_batch_set_interrupt(dp_batch *b, dp_interrupt_fn fn, void *user)
{
    b->interrupt = fn;
    b->interrupt_user = user;
}

// ---- all worlds

typedef struct job {
    dp_batch *b;
    const bool *mask;
    dp_world_work work;
    const void *task;
} job;

// Of several failures of one worker that of the lowest world.
static void note_failure(dp_batch_failure *f, int world, dp_status status)
{
    if (f->world < 0 || world < f->world) {
        f->world = world;
        f->status = status;
        snprintf(f->message, sizeof f->message, "%s", dp_last_error());
    }
}

static dp_status run_world(void *context, int world, int worker)
{
    const job *j = context;
    dp_batch *b = j->b;
    if (j->mask && !j->mask[world]) {
        return DP_OK;
    }
    dp_batch_result *result = &b->result[world];
    *result = (dp_batch_result){.status = DP_OK};
    result->status = dp_interrupt_status();
    if (result->status == DP_OK) {
        result->status = j->work(j->task, b, world);
    }
    b->time[world] = b->world[world]->time;
    if (result->status != DP_OK) {
        note_failure(&b->failure[worker], world, result->status);
    }
    return DP_OK; // the others go on
}

static dp_status first_failure(const dp_batch *b)
{
    const dp_batch_failure *first = NULL;
    for (int i = 0; i < b->threads; ++i) {
        const dp_batch_failure *f = &b->failure[i];
        first = f->world >= 0 && (!first || f->world < first->world) ? f : first;
    }
    return first ? dp_fail(first->status, "world %d: %s", first->world, first->message) : DP_OK;
}

dp_status dp_batch_do(dp_batch *b, const bool *mask, dp_world_work work, const void *task)
{
    for (int i = 0; i < b->threads; ++i) {
        b->failure[i].world = -1;
    }
    job j = {b, mask, work, task};
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, b->interrupt, b->interrupt_user);
    const dp_status status = dp_thread_pool_run(b->workers, b->count, run_world, &j);
    dp_interrupt_end(&scope);
    DP_TRY(status);
    return first_failure(b);
}

// ---- steps and sensors

dp_status dp_world_step(dp_batch *b, int world)
{
    dp_data *d = b->world[world];
    dp_batch_result *result = &b->result[world];
    DP_TRY(dp_interrupt_check(500 * (size_t)b->model->size.nbody));
    DP_TRY(dp_step(d));
    const dp_step_report *report = d->report;
    result->steps++;
    result->unsolved += report->unsolved > 0;
    result->residual = report->residual > result->residual ? report->residual : result->residual;
    return DP_OK;
}

static dp_status step_world(const void *task, dp_batch *b, int world)
{
    const int *steps = task;
    for (int k = 0; k < *steps; ++k) {
        DP_TRY(dp_world_step(b, world));
    }
    return DP_OK;
}

dp_status dp_batch_check_steps(const char *name, int steps)
{
    return steps >= 0
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT, "%s: %d steps (expected none or more)", name, steps);
}

dp_status dp_batch_step(dp_batch *b, int steps, const bool *mask)
{
    DP_TRY(dp_batch_check_steps("dp_batch_step", steps));
    return dp_batch_do(b, mask, step_world, &steps);
}

static dp_status sense_world(const void *task, dp_batch *b, int world)
{
    (void)task;
    return dp_sense(b->world[world]);
}

dp_status dp_batch_sense(dp_batch *b, const bool *mask)
{
    return dp_batch_do(b, mask, sense_world, NULL);
}

typedef struct user_work {
    dp_batch_work work;
    void *context;
} user_work;

static dp_status run_user(const void *task, dp_batch *b, int world)
{
    const user_work *own = task;
    return own->work(own->context, b->world[world], world);
}

dp_status dp_batch_run(dp_batch *b, const bool *mask, dp_batch_work work, void *context)
{
    const user_work own = {work, context};
    return dp_batch_do(b, mask, run_user, &own);
}

// ---- states

static dp_status reset_world(const void *task, dp_batch *b, int world)
{
    (void)task;
    dp_data_reset(b->world[world]);
    return DP_OK;
}

dp_status dp_batch_reset(dp_batch *b, const bool *mask)
{
    return dp_batch_do(b, mask, reset_world, NULL);
}

static dp_status reset_world_to_key(const void *task, dp_batch *b, int world)
{
    const dp_key_id *key = task;
    return dp_data_reset_to_key(b->world[world], *key);
}

dp_status dp_batch_reset_to_key(dp_batch *b, const bool *mask, dp_key_id key)
{
    return dp_batch_do(b, mask, reset_world_to_key, &key);
}

int dp_batch_state_size(const dp_model *m)
{
    return 1 + m->size.nq + m->size.nv + m->size.na;
}

// The parts of a state, in their order.
typedef struct state_part {
    double *at;
    size_t count;
} state_part;
enum { STATE_PARTS = 4 };

static void list_state(state_part out[STATE_PARTS], dp_data *d)
{
    const dp_model_size *n = &d->model->size;
    const state_part list[STATE_PARTS] = {{&d->time, 1},
                                          {d->q, (size_t)n->nq},
                                          {d->v, (size_t)n->nv},
                                          {d->activation, (size_t)n->na}};
    memcpy(out, list, sizeof list);
}

void dp_world_state(double *out, dp_data *d)
{
    state_part part[STATE_PARTS];
    list_state(part, d);
    for (int i = 0; i < STATE_PARTS; ++i) {
        if (part[i].count > 0) {
            memcpy(out, part[i].at, part[i].count * sizeof *out);
            out += part[i].count;
        }
    }
}

void dp_batch_states(double *states, const dp_batch *b)
{
    const size_t size = (size_t)dp_batch_state_size(b->model);
    for (int i = 0; i < b->count; ++i) {
        dp_world_state(states + (size_t)i * size, b->world[i]);
    }
}

static dp_status reset_world_to_state(const void *task, dp_batch *b, int world)
{
    dp_data *d = b->world[world];
    const double *from =
        (const double *)task + (size_t)world * (size_t)dp_batch_state_size(b->model);
    dp_data_reset(d);
    state_part part[STATE_PARTS];
    list_state(part, d);
    for (int i = 0; i < STATE_PARTS; ++i) {
        if (part[i].count > 0) {
            memcpy(part[i].at, from, part[i].count * sizeof *from);
            from += part[i].count;
        }
    }
    return DP_OK;
}

dp_status dp_batch_reset_to_states(dp_batch *b, const bool *mask, const double *states)
{
    return dp_batch_do(b, mask, reset_world_to_state, states);
}

// ---- parameters

typedef struct values {
    int count;
    const dp_parameter_id *parameter;
    const double *value;
} values;

static dp_status set_world(const void *task, dp_batch *b, int world)
{
    const values *v = task;
    return dp_data_set_parameters(b->world[world], v->count, v->parameter,
                                  v->value + (size_t)world * (size_t)v->count);
}

dp_status dp_batch_set_parameters(dp_batch *b, const bool *mask, int nparameter,
                                  const dp_parameter_id *parameter, const double *value)
{
    const values v = {nparameter, parameter, value};
    return dp_batch_do(b, mask, set_world, &v);
}
