// Many simulations of one model at once, on several threads: worlds.
//
//     dp_batch *batch;
//     dp_batch_create(&batch, from, 1024, 2, NULL);
//     const dp_batch_arrays a = dp_batch_arrays_of(batch);
//     for (…) {
//         … read a.q, a.v, a.sensors, write a.control: row i is world i …
//         dp_batch_step(batch, 5, NULL);
//     }
//
// Each world is a dp_data with all of its state, the impulses of the last step included, and may
// have parameters of its own (parameters.h). No bit of a world depends on how many worlds and
// threads there are, nor on what other worlds do.
#ifndef DASHPOT_BATCH_H
#define DASHPOT_BATCH_H

#include <dashpot/parameters.h>
#include <dashpot/sim.h>

DP_BEGIN_C

/// So many simulations of one model, and threads that are kept waiting between calls. Used by one
/// thread at a time.
typedef struct dp_batch dp_batch;

/// @param from every world starts as a copy of it: state, options, inputs, mocap poses, callbacks,
///        parameters, impulses of the last step. It is not needed afterwards; its model is. Its
///        callbacks are called from all threads
/// @param count of worlds, 1 or more
/// @param threads 1 to 256; the caller's is one of them
/// @param allocator called from all threads, where contacts need more room than before
DP_API DP_NODISCARD dp_status dp_batch_create(dp_batch **out, const dp_data *from, int count,
                                              int threads, const dp_allocator *allocator);
DP_API void dp_batch_destroy(dp_batch *b); ///< NULL is allowed

DP_API int dp_batch_count(const dp_batch *b);
DP_API const dp_model *dp_batch_model(const dp_batch *b);
/// One world, for all that a simulation can be asked, and to change its options, parameters and
/// state between calls. Borrowed; dp_data_q and so on give its row of the arrays. NULL: no such
/// world
DP_API dp_data *dp_batch_world(dp_batch *b, int world);
/// Let `fn` end calls that take long, as dp_data_set_interrupt does. It is called by the thread of
/// the call alone. NULL, as at first: nothing ends them.
DP_API void dp_batch_set_interrupt(dp_batch *b, dp_interrupt_fn fn, void *user);

/// How one world went in the last call that ran it.
typedef struct dp_batch_result {
    dp_status status; ///< of what failed
    int steps;        ///< that were made
    int unsolved;     ///< of them, with rows that were not solved (dp_step_report.unsolved)
    double residual;  ///< [m/s] the worst
} dp_batch_result;

/// The state, inputs and sensors of all worlds, row by row: the memory of the simulations itself,
/// to be read and written between calls. The addresses stay until dp_batch_destroy.
typedef struct dp_batch_arrays {
    int count;          ///< rows
    int nq, nv, na, nu; ///< columns
    int nmocap, nbody, nsensordata;
    double *q, *v, *activation;    ///< count × nq, nv, na
    dp_pose *mocap;                ///< count × nmocap
    double *control, *force;       ///< count × nu, nv
    dp_wrench *wrench;             ///< count × nbody: world axes, about centres of mass
    const double *sensors;         ///< count × nsensordata, as of the last dp_batch_sense
    const double *time;            ///< count [s], as of the last call here. dp_data_set_time
    const dp_batch_result *result; ///< count
} dp_batch_arrays;
DP_API dp_batch_arrays dp_batch_arrays_of(const dp_batch *b);

// Calls that run worlds. mask: `count` flags, which worlds take part; NULL: all. The others stay
// as they are, their results too.
//
// A world that fails stops at the step that failed, with its state as it was before that; the
// others go on. It is tried again by the next call.
//
// @return DP_OK, or the status of the first world that failed, with its number in the message;
//         DP_ERROR_INTERRUPTED (dp_batch_set_interrupt) ends all: worlds then differ in the steps
//         that they made

/// Advance by so many steps, 0 or more, of each world's options.step. Allocates nothing where
/// contacts have room.
DP_API DP_NODISCARD dp_status dp_batch_step(dp_batch *b, int steps, const bool *mask);
/// Evaluate all sensors at the present state (dp_sense).
DP_API DP_NODISCARD dp_status dp_batch_sense(dp_batch *b, const bool *mask);
/// Back to the reference configuration (dp_data_reset), or to a keyframe. Parameters and options
/// stay.
DP_API DP_NODISCARD dp_status dp_batch_reset(dp_batch *b, const bool *mask);
DP_API DP_NODISCARD dp_status dp_batch_reset_to_key(dp_batch *b, const bool *mask, dp_key_id key);
/// The numbers of one state: t, q, v, activations.
DP_API int dp_batch_state_size(const dp_model *m);
/// Write the states of all worlds. @param states count × state size
DP_API void dp_batch_states(double *states, const dp_batch *b);
/// Reset, then put states: no input, no impulse of a step before. @param states count × state size;
/// rows that the mask leaves out are not read
DP_API DP_NODISCARD dp_status dp_batch_reset_to_states(dp_batch *b, const bool *mask,
                                                       const double *states);
/// dp_data_set_parameters in each world. @param parameter nparameter
/// @param value count × nparameter; rows that the mask leaves out are not read
DP_API DP_NODISCARD dp_status dp_batch_set_parameters(dp_batch *b, const bool *mask, int nparameter,
                                                      const dp_parameter_id *parameter,
                                                      const double *value);

/// A run without feedback: controls of all steps are known before. Arrays are the caller's and may
/// be NULL where they are not wanted.
typedef struct dp_batch_rollout_task {
    int steps;             ///< in each world
    const double *control; ///< count × steps × nu; NULL: those that worlds have, throughout
    double *states;        ///< count × steps × state size: after each step
    double *sensors;       ///< count × steps × nsensordata: after each step (dp_sense)
} dp_batch_rollout_task;
/// The output of steps that were not made repeats the last that was: the state, and the sensors of
/// before.
DP_API DP_NODISCARD dp_status dp_batch_rollout(dp_batch *b, const bool *mask,
                                               const dp_batch_rollout_task *task);

/// Do the user's own work on each world: for instance the step and the reward of an environment.
/// `work` is called from all threads, once for each world, and may do to `d` what it likes, but not
/// to other worlds.
typedef dp_status (*dp_batch_work)(void *context, dp_data *d, int world);
DP_API DP_NODISCARD dp_status dp_batch_run(dp_batch *b, const bool *mask, dp_batch_work work,
                                           void *context);

DP_END_C
#endif
