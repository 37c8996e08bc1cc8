#include "dynamics/kinematics.h"

#include "math/angle.h"

#include <string.h>

void dp_kin_carve(dp_kin *kin, dp_carver *c, const dp_model *m)
{
    kin->link = dp_carve(c, (size_t)m->size.nbody, sizeof *kin->link);
    kin->S = dp_carve(c, (size_t)m->size.nv, sizeof *kin->S);
    kin->anchor = dp_carve(c, (size_t)m->size.njoint, sizeof *kin->anchor);
    kin->axis = dp_carve(c, (size_t)m->size.njoint, sizeof *kin->axis);
}

// One Newton step of 1/√n² from 1: enough for a product of quaternions that are unit to round-off.
static dp_quat renormalise(dp_quat q)
{
    const double s = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (dp_quat){q.w * s, q.x * s, q.y * s, q.z * s};
}

// Turn the frame about a point fixed in it.
static void turn_about(dp_pose *X, dp_quat turn, dp_v3 anchor_B, dp_v3 anchor_W)
{
    X->q = renormalise(dp_quat_mul(X->q, turn));
    X->p = dp_v3_sub(anchor_W, dp_quat_rotate(X->q, anchor_B));
}

// The pose that joint j leaves, and the directions of its motion (their velocity at the body's
// origin follows when that is known).
static void place_joint(dp_kin *kin, dp_pose *X, const dp_model *m, int j, const double *q)
{
    const dp_joint *joint = &m->joint[j];
    dp_twist *S = kin->S + joint->v_index;
    const double *qj = q + joint->q_index;
    switch (joint->kind) {
    case DP_JOINT_FREE: {
        *X = (dp_pose){dp_quat_load(qj + 3), dp_v3_load(qj)};
        kin->anchor[j] = X->p;
        kin->axis[j] = (dp_v3){0.0, 0.0, 0.0};
        const dp_m3 R = dp_m3_from_quat(X->q);
        for (int k = 0; k < 3; ++k) {
            S[k] = (dp_twist){{0.0, 0.0, 0.0}, {k == 0, k == 1, k == 2}};
            S[3 + k] = (dp_twist){dp_m3_column(&R, k), {0.0, 0.0, 0.0}};
        }
        break;
    }
    case DP_JOINT_BALL: {
        kin->anchor[j] = dp_pose_apply(*X, joint->anchor);
        kin->axis[j] = (dp_v3){0.0, 0.0, 0.0};
        turn_about(X, dp_quat_load(qj), joint->anchor, kin->anchor[j]);
        const dp_m3 R = dp_m3_from_quat(X->q);
        for (int k = 0; k < 3; ++k) {
            S[k].w = dp_m3_column(&R, k);
        }
        break;
    }
    case DP_JOINT_HINGE:
        kin->anchor[j] = dp_pose_apply(*X, joint->anchor);
        kin->axis[j] = dp_quat_rotate(X->q, joint->axis);
        turn_about(X, dp_quat_about(joint->axis, qj[0] - joint->ref), joint->anchor,
                   kin->anchor[j]);
        S[0].w = kin->axis[j];
        break;
    case DP_JOINT_SLIDE:
        kin->anchor[j] = dp_pose_apply(*X, joint->anchor);
        kin->axis[j] = dp_quat_rotate(X->q, joint->axis);
        X->p = dp_v3_madd(X->p, qj[0] - joint->ref, kin->axis[j]);
        S[0] = (dp_twist){{0.0, 0.0, 0.0}, kin->axis[j]};
        break;
    }
}

// The motion of turning joints at the body's final origin: v = w × (origin − anchor).
static void finish_joint(dp_kin *kin, const dp_model *m, int j, dp_v3 origin)
{
    const dp_joint *joint = &m->joint[j];
    if (joint->kind == DP_JOINT_BALL || joint->kind == DP_JOINT_HINGE) {
        const dp_v3 arm = dp_v3_sub(origin, kin->anchor[j]);
        for (int k = joint->v_index; k < joint->v_index + joint->nv; ++k) {
            kin->S[k].v = dp_v3_cross(kin->S[k].w, arm);
        }
    }
}

