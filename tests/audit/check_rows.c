// Rows that are no contacts: loops, limits, tendons, dry friction, prescribed motions. Their gaps
// are recomputed from q; what they push with is compared with what the scene says of them.
//
// A row with stiffness k and dashpot b has, at the end of the step (step-problem.md, (SP 2)),
//
//     γ = −h k φ₁ − b (φ₁ − φ₀)                                                        (AR 1)
//
// where φ₁ is the gap at q₁; the engine meets φ(q₁) to gap_tolerance = 1e-10 m and the law to 1e-9
// m/s, so γ is known to (h² k + h b) (1e-9 m/s + 1e-10 m/h) and round-off. Rigid rows meet φ₁ = 0
// to h · 1e-9 m/s + 1e-10 m; where impulses press against each other, to (AN 1) of audit_noise.c
// besides. One-sided rows do not pull, and are rigid under rigid laws.
//
// In a split step (audit_motion.c) rows act at q₀ ⊕ h v, where v alone would lead, and φ₁ is the
// gap there. Rigid rows are closed at q₁ all the same; those that start violated are left as they
// are by v: φ(q₀ ⊕ h v) = φ₀ or, if they have one side, φ ≥ φ₀ and γ (φ − φ₀) = 0.             (AR
// 3)
#include "check_parts.h"

#include "audit_promises.h"

#include <math.h>
#include <string.h>

static const double RELATIVE = 1e-7;

// Bodies, joints and tendons as described: hinges and slides at their reference.
static void reference_state(double *q, const audit_scene *s)
{
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        double *x = q + joint->q;
        if (joint->kind == AUDIT_HINGE || joint->kind == AUDIT_SLIDE) {
            x[0] = joint->ref;
        } else if (joint->kind == AUDIT_BALL) {
            memcpy(x, (double[]){1, 0, 0, 0}, 4 * sizeof *x);
        } else {
            memcpy(x, s->body[joint->body].pos, 3 * sizeof *x);
            memcpy(x + 3, s->body[joint->body].quat, 4 * sizeof *x);
        }
    }
}

// The gap of an equality: up to six numbers, and how many; 0: not known here.
static int equality_gap(double gap[6], const audit_kinematics *k, const audit_kinematics *rest,
                        const audit_equality *e)
{
    const audit_scene *s = k->scene;
    switch (e->kind) {
    case AUDIT_CONNECT: {
        const pose *A = &k->body[e->object[0]].X, *B = &k->body[e->object[1]].X;
        const v3 there = pose_apply(&rest->body[e->object[0]].X, v3_load(e->anchor));
        const v3 local = pose_apply_inverse(&rest->body[e->object[1]].X, there);
        v3_store(gap, v3_sub(pose_apply(B, local), pose_apply(A, v3_load(e->anchor))));
        return 3;
    }
    case AUDIT_WELD: {
        const pose relative = pose_of(e->relpos, e->relquat);
        const pose at = pose_compose(&k->body[e->object[0]].X, &relative),
                   *B = &k->body[e->object[1]].X;
        // As MuJoCo has it, relpos is the place in the first body of the anchor in the second.
        v3_store(gap, v3_sub(pose_apply(B, v3_load(e->anchor)), at.p));
        const m3 back = m3_transpose(&at.R), turn = m3_multiply(&back, &B->R);
        v3_store(gap + 3, m3_log(&turn));
        return e->torquescale > 0.0 ? 6 : 3;
    }
    case AUDIT_DISTANCE: {
        const v3 a = pose_apply(&k->body[e->object[0]].X, v3_load(e->anchor)),
                 b = pose_apply(&k->body[e->object[1]].X, v3_load(e->anchor2));
        gap[0] = v3_norm(v3_sub(b, a)) - e->distance;
        return 1;
    }
    case AUDIT_EQ_JOINT:
    case AUDIT_EQ_TENDON: {
        double x[2] = {0.0, 0.0};
        for (int n = 0; n < 2; ++n) {
            const int o = e->object[n];
            if (o < 0) {
                continue;
            }
            if (e->kind == AUDIT_EQ_JOINT) {
                x[n] = k->q[s->joint[o].q] - s->joint[o].ref;
            } else {
                double now, then, gradient[AUDIT_NV];
                if (!audit_kin_tendon(&now, gradient, k, o) ||
                    !audit_kin_tendon(&then, gradient, rest, o)) {
                    return 0;
                }
                x[n] = now - then;
            }
        }
        double p = 0.0;
        for (int n = 4; n >= (e->object[1] >= 0 ? 0 : 4); --n) {
            p = p * x[1] + e->polycoef[n];
        }
        p = e->object[1] >= 0 ? p : e->polycoef[0];
        gap[0] = x[0] - p;
        return 1;
    }
    }
    return 0;
}

