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
//    turns freely by the implicit midpoint rule (dynamics/spin.c), which keeps energy and momentum
//    at any step;
//  * transport: a tree beyond the threshold is kicked without velocity terms, and its bodies carry
//    their momenta to q₁ (transport.c).
// Where explicit terms or kicks could gain energy without bound, the energy at the end of the step
// is limited (transport.c): in trees that turn fast, and in trees that can reach out.
#include "sim/ghosts.h"
#include "sim/ledger.h"
#include "sim/spread.h"
#include "sim/stepping.h"
#include "sim/transport.h"
#include "sim/velocity_split.h"

#include "dynamics/composite.h"
#include "dynamics/recursive.h"
#include "dynamics/spin.h"
#include "linalg/branch.h"

#include <stdatomic.h>
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

// How a tree can reach out by a slide that turns with it: then slow rotation is no bound on its
// energy.
typedef enum reach { REACH_NONE, REACH_HELD, REACH_FREE } reach; // held: by a spring or a servo

static reach stretches(const dp_data *d, int t)
{
    const dp_model *m = d->model;
    reach most = REACH_NONE;
    for (int k = m->tree_start[t]; k < m->tree_start[t + 1]; ++k) {
        if (m->dof_turned[k] && m->joint[m->dof_joint[k]].kind == DP_SLIDE) {
            if (m->dof_stiffness[k] == 0.0 && d->forces.stiffness[k] == 0.0) {
                return REACH_FREE;
            }
            most = REACH_HELD;
        }
    }
    return most;
}

// Below these shares of options.large_rotation a tree that stretches goes without the limit, which
// would be a bias in motion that is resolved well. Explicit velocity terms gain at most ³⁄₂ (hω)²
// of the energy in a step (a mass on a turning slide): 4e-5 at 0.005 rad, a half in 1e4 steps.
// Springs are implicit and lose more than that unless they are very soft.
static const double SLOW_SHARE[] = {[REACH_NONE] = 1.0, [REACH_HELD] = 0.2, [REACH_FREE] = 0.05};

// Does one rigid body turn, however far, without velocity terms? So does one that moves in a plane
// and turns about its centre of mass: its inertia does not change with its configuration. Judged at
// the velocities of the state, which must not be small.
static bool turns_steadily(const dp_data *d, int t)
{
    const double round_off = 1e-12;
    const dp_model *m = d->model;
    const dp_body *root = &m->body[m->tree_body[t]];
    if (root->ndof != m->tree_start[t + 1] - m->tree_start[t]) {
        return false;
    }
    const dp_v3 lift = dp_v3_scale(d->key.gravity, -1.0);
    double terms = 0.0, size = 0.0;
    for (int i = m->tree_body[t]; i < m->size.nbody; ++i) { // with what is welded to it
        if (m->body[i].tree == t) {
            const dp_link *link = &d->kin.link[i];
            const dp_wrench P = dp_rigid_inertia_apply(&link->J, link->V);
            terms += dp_v3_norm(dp_v3_sub(link->F0.t, dp_v3_cross(link->J.h, lift))) +
                     dp_v3_norm(dp_v3_madd(link->F0.f, -link->J.m, lift));
            size += dp_v3_norm(link->V.w) * (dp_v3_norm(P.t) + dp_v3_norm(P.f));
        }
    }
    return terms <= round_off * size;
}

// @param turn the angle of the fastest body in the step, in units of options.large_rotation
static void set_mode(dp_data *d, int t, double turn)
{
    const dp_model *m = d->model;
    dp_scratch *s = &d->scratch;
    if (is_single_rigid(m, t)) {
        s->tree_mode[t] = DP_TREE_SPIN;
        s->tree_limited[t] = turn > 1.0 && !dp_tree_floats(m, t);
    } else if (turn > 1.0) {
        s->tree_mode[t] = DP_TREE_TRANSPORT;
        s->tree_limited[t] = true;
    } else {
        s->tree_mode[t] = DP_TREE_EXPLICIT;
        s->tree_limited[t] = turn > SLOW_SHARE[REACH_FREE] && turn > SLOW_SHARE[stretches(d, t)];
    }
}

