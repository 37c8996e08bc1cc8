// Linear complementarity problems on their own: nothing of bodies, joints or steps is needed.
//
// Given M and q, and bounds lo ≤ hi, find z such that for every i
//
//     w = M z + q,     lo ≤ z ≤ hi,
//     w ≥ 0 where z = lo,   w = 0 where lo < z < hi,   w ≤ 0 where z = hi.                (LCP 1)
//
// With lo = 0 and hi = ∞ this is the linear complementarity problem 0 ≤ w ⊥ z ≥ 0. A variable
// without bounds is free and its row an equation: a mixed problem. Both bounds finite: a box.
// Methods, guarantees, when they fail: docs/theory/lcp.md.
#ifndef DASHPOT_ADVANCED_LCP_H
#define DASHPOT_ADVANCED_LCP_H

#include <dashpot/advanced/problem.h>

DP_BEGIN_C

/// (LCP 1). Everything is borrowed.
typedef struct dp_lcp {
    int n;                 ///< variables, ≥ 0
    const double *M;       ///< n × n by rows: M(i, j) at i n + j. Finite; of any kind
    const double *q;       ///< n, finite
    const double *lo, *hi; ///< n each, may be infinite, lo ≤ hi. NULL: 0 and ∞
} dp_lcp;

/// Is it a problem: sizes, finite numbers, bounds in order?
/// @return DP_ERROR_ARGUMENT, naming the array, the place and what was expected
DP_API DP_NODISCARD dp_status dp_lcp_check(const dp_lcp *p);

/// How far z is from (LCP 1), as a pure number: the largest over the rows of what w misses of its
/// condition, over |q_i| + Σ_j |M_ij z_j|, the size of the terms of which w is the sum: the largest
/// relative change of single elements of M and q that it takes to make z a solution. Where the
/// terms of other rows allow variables of this one to be much larger, it is judged by 2⁻¹⁶ of that:
/// what round-off leaves of 0 is no error. Units of rows and columns do not matter, and nothing
/// over- or underflows on the way.
/// @param w n: M z + q, each the nearest double or one beside it, the largest finite number where
///        it would be more; NULL: not asked for
/// @param scratch 4 n
/// @return infinite where z is outside its bounds or not finite; w is then not set
DP_API double dp_lcp_residual(const dp_lcp *p, const double *z, double *w, int *scratch);

typedef enum dp_lcp_method {
    DP_LCP_METHOD_AUTOMATIC, ///< principal pivoting first where M is symmetric, else after Lemke's,
                             ///< until one has solved it. The default
    DP_LCP_METHOD_LEMKE,     ///< Lemke's path of bases: any M; solves P, and copositive-plus where
                             ///< possible
    DP_LCP_METHOD_PIVOTING,  ///< block principal pivoting: P matrices (symmetric positive definite
                             ///< among them), few factorizations
} dp_lcp_method;
/// "automatic", "lemke" or "pivoting". Never NULL.
DP_API const char *dp_lcp_method_name(dp_lcp_method method);

typedef struct dp_lcp_options {
    dp_lcp_method method;
    double tolerance; ///< largest residual that counts as solved. Default 1e-10; methods end with a
                      ///< solve to all digits, so that most residuals are about 1e-16
    double threshold; ///< pivots of Lemke's smaller than this beside others that would do are
                      ///< avoided. 0 < threshold < 1; default 1e-8
    int max_pivots;   ///< work before a search ends, each restart its own: pivots of Lemke's, steps
                      ///< of principal pivoting, which are a factorization each. 0, the default:
                      ///< 50 n + 1000 pivots, 500 steps
    int restarts;     ///< how often Lemke's starts again with a random covering vector where it
                      ///< has not solved the problem. Default 4
    uint64_t seed;    ///< of these. Same seed, same bits. Default 1
    const double *covering; ///< n, > 0: the first covering vector of Lemke's, in the units of q.
                            ///< NULL, the default: ones after the rows have been scaled
} dp_lcp_options;
DP_API dp_lcp_options dp_lcp_options_default(void);

/// Change one option by its name: "lcp.method", "lcp.tolerance", "lcp.threshold", "lcp.max_pivots",
/// "lcp.restarts", "lcp.seed", or what stands behind the dot: the names of problem files and of
/// `--set`.
/// @return DP_ERROR_ARGUMENT for an unknown name or a value that it cannot have; nothing is changed
DP_API DP_NODISCARD dp_status dp_lcp_options_set(dp_lcp_options *options, const char *name,
                                                 const char *value);
/// The names that dp_lcp_options_set takes, in full; out of range: "".
DP_API int dp_lcp_options_name_count(void);
DP_API const char *dp_lcp_options_name(int index);

