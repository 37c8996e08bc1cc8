// What keeps a step bounded at any length: momentum transport, and a limit on the energy of trees.
#ifndef DP_SIM_TRANSPORT_H
#define DP_SIM_TRANSPORT_H

#include "sim/step/free_velocity.h"

/// Does nothing hold the tree's centre of mass?
bool dp_tree_floats(const dp_model *m, int t);

/// After the kick, kin at (q₀, v₀): budgets of the limited trees, and the momenta of their bodies
/// at (q₀, end). False when no tree is limited.
/// @param move nv: what moves the trees. @param end nv: the velocities that they have in the end
bool dp_balance_open(dp_data *d, const double *move, const double *end, double h);

/// After the drift to (q₁, v₁): trees whose potential is more than they can pay for must go a
/// shorter way. True when there are any; the drift is then to be repeated, kin being at q₀ again.
/// Else kin is at q₁.
bool dp_balance_shorten(dp_data *d, const double *q1, const double *v1);

/// Carry the momenta of transported trees to q₁, and scale the velocities of limited trees to what
/// they can pay for.
void dp_balance_close(double *q1, double *v1, dp_data *d, double h);

#endif
