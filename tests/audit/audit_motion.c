// The velocities of a step, from the states at its ends. A step has up to three:
//   * v, which solves the equations of motion at q₀ (`v_kick`);
//   * v_move, by which bodies go their way, q₁ = q₀ ⊕ h v_move (`v_move`). It is v, but where the
//   step
//     corrects positions of rigid rows that start violated, or has impacts (`split`);
//   * v₁ at the end, at q₁.
//
// From v to v₁. One rigid body on a free or ball joint keeps its angular momentum about its centre
// of mass or anchor in the world, L = I₀ ω = I₁ ω₁, and the velocity of that point. In a split step
// it turns by a way that is not its own, by which it could gain energy: then ω₁ is scaled down to
// the energy of ω,
//
//     L₁ = s L,   s² = E(ω)/E(I₁⁻¹ L) < 1,   E₁ = E(ω).                                    (AV 1)
//
// Both are distinguished by the end alone: with ω′ = I₀⁻¹ L₁, E(ω′) ≥ E₁ without scaling, else
// E(ω′) = s² E(ω) = s² E₁, so that s is known. Other trees have v₁ = v.
//
// Tendons with armature a then take the rates of their gradients at q₁ (docs/theory/tendons.md, (SI
// 4)):
//
//     M₁ v₁ = M₁ v₁⁻ + Σ a J₁ᵀ (J₀ v − J₁ v₁),                                             (AV 2)
//
// from which v follows, as J₀ v is an affine function of itself. Its rates have the round-off of
// their sums of n terms, two of the library's and two of the auditor's, and as M₁ + Σ a J₁ᵀ J₁ ≥ M₁
// leave no more of it in v than
//
//     δv = 4 n ε Σ a |M₁⁻¹ J₁ᵀ| max(Σ |J₀ v|, Σ |J₁ v₁|).                                  (AV 4)
//
// A joint that a loop holds beside one that is fast has nothing but that.
//
// From q₁ to v_move. Hinges and slides add; rotations are Cayley's, so θ = 2 (vector)/(scalar) of
// the turn. A single rigid body turns by the implicit midpoint rule, θ = ½ h (ω + I⁻¹ Qᵀ I ω),
// linear in ω; beyond half a radian it does so in parts, and v_move is not known.
#include "check_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

int audit_root_joint(const audit_case *c, int tree)
{
    for (int j = 0; j < c->scene->njoint; ++j) {
        if (c->k0.tree_of_dof[c->scene->joint[j].v] == tree) {
            return j;
        }
    }
    return -1;
}

bool audit_tree_is_single(const audit_case *c, int tree)
{
    int n = 0;
    for (int j = 0; j < c->scene->njoint; ++j) {
        n += c->k0.tree_of_dof[c->scene->joint[j].v] == tree;
    }
    const audit_joint *root = &c->scene->joint[audit_root_joint(c, tree)];
    return n == 1 && (root->kind == AUDIT_FREE || root->kind == AUDIT_BALL) &&
           root->armature == 0.0;
}

static m3 inverse(const m3 *A)
{
    const v3 a = v3_load(A->m[0]), b = v3_load(A->m[1]), d = v3_load(A->m[2]);
    const v3 column[3] = {v3_cross(b, d), v3_cross(d, a), v3_cross(a, b)};
    const double det = v3_dot(a, column[0]);
    m3 out;
    for (int i = 0; i < 3; ++i) {
        const double x[3] = {column[i].x, column[i].y, column[i].z};
        for (int j = 0; j < 3; ++j) {
            out.m[j][i] = x[j] / det;
        }
    }
    return out;
}

// The inertia of a tree about a point that moves with it, at one moment.
static m3 inertia_about(const audit_kinematics *k, int tree, v3 point)
{
    m3 I = {{{0}}};
    for (int b = 1; b < k->scene->nbody; ++b) {
        const audit_frame *f = &k->body[b];
        if (f->tree != tree) {
            continue;
        }
        const v3 r = v3_sub(f->com, point);
        const double x[3] = {r.x, r.y, r.z}, m = k->scene->body[b].mass;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                I.m[i][j] += f->inertia.m[i][j] + m * ((i == j) * v3_dot(r, r) - x[i] * x[j]);
            }
        }
    }
    return I;
}

