// Momentum transport. Explicit velocity terms gain energy without bound when a body turns far in
// one step. A tree beyond options.large_rotation is kicked without them to v and drifts to q₁; each
// body carries its momentum freely to q₁ (linear momentum in the world, angular momentum by
// dp_spin), where the joints project it back,
//
//     M(q₁) v₁ = J(q₁)ᵀ p,                                                  (SI 3)
//
// the velocity nearest to the free motion in the norm of kinetic energy. The projection loses
// energy of order h²; velocity terms do no work, so v₁ is scaled back to the kinetic energy of v,
// unless rows act on the tree.
//
// The limit. A tree must end with  T₁ + U₁ ≤ T₀ + U₀ + W,  W being the work of actuators and
// applied forces; v₁ is scaled down to that. Where U₁ alone is more, the way was too long: the tree
// goes a half, a quarter … of it, and stops there. So the energy of a tree that is left alone does
// not grow, whatever the step. To first order the kick leaves  ½|v − v₀|²  to spare, hence the
// limit does not lower the order of the step.
//
// Trees whose gaps are not met have it, too, with what second order may leave to any tree that
// turns slowly with ω (tree_modes.c) and falls,
//
//     T₁ + U₁ ≤ T₀ + U₀ + W + ³⁄₂ (hω)² T₀ + m (h g)²,                                    (SI 5)
//
// up to which they end as they would without it. What rows give them is bounded (row_work.c).
//
// A floating tree is balanced, and scaled, about its centre of mass, which moves by itself; its
// linear momentum is kept to round-off.
#include "sim/step/step.h"

#include "dynamics/spin.h"
#include "sim/parallel_for.h"

#include <string.h>

static const double ROUND_OFF = 1e-13; // of the sums that make up the potential

static bool floats(const dp_data *d, int t)
{
    return d->scratch.budget[t].floats;
}

// Does a column of a block have an element?
static bool acts_on(const dp_rows *rows, int block, int k)
{
    const int ncol = rows->col_start[block + 1] - rows->col_start[block];
    const int nrow = rows->row_start[block + 1] - rows->row_start[block];
    const double *G = rows->G + rows->G_start[block];
    bool any = false;
    for (int i = 0; i < nrow; ++i) {
        any = any || G[i * ncol + k] != 0.0;
    }
    return any;
}

// Rows hold a tree, too, unless they act between its own bodies: those leave its centre of mass to
// itself, and have no element for the velocity of its root.
static void find_floating(dp_data *d)
{
    const dp_model *m = d->model;
    const dp_rows *rows = &d->rows.rows;
    dp_tree_budget *budget = d->scratch.budget;
    for (int t = 0; t < m->size.ntree; ++t) {
        const bool unknown = rows->lifted && d->scratch.tree_held[t]; // G is of links
        budget[t].floats = dp_tree_floats(m, t) && !unknown;
    }
    for (int b = 0; b < d->rows.problem.nblock; ++b) {
        const int *col = rows->col + rows->col_start[b];
        const int ncol = rows->col_start[b + 1] - rows->col_start[b];
        bool outer = false;
        for (int k = 0; k < ncol && !outer; ++k) {
            const int t = m->body[m->dof_body[col[k]]].tree;
            outer = t != m->body[m->dof_body[col[0]]].tree ||
                    (col[k] < m->tree_start[t] + 3 && acts_on(rows, b, k));
        }
        for (int k = 0; k < ncol && outer; ++k) {
            budget[m->body[m->dof_body[col[k]]].tree].floats = false;
        }
    }
}

// A tree with an impact, and one that closes gaps as far as they are to be, has accounts of its
// own.
static bool has_own_accounts(const dp_data *d, int t)
{
    const int why = dp_split_of(&d->rows, t);
    const bool unmet = d->scratch.tree_limited[t] & DP_LIMITED_BY_GAPS;
    return why == DP_SPLIT_BY_IMPACT || (why == DP_SPLIT_BY_CORRECTION && !unmet);
}

static bool is_transported(const dp_data *d, int body)
{
    const int t = d->model->body[body].tree;
    return t >= 0 && d->scratch.tree_mode[t] == DP_TREE_TRANSPORT;
}

static bool is_limited(const dp_data *d, int body)
{
    const int t = d->model->body[body].tree;
    return t >= 0 && d->scratch.tree_limited[t];
}

