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

#include "linalg/double_double.h"
#include "linalg/semidefinite.h"
#include "problem/laws/row_law.h"
#include "solve/rows/delassus.h"

#include <dashpot/advanced/law.h>

typedef enum dp_row_mode {
    DP_MODE_LO,          // γ = lo
    DP_MODE_HI,          // γ = hi
    DP_MODE_REGULARISED, // R γ + u = û
    DP_MODE_CLOSING,     // u = u_stop
} dp_row_mode;

/// Is γ an unknown of the linear system?
static inline bool dp_is_active(uint8_t mode)
{
    return mode == DP_MODE_REGULARISED || mode == DP_MODE_CLOSING;
}

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
    double determinant; // of S scaled; 0 where pivoted
    bool rigid;         // some row is
    bool pivoted;       // rows depend on others: `any` holds the factor instead of L
    bool forced;        // it was taken where the other one exists
    dp_semidefinite any;
} dp_active_factor;

/// Scratch of refinement in double-double: what γ and v have beyond their doubles.
typedef struct dp_refined {
    double *gamma, *v;       // n, nv
    dp_double_double *force; // nv
} dp_refined;

/// The point of least residual so far.
typedef struct dp_best_point {
    double *gamma; // n
    uint8_t *mode; // n
    double residual;
} dp_best_point;

/// All numbers by row are at their places (dp_delassus).
typedef struct dp_compliant {
    const dp_step_problem *p;
    dp_delassus d;
    int n;                  // rows
    bool two_sided;         // every row that can do anything
    dp_softness *softness;  // n
    dp_soft *law;           // n: what the problem says of each row
    double *w, *a;          // n: W(i, i); w + R, and 1 where that is 0
    double *root;           // n: √w
    double *R;              // n
    double *u_hat, *u_stop; // n: of the law, or relaxed where others contradict it
    double *lo, *hi;        // n; both 0 for rows that can do nothing
    double *u_free;         // n
    double *gamma, *u;      // n: the current point
    double *size;           // n: the sum of the magnitudes of which u is a sum; not where two_sided
    uint8_t *mode;          // n: dp_row_mode
    dp_best_point best;
    double residual; // of the point that was judged last
    dp_active_factor factor;
    double *rhs, *x, *Wx;           // n: scratch of active_factor and refine
    double *centre, *from, *u_from; // n: scratch of newton
    double *v, *force, *y;          // nv: scratch; v holds M̃⁻¹ Gᵀ γ after dp_refine
    dp_refined refined;
    int iterations, factorizations, max_factorizations;
} dp_compliant;

size_t dp_compliant_memory(const dp_step_size *max);
/// Arrays that one island takes of an arena at most, each on a boundary of its own.
enum { DP_COMPLIANT_PIECES = 64 };
/// @return DP_ERROR_CAPACITY, DP_ERROR_NUMERIC
DP_NODISCARD dp_status dp_compliant_begin(dp_compliant *c, const dp_step_problem *p,
                                          const dp_law_options *opt, dp_arena *scratch);
/// The same for new numbers in the problem.
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

/// The velocity that an active row is to have, without what its compliance takes of it.
static inline double dp_row_target(const dp_compliant *c, int i)
{
    return c->mode[i] == DP_MODE_REGULARISED ? c->u_hat[i] : c->u_stop[i];
}

/// The velocity that an active row is to have with the current impulse.
static inline double dp_row_velocity(const dp_compliant *c, int i)
{
    return c->mode[i] == DP_MODE_REGULARISED ? c->u_hat[i] - c->R[i] * c->gamma[i] : c->u_stop[i];
}

/// Can its impulse end at a bound?
static inline bool dp_row_is_bounded(const dp_compliant *c, int i)
{
    return isfinite(c->lo[i]) || isfinite(c->hi[i]);
}

// ---- row_mode

/// u = u_free + W γ, and size
void dp_compliant_velocities(dp_compliant *c);
/// Every row's mode that it would have by itself, the others' impulses held, all at once. Rows keep
/// their modes where the difference is round-off. @return how many changed
int dp_row_modes_update(dp_compliant *c, dp_prox prox);
/// size = what u is a sum of, where it comes from impulses
void dp_row_magnitudes(dp_compliant *c);
/// Changes of √w γ of a row up to this are in the last digits.
double dp_impulse_round_off(const dp_compliant *c);
/// [m/s] Velocities of rows are known no better than this.
double dp_velocity_round_off(dp_compliant *c);
/// [m/s] By how much row i misses its law, as dp_row_residual judges, times its length.
double dp_compliant_row_residual(const dp_compliant *c, int i);
/// [m/s] The worst row.
double dp_compliant_residual(const dp_compliant *c);

// ---- active_factor

/// Factor S for the modes of the rows, unless it is so already.
void dp_active_factor_update(dp_compliant *c, double shift);
/// Take the pivoted factor, whatever the pivots of the other.
void dp_active_factor_pivoted(dp_compliant *c);
/// x = S⁻¹ b over the active rows, S⁺ b where they depend; 0 elsewhere. Both by place; b is lost,
/// and is not x; so are c->y and c->Wx.
void dp_active_factor_solve(dp_compliant *c, double *x, double *b);
/// Rigid rows that depend on others.
int dp_active_factor_dependent(const dp_active_factor *s);
/// R of an active row in S.
static inline double dp_active_compliance(const dp_compliant *c, int i)
{
    return (c->mode[i] == DP_MODE_REGULARISED ? c->R[i] : 0.0) + c->factor.shift * c->a[i];
}
/// γ of the active rows from the modes of all; γ at an end of its range where that is the mode.
void dp_active_impulses(dp_compliant *c, dp_prox prox);

// ---- refine

/// γ, v = M̃⁻¹ Gᵀ γ and u in the modes of the rows, to the last digits. γ must be their solution
/// already, to the digits that the factor gives.
void dp_refine(dp_compliant *c);
/// v = M̃⁻¹ Gᵀ γ and u from the current γ.
void dp_compliant_motion(dp_compliant *c);

// ---- newton

/// Settle the modes of all rows: Newton's method, by full steps without a proximal term, with an
/// exact line search where there is one. @return whether it settled within `most` steps
bool dp_compliant_newton(dp_compliant *c, dp_prox prox, int most);

#endif
