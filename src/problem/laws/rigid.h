// What a rigid law takes rows for: one-sided rows are ends that nothing passes, friction of
// contacts yields only by slipping. Two-sided and bounded rows stay as they are.
#ifndef DP_PROBLEM_RIGID_H
#define DP_PROBLEM_RIGID_H

#include <dashpot/advanced/problem.h>

/// The friction of a block; NULL: plain rows.
static inline const dp_friction *dp_friction_of(const dp_step_problem *p, int block)
{
    const int f = p->friction_of ? p->friction_of[block] : -1;
    return f >= 0 ? &p->friction[f] : NULL;
}

/// The softness of a row of a block: 0 of a contact and of a one-sided row.
/// @param friction of the block. @param place of the row in it
dp_soft dp_rigid_soft(const dp_row *row, double h, const dp_friction *friction, int place);

/// Make one row of `p` rigid. @param place in its block. @return whether it has lost a spring, a
/// dashpot or another law
bool dp_rigid_row(dp_row *row, const dp_step_problem *p, int block, int place);
/// Make the rows of `p` rigid; what must go with that is p->normal = NULL. @param row p->row
/// @return how many have lost a spring, a dashpot or another law
int dp_rigid_rows(dp_row *row, const dp_step_problem *p);

#endif
