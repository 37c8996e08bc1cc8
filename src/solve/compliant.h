// The compliant law on one island: every row a spring and dashpot at the end of the step.
//
// Unknowns are the impulses γ of the rows; u = u_free + W γ are the velocities of the rows, with
// W = G M̃⁻¹ Gᵀ and u_free = G v_free. Each row stands in one of four ways:
//
//     at lo:  γ = lo,  u ≥ f(lo)         soft:  R γ + u = û
//     at hi:  γ = hi,  u ≤ f(hi)         stop:  u = u_stop,  R γ ≤ û − u_stop             (CL 1)
//
// with f(γ) = min(u_stop, û − R γ), which (SP 2) and (SP 3) say in one. These are the conditions
// for a minimum of a convex function of γ, quadratic in pieces, so that v and Gᵀγ are unique
// wherever a solution exists. Parts: which way rows stand (row_stand), the linear system of the
// rows that are free to push (free_set), its refinement (refine), the search for the right stand
// (active_set, proximal, pivoting), all of it in turn (compliant). docs/laws/compliant.md.
#ifndef DP_SOLVE_COMPLIANT_H
#define DP_SOLVE_COMPLIANT_H

#include "linalg/doubled.h"
#include "linalg/semidefinite.h"
#include "problem/row_law.h"
#include "solve/delassus.h"

typedef enum dp_stand { DP_STAND_LO, DP_STAND_HI, DP_STAND_SOFT, DP_STAND_STOP } dp_stand;

static inline bool dp_is_free(uint8_t stand)
{
    return stand == DP_STAND_SOFT || stand == DP_STAND_STOP;
}

/// R/(w + R) up to here is rigid.
#define DP_RIGID 1e-13

/// S = W + R of the free rows, factored. Free rows of one kind act as one, a group: springs side by
/// side, or a rigid row and springs that follow it.
typedef struct dp_free_set {
    bool valid;
    double shift;   // proximal compliance in S
    uint8_t *stand; // nrow: what it was factored for
    int n;          // free rows
    int *place;     // n
    double *scale;  // n: makes S of unit diagonal
    bool alone;     // each row is a group of its own, and the five arrays that follow are not set
    int *group;     // n: the group of each
    double *weight; // n: its part in the group
    double *give;   // n: 1/R of a spring that is not alone in its group; else 0
    bool *soft;     // n: it does not count as rigid
    bool *follows;  // n: a spring beside a rigid row
    uint8_t *has;   // nkind: scratch
    int ngroup;
    int *kind;           // ngroup
    int *rows;           // ngroup: how many
    int *rigid_rows;     // ngroup: how many of them
    double *R;           // ngroup
    double *group_scale; // ngroup
    double *target;      // ngroup: scratch
    double *impulse;     // ngroup: scratch
    dp_envelope at;      // over groups
    int *first;          // ngroup
    size_t *start;       // ngroup+1
    double *L;           // triangle
    double least_pivot;  // of S scaled, without those that are round-off
    double determinant;  // of S scaled; where pivoted, of one that is as good
    bool rigid;          // some group is
    bool pivoted;        // groups depend on others: `any` holds the factor instead of L
    bool forced;         // it was taken where the other one exists
    int repeated;        // rigid rows beyond the first of their group
    dp_semidefinite any;
} dp_free_set;

/// Do free rows depend on others?
static inline bool dp_free_set_depends(const dp_free_set *set)
{
    return set->pivoted || set->repeated > 0;
}

