// Forces on a mechanism at one moment: actuators, joint springs and dampers, the user's forces.
#ifndef DP_SIM_FORCES_H
#define DP_SIM_FORCES_H

#include "assemble/rows.h"
#include "dynamics/actuator.h"
#include "dynamics/fluid.h"

#include <dashpot/sim.h>

typedef struct dp_forces {
    dp_drive *drive;         // nu
    uint8_t *stand;          // nu: dp_drive_stand, how each enters the step
    double *actuator;        // nu: scalar force of each actuator
    double *activation_rate; // na
    double *actuation;       // nv
    double *passive;         // nv: springs, dampers, gravity compensation
    double *applied;         // nv: the user's generalised forces
    double *extra;           // nv: what the force callback gave
    double *timed;           // nv: forces on joints that are given by expressions
    dp_wrench *external; // nbody: the user's and expressions' wrenches, about the bodies' origins
    bool any_external;
    dp_fluid_forces fluid; // of the medium, which `external` has, too
    bool any_fluid;
    double *stiffness, *damping; // nv: of the drives that are part of M̃
    bool any_stiffness;          // some drive has stiffness or damping
} dp_forces;

void dp_forces_carve(dp_forces *f, dp_carver *c, const dp_model *m);

/// Run the callbacks and evaluate every force at the present state, those of actuators without
/// their sum along the coordinates (dp_forces_actuate); kinematics must be up to date. Inside a
/// callback (which may ask for sensors or accelerations) no callback runs.
/// @return DP_ERROR_CALLBACK, or DP_ERROR_NUMERIC when a callback wrote what is not finite or an
///         expression has no value.
dp_status dp_forces_evaluate(dp_data *d);

/// The passive forces, external wrenches and forces given by expressions alone; runs no callback.
DP_NODISCARD dp_status dp_forces_passive(dp_data *d);

/// What the drag of a fluid adds to the inertias of bodies in an implicit step of length h.
dp_body_drag dp_forces_drag(const dp_data *d, double h);
/// The wrench of the fluid on a body, and that of all that is external, when it comes to move with
/// V₁ about its origin: drag falls on the way.
dp_wrench dp_forces_fluid_at(const dp_data *d, int body, dp_twist V1);
dp_wrench dp_forces_external_at(const dp_data *d, int body, dp_twist V1);

/// Sum of all generalised forces but the external wrenches: tau = actuation + passive + applied,
/// along the velocities first … end − 1.
void dp_forces_total(double *tau, const dp_data *d, int first, int end);

/// Drive u as a row: what it gives beyond the force of its range that is nearest to 0, which acts
/// by itself.
dp_drive_law dp_drive_law_of(const dp_data *d, int u);
/// Does drive u resist motion along several coordinates? Then M̃ has no place for it.
bool dp_drive_needs_row(const dp_data *d, int u);

/// Sum the actuators' forces anew. @param stand nu: dp_drive_stand; drives that are rows are left
/// out, those that resist motion within their range become part of M̃. NULL: all by their present
/// force
void dp_forces_actuate(dp_data *d, const uint8_t *stand);
/// Where drives stand that act along one coordinate, by the velocities at the start of the step.
void dp_forces_foresee(uint8_t *stand, const dp_data *d, double h);
/// For a step that ends with velocities v1: make rows of drives that do not stand where they were
/// thought to. @return how many
int dp_forces_judge(uint8_t *stand, const dp_data *d, const double *v1, double h);
/// Replace the forces of drives, springs and dampers by those at the end of the step.
/// @param row_force nu: of the drives that are rows
void dp_forces_finish(dp_data *d, const double *v1, double h, const double *row_force);

/// The activations at the end of a step of length h. @param next na
void dp_forces_advance_activation(double *next, const dp_data *d, double h);

#endif
