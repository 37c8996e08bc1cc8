// Friction-contact problems on their own: rigid contacts with Coulomb's cone, in impulse space, as
// FCLIB and Siconos keep them. Nothing of bodies, joints or steps is needed.
//
// Find impulses r such that, contact by contact (normal first, then the tangents),
//
//     u = W r + q,     û = u + μ ‖u_t‖ n,                                                  (FC 1)
//     K* ∋ û ⊥ r ∈ K,  K = { r : ‖r_t‖ ≤ μ r_n }.                                          (FC 2)
//
// W may be unsymmetric and singular. Either it is given, the local form, or what it comes from, the
// global form: M v = H r + f, u = Hᵀ v + w, so that W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w. Both may
// have equations besides, with multipliers λ of any sign:
//
//     local    u = W r + V λ + q,          Vᵀ r + R λ + s = 0,                             (FC 3)
//     global   M v = H r + G λ + f,        Gᵀ v + b = 0.                                   (FC 4)
//
// Methods, residuals, when they fail: docs/theory/friction-contact.md.
#ifndef DASHPOT_ADVANCED_FC_H
#define DASHPOT_ADVANCED_FC_H

#include <dashpot/advanced/lcp.h>

DP_BEGIN_C

/// A matrix by columns, with what it has of numbers in each. Everything is borrowed.
typedef struct dp_sparse {
    int rows, columns;
    const int *start;    ///< columns + 1: where the numbers of each column begin. NULL: no matrix
    const int *row;      ///< of each number, ascending within a column
    const double *value; ///< finite; zeros are allowed
} dp_sparse;

typedef enum dp_fc_form { DP_FC_FORM_LOCAL, DP_FC_FORM_GLOBAL } dp_fc_form;

/// (FC 1)–(FC 4). Everything is borrowed; n = dimension · nc.
typedef struct dp_fc {
    dp_fc_form form;
    int dimension;    ///< 3, or 2: one tangent
    int nc;           ///< contacts, ≥ 0
    const double *mu; ///< nc, ≥ 0
    int nl;           ///< equations, ≥ 0
    // Local
    dp_sparse W;     ///< n × n
    const double *q; ///< n [m/s]
    dp_sparse V, R;  ///< n × nl, nl × nl; nl = 0: not read
    const double *s; ///< nl
    // Global
    dp_sparse M, H;  ///< nv × nv, positive definite; nv × n. nv is M.rows
    const double *f; ///< nv
    const double *w; ///< n [m/s]
    dp_sparse G;     ///< nv × nl; nl = 0: not read
    const double *b; ///< nl
} dp_fc;

/// Is it a problem: sizes, order, finite numbers?
/// @return DP_ERROR_ARGUMENT, naming the array, the place and what was expected
DP_API DP_NODISCARD dp_status dp_fc_check(const dp_fc *p);

/// What a contact does.
typedef enum dp_fc_state {
    DP_FC_STATE_OPEN,  ///< no impulse
    DP_FC_STATE_STICK, ///< inside its cone
    DP_FC_STATE_SLIDE, ///< on its rim
} dp_fc_state;

/// Arrays of the caller.
typedef struct dp_fc_solution {
    double *r;      ///< n [N s]
    double *u;      ///< n [m/s]
    double *v;      ///< nv, of the global form; NULL: not asked for
    double *lambda; ///< nl; NULL: not asked for
    uint8_t *state; ///< nc: dp_fc_state; NULL: not asked for
} dp_fc_solution;

/// How well r meets its problem. With e = r − P_K(r − û/d) per contact, d a third of the trace of
/// its block of W, three relative residuals; the first mixes units, the first two accept impulses
/// that grow beyond all bounds, so that none is enough alone.
typedef struct dp_fc_residual {
    double natural; ///< ‖r − P_K(r − û)‖ [whatever r and û have]: the natural map itself
    double siconos; ///< the same over max(‖q‖, ‖r‖, ‖u‖): fc3d_compute_error. Of the global form:
                    ///< gfc3d_compute_error, without ‖q‖, and with that of M v = H r + f added
    double fclib;         ///< over 1 + √‖q‖, and that of the equations: MERIT_1 of FCLIB
    double impulse;       ///< [1] max ‖e‖ / max ‖r‖
    double velocity;      ///< [1] max d ‖e‖ / max ‖q‖
    double worst;         ///< of siconos, impulse and velocity
    double penetration;   ///< [m/s] max(−u_n), ≥ 0
    double cone;          ///< [N s] max(‖r_t‖ − μ r_n), ≥ 0
    double friction;      ///< [J] Σ r_t·u_t + μ r_n ‖u_t‖: 0 where friction opposes slip,
    double friction_size; ///< [J] beside Σ μ r_n ‖u_t‖
    int open, stick, slide;
} dp_fc_residual;