// Does some degree of freedom change the length of a tendon? Where none does, as between fixed
// places beside what it could wrap about, it has no rows.
static bool tendon_moves(const audit_kinematics *k, int tendon)
{
    double length = 0.0, gradient[AUDIT_NV];
    bool moves = !audit_kin_tendon(&length, gradient, k, tendon);
    const double round_off = 1e-14 * (1.0 + fabs(length)); // of sums of arms about the same length
    for (int i = 0; !moves && i < k->scene->nv; ++i) {
        moves = fabs(gradient[i]) > round_off;
    }
    return moves;
}

// The same of an equality; of two bodies with no joint between them none does.
static bool equality_moves(const audit_kinematics *k, const audit_equality *e)
{
    const bool bodies = e->kind != AUDIT_EQ_JOINT && e->kind != AUDIT_EQ_TENDON;
    bool moves = e->kind == AUDIT_EQ_JOINT;
    if (bodies &&
        audit_weld_root(k->scene, e->object[0]) == audit_weld_root(k->scene, e->object[1])) {
        return false;
    }
    for (int n = 0; n < 2 && !moves; ++n) {
        const int o = e->object[n];
        moves = e->kind == AUDIT_EQ_TENDON ? o >= 0 && tendon_moves(k, o) : k->body[o].moves;
    }
    return moves;
}

// The length that a limit bounds: q, the angle of a ball, or the length of a tendon.
static bool limited_length(double *x, const audit_kinematics *k, bool tendon, int element)
{
    if (tendon) {
        double gradient[AUDIT_NV];
        return audit_kin_tendon(x, gradient, k, element);
    }
    const audit_joint *joint = &k->scene->joint[element];
    if (joint->kind == AUDIT_BALL) {
        const m3 R = m3_of_quaternion(k->q + joint->q);
        *x = v3_norm(m3_log(&R));
    } else {
        *x = k->q[joint->q];
    }
    return joint->kind != AUDIT_FREE;
}

void audit_place_rest(audit_case *c)
{
    double q[AUDIT_NQ] = {0}, v[AUDIT_NV] = {0};
    reference_state(q, c->scene);
    audit_kin_place(&c->rest, c->scene, q, v, NULL);
}

bool audit_row_gap(double *gap, const audit_case *c, const audit_kinematics *k,
                   const audit_row *row)
{
    if (row->source == AUDIT_ROW_EQUALITY && row->component < 3) {
        double g[6];
        const int n = equality_gap(g, k, &c->rest, &c->scene->equality[row->element]);
        *gap = n > row->component ? g[row->component] : 0.0;
        return n > row->component;
    }
    const bool spring = row->source == AUDIT_ROW_TENDON_SPRING && row->k > 0.0;
    const bool tendon = spring || row->source == AUDIT_ROW_TENDON_LIMIT;
    if (!tendon && (row->source != AUDIT_ROW_JOINT_LIMIT ||
                    c->scene->joint[row->element].kind == AUDIT_BALL)) {
        return false;
    }
    const double *range = spring   ? c->scene->tendon[row->element].springlength
                          : tendon ? c->scene->tendon[row->element].range
                                   : c->scene->joint[row->element].range;
    double x;
    if (!limited_length(&x, k, tendon, row->element)) {
        return false;
    }
    *gap = row->component == 0 ? x - range[0] : range[1] - x;
    return true;
}

// The angle of a ball, which goes on growing where a step passes π: `from` is where it starts.
static double angle_of_ball(const double *q, const double *from)
{
    const double near = q[0] * from[0] + v3_dot(v3_load(q + 1), v3_load(from + 1));
    const double way = near * from[0] < 0.0 ? -1.0 : 1.0; // that of the start has a part ≥ 0
    return 2.0 * atan2(v3_norm(v3_load(q + 1)), way * q[0]);
}

