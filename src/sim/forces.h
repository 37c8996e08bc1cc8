// Forces on a mechanism at one moment: actuators, joint springs and dampers, the user's forces.
#ifndef DP_SIM_FORCES_H
#define DP_SIM_FORCES_H

#include "dynamics/kinematics.h"

#include <dashpot/sim.h>

/// One actuator at the present state.
typedef struct dp_drive {
    double length, rate; // l and l̇
    double moment[6];    // l̇ = moment · (velocities of its joint)
    double free_force;   // before the force range
    // How the free force falls with l and l̇, ≥ 0: what the implicit step can use. Only on joints
    // with one degree of freedom.
    double stiffness, damping;
    int8_t saturated; // −1 held at the lower end of the force range, +1 at the upper, 0 free
} dp_drive;

typedef struct dp_forces {
    dp_drive *drive;         // nu
    double *actuator;        // nu: scalar force of each actuator
    double *activation_rate; // na
    double *actuation;       // nv
    double *passive;         // nv: springs, dampers, gravity compensation
    double *applied;         // nv: the user's generalised forces
    double *extra;           // nv: what the force callback gave
    dp_wrench *external;     // nbody: the user's wrenches, about the bodies' origins
    bool any_external;
    double *stiffness, *damping; // nv: of the drives that are free, along the coordinates
    bool any_stiffness;          // some drive has stiffness or damping
} dp_forces;

void dp_forces_carve(dp_forces *f, dp_carver *c, const dp_model *m);

/// Run the callbacks and evaluate every force at the present state; kinematics must be up to date.
/// Inside a callback (which may ask for sensors or accelerations) no callback runs.
/// @return DP_ERROR_CALLBACK, or DP_ERROR_NUMERIC when a callback wrote what is not finite.
dp_status dp_forces_evaluate(dp_data *d);

/// The passive forces and the external wrenches alone; runs no callback.
void dp_forces_passive(dp_data *d);

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
