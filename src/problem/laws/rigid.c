#include "problem/laws/rigid.h"

#include "problem/laws/normal_law.h"
#include "problem/laws/row_law.h"

dp_soft dp_rigid_soft(const dp_row *row, double h, const dp_friction *friction, int place)
{
    dp_soft soft = dp_row_soft(row, h);
    if (friction && place > 0) {
        soft.R = 0.0;
        soft.u_hat = -row->b_ref;
    } else if (friction || dp_row_is_one_sided(row)) {
        soft.R = 0.0;
        soft.u_hat = soft.u_stop;
    }
    return soft;
}

bool dp_rigid_row(dp_row *row, const dp_step_problem *p, int block, int place)
{
    const bool of_friction = dp_friction_of(p, block) && place > 0;
    if (!of_friction && !dp_row_is_one_sided(row)) {
        return false;
    }
    const bool gives = dp_row_soft(row, p->h).R > 0.0;
    row->k = of_friction ? 0.0 : (double)INFINITY;
    row->b = of_friction ? (double)INFINITY : 0.0;
    return gives;
}

int dp_rigid_rows(dp_row *row, const dp_step_problem *p)
{
    int replaced = 0;
    for (int b = 0; b < p->nblock; ++b) {
        for (int r = p->row_start[b]; r < p->row_start[b + 1]; ++r) {
            replaced += dp_rigid_row(&row[r], p, b, r - p->row_start[b]);
        }
    }
    return replaced;
}