/// Judge s->r. u, v and λ follow from it and are written, as is the state, where asked for.
/// @return DP_ERROR_ARGUMENT (dp_fc_check, or M that is not positive definite), DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_fc_judge(dp_fc_residual *out, const dp_fc *p,
                                          const dp_fc_solution *s, const dp_allocator *allocator);

typedef enum dp_fc_method {
    DP_FC_METHOD_AUTOMATIC, ///< `newton`, and where it does not solve the problem, `cone`. The
                            ///< default
    DP_FC_METHOD_NEWTON,    ///< proximal point around Newton's method on Alart's and Curnier's map
    DP_FC_METHOD_CONE,      ///< the same on the natural map of the cone
} dp_fc_method;
/// "automatic", "newton" or "cone". Never NULL.
DP_API const char *dp_fc_method_name(dp_fc_method method);

typedef struct dp_fc_options {
    dp_fc_method method;
    double tolerance;       ///< what each of the three relative residuals may be. Default 1e-8
    int max_factorizations; ///< of each method before its best point is taken. Default 4000
} dp_fc_options;
DP_API dp_fc_options dp_fc_options_default(void);

/// Change one option by its name: "fc.method", "fc.tolerance", "fc.max_factorizations",
/// or what stands behind the dot.
/// @return DP_ERROR_ARGUMENT for an unknown name or a value that it cannot have; nothing is changed
DP_API DP_NODISCARD dp_status dp_fc_options_set(dp_fc_options *options, const char *name,
                                                const char *value);
/// The names that dp_fc_options_set takes, in full; out of range: "".
DP_API int dp_fc_options_name_count(void);
DP_API const char *dp_fc_options_name(int index);

/// What was found.
typedef enum dp_fc_outcome {
    DP_FC_OUTCOME_SOLVED,     ///< all three residuals are within the tolerance
    DP_FC_OUTCOME_CAPPED,     ///< the limit of work came first, or no better point was found
    DP_FC_OUTCOME_INFEASIBLE, ///< there is no solution: no velocity at all has u_n ≥ 0 at every
                              ///< contact
} dp_fc_outcome;
/// "solved", "capped" or "infeasible". Never NULL.
DP_API const char *dp_fc_outcome_name(dp_fc_outcome outcome);

typedef struct dp_fc_info {
    dp_fc_outcome outcome;
    dp_fc_residual residual;
    dp_fc_method method; ///< the one that found the impulses
    int outer;           ///< proximal steps
    int newton;          ///< Newton steps
    int factorizations;
    int failed;         ///< proximal steps whose Newton steps did not end
    double shift;       ///< the last proximal compliance, as a part of W
    double feasibility; ///< where it was not solved: the least of |Nᵀz|/d and |qᵀz + 1| over z ≥ 0
                        ///< (FC 5): below 1e-9 infeasible, below 1e-3 nearly so; −1: not asked
} dp_fc_info;

/// Solve `p`. The impulses are those with the smallest residual that was seen.
/// @param start n: where to start; NULL: at 0, which leads to (nearly) the least of all solutions
/// @param opt NULL: the default @param allocator for scratch; NULL: malloc
/// @return DP_ERROR_ARGUMENT (dp_fc_check, or an option out of range), DP_ERROR_MEMORY
DP_API DP_NODISCARD dp_status dp_fc_solve(const dp_fc_solution *out, const dp_fc *p,
                                          const double *start, const dp_fc_options *opt,
                                          const dp_allocator *allocator, dp_fc_info *info);

/// A problem from a file, with a solution where there is one.
typedef struct dp_fc_file dp_fc_file;

