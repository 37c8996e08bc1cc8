// Numbers of a model that follow from those of its elements: by the compiler, and again where a
// simulation has values of its own (variant.h).
#ifndef DP_MODEL_DERIVE_H
#define DP_MODEL_DERIVE_H

#include "model/derive/reference.h"

/// The arrays of a model that such numbers are in, while they may be written.
typedef struct dp_tables {
    dp_body *body;
    dp_joint *joint;
    dp_joint_ratio *joint_ratio;
    dp_geom *geom;
    dp_pair *pair;
    dp_actuator *actuator;
    dp_tendon *tendon;
    dp_equality *equality;
    dp_foundation *foundation;
    dp_fluid_shape *fluid;                              // nfluid
    double *dof_armature, *dof_damping, *dof_stiffness; // nv
    double *q_spring;                                   // nq
} dp_tables;

/// Springs and dampers given by ratios: of joints and actuators, and of limits and equalities by
/// solref and solimp; mobilities of bodies, for contacts (ratio.c).
/// @param r room for the reference
/// @return DP_ERROR_ARGUMENT, and the number of the joint that meets no inertia
DP_NODISCARD dp_status dp_derive_ratios(dp_model *m, const dp_tables *t, dp_reference *r,
                                        int *joint);

/// All of them, in their order; as dp_derive_ratios.
DP_NODISCARD dp_status dp_derive(dp_model *m, const dp_tables *t, dp_reference *r, int *joint);

#endif
