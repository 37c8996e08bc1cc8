// The free velocity of a step, and how it treats the velocity terms of trees.
#ifndef DP_SIM_FREE_VELOCITY_H
#define DP_SIM_FREE_VELOCITY_H

#include "sim/data.h"

/// How the semi-implicit step treats the velocity terms of a tree.
typedef enum dp_tree_mode {
    DP_TREE_EXPLICIT,  ///< Coriolis terms at the start of the step
    DP_TREE_SPIN,      ///< one rigid body on a free or ball joint: kick, then free rotation
    DP_TREE_TRANSPORT, ///< kick, then momentum transport (spin.h)
} dp_tree_mode;

/// Why a tree has a limit on its energy, as bits: it turns far in the step, or rows throw it.
enum { DP_LIMITED_BY_TURN = 1, DP_LIMITED_BY_ROWS = 2 };

/// By the angular velocities at the start of the step.
void dp_tree_modes_choose(dp_data *d, double h);
/// A tree that starts slowly but is kicked hard turns far, too. Modes only ever leave
/// DP_TREE_EXPLICIT. @return whether one has changed
bool dp_tree_modes_revise(dp_data *d, const double *v1, double h);
/// What rows give to one tree they take from another: of trees that a row connects all have a limit
/// on their energy, or none.
void dp_tree_limits_spread(dp_data *d);

/// (SI 1) by M̃ and its factor where rows are expected, else by articulated bodies.
void dp_free_velocity(double *v1, dp_data *d, double h);
void dp_free_velocity_by_links(double *v1, dp_data *d, double h);
/// Refuse velocities that are not finite, naming the joints if these lock.
DP_NODISCARD dp_status dp_free_velocity_check(dp_data *d, const double *v);

/// The rates that tendons with armature come to while no force acts.
/// @param biased with the change of gradients, J̇ v: for forces and accelerations at the start of
/// the step, where it does not end with (SI 4)
void dp_tendon_rates_expect(dp_data *d, double h, bool biased);

#endif
