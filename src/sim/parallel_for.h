// Work on trees, shared among the threads of a simulation.
#ifndef DP_SIM_PARALLEL_FOR_H
#define DP_SIM_PARALLEL_FOR_H

#include "sim/data.h"

#include <stdatomic.h>

/// A run of trees with all that is numbered by tree: bodies, with what is fixed to the world among
/// them, positions and velocities. Each is in one run.
typedef struct dp_trees {
    int first, end;
    int first_body, end_body;
    int first_q, end_q;
    int first_v, end_v;
} dp_trees;

/// Where the positions of tree t begin; ntree: where they end.
static inline int dp_tree_q(const dp_model *m, int t)
{
    return t < m->size.ntree ? m->joint[m->dof_joint[m->tree_start[t]]].q_index : m->size.nq;
}

/// The trees first … end − 1.
static inline dp_trees dp_trees_of(const dp_model *m, int first, int end)
{
    const dp_model_size *n = &m->size;
    const bool from_start = first == 0, to_end = end == n->ntree; // both where one thread does all
    return (dp_trees){.first = first,
                      .end = end,
                      .first_body = from_start ? 1 : m->tree_body[first],
                      .end_body = to_end ? n->nbody : m->tree_body[end],
                      .first_q = from_start ? 0 : dp_tree_q(m, first),
                      .end_q = to_end ? n->nq : dp_tree_q(m, end),
                      .first_v = from_start ? 0 : m->tree_start[first],
                      .end_v = to_end ? n->nv : m->tree_start[end]};
}

/// Do something that cannot fail to the trees of the model, as dp_crew_spread: in one run where
/// they are few. The span of `work` is one of trees, for dp_trees_of.
void dp_spread_trees_among(const dp_data *d, dp_crew_span work, void *job);
static inline void dp_spread_trees(const dp_data *d, dp_crew_span work, void *job)
{
    if (d->crew && d->model->depth_first) {
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
