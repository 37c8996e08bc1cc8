// Lengths of tendons, and how they change with the velocities: l̇ = gradient · v.
#ifndef DP_DYNAMICS_TENDON_H
#define DP_DYNAMICS_TENDON_H

#include "dynamics/kinematics.h"

/// All tendons of a model at one configuration. The gradient of tendon i is sparse: count[i] values
/// at the degrees of freedom dof[start[i] …], ascending.
typedef struct dp_tendon_set {
    double *length;   // ntendon [m; sums of coefficient · q for fixed tendons]
    size_t *start;    // ntendon+1: room for each, the same in every step
    int *count;       // ntendon
    int *dof;         // start[ntendon]
    double *gradient; // start[ntendon]
} dp_tendon_set;

/// Carve the arrays for `m`; dp_tendon_init then fills `start`.
void dp_tendon_carve(dp_tendon_set *set, dp_carver *c, const dp_model *m);
void dp_tendon_init(dp_tendon_set *set, const dp_model *m);

/// Lengths and gradients at the configuration of kin, which is that of q.
void dp_tendon_update(dp_tendon_set *set, const dp_kin *kin, const dp_model *m, const double *q);
/// Lengths alone. @param length ntendon
void dp_tendon_lengths(double *length, const dp_kin *kin, const dp_model *m, const double *q);

/// wrench += what a spatial tendon with the given tension [N] does to the bodies it touches, about
/// their origins. Fixed tendons act through joints and give none. @param wrench nbody
void dp_tendon_pull(dp_wrench *wrench, const dp_kin *kin, const dp_model *m, int tendon,
                    double tension);

#endif