// The point about which a single body turns.
static v3 pivot_of(const audit_case *c, const audit_kinematics *k, int tree)
{
    const int j = audit_root_joint(c, tree);
    if (c->scene->joint[j].kind == AUDIT_BALL) {
        return k->anchor[j];
    }
    const v3 first = k->body[c->scene->joint[j].body].com; // differences keep their digits far away
    v3 moment = {0, 0, 0};
    double mass = 0.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        if (k->body[b].tree == tree) {
            mass += c->scene->body[b].mass;
            moment = v3_madd(moment, c->scene->body[b].mass, v3_sub(k->body[b].com, first));
        }
    }
    return v3_madd(first, 1.0 / mass, moment);
}

// The axes in which the velocities of the root joint are.
static const m3 *axes_of(const audit_case *c, const audit_kinematics *k, int tree)
{
    const int j = audit_root_joint(c, tree);
    const audit_joint *joint = &c->scene->joint[j];
    return joint->kind == AUDIT_BALL ? &k->joint_R[j] : &k->body[joint->body].X.R;
}

// v of a single body from its velocities `end` at q₁.
static void undo_spin(audit_case *c, const audit_kinematics *end, int tree)
{
    const audit_joint *joint = &c->scene->joint[audit_root_joint(c, tree)];
    const audit_momentum P = audit_kin_momentum(end, tree);
    double *v = c->v_kick + joint->v;
    const v3 at1 = pivot_of(c, end, tree), at0 = pivot_of(c, &c->k0, tree);
    const v3 L = audit_kin_angular(end, tree, at1);
    const m3 I0 = inertia_about(&c->k0, tree, at0), I1 = inertia_about(end, tree, at1);
    const m3 back0 = inverse(&I0), back1 = inverse(&I1);
    v3 w = m3_apply(&back0, L);
    c->spin_scale[tree] = 1.0;
    if (c->split) {
        const double before = v3_dot(L, w), after = v3_dot(L, m3_apply(&back1, L));
        if (after > before * (1.0 + 1e-14)) {
            c->spin_scale[tree] = sqrt(before / after);
            w = v3_scale(w, 1.0 / c->spin_scale[tree]);
        }
    }
    if (joint->kind == AUDIT_FREE) {
        const v3 vc = v3_scale(P.linear, 1.0 / P.mass);
        const audit_frame *f = &c->k0.body[joint->body];
        v3_store(v, v3_sub(vc, v3_cross(w, v3_sub(at0, f->X.p))));
        v += 3;
    }
    v3_store(v, m3_apply_transposed(axes_of(c, &c->k0, tree), w));
}

bool audit_solve(double *x, double *M, int n)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(M[i * n + k]) > fabs(M[p * n + k]) ? i : p;
        }
        if (M[p * n + k] == 0.0) {
            return false;
        }
        for (int j = 0; p != k && j < n; ++j) {
            const double t = M[k * n + j];
            M[k * n + j] = M[p * n + j];
            M[p * n + j] = t;
        }
        const double t = x[k];
        x[k] = x[p];
        x[p] = t;
        for (int i = k + 1; i < n; ++i) {
            const double f = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; ++j) {
                M[i * n + j] -= f * M[k * n + j];
            }
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) {
            x[k] -= M[k * n + j] * x[j];
        }
        x[k] /= M[k * n + k];
    }
    return true;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

typedef struct geared { // tendons with armature
    int count;
    double a[AUDIT_TENDONS], J0[AUDIT_TENDONS][AUDIT_NV], J1[AUDIT_TENDONS][AUDIT_NV];
    double back[AUDIT_TENDONS][AUDIT_NV]; // M₁⁻¹ J₁ᵀ
} geared;

