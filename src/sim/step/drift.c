// Where velocities lead: (SI 2), and the free rotation of single rigid bodies.
#include "sim/step/step.h"

#include "dynamics/spin.h"
#include "sim/parallel_for.h"

#include <string.h>

// A rigid body that turns about a pivot: a free body's centre of mass, a ball joint's anchor.
typedef struct turning_body {
    dp_v3 pivot; // from the origin, body axes
    dp_sym3 I;   // about the pivot, body axes
} turning_body;

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

static turning_body turning_of(const dp_data *d, int b, const dp_joint *joint)
{
    const dp_model *m = d->model;
    const dp_body *body = &m->body[b];
    if (dp_is_alone(body) && joint->kind == DP_FREE) { // as the model knows it
        return (turning_body){body->inertial.frame.p, body->inertia_com};
    }
    const dp_link *root = &d->kin.link[b];
    const dp_rigid_inertia *J = dp_is_alone(body) ? &root->J : &d->scratch.composite[b];
    const dp_v3 pivot = joint->kind == DP_FREE
                            ? dp_v3_scale(J->h, 1.0 / J->m)
                            : dp_v3_sub(d->kin.anchor[joint - m->joint], root->X.p);
    dp_rigid_inertia about_pivot = NOTHING;
    dp_rigid_inertia_accumulate(&about_pivot, J, dp_v3_scale(pivot, -1.0));
    const dp_m3 R_BW = dp_m3_transpose(&root->R);
    return (turning_body){dp_m3_apply(&R_BW, pivot), dp_sym3_rotate(&R_BW, about_pivot.I)};
}

// The angular velocity that a body has after a turn that is not its own: its momentum stays as it
// is in the world, and it gains no energy. w is in body axes, before and after.
static dp_v3 carry_spin(dp_v3 w, dp_quat turn, dp_sym3 I)
{
    const dp_v3 p0 = dp_sym3_apply(I, w), p1 = dp_quat_rotate_back(turn, p0);
    const dp_v3 w1 = dp_sym3_solve(I, p1);
    const double before = dp_v3_dot(w, p0), after = dp_v3_dot(w1, p1);
    return after > before ? dp_v3_scale(w1, sqrt(before / after)) : w1;
}

// The free flight of tree t, one rigid body: rotation by dp_spin about the pivot, the centre of
// mass along a line. @param move nv: what moves it; v1 its velocities, before and after
static void drift_single_rigid(double *q1, double *v1, const dp_data *d, const double *move, int t,
                               double h)
{
    const dp_model *m = d->model;
    const int b = m->tree_body[t];
    const dp_joint *joint = &m->joint[m->body_joint[m->body[b].joint_start]];
    const dp_link *root = &d->kin.link[b];
    const bool is_free = joint->kind == DP_FREE;
    const turning_body turning = turning_of(d, b, joint);
    const dp_v3 pivot = turning.pivot;

    const int at_q = joint->q_index + (is_free ? 3 : 0), at_v = joint->v_index + (is_free ? 3 : 0);
    const dp_v3 w0 = dp_v3_load(v1 + at_v), w_move = dp_v3_load(move + at_v);
    dp_v3 w1 = w_move;
    dp_quat turn;
    dp_spin(&w1, &turn, turning.I, h);
    if (w0.x != w_move.x || w0.y != w_move.y || w0.z != w_move.z) {
        w1 = carry_spin(w0, turn, turning.I);
    }
    const dp_quat q_after = dp_quat_unit(dp_quat_mul(dp_quat_load(d->q + at_q), turn));
    dp_v3_store(v1 + at_v, w1);
    dp_quat_store(q1 + at_q, q_after);
    if (!is_free) {
        return;
    }
    dp_v3 v_com = dp_v3_load(v1 + joint->v_index), v_way = dp_v3_load(move + joint->v_index);
    dp_v3 x_com = root->X.p;
    if (pivot.x == 0.0 && pivot.y == 0.0 && pivot.z == 0.0) { // the origin itself
        dp_v3_store(q1 + joint->q_index, dp_v3_madd(x_com, h, v_way));
        return;
    }
    v_com = dp_v3_add(v_com, dp_m3_apply(&root->R, dp_v3_cross(w0, pivot)));
    v_way = dp_v3_add(v_way, dp_m3_apply(&root->R, dp_v3_cross(w_move, pivot)));
    x_com = dp_v3_madd(dp_v3_add(x_com, dp_m3_apply(&root->R, pivot)), h, v_way);
    dp_v3_store(q1 + joint->q_index, dp_v3_sub(x_com, dp_quat_rotate(q_after, pivot)));
    dp_v3_store(v1 + joint->v_index,
                dp_v3_sub(v_com, dp_quat_rotate(q_after, dp_v3_cross(w1, pivot))));
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
            drift_single_rigid(s->q1, s->v1, d, s->v, t, h);
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
// a change of order h² by forces along the tendons, which adds no energy at any step.
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
    dp_articulated_factor(&d->art, &d->kin_end, m, m->dof_armature);
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