// Add the velocity of joint j to V and its share Ṡ v = V × S v of the bias acceleration to A.
static void move_joint(dp_twist *V, dp_twist *A, const dp_kin *kin, const dp_joint *joint,
                       const double *v)
{
    const dp_twist *S = kin->S + joint->v_index;
    const double *vj = v + joint->v_index;
    int k = 0;
    if (joint->kind == DP_JOINT_FREE) { // translation first: its axes do not turn
        V->v = dp_v3_add(V->v, dp_v3_load(vj));
        k = 3;
    }
    dp_twist u = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (; k < joint->nv; ++k) {
        u = dp_twist_madd(u, vj[k], S[k]);
    }
    *A = dp_twist_add(*A, dp_twist_cross(*V, u));
    *V = dp_twist_add(*V, u);
}

// What follows from pose and motion: the inertia in world axes and the wrench that v̇ = 0 needs,
//
//     J A0 + V ×* J V = (I α + ω × I ω + h × a,  m a + α × h + ω × (ω × h)),   a = v̇ + ω × v,
//
// with A0 = (α, v̇): a is the classical acceleration of the origin.
// Everything is written in place: copies by way of the stack would stall the processor.
static inline void finish_link(dp_link *link, const dp_body *body)
{
    dp_rigid_inertia *J = &link->J;
    J->m = body->mass;
    if (body->round) { // h = 0 and I = i 1: ω × I ω = 0
        J->h = body->moment;
        J->I = body->inertia;
        link->F0.t = dp_v3_scale(link->A0.w, J->I.xx);
        link->F0.f = dp_v3_scale(dp_v3_add(link->A0.v, dp_v3_cross(link->V.w, link->V.v)), J->m);
        return;
    }
    J->h = dp_m3_apply(&link->R, body->moment);
    J->I = dp_sym3_rotate(&link->R, body->inertia);
    const dp_v3 w = link->V.w, alpha = link->A0.w;
    const dp_v3 a = dp_v3_add(link->A0.v, dp_v3_cross(w, link->V.v));
    const dp_v3 spin = dp_v3_cross(w, dp_sym3_apply(J->I, w));
    const dp_v3 turning = dp_v3_cross(w, dp_v3_cross(w, J->h));
    link->F0.t = dp_v3_add(dp_v3_add(dp_sym3_apply(J->I, alpha), spin), dp_v3_cross(J->h, a));
    link->F0.f = dp_v3_add(dp_v3_madd(dp_v3_cross(alpha, J->h), J->m, a), turning);
}

