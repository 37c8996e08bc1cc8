// Step problems whose trees are given as links: products with M̃ and G in time linear in the links
// and rows, where the matrices themselves grow with the square of the length of a branch.
//
// A link moves as its parent does, about its own point, and by velocities of its own:
//
//     V_i = X_i V_parent + Σ S_k v_k,                                                      (LK 1)
//
// X_i the shift by its offset. With F_i a wrench on each link, Jᵀ F goes the way back.
#ifndef DP_PROBLEM_LINKS_H
#define DP_PROBLEM_LINKS_H

#include "math/spatial.h"

#include <dashpot/advanced/problem.h>

#include <stddef.h>

/// Trees of velocities as links, each of which moves with the one before it and by velocities of
/// its own: M̃ = Σ Jᵀ I J + diag, where a link moves by J v about its own point, and G = along · J.
/// All along common axes. Numbers along a branch grow with its length, and these do not.
struct dp_links {
    int n;
    const int *parent;      ///< n: the link before it, < its own number; −1: none
    const int *first;       ///< n+1: where its own velocities begin, 0 … nv
    const dp_v3 *offset;    ///< n: from the point of its parent to its own [m]
    const double *inertia;  ///< 10 n: mass, its first moments and its second, xx yy zz xy xz yz
    const dp_twist *motion; ///< nv: how a unit of each velocity moves its link
    const double *diagonal; ///< nv, ≥ 0: what M̃ has besides
    const int
        *on; ///< nblock: the link whose motion its rows see; −1 − i: they see velocity i alone
    const dp_wrench *along; ///< nrow: of a link, G v = t · ω + f · v of its motion; else t.x is G
};

static inline dp_rigid_inertia dp_link_inertia(const dp_links *l, int i)
{
    const double *I = l->inertia + 10 * (ptrdiff_t)i;
    return (dp_rigid_inertia){I[0], {I[1], I[2], I[3]}, {I[4], I[5], I[6], I[7], I[8], I[9]}};
}

/// V = J v: (LK 1). @param V n
void dp_links_move(dp_twist *V, const dp_links *l, const double *v);

/// tau = Jᵀ F. @param F n, changed
void dp_links_gather(double *tau, const dp_links *l, dp_wrench *F);

/// y = M̃ x. @param V, F n: scratch
void dp_links_apply(double *y, const dp_links *l, const double *x, dp_twist *V, dp_wrench *F);

/// xᵀ M̃ x. @param V n: scratch
double dp_links_square(const dp_links *l, const double *x, dp_twist *V);

/// The diagonal of M̃. @param composite n: scratch
void dp_links_diagonal(double *M, const dp_links *l, dp_rigid_inertia *composite);

/// u = G v of one row, where links move by V. @param v all velocities
static inline double dp_links_rate(const dp_links *l, int block, int row, const dp_twist *V,
                                   const double *v)
{
    const int on = l->on[block];
    return on >= 0 ? dp_power(V[on], l->along[row]) : l->along[row].t.x * v[-1 - on];
}

/// The same without V, in time linear in the length of the branch.
double dp_links_rate_alone(const dp_links *l, int block, int row, const double *v);

/// G v of one row of any problem, by its links where it has them. @param v nv
double dp_row_speed(const dp_step_problem *p, int block, int row, const double *v);

/// f = Gᵀ x. @param F n: scratch
void dp_links_push(double *f, const dp_step_problem *p, const double *x, dp_wrench *F);

/// What a unit wrench does to each link: Ω = J A⁻¹ Jᵀ of it, 6 × 6, angular parts first.
/// @param inverse nv: of the pivots of A. @param U nv: what its velocity pushes with when it gives
/// way; NULL: A is diagonal. @param omega 36 n
void dp_links_mobility(double *omega, const dp_links *l, const double *inverse, const dp_wrench *U);
/// along Ω alongᵀ with the Ω of one link; 0 where that is round-off
double dp_links_row_mobility(const double *omega, dp_wrench along);

/// Where the matrices of a problem go: Mt as its Mt_start says, col and G with room for the longest
/// way to a root in each block.
typedef struct dp_unfolded {
    double *Mt, *G;
    int *col_start, *col;
    size_t *G_start;
    int *link_of;                // nv: scratch
    dp_rigid_inertia *composite; // n: scratch
} dp_unfolded;
/// The matrices. @param p its Mt, col and G are not read
void dp_links_unfold(const dp_step_problem *p, const dp_unfolded *to);

/// What dp_links_certify works in.
typedef struct dp_links_scratch {
    dp_twist *V;                      // n
    dp_wrench *F;                     // n
    dp_rigid_inertia *composite;      // n
    double *omega;                    // 36 n
    double *velocity, *other, *third; // nv
} dp_links_scratch;

/// As dp_problem_certify, by the links alone. Blocks of at most DP_CONTACT_ROWS rows.
void dp_links_certify(dp_certificate *out, const dp_step_problem *p, const dp_step_solution *s,
                      const dp_links_scratch *at);

#endif
