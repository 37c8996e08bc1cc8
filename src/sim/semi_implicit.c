// The semi-implicit step. Forces kick the velocities, then the mechanism drifts:
//
//     M̃ v₁ = M v₀ + h(τ − c) − h K(q₀ − q_rest),   M̃ = M + h D + h² K      (SI 1)
//     q₁ = q₀ ⊕ h v₁                                                       (SI 2)
//
// Springs, dampers and actuators that pull like springs and dampers are taken at the end of the
// step, so they are stable at any stiffness. (SI 1) is solved for a = (v₁ − v₀)/h by the
// articulated-body algorithm with the diagonal h D + h² K, which leaves  M̃ a = τ − c − D v₀ − K(q₀
// + h v₀ − q_rest).
//
// The velocity terms c are treated by tree:
//  * explicit: c at (q₀, v₀) while no body turns further than options.large_rotation in the step;
//  * spin: a single rigid body on a free or ball joint is kicked without velocity terms and then
//  turns freely by
//    the implicit midpoint rule (dynamics/spin.c), which keeps energy and momentum at any step;
//  * transport: beyond that, explicit terms gain energy without bound. The tree is kicked without
//    velocity terms to v₁ and drifts by (SI 2); each body carries its momentum freely to q₁ (linear
//    momentum in the world, angular momentum by dp_spin), where the joints project it back,
//
//        M(q₁) v₁⁺ = J(q₁)ᵀ p,                                             (SI 3)
//
//    the velocity nearest to the free motion in the norm of kinetic energy. The projection loses
//    energy of order h²; velocity terms do no work, so v₁⁺ is scaled back to the kinetic energy of
//    v₁ (about the centre of mass if the tree floats). Never further than the potentials and the
//    applied forces have given since the start of the step, which the kick alone does not respect
//    when it turns the mechanism far: so the energy of a mechanism that is left alone does not
//    grow, whatever h.
#include "sim/stepping.h"

#include "dynamics/recursive.h"
#include "dynamics/spin.h"

#include <string.h>

// Is tree t one rigid body (welded parts included) on a single free or ball joint?
static bool is_single_rigid(const dp_model *m, int t)
{
    const dp_body *root = &m->body[m->tree_body[t]];
    if (root->ndof != m->tree_start[t + 1] - m->tree_start[t] || root->njoint != 1) {
        return false;
    }
    const dp_joint *joint = &m->joint[m->body_joint[root->joint_start]];
    return (joint->kind == DP_FREE || joint->kind == DP_BALL) && joint->armature == 0.0;
}

static void choose_modes(dp_data *d, double h)
{
    const dp_model *m = d->model;
    uint8_t *mode = d->scratch.tree_mode;
    for (int t = 0; t < m->size.ntree; ++t) {
        mode[t] = is_single_rigid(m, t) ? DP_TREE_SPIN : DP_TREE_EXPLICIT;
    }
    const double limit = d->options.large_rotation / h;
    for (int i = 1; i < m->size.nbody; ++i) {
        const int t = m->body[i].tree;
        if (t >= 0 && mode[t] == DP_TREE_EXPLICIT &&
            dp_v3_dot(d->kin.link[i].V.w, d->kin.link[i].V.w) > limit * limit) {
            mode[t] = DP_TREE_TRANSPORT;
        }
    }
}

// A tree that starts slowly but is kicked hard turns far, too.
static bool choose_modes_after(dp_data *d, const double *v1, double h)
{
    const dp_model *m = d->model;
    uint8_t *mode = d->scratch.tree_mode;
    const double limit = d->options.large_rotation / h;
    bool changed = false;
    for (int t = 0; t < m->size.ntree; ++t) {
        for (int k = m->tree_start[t]; mode[t] == DP_TREE_EXPLICIT && k < m->tree_start[t + 1];
             ++k) {
            const dp_v3 w = d->kin.S[k].w; // a unit vector, or zero for translations
            if (fabs(v1[k]) > limit && dp_v3_dot(w, w) > 0.5) {
                mode[t] = DP_TREE_TRANSPORT;
                changed = true;
            }
        }
    }
    return changed;
}

