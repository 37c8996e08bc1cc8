// What the calls of a batch share: running worlds on threads, and what is kept of each.
#ifndef DP_BATCH_BATCH_H
#define DP_BATCH_BATCH_H

#include "base/memory.h"
#include "base/thread_pool.h"
#include "sim/data.h"

#include <dashpot/batch.h>

// The first world that failed, of those that one worker ran.
typedef struct dp_batch_failure {
    int world; // −1: none
    dp_status status;
    char message[1024];
} dp_batch_failure;

struct dp_batch {
    dp_allocator allocator;
    const dp_model *model;
    int count, threads;
    dp_data **world;
    dp_batch_arrays arrays;
    double *time, *sensors; // of these, to be written
    dp_batch_result *result;
    void *block; // of the arrays
    size_t bytes;
    dp_thread_pool *workers;
    dp_batch_failure *failure; // one for each of the workers
    dp_interrupt_fn interrupt;
    void *interrupt_user;
};

/// What is done to a world. Its result is that of nothing yet.
typedef dp_status (*dp_world_work)(const void *task, dp_batch *b, int world);

/// Do it to all worlds of the mask: the one loop over worlds.
DP_NODISCARD dp_status dp_batch_do(dp_batch *b, const bool *mask, dp_world_work work,
                                   const void *task);

/// Advance a world by a step, and count it in its result.
DP_NODISCARD dp_status dp_world_step(dp_batch *b, int world);
/// The numbers of its state.
void dp_world_state(double *out, dp_data *d);

/// Refuse a negative number of steps. @param name of the function that was called
DP_NODISCARD dp_status dp_batch_check_steps(const char *name, int steps);

#endif
