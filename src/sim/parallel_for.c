#include "sim/parallel_for.h"

// Bodies that take as long as it takes to wake a thread, or longer.
enum { WORTHWHILE = 64 };

void dp_spread_trees_among(const dp_data *d, dp_thread_pool_span work, void *job)
{
    const dp_model_size *n = &d->model->size;
    const int least = 1 + (int)((long long)WORTHWHILE * n->ntree / n->nbody);
    const dp_status status = dp_thread_pool_spread(d->workers, n->ntree, least, work, job);
    DP_ASSERT(status == DP_OK);
    (void)status;
}

typedef struct moving {
    const dp_data *d;
    dp_kin *kin;
    dp_twist *V;
    const double *q, *v;
} moving;

static dp_status update_kin(void *job, int first, int end)
{
    const moving *s = job;
    const dp_trees part = dp_trees_of(s->d->model, first, end);
    dp_kin_update_part(s->kin, s->d->model, s->q, s->v, part.first_body, part.end_body);
    return DP_OK;
}

void dp_spread_kin(dp_kin *kin, const dp_data *d, const double *q, const double *v)
{
    moving s = {.d = d, .kin = kin, .q = q, .v = v};
    dp_spread_trees(d, update_kin, &s);
}

static dp_status find_velocities(void *job, int first, int end)
{
    const moving *s = job;
    const dp_trees part = dp_trees_of(s->d->model, first, end);
    dp_kin_velocities_part(s->V, &s->d->kin, s->d->model, s->v, part.first_body, part.end_body);
    return DP_OK;
}

void dp_spread_velocities(dp_twist *V, const dp_data *d, const double *v)
{
    moving s = {.d = d, .V = V, .v = v};
    V[0] = (dp_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    dp_spread_trees(d, find_velocities, &s);
}
