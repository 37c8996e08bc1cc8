// How one step is made. Every integrator writes the next state to d->scratch.{q, v, activation} and
// leaves the state itself alone; dp_step accepts it.
#ifndef DP_SIM_STEPPING_H
#define DP_SIM_STEPPING_H

#include "sim/data.h"

/// How the semi-implicit step treats the velocity terms of a tree.
typedef enum dp_tree_mode {
    DP_TREE_EXPLICIT,  ///< Coriolis terms at the start of the step
    DP_TREE_SPIN,      ///< one rigid body on a free or ball joint: kick, then free rotation
    DP_TREE_TRANSPORT, ///< kick, then momentum transport (spin.h)
} dp_tree_mode;

dp_status dp_step_semi_implicit(dp_data *d, double h);
/// The forces of rows in a step of length h from the present state, and, where there are any, the
/// means of the other forces and of the acceleration. Forces must have been evaluated.
dp_status dp_mean_forces(dp_data *d, double h);

/// The numbers of a state y = (q, v, activations).
size_t dp_stage_numbers(const dp_model *m);
void dp_stage_load(double *y, const dp_data *d);
bool dp_stage_is_finite(const double *y, size_t n);
/// k = f(t, y), with the forces of rows under a law of continuous time (DP_TRAIT_CONTINUOUS). Moves
/// the state of d to (t, y).
dp_status dp_stage_rate(double *k, dp_data *d, double t, const double *y);
/// Put the state back to (t, y0), and a result in the place where dp_step looks for it; NULL: none.
void dp_stage_leave(dp_data *d, double t, const double *y0, const double *result);

/// State-sized vectors of scratch that methods with stages use.
enum { DP_RK_VECTORS = 11 };
dp_status dp_step_rk4(dp_data *d, double h);
dp_status dp_step_rk45(dp_data *d, double h);
/// Refuse tolerances by which no error can be controlled.
dp_status dp_check_tolerances(const dp_options *o);

/// Has the step matrices that it has no room for?
bool dp_euler_needs_room(const dp_data *d);
DP_NODISCARD dp_status dp_euler_make_room(dp_data *d);
void dp_euler_release(dp_data *d);
dp_status dp_step_implicit_euler(dp_data *d, double h);

/// By SUNDIALS. @return DP_ERROR_UNSUPPORTED where the library was built without it
dp_status dp_step_cvode(dp_data *d, double h);
void dp_cvode_release(dp_data *d);

/// Advance by h, in halves, quarters … h/2ⁿ where rows cannot be solved otherwise, n ≤ halvings.
dp_status dp_advance(dp_data *d, double h, int halvings);
/// Does the method look after its error itself, by tolerances?
bool dp_has_tolerances(const dp_options *o);
/// Advance by h in parts whose errors are within options.accuracy (doubling.c).
dp_status dp_advance_accurately(dp_data *d, double h);

/// t + h; on the lattice of multiples of h when t is, so that a thousand steps of 1 ms end at 1 s.
double dp_next_time(double t, double h);

/// Refuse what the last factorisation found singular, naming the body and the joint.
dp_status dp_refuse_singular(const dp_data *d);
/// Refuse velocities at the end of a step that are not finite or beyond all reason.
dp_status dp_refuse_velocities(const dp_data *d, const double *v);

/// The wrenches that bodies get through their joints, for the accelerations and the forces of rows
/// that `d` holds.
void dp_find_reactions(dp_data *d);

/// Add what the rows of the present state do to d->acceleration, as it is after dp_evaluate.
dp_status dp_instant_accelerate(dp_data *d);

/// What friction says of going from the velocities of the last evaluation to v + dv.
typedef struct dp_transition {
    double share; ///< of the way, up to where friction changes: 0 … 1
    bool changes; ///< some contact begins or ceases to slip in it
} dp_transition;
dp_transition dp_instant_transition(dp_data *d, const double *dv);

/// Evaluate forces and acceleration at the present state: kinematics, callbacks, factor, solve.
dp_status dp_evaluate(dp_data *d);
/// The same without the inertia of tendons in d->acceleration; dp_tendon_inertia_correct adds it.
dp_status dp_evaluate_trees(dp_data *d);

#endif
