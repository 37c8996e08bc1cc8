// Matrices A = Σ Jᵀ I J + diag over the velocities of links (problem/links/links.h), where the I of
// links are 6 × 6 matrices of any numbers: M̃ has such inertias, and so has M̃ + Gᵀ C G if each block
// of rows sees one link. From the last link to the first, its velocities are eliminated, and what
// is left of its inertia goes to its parent: the articulated-body algorithm [Featherstone2008,
// §7.3], linear in the links.
//
// Departures. Inertias need not be symmetric. Velocities are eliminated one at a time, with scalar
// pivots.
#ifndef DP_PROBLEM_LINK_FACTOR_H
#define DP_PROBLEM_LINK_FACTOR_H

#include "base/arena.h"
#include "problem/links/links.h"

enum { DP_LINK = 6, DP_LINK_SQUARE = DP_LINK * DP_LINK };

typedef struct dp_link_factor {
    double *inertia;  // 36 n: t, f by w, v. Of no use once factored: factors may share it
    double *diagonal; // nv
    dp_wrench *U;     // nv: what a velocity pushes its link with when it is eliminated,
    dp_wrench *W;     // nv: and what it feels of the motion of its link
    double *inverse;  // nv: of its pivot
} dp_link_factor;

/// @param inertia 36 n. @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_link_factor_take(dp_link_factor *out, const dp_links *l, double *inertia,
                                           dp_arena *scratch);
/// A = M̃
void dp_link_factor_begin(dp_link_factor *A, const dp_links *l);
/// @return −1, or the first velocity from the end whose pivot is lost in round-off or no number:
///         the factor is useless
int dp_link_factor_make(dp_link_factor *A, const dp_links *l);
/// x with A x = b − Jᵀ F. @param b NULL: none; x may be b. @param V n: how x moves the links.
/// @param F n: spent
void dp_link_factor_solve(double *x, const dp_link_factor *A, const dp_links *l, const double *b,
                          dp_twist *V, dp_wrench *F);

#endif
