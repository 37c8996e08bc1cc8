// The energies of the trees of a step problem: what is usual, and which trees are thrown.
#ifndef DP_SIM_TREE_ENERGY_H
#define DP_SIM_TREE_ENERGY_H

#include "sim/data.h"

/// ½ vᵀ M̃ v of tree t of the problem. @param v nv of the problem
double dp_tree_energy(const dp_constrained *c, int t, const double *v);

/// The same of all trees of the problem.
double dp_trees_energy(const dp_constrained *c, const double *v);

/// What closing wide gaps may add to the energy of each tree, and of all.
/// @param diagonal nv of the model: what M̃ has besides M
void dp_recoveries_note(dp_data *d, const double *diagonal);

/// Of all trees, at the end of a step without rows; at least 0.
double dp_usual_energy(const dp_data *d);

/// Trees that are thrown get a limit on their energy (transport.h), which knows the work of forces.
void dp_limit_thrown(dp_data *d);

#endif