// The limit of a ball starts along a plane that touches its sphere, and ends by its angle.
static double ball_bend(const audit_case *c, const audit_row *row)
{
    const audit_joint *joint = &c->scene->joint[row->element];
    const double *from = c->from->q + joint->q;
    const double end = joint->range[1] - angle_of_ball(c->q_kick + joint->q, from);
    return end - row->start_gap - c->h * audit_row_dot(c, row, c->v_kick);
}

bool audit_row_bend(double *bend, const audit_case *c, const audit_row *row)
{
    double end, start;
    if (row->source == AUDIT_ROW_JOINT_LIMIT && c->scene->joint[row->element].kind == AUDIT_BALL) {
        *bend = ball_bend(c, row);
        return true;
    }
    if (!audit_row_gap(&end, c, &c->kv, row) || !audit_row_gap(&start, c, &c->k0, row)) {
        return false;
    }
    *bend = end - start - c->h * audit_row_dot(c, row, c->v_kick);
    return true;
}

void audit_implicit_mass(double *M, const audit_case *c)
{
    double forces[AUDIT_NV] = {0};
    audit_kin_mass(M, &c->k0);
    audit_add_implicit(M, forces, c);
}

double audit_row_mass(const audit_case *c, const audit_row *row, const double *M)
{
    const int nv = c->scene->nv;
    double squares = 0.0, mass = 0.0;
    for (int i = 0; row->jacobian >= 0 && i < nv; ++i) {
        const double *G = c->now->G + row->jacobian;
        squares += G[i] * G[i];
        for (int j = 0; j < nv; ++j) {
            mass += G[i] * M[(size_t)i * (size_t)nv + (size_t)j] * G[j];
        }
    }
    return squares > 0.0 ? mass / (squares * squares) : 1.0; // what moves nothing counts as it is
}

static const audit_row *find_row(const audit_case *c, audit_row_source source, int element,
                                 int component)
{
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        if (r->source == source && r->element == element && r->component == component) {
            return r;
        }
    }
    return NULL;
}

// Impulses of one coordinate are solved for together: each has the round-off of the largest. Those
// of a step that corrects positions follow from those that correct them, and have their round-off.
static double round_off(const audit_case *c)
{
    double all = 0.0;
    if (c->split) {
        static _Thread_local double M[AUDIT_NV * AUDIT_NV];
        const int nv = c->scene->nv;
        audit_kin_mass(M, &c->k0);
        for (int i = 0; i < nv; ++i) {
            all += M[i * nv + i] * fabs(c->v_move[i] - c->v_kick[i]);
        }
    }
    for (int i = 0; i < c->now->nrow; ++i) {
        all += fabs(c->now->row[i].impulse);
    }
    return 1e-11 * all;
}

// How well velocities and gaps are met at the end of a step. @param row NULL: there is none
static double velocity_fuzz(const audit_case *c, const audit_row *row, double length)
{
    return audit_law_fuzz(c) + audit_row_noise(c, row) +
           (2.0 * AUDIT_GAP_TOLERANCE + 1e-14 * length) / c->h;
}

static double reach_of(const audit_case *c)
{
    double far = 1.0;
    for (int b = 1; b < c->scene->nbody; ++b) {
        far = fmax(far, v3_norm(c->k1.body[b].X.p));
    }
    return far;
}

static bool trees_known(const audit_case *c)
{
    for (int t = 0; t < c->k0.ntree; ++t) {
        if (c->mode[t] == TREE_UNKNOWN) {
            return false;
        }
    }
    return true;
}

// Did the library say that it could not do better?
static bool is_solved(const audit_case *c)
{
    return c->now->unsolved == 0 && c->now->outcome == 0 && c->now->recovering == 0;
}

