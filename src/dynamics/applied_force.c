#include "dynamics/applied_force.h"

static dp_status evaluate_three(double x[3], dp_expression *const e[3], double t)
{
    for (int k = 0; k < 3; ++k) {
        x[k] = 0.0;
        if (e[k]) {
            DP_TRY(dp_expression_value(e[k], t, &x[k]));
        }
    }
    return DP_OK;
}

static void push_joint(double *tau, const dp_joint *joint, const double force[3],
                       const double torque[3])
{
    const int along = joint->kind == DP_JOINT_FREE ? 3 : joint->kind == DP_JOINT_SLIDE ? 1 : 0;
    DP_ASSERT(joint->nv <= along + 3);
    for (int k = 0; k < joint->nv; ++k) {
        tau[joint->v_index + k] += k < along ? force[k] : torque[k - along];
    }
}

static void push_body(dp_wrench *external, const dp_link *link, const dp_force *f, dp_v3 force,
                      dp_v3 torque)
{
    if (f->local) {
        const dp_quat axes = dp_quat_mul(link->X.q, f->frame.q);
        force = dp_quat_rotate(axes, force);
        torque = dp_quat_rotate(axes, torque);
    }
    const dp_v3 arm = dp_quat_rotate(link->X.q, f->frame.p);
    const dp_wrench w = {dp_v3_add(torque, dp_v3_cross(arm, force)), force};
    external[f->body] = dp_wrench_madd(external[f->body], 1.0, w);
}

dp_status dp_force_apply(double *tau, dp_wrench *external, const dp_kin *kin, const dp_model *m,
                         const dp_force *f, double t)
{
    double force[3] = {0.0}, torque[3] = {0.0};
    DP_TRY(evaluate_three(force, f->force, t));
    DP_TRY(evaluate_three(torque, f->torque, t));
    if (f->joint >= 0) {
        push_joint(tau, &m->joint[f->joint], force, torque);
    } else {
        push_body(external, &kin->link[f->body], f, dp_v3_load(force), dp_v3_load(torque));
    }
    return DP_OK;
}