/// What a file holds.
typedef enum dp_fc_format {
    DP_FC_FORMAT_NONE,    ///< none of these
    DP_FC_FORMAT_SICONOS, ///< text: numbers only, as frictionContact_printInFile writes them
    DP_FC_FORMAT_FCLIB,   ///< HDF5, as fclib_write_local and fclib_write_global write it
} dp_fc_format;
/// By the first bytes. Text of numbers may also be a complementarity problem: dp_lcp_is_siconos.
DP_API dp_fc_format dp_fc_format_of(const char *bytes, size_t count);
/// Is there the plugin dashpot_hdf5, by which HDF5 is read and written? It is loaded when it is
/// asked for first, from where it was installed or from the folder of the program.
DP_API bool dp_fc_has_hdf5(void);

/// Read either. What is read has passed dp_fc_check. Formats: docs/fc-file.md.
/// @return DP_ERROR_IO, DP_ERROR_PARSE with file:line (or the dataset), what was found and
///         expected; DP_ERROR_UNSUPPORTED for HDF5 where there is no plugin for it
DP_API DP_NODISCARD dp_status dp_fc_load(dp_fc_file **out, const char *path,
                                         const dp_allocator *allocator);
/// Text only.
DP_API DP_NODISCARD dp_status dp_fc_parse(dp_fc_file **out, const char *text, size_t bytes,
                                          const char *label, const dp_allocator *allocator);
/// A problem as it is, with its own copy of all arrays.
DP_API DP_NODISCARD dp_status dp_fc_copy(dp_fc_file **out, const dp_fc *p,
                                         const dp_allocator *allocator);
/// The same problem in the local form without equations: W = Hᵀ M⁻¹ H, multipliers eliminated.
/// Dependent equations are met in the least squares.
DP_API DP_NODISCARD dp_status dp_fc_localise(dp_fc_file **out, const dp_fc *p,
                                             const dp_allocator *allocator);
/// A step problem as a rigid law takes it, in the global form. A contact becomes one of three rows,
/// its second tangent measured in units that make an ellipse of friction a disc; a one-sided row
/// becomes a contact without friction, a two-sided one an equation. What the form has no place for
/// is left out: torsion, rolling, and rows with other ranges.
/// @param dropped how many rows are not in it
DP_API DP_NODISCARD dp_status dp_fc_from_step(dp_fc_file **out, int *dropped,
                                              const dp_step_problem *p,
                                              const dp_allocator *allocator);
DP_API void dp_fc_destroy(dp_fc_file *file); ///< NULL is allowed

// What is in a file. Borrowed: lives as long as the file.
DP_API const dp_fc *dp_fc_of(const dp_fc_file *file);
/// The r that the file has, n values; NULL where there is none. Some files keep zeros.
DP_API const double *dp_fc_stored(const dp_fc_file *file);
/// Title and description, where the file has them; "" else.
DP_API const char *dp_fc_title(const dp_fc_file *file);

/// Write the text of Siconos, 17 digits: it reads back bit for bit, in Siconos, too. It has no
/// place for equations or a solution.
/// @return DP_ERROR_IO; DP_ERROR_UNSUPPORTED for a problem with equations
DP_API DP_NODISCARD dp_status dp_fc_save(const char *path, const dp_fc *p);
/// Write HDF5 as FCLIB does, over what was there. @param solution NULL: none; else r and u, and v
/// and lambda where there are some @param title NULL: none
DP_API DP_NODISCARD dp_status dp_fc_save_hdf5(const char *path, const dp_fc *p,
                                              const dp_fc_solution *solution, const char *title);

/// Whether a text is a complementarity problem as Siconos writes it.
DP_API bool dp_lcp_is_siconos(const char *text, size_t bytes);
/// Read that, 0 ≤ w ⊥ z ≥ 0. @return as dp_lcp_parse
DP_API DP_NODISCARD dp_status dp_lcp_parse_siconos(dp_lcp_file **out, const char *text,
                                                   size_t bytes, const char *label,
                                                   const dp_allocator *allocator);
/// Write it. @return DP_ERROR_IO; DP_ERROR_UNSUPPORTED for bounds other than 0 and ∞
DP_API DP_NODISCARD dp_status dp_lcp_save_siconos(const char *path, const dp_lcp *p);

DP_END_C
#endif
