// Step problems solved on their own, and contact laws of your own. A law is a row of functions,
// dp_law: the built-in ones are rows of one table, and dp_law_options.user points to one that is
// not in it. docs/laws/own.md.
//
// A step problem falls into islands that have no row in common. A law solves one island at a time;
// several threads may do so at once, each on islands of its own. The library splits the problem,
// finds the impulses of the last step, keeps what a law has prepared as long as it is valid, and
// certifies what the law found.
#ifndef DASHPOT_ADVANCED_LAW_H
#define DASHPOT_ADVANCED_LAW_H

#include <dashpot/advanced/problem.h>
#include <dashpot/law.h>

DP_BEGIN_C

// Solving a step problem

typedef struct dp_solve_info {
    dp_outcome outcome;
    double residual; ///< [m/s] worst row
    int islands;
    int iterations; ///< those on dense matrices, which DP_LAW_VI makes to decide whether there is
                    ///< a solution, count as many as they cost
    int factorizations;
    int fallbacks;       ///< islands that were solved by another law: DP_LAW_LCP falls back to
                         ///< Coulomb's cone where its complementarity problem is not solved
    int within_error;    ///< islands solved to dp_law_options.error_share alone
    int painleve;        ///< rigid laws: contacts at which sliding friction has no force, or more
                         ///< than one: Painlevé's paradox, solved by an impulse
    int replaced;        ///< rows that a rigid law took for rigid, against what they say
    int dependent;       ///< rigid rows found to depend on others: their impulses are the smallest
    double inconsistent; ///< [m/s] by how much dependent rigid rows contradict each other
    bool exhausted;      ///< capped, and the residual is within the round-off of what impulses do:
                         ///< no other start or shorter step can bring more digits
} dp_solve_info;

/// Solve `p` by the law of `opt`. The arrays of `out` are the caller's. Takes scratch from
/// `allocator`, unlike the step, which has its own.
/// @return DP_ERROR_ARGUMENT for a problem that no law can take (dp_problem_check)
DP_API DP_NODISCARD dp_status dp_law_solve(dp_step_solution *out, const dp_step_problem *p,
                                           const dp_warm *warm, const dp_law_options *opt,
                                           const dp_allocator *allocator, dp_solve_info *info);

/// dp_problem_certify by the law of `opt`: rigid where the law is, with its compliance; friction in
/// its polygons unless some island fell back to the cone, or in its cones or discs.
/// @param info of the solution. @param scratch nv. @param allocator for a copy of rows; NULL:
/// malloc
/// @return DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_law_judge(dp_certificate *out, const dp_step_problem *p,
                                           const dp_step_solution *s, const dp_law_options *opt,
                                           const dp_solve_info *info, double *scratch,
                                           const dp_allocator *allocator);

/// What shows that no impulses solve a problem under DP_LAW_VI with cones: after
/// DP_OUTCOME_INFEASIBLE a direction of impulses that proves it, after DP_OUTCOME_WEAKLY_INFEASIBLE
/// the direction in which impulses grow without bound as they solve it better.
/// @param ray nrow: the direction, on the rows of one island; zeros: none was found
/// @return DP_ERROR_ARGUMENT for another law, or for a problem that no law can take
DP_API DP_NODISCARD dp_status dp_law_ray(dp_ray_certificate *out, double *ray,
                                         const dp_step_problem *p, const dp_law_options *opt,
                                         const dp_allocator *allocator);
/// What a direction of impulses proves, from it and the problem alone. @param scratch nv
DP_API DP_NODISCARD dp_status dp_law_judge_ray(dp_ray_certificate *out, const dp_step_problem *p,
                                               const double *ray, const dp_law_options *opt,
                                               double *scratch, const dp_allocator *allocator);

// A law

/// What is particular to a law: whoever builds step problems asks for these, never for a name.
typedef enum dp_law_trait {
    DP_LAW_TRAIT_RIGID = 1 << 0, ///< contacts and ends of ranges are rigid, whatever their springs:
                                 ///< the law gets the rows so. Impacts obey the impact rule
    DP_LAW_TRAIT_WEIGHTED = 1 << 1, ///< rigid rows get a compliance, dp_law_compliance, by weights
    DP_LAW_TRAIT_REGULARISED = 1 << 2, ///< friction grows with the slip, up to slip_speed
    DP_LAW_TRAIT_POLYHEDRAL = 1 << 3,  ///< friction is held in polygons
    DP_LAW_TRAIT_CONVEX = 1 << 4, ///< impulses of contacts are held in convex sets: a variational
                                  ///< inequality
    DP_LAW_TRAIT_LIFTS_OFF = 1 << 5, ///< contacts that slide push across a gap of h μ ‖u_t‖
    DP_LAW_TRAIT_LIMIT = 1 << 6, ///< the limit of no compliance: what rows have of it only weighs
                                 ///< their impulses
    DP_LAW_TRAIT_LINKS = 1 << 7, ///< takes dp_step_problem.links where Mt and G are not given
} dp_law_trait;

