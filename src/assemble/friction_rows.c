// Dry friction of joints and tendons: rows that stop all motion (b = ∞) as far as their force
// reaches. The rows of a joint are its degrees of freedom, each with the full loss.
//
// At a rigid end of its range a joint may rest, and then nothing decides what friction and end each
// hold. It is left to the end alone, without a row for friction: no force at all is one that
// friction may have at rest. Once the joint moves, the row is back.
#include "assemble/row_sources.h"

#include <math.h>

static void finish(dp_row *row, int nrow, double impulse)
{
    for (int r = 0; row && r < nrow; ++r) {
        row[r].k = 0.0;
        row[r].b = INFINITY;
        row[r].lo = -impulse;
        row[r].hi = impulse;
    }
}

bool dp_joint_friction_possible(const dp_model *m)
{
    bool possible = false;
    for (int j = 0; j < m->size.njoint; ++j) {
        possible = possible || m->joint[j].friction_loss > 0.0;
    }
    return possible;
}

void dp_joint_friction_room(dp_rows_room *room, const dp_model *m)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        if (m->joint[j].friction_loss > 0.0) {
            dp_room_add(room, m->joint[j].nv, m->joint[j].nv);
        }
    }
}

// Does the joint stay where the end of its range is, to what velocities are known?
static bool is_at_end(const dp_rows_input *in, int j, int feature, const dp_moment *at)
{
    const double still = in->options->solver.tolerance; // [m/s, rad/s]
    return fabs(dp_joint_limit_gap(in, j, feature, at)) <= in->h * still;
}

void dp_joint_friction_rest(dp_rows *rows, const dp_rows_input *in, int joint, int feature)
{
    const dp_joint *of = &in->start.m->joint[joint];
    const double still = in->options->solver.tolerance;
    const bool rigid = of->nv == 1 && !isfinite(of->limit.stiffness);
    if (rigid && of->friction_loss > 0.0 && fabs(in->start.v[of->v_index]) <= still &&
        is_at_end(in, joint, feature, &in->start)) {
        rows->joint_rests[joint] = (uint8_t)(1u << feature);
    }
}

int dp_joint_friction_miss(dp_rows *rows, const dp_rows_input *in, const dp_moment *end)
{
    int found = 0;
    for (int j = 0; j < in->start.m->size.njoint; ++j) {
        const uint8_t at = rows->joint_rests[j];
        if (at && !is_at_end(in, j, at == 1u << DP_UPPER ? DP_UPPER : DP_LOWER, end)) {
            rows->joint_rests[j] = 0;
            ++found;
        }
    }
    return found;
}

void dp_joint_friction_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (!(joint->friction_loss > 0.0) || rows->joint_rests[j]) {
            continue;
        }
        const dp_row_owner owner = {.source = DP_ROW_SOURCE_JOINT_FRICTION, .element = j};
        const double impulse = in->h * joint->friction_loss;
        if (joint->nv == 1) {
            finish(dp_block_single(rows, owner, joint->v_index, 1.0), 1, impulse);
            continue;
        }
        dp_block_open(rows, joint->nv);
        for (int k = 0; k < joint->nv; ++k) {
            dp_block_add(rows, k, joint->v_index + k, 1.0);
        }
        finish(dp_block_close(rows, owner), joint->nv, impulse);
    }
}

void dp_tendon_friction_room(dp_rows_room *room, const dp_model *m)
{
    for (int i = 0; i < m->size.ntendon; ++i) {
        if (m->tendon[i].friction_loss > 0.0) {
            dp_room_add(room, 1, dp_tendon_max_dofs(m, i));
        }
    }
}

void dp_tendon_friction_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    for (int i = 0; i < m->size.ntendon; ++i) {
        if (m->tendon[i].friction_loss > 0.0) {
            dp_block_open(rows, 1);
            dp_tendon_add(rows, 0, 1.0, in->start.tendon, i);
            const dp_row_owner owner = {.source = DP_ROW_SOURCE_TENDON_FRICTION, .element = i};
            finish(dp_block_close(rows, owner), 1, in->h * m->tendon[i].friction_loss);
        }
    }
}
