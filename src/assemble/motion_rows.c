// Joints that are moved by expressions: φ = q − f(t), which is to be zero at the end of the step.
//
// φ_t is the mean rate −(f(t + h) − f(t))/h rather than −ḟ: then φ + h φ̇ = q + h v − f(t + h), so
// that the joint is where f says at the end of every step, whatever its length, and no derivative
// of f is asked for, which need not exist. The dashpot of a bearing sees the same mean.
//
// For a ball φ is θ, the rotation vector of the joint as seen from where f says, with the gradient
// of turn.h; it is not linear in v and evaluated again at the end of the step.
#include "assemble/row_sources.h"
#include "assemble/turn.h"
#include "model/motion.h"

#include <math.h>

static dp_status refuse_speed(const dp_motion_target *target, double t, double h)
{
    const double largest = 1e60; // as in a step: its powers must stay finite
    const double rate = (target->end - target->start) / h;
    if (fabs(rate) < largest && fabs(target->start) < largest) {
        return DP_OK;
    }
    return dp_fail(DP_ERROR_NUMERIC,
                   "from %g to %g in a step of %g s at t = %.10g s (expected numbers of physical "
                   "size)",
                   target->start, target->end, h, t);
}

dp_status dp_motion_aim(dp_motion_target *target, const dp_motion *o, double start, double end,
                        double h)
{
    if (!o->position[0]) {
        DP_TRY(dp_motion_turn(&target->turn_start, o, start));
        return dp_motion_turn(&target->turn_end, o, end);
    }
    if (target->end_known && target->end_time == start) { // the step before ended here
        target->start = target->end;
    } else {
        DP_TRY(dp_expression_value(o->position[0], start, &target->start));
    }
    target->end_known = false;
    DP_TRY(dp_expression_value(o->position[0], end, &target->end));
    target->end_known = true;
    target->end_time = end;
    return refuse_speed(target, start, h);
}

void dp_motion_room(dp_rows_room *room, const dp_model *m)
{
    for (int i = 0; i < m->size.nmotion; ++i) {
        if (m->motion[i].joint >= 0) {
            const int nv = m->joint[m->motion[i].joint].nv;
            dp_room_add(room, nv, nv);
        }
    }
}

// The rotation that is left from `target` to the ball at q.
static dp_quat turn_left(const dp_joint *joint, const double *q, dp_quat target)
{
    return dp_quat_mul(dp_quat_conjugate(target), dp_quat_load(q + joint->q_index));
}

static dp_quat turn_at_start(const dp_joint *joint, const dp_rows_input *in, int motion)
{
    return dp_turn_short(turn_left(joint, in->start.q, in->motion[motion].turn_start));
}

void dp_motion_gap(double *phi, const dp_rows_input *in, int motion, const dp_moment *end)
{
    const dp_model *m = in->start.m;
    const dp_joint *joint = &m->joint[m->motion[motion].joint];
    const dp_quat left = turn_left(joint, end->q, in->motion[motion].turn_end);
    dp_v3_store(phi, dp_turn_vector(dp_turn_near(left, turn_at_start(joint, in, motion))));
}

static void make_scalar(dp_rows *rows, const dp_rows_input *in, const dp_joint *joint, int i)
{
    const dp_motion_target *target = &in->motion[i];
    const dp_row_owner owner = {.source = DP_ROW_SOURCE_MOTION, .element = i};
    dp_row *row = dp_block_single(rows, owner, joint->v_index, 1.0);
    row->phi = in->start.q[joint->q_index] - target->start;
    row->phi_t = -(target->end - target->start) / in->h;
}

static void make_ball(dp_rows *rows, const dp_rows_input *in, const dp_joint *joint, int i)
{
    const dp_quat start = turn_at_start(joint, in, i);
    const dp_v3 theta = dp_turn_vector(start);
    const dp_m3 A = dp_turn_rate(theta);
    dp_block_open(rows, 3);
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            dp_block_add(rows, r, joint->v_index + k, A.m[r][k]);
        }
    }
    dp_row *row = dp_block_close(
        rows, (dp_row_owner){.source = DP_ROW_SOURCE_MOTION, .nonlinear = true, .element = i});
    double phi[3], moved[3]; // the same if only the target moved
    dp_v3_store(phi, theta);
    const dp_quat left = turn_left(joint, in->start.q, in->motion[i].turn_end);
    dp_v3_store(moved, dp_turn_vector(dp_turn_near(left, start)));
    for (int r = 0; r < 3; ++r) {
        row[r].phi = phi[r];
        row[r].phi_t = (moved[r] - phi[r]) / in->h;
    }
}

void dp_motion_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    for (int i = 0; in->motion && i < m->size.nmotion; ++i) {
        const dp_motion *motion = &m->motion[i];
        if (motion->joint < 0) {
            continue;
        }
        const dp_joint *joint = &m->joint[motion->joint];
        const int first = rows->nrow;
        if (joint->kind == DP_JOINT_BALL) {
            make_ball(rows, in, joint, i);
        } else {
            make_scalar(rows, in, joint, i);
        }
        for (int r = first; r < rows->nrow; ++r) {
            dp_row *row = &rows->row[r];
            row->b_ref = row->phi_t;
            if (isfinite(motion->bearing.stiffness)) {
                row->k = motion->bearing.stiffness;
                row->b = motion->bearing.damping;
            }
        }
    }
}