// (SI 1) for v₁, with velocity terms only where they are explicit.
static void kick(double *v1, dp_data *d, double h)
{
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    double *rhs = d->scratch.rhs, *diagonal = d->scratch.diagonal;
    dp_forces_total(rhs, d);
    memcpy(diagonal, m->dof_armature, (size_t)m->size.nv * sizeof *diagonal);
    if (m->any_damper && !d->options.disable_dampers) {
        for (int k = 0; k < m->size.nv; ++k) {
            diagonal[k] += h * m->dof_damping[k];
        }
    }
    if (m->any_spring && !d->options.disable_springs) {
        for (int k = 0; k < m->size.nv; ++k) {
            const double hK = h * m->dof_stiffness[k];
            rhs[k] -= hK * d->v[k];
            diagonal[k] += h * hK;
        }
    }
    if (f->any_stiffness) {
        for (int k = 0; k < m->size.nv; ++k) {
            const double hK = h * f->stiffness[k];
            rhs[k] -= hK * d->v[k];
            diagonal[k] += h * hK + h * f->damping[k];
        }
    }
    dp_wrench *wrench = d->scratch.wrench;
    const dp_v3 lift = dp_v3_scale(d->key.gravity, -1.0);
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_link *link = &d->kin.link[i];
        const int t = m->body[i].tree;
        if (t >= 0 && d->scratch.tree_mode[t] == DP_TREE_EXPLICIT) {
            wrench[i] = link->F0;
        } else {
            wrench[i] = (dp_wrench){dp_v3_cross(link->J.h, lift), dp_v3_scale(lift, link->J.m)};
        }
    }
    if (f->any_external) {
        for (int i = 1; i < m->size.nbody; ++i) {
            wrench[i] = dp_wrench_sub(wrench[i], f->external[i]);
        }
    }
    dp_articulated_factor_solve(v1, &d->art, &d->kin, m, diagonal, rhs, wrench);
    for (int k = 0; k < m->size.nv; ++k) {
        v1[k] = d->v[k] + h * v1[k];
    }
}

static const dp_rigid_inertia NOTHING = {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};

// The free flight of one rigid body with inertia J about the root's origin: rotation by dp_spin
// about the pivot (a free body's centre of mass, a ball joint's anchor), the centre of mass along a
// line.
static void drift_single_rigid(double *q1, double *v1, const dp_data *d, const dp_rigid_inertia *J,
                               int b, double h)
{
    const dp_model *m = d->model;
    const int j = m->body_joint[m->body[b].joint_start];
    const dp_joint *joint = &m->joint[j];
    const dp_link *root = &d->kin.link[b];
    const bool is_free = joint->kind == DP_FREE;
    const dp_v3 pivot =
        is_free ? dp_v3_scale(J->h, 1.0 / J->m) : dp_v3_sub(d->kin.anchor[j], root->X.p);
    dp_rigid_inertia about_pivot = NOTHING;
    dp_rigid_inertia_accumulate(&about_pivot, J, dp_v3_scale(pivot, -1.0));
    const dp_m3 R_BW = dp_m3_transpose(&root->R);
    const dp_sym3 I = dp_sym3_rotate(&R_BW, about_pivot.I);

    const int at_q = joint->q_index + (is_free ? 3 : 0), at_v = joint->v_index + (is_free ? 3 : 0);
    const dp_v3 w0 = dp_v3_load(v1 + at_v);
    dp_v3 w1 = w0;
    dp_quat turn;
    dp_spin(&w1, &turn, I, h);
    const dp_quat q_after = dp_quat_unit(dp_quat_mul(dp_quat_load(d->q + at_q), turn));
    dp_v3_store(v1 + at_v, w1);
    dp_quat_store(q1 + at_q, q_after);
    if (is_free) {
        const dp_v3 after = dp_quat_rotate(q_after, dp_m3_apply_transposed(&root->R, pivot));
        const dp_v3 v_com = dp_v3_add(dp_v3_load(v1 + joint->v_index),
                                      dp_v3_cross(dp_m3_apply(&root->R, w0), pivot));
        const dp_v3 x_com = dp_v3_madd(dp_v3_add(root->X.p, pivot), h, v_com);
        dp_v3_store(q1 + joint->q_index, dp_v3_sub(x_com, after));
        dp_v3_store(v1 + joint->v_index,
                    dp_v3_sub(v_com, dp_v3_cross(dp_quat_rotate(q_after, w1), after)));
    }
}

static void drift_single_rigids(double *q1, double *v1, dp_data *d, double h)
{
    const dp_model *m = d->model;
    const uint8_t *mode = d->scratch.tree_mode;
    dp_rigid_inertia *J = d->scratch.composite; // at the index of each tree's root
    for (int t = 0; t < m->size.ntree; ++t) {
        J[m->tree_body[t]] = NOTHING;
    }
    for (int i = 1; i < m->size.nbody; ++i) { // welded parts turn with the root
        const int t = m->body[i].tree;
        if (t >= 0 && mode[t] == DP_TREE_SPIN) {
            const int b = m->tree_body[t];
            dp_rigid_inertia_accumulate(&J[b], &d->kin.link[i].J,
                                        dp_v3_sub(d->kin.link[i].X.p, d->kin.link[b].X.p));
        }
    }
    for (int t = 0; t < m->size.ntree; ++t) {
        if (mode[t] == DP_TREE_SPIN) {
            const int b = m->tree_body[t];
            drift_single_rigid(q1, v1, d, &J[b], b, h);
        }
    }
}

