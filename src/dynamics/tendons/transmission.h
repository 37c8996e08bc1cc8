// What actuators act on: their lengths, and how a force in them acts along the coordinates.
//
// An actuator with force f acts with the generalised force f · moment, so its power is f · rate
// with rate = moment · v. On hinges, slides, tendons and the place of a site seen from another, the
// moment is the gradient of the length and the rate is l̇. Where the gear is a torque, on rotations,
// the moment is that torque: the length is then gear · rotation vector, whose derivative it is only
// for turns about the gear.
#ifndef DP_DYNAMICS_TRANSMISSION_H
#define DP_DYNAMICS_TRANSMISSION_H

#include "dynamics/tendons/tendon.h"

/// All actuators of a model at one configuration; sparse as in dp_tendon_set.
typedef struct dp_transmission_set {
    double *length; // nu; 0 for a site alone and for free joints
    size_t *start;  // nu+1
    int *count;     // nu; 0: it drives nothing that moves
    int *dof;       // start[nu]
    double *moment; // start[nu]
    // Scratch:
    int *pattern; // start[nu]: every degree of freedom that can ever count, ascending
    dp_dof_sum sum;
} dp_transmission_set;

/// The most degrees of freedom that the moment of an actuator can have, or a little more.
int dp_transmission_max_dofs(const dp_model *m, int u);

void dp_transmission_carve(dp_transmission_set *set, dp_carver *c, const dp_model *m);
void dp_transmission_init(dp_transmission_set *set, const dp_model *m);
/// @param tendon up to date
void dp_transmission_update(dp_transmission_set *set, const dp_kin *kin, const dp_model *m,
                            const double *q, const dp_tendon_set *tendon);

/// moment · v
static inline double dp_transmission_rate(const dp_transmission_set *set, int u, const double *v)
{
    double rate = 0.0;
    for (size_t k = set->start[u]; k < set->start[u] + (size_t)set->count[u]; ++k) {
        rate += set->moment[k] * v[set->dof[k]];
    }
    return rate;
}

/// tau += moment · force. @param tau nv
static inline void dp_transmission_add(double *tau, const dp_transmission_set *set, int u,
                                       double force)
{
    for (size_t k = set->start[u]; k < set->start[u] + (size_t)set->count[u]; ++k) {
        tau[set->dof[k]] += set->moment[k] * force;
    }
}

/// wrench += what actuator u with the given scalar force does to bodies by itself (through sites
/// and spatial tendons), about their origins: along the coordinates that is force · moment. Those
/// on joints and fixed tendons act through joints and give none. @param wrench nbody
void dp_transmission_push(dp_wrench *wrench, const dp_kin *kin, const dp_model *m, int u,
                          double force);

#endif
