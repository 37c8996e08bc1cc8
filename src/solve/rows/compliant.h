// The compliant law on one island: every row a spring and dashpot at the end of the step.
//
// Unknowns are the impulses γ of the rows; u = u_free + W γ are the velocities of the rows, with
// W = G M̃⁻¹ Gᵀ and u_free = G v_free. Each row is in one of four modes:
//
//     at lo:  γ = lo,  u ≥ f(lo)         regularised:  R γ + u = û
//     at hi:  γ = hi,  u ≤ f(hi)         closing:      u = u_stop,  R γ ≤ û − u_stop       (CL 1)
//
// with f(γ) = min(u_stop, û − R γ), which (SP 2) and (SP 3) say in one. These are the conditions
// for a minimum of a convex function of γ, quadratic in pieces, so that v and Gᵀγ are unique
// wherever a solution exists. Rows that are regularised or closing are active: their impulses are
// the unknowns. docs/laws/compliant.md.
#ifndef DP_SOLVE_COMPLIANT_H
#define DP_SOLVE_COMPLIANT_H

#include "linalg/doubled.h"
#include "linalg/semidefinite.h"
#include "problem/row_law.h"
#include "solve/rows/delassus.h"
#include "solve/rows/row_mode.h"

/// S = W + R of the active rows, factored.
typedef struct dp_active_factor {
    bool valid;
    double shift;  // proximal compliance in S
    uint8_t *mode; // nrow: what it was factored for
    int n;         // active rows
    int *place;    // n
    double *scale; // n: makes S of unit diagonal
    dp_envelope at;
    int *first;         // n
    size_t *start;      // n+1
    double *L;          // triangle
    double least_pivot; // of S scaled, without those that are round-off
    double determinant; // of S scaled; where pivoted, of one that is as good
    bool rigid;         // some row is
    bool has_springs;   // some row has R > 0
    bool pivoted;       // rows depend on others: `any` holds the factor instead of L
    bool forced;        // it was taken where the other one exists
    dp_semidefinite any;
} dp_active_factor;

/// Scratch of refinement in double-double.
typedef struct dp_refined {
    dp_doubled *v, *force;   // nv
    dp_doubled *gamma, *gap; // n
} dp_refined;

/// The point of least residual so far.
typedef struct dp_best_point {
    double *gamma; // n
    uint8_t *mode; // n
    double residual;
    bool held; // it stays as it is
} dp_best_point;

/// All numbers by row are at their places (dp_delassus).
typedef struct dp_compliant {
    const dp_step_problem *p;
    dp_delassus d;
    int n;                  // rows
    bool two_sided;         // every row that can do anything
    bool any_idle;          // is there a row that can do nothing?
    dp_softness *softness;  // n
    dp_soft *law;           // n: what the problem says of each row
    double *w, *a;          // n: W(i, i); w + R, and 1 where that is 0
    double *root;           // n: √w
    double *R;              // n
    double *u_hat, *u_stop; // n
    double *lo, *hi;        // n; both 0 for rows that can do nothing
    double *relaxed;   // n: [m/s] by how much the law of a row that others contradict was moved
    bool is_relaxed;   // was any?
    double *u_free;    // n
    double *gamma, *u; // n: the point at hand
    double *size;      // n: the sum of the magnitudes of which u is a sum; not where two_sided
    uint8_t *mode;     // n: dp_row_mode
    dp_best_point best;
    double residual; // of the point that was judged last
    dp_active_factor factor;
    double *rhs, *x, *Wx;           // n: scratch of active_factor and refine
    double *centre, *from, *u_from; // n: scratch of proximal
    double *v, *force, *y;          // nv: scratch; v holds M̃⁻¹ Gᵀ γ after dp_refine
    dp_refined refined;
    int iterations, factorizations, max_factorizations;
} dp_compliant;

size_t dp_compliant_memory(const dp_step_size *max);
/// Pieces of an arena that one island takes at most.
enum { DP_COMPLIANT_PIECES = 64 };
/// @return DP_ERROR_CAPACITY, DP_ERROR_NUMERIC
DP_NODISCARD dp_status dp_compliant_begin(dp_compliant *c, const dp_step_problem *p,
                                          const dp_law_options *opt, dp_arena *scratch);
/// The same for new numbers in the problem, where dp_delassus_is_reusable.
DP_NODISCARD dp_status dp_compliant_restart(dp_compliant *c, const dp_law_options *opt);
/// @param warm nrow impulses as a first guess, by row of the island; NULL: none
void dp_compliant_solve(dp_step_solution *out, dp_compliant *c, const double *warm,
                        const dp_law_options *opt, dp_solve_info *info);

/// Take what depends on φ, φ_t, b_ref and v_free anew from the problem.
void dp_compliant_targets(dp_compliant *c);

/// A proximal term: each row also has the compliance shift·a about the impulse `centre`.
typedef struct dp_prox {
    double shift;         // 0: none
    const double *centre; // n; NULL: 0
} dp_prox;

/// u = u_free + W γ, and size
void dp_compliant_velocities(dp_compliant *c);
/// The mode that row i would have by itself, the others' impulses held. The row keeps its mode
/// where the difference is round-off.
uint8_t dp_row_mode_next(const dp_compliant *c, int i, dp_prox prox);
/// Every row's next mode at once. @return how many changed
int dp_row_modes_update(dp_compliant *c, dp_prox prox);
/// size = what u is a sum of, where it comes from impulses
void dp_row_magnitudes(dp_compliant *c);
/// Changes of √w γ of a row up to this are in the last digits.
double dp_impulse_round_off(const dp_compliant *c);
/// [m/s] Velocities of rows are known no better than this.
double dp_velocity_round_off(dp_compliant *c);
/// [m/s] The worst row, each judged as dp_row_residual does, times its length.
double dp_compliant_residual(const dp_compliant *c);

/// Factor S for the modes of the rows, unless it is so already.
void dp_active_factor_update(dp_compliant *c, double shift);
/// Take the pivoted factor, whatever the pivots of the other. @param coarse drop pivots that are
/// more than round-off, yet too small to be of use
void dp_active_factor_pivoted(dp_compliant *c, double shift, bool coarse);
/// x = S⁻¹ b over the active rows, S⁺ b where they depend; 0 elsewhere. Both by place; b is lost,
/// and is not x.
void dp_active_factor_solve(double *x, const dp_active_factor *s, int nrow, double *b);
/// Rigid rows that depend on others.
int dp_active_factor_dependent(const dp_active_factor *s);
/// γ of the active rows from the modes of all; γ at an end of its range where that is the mode.
void dp_active_impulses(dp_compliant *c, dp_prox prox);

/// γ, v = M̃⁻¹ Gᵀ γ and u in the modes of the rows, to the last digits. γ must be their solution
/// already, to the digits that the factor gives.
void dp_refine(dp_compliant *c);
/// v = M̃⁻¹ Gᵀ γ and u from the γ at hand.
void dp_compliant_motion(dp_compliant *c);

/// γ and u of (CL 1) in the modes at hand, with a proximal term.
void dp_newton_point(dp_compliant *c, dp_prox prox);
/// Newton's method on the modes of the rows, full steps. @return whether it settled within `most`
bool dp_active_set(dp_compliant *c, int most);
/// Settle the modes of all rows with a proximal term and an exact line search.
bool dp_proximal(dp_compliant *c, dp_prox prox);

#endif