// A rigid row that starts violated ends at rest, or leaves.
static void check_corrected(audit_case *c)
{
    for (int i = 0; i < c->now->nrow; ++i) {
        const audit_row *r = &c->now->row[i];
        if (!audit_row_is_corrected(c, r) || r->jacobian < 0 || r->source == AUDIT_ROW_CONTACT ||
            r->source == AUDIT_ROW_MOTION) {
            continue;
        }
        double start, end;
        if (!audit_row_gap(&start, c, &c->k0, r) || !audit_row_gap(&end, c, &c->kv, r)) {
            continue;
        }
        const double u = (end - start) / c->h, fuzz = velocity_fuzz(c, r, reach_of(c));
        const bool one_sided = r->lo == 0.0;
        audit_test(c, AUDIT_CLAIM_CORRECTION, one_sided ? -u : fabs(u), fuzz, "m/s, rad/s",
                   "row %d of source %d, element %d ends with a velocity", i, (int)r->source,
                   r->element);
        if (one_sided && r->impulse > round_off(c)) {
            audit_test(c, AUDIT_CLAIM_CORRECTION, u, fuzz + 1e-7 * fabs(u), "m/s, rad/s",
                       "row %d of source %d, element %d pushes and leaves", i, (int)r->source,
                       r->element);
        }
    }
}

static void check_one_limit(audit_case *c, bool tendon, int element, int end, double x0, double x1,
                            double xv, const double range[2], const audit_bearing *bearing)
{
    const double phi0 = end == 0 ? x0 - range[0] : range[1] - x0,
                 phi1 = end == 0 ? x1 - range[0] : range[1] - x1,
                 phi = end == 0 ? xv - range[0] : range[1] - xv; // where its spring acts
    const audit_row *row =
        find_row(c, tendon ? AUDIT_ROW_TENDON_LIMIT : AUDIT_ROW_JOINT_LIMIT, element, end);
    const bool rigid = audit_law_is_rigid(c->recording->law) || isinf(bearing->stiffness);
    const double far = reach_of(c) + fabs(x1), fuzz = velocity_fuzz(c, row, far);
    const char kind = tendon ? 't' : 'j';
    const double gamma = row ? row->impulse : 0.0;
    audit_test(c, AUDIT_CLAIM_PRESENT, -phi1, row ? INFINITY : c->h * fuzz + 1e-11 * far, "m, rad",
               "end %d of %c%d is passed without a row", end, kind, element);
    if (row) {
        audit_test(c, AUDIT_CLAIM_ROW, -row->impulse, round_off(c), "N s", "limit %d of %c%d pulls",
                   end, kind, element);
        const bool ball = !tendon && c->scene->joint[element].kind == AUDIT_BALL;
        if (!ball) {
            audit_test(c, AUDIT_CLAIM_JACOBIAN, fabs(row->start_gap - phi0), 1e-9 * far, "m, rad",
                       "gap of limit %d of %c%d", end, kind, element);
        }
    }
    if (rigid) {
        audit_test(c, AUDIT_CLAIM_LIMIT, -phi1, c->h * fuzz + 1e-11 * far, "m, rad",
                   "end %d of %c%d", end, kind, element);
        return;
    }
    const double k = bearing->stiffness, b = bearing->damping, h = c->h;
    const double slope = h * (h * k + b);
    const double way = phi - phi0;
    const double want = phi < 0.0 ? fmax(0.0, -h * k * phi - b * way) : 0.0;
    const double most = phi <= h * fuzz ? fmax(want, fmax(0.0, -b * way)) : want;
    const double least = phi < -h * fuzz ? want : 0.0;
    audit_test(c, AUDIT_CLAIM_ROW, fmax(least - gamma, gamma - most),
               slope * fuzz + RELATIVE * most, "N s",
               "impulse %.6g of limit %d of %c%d (expected %.6g)", gamma, end, kind, element, want);
}

static void check_limits(audit_case *c)
{
    const audit_scene *s = c->scene;
    for (int n = 0; n < s->njoint + s->ntendon; ++n) {
        const bool tendon = n >= s->njoint;
        const int i = tendon ? n - s->njoint : n;
        double x0, x1, xv;
        if (!(tendon ? s->tendon[i].limited : s->joint[i].limited) ||
            (tendon && !tendon_moves(&c->k0, i)) || !limited_length(&x0, &c->k0, tendon, i) ||
            !limited_length(&x1, &c->k1, tendon, i) || !limited_length(&xv, &c->kv, tendon, i)) {
            continue;
        }
        const double *range = tendon ? s->tendon[i].range : s->joint[i].range;
        const bool ball = !tendon && s->joint[i].kind == AUDIT_BALL;
        if (ball) {
            continue; // bounded along the direction of its motion, not by its angle
        }
        for (int end = 0; end < 2; ++end) {
            check_one_limit(c, tendon, i, end, x0, x1, xv, range,
                            tendon ? &s->tendon[i].limit : &s->joint[i].limit);
        }
    }
}

