// Sums over the bodies of a tree.
#ifndef DP_DYNAMICS_TREE_SUMS_H
#define DP_DYNAMICS_TREE_SUMS_H

#include "dynamics/kinematics.h"

/// Of one tree.
typedef struct dp_tree_balance {
    double mass, kinetic, potential; // potential: gravity and springs
    double size;                     // of the terms of the potential
    dp_v3 moment;                    // Σ m x
    dp_v3 weight;                    // Σ (1 − compensation) m g
    dp_v3 momentum;
} dp_tree_balance;

/// Those of all trees that are wanted; of others zeros. @param sums ntree. @param wanted ntree
/// @param V nbody, v nv: velocities. @param q that of kin. @param springs have energy, too
void dp_trees_weigh(dp_tree_balance *sums, const uint8_t *wanted, const dp_kin *kin,
                    const dp_model *m, const dp_twist *V, const double *q, const double *v,
                    dp_v3 gravity, bool springs);

/// From the origin of the root of tree t to its centre of mass.
dp_v3 dp_tree_centre(const dp_kin *kin, const dp_model *m, int t);

/// Does one rigid body turn, however far, without velocity terms? So does one that moves in a plane
/// and turns about its centre of mass: its inertia does not change with its configuration. Judged
/// at the velocities of the state, which must not be small.
bool dp_tree_turns_steadily(const dp_kin *kin, const dp_model *m, int t, dp_v3 gravity);

#endif
