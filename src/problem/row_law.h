// The law of one row, in the terms that solvers and certificate share. docs/theory/step-problem.md.
#ifndef DP_PROBLEM_ROW_LAW_H
#define DP_PROBLEM_ROW_LAW_H

#include <dashpot/problem.h>

/// Whether a row pushes only where its gap closes: (SP 3).
bool dp_row_is_one_sided(const dp_row *row);

/// u − min(u_stop, û − R γ): 0 within the range of γ, ≥ 0 at lo, ≤ 0 at hi.
double dp_soft_slack(dp_soft soft, double gamma, double u);

/// dp_row_residual, for a law that is known already. @param a > 0
double dp_soft_residual(dp_soft soft, double lo, double hi, double a, double gamma, double u);

#endif