// The usual body: one hinge. The same as placing and moving the joint, with fewer operations; fewer
// still where it hangs on the world, which is where all are measured from and does not move.
static void update_hinge(dp_kin *kin, const dp_model *m, int i, const double *q, const double *v)
{
    const dp_body *body = &m->body[i];
    const dp_link *parent = &kin->link[body->parent];
    const bool hangs = body->parent == 0;
    const int j = m->body_joint[body->joint_start];
    const dp_joint *joint = &m->joint[j];
    double s, c;
    dp_sincos(&s, &c, 0.5 * (q[joint->q_index] - joint->ref));
    const dp_quat a = body->hinge_cos, b = body->hinge_sin;
    const dp_quat turn = {c * a.w + s * b.w, c * a.x + s * b.x, c * a.y + s * b.y,
                          c * a.z + s * b.z};
    const dp_quat q_WB = hangs ? turn : dp_quat_mul(parent->X.q, turn);
    const dp_m3 R = dp_m3_from_quat(q_WB);

    const dp_v3 axis = dp_m3_apply(&R, joint->axis);
    const dp_v3 to_anchor =
        hangs ? body->hinge_anchor : dp_m3_apply(&parent->R, body->hinge_anchor);
    dp_v3 r = to_anchor;
    dp_twist S = {axis, {0.0, 0.0, 0.0}};
    if (!body->pure_turn) {
        const dp_v3 arm = dp_m3_apply(&R, joint->anchor); // from the origin to the anchor
        r = dp_v3_sub(to_anchor, arm);
        S.v = dp_v3_cross(arm, axis);
    }
    const double rate = v[joint->v_index];
    const dp_v3 w = dp_v3_scale(axis, rate); // A + V × (S rate), V + S rate
    dp_twist V = {w, dp_v3_scale(S.v, rate)}, A = parent->A0;
    if (!hangs) {
        const dp_twist before = dp_twist_shift(parent->V, r);
        A = dp_twist_shift(A, r);
        A.w = dp_v3_add(A.w, dp_v3_cross(before.w, w));
        A.v = dp_v3_add(A.v, dp_v3_cross(before.v, w));
        if (!body->pure_turn) {
            A.v = dp_v3_add(A.v, dp_v3_cross(before.w, V.v));
        }
        V = dp_twist_add(before, V);
    }
    dp_link *link = &kin->link[i];
    link->X.q = q_WB;
    link->X.p = hangs ? r : dp_v3_add(parent->X.p, r);
    link->R = R;
    link->r = r;
    link->V = V;
    link->A0 = A;
    finish_link(link, body);
    kin->S[joint->v_index] = S;
    kin->anchor[j] = hangs ? to_anchor : dp_v3_add(parent->X.p, to_anchor);
    kin->axis[j] = axis;
}

// What never changes of the motions of a free body.
static void fix_free(dp_kin *kin, const dp_model *m, int i)
{
    const int j = m->body_joint[m->body[i].joint_start];
    dp_twist *S = kin->S + m->joint[j].v_index;
    for (int k = 0; k < 3; ++k) {
        S[k] = (dp_twist){{0.0, 0.0, 0.0}, {k == 0, k == 1, k == 2}};
        S[3 + k].v = (dp_v3){0.0, 0.0, 0.0};
    }
    kin->axis[j] = (dp_v3){0.0, 0.0, 0.0};
}

// A free body: what update_general does, where the parent is the world.
static void update_free(dp_kin *kin, const dp_model *m, int i, const double *q, const double *v)
{
    const dp_body *body = &m->body[i];
    const int j = m->body_joint[body->joint_start];
    const double *qj = q + m->joint[j].q_index, *vj = v + m->joint[j].v_index;
    dp_twist *S = kin->S + m->joint[j].v_index;
    dp_link *link = &kin->link[i];
    const dp_v3 p = dp_v3_load(qj), u = dp_v3_load(vj);
    const dp_quat turn = dp_quat_load(qj + 3);
    const dp_m3 R = dp_m3_from_quat(turn);
    for (int k = 0; k < 3; ++k) {
        S[3 + k].w = dp_m3_column(&R, k);
    }
    const dp_v3 w = dp_m3_apply(&R, dp_v3_load(vj + 3));
    link->X.q = turn;
    link->X.p = link->r = kin->anchor[j] = p;
    link->R = R;
    link->V.w = w;
    link->V.v = u;
    link->A0.w = (dp_v3){0.0, 0.0, 0.0};
    link->A0.v = dp_v3_add(kin->link[0].A0.v, dp_v3_cross(u, w));
    finish_link(link, body);
}