// The fastest angular velocity of each tree, squared, for body velocities V(i).
static void note_turn(double *fastest, const dp_model *m, int i, dp_v3 w)
{
    const int t = m->body[i].tree;
    const double w2 = dp_v3_dot(w, w);
    if (t >= 0 && w2 > fastest[t]) {
        fastest[t] = w2;
    }
}

typedef struct choosing {
    dp_data *d;
    double h;
} choosing;

static dp_status choose_modes_of(void *job, int first, int end)
{
    const choosing *s = job;
    dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_trees part = dp_trees_of(m, first, end);
    const double limit = d->options.large_rotation / s->h;
    double *fastest = d->scratch.tree_turn;
    memset(fastest + first, 0, (size_t)(end - first) * sizeof *fastest);
    for (int i = part.first_body; i < part.end_body; ++i) {
        note_turn(fastest, m, i, d->kin.link[i].V.w);
    }
    for (int t = first; t < end; ++t) {
        set_mode(d, t, sqrt(fastest[t]) / limit);
        d->scratch.tree_steady[t] =
            d->scratch.tree_mode[t] == DP_TREE_TRANSPORT && turns_steadily(d, t);
        if (d->scratch.tree_steady[t]) {
            d->scratch.tree_mode[t] = DP_TREE_EXPLICIT;
            d->scratch.tree_limited[t] = false;
        }
    }
    return DP_OK;
}

static void choose_modes(dp_data *d, double h)
{
    choosing s = {d, h};
    dp_spread_trees(d, choose_modes_of, &s);
}

// Could a body of a tree with explicit terms turn further than the limit at v1? The rates of its
// coordinates add up to a bound that needs no velocities of bodies.
static bool may_turn_far(const dp_data *d, const double *v1, double limit)
{
    const dp_model *m = d->model;
    for (int t = 0; t < m->size.ntree; ++t) {
        double sum = 0.0;
        for (int k = m->tree_start[t];
             d->scratch.tree_mode[t] == DP_TREE_EXPLICIT && k < m->tree_start[t + 1]; ++k) {
            const dp_v3 w = d->kin.S[k].w; // a unit vector, or zero for translations
            sum += dp_v3_dot(w, w) > 0.5 ? fabs(v1[k]) : 0.0;
        }
        if (sum > limit) {
            return true;
        }
    }
    return false;
}

// A tree that starts slowly but is kicked hard turns far, too. True when a mode has changed.
static bool choose_modes_after(dp_data *d, const double *v1, double h)
{
    const dp_model *m = d->model;
    const double limit = d->options.large_rotation / h;
    if (!may_turn_far(d, v1, limit)) {
        return false;
    }
    double *fastest = d->scratch.tree_turn;
    memset(fastest, 0, (size_t)m->size.ntree * sizeof *fastest);
    dp_spread_velocities(d->scratch.twist, d, v1);
    for (int i = 1; i < m->size.nbody; ++i) {
        note_turn(fastest, m, i, d->scratch.twist[i].w);
    }
    bool changed = false;
    for (int t = 0; t < m->size.ntree; ++t) {
        if (d->scratch.tree_mode[t] == DP_TREE_EXPLICIT && !d->scratch.tree_steady[t] &&
            fastest[t] > limit * limit) {
            set_mode(d, t, sqrt(fastest[t]) / limit);
            changed = true;
        }
    }
    return changed;
}

