// The free velocity of the semi-implicit step: what forces make of the velocities before rows act,
// (SI 1). Then the mechanism drifts, (SI 2), drift.c:
//
//     M̃ v₁ = M v₀ + h(τ − c) − h K(q₀ − q_rest),   M̃ = M + h D + h² K      (SI 1)
//     q₁ = q₀ ⊕ h v₁                                                       (SI 2)
//
// Springs, dampers and actuators that pull like springs and dampers are taken at the end of the
// step, so they are stable at any stiffness. (SI 1) is solved for a = (v₁ − v₀)/h by the
// articulated-body algorithm with the diagonal h D + h² K, which leaves  M̃ a = τ − c − D v₀ − K(q₀
// + h v₀ − q_rest). Drag of a fluid is taken like dampers, body by body: what its wrench falls by
// with the twist, F(V₁) = F(V₀) − B (V₁ − V₀), adds h B to the inertia of the body.
//
// The velocity terms c are treated by tree:
//  * explicit: c at (q₀, v₀) while no body turns further than options.large_rotation in the step;
//  * spin: a single rigid body on a free or ball joint is kicked without velocity terms and then
//    turns freely by the implicit midpoint rule (dynamics/spin.c), which keeps energy and momentum
//    at any step;
//  * transport: a tree beyond the threshold is kicked without velocity terms, and its bodies carry
//    their momenta to q₁ (transport.c).
// Where explicit terms or kicks could gain energy without bound, the energy at the end of the step
// is limited (transport.c): in trees that turn fast, and in trees that can reach out.
#include "sim/step/step.h"

#include "dynamics/composite.h"
#include "dynamics/recursive.h"
#include "linalg/tree_ldl.h"
#include "sim/parallel_for.h"

#include <string.h>

// The right-hand side of (SI 1) in d->scratch: forces in rhs, wrenches with velocity terms only
// where they are explicit, and what M̃ has besides M in diagonal.
static void load_kick(dp_data *d, double h, dp_trees part)
{
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    double *rhs = d->scratch.rhs, *diagonal = d->scratch.diagonal;
    dp_forces_total(rhs, d, part.first_v, part.end_v);
    const double damps = d->options.disable_dampers ? 0.0 : 1.0;
    const double springs = d->options.disable_springs ? 0.0 : 1.0;
    for (int k = part.first_v; k < part.end_v; ++k) {
        const double hK = h * springs * m->dof_stiffness[k], hK_drive = h * f->stiffness[k];
        rhs[k] = rhs[k] - hK * d->v[k] - hK_drive * d->v[k];
        diagonal[k] = m->dof_armature[k] + h * damps * m->dof_damping[k] + h * hK +
                      (h * hK_drive + h * f->damping[k]);
    }
    dp_wrench *wrench = d->scratch.wrench;
    const dp_v3 lift = dp_v3_scale(d->key.gravity, -1.0);
    for (int i = part.first_body; i < part.end_body; ++i) {
        const dp_link *link = &d->kin.link[i];
        const int t = m->body[i].tree;
        if (t >= 0 && d->scratch.tree_mode[t] == DP_TREE_EXPLICIT) {
            wrench[i] = link->F0;
        } else {
            wrench[i] = (dp_wrench){dp_v3_cross(link->J.h, lift), dp_v3_scale(lift, link->J.m)};
        }
    }
    if (f->any_external) {
        for (int i = part.first_body; i < part.end_body; ++i) {
            wrench[i] = dp_wrench_sub(wrench[i], f->external[i]);
        }
    }
}

static void accelerate(double *v1, const dp_data *d, double h, dp_trees part)
{
    for (int k = part.first_v; k < part.end_v; ++k) {
        v1[k] = d->v[k] + h * v1[k];
    }
}

static void stop_sleepers(double *v, const dp_data *d)
{
    const dp_model *m = d->model;
    for (int t = 0; d->sleep.count > 0 && t < m->size.ntree; ++t) {
        if (dp_is_asleep(d, t)) {
            memset(v + m->tree_start[t], 0,
                   (size_t)(m->tree_start[t + 1] - m->tree_start[t]) * sizeof *v);
        }
    }
}

