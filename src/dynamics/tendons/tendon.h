// Lengths of tendons, and how they change with the velocities: l̇ = gradient · v.
#ifndef DP_DYNAMICS_TENDON_H
#define DP_DYNAMICS_TENDON_H

#include "dynamics/relative.h"

/// All tendons of a model at one configuration. The gradient of tendon i is sparse: count[i] values
/// at the degrees of freedom dof[start[i] …], ascending. Which they are depends on the
/// configuration: what a tendon does not touch, or carries all that it touches, is left out.
typedef struct dp_tendon_set {
    double *length;   // ntendon [m; sums of coefficient · q for fixed tendons]
    size_t *start;    // ntendon+1: room for each, the same in every step
    int *count;       // ntendon
    int *dof;         // start[ntendon]
    double *gradient; // start[ntendon]
    // Constants of the model, by dp_tendon_rest:
    double *reference;         // ntendon: length in the reference configuration
    double (*spring_range)[2]; // ntendon: between these the spring is slack
    // Scratch:
    int *pattern; // start[ntendon]: every degree of freedom that can ever count, ascending
    dp_dof_sum sum;
} dp_tendon_set;

/// The most degrees of freedom that the gradient of a tendon can have, or a little more.
int dp_tendon_max_dofs(const dp_model *m, int tendon);

/// Carve the arrays for `m`; dp_tendon_init then fills `start` and `pattern`.
void dp_tendon_carve(dp_tendon_set *set, dp_carver *c, const dp_model *m);
void dp_tendon_init(dp_tendon_set *set, const dp_model *m);

/// The lengths that a model implies, in set->reference and set->spring_range: those in the
/// reference configuration, and where a spring range is (−1, −1), those in which the springs of
/// joints rest. After dp_tendon_init. @param kin is used, and holds neither state afterwards
/// @param mocap nmocap: where these bodies stand in the reference configuration
void dp_tendon_rest(dp_tendon_set *set, dp_kin *kin, const dp_model *m, const dp_pose *mocap);

/// Lengths and gradients at the configuration of kin, which is that of q.
void dp_tendon_update(dp_tendon_set *set, const dp_kin *kin, const dp_model *m, const double *q);
/// Lengths alone, the same numbers. @param length ntendon
void dp_tendon_lengths(double *length, const dp_kin *kin, const dp_model *m, const double *q);

/// gradient · v
static inline double dp_tendon_rate(const dp_tendon_set *set, int tendon, const double *v)
{
    double rate = 0.0;
    for (size_t k = set->start[tendon]; k < set->start[tendon] + (size_t)set->count[tendon]; ++k) {
        rate += set->gradient[k] * v[set->dof[k]];
    }
    return rate;
}

/// How a tendon moves at the configuration and velocities of kin, which are those of v.
typedef struct dp_tendon_motion {
    double rate; // l̇ [m/s]
    double bias; // l̈ while v̇ = 0 [m/s²]
} dp_tendon_motion;
dp_tendon_motion dp_tendon_move(const dp_kin *kin, const dp_model *m, int tendon, const double *v);

/// ½ Σ k e² with the distance e from the range in which the spring is slack, at the configuration
/// of kin, which is that of q.
double dp_tendon_spring_energy(const dp_tendon_set *set, const dp_kin *kin, const dp_model *m,
                               const double *q);
/// ½ Σ armature l̇², at the motion of kin, which is that of v.
double dp_tendon_kinetic_energy(const dp_kin *kin, const dp_model *m, const double *v);

/// wrench += what a spatial tendon with the given tension [N] does to the bodies it touches, about
/// their origins: along the coordinates that is −gradient · tension. Fixed tendons act through
/// joints and give none. @param wrench nbody
void dp_tendon_pull(dp_wrench *wrench, const dp_kin *kin, const dp_model *m, int tendon,
                    double tension);

#endif
