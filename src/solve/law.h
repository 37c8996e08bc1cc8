// The one interface behind which every law works.
#ifndef DP_SOLVE_LAW_H
#define DP_SOLVE_LAW_H

#include "base/arena.h"
#include "base/crew.h"
#include "problem/certify.h"
#include "problem/step_size.h"

#include <dashpot/law.h>

/// A solve in two parts. `begin` takes all scratch and does what depends on M̃, G, h, k, b, lo and
/// hi alone; `solve` may then be repeated for other row.phi, phi_t, b_ref and v_free at little
/// cost. All of it lives in `scratch`, which must stay as it is in between.
typedef struct dp_law_task dp_law_task;

/// Is it a solution, as well as there is one?
static inline bool dp_outcome_is_solved(dp_outcome outcome)
{
    return outcome == DP_CONVERGED || outcome == DP_CONTRADICTORY;
}

/// Are the impulses of contacts held in convex sets, so that the problem is a variational
/// inequality?
bool dp_law_is_convex(const dp_law_options *opt);
/// Is it the limit of no compliance that is asked for?
bool dp_law_is_limit(const dp_law_options *opt);
/// Do contacts that slide push across a gap, of h μ ‖u_t‖?
bool dp_law_lifts_off(const dp_law_options *opt);

/// [m/s] Where regularised friction has its full size; 0: the law's is not.
double dp_law_slip_speed(const dp_law_options *opt);

/// What the impulses of contacts are held in.
dp_friction_set dp_law_set(const dp_law_options *opt);

/// Bytes of scratch for any problem within `max`.
size_t dp_law_memory(const dp_step_size *max, const dp_law_options *opt);

/// @param crew shares the islands among its threads, here and in dp_law_continue; NULL: none
/// @return DP_ERROR_CAPACITY, DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_law_begin(dp_law_task **out, const dp_step_problem *p,
                                    const dp_law_options *opt, dp_arena *scratch, dp_crew *crew);
/// The same in a scratch that belongs to the law alone: what an earlier task found out about the
/// structure of its problem is used again where that is the same, else the scratch is emptied. No
/// bit of a solution depends on it.
/// @param task NULL or the earlier task; NULL after a failure
DP_NODISCARD dp_status dp_law_restart(dp_law_task **task, const dp_step_problem *p,
                                      const dp_law_options *opt, dp_arena *scratch, dp_crew *crew);
/// @param warm which rows are likely to be at an end of their range: it changes the work, and the
///             answer only where it is not unique. NULL: none
/// @return DP_ERROR_CAPACITY: what some methods need of the scratch is known only once they begin.
///         The task is of no use then, until dp_law_restart
DP_NODISCARD dp_status dp_law_continue(dp_step_solution *out, dp_law_task *task,
                                       const dp_step_problem *p, const dp_warm *warm,
                                       dp_solve_info *info);

/// The same for some islands only; nothing is written for the others. No certificate can be asked
/// for afterwards. @param wanted by island; NULL: all
DP_NODISCARD dp_status dp_law_continue_some(dp_step_solution *out, dp_law_task *task,
                                            const dp_step_problem *p, const dp_warm *warm,
                                            const uint8_t *wanted, dp_solve_info *info);

/// dp_problem_certify of what was found last, island by island. @param found the whole of it
/// @param scratch nv. @param crew as in dp_law_begin. @param given nrow: rows whose compliance is
/// that of the law (dp_compliance); NULL: none
void dp_law_certify(dp_certificate *out, dp_law_task *task, const dp_step_solution *found,
                    const uint8_t *given, dp_crew *crew, double *scratch);

/// To which island each tree of the problem belongs, −1: to none. @return how many there are
int dp_law_islands(int *island, const dp_law_task *task);
/// [m/s] Of an island whose last solution is good enough beside its motion only, else 0.
double dp_law_loose_residual(const dp_law_task *task, int island);

/// What a unit impulse on each row does to its own velocity: w = (G M̃⁻¹ Gᵀ)(i, i). @param w nrow
/// @return DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_law_mobility(double *w, dp_law_task *task);

#endif
