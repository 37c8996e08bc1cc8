// Many simulations of one model at once, on several threads.
#ifndef DASHPOT_ROLLOUT_H
#define DASHPOT_ROLLOUT_H

#include <dashpot/sim.h>

DP_BEGIN_C

/// A simulation for each of a number of threads, which are kept waiting between calls.
typedef struct dp_rollout dp_rollout;

/// @param from every simulation starts as a copy of it: options, inputs, mocap poses, callbacks,
///        impulses of the last step. It is borrowed and must stay as it is while simulations run.
///        Its callbacks are called from all threads, its dp_data_set_interrupt on that of
///        dp_rollout_run.
/// @param threads 1 to 256
/// @param allocator called from all threads, where contacts need more room than before
DP_API DP_NODISCARD dp_status dp_rollout_create(dp_rollout **out, const dp_data *from, int threads,
                                                const dp_allocator *allocator);
DP_API void dp_rollout_destroy(dp_rollout *r); ///< NULL is allowed

/// The numbers of one state: t, q, v, activations.
DP_API int dp_rollout_state_size(const dp_model *m);
/// Write the state of `d` as such numbers.
DP_API void dp_rollout_state(double *out, const dp_data *d);

/// How one simulation went.
typedef struct dp_rollout_result {
    dp_status status; ///< of the step that failed; the others of the batch go on
    int steps;        ///< that were made
    int unsolved;     ///< of them, with rows that were not solved (dp_step_report.unsolved)
    double residual;  ///< [m/s] the worst
} dp_rollout_result;

/// Arrays are the caller's; those of the output may be NULL where they are not wanted.
typedef struct dp_rollout_task {
    int count;                 ///< simulations
    int steps;                 ///< of options.step, in each
    const double *start;       ///< count × state size; NULL: all start as `from`
    const double *control;     ///< count × steps × nu; NULL: those of `from` throughout
    double *states;            ///< count × steps × state size: after each step
    double *sensors;           ///< count × steps × nsensordata: after each step (dp_sense)
    dp_rollout_result *result; ///< count
} dp_rollout_task;

/// Run all simulations of a task. No bit depends on the number of threads, nor on what the object
/// did before.
/// @return DP_ERROR_ARGUMENT for negative counts; else the status of the first simulation that
///         failed, with its number in the message: DP_ERROR_INTERRUPTED ends all of them. The
///         output of steps that were not made repeats the last that was: the start and zeros of
///         sensors, where there was none.
DP_API DP_NODISCARD dp_status dp_rollout_run(dp_rollout *r, const dp_rollout_task *task);

DP_END_C
#endif
