// What actuators do: forces by their length, rate and activation, within ranges; activations in
// time.
#ifndef DP_DYNAMICS_ACTUATOR_H
#define DP_DYNAMICS_ACTUATOR_H

#include "model/model.h"

/// One actuator at one moment.
typedef struct dp_drive {
    double length, rate;       // l and l̇
    double free_force;         // before the force range
    double stiffness, damping; // how the free force falls with l and l̇, ≥ 0
} dp_drive;

/// By how much the target of an actuator of a ball joint is off the nearest one if it is a servo:
/// whole turns of 2π ‖gear‖, which the length does not tell apart.
double dp_servo_turns(const dp_actuator *actuator, double error);

/// The same of one whose gain or bias is that of a muscle (muscle.c).
dp_drive dp_muscle_drive(const dp_actuator *actuator, double length, double rate, double w);

/// @param w its activation; of actuators without one their control
static inline dp_drive dp_drive_at(const dp_model *m, const dp_actuator *actuator, double length,
                                   double rate, double w)
{
    if (actuator->muscle_gain || actuator->muscle_bias) {
        return dp_muscle_drive(actuator, length, rate, w);
    }
    const double length_slope = actuator->gain[1] * w + actuator->bias[1];
    const double rate_slope = actuator->gain[2] * w + actuator->bias[2];
    const bool ball = actuator->joint >= 0 && m->joint[actuator->joint].kind == DP_JOINT_BALL;
    const double target = ball ? w - dp_servo_turns(actuator, w - length) : w;
    return (dp_drive){.length = length,
                      .rate = rate,
                      .free_force = actuator->gain[0] * target + actuator->bias[0] +
                                    length_slope * length + rate_slope * rate,
                      .stiffness = length_slope < 0.0 ? -length_slope : 0.0,
                      .damping = rate_slope < 0.0 ? -rate_slope : 0.0};
}

/// Does the force of a drive fall with motion?
static inline bool dp_drive_resists(const dp_drive *drive)
{
    return drive->stiffness + drive->damping > 0.0;
}

static inline double dp_clamp_range(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

/// The force nearest to none that an actuator can have.
static inline double dp_least_force(const dp_actuator *actuator)
{
    return actuator->force_limited ? dp_clamp_range(0.0, actuator->force_range) : 0.0;
}

/// At which end of its range a force is held: −1, 0 (at none) or +1.
static inline int dp_force_end(const dp_actuator *actuator, double force)
{
    if (!actuator->force_limited) {
        return 0;
    }
    return (force > actuator->force_range[1]) - (force < actuator->force_range[0]);
}

/// The same of a drive at the end of a step of length h with rate l̇₁.
static inline int dp_drive_end(const dp_actuator *actuator, const dp_drive *drive, double rate,
                               double h)
{
    return dp_force_end(actuator, drive->free_force + drive->damping * drive->rate -
                                      (h * drive->stiffness + drive->damping) * rate);
}

/// The rate of an activation, and what it comes to in the time h at that rate.
double dp_activation_rate(const dp_actuator *actuator, double control, double now);
double dp_activation_after(const dp_actuator *actuator, double control, double now, double rate,
                           double h);
/// Keep activations in their ranges.
void dp_activations_clamp(double *activation, const dp_model *m);

#endif