static bool is_transported(const dp_data *d, int body)
{
    const int t = d->model->body[body].tree;
    return t >= 0 && d->scratch.tree_mode[t] == DP_TREE_TRANSPORT;
}

// The sums of d->scratch.balance at the configuration of kin, which is that of q.
static void weigh_trees(dp_data *d, const dp_twist *V, const double *q, const double *v)
{
    const dp_model *m = d->model;
    dp_tree_balance *balance = d->scratch.balance;
    memset(balance, 0, (size_t)m->size.ntree * sizeof *balance);
    for (int i = 1; i < m->size.nbody; ++i) {
        if (!is_transported(d, i)) {
            continue;
        }
        const dp_body *body = &m->body[i];
        const dp_link *link = &d->kin.link[i];
        dp_tree_balance *sum = &balance[body->tree];
        const dp_wrench P = dp_rigid_inertia_apply(&link->J, V[i]);
        const dp_v3 moment = dp_v3_madd(link->J.h, link->J.m, link->X.p);
        const dp_v3 g = dp_v3_scale(d->key.gravity, 1.0 - body->gravity_compensation);
        sum->mass += link->J.m;
        sum->kinetic += 0.5 * dp_power(V[i], P);
        sum->potential -= dp_v3_dot(g, moment);
        sum->moment = dp_v3_add(sum->moment, moment);
        sum->weight = dp_v3_madd(sum->weight, link->J.m, g);
        sum->momentum = dp_v3_add(sum->momentum, P.f);
        for (int k = 0; k < body->njoint; ++k) {
            const dp_joint *joint = &m->joint[m->body_joint[body->joint_start + k]];
            double e[6];
            dp_kin_joint_displacement(e, m, joint, q);
            for (int c = 0; c < joint->nv; ++c) {
                const double vc = v[joint->v_index + c];
                sum->kinetic += 0.5 * joint->armature * vc * vc;
                if (!d->options.disable_springs) {
                    sum->potential += 0.5 * joint->stiffness * e[c] * e[c];
                }
            }
        }
    }
}

// Does nothing hold the tree's centre of mass?
static bool floats(const dp_model *m, int t)
{
    const dp_body *root = &m->body[m->tree_body[t]];
    const dp_joint *joint = &m->joint[m->body_joint[root->joint_start]];
    return joint->kind == DP_FREE && joint->stiffness == 0.0;
}

// The energy that counts: of a floating tree without the motion of its centre of mass and the fall
// of its weight, which are exact by themselves.
static double kinetic_part(const dp_model *m, const dp_tree_balance *b, int t)
{
    return floats(m, t) ? b->kinetic - 0.5 * dp_v3_dot(b->momentum, b->momentum) / b->mass
                        : b->kinetic;
}

static double potential_part(const dp_model *m, const dp_tree_balance *b, int t)
{
    return floats(m, t) ? b->potential + dp_v3_dot(b->weight, b->moment) / b->mass : b->potential;
}

// Add the work of the actuators and the user's forces at velocity v1 (V of the bodies) over the
// step.
static void add_applied_work(double *energy, const dp_data *d, const dp_twist *V, const double *v1,
                             double h)
{
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    for (int t = 0; t < m->size.ntree; ++t) {
        for (int k = m->tree_start[t]; k < m->tree_start[t + 1]; ++k) {
            // Servos pull with their force at the end of the step.
            const double servo = h * f->stiffness[k] * v1[k] + f->damping[k] * (v1[k] - d->v[k]);
            energy[t] += h * (f->actuation[k] - servo + f->applied[k]) * v1[k];
        }
    }
    for (int i = 1; f->any_external && i < m->size.nbody; ++i) {
        if (is_transported(d, i)) {
            energy[m->body[i].tree] += h * dp_power(V[i], f->external[i]);
        }
    }
}

// Scale the velocities of tree t (about its centre of mass if it floats) by s.
static void scale_tree(double *v1, const dp_model *m, const dp_tree_balance *b, int t, double s)
{
    double *root = v1 + m->tree_start[t]; // a free joint's linear velocity comes first
    const dp_v3 carried =
        floats(m, t) ? dp_v3_scale(b->momentum, (1.0 - s) / b->mass) : (dp_v3){0.0, 0.0, 0.0};
    for (int k = m->tree_start[t]; k < m->tree_start[t + 1]; ++k) {
        v1[k] *= s;
    }
    if (floats(m, t)) {
        dp_v3_store(root, dp_v3_add(dp_v3_load(root), carried));
    }
}

// When almost nothing is left of the momentum after a quarter turn, its direction means little.
static const double LARGEST_SCALE = 2.0;

