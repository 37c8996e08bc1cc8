// Painlevé's paradox. Where a contact that slides pushes with γ_n, friction pushes with μ γ_n
// against the slip, and both together change the normal velocity by A γ_n,
//
//     A = W_nn + μ W_nt d,   d against the slip:                                           (PF 4)
//
// where A ≤ 0, pushing draws the contact in. No force holds it, or any; an impulse that stops the
// slip does.
#ifndef DP_SOLVE_PARADOX_H
#define DP_SOLVE_PARADOX_H

#include "solve/contact/coulomb.h"

#include <dashpot/advanced/problem.h>

/// How many contacts of the island slid so when the step began, of those that push.
int dp_count_paradoxes(dp_coulomb *c, const dp_step_solution *found);

#endif