// The right-hand side of (SI 1) in d->scratch: forces in rhs, wrenches with velocity terms only
// where they are explicit, and what M̃ has besides M in diagonal.
static void load_kick(dp_data *d, double h, dp_trees part)
{
    const dp_model *m = d->model;
    const dp_forces *f = &d->forces;
    double *rhs = d->scratch.rhs, *diagonal = d->scratch.diagonal;
    dp_forces_total(rhs, d, part.first_v, part.end_v);
    memcpy(diagonal + part.first_v, m->dof_armature + part.first_v,
           (size_t)(part.end_v - part.first_v) * sizeof *diagonal);
    if (m->any_damper && !d->options.disable_dampers) {
        for (int k = part.first_v; k < part.end_v; ++k) {
            diagonal[k] += h * m->dof_damping[k];
        }
    }
    if (m->any_spring && !d->options.disable_springs) {
        for (int k = part.first_v; k < part.end_v; ++k) {
            const double hK = h * m->dof_stiffness[k];
            rhs[k] -= hK * d->v[k];
            diagonal[k] += h * hK;
        }
    }
    if (f->any_stiffness) {
        for (int k = part.first_v; k < part.end_v; ++k) {
            const double hK = h * f->stiffness[k];
            rhs[k] -= hK * d->v[k];
            diagonal[k] += h * hK + h * f->damping[k];
        }
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
static void kick(double *v1, dp_data *d, double h)
{
    const dp_trees all = dp_trees_of(d->model, 0, d->model->size.ntree);
    load_kick(d, h, all);
    dp_articulated_factor_solve(v1, &d->art, &d->kin, d->model, d->scratch.diagonal, d->scratch.rhs,
                                d->scratch.wrench);
    accelerate(v1, d, h, all);
    stop_sleepers(v1, d);
}

typedef struct kicking {
    dp_data *d;
    double *v1;
    double h;
    atomic_bool locked; // joints of some tree lock
} kicking;

// By M̃ of each tree.
static void kick_run(kicking *s, int first, int end)
{
    dp_data *d = s->d;
    const dp_model *m = d->model;
    const dp_trees part = dp_trees_of(m, first, end);
    const dp_branch at = dp_model_branch(m);
    const int n = part.end_v - part.first_v;
    const size_t begin = at.start[part.first_v], size = at.start[part.end_v] - begin;
    double *const Mt = d->rows.Mt, *const LD = d->rows.LD, *const v1 = s->v1;
    load_kick(d, s->h, part);
    dp_crba_part(Mt, d->scratch.composite, &d->kin, m, d->scratch.diagonal, part.first_body,
                 part.end_body);
    memcpy(LD + begin, Mt + begin, size * sizeof *LD);
    if (dp_branch_factor_part(LD, at, part.first_v, part.end_v) >= 0) {
        atomic_store(&s->locked, true);
        return;
    }
    memset(v1 + part.first_v, 0, (size_t)n * sizeof *v1);
    dp_project_wrenches_part(v1, d->scratch.wrench, &d->kin, m, part.first_body, part.end_body);
    for (int k = part.first_v; k < part.end_v; ++k) {
        v1[k] = d->scratch.rhs[k] - v1[k];
    }
    dp_branch_solve_part(v1, at, LD, part.first_v, part.end_v);
    accelerate(v1, d, s->h, part);
}

// All but those that sleep.
static dp_status kick_trees(void *job, int first, int end)
{
    kicking *s = job;
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
static void kick_by_matrix(double *v1, dp_data *d, double h)
{
    const dp_model *m = d->model;
    const double deep = 12.0; // degrees of freedom on the way to a root, on average
    const dp_branch at = dp_model_branch(m);
    d->rows.Mt_known = false;
    const bool none_expected = d->rows.now.nblock == 0 && d->sleep.count == 0;
    if (none_expected || (double)at.start[at.n] > deep * at.n) {
        kick(v1, d, h);
        return;
    }
    kicking s = {.d = d, .v1 = v1, .h = h};
    dp_spread_trees(d, kick_trees, &s);
    d->rows.Mt_known = !s.locked; // of those that may have rows
    stop_sleepers(v1, d);
    if (s.locked) {
        kick(v1, d, h);
    }
}

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

typedef struct drifting {
    dp_data *d;
    double *q1, *v1;
    const double *move, *end;
    double h;
} drifting;

static void stay(const drifting *s, int t)
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
    const drifting *s = job;
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
            drift_single_rigid(s->q1, s->v1, d, s->move, t, h);
            continue;
        }
        for (int k = m->tree_start[t]; k < m->tree_start[t + 1];) {
            const dp_joint *joint = &m->joint[m->dof_joint[k]];
            dp_kin_advance_joint(s->q1, joint, d->q, s->move, h);
            k += joint->nv;
        }
    }
    return DP_OK;
}

