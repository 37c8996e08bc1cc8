#include "dynamics/free_flight.h"

#include "dynamics/spin.h"

// A rigid body that turns about a pivot: a free body's centre of mass, a ball joint's anchor.
typedef struct turning_body {
    dp_v3 pivot; // from the origin, body axes
    dp_sym3 I;   // about the pivot, body axes
} turning_body;

static turning_body turning_of(const dp_kin *kin, const dp_model *m, int b, const dp_joint *joint,
                               const dp_rigid_inertia *J)
{
    const dp_body *body = &m->body[b];
    if (dp_is_alone(body) && joint->kind == DP_JOINT_FREE) { // as the model knows it
        return (turning_body){body->inertial.frame.p, body->inertia_com};
    }
    const dp_link *root = &kin->link[b];
    const dp_v3 pivot = joint->kind == DP_JOINT_FREE
                            ? dp_v3_scale(J->h, 1.0 / J->m)
                            : dp_v3_sub(kin->anchor[joint - m->joint], root->X.p);
    dp_rigid_inertia about_pivot = {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
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

void dp_free_flight(double *q1, double *v1, const dp_kin *kin, const dp_model *m, const double *q,
                    const double *move, int b, const dp_rigid_inertia *J, double h)
{
    const dp_joint *joint = &m->joint[m->body_joint[m->body[b].joint_start]];
    const dp_link *root = &kin->link[b];
    const bool is_free = joint->kind == DP_JOINT_FREE;
    const turning_body turning = turning_of(kin, m, b, joint, J);
    const dp_v3 pivot = turning.pivot;

    const int at_q = joint->q_index + (is_free ? 3 : 0), at_v = joint->v_index + (is_free ? 3 : 0);
    const dp_v3 w0 = dp_v3_load(v1 + at_v), w_move = dp_v3_load(move + at_v);
    dp_v3 w1 = w_move;
    dp_quat turn;
    dp_spin(&w1, &turn, turning.I, h);
    if (w0.x != w_move.x || w0.y != w_move.y || w0.z != w_move.z) {
        w1 = carry_spin(w0, turn, turning.I);
    }
    const dp_quat q_after = dp_quat_unit(dp_quat_mul(dp_quat_load(q + at_q), turn));
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