// (SI 1) for v₁, body by body.
void dp_free_velocity_by_links(double *v1, dp_data *d, double h)
{
    const dp_trees all = dp_trees_of(d->model, 0, d->model->size.ntree);
    load_kick(d, h, all);
    dp_articulated_factor_solve(v1, &d->art, &d->kin, d->model, d->scratch.diagonal,
                                dp_forces_drag(d, h), d->scratch.rhs, d->scratch.wrench);
    accelerate(v1, d, h, all);
    stop_sleepers(v1, d);
}

// By M̃ of each tree. s->found: joints of one of them lock.
static void kick_run(dp_tree_job *s, int first, int end)
{
    dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_trees part = dp_trees_of(m, first, end);
    const dp_tree_ldl at = dp_model_branch(m);
    const int n = part.end_v - part.first_v;
    const size_t begin = at.start[part.first_v], size = at.start[part.end_v] - begin;
    double *const Mt = d->rows.inertia.Mt, *const LD = d->rows.inertia.LD, *const v1 = s->v1;
    load_kick(d, s->h, part);
    dp_crba_part(Mt, d->scratch.composite, &d->kin, m, d->scratch.diagonal, part.first_body,
                 part.end_body);
    const dp_body_drag drag = dp_forces_drag(d, s->h);
    if (drag.slope) {
        dp_crba_add_drag(Mt, d->art.inertia, &d->kin, m, drag, part.first_body, part.end_body);
    }
    memcpy(LD + begin, Mt + begin, size * sizeof *LD);
    if (dp_tree_ldl_factor_part(LD, at, part.first_v, part.end_v) >= 0) {
        atomic_store(&s->found, true);
        return;
    }
    memset(v1 + part.first_v, 0, (size_t)n * sizeof *v1);
    dp_project_wrenches_part(v1, d->scratch.wrench, &d->kin, m, part.first_body, part.end_body);
    for (int k = part.first_v; k < part.end_v; ++k) {
        v1[k] = d->scratch.rhs[k] - v1[k];
    }
    dp_tree_ldl_solve_part(v1, at, LD, part.first_v, part.end_v);
    accelerate(v1, d, s->h, part);
}

// All but those that sleep.
static dp_status kick_trees(void *job, int first, int end)
{
    dp_tree_job *s = job;
    const dp_data *d = s->d;
    for (int t = first, next; t < end; t = next) {
        const bool asleep = dp_is_asleep(d, t);
        for (next = t + 1; next < end && dp_is_asleep(d, next) == asleep;) {
            ++next;
        }
        if (!asleep) {
            kick_run(s, t, next);
        }
    }
    return DP_OK;
}

// The same by the matrix M̃ and its factor, where rows need both anyway: trees are not so deep that
// they may go without (lift_rows.c). Rows are expected where the last step had some.
void dp_free_velocity(double *v1, dp_data *d, double h)
{
    const dp_model *m = d->model;
    const double deep = 12.0; // degrees of freedom on the way to a root, on average
    const dp_tree_ldl at = dp_model_branch(m);
    d->rows.inertia.known = false;
    const bool none_expected = d->rows.now.nblock == 0 && d->sleep.count == 0;
    if (none_expected || (double)at.start[at.n] > deep * at.n) {
        dp_free_velocity_by_links(v1, d, h);
        return;
    }
    dp_tree_job s = {.d = d, .v1 = v1, .h = h};
    dp_spread_trees(d, kick_trees, &s);
    d->rows.inertia.known = !s.found; // of those that may have rows
    stop_sleepers(v1, d);
    if (s.found) {
        dp_free_velocity_by_links(v1, d, h);
    }
}

void dp_tendon_rates_expect(dp_data *d, double h, bool biased)
{
    const dp_tendon_inertia *set = &d->tendon_inertia;
    for (int n = 0; n < set->count; ++n) {
        const int i = set->tendon[n];
        const double change = biased ? h * dp_tendon_move(&d->kin, d->model, i, d->v).bias : 0.0;
        set->ahead[i] = dp_tendon_rate(&d->tendon, i, d->v) + change;
    }
}

// Joints that lock spoil the kick only where nothing else limits it.
dp_status dp_free_velocity_check(dp_data *d, const double *v)
{
    const dp_status status = dp_refuse_velocities(d, v);
    if (status != DP_OK) {
        dp_articulated_factor(&d->art, &d->kin, d->model, d->scratch.diagonal,
                              dp_forces_drag(d, d->options.step));
        DP_TRY(dp_refuse_singular(d)); // the better message
    }
    return status;
}