// q₁ and v₁ after moving with `move`, and ending with `end`, for the time of each tree (a share of
// h where limited, else h). kin is at q₀.
static void drift(double *q1, double *v1, dp_data *d, const double *move, const double *end,
                  double h)
{
    drifting s = {.d = d, .q1 = q1, .v1 = v1, .move = move, .end = end, .h = h};
    dp_spread_trees(d, drift_trees, &s);
}

// Rows are met at the end of the whole way: a tree with rows that cannot go there needs shorter
// steps.
static bool rows_are_reached(const dp_data *d)
{
    for (int t = 0; t < d->model->size.ntree; ++t) {
        if (d->scratch.tree_held[t] && d->scratch.tree_limited[t] &&
            d->scratch.budget[t].share < 1.0) {
            return false;
        }
    }
    return true;
}

// What rows give to one tree they take from another: where one of the trees that a row meets is
// limited, all are. True when one of them was not.
static bool spread_limit(dp_data *d, int block)
{
    const dp_model *m = d->model;
    const dp_step_problem *p = &d->rows.problem;
    const int *col = d->rows.rows.col + p->col_start[block];
    const int ncol = p->col_start[block + 1] - p->col_start[block];
    bool any = false, all = true;
    for (int k = 0; k < ncol; ++k) {
        const bool limited = d->scratch.tree_limited[m->body[m->dof_body[col[k]]].tree];
        any = any || limited;
        all = all && limited;
    }
    for (int k = 0; any && !all && k < ncol; ++k) {
        d->scratch.tree_limited[m->body[m->dof_body[col[k]]].tree] = 1;
    }
    return any && !all;
}

static void limit_neighbours(dp_data *d)
{
    if (!memchr(d->scratch.tree_limited, 1, (size_t)d->model->size.ntree)) {
        return;
    }
    bool more;
    do {
        more = false;
        for (int i = 0; i < d->rows.problem.nblock; ++i) {
            more = spread_limit(d, i) || more;
        }
    } while (more);
}

// The drift of an attempt whose trees go all the way.
static void drift_all_the_way(double *q1, double *v1, dp_data *d, const double *v, double h)
{
    for (int t = 0; t < d->model->size.ntree; ++t) {
        d->scratch.budget[t].share = 1.0;
    }
    drift(q1, v1, d, v, v, h);
}

// The rates that tendons with armature come to while no force acts: those that they have, where the
// step ends with (SI 4).
// @param biased with the change of gradients, J̇ v, for forces and accelerations of the step's start
static void expect_tendons(dp_data *d, double h, bool biased)
{
    const dp_tendon_inertia *set = &d->tendon_inertia;
    for (int n = 0; n < set->count; ++n) {
        const int i = set->tendon[n];
        const double change = biased ? h * dp_tendon_move(&d->kin, d->model, i, d->v).bias : 0.0;
        set->ahead[i] = dp_tendon_rate(&d->tendon, i, d->v) + change;
    }
}

// Rows have the armature of tendons along the gradients at the start, and leave it with the rate
// e = J₀ v + δ. At the end it must have J₁ v₁: bodies and armature go on with the velocities that
// are nearest to those that they have in the norm of kinetic energy,
//
//     (M + Σ a J₁ᵀ J₁) v₁′ = M v₁ + Σ a J₁ᵀ e,                                              (SI 4)
//
// a change of order h² by forces along the tendons, which adds no energy at any step.
static void carry_tendons(dp_data *d, const double *v, const double *q1, double *v1)
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

// Joints that lock spoil the kick only where nothing else limits it.
static dp_status refuse_kick(dp_data *d, const double *v)
{
    const dp_status status = dp_refuse_velocities(d, v);
    if (status != DP_OK) {
        dp_articulated_factor(&d->art, &d->kin, d->model, d->scratch.diagonal);
        DP_TRY(dp_refuse_singular(d)); // the better message
    }
    return status;
}

