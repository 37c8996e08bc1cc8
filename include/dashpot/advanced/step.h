// The step problems of a simulation.
#ifndef DASHPOT_ADVANCED_STEP_H
#define DASHPOT_ADVANCED_STEP_H

#include <dashpot/advanced/problem.h>
#include <dashpot/sim.h>

DP_BEGIN_C

/// The last problem that was solved, its warm start and its solution; nrow = 0 when there was none.
/// Borrowed until the next call that evaluates forces.
DP_API const dp_step_problem *dp_data_problem(const dp_data *d);
DP_API const dp_warm *dp_data_warm(const dp_data *d);
DP_API const dp_step_solution *dp_data_solution(const dp_data *d);

/// Called with every step problem that is solved within dp_step: dp_data_problem, dp_data_warm and
/// dp_data_solution have it, and dp_data_time() is its start. Parts of a step that are then made
/// again in smaller ones are reported, too. For recording: it may read these and change nothing.
/// Anything but DP_OK stops the step, which then leaves the state as it was.
typedef dp_status (*dp_problem_callback)(void *context, const dp_data *d);
DP_API void dp_data_set_problem_callback(dp_data *d, dp_problem_callback callback, void *context);

/// DP_INTEGRATOR_IMPLICIT_EULER with the Jacobian of each iterate instead of one for all iterations
/// and parts of a step, for comparison with papers. At first: false; a reset leaves it.
DP_API void dp_data_set_full_newton(dp_data *d, bool full);

DP_END_C
#endif