// (SI 3) for all trees in that mode. On entry kin is at (q₀, v₀); on return it is at q₁.
static void transport(double *q1, double *v1, dp_data *d, double h)
{
    const dp_model *m = d->model;
    const uint8_t *mode = d->scratch.tree_mode;
    const dp_tree_balance *balance = d->scratch.balance;
    dp_twist *V = d->scratch.twist;
    dp_wrench *P = d->scratch.wrench;
    dp_v3 *spin = d->scratch.spin;
    double *energy = d->scratch.tree_energy;   // what the tree may have at the end
    double *kinetic = d->scratch.tree_kinetic; // after the kick

    dp_kin_velocities(V, &d->kin, m, d->v);
    weigh_trees(d, V, d->q, d->v);
    for (int t = 0; t < m->size.ntree; ++t) {
        energy[t] = mode[t] == DP_TREE_TRANSPORT
                        ? kinetic_part(m, &balance[t], t) + potential_part(m, &balance[t], t)
                        : 0.0;
    }
    dp_kin_velocities(V, &d->kin, m, v1);
    add_applied_work(energy, d, V, v1, h);
    weigh_trees(d, V, d->q, v1);
    for (int t = 0; t < m->size.ntree; ++t) {
        kinetic[t] = mode[t] == DP_TREE_TRANSPORT ? kinetic_part(m, &balance[t], t) : 0.0;
    }

    // Momenta at (q₀, v₁): linear in the world, angular about each centre of mass carried by the
    // body.
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_link *link = &d->kin.link[i];
        P[i] = dp_rigid_inertia_apply(&link->J, V[i]);
        dp_v3 w = dp_m3_apply_transposed(&link->R, V[i].w);
        if (is_transported(d, i)) {
            dp_spin(&w, NULL, m->body[i].inertia_com, h);
        }
        spin[i] = dp_sym3_apply(m->body[i].inertia_com, w);
    }
    dp_kin_update(&d->kin, m, q1, v1);
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_link *link = &d->kin.link[i];
        const dp_v3 c = link->J.m > 0.0 ? dp_v3_scale(link->J.h, 1.0 / link->J.m) : link->J.h;
        const dp_v3 L = dp_v3_add(dp_m3_apply(&link->R, spin[i]), dp_v3_cross(c, P[i].f));
        P[i] = (dp_wrench){dp_v3_scale(L, -1.0), dp_v3_scale(P[i].f, -1.0)};
    }
    double *rhs = d->scratch.rhs, *x = d->scratch.diagonal;
    for (int k = 0; k < m->size.nv; ++k) {
        rhs[k] = m->dof_armature[k] * v1[k];
    }
    dp_articulated_factor_solve(x, &d->art, &d->kin, m, m->dof_armature, rhs, P);
    for (int t = 0; t < m->size.ntree; ++t) {
        if (mode[t] == DP_TREE_TRANSPORT) {
            memcpy(v1 + m->tree_start[t], x + m->tree_start[t],
                   (size_t)(m->tree_start[t + 1] - m->tree_start[t]) * sizeof *v1);
        }
    }
    dp_kin_velocities(V, &d->kin, m, v1);
    weigh_trees(d, V, q1, v1);
    for (int t = 0; t < m->size.ntree; ++t) {
        if (mode[t] == DP_TREE_TRANSPORT) {
            d->info.transported++;
            const double projected = kinetic_part(m, &balance[t], t);
            const double limit = energy[t] - potential_part(m, &balance[t], t);
            const double target = limit < kinetic[t] ? limit : kinetic[t];
            if (projected > 0.0) {
                const double scale = target > 0.0 ? sqrt(target / projected) : 0.0;
                scale_tree(v1, m, &balance[t], t, scale < LARGEST_SCALE ? scale : LARGEST_SCALE);
            }
        }
    }
}

dp_status dp_step_semi_implicit(dp_data *d, double h)
{
    const dp_model *m = d->model;
    double *q1 = d->scratch.q, *v1 = d->scratch.v;
    DP_TRY(dp_forces_evaluate(d));
    d->info.evaluations++;
    dp_forces_release(d);
    choose_modes(d, h);
    kick(v1, d, h);
    if (choose_modes_after(d, v1, h)) {
        kick(v1, d, h);
    }
    // Newton's method on the clamps of the servos: a few passes settle them, and from then on
    // ranges can only be met, one at least in each pass.
    enum { FREE_PASSES = 8 };
    for (int pass = 0; dp_forces_saturate(d, v1, h, pass < FREE_PASSES); ++pass) {
        kick(v1, d, h);
    }
    dp_forces_advance_activation(d->scratch.activation, d, h);
    dp_kin_advance(q1, m, d->q, v1, h);
    drift_single_rigids(q1, v1, d, h);
    for (int t = 0; t < m->size.ntree; ++t) {
        if (d->scratch.tree_mode[t] == DP_TREE_TRANSPORT) {
            transport(q1, v1, d, h);
            d->key.moving = false; // kin has left the state behind
            break;
        }
    }
    return DP_OK;
}