static void check_equalities(audit_case *c, const audit_kinematics *rest)
{
    const audit_scene *s = c->scene;
    for (int i = 0; i < s->nequality; ++i) {
        const audit_equality *e = &s->equality[i];
        double g0[6], g1[6], gv[6];
        const int n = equality_moves(&c->k0, e) ? equality_gap(g1, &c->k1, rest, e) : 0;
        equality_gap(g0, &c->k0, rest, e);
        equality_gap(gv, &c->kv, rest, e);
        const double far = reach_of(c);
        const bool whole = audit_step_is_whole(c);
        for (int m = 0; m < n; ++m) {
            const audit_row *row = whole ? find_row(c, AUDIT_ROW_EQUALITY, i, m) : NULL;
            const double fuzz = velocity_fuzz(c, row, far);
            if (isinf(e->bearing.stiffness)) {
                // Tolerances are lengths and velocities: the turn of a weld counts times its arm,
                // torquescale (step-problem.md, `len`).
                const double arm = m < 3 ? 1.0 : e->torquescale;
                audit_test(c, AUDIT_CLAIM_LOOP, fabs(g1[m]), c->h * fuzz / arm + 1e-11 * far,
                           m < 3 ? "m" : "rad", "component %d of e%d", m, i);
            }
            if (!whole) {
                continue;
            }
            audit_test(c, AUDIT_CLAIM_PRESENT, !row, 0, "1", "component %d of e%d has no row", m,
                       i);
            if (!row) {
                continue;
            }
            // Gaps of a weld's turning are in units of its own.
            const double unit = m < 3 ? 1.0 : NAN;
            if (unit == 1.0) {
                audit_test(c, AUDIT_CLAIM_JACOBIAN, fabs(row->start_gap - g0[m]), 1e-9 * far, "m",
                           "gap of component %d of e%d", m, i);
            }
            if (isfinite(e->bearing.stiffness) && m < 3) {
                const double k = e->bearing.stiffness, b = e->bearing.damping, h = c->h;
                // The dashpot sees the same motion, (φ₁ − φ₀)/h (rows.md).
                const double want = -h * k * gv[m] - b * (gv[m] - g0[m]);
                const double slope = h * (h * k + b);
                audit_test(c, AUDIT_CLAIM_ROW, fabs(row->impulse - want),
                           slope * fuzz + RELATIVE * fabs(want), "N s",
                           "impulse %.6g of component %d of e%d (expected %.6g)", row->impulse, m,
                           i, want);
            }
        }
    }
}

// Springs, dampers and armature of a tendon, in one sum along the length:
//
//     S = −h k (l₁ − band) − b h l̇ − a (l̇ − l̇₀),   l̇ = ∇l(q₀)·v                       (AR 2)
//
// A damper beside a spring without dead band sees (l₁ − l₀)/h instead of l̇.
static void check_tendons(audit_case *c)
{
    const audit_scene *s = c->scene;
    const double h = c->h;
    for (int i = 0; i < s->ntendon; ++i) {
        const audit_tendon *t = &s->tendon[i];
        double l0, l1, gradient[AUDIT_NV], other[AUDIT_NV], rate = 0.0, before = 0.0;
        if (!tendon_moves(&c->k0, i) || !audit_kin_tendon(&l0, gradient, &c->k0, i) ||
            !audit_kin_tendon(&l1, other, &c->kv, i)) {
            continue;
        }
        double size = 0.0;
        for (int n = 0; n < s->nv; ++n) {
            rate += gradient[n] * c->v_kick[n];
            before += gradient[n] * c->from->v[n];
            size += fabs(gradient[n] * c->v_kick[n]);
        }
        double got = 0.0, noise = 0.0;
        bool known = true;
        for (int r = 0; r < c->now->nrow; ++r) {
            const audit_row *row = &c->now->row[r];
            if (row->source != AUDIT_ROW_TENDON_SPRING || row->element != i) {
                continue;
            }
            known = known && row->jacobian >= 0;
            if (!known) {
                break;
            }
            double dot = 0.0;
            for (int n = 0; n < s->nv; ++n) {
                dot += c->now->G[row->jacobian + n] * gradient[n];
            }
            got += dot < 0.0 ? -row->impulse : row->impulse;
            noise = fmax(noise, audit_row_noise(c, row));
        }
        const bool dead = t->stiffness > 0.0 && t->springlength[0] < t->springlength[1];
        if (!known || (dead && audit_law_is_rigid(c->recording->law))) {
            continue; // one-sided rows are rigid there
        }
        const double over = l1 > t->springlength[1]   ? l1 - t->springlength[1]
                            : l1 < t->springlength[0] ? l1 - t->springlength[0]
                                                      : 0.0;
        const double way = t->stiffness > 0.0 && !dead ? l1 - l0 : h * rate;
        const double want = -h * t->stiffness * (t->stiffness > 0.0 ? over : 0.0) -
                            t->damping * way - t->armature * (rate - before);
        const double far = reach_of(c) + l1,
                     fuzz = velocity_fuzz(c, NULL, far) + noise + 1e-9 * size;
        const double slope = h * (h * t->stiffness + t->damping) + t->armature;
        audit_test(c, AUDIT_CLAIM_ROW, fabs(got - want),
                   slope * fuzz + RELATIVE * fabs(want) + 1e-300, "N s",
                   "impulse %.6g of the springs of t%d (expected %.6g)", got, i, want);
    }
}

