// Impacts on step problems: a law, what it finds, and what is thrown back.
#ifndef DP_TESTS_IMPACT_RIG_H
#define DP_TESTS_IMPACT_RIG_H

#include "law_problem.h"

#include "solve/impact.h"

#include <dashpot/advanced/problem.h>

typedef struct impact_rig {
    dp_impact impact;
    void *scratch, *memory;
    double before, after; // [J] ½ vᵀ M̃ v of the velocities just before and after
} impact_rig;

/// Solve `lp` by the law and let it throw back. @param restitution by block
impact_rig impact_rig_strike(law_problem *lp, const double *restitution, const dp_law_options *opt);
void impact_rig_end(impact_rig *rig);

/// ½ vᵀ M̃ v
double impact_rig_energy(const dp_step_problem *p, const double *v);

#endif