/// Memory that lives as long as what was prepared: dp_law_take.
typedef struct dp_arena dp_arena;

/// One island under a law. What it points to is borrowed from the library and stays where it is
/// until the next prepare; `p` has other numbers after each step.
typedef struct dp_law_part {
    const dp_step_problem *p; ///< the island
    const dp_law_options *opt;
    dp_arena *scratch;
    void *memory; ///< dp_law.part_bytes, all zeros before prepare: what the law keeps of the island
    size_t later; ///< set by prepare: bytes that solve is likely to take. 0: none
    bool no_guess;        ///< set by prepare: the law does without the impulses of the last step
    const double *change; ///< nrow, at solve: of the guess since the step before it; NULL: not
                          ///< known
} dp_law_part;

/// A law. Functions get what they need by their arguments: they must neither allocate nor keep
/// state elsewhere, and the same problem must give the same bits. All zeros are allowed but for
/// `name` and `solve`.
struct dp_law {
    const char *name;
    unsigned traits; ///< dp_law_trait, those that hold whatever its options
    unsigned (*more_traits)(const dp_law_options *opt); ///< those that depend on them. NULL: none
    double (*compliance)(const dp_law_options *opt);    ///< dp_law_compliance. NULL: 0
    const dp_law *impact; ///< what solves the impacts of its contacts. NULL: the law itself
    const struct dp_law_option *option; ///< of the built-in laws, by name; NULL: none
    const void *context;                ///< for its functions: part->opt->user->context

    size_t part_bytes; ///< of dp_law_part.memory
    /// Bytes that all islands of a problem within `max` take of the scratch, as far as that is
    /// known before the problem is: the scratch grows where it is not enough. NULL: none
    size_t (*memory)(const dp_step_size *max, const dp_law_options *opt);
    /// What the law cannot take, of the whole problem or of its options. @param why what was found
    /// and expected: it follows "the law NAME ". @return whether it refuses. NULL: never
    bool (*refuses)(char *why, size_t bytes, const dp_step_problem *p, const dp_law_options *opt);
    /// All that depends on M̃, G, h, k, b, lo and hi alone. NULL: nothing.
    /// @return DP_ERROR_CAPACITY of dp_law_take, DP_ERROR_NUMERIC
    dp_status (*prepare)(dp_law_part *part);
    /// The problem has other numbers, with the structure of the one before: is `memory` still one
    /// for it? Then `restart` follows, else `prepare` in memory of zeros. NULL: it is not
    bool (*is_reusable)(dp_law_part *part);
    dp_status (*restart)(dp_law_part *part); ///< prepare for other numbers. NULL: nothing to do
    /// Impulses and velocities with M̃ (v − v_free) = Gᵀγ, and the states of the rows. May be called
    /// again for other row.phi, phi_t, b_ref and v_free.
    /// @param guess nrow impulses of the last step; NULL: none. @param info all zeros but for
    /// `islands`: outcome, residual and work of this island
    /// @return DP_ERROR_CAPACITY of dp_law_take, DP_ERROR_NUMERIC
    dp_status (*solve)(dp_step_solution *out, dp_law_part *part, const double *guess,
                       dp_solve_info *info);
    /// By what a solution is judged. @param info of the solution. NULL: by the problem as it is
    dp_certify_view (*view)(const dp_law_options *opt, const dp_solve_info *info);
    /// w = (G M̃⁻¹ Gᵀ)(i, i) of the rows of an island. NULL: the library finds them
    dp_status (*mobility)(double *w, dp_law_part *part);
};

/// The law of options: opt->user, or the row of opt->law in the table. Never NULL: an unknown law
/// is the default one here, and an error where it is solved.
DP_API const dp_law *dp_law_of(const dp_law_options *opt);
/// Its traits, with those that depend on the options.
DP_API unsigned dp_law_traits(const dp_law_options *opt);

/// Room for `count` elements of `size` bytes, aligned to 64, not cleared. Gone with the next
/// prepare. @param out the address of a pointer: T **
/// @return DP_ERROR_CAPACITY: to be passed on; the library comes back with more memory
DP_API DP_NODISCARD dp_status dp_law_take(void *out, dp_arena *scratch, size_t count, size_t size);

// Variants for comparison with papers

/// DP_LAW_TAMSI, but for one thing [CastroQuKuppuswamyAlspachSherman2020].
typedef enum dp_tamsi_variant {
    DP_TAMSI_VARIANT_ONE_WAY, ///< friction alone is implicit: the normal pushes as at the start of
                              ///< the step, which is stable for small steps only
    DP_TAMSI_VARIANT_PLAIN,   ///< Newton's method without the transition-aware line search: it may
                              ///< cycle. Of DP_INTEGRATOR_IMPLICIT_EULER, too
} dp_tamsi_variant;
/// It as a law for dp_law_options.user, called "tamsi-one-way" or "tamsi-plain"; NULL: there is
/// none of that number.
DP_API const dp_law *dp_law_tamsi_variant(dp_tamsi_variant variant);

DP_END_C
#endif