/// What was found.
typedef enum dp_lcp_outcome {
    DP_LCP_OUTCOME_SOLVED, ///< the residual is within the tolerance
    DP_LCP_OUTCOME_RAY, ///< Lemke's path ends in a ray, or a row proves that there is no solution.
                        ///< For copositive-plus M (positive semidefinite among them) there is then
                        ///< no solution; `infeasible` says whether that is proven
    DP_LCP_OUTCOME_CAPPED,        ///< the limit of work came first
    DP_LCP_OUTCOME_INACCURATE,    ///< no basis with a residual that will do: round-off had the last
                                  ///< word, or the method met a singular matrix
    DP_LCP_OUTCOME_CONTRADICTORY, ///< the rows of free variables contradict each other
} dp_lcp_outcome;
/// "solved", "ray", "capped", "inaccurate" or "contradictory". Never NULL.
DP_API const char *dp_lcp_outcome_name(dp_lcp_outcome outcome);

/// Where a variable ended.
typedef enum dp_lcp_state {
    DP_LCP_STATE_AT_LO,
    DP_LCP_STATE_BETWEEN, ///< its row is an equation
    DP_LCP_STATE_AT_HI,
    DP_LCP_STATE_DEPENDENT, ///< free, and its row follows from others: it was dropped
} dp_lcp_state;

/// Arrays of the caller. Always finite, z within its bounds: where nothing was solved, the best
/// point that was seen.
typedef struct dp_lcp_solution {
    double *z;      ///< n
    double *w;      ///< n; NULL: not asked for
    uint8_t *state; ///< n: dp_lcp_state; NULL: not asked for
} dp_lcp_solution;

typedef struct dp_lcp_info {
    dp_lcp_outcome outcome;
    double residual;      ///< of z, dp_lcp_residual
    dp_lcp_method method; ///< the one that found z
    int pivots;           ///< of Lemke's, all starts together
    int iterations;       ///< of principal pivoting
    int factorizations;
    int restarts;        ///< of Lemke's that were needed
    int dependent;       ///< rows of free variables dropped since others imply them
    double inconsistent; ///< by how much these miss what others say, beside the largest q, both
                         ///< scaled
    bool infeasible;     ///< with DP_LCP_OUTCOME_RAY: the ray, or a row by itself, proves that no z
                     ///< within its bounds has a w of the right signs, whatever M is: there is u ≥
                     ///< 0 with Mᵀu ≤ 0 < −qᵀu
} dp_lcp_info;

/// Solve `p`. Time about n³ and more, memory 40 n² bytes and more; nothing else is kept.
/// @param opt NULL: the default
/// @param allocator for scratch; NULL: malloc
/// @return DP_ERROR_ARGUMENT (dp_lcp_check, or an option out of range), DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_lcp_solve(const dp_lcp_solution *out, const dp_lcp *p,
                                           const dp_lcp_options *opt, const dp_allocator *allocator,
                                           dp_lcp_info *info);

/// A problem on its own as text, with a solution where there is one.
typedef struct dp_lcp_file dp_lcp_file;

/// Read the text form: one named array per line. What is read has passed dp_lcp_check.
/// Format: docs/lcp-file.md.
/// @return DP_ERROR_IO, DP_ERROR_PARSE with file:line, what was found and expected
DP_API DP_NODISCARD dp_status dp_lcp_load(dp_lcp_file **out, const char *path,
                                          const dp_allocator *allocator);
DP_API DP_NODISCARD dp_status dp_lcp_parse(dp_lcp_file **out, const char *text, size_t bytes,
                                           const char *label, const dp_allocator *allocator);
DP_API void dp_lcp_destroy(dp_lcp_file *file); ///< NULL is allowed

// What is in a file. Borrowed: lives as long as the file.
DP_API const dp_lcp *dp_lcp_of(const dp_lcp_file *file);
/// The z that the file has, n values; NULL where there is none.
DP_API const double *dp_lcp_stored(const dp_lcp_file *file);
/// Without a comment and a law: options are those of dp_lcp_options_set.
DP_API const dp_problem_notes *dp_lcp_notes(const dp_lcp_file *file);
/// Whether a text begins as these files do: "dashpot-lcp".
DP_API bool dp_lcp_is_text(const char *text, size_t bytes);

/// Write the text form, 17 digits: it reads back bit for bit.
/// @param z n, NULL: no solution
/// @param notes comment and options, NULL: none
/// @return DP_ERROR_IO; DP_ERROR_ARGUMENT for an option that is no single word
DP_API DP_NODISCARD dp_status dp_lcp_save(const char *path, const dp_lcp *p, const double *z,
                                          const dp_problem_notes *notes);

DP_END_C
#endif
