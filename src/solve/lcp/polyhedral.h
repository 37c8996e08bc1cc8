// One step with rigid contacts and polyhedral friction as a linear complementarity problem
// [AnitescuPotraStewart1998, (7), (15)], with the gap over the step in the normal rows as in
// [Berard2006, (34)].
//
// Impulses are γ = H z. A row that is no contact is a variable of its own, within its bounds. A
// contact has its normal impulse; each group of its friction rows has directions d_k, k < r, at
// even angles, with impulses β_k ≥ 0 along them, and the slip speed σ ≥ 0:
//
//     0 ≤ γ_n ⊥ u_n − u_stop ≥ 0                                                           (PF 1)
//     0 ≤ β_k ⊥ d_k · (u_t − û_t) + σ ≥ 0                                                  (PF 2)
//     0 ≤ σ ⊥ μ γ_n − Σ β_k ≥ 0                                                            (PF 3)
//
// with u = G v and v = v_free + M̃⁻¹ Gᵀ γ. Two-sided rows, free variables, and bounded ones keep
// their springs and dashpots, R γ + u = û; one-sided rows are rigid whatever they say.
#ifndef DP_SOLVE_POLYHEDRAL_H
#define DP_SOLVE_POLYHEDRAL_H

#include <dashpot/advanced/lcp.h>
#include <dashpot/advanced/problem.h>
#include <dashpot/law.h>

enum { DP_LEAST_DIRECTIONS = 4, DP_MOST_DIRECTIONS = 256 };
static inline bool dp_directions_are_sound(int r)
{
    return r >= DP_LEAST_DIRECTIONS && r <= DP_MOST_DIRECTIONS && r % 2 == 0;
}

/// @return DP_ERROR_ARGUMENT
DP_NODISCARD dp_status dp_directions_check(int directions);

typedef struct dp_polyhedral_info {
    dp_lcp_info lcp;
    int n;        // variables of the problem
    int replaced; // one-sided rows with a spring, a dashpot or another law that were taken for
                  // rigid
} dp_polyhedral_info;

/// Solve `p`. Rows that contradict each other or a problem that is not solved: the best impulses
/// that were found, as info->lcp tells; momentum holds in any case.
/// @param directions r, even, 4 … 256: an ellipse becomes the polygon within it
/// @param opt NULL: the default. @param allocator NULL: malloc
/// @return DP_ERROR_ARGUMENT for `directions`, DP_ERROR_NUMERIC for an M̃ that is not positive
///         definite, DP_ERROR_MEMORY
DP_NODISCARD dp_status dp_polyhedral_solve(dp_step_solution *out, const dp_step_problem *p,
                                           int directions, const dp_lcp_options *opt,
                                           const dp_allocator *allocator, dp_polyhedral_info *info);

/// Variables of its problem.
int dp_polyhedral_variables(const dp_step_problem *p, int directions);
/// Bytes that dp_polyhedral_solve takes of a dp_stack at most.
size_t dp_polyhedral_memory(const dp_step_problem *p, int directions);

/// Groups of friction rows that slip faster than `still` [m/s], of contacts that are closed at the
/// end of the step, whether they carry something or not.
int dp_polyhedral_sliding(const dp_step_problem *p, const dp_step_solution *s, double still);

#endif
