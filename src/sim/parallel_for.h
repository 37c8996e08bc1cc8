// Work on trees, shared among the threads of a simulation.
#ifndef DP_SIM_PARALLEL_FOR_H
#define DP_SIM_PARALLEL_FOR_H

#include "model/trees.h"
#include "sim/data.h"

#include <stdatomic.h>

/// Do something that cannot fail to the trees of the model, as dp_thread_pool_spread: in one run
/// where they are few. The span of `work` is one of trees, for dp_trees_of.
void dp_spread_trees_among(const dp_data *d, dp_thread_pool_span work, void *job);
static inline void dp_spread_trees(const dp_data *d, dp_thread_pool_span work, void *job)
{
    if (d->workers && d->model->depth_first) {
        dp_spread_trees_among(d, work, job);
    } else if (d->model->size.ntree > 0) {
        const dp_status status = work(job, 0, d->model->size.ntree);
        DP_ASSERT(status == DP_OK);
        (void)status;
    }
}

/// The arguments of most jobs on trees; each says which of them it needs.
typedef struct dp_tree_job {
    dp_data *d;
    double h;
    const double *v, *end; // nv
    double *q1, *v1;       // nq, nv: out
    atomic_bool found;     // what the job looks for, in some tree
} dp_tree_job;

/// dp_kin_update and dp_kin_velocities.
void dp_spread_kin(dp_kin *kin, const dp_data *d, const double *q, const double *v);
void dp_spread_velocities(dp_twist *V, const dp_data *d, const double *v);

#endif
