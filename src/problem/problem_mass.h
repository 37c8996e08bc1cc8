// M̃ of a problem on its own, and what rows feel of it.
#ifndef DP_PROBLEM_PROBLEM_MASS_H
#define DP_PROBLEM_PROBLEM_MASS_H

#include <dashpot/advanced/problem.h>

/// w = the diagonal of G M̃⁻¹ Gᵀ. @param w nrow. @param room as Mt, and nv more
/// @return DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_problem_mobilities(double *w, const dp_step_problem *p, double *room);

#endif
