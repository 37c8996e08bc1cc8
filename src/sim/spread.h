// Work on trees, shared among the threads of a simulation.
#ifndef DP_SIM_SPREAD_H
#define DP_SIM_SPREAD_H

#include "sim/data.h"

/// A run of trees with all that is numbered by tree: bodies, with what is fixed to the world among
/// them, positions and velocities. Each is in one run.
typedef struct dp_trees {
    int first, end;
    int first_body, end_body;
    int first_q, end_q;
    int first_v, end_v;
} dp_trees;

/// Where the positions of tree t begin; ntree: where they end.
int dp_tree_q(const dp_model *m, int t);

/// The trees first … end − 1.
dp_trees dp_trees_of(const dp_model *m, int first, int end);

/// Do something that cannot fail to the trees of the model, as dp_crew_spread: in one run where
/// they are few. The span of `work` is one of trees, for dp_trees_of.
void dp_spread_trees(const dp_data *d, dp_crew_span work, void *job);

/// dp_kin_update and dp_kin_velocities.
void dp_spread_kin(dp_kin *kin, const dp_data *d, const double *q, const double *v);
void dp_spread_velocities(dp_twist *V, const dp_data *d, const double *v);

#endif
