// Muscles: force by length, speed and activation, and how activations follow controls.
#ifndef DP_DYNAMICS_MUSCLE_H
#define DP_DYNAMICS_MUSCLE_H

#include "dynamics/actuator.h"

/// The time constant [s] of an activation that follows a control in [0, 1].
double dp_muscle_time(const dp_actuator *actuator, double control, double activation);

#endif