// Any other body: no joint, several, or joints of other kinds.
static void update_general(dp_kin *kin, const dp_model *m, int i, const double *q, const double *v,
                           const dp_pose *mocap)
{
    const dp_body *body = &m->body[i];
    const dp_link *parent = &kin->link[body->parent];
    dp_pose X;
    if (body->mocap >= 0) {
        DP_ASSERT(mocap);
        X = mocap[body->mocap];
    } else {
        X.p = dp_v3_add(parent->X.p, dp_m3_apply(&parent->R, body->pose.p));
        X.q = body->turned ? renormalise(dp_quat_mul(parent->X.q, body->pose.q)) : parent->X.q;
    }
    DP_ASSERT(body->njoint == 0 || (q && v)); // what is fixed to the world has no joints
    for (int k = 0; k < body->njoint; ++k) {
        place_joint(kin, &X, m, m->body_joint[body->joint_start + k], q);
    }
    const dp_m3 R = dp_m3_from_quat(X.q);
    const dp_v3 r = dp_v3_sub(X.p, parent->X.p);
    dp_twist V = dp_twist_shift(parent->V, r);
    dp_twist A = dp_twist_shift(parent->A0, r);
    for (int k = 0; k < body->njoint; ++k) {
        const int j = m->body_joint[body->joint_start + k];
        finish_joint(kin, m, j, X.p);
        move_joint(&V, &A, kin, &m->joint[j], v);
    }
    dp_link *link = &kin->link[i];
    link->X = X;
    link->R = R;
    link->r = r;
    link->V = V;
    link->A0 = A;
    finish_link(link, body);
}

void dp_kin_fix(dp_kin *kin, const dp_model *m, const dp_pose *mocap, dp_v3 gravity)
{
    const dp_m3 R = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    kin->link[0] = (dp_link){.X = DP_IDENTITY_POSE, .R = R};
    kin->link[0].A0.v = dp_v3_scale(gravity, -1.0);
    finish_link(&kin->link[0], &m->body[0]);
    for (int i = 1; i < m->size.nbody; ++i) {
        if (m->body[i].tree < 0) {
            update_general(kin, m, i, NULL, NULL, mocap);
        } else if (m->body[i].floats) {
            fix_free(kin, m, i);
        }
    }
}

void dp_kin_update(dp_kin *kin, const dp_model *m, const double *q, const double *v)
{
    dp_kin_update_part(kin, m, q, v, 1, m->size.nbody);
}

void dp_kin_update_part(dp_kin *kin, const dp_model *m, const double *q, const double *v, int first,
                        int end)
{
    for (int i = first; i < end; ++i) {
        if (m->body[i].single_hinge) {
            update_hinge(kin, m, i, q, v);
        } else if (m->body[i].floats) {
            update_free(kin, m, i, q, v);
        } else if (m->body[i].tree >= 0) {
            update_general(kin, m, i, q, v, NULL);
        }
    }
}

void dp_kin_velocities(dp_twist *V, const dp_kin *kin, const dp_model *m, const double *v)
{
    V[0] = (dp_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    dp_kin_velocities_part(V, kin, m, v, 1, m->size.nbody);
}

void dp_kin_velocities_part(dp_twist *V, const dp_kin *kin, const dp_model *m, const double *v,
                            int first, int end)
{
    for (int i = first; i < end; ++i) {
        const dp_body *body = &m->body[i];
        if (body->floats) {
            const double *own = v + body->dof_start;
            V[i] = (dp_twist){dp_m3_apply(&kin->link[i].R, dp_v3_load(own + 3)), dp_v3_load(own)};
            continue;
        }
        V[i] = (dp_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        if (m->body[body->parent].tree >= 0) {
            V[i] = dp_twist_shift(V[body->parent], kin->link[i].r);
        }
        for (int k = body->dof_start; k < body->dof_start + body->ndof; ++k) {
            V[i] = dp_twist_madd(V[i], v[k], kin->S[k]);
        }
    }
}

void dp_kin_advance_joint(double *q_next, const dp_joint *joint, const double *q, const double *v,
                          double h)
{
    double *to = q_next + joint->q_index;
    const double *from = q + joint->q_index, *vj = v + joint->v_index;
    switch (joint->kind) {
    case DP_JOINT_FREE:
        for (int k = 0; k < 3; ++k) {
            to[k] = from[k] + h * vj[k];
        }
        to += 3;
        from += 3;
        vj += 3;
        // fallthrough
    case DP_JOINT_BALL: {
        const dp_quat turn = dp_quat_cayley(dp_v3_scale(dp_v3_load(vj), h));
        dp_quat_store(to, renormalise(dp_quat_mul(dp_quat_load(from), turn)));
        break;
    }
    case DP_JOINT_HINGE:
    case DP_JOINT_SLIDE:
        to[0] = from[0] + h * vj[0];
        break;
    }
}

void dp_kin_advance(double *q_next, const dp_model *m, const double *q, const double *v, double h)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        dp_kin_advance_joint(q_next, &m->joint[j], q, v, h);
    }
}

