#include "dynamics/muscle.h"

#include "math/angle.h"
#include "math/exponential.h"

#include <math.h>

double dp_servo_turns(const dp_actuator *actuator, double error)
{
    if (actuator->gain[0] != -actuator->bias[1] || actuator->gain[1] != 0.0 ||
        actuator->gain[2] != 0.0) {
        return 0.0;
    }
    const double turn = 2.0 * DP_PI * dp_v3_norm(dp_v3_load(actuator->gear));
    return turn > 0.0 ? turn * round(error / turn) : 0.0;
}

// What the dynamics of a muscle see of a control.
static double stimulus(double control)
{
    return dp_clamp_range(control, (const double[2]){0.0, 1.0});
}

static double free_rate(const dp_actuator *actuator, double control, double now)
{
    switch (actuator->dynamics) {
    case DP_ACTUATOR_DYNAMICS_INTEGRATOR:
        return control;
    case DP_ACTUATOR_DYNAMICS_MUSCLE:
        return (stimulus(control) - now) / dp_muscle_time(actuator, stimulus(control), now);
    default:
        return (control - now) / actuator->time_constant;
    }
}

double dp_activation_rate(const dp_actuator *actuator, double control, double now)
{
    const double rate = free_rate(actuator, control, now);
    const bool ends =
        actuator->activation_limited && ((now <= actuator->activation_range[0] && rate < 0.0) ||
                                         (now >= actuator->activation_range[1] && rate > 0.0));
    return ends ? 0.0 : rate;
}

// Where the rate falls with the activation over a known time, the exact solution cannot overshoot.
double dp_activation_after(const dp_actuator *actuator, double control, double now, double rate,
                           double h)
{
    const bool muscle = actuator->dynamics == DP_ACTUATOR_DYNAMICS_MUSCLE;
    if (!muscle && actuator->dynamics != DP_ACTUATOR_DYNAMICS_FILTER_EXACT) {
        return now + rate * h;
    }
    const double tau =
        muscle ? dp_muscle_time(actuator, stimulus(control), now) : actuator->time_constant;
    return now + rate * tau * (1.0 - dp_exp(-h / tau));
}

void dp_activations_clamp(double *activation, const dp_model *m)
{
    for (int u = 0; u < m->size.nu; ++u) {
        const dp_actuator *actuator = &m->actuator[u];
        if (actuator->activation_index >= 0 && actuator->activation_limited) {
            double *a = &activation[actuator->activation_index];
            *a = dp_clamp_range(*a, actuator->activation_range);
        }
    }
}