// The sums of the limited trees at the configuration of kin, which is that of q.
static void weigh_trees(dp_data *d, const dp_twist *V, const double *q, const double *v)
{
    dp_trees_weigh(d->scratch.balance, d->scratch.tree_limited, &d->kin, d->model, V, q, v,
                   d->key.gravity, !d->options.disable_springs);
}

// The velocity of a floating tree's centre of mass; zero for a tree that is held.
static dp_v3 carried_velocity(const dp_data *d, const dp_tree_balance *b, int t)
{
    return dp_v3_scale(b->momentum, floats(d, t) ? 1.0 / b->mass : 0.0);
}

// The energy that counts: of a floating tree without the motion of its centre of mass and the fall
// of its weight, which are exact by themselves.
static double kinetic_part(const dp_data *d, const dp_tree_balance *b, int t)
{
    return b->kinetic - 0.5 * dp_v3_dot(b->momentum, carried_velocity(d, b, t));
}

static double potential_part(const dp_data *d, const dp_tree_balance *b, int t)
{
    return floats(d, t) ? b->potential + dp_v3_dot(b->weight, b->moment) / b->mass : b->potential;
}

// The work of the actuators and the user's forces at velocity v (V of the bodies) over the step,
// without what they do to the centre of mass of a floating tree, and that of rows at the velocity
// `end`. The balance is that of v.
static void add_applied_work(dp_data *d, const dp_twist *V, const double *v, const double *end,
                             double h)
{
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    const dp_tree_balance *balance = d->scratch.balance;
    dp_tree_budget *budget = d->scratch.budget;
    for (int t = 0; t < m->size.ntree; ++t) {
        if (!d->scratch.tree_limited[t]) {
            continue;
        }
        for (int k = m->tree_start[t]; k < m->tree_start[t + 1]; ++k) {
            // Servos pull with their force at the end of the step.
            const double servo = h * f->stiffness[k] * v[k] + f->damping[k] * (v[k] - d->v[k]);
            budget[t].work += h * (f->actuation[k] - servo + f->applied[k]) * v[k];
        }
        if (floats(d, t)) {
            const dp_v3 push = dp_v3_add(dp_v3_load(f->actuation + m->tree_start[t]),
                                         dp_v3_load(f->applied + m->tree_start[t]));
            budget[t].work -= h * dp_v3_dot(push, carried_velocity(d, &balance[t], t));
        }
    }
    dp_row_work_add(d, end, h);
    for (int i = 1; f->any_external && i < m->size.nbody; ++i) {
        if (is_limited(d, i)) {
            const int t = m->body[i].tree;
            const dp_v3 carried = carried_velocity(d, &balance[t], t);
            const dp_twist relative = {V[i].w, dp_v3_sub(V[i].v, carried)};
            budget[t].work += h * dp_power(relative, dp_forces_external_at(d, i, V[i]));
        }
    }
}

// Explicit velocity terms are part of the kick, for the sake of momentum at q₁. Here we want it at
// q₀: what the forces alone have changed.
static void add_velocity_terms(dp_data *d, double h)
{
    const dp_model *m = d->model;
    for (int i = 1; i < m->size.nbody; ++i) {
        const int t = m->body[i].tree;
        if (is_limited(d, i) && d->scratch.tree_mode[t] == DP_TREE_EXPLICIT) {
            const dp_link *link = &d->kin.link[i];
            const dp_v3 terms = dp_v3_madd(link->F0.f, link->J.m, d->key.gravity);
            dp_v3 *p = &d->scratch.budget[t].momentum;
            *p = dp_v3_madd(*p, h, terms);
        }
    }
}

// (SI 5). Trees limited for another reason have nothing beyond (SI 4): these turn far, or are
// thrown.
static double second_order(const dp_data *d, const dp_tree_balance *b, int t, double h)
{
    if (d->scratch.tree_limited[t] != DP_LIMITED_BY_GAPS) {
        return 0.0;
    }
    const double turn = h * h * d->scratch.tree_turn[t], hg = h * dp_v3_norm(d->key.gravity);
    return 1.5 * turn * kinetic_part(d, b, t) + b->mass * hg * hg + ROUND_OFF * b->size;
}

