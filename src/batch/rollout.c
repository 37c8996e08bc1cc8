// Runs without feedback: the controls of all steps are known before, and all states are kept.
#include "batch/batch.h"

#include <string.h>

// @param step of all steps of all worlds
static void write_output(const dp_batch_rollout_task *t, const dp_batch *b, int world, size_t step)
{
    dp_data *d = b->world[world];
    if (t->states) {
        dp_world_state(t->states + step * (size_t)dp_batch_state_size(b->model), d);
    }
    if (t->sensors && b->arrays.nsensordata > 0) {
        const size_t n = (size_t)b->arrays.nsensordata;
        memcpy(t->sensors + step * n, d->sensed.sensor, n * sizeof *t->sensors);
    }
}

static dp_status advance(const dp_batch_rollout_task *t, dp_batch *b, int world, size_t step)
{
    dp_data *d = b->world[world];
    if (t->control && b->arrays.nu > 0) {
        const size_t nu = (size_t)b->arrays.nu;
        memcpy(d->control, t->control + step * nu, nu * sizeof *d->control);
    }
    DP_TRY(dp_world_step(b, world));
    return t->sensors && b->arrays.nsensordata > 0 ? dp_sense(d) : DP_OK;
}

static dp_status roll_world(const void *task, dp_batch *b, int world)
{
    const dp_batch_rollout_task *t = task;
    dp_status status = DP_OK;
    for (int k = 0; k < t->steps; ++k) {
        const size_t step = (size_t)world * (size_t)t->steps + (size_t)k;
        status = status == DP_OK ? advance(t, b, world, step) : status;
        write_output(t, b, world, step);
    }
    return status;
}

dp_status dp_batch_rollout(dp_batch *b, const bool *mask, const dp_batch_rollout_task *task)
{
    DP_TRY(dp_batch_check_steps("dp_batch_rollout", task->steps));
    return dp_batch_do(b, mask, roll_world, task);
}