// False: a path is not known here.
static bool find_geared(geared *g, const audit_case *c)
{
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    g->count = 0;
    for (int i = 0; i < c->scene->ntendon; ++i) {
        const int n = g->count;
        double length;
        if (c->scene->tendon[i].armature <= 0.0) {
            continue;
        }
        if (!audit_kin_tendon(&length, g->J0[n], &c->k0, i) ||
            !audit_kin_tendon(&length, g->J1[n], &c->k1, i)) {
            return false;
        }
        g->a[n] = c->scene->tendon[i].armature;
        memcpy(g->back[n], g->J1[n], sizeof g->back[n]);
        audit_kin_mass(M, &c->k1);
        if (!audit_solve(g->back[n], M, c->scene->nv)) {
            return false;
        }
        g->count++;
    }
    return true;
}

// v where tendons have the rates `rate` = J₀ v before (AV 2).
static void kick_at(audit_case *c, const geared *g, const double *rate)
{
    static _Thread_local audit_kinematics end;
    const int nv = c->scene->nv;
    memcpy(c->v_kick, c->to->v, sizeof c->v_kick);
    for (int n = 0; n < g->count; ++n) {
        const double push = g->a[n] * (rate[n] - dot(g->J1[n], c->to->v, nv));
        for (int i = 0; i < nv; ++i) {
            c->v_kick[i] -= push * g->back[n][i];
        }
    }
    audit_kin_place(&end, c->scene, c->to->q, c->v_kick, c->mocap1);
    for (int t = 0; t < c->k0.ntree; ++t) {
        c->spin_scale[t] = 1.0;
        if (audit_tree_is_single(c, t)) {
            undo_spin(c, &end, t);
        }
    }
}

static double sum_of_sizes(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += fabs(a[i] * b[i]);
    }
    return sum;
}

// (AV 4)
static void find_noise(audit_case *c, const geared *g)
{
    const int nv = c->scene->nv;
    memset(c->kick_noise, 0, sizeof c->kick_noise);
    for (int n = 0; n < g->count; ++n) {
        const double terms =
            fmax(sum_of_sizes(g->J0[n], c->v_kick, nv), sum_of_sizes(g->J1[n], c->to->v, nv));
        for (int i = 0; i < nv; ++i) {
            c->kick_noise[i] += 4.0 * nv * DBL_EPSILON * g->a[n] * fabs(g->back[n][i]) * terms;
        }
    }
}

// J₀ v is an affine function of the rates, which must be the same: a system of as many equations as
// there are tendons.
static void find_kick(audit_case *c)
{
    geared g;
    c->kick_known = find_geared(&g, c);
    const int n = c->kick_known ? g.count : 0;
    double rate[AUDIT_TENDONS] = {0}, first[AUDIT_TENDONS] = {0};
    double A[AUDIT_TENDONS * AUDIT_TENDONS];
    g.count = n;
    const bool split = c->split;
    c->split = split && n == 0; // (AV 1) scales, and is not affine
    kick_at(c, &g, rate);
    for (int i = 0; i < n; ++i) {
        first[i] = dot(g.J0[i], c->v_kick, c->scene->nv);
    }
    for (int k = 0; k < n; ++k) {
        double unit[AUDIT_TENDONS] = {0};
        unit[k] = 1.0;
        kick_at(c, &g, unit);
        for (int i = 0; i < n; ++i) {
            A[i * n + k] = (i == k) - (dot(g.J0[i], c->v_kick, c->scene->nv) - first[i]);
        }
    }
    // The columns are differences of rates, which may be large: what that leaves of their digits is
    // made up for by what is left of the equations.
    for (int pass = 0; pass < 3 && n > 0; ++pass) {
        double left[AUDIT_TENDONS], copy[AUDIT_TENDONS * AUDIT_TENDONS];
        kick_at(c, &g, rate);
        for (int i = 0; i < n; ++i) {
            left[i] = dot(g.J0[i], c->v_kick, c->scene->nv) - rate[i];
        }
        memcpy(copy, A, sizeof copy);
        c->kick_known = c->kick_known && audit_solve(left, copy, n);
        for (int i = 0; i < n; ++i) {
            rate[i] += left[i];
        }
    }
    c->split = split;
    if (n > 0) {
        kick_at(c, &g, rate);
    }
    find_noise(c, &g);
    for (int t = 0; n > 0 && t < c->k0.ntree; ++t) {
        c->kick_known = c->kick_known && c->spin_scale[t] > 1.0 - 1e-10;
    }
}