bool dp_balance_open(dp_data *d, const double *move, const double *end, double h)
{
    const dp_model *m = d->model;
    const dp_tree_balance *balance = d->scratch.balance;
    dp_tree_budget *budget = d->scratch.budget;
    if (!dp_any_tree_limited(d)) {
        return false;
    }
    dp_twist *V = d->scratch.twist;
    find_floating(d);
    dp_spread_velocities(V, d, d->v);
    weigh_trees(d, V, d->q, d->v);
    for (int t = 0; t < m->size.ntree; ++t) {
        if (d->scratch.tree_limited[t]) {
            const dp_tree_balance *b = &balance[t];
            budget[t] = (dp_tree_budget){.energy = kinetic_part(d, b, t) + potential_part(d, b, t),
                                         .share = 1.0,
                                         .error = second_order(d, b, t, h),
                                         .floats = budget[t].floats};
        }
    }
    dp_spread_velocities(V, d, move);
    weigh_trees(d, V, d->q, move);
    add_applied_work(d, V, move, end, h);
    if (end != move) {
        dp_spread_velocities(V, d, end);
        weigh_trees(d, V, d->q, end);
    }
    for (int t = 0; t < m->size.ntree; ++t) {
        budget[t].momentum = balance[t].momentum;
    }
    add_velocity_terms(d, h);
    for (int t = 0; t < m->size.ntree; ++t) {
        if (d->scratch.tree_limited[t]) {
            const dp_tree_balance *b = &balance[t];
            const dp_v3 moment = dp_v3_madd(b->moment, h, budget[t].momentum);
            budget[t].kinetic = kinetic_part(d, b, t);
            budget[t].com = dp_v3_scale(moment, 1.0 / b->mass);
        }
    }
    // Of each body: linear momentum, and angular velocity in body axes.
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_link *link = &d->kin.link[i];
        d->scratch.wrench[i] = dp_rigid_inertia_apply(&link->J, V[i]);
        d->scratch.spin[i] = dp_m3_apply_transposed(&link->R, V[i].w);
    }
    return true;
}

bool dp_balance_shorten(dp_data *d, const double *q1, const double *v1)
{
    const double least_share = 0x1p-40; // a way below this is none
    const dp_model *m = d->model;
    dp_tree_budget *budget = d->scratch.budget;
    bool any = false;
    dp_spread_kin(&d->kin, d, q1, v1);
    weigh_trees(d, d->scratch.twist, q1, v1);
    for (int t = 0; t < m->size.ntree; ++t) {
        const dp_tree_balance *b = &d->scratch.balance[t];
        // Where gaps are not met it goes the whole way all the same, and ends at rest.
        const bool may_stop = d->scratch.tree_limited[t] & ~DP_LIMITED_BY_GAPS;
        if (may_stop && dp_split_of(&d->rows, t) == DP_SPLIT_NOT && budget[t].share > 0.0 &&
            potential_part(d, b, t) >
                budget[t].energy + budget[t].share * budget[t].work + ROUND_OFF * b->size) {
            budget[t].share = budget[t].share > least_share ? 0.5 * budget[t].share : 0.0;
            any = true;
        }
    }
    if (any) {
        dp_spread_kin(&d->kin, d, d->q, d->v);
    }
    d->key.moving = false; // kin may have left the state behind
    return any;
}

// (SI 3) for the trees in that mode.
static void transport(double *v1, dp_data *d, double h)
{
    const dp_model *m = d->model;
    dp_wrench *P = d->scratch.wrench;
    for (int i = 1; i < m->size.nbody; ++i) {
        const dp_link *link = &d->kin.link[i];
        dp_v3 w = d->scratch.spin[i];
        if (is_transported(d, i)) {
            dp_spin(&w, NULL, m->body[i].inertia_com, h * d->scratch.budget[m->body[i].tree].share);
        }
        const dp_v3 spin = dp_m3_apply(&link->R, dp_sym3_apply(m->body[i].inertia_com, w));
        const dp_v3 L = dp_v3_add(spin, dp_v3_cross(dp_body_centre(&d->kin, m, i), P[i].f));
        P[i] = (dp_wrench){dp_v3_scale(L, -1.0), dp_v3_scale(P[i].f, -1.0)};
    }
    double *rhs = d->scratch.rhs, *x = d->scratch.diagonal;
    for (int k = 0; k < m->size.nv; ++k) {
        rhs[k] = m->dof_armature[k] * v1[k];
    }
    dp_articulated_factor_solve(x, &d->art, &d->kin, m, m->dof_armature, (dp_body_drag){NULL, 0.0},
                                rhs, P);
    for (int t = 0; t < m->size.ntree; ++t) {
        if (d->scratch.tree_mode[t] == DP_TREE_TRANSPORT) {
            d->report->transported++;
            memcpy(v1 + m->tree_start[t], x + m->tree_start[t],
                   (size_t)(m->tree_start[t + 1] - m->tree_start[t]) * sizeof *v1);
        }
    }
}

