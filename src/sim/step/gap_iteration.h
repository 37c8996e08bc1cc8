// The law gives velocities for gaps that are linear in them; where a gap is not, it is evaluated at
// the end of the step, φ(q₁), and the problem solved again with φ ← φ(q₁) − h φ̇ until that changes
// nothing:
//
//     φ(q₀ ⊕ h v) met along G(q₀).                                                         (CS 1)
//
// So gaps do not drift, and G need not be differentiated. Only φ changes between passes, hence
// everything is factored once. A pass leaves about hω of the error of the one before; when the
// mechanism turns too far in the step for that to settle, the solution of the first pass is kept,
// which is bounded at any step, and the caller is told.
#ifndef DP_SIM_GAP_ITERATION_H
#define DP_SIM_GAP_ITERATION_H

#include "sim/data.h"

/// Solve for this gap of a row. Its dashpot sees what the gap really does in the step,
/// (φ(q₁) − φ(q₀))/h, like its spring.
static inline void dp_gap_set(dp_row *row, double phi, double start, double h)
{
    row->phi = phi;
    row->b_ref = row->phi_t + (phi - start) / h;
}

/// Keep the gaps of the rows as they were made, at the start of the step.
void dp_gaps_keep(dp_constrained *c);

/// Choose the gaps to begin with: those that are expected, as far as they are to be closed.
void dp_gaps_begin(dp_data *d, const dp_attempt *s);
/// A stage: solve the step problem with the gaps as they are.
DP_NODISCARD dp_status dp_gaps_solve(dp_attempt *s);
/// A stage: the velocities of all trees after that, and where they lead.
DP_NODISCARD dp_status dp_gaps_integrate(dp_attempt *s);
/// Are the gaps met there, with an energy that the mechanism can bear? Else choose others.
/// @param again they are to be solved for
DP_NODISCARD dp_status dp_gaps_judge(bool *again, dp_data *d, const dp_attempt *s);

/// What the gaps of rows that are not linear would have to be for φ + h φ̇ to be those after moving
/// with v. The rows stay as they are. @param phi c->next.nbend. @param v of the problem
/// @param moved nv of the model: the same. q1 and v1 of s are overwritten
DP_NODISCARD dp_status dp_gaps_bend(double *phi, dp_data *d, const dp_attempt *s, const double *v,
                                    const double *moved);

/// The end of a solve. @param look work out kinematics and lengths of tendons there
dp_moment dp_gaps_end(dp_data *d, const dp_attempt *s, bool look);

#endif
