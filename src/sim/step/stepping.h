// How a step begins and ends. Every integrator writes the next state to d->scratch.{q, v,
// activation} and leaves the state itself alone; dp_accept makes it the state.
#ifndef DP_SIM_STEPPING_H
#define DP_SIM_STEPPING_H

#include "sim/data.h"

/// Advance by h in parts whose errors are within options.accuracy (error_control.c).
DP_NODISCARD dp_status dp_advance_accurately(dp_data *d, double h);

/// The only place that writes the state: all of it or nothing. What a loop that was interrupted has
/// left is not accepted.
DP_NODISCARD dp_status dp_accept(dp_data *d, double h);
/// t + h; on the lattice of multiples of h when t is, so that a thousand steps of 1 ms end at 1 s.
double dp_next_time(double t, double h);

/// What an interrupted call has left half done is not used again, whatever status it ended with.
/// @param status of the call @param undone what became of it
DP_NODISCARD dp_status dp_end_interrupted(dp_data *d, dp_status status, const char *undone);

/// Refuse what the last factorisation found singular, naming the body and the joint.
DP_NODISCARD dp_status dp_refuse_singular(const dp_data *d);
/// Refuse velocities at the end of a step that are not finite or beyond all reason.
DP_NODISCARD dp_status dp_refuse_velocities(const dp_data *d, const double *v);

/// The wrenches that bodies get through their joints, for the accelerations and the forces of rows
/// that `d` holds.
void dp_find_reactions(dp_data *d);
/// Evaluate forces and acceleration at the present state: kinematics, callbacks, factor, solve.
DP_NODISCARD dp_status dp_evaluate(dp_data *d);
/// The same without the inertia of tendons in d->acceleration; dp_tendon_inertia_correct adds it.
DP_NODISCARD dp_status dp_evaluate_trees(dp_data *d);

#endif
