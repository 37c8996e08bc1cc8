// Forces on a mechanism at one moment: actuators, joint springs and dampers, the user's forces.
#ifndef DP_SIM_FORCES_H
#define DP_SIM_FORCES_H

#include "dynamics/kinematics.h"

#include <dashpot/sim.h>

typedef struct dp_forces {
    double *actuator;        // nu: scalar force of each actuator
    double *length;          // nu
    double *rate;            // nu: length's rate of change
    double *activation_rate; // na
    double *actuation;       // nv
    double *passive;         // nv: springs, dampers, gravity compensation
    double *applied;         // nv: the user's generalised forces
    dp_wrench *external;     // nbody: the user's wrenches, about the bodies' origins
    bool any_external;
    // How the actuators' forces fall with the coordinates, for the implicit step. Zero where
    // saturated.
    double *stiffness, *damping; // nv
    bool any_stiffness;          // some actuator has stiffness or damping
    int8_t *saturated; // nu: −1 held at the lower end of the force range, +1 at the upper, 0 free
} dp_forces;

void dp_forces_carve(dp_forces *f, dp_carver *c, const dp_model *m);

/// Run the callbacks and evaluate every force at the present state; kinematics must be up to date.
/// @return DP_ERROR_CALLBACK, or DP_ERROR_NUMERIC when a callback wrote what is not finite.
dp_status dp_forces_evaluate(dp_data *d);

/// Sum of all generalised forces but the external wrenches: tau = actuation + passive + applied.
void dp_forces_total(double *tau, const dp_data *d);

/// For the implicit step: would an actuator leave its force range at the end of a step with
/// velocities v1? Those are then held at the end of the range, the actuators' forces evaluated
/// anew, and true returned.
bool dp_forces_saturate(dp_data *d, const double *v1, double h);

/// The activations at the end of a step of length h. @param next na
void dp_forces_advance_activation(double *next, const dp_data *d, double h);

/// Keep activations in their ranges.
void dp_forces_clamp_activation(double *activation, const dp_model *m);

#endif
