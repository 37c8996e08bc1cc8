// How the motion of one body relative to another depends on the velocities: sums over the degrees
// of freedom that lie between the two. What is above both moves them alike and takes no part, so
// its share is zero exactly and not up to round-off.
#ifndef DP_DYNAMICS_RELATIVE_H
#define DP_DYNAMICS_RELATIVE_H

#include "dynamics/kinematics.h"

/// A row over all degrees of freedom under construction: zero and untouched between uses.
typedef struct dp_dof_sum {
    double *value;    // nv
    uint8_t *touched; // nv
} dp_dof_sum;

void dp_dof_sum_carve(dp_dof_sum *sum, dp_carver *c, const dp_model *m);
void dp_dof_sum_clear(dp_dof_sum *sum, const dp_model *m);

/// Is body a the same as b, or above it?
static inline bool dp_body_carries(const dp_model *m, int a, int b)
{
    const int order = m->body[b].order;
    return m->body[a].order <= order && order < m->body[a].order_end;
}

/// How many degrees of freedom lie between two bodies.
int dp_relative_count(const dp_model *m, int from, int to);

/// Touch them without adding anything.
void dp_relative_touch(dp_dof_sum *sum, const dp_model *m, int from, int to);

/// sum += what the wrench w about the world point p does per unit velocity when it acts on body
/// `to` and its reverse on body `from`; the world is body 0.
void dp_relative_add(dp_dof_sum *sum, const dp_kin *kin, const dp_model *m, int from, int to,
                     dp_wrench w, dp_v3 p);

/// wrench[to] += w and wrench[from] −= w, both about the bodies' origins. @param wrench nbody
void dp_relative_push(dp_wrench *wrench, const dp_kin *kin, int from, int to, dp_wrench w, dp_v3 p);

/// Move what was touched to (dof, value), in the order of `among`, which lists all that may be.
/// @return how many
int dp_dof_sum_take(int *dof, double *value, dp_dof_sum *sum, const int *among, int count);

/// List what was touched, ascending, and forget it. @return how many
int dp_dof_sum_list(int *dof, dp_dof_sum *sum, const dp_model *m);

#endif