// θ of the Cayley turn from the orientation a to b.
static v3 cayley_way(const double a[4], const double b[4])
{
    const v3 x = v3_load(a + 1), y = v3_load(b + 1);
    const double w = a[0] * b[0] + v3_dot(x, y);
    const v3 turn = v3_sub(v3_sub(v3_scale(y, a[0]), v3_scale(x, b[0])), v3_cross(x, y));
    return v3_scale(turn, 2.0 / w);
}

static bool has_rows(const audit_case *c, int tree)
{
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        for (int n = 0; n < c->scene->nv; ++n) {
            if (c->k0.tree_of_dof[n] == tree &&
                (r->jacobian < 0 || c->now->G[r->jacobian + n] != 0.0)) {
                return true;
            }
        }
    }
    return false;
}

static void find_move(audit_case *c)
{
    const double h = c->h;
    memcpy(c->v_move, c->v_kick, sizeof c->v_move);
    for (int t = 0; t < c->k0.ntree; ++t) {
        c->way_known[t] = true;
    }
    for (int j = 0; c->split && j < c->scene->njoint; ++j) {
        const audit_joint *joint = &c->scene->joint[j];
        const double *a = c->from->q + joint->q, *b = c->to->q + joint->q;
        double *v = c->v_move + joint->v;
        const int tree = c->k0.tree_of_dof[joint->v];
        const bool single = audit_tree_is_single(c, tree);
        if (!has_rows(c, tree)) {
            continue; // it goes by v
        }
        if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
            v[0] = (b[0] - a[0]) / h;
            continue;
        }
        v3 w = v3_scale(cayley_way(joint->kind == AUDIT_FREE ? a + 3 : a,
                                   joint->kind == AUDIT_FREE ? b + 3 : b),
                        1.0 / h);
        if (single) {
            const double kicked =
                v3_norm(v3_load(c->v_kick + joint->v + (joint->kind == AUDIT_FREE ? 3 : 0)));
            c->way_known[tree] = h * fmax(kicked, v3_norm(w)) < 0.45;
            const v3 at = pivot_of(c, &c->k0, tree);
            const m3 I = inertia_about(&c->k0, tree, at), R0 = *axes_of(c, &c->k0, tree),
                     R1 = *axes_of(c, &c->k1, tree), R0t = m3_transpose(&R0);
            // In world axes at q₀: θ/h = ½ (1 + I⁻¹ Qᵀ I) ω, Q = R₁ R₀ᵀ.
            const m3 Q = m3_multiply(&R1, &R0t), Qt = m3_transpose(&Q), Ii = inverse(&I),
                     QI = m3_multiply(&Qt, &I);
            m3 A = m3_multiply(&Ii, &QI);
            for (int n = 0; n < 9; ++n) {
                A.m[n / 3][n % 3] = 0.5 * (A.m[n / 3][n % 3] + (n % 4 == 0));
            }
            const m3 Ai = inverse(&A);
            const v3 world = m3_apply(&Ai, m3_apply(&R0, w));
            w = m3_apply_transposed(&R0, world);
            if (joint->kind == AUDIT_FREE) { // the centre of mass goes straight
                const audit_momentum P0 = audit_kin_momentum(&c->k0, tree),
                                     P1 = audit_kin_momentum(&c->k1, tree);
                const v3 vc = v3_scale(v3_sub(P1.moment, P0.moment), 1.0 / (P0.mass * h));
                const v3 arm = v3_sub(at, c->k0.body[joint->body].X.p);
                v3_store(v, v3_sub(vc, v3_cross(world, arm)));
                v3_store(v + 3, w);
            } else {
                v3_store(v, w);
            }
            continue;
        }
        if (joint->kind == AUDIT_FREE) {
            v3_store(v, v3_scale(v3_sub(v3_load(b), v3_load(a)), 1.0 / h));
            v += 3;
        }
        v3_store(v, w);
    }
}