// Dry friction: |γ| ≤ h f; against the motion with all it has, or no motion. It is met to a
// residual of law.tolerance, which is a velocity: in the impulse that is as much as its mass takes
// by it,
//
//     w |γ − P(γ − u/w)| ≤ tolerance/len,   P on |γ| ≤ h f                                    (AR
//     4)
static void check_dry_friction(audit_case *c)
{
    static _Thread_local double M[AUDIT_NV * AUDIT_NV];
    const audit_scene *s = c->scene;
    audit_implicit_mass(M, c);
    for (int j = 0; j < s->njoint; ++j) {
        const audit_joint *joint = &s->joint[j];
        for (int n = 0; joint->frictionloss > 0.0 && n < audit_joint_nv(joint); ++n) {
            const audit_row *row = find_row(c, AUDIT_ROW_JOINT_FRICTION, j, n);
            const double most = c->h * joint->frictionloss, v = c->v_kick[joint->v + n];
            const double fuzz = audit_law_fuzz(c) + audit_row_noise(c, row),
                         gamma = row ? row->impulse : 0.0;
            bool at_end = false;
            if (joint->limited) {
                for (int end = 0; end < 2; ++end) {
                    at_end = at_end || find_row(c, AUDIT_ROW_JOINT_LIMIT, j, end);
                }
            }
            if (!row) { // rests at a rigid end of its range
                audit_test(c, AUDIT_CLAIM_PRESENT, fabs(v), at_end ? INFINITY : 0.0, "m/s, rad/s",
                           "friction of j%d has no row", j);
                continue;
            }
            const double slack = round_off(c) + fuzz / row->len * audit_row_mass(c, row, M);
            audit_test(c, AUDIT_CLAIM_ROW, fabs(gamma), most + slack, "N s", "friction of j%d", j);
            if (fabs(v) > 400.0 * fuzz) {
                audit_test(c, AUDIT_CLAIM_ROW, fabs(gamma + copysign(most, v)),
                           RELATIVE * most + slack, "N s", "friction of j%d at %.3g", j, v);
            } else if (fabs(gamma) < 0.999 * most) {
                audit_test(c, AUDIT_CLAIM_ROW, fabs(v), 4.0 * fuzz, "m/s, rad/s",
                           "j%d held by friction", j);
            }
        }
    }
    for (int i = 0; i < s->ntendon; ++i) {
        if (s->tendon[i].frictionloss > 0.0) {
            const audit_row *row = find_row(c, AUDIT_ROW_TENDON_FRICTION, i, 0);
            const double most = c->h * s->tendon[i].frictionloss;
            if (row) {
                const double slack = round_off(c) + (audit_law_fuzz(c) + audit_row_noise(c, row)) /
                                                        row->len * audit_row_mass(c, row, M);
                audit_test(c, AUDIT_CLAIM_ROW, fabs(row->impulse), most + slack, "N s",
                           "friction of t%d", i);
                const double v = audit_row_dot(c, row, c->v_kick);
                if (fabs(v) > 1e-5) {
                    audit_test(c, AUDIT_CLAIM_ROW, fabs(row->impulse + copysign(most, v)),
                               RELATIVE * most + slack, "N s", "friction of t%d at %.3g m/s", i, v);
                }
            }
        }
    }
}