// Velocities at the end of the step before the mechanism drifts: kick, then what rows allow.
// Rows that are taken in on demand, and trees that turn out to turn far, make it start again; both
// only ever add, so it ends. So do contacts that turn out to be ghosts: they are left out once, and
// then only ever taken back.
static dp_status kick_with_rows(dp_data *d, dp_row_solve *s, double *v_free)
{
    for (;;) {
        dp_stage_enter(&d->stopwatch, DP_STAGE_FORCES);
        expect_tendons(d, s->h, false);
        kick_by_matrix(v_free, d, s->h);
        DP_TRY(refuse_kick(d, v_free));
        DP_TRY(dp_constrained_solve(d, s, d->scratch.diagonal));
        int more;
        DP_TRY(dp_constrained_meet(&more, d, s));
        dp_stage_enter(&d->stopwatch, DP_STAGE_END);
        more += choose_modes_after(d, s->v, s->h);
        more += dp_forces_judge(d->rows.rows.drive, d, s->v, s->h);
        more += dp_constrained_miss(d, s);
        if (more == 0) {
            const bool first = !d->rows.judged;
            more = dp_ghosts_judge(d, s);
            if (more > 0 && first) {
                choose_modes(d, s->h); // what was thrown by them does not turn far without them
            }
        }
        if (more == 0) {
            return DP_OK;
        }
        dp_forces_actuate(d, d->rows.rows.drive);
    }
}

// A rebound takes bodies elsewhere than the step without it: the contacts and limits that it would
// pass. @param more how many
static dp_status meet_after_impact(int *more, dp_data *d, const dp_row_solve *s)
{
    *more = 0;
    if (d->rows.split.impact.count == 0) {
        return DP_OK;
    }
    dp_row_solve moved = *s;
    moved.v = d->rows.split.move;
    moved.once = true; // what is known of the end is that of the step without the impact
    DP_TRY(dp_constrained_meet(more, d, &moved));
    dp_stage_enter(&d->stopwatch, DP_STAGE_END);
    drift_all_the_way(s->q1, s->v1, d, moved.v, s->h);
    d->rows.end_known = false;
    *more += dp_constrained_miss(d, &moved);
    return DP_OK;
}

// Velocities that move bodies and that end the step. Where impacts lead to contacts or limits that
// have no rows yet, they are found again with them; rows are only ever added, and contacts in no
// more rounds than dp_constrained_meet makes, so it ends.
static dp_status kick_and_split(dp_data *d, dp_row_solve *s)
{
    for (;;) {
        DP_TRY(kick_with_rows(d, s, d->scratch.free));
        limit_neighbours(d);
        DP_TRY(dp_velocity_split_find(d, s));
        int more;
        DP_TRY(meet_after_impact(&more, d, s));
        if (more == 0) {
            return DP_OK;
        }
        dp_forces_actuate(d, d->rows.rows.drive);
    }
}

static dp_status kick_freely(dp_data *d, double *v, double h)
{
    kick(v, d, h);
    if (choose_modes_after(d, v, h)) {
        kick(v, d, h);
    }
    return refuse_kick(d, v);
}

// Where rows can only be drives that come to an end of their force range or leave it, the last step
// had none, and none does so in this one, there are no rows.
static dp_status kick_within_ranges(bool *within, dp_data *d, double *v, double h)
{
    *within = false;
    uint8_t *stand = d->rows.possible ? d->rows.rows.drive : d->scratch.no_row;
    if (!d->rows.possible || (d->rows.only_drives && d->rows.now.nblock == 0)) {
        dp_forces_foresee(stand, d, h);
        dp_forces_actuate(d, stand);
        dp_sleep_check_forces(d);
        choose_modes(d, h);
        DP_TRY(kick_freely(d, v, h));
        *within = dp_forces_judge(stand, d, v, h) == 0;
    }
    return DP_OK;
}

