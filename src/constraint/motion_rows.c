// Joints that are moved by expressions: φ = q − f(t), which is to be zero at the end of the step.
//
// φ_t is the mean rate −(f(t + h) − f(t))/h rather than −ḟ: then φ + h φ̇ = q + h v − f(t + h), so
// that the joint is where f says at the end of every step, whatever its length, and no derivative
// of f is asked for, which need not exist. The dashpot of a bearing sees the same mean.
#include "constraint/row_sources.h"

#include <math.h>

void dp_motion_room(dp_rows_room *room, const dp_model *m)
{
    for (int i = 0; i < m->size.nmotion; ++i) {
        if (m->motion[i].joint >= 0) {
            dp_room_add(room, 1, 1);
        }
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
        const dp_motion_target *target = &in->motion[i];
        dp_block_open(rows, 1);
        dp_block_add(rows, 0, joint->v_index, 1.0);
        dp_row *row = dp_block_close(rows, (dp_row_owner){.source = DP_ROWS_MOTION, .element = i});
        row->phi = in->start.q[joint->q_index] - target->start;
        row->phi_t = -(target->end - target->start) / in->h;
        row->b_ref = row->phi_t;
        if (isfinite(motion->bearing.stiffness)) {
            row->k = motion->bearing.stiffness;
            row->b = motion->bearing.damping;
        }
    }
}