void dp_kin_rate(double *q_rate, const dp_model *m, const double *q, const double *v)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        double *to = q_rate + joint->q_index;
        const double *from = q + joint->q_index, *vj = v + joint->v_index;
        switch (joint->kind) {
        case DP_JOINT_FREE:
            memcpy(to, vj, 3 * sizeof *to);
            to += 3;
            from += 3;
            vj += 3;
            // fallthrough
        case DP_JOINT_BALL: { // q̇ = ½ q ∘ (0, ω)
            const dp_quat half = {0.0, 0.5 * vj[0], 0.5 * vj[1], 0.5 * vj[2]};
            dp_quat_store(to, dp_quat_mul(dp_quat_load(from), half));
            break;
        }
        case DP_JOINT_HINGE:
        case DP_JOINT_SLIDE:
            to[0] = vj[0];
            break;
        }
    }
}

static void normalise(double *at)
{
    dp_quat_store(at, dp_quat_unit(dp_quat_load(at)));
}

void dp_kin_normalise(double *q, const dp_model *m)
{
    for (int i = 0; i < m->nquaternion; ++i) {
        normalise(q + m->quaternion[i]);
    }
}

void dp_kin_normalise_part(double *q, const dp_model *m, int first, int end)
{
    for (int k = first; k < end;) {
        const dp_joint *joint = &m->joint[m->dof_joint[k]];
        if (joint->kind == DP_JOINT_FREE || joint->kind == DP_JOINT_BALL) {
            normalise(q + joint->q_index + (joint->kind == DP_JOINT_FREE ? 3 : 0));
        }
        k += joint->nv;
    }
}

void dp_kin_joint_displacement(double *e, const dp_model *m, const dp_joint *joint, const double *q)
{
    const double *at = q + joint->q_index, *rest = m->q_spring + joint->q_index;
    switch (joint->kind) {
    case DP_JOINT_FREE:
        for (int k = 0; k < 3; ++k) {
            e[k] = at[k] - rest[k];
        }
        e += 3;
        at += 3;
        rest += 3;
        // fallthrough
    case DP_JOINT_BALL: {
        const dp_quat back = dp_quat_conjugate(dp_quat_load(rest));
        dp_v3_store(e, dp_quat_log(dp_quat_mul(back, dp_quat_load(at))));
        break;
    }
    case DP_JOINT_HINGE:
    case DP_JOINT_SLIDE:
        e[0] = at[0] - rest[0];
        break;
    }
}

void dp_kin_jacobian(double *jacobian, const dp_kin *kin, const dp_model *m, int body, dp_v3 p)
{
    const size_t nv = (size_t)m->size.nv;
    memset(jacobian, 0, 6 * nv * sizeof *jacobian);
    for (int i = body; i > 0; i = m->body[i].parent) {
        const dp_body *at = &m->body[i];
        const dp_v3 r = dp_v3_sub(p, kin->link[i].X.p);
        for (int k = at->dof_start; k < at->dof_start + at->ndof; ++k) {
            const dp_twist s = dp_twist_shift(kin->S[k], r);
            const double column[6] = {s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z};
            for (size_t row = 0; row < 6; ++row) {
                jacobian[row * nv + (size_t)k] = column[row];
            }
        }
    }
}