// Scale the velocities of tree t (about its centre of mass if it floats) by s.
static void scale_tree(double *v1, const dp_data *d, const dp_tree_balance *b, int t, double s)
{
    const dp_model *m = d->model;
    const dp_v3 carried = dp_v3_scale(carried_velocity(d, b, t), 1.0 - s);
    double *root = v1 + m->tree_start[t]; // a free joint's linear velocity comes first
    for (int k = m->tree_start[t]; k < m->tree_start[t + 1]; ++k) {
        v1[k] *= s;
    }
    if (floats(d, t)) {
        dp_v3_store(root, dp_v3_add(dp_v3_load(root), carried));
    }
}

// Put the centre of mass of a floating tree where it belongs, with the momentum that belongs to it:
// turning about the root by a finite angle has moved it.
static void set_centre_of_mass(double *q1, double *v1, const dp_model *m, const dp_tree_balance *b,
                               const dp_tree_budget *budget, int t)
{
    double *q = q1 + m->joint[m->dof_joint[m->tree_start[t]]].q_index;
    double *v = v1 + m->tree_start[t];
    const dp_v3 off = dp_v3_madd(budget->com, -1.0 / b->mass, b->moment);
    const dp_v3 lost = dp_v3_scale(dp_v3_sub(budget->momentum, b->momentum), 1.0 / b->mass);
    dp_v3_store(q, dp_v3_add(dp_v3_load(q), off));
    dp_v3_store(v, dp_v3_add(dp_v3_load(v), lost));
}

// When almost nothing is left of the momentum after a quarter turn, its direction means little.
static const double LARGEST_SCALE = 2.0;

// Scale the velocities of tree t, and those kept from before the drift, down to its limit. @return
// whether it had more than that
static bool limit_tree(double *q1, double *v1, double *kept, const dp_data *d, int t)
{
    const dp_tree_balance *b = &d->scratch.balance[t];
    const dp_tree_budget *budget = &d->scratch.budget[t];
    const double now = kinetic_part(d, b, t), work = budget->work - budget->row_excess;
    const double limit =
        budget->energy + budget->share * work + budget->error - potential_part(d, b, t);
    double target = now, largest = 1.0;
    if (d->scratch.tree_limited[t] == DP_LIMITED_BY_GAPS && now <= limit) {
        return false; // else it moves as any other
    }
    // What the projection took is given back, unless rows act: they take, too, what they gave.
    if (d->scratch.tree_mode[t] == DP_TREE_TRANSPORT && !d->scratch.tree_held[t]) {
        target = budget->kinetic;
        largest = LARGEST_SCALE;
    }
    target = target < limit ? target : limit;
    if (now > 0.0) {
        const double most = target > 0.0 ? sqrt(target / now) : 0.0;
        const double scale = most < largest ? most : largest;
        scale_tree(v1, d, b, t, scale);
        scale_tree(kept, d, b, t, scale);
    }
    if (floats(d, t)) {
        set_centre_of_mass(q1, v1, d->model, b, budget, t);
    }
    return now > limit;
}

int dp_balance_close(double *q1, double *v1, const double **end, dp_data *d, double h)
{
    const dp_model *m = d->model;
    double *const kept = d->scratch.rhs;
    if (memchr(d->scratch.tree_mode, DP_TREE_TRANSPORT, (size_t)m->size.ntree)) {
        transport(v1, d, h);
    }
    memcpy(kept, *end, (size_t)m->size.nv * sizeof *kept);
    dp_twist *V = d->scratch.twist;
    dp_spread_velocities(V, d, v1);
    weigh_trees(d, V, q1, v1);
    int limited = 0;
    for (int t = 0; t < m->size.ntree; ++t) {
        if (d->scratch.tree_limited[t] && !has_own_accounts(d, t)) {
            limited += limit_tree(q1, v1, kept, d, t);
        }
    }
    *end = kept;
    return limited;
}
