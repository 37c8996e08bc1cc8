#include "dynamics/actuator.h"

#include "math/angle.h"
#include "math/exponential.h"

#include <math.h>

// By how much the target of a servo of a ball joint is off the nearest one: whole turns of
// 2π ‖gear‖, which the length does not tell apart. 0 for all others.
static double turns_off(const dp_model *m, const dp_actuator *actuator, double error)
{
    if (actuator->joint < 0 || m->joint[actuator->joint].kind != DP_BALL ||
        actuator->gain[0] != -actuator->bias[1] || actuator->gain[1] != 0.0 ||
        actuator->gain[2] != 0.0) {
        return 0.0;
    }
    const double turn = 2.0 * DP_PI * dp_v3_norm(dp_v3_load(actuator->gear));
    return turn > 0.0 ? turn * round(error / turn) : 0.0;
}

dp_drive dp_drive_at(const dp_model *m, const dp_actuator *actuator, double length, double rate,
                     double w)
{
    const double length_slope = actuator->gain[1] * w + actuator->bias[1];
    const double rate_slope = actuator->gain[2] * w + actuator->bias[2];
    const double target = w - turns_off(m, actuator, w - length);
    return (dp_drive){.length = length,
                      .rate = rate,
                      .free_force = actuator->gain[0] * target + actuator->bias[0] +
                                    length_slope * length + rate_slope * rate,
                      .stiffness = length_slope < 0.0 ? -length_slope : 0.0,
                      .damping = rate_slope < 0.0 ? -rate_slope : 0.0};
}

int dp_force_end(const dp_actuator *actuator, double force)
{
    if (!actuator->force_limited) {
        return 0;
    }
    return (force > actuator->force_range[1]) - (force < actuator->force_range[0]);
}

int dp_drive_end(const dp_actuator *actuator, const dp_drive *drive, double rate, double h)
{
    return dp_force_end(actuator, drive->free_force + drive->damping * drive->rate -
                                      (h * drive->stiffness + drive->damping) * rate);
}

double dp_activation_rate(const dp_actuator *actuator, double control, double now)
{
    const double rate = actuator->dynamics == DP_DYNAMICS_INTEGRATOR
                            ? control
                            : (control - now) / actuator->time_constant;
    const bool ends =
        actuator->activation_limited && ((now <= actuator->activation_range[0] && rate < 0.0) ||
                                         (now >= actuator->activation_range[1] && rate > 0.0));
    return ends ? 0.0 : rate;
}

double dp_activation_after(const dp_actuator *actuator, double now, double rate, double h)
{
    const double tau = actuator->time_constant;
    return now + (actuator->dynamics == DP_DYNAMICS_FILTER_EXACT
                      ? rate * tau * (1.0 - dp_exp(-h / tau))
                      : rate * h);
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