// The turn in body axes of a single body with ω in the time h, θ = ½ h (ω + I⁻¹ Qᵀ I ω), as (AV 3).
static v3 free_turn(const m3 *I, v3 w, double h)
{
    const m3 Ii = inverse(I);
    const v3 L = m3_apply(I, w);
    v3 theta = v3_scale(w, h);
    for (int pass = 0; pass < 60; ++pass) {
        const double s = 1.0 / (1.0 + 0.25 * v3_dot(theta, theta));
        // Qᵀ L of Cayley's Q
        const v3 x = v3_cross(theta, L), y = v3_cross(theta, x);
        const v3 turned = v3_madd(v3_madd(L, -s, x), 0.5 * s, y);
        theta = v3_scale(v3_add(w, m3_apply(&Ii, turned)), 0.5 * h);
    }
    return theta;
}

static void turn_by(double *out, const double *q, v3 theta)
{
    const double s = 1.0 / sqrt(1.0 + 0.25 * v3_dot(theta, theta));
    const v3 x = v3_load(q + 1), y = v3_scale(theta, 0.5 * s);
    out[0] = q[0] * s - v3_dot(x, y);
    v3_store(out + 1, v3_add(v3_add(v3_scale(y, q[0]), v3_scale(x, s)), v3_cross(x, y)));
}

// q₀ ⊕ h v
static void place_by_kick(audit_case *c)
{
    double q[AUDIT_NQ];
    const double h = c->h;
    for (int j = 0; j < c->scene->njoint; ++j) {
        const audit_joint *joint = &c->scene->joint[j];
        const double *from = c->from->q + joint->q, *v = c->v_kick + joint->v;
        double *to = q + joint->q;
        const int tree = c->k0.tree_of_dof[joint->v];
        if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
            to[0] = from[0] + h * v[0];
            continue;
        }
        const int turn = joint->kind == AUDIT_FREE ? 3 : 0;
        const v3 w = v3_load(v + turn);
        v3 theta = v3_scale(w, h);
        const bool single = audit_tree_is_single(c, tree);
        const v3 at = single ? pivot_of(c, &c->k0, tree) : (v3){0, 0, 0};
        if (single) {
            const m3 world = inertia_about(&c->k0, tree, at), R = *axes_of(c, &c->k0, tree),
                     Rt = m3_transpose(&R), IR = m3_multiply(&world, &R), I = m3_multiply(&Rt, &IR);
            theta = free_turn(&I, w, h);
        }
        turn_by(to + turn, from + (joint->kind == AUDIT_FREE ? 3 : 0), theta);
        if (joint->kind == AUDIT_FREE) {
            v3 x = v3_madd(v3_load(from), h, v3_load(v));
            if (single) { // the centre of mass goes straight
                const v3 arm = v3_sub(at, v3_load(from));
                const m3 R0 = m3_of_quaternion(from + 3), R1 = m3_of_quaternion(to + 3);
                const v3 vc = v3_add(v3_load(v), v3_cross(m3_apply(&R0, w), arm));
                x = v3_sub(v3_madd(at, h, vc), m3_apply(&R1, m3_apply_transposed(&R0, arm)));
            }
            v3_store(to, x);
        }
    }
    memcpy(c->q_kick, q, sizeof c->q_kick);
    audit_kin_place(&c->kv, c->scene, q, c->v_kick, c->mocap1);
}

void audit_find_velocities(audit_case *c)
{
    const bool projects =
        audit_law_is_rigid(c->recording->law) && c->scene->option.stabilisation == 1;
    c->corrects = c->now->corrected > 0.0;
    c->split = c->corrects || c->now->impacts > 0 || projects;
    find_kick(c);
    find_move(c);
    if (c->split) {
        place_by_kick(c);
    } else {
        c->kv = c->k1;
        memcpy(c->q_kick, c->to->q, sizeof c->q_kick);
    }
}
