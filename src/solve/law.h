// The one interface behind which every law works.
#ifndef DP_SOLVE_LAW_H
#define DP_SOLVE_LAW_H

#include "base/arena.h"
#include "base/thread_pool.h"

#include <dashpot/advanced/law.h>

/// A solve in two parts. `begin` takes all scratch and does what depends on M̃, G, h, k, b, lo and
/// hi alone; `solve` may then be repeated for other row.phi, phi_t, b_ref and v_free at little
/// cost. All of it lives in `scratch`, which must stay as it is in between.
typedef struct dp_law_task dp_law_task;

/// The larger one, or the one that is no number.
static inline double dp_worse(double a, double b)
{
    return a != a || b <= a ? a : b;
}

/// Is it a solution, as well as there is one?
static inline bool dp_outcome_is_solved(dp_outcome outcome)
{
    return outcome == DP_OUTCOME_CONVERGED || outcome == DP_OUTCOME_CONTRADICTORY;
}

/// Has the law of these options any of the traits?
static inline bool dp_law_has(const dp_law_options *opt, unsigned traits)
{
    return (dp_law_traits(opt) & traits) != 0;
}
/// Is there such a law in the table?
bool dp_law_is_known(dp_law_kind law);

/// [m/s] Where regularised friction has its full size; 0: the law's is not.
double dp_law_slip_speed(const dp_law_options *opt);
/// By what solutions are judged.
dp_certify_view dp_law_view(const dp_law_options *opt, const dp_solve_info *info);

/// Does the law refuse its options or the problem? @return DP_ERROR_ARGUMENT
DP_NODISCARD dp_status dp_law_check(const dp_step_problem *p, const dp_law_options *opt);

/// Islands of a problem within `max`, at most: rows without any tree are one, too.
size_t dp_most_islands(const dp_step_size *max);
/// Bytes of scratch for any problem within `max`.
size_t dp_law_memory(const dp_step_size *max, const dp_law_options *opt);
/// The most that any law takes of these options.
size_t dp_law_most_memory(const dp_step_size *max, const dp_law_options *opt);

/// @param workers shares the islands among its threads, here and in dp_law_continue; NULL: none
/// @return DP_ERROR_CAPACITY, DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_law_begin(dp_law_task **out, const dp_step_problem *p,
                                    const dp_law_options *opt, dp_arena *scratch,
                                    dp_thread_pool *workers);
/// The same in a scratch that belongs to the law alone: what an earlier task found out about the
/// structure of its problem is used again where that is the same, else the scratch is emptied. No
/// bit of a solution depends on it.
/// @param task NULL or the earlier task; NULL after a failure
DP_NODISCARD dp_status dp_law_restart(dp_law_task **task, const dp_step_problem *p,
                                      const dp_law_options *opt, dp_arena *scratch,
                                      dp_thread_pool *workers);
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
/// @param scratch nv. @param workers as in dp_law_begin. @param given nrow: rows whose compliance
/// is that of the law (dp_compliance); NULL: none
void dp_law_certify(dp_certificate *out, dp_law_task *task, const dp_step_solution *found,
                    const uint8_t *given, dp_thread_pool *workers, double *scratch);

/// To which island each tree of the problem belongs, −1: to none. @return how many there are
int dp_law_islands(int *island, const dp_law_task *task);
/// Of the last solve of an island.
dp_outcome dp_law_outcome(const dp_law_task *task, int island);
/// [m/s] Of an island whose last solution is good enough beside its motion only, else 0.
double dp_law_loose_residual(const dp_law_task *task, int island);

/// What a unit impulse on each row does to its own velocity: w = (G M̃⁻¹ Gᵀ)(i, i). @param w nrow
/// @return DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_law_mobility(double *w, dp_law_task *task);

// A problem on its own

dp_step_size dp_step_size_of(const dp_step_problem *p);

/// The problem as a law takes it: rigid where the law is, with its compliance.
typedef struct dp_taken_problem {
    dp_step_problem p;
    dp_row *row;    // NULL: that of the problem
    uint8_t *given; // nrow: rows whose compliance is that of the law; NULL: none
    int replaced;
    void *memory; // that has both
    size_t bytes;
} dp_taken_problem;
DP_NODISCARD dp_status dp_law_take_problem(dp_taken_problem *out, const dp_step_problem *p,
                                           const dp_law_options *opt, const dp_allocator *from);
void dp_law_release_problem(dp_taken_problem *taken, const dp_allocator *from);
/// Rows whose compliance goes to 0; NULL: none.
static inline const uint8_t *dp_law_vanishing(const dp_taken_problem *taken,
                                              const dp_law_options *opt)
{
    return dp_law_has(opt, DP_LAW_TRAIT_LIMIT) ? taken->given : NULL;
}

#endif