// A prescribed joint is where its motion says at the end of the step.
static void check_motions(audit_case *c)
{
    const audit_scene *s = c->scene;
    for (int i = 0; i < s->nmotion; ++i) {
        const audit_motion *m = &s->motion[i];
        if (m->joint < 0 || isfinite(m->bearing.stiffness)) {
            continue;
        }
        const double q = c->to->q[s->joint[m->joint].q],
                     want = audit_wave_at(&m->position[0], c->to->t);
        audit_test(c, AUDIT_CLAIM_LOOP, fabs(q - want),
                   c->h * audit_law_fuzz(c) + 1e-9 * (c->h + 1e-3) * (1.0 + fabs(want)), "m, rad",
                   "motion of j%d", m->joint);
    }
}

// Gradients of rows, by differences of the auditor's own gaps: G v ≈ (φ(q ⊕ s v) − φ(q ⊕ −s v))/2s.
// The difference has an error of order s² and of round-off over s; s = 1e-5/|v| balances them at
// about 1e-9 of the lengths.
static void check_gradients(audit_case *c, const audit_kinematics *rest)
{
    const audit_scene *s = c->scene;
    static _Thread_local audit_kinematics at[2];
    double fastest = 0.0, q[AUDIT_NQ];
    for (int i = 0; i < s->nv; ++i) {
        fastest = fmax(fastest, fabs(c->v_kick[i]));
    }
    if (!isnormal(fastest)) { // at rest, or so slow that no time is long enough for a difference
        return;
    }
    const double step = 1e-5 / fastest;
    for (int side = 0; side < 2; ++side) {
        audit_kin_advance(q, s, c->from->q, c->v_kick, side == 0 ? -step : step);
        audit_kin_place(&at[side], s, q, c->v_kick, c->mocap0);
    }
    for (int r = 0; r < c->now->nrow; ++r) {
        const audit_row *row = &c->now->row[r];
        double g[2] = {0.0, 0.0};
        bool known = false;
        if (row->jacobian < 0) {
            continue;
        }
        if (row->source == AUDIT_ROW_EQUALITY && row->component < 3) {
            double gap[6];
            for (int side = 0; side < 2; ++side) {
                known =
                    equality_gap(gap, &at[side], rest, &s->equality[row->element]) > row->component;
                g[side] = gap[row->component];
            }
        } else if (row->source == AUDIT_ROW_TENDON_LIMIT || row->source == AUDIT_ROW_JOINT_LIMIT) {
            const bool tendon = row->source == AUDIT_ROW_TENDON_LIMIT;
            if (!tendon && s->joint[row->element].kind == AUDIT_BALL) {
                continue;
            }
            for (int side = 0; side < 2; ++side) {
                known = limited_length(&g[side], &at[side], tendon, row->element);
                g[side] *= row->component == 0 ? 1.0 : -1.0;
            }
        }
        if (!known) {
            continue;
        }
        const double rate = (g[1] - g[0]) / (2.0 * step), got = audit_row_dot(c, row, c->v_kick);
        audit_test(c, AUDIT_CLAIM_JACOBIAN, fabs(rate - got), 1e-7 * fastest * reach_of(c), "m/s",
                   "row %d of source %d, element %d", r, (int)row->source, row->element);
    }
}

void audit_check_rows(audit_case *c)
{
    const audit_scene *s = c->scene;
    if (c->now->asleep > 0 || s->option.integrator != AUDIT_SEMI_IMPLICIT ||
        c->recording->law == AUDIT_ODE) {
        return;
    }
    if (!is_solved(c) || !trees_known(c) || !audit_step_is_plain(c) || audit_law_yields(c)) {
        return;
    }
    check_corrected(c);
    check_limits(c);
    check_equalities(c, &c->rest);
    check_tendons(c);
    check_dry_friction(c);
    check_motions(c);
    if (c->step % 4 == 0) {
        check_gradients(c, &c->rest);
    }
}
