// Forces of a medium at rest, or in a uniform wind, on bodies that move through it.
#ifndef DP_DYNAMICS_FLUID_H
#define DP_DYNAMICS_FLUID_H

#include "dynamics/articulated.h"

/// What surrounds the bodies.
typedef struct dp_fluid {
    double density;   // [kg/m³]
    double viscosity; // [Pa s]
    dp_v3 wind;       // [m/s]
} dp_fluid;

/// What a fluid does to the bodies of a model, about their origins in world axes.
typedef struct dp_fluid_forces {
    dp_wrench *wrench;             // nbody, at the velocities of the kinematics
    dp_articulated_inertia *slope; // nbody: how drag rises with the twist; positive semi-definite
} dp_fluid_forces;

/// Evaluate both for all bodies.
void dp_fluid_evaluate(const dp_fluid_forces *out, const dp_kin *kin, const dp_model *m,
                       const dp_fluid *fluid);

#endif