dp_status dp_step_semi_implicit(dp_data *d, double h)
{
    double *q1 = d->scratch.q, *v1 = d->scratch.v, *v = d->scratch.kicked;
    dp_stage_enter(&d->stopwatch, DP_STAGE_FORCES);
    DP_TRY(dp_timed_expect(d, h));
    DP_TRY(dp_forces_evaluate(d));
    d->info.evaluations++;
    bool free;
    DP_TRY(kick_within_ranges(&free, d, v, h));
    dp_row_solve rows = {
        .h = h, .v_free = d->scratch.free, .v = v, .drift = drift_all_the_way, .q1 = q1, .v1 = v1};
    if (!free) {
        DP_TRY(dp_constrained_expect(d, h));
        dp_stage_enter(&d->stopwatch, DP_STAGE_FORCES);
        dp_forces_actuate(d, d->rows.rows.drive);
        const int asleep = d->sleep.count;
        dp_sleep_check_forces(d);
        if (d->sleep.count < asleep) { // some have woken: there is more that may touch
            DP_TRY(dp_constrained_expect(d, h));
            dp_forces_actuate(d, d->rows.rows.drive);
        }
        choose_modes(d, h);
        DP_TRY(kick_and_split(d, &rows));
    }
    const bool split = !free && d->rows.split.any;
    const double *move = split ? d->rows.split.move : v, *end = split ? d->rows.split.end : v;
    dp_forces_advance_activation(d->scratch.activation, d, h);
    if (d->options.ledger) {
        dp_stage_enter(&d->stopwatch, DP_STAGE_LEDGER);
        dp_ledger_open(d);
        dp_ledger_enter(d, move, h);
    }
    dp_stage_enter(&d->stopwatch, DP_STAGE_END);
    if (!dp_balance_open(d, move, end, h)) {
        if (free || split) {
            drift(q1, v1, d, move, end, h);
        }
        carry_tendons(d, end, q1, v1);
        return DP_OK;
    }
    d->rows.end_known = false; // it may end elsewhere
    do {
        drift(q1, v1, d, move, end, h);
    } while (dp_balance_shorten(d, q1, v1));
    d->rows.solved = d->rows.solved && rows_are_reached(d);
    if (d->options.ledger) {
        dp_ledger_shorten(d, move, h);
    }
    dp_balance_close(q1, v1, d, h);
    carry_tendons(d, end, q1, v1);
    return DP_OK;
}

static dp_status find_mean_forces(dp_data *d, double h)
{
    const dp_model *m = d->model;
    dp_constrained_certify(d); // what was solved last, in the step
    for (int t = 0; t < m->size.ntree; ++t) {
        d->scratch.tree_mode[t] = DP_TREE_EXPLICIT;
    }
    dp_row_solve rows = {.h = h,
                         .v_free = d->scratch.free,
                         .v = d->scratch.kicked,
                         .once = true,
                         .q1 = d->scratch.q,
                         .v1 = d->scratch.v};
    int more;
    DP_TRY(dp_timed_expect(d, h));
    DP_TRY(dp_constrained_expect(d, h));
    do {
        dp_forces_actuate(d, d->rows.rows.drive);
        expect_tendons(d, h, true);
        kick_by_matrix(d->scratch.free, d, h);
        DP_TRY(refuse_kick(d, d->scratch.free));
        DP_TRY(dp_constrained_solve(d, &rows, d->scratch.diagonal));
        DP_TRY(dp_constrained_meet(&more, d, &rows));
        more += dp_forces_judge(d->rows.rows.drive, d, rows.v, h);
        dp_kin_advance(rows.q1, m, d->q, rows.v, h);
        memcpy(rows.v1, rows.v, (size_t)m->size.nv * sizeof *rows.v1);
        more += dp_constrained_miss(d, &rows);
        more = more > 0 ? more : dp_ghosts_judge(d, &rows);
    } while (more > 0);
    if (!dp_constrained_any(d)) { // drives alone have their forces of this moment
        dp_constrained_clear(d);
        dp_forces_actuate(d, NULL);
        return DP_OK;
    }
    dp_forces_finish(d, rows.v, h, d->rows.drive_force);
    for (int k = 0; k < m->size.nv; ++k) {
        d->acceleration[k] = (rows.v[k] - d->v[k]) / h;
    }
    return DP_OK;
}

// Sleepers are held by contacts, too.
dp_status dp_mean_forces(dp_data *d, double h)
{
    d->sleep.ignored = true;
    const dp_status status = find_mean_forces(d, h);
    d->sleep.ignored = false;
    return status;
}
