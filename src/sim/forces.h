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

/// For the implicit step: a servo with a force range is judged by its force at the end of the step.
/// Let those go that are saturated now.
void dp_forces_release(dp_data *d);
/// Judge them for a step that ends with velocities v1: those beyond their range are held at its
/// end, those held whose force would be within it are let go (if may_release). True when that
/// changed anything; the actuators' forces are then evaluated anew.
bool dp_forces_saturate(dp_data *d, const double *v1, double h, bool may_release);

/// The activations at the end of a step of length h. @param next na
void dp_forces_advance_activation(double *next, const dp_data *d, double h);

/// Keep activations in their ranges.
void dp_forces_clamp_activation(double *activation, const dp_model *m);

#endif