/// All numbers by row stand at their places (dp_delassus).
typedef struct dp_compliant {
    const dp_step_problem *p;
    dp_delassus d;
    int n;                  // rows
    bool two_sided;         // every row that can do anything
    bool any_idle;          // is there a row that can do nothing?
    dp_softness *softness;  // n
    dp_soft *told;          // n: what the problem says of each row
    double *w, *a;          // n: W(i, i); w + R, and 1 where that is 0
    double *root;           // n: √w
    double *R;              // n
    double *u_hat, *u_stop; // n
    double *lo, *hi;        // n; both 0 for rows that can do nothing
    double *given;          // n: by how much a row gave way to others that contradict it
    bool gave_way;          // did any?
    double *u_free;         // n
    double *gamma, *u;      // n: where the search stands
    double *size;           // n: the sum of the magnitudes of which u is a sum; not where two_sided
    uint8_t *stand;         // n: dp_stand
    double *best;           // n: the γ of least residual so far
    uint8_t *best_stand;
    double best_residual;
    double residual; // of the point that was judged last
    bool held;       // the best stays as it is
    dp_free_set set;
    double *rhs, *x, *Wx;           // n: scratch of free_set and refine
    double *centre, *from, *u_from; // n: scratch of proximal
    double *v, *force, *y;          // nv: scratch; v holds M̃⁻¹ Gᵀ γ after dp_refine
    dp_doubled *v2, *force2;        // nv: scratch
    dp_doubled *gamma2, *gap2;      // n: scratch
    int iterations, factorizations, max_factorizations;
} dp_compliant;

size_t dp_compliant_memory(const dp_step_size *max);
/// Pieces of an arena that one island takes at most.
enum { DP_COMPLIANT_PIECES = 64 };
/// @return DP_ERROR_CAPACITY, DP_ERROR_NUMERIC
DP_NODISCARD dp_status dp_compliant_begin(dp_compliant *c, const dp_step_problem *p,
                                          const dp_law_options *opt, dp_arena *scratch);
/// The same for new numbers in the problem, where dp_delassus_serves.
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
/// The way in which row i alone would stand, the others' impulses held. The row keeps its stand
/// where the difference is round-off.
uint8_t dp_stand_next(const dp_compliant *c, int i, dp_prox prox);
/// size = what u is a sum of, where it comes from impulses
void dp_stand_measure(dp_compliant *c);
/// Changes of √w γ of a row up to this are in the last digits.
double dp_stand_digits(const dp_compliant *c);
/// [m/s] Velocities of rows are known no better than this.
double dp_stand_round_off(dp_compliant *c);
/// Every row's next stand at once. @return how many changed
int dp_stand_update(dp_compliant *c, dp_prox prox);
/// [m/s] The worst row, each judged as dp_row_residual does, times its length.
double dp_compliant_residual(const dp_compliant *c);

/// Factor S for the stand of the rows, unless it is so already.
void dp_free_set_factor(dp_compliant *c, double shift);
/// Take the pivoted factor, whatever the pivots of the other. @param coarse drop pivots that are
/// more than round-off, yet too small to be of use
void dp_free_set_factor_any(dp_compliant *c, double shift, bool coarse);
/// x = S⁻¹ b over the free rows, S⁺ b where they depend. x may be b.
void dp_free_set_solve(double *x, const dp_compliant *c, const double *b);
/// Rigid rows that depend on others.
int dp_free_set_dependent(const dp_free_set *set);
/// How much of free row f can act to no effect: the square of that part, 0 … 1.
double dp_free_set_null(const dp_free_set *set, int f);
/// γ of the free rows from the stand of all; γ at an end of its range where that is the stand.
void dp_free_set_impulses(dp_compliant *c, dp_prox prox);

/// γ, v = M̃⁻¹ Gᵀ γ and u for the stand of the rows, to the last digits. γ must be their solution
/// already, to the digits that the factor gives.
void dp_refine(dp_compliant *c);
/// v = M̃⁻¹ Gᵀ γ and u from the γ at hand.
void dp_compliant_motion(dp_compliant *c);

/// Newton on the stand of the rows, full steps. @return whether it settled within `most` steps
bool dp_active_set(dp_compliant *c, int most);
/// Settle the stand of all rows with a proximal term and an exact line search.
bool dp_proximal(dp_compliant *c, dp_prox prox);
/// One row at a time, the first that stands wrong. @return whether it settled
bool dp_pivoting(dp_compliant *c, int most);

#endif
