// Where velocities lead: (SI 2), and the free rotation of single rigid bodies.
#include "sim/step/step.h"

#include "dynamics/free_flight.h"
#include "sim/parallel_for.h"

#include <string.h>

static const dp_rigid_inertia NOTHING = {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};

// What is welded to roots turns with them: inertias about their origins go to scratch.composite.
static void gather_welded(const dp_data *d, dp_trees part)
{
    const dp_model *m = d->model;
    dp_rigid_inertia *J = d->scratch.composite;
    for (int i = part.first_body; i < part.end_body; ++i) { // parents come first
        const int t = m->body[i].tree;
        const int b = t >= 0 ? m->tree_body[t] : 0;
        if (t >= 0 && d->scratch.tree_mode[t] == DP_TREE_SPIN && !dp_is_alone(&m->body[b])) {
            J[i] = NOTHING;
            dp_rigid_inertia_accumulate(&J[b], &d->kin.link[i].J,
                                        dp_v3_sub(d->kin.link[i].X.p, d->kin.link[b].X.p));
        }
    }
}

static void stay(const dp_tree_job *s, int t)
{
    const dp_model *m = s->d->model;
    for (int k = m->tree_start[t]; k < m->tree_start[t + 1];) {
        const dp_joint *joint = &m->joint[m->dof_joint[k]];
        memcpy(s->q1 + joint->q_index, s->d->q + joint->q_index, (size_t)joint->nq * sizeof *s->q1);
        k += joint->nv;
    }
}

static dp_status drift_trees(void *job, int first, int end)
{
    const dp_tree_job *s = job;
    const dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_scratch *scratch = &d->scratch;
    const dp_trees part = dp_trees_of(m, first, end);
    memcpy(s->v1 + part.first_v, s->end + part.first_v,
           (size_t)(part.end_v - part.first_v) * sizeof *s->v1);
    gather_welded(d, part);
    for (int t = first; t < end; ++t) {
        if (dp_is_asleep(d, t)) {
            stay(s, t);
            continue;
        }
        const double h = scratch->tree_limited[t] ? s->h * scratch->budget[t].share : s->h;
        if (scratch->tree_mode[t] == DP_TREE_SPIN) {
            const int root = m->tree_body[t];
            const dp_rigid_inertia *J =
                dp_is_alone(&m->body[root]) ? &d->kin.link[root].J : &scratch->composite[root];
            dp_free_flight(s->q1, s->v1, &d->kin, m, d->q, s->v, root, J, h);
            continue;
        }
        for (int k = m->tree_start[t]; k < m->tree_start[t + 1];) {
            const dp_joint *joint = &m->joint[m->dof_joint[k]];
            dp_kin_advance_joint(s->q1, joint, d->q, s->v, h);
            k += joint->nv;
        }
    }
    return DP_OK;
}

void dp_drift(double *q1, double *v1, dp_data *d, const double *move, const double *end, double h)
{
    dp_tree_job s = {.d = d, .h = h, .v = move, .end = end, .q1 = q1, .v1 = v1};
    dp_spread_trees(d, drift_trees, &s);
}

void dp_drift_all_the_way(double *q1, double *v1, dp_data *d, const double *v, double h)
{
    for (int t = 0; t < d->model->size.ntree; ++t) {
        d->scratch.budget[t].share = 1.0;
    }
    dp_drift(q1, v1, d, v, v, h);
}

// Rows have the armature of tendons along the gradients at the start, and leave it with the rate
// e = J₀ v + δ. At the end it must have J₁ v₁: bodies and armature go on with the velocities that
// are nearest to those that they have in the norm of kinetic energy,
//
//     (M + Σ a J₁ᵀ J₁) v₁′ = M v₁ + Σ a J₁ᵀ e,                                              (SI 4)
//
// a change of order h² by forces along the tendons, which adds no energy at any step. A tree whose
// velocities are limited leaves the rows with what the limit leaves of them, and so does e.
void dp_tendons_carry(dp_data *d, const double *v, const double *q1, double *v1)
{
    const dp_model *m = d->model;
    dp_tendon_inertia *set = &d->tendon_inertia;
    dp_tendon_set *end = &d->rows.tendon_end;
    if (set->count == 0) {
        return;
    }
    dp_spread_kin(&d->kin_end, d, q1, v1);
    d->rows.end_known = false; // v₁ is about to change
    dp_tendon_update(end, &d->kin_end, m, q1);
    dp_articulated_factor(&d->art, &d->kin_end, m, m->dof_armature, (dp_body_drag){NULL, 0.0});
    if (d->art.singular >= 0) { // joints lock there: the next step refuses or resolves it
        d->art.singular = -1;
        return;
    }
    dp_tendon_inertia_factor(set, end, &d->art, &d->kin_end, m, v1);
    for (int n = 0; n < set->count; ++n) {
        const int i = set->tendon[n];
        set->bias[n] = -dp_tendon_rate(&d->tendon, i, v);
    }
    dp_tendon_inertia_correct(v1, set, end, m, true);
}
