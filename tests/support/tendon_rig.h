// Tendons and transmissions of a model at a configuration, without a simulation around them.
#ifndef DP_TESTS_TENDON_RIG_H
#define DP_TESTS_TENDON_RIG_H

#include "dynamics/tendons/transmission.h"

typedef struct tendon_rig {
    const dp_model *m;
    dp_kin kin;
    dp_tendon_set tendon;
    dp_transmission_set transmission;
    dp_pose *mocap;      // nmocap: where they stand in the model; may be changed
    double *no_velocity; // nv zeros
    double *row;         // nv
    dp_wrench *wrench;   // nbody
    void *memory;
} tendon_rig;

/// Everything for `m`, which must outlive it, with the rest lengths.
void rig_open(tendon_rig *rig, const dp_model *m);
void rig_close(tendon_rig *rig);

/// Go to q (nq; unit quaternions).
void rig_move(tendon_rig *rig, const double *q);

/// A gradient or moment with its zeros: nv numbers in rig->row, until the next call.
const double *rig_gradient(tendon_rig *rig, int tendon);
const double *rig_moment(tendon_rig *rig, int actuator);

/// A random mechanism with tendons and all kinds of transmissions (dp_model_destroy).
dp_model *random_tendon_model(uint64_t seed);

#endif
