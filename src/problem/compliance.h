// The compliance s D of a rigid law: with it impulses are unique, and as s goes to 0 they go to
// those of least norm, Σ D γ² [PreclikRuedePopa2011, (27), (61), (64)].
//
// D goes with what rows say of their stiffness k, in units in which s is a pure number: of the rows
// of an island, w̄ the mean of their mobilities w = Σ G²/diag M̃ and κ̄ that of 1/k, angles as lengths
// by len,
//
//     R = s w̄ (1/k)/κ̄,     κ̄ for 1/k where a row has none.                                 (VI 4)
//
// Of friction in an ellipse R is that of the longer axis where it is scaled to a disc: the other
// axis gives way as much more as it holds less. Islands have nothing to do with each other, and
// loads are shared as among springs.
#ifndef DP_PROBLEM_COMPLIANCE_H
#define DP_PROBLEM_COMPLIANCE_H

#include <dashpot/problem.h>

/// How much, and where it is worked out.
typedef struct dp_compliance {
    double s;       // > 0
    bool equal;     // D = w̄ for all rows
    int *island;    // ntree: scratch
    double *sum;    // DP_COMPLIANCE_SUMS × ntree: scratch
    uint8_t *given; // nrow: which rows have got some. NULL: not asked for
} dp_compliance;
enum { DP_COMPLIANCE_SUMS = 4 };

/// dp_rigid_rows, and then R of every row that is rigid. The gap and what is asked of friction
/// stay.
int dp_compliant_rows(dp_row *row, const dp_step_problem *p, const dp_compliance *by);

#endif
