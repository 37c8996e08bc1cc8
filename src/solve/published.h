// The quadratic program (83)–(85) of [Drumwright] as printed, for comparison with the law.
//
// One-sided rows: the least Σ λ² with (W + R) γ ≥ û − u_free, γ = h λ ≥ 0. Two-sided rows hold as
// equations, as in that paper, and do not count in the sum. This is not the law where rows couple:
// it may push with a row that is open, since more impulse here can be cheaper than much there.
//
// Departures. M̂ Ġ v is left out on both sides, as in the law. Rows with other bounds do not occur
// in the paper; they keep the impulses that the law gives them.
#ifndef DP_SOLVE_PUBLISHED_H
#define DP_SOLVE_PUBLISHED_H

#include "solve/compliant.h"

typedef struct dp_published {
    dp_compliant *c;       // the island under the law, solved first
    int n;                 // one-sided rows
    int *place;            // n
    double *A;             // n × n: W + R of the one-sided rows, the two-sided ones holding
    dp_step_problem least; // the program as a step problem
    dp_row *row;           // 2n of it
    dp_step_solution found;
    dp_compliant method; // that solves it
} dp_published;

size_t dp_published_memory(const dp_step_size *max);
enum { DP_PUBLISHED_PIECES = DP_COMPLIANT_PIECES + 16 };
DP_NODISCARD dp_status dp_published_begin(dp_published *q, dp_compliant *c,
                                          const dp_law_options *opt, dp_arena *scratch);
/// Put the impulses of the program in place of those that the law found. info->residual is that of
/// the law, info->outcome tells whether the program was solved.
void dp_published_solve(dp_step_solution *out, dp_published *q, const dp_law_options *opt,
                        dp_solve_info *info);

#endif
