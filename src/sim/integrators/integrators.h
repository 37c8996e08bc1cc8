// Methods that make a step by themselves: each writes the next state to d->scratch.
#ifndef DP_SIM_INTEGRATORS_H
#define DP_SIM_INTEGRATORS_H

#include "linalg/vector.h"
#include "sim/data.h"

/// Is a step made by the stages of the semi-implicit one?
bool dp_is_semi_implicit(const dp_options *o);
/// Take the memory that the method needs, before a step.
DP_NODISCARD dp_status dp_integrator_prepare(dp_data *d);
/// By the method that the options name.
DP_NODISCARD dp_status dp_integrate(dp_data *d, double h);
/// Does the method count its substeps?
bool dp_integrator_counts_substeps(const dp_options *o);
/// Does the method look after its error itself, by tolerances?
bool dp_has_tolerances(const dp_options *o);
/// Refuse what asks for rows, where an explicit integrator is to be used: it has none.
DP_NODISCARD dp_status dp_refuse_rows(const dp_data *d);

/// The numbers of a state y = (q, v, activations).
size_t dp_stage_numbers(const dp_model *m);
void dp_stage_load(double *y, const dp_data *d);
static inline bool dp_stage_is_finite(const double *y, size_t n)
{
    return dp_first_beyond(y, (int)n, (double)INFINITY) < 0;
}
/// k = f(t, y), with the forces of rows under a law of continuous time (DP_LAW_TRAIT_CONTINUOUS).
/// Moves the state of d to (t, y).
DP_NODISCARD dp_status dp_stage_rate(double *k, dp_data *d, double t, const double *y);
/// When the next sample is due in a step of length h, before its end; INFINITY: none is.
double dp_sample_due(const dp_data *d, double h);
/// It is y, whose quaternions are normalised.
void dp_sample_keep(dp_data *d, double *y);
/// Put the state back to (t, y0), and a result in the place where dp_accept looks for it; NULL:
/// none.
void dp_stage_leave(dp_data *d, double t, const double *y0, const double *result);

/// State-sized vectors of scratch that a method has: the state at the start, and the y below.
enum { DP_RK_VECTORS = 11 };
/// Methods: advance y from t by h. The state of the data is anything afterwards.
DP_NODISCARD dp_status dp_advance_rk4(double *y, dp_data *d, double t, double h);
DP_NODISCARD dp_status dp_advance_rk45(double *y, dp_data *d, double t, double h);
DP_NODISCARD dp_status dp_advance_implicit_euler(double *y, dp_data *d, double t, double h);
/// By SUNDIALS. @return DP_ERROR_UNSUPPORTED where there is no plugin for it
DP_NODISCARD dp_status dp_advance_cvode(double *y, dp_data *d, double t, double h);
void dp_cvode_release(dp_data *d);

/// The matrices of implicit Euler.
DP_NODISCARD dp_status dp_euler_make_room(dp_data *d);
void dp_euler_release(dp_data *d);

/// Add what the rows of the present state do to d->acceleration, as it is after dp_evaluate.
DP_NODISCARD dp_status dp_instant_accelerate(dp_data *d);

/// What friction says of going from the velocities of the last evaluation to v + dv.
typedef struct dp_transition {
    double share; ///< of the way, up to where friction changes: 0 … 1
    bool changes; ///< some contact begins or ceases to slip in it
} dp_transition;
dp_transition dp_instant_transition(dp_data *d, const double *dv);

#endif
