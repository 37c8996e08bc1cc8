// Dry friction of joints and tendons: rows that stop all motion (b = ∞) as far as their force
// reaches. The rows of a joint are its degrees of freedom, each with the full loss.
#include "constraint/row_sources.h"

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

void dp_joint_friction_room(dp_rows_room *room, const dp_model *m)
{
    for (int j = 0; j < m->size.njoint; ++j) {
        if (m->joint[j].friction_loss > 0.0) {
            dp_room_add(room, m->joint[j].nv, m->joint[j].nv);
        }
    }
}

void dp_joint_friction_make(dp_rows *rows, const dp_rows_input *in)
{
    const dp_model *m = in->start.m;
    for (int j = 0; j < m->size.njoint; ++j) {
        const dp_joint *joint = &m->joint[j];
        if (!(joint->friction_loss > 0.0)) {
            continue;
        }
        const dp_row_owner owner = {.source = DP_ROWS_JOINT_FRICTION, .element = j};
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
            const dp_row_owner owner = {.source = DP_ROWS_TENDON_FRICTION, .element = i};
            finish(dp_block_close(rows, owner), 1, in->h * m->tendon[i].friction_loss);
        }
    }
}
