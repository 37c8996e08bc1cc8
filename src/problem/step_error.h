// The discretisation error of a step, where bodies touch.
#ifndef DP_PROBLEM_STEP_ERROR_H
#define DP_PROBLEM_STEP_ERROR_H

#include <dashpot/advanced/problem.h>

/// [m/s] Of each tree, by (SE 1) and (SE 2). @param error ntree
void dp_step_errors(double *error, const dp_step_problem *p);
/// That of a block: the larger one of the trees that it acts on, 0 where it is no contact.
double dp_step_error_of(const dp_step_problem *p, int block, const double *error);

#endif
