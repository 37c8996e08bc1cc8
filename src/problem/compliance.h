// The compliance s D of a rigid law: with it impulses are unique, and as s goes to 0 they go to
// those of minimum norm, Σ D γ² [PreclikRuedePopa2011, (27), (61), (64)].
//
// D goes with what rows say of their stiffness k, in units in which s is a pure number: of the rows
// of an island, w̄ the mean of their mobilities w = Σ G²/diag M̃ and κ̄ that of 1/k, angles as lengths
// by len,
//
//     R = s w̄ (1/k)/κ̄,     κ̄ for 1/k where a row has none.                                 (VI 4)
//
// Of friction in an ellipse R is that of the longer axis where it is scaled to a disc: the other
// axis yields as much more as it holds less. Islands have nothing to do with each other, and
// loads are shared as among springs.
//
// In the limit s → 0 a two-sided row is rigid if R ≤ 1e3 s (w + R), and a spring otherwise. So
// there R of a rigid one is at most half of that, however little its own bodies move beside others
// of the island.
#ifndef DP_PROBLEM_COMPLIANCE_H
#define DP_PROBLEM_COMPLIANCE_H

#include <dashpot/advanced/problem.h>

/// How much, and where it is worked out.
typedef struct dp_compliance {
    double s;       // > 0
    bool equal;     // D = w̄ for all rows
    bool limit;     // s only stands for s → 0
    int *island;    // ntree: scratch
    double *sum;    // DP_COMPLIANCE_SUMS × ntree: scratch
    uint8_t *given; // nrow: which rows have got some. NULL: not asked for
} dp_compliance;
enum { DP_COMPLIANCE_SUMS = 4 };

#define DP_UNEVEN 1e3 // how far R may be from s w

/// Has a two-sided row hardly more compliance than s gives it?
/// @param mobility w + R
static inline bool dp_has_little_compliance(double R, double s, double mobility)
{
    return R <= DP_UNEVEN * s * mobility;
}

/// dp_rigid_rows, and then R of every row that is rigid. The gap and what is asked of friction
/// stay.
int dp_compliant_rows(dp_row *row, const dp_step_problem *p, const dp_compliance *by);

#endif
