// What actuators act on: their lengths, and l̇ = moment · v.
#ifndef DP_DYNAMICS_TRANSMISSION_H
#define DP_DYNAMICS_TRANSMISSION_H

#include "dynamics/tendon.h"

/// All actuators of a model at one configuration; sparse as in dp_tendon_set.
typedef struct dp_transmission_set {
    double *length; // nu
    size_t *start;  // nu+1
    int *count;     // nu; 0: it drives what is left out
    int *dof;
    double *moment;
} dp_transmission_set;

void dp_transmission_carve(dp_transmission_set *set, dp_carver *c, const dp_model *m);
void dp_transmission_init(dp_transmission_set *set, const dp_model *m);
/// @param tendon up to date
void dp_transmission_update(dp_transmission_set *set, const dp_kin *kin, const dp_model *m,
                            const double *q, const dp_tendon_set *tendon);

/// wrench += what actuator u with the given scalar force does to bodies by itself (through sites
/// and spatial tendons), about their origins. Those on joints act through joints and give none.
void dp_transmission_push(dp_wrench *wrench, const dp_kin *kin, const dp_model *m, int u,
                          double force);

#endif
