// Searches for the impulses of a friction-contact problem: what they share.
//
// With a proximal compliance s·d about a centre r_k and ρ tied to it, the subproblem is the zero of
//
//     F(x) = x − Law(x − ρ ũ),   ũ = W x + q + s d (x − r_k),   ρ = max(1, c/s)/d,       (FC 6)
//
// Law: either that of Alart and Curnier [AlartCurnier1991], the normal cut at 0 and the tangents at
// the disc of the normal, or the projection onto K with de Saxcé's shift [DeSaxceFeng1998]. With
// its derivative by (x, u), F' dx = B dx + A W dx, A and B of 3 × 3 per contact, a Newton step is
//
//     B dx + A W dx = −F.                                                                  (FC 7)
#ifndef DP_SOLVE_FC_SEARCH_H
#define DP_SOLVE_FC_SEARCH_H

#include "problem/fc/fc_reduced.h"

#include <dashpot/advanced/fc.h>

/// How (FC 7) is solved.
typedef struct dp_fc_linear {
    const dp_fc_reduced *w;
    bool by_velocities; // (FC 8): W is not formed
    int nclique;        // of nodes of K: contacts, or groups of velocities
    int *clique_start, *clique;
    bool *used;            // nclique
    bool *pushes;          // nc: else a contact is open
    dp_fc_matrix K;        // A W + B, or M + H C Hᵀ
    int *at;               // nodes + 1
    double *upper, *lower; // M in K
    dp_block_view *view;   // in K, of each pair of parts of each contact
    size_t *view_start;    // nc + 1
    double *x, *force;     // of K
    double *right;         // 3 nc
    double *inverse, *C;   // 9 nc: B⁻¹, B⁻¹A
    double *CH;            // 3 × the widest node
    int factorizations;
} dp_fc_linear;

DP_NODISCARD dp_status dp_fc_linear_begin(dp_fc_linear *l, dp_fc_reduced *w, const dp_allocator *a);
void dp_fc_linear_end(dp_fc_linear *l);
/// dx of (FC 7) and du = W dx. @param A, B 9 nc; a contact whose A is 0 has B = I: it is open
/// @return false where the matrix is singular
bool dp_fc_linear_step(dp_fc_linear *l, double *dx, double *du, const double *F, const double *A,
                       const double *B);

typedef struct dp_fc_search {
    dp_fc_reduced *w;
    dp_fc_linear *l;
    double tolerance;
    int most;                                               // factorizations
    double *x, *u, *centre, *F, *dx, *du, *trial, *u_trial; // 3 nc
    double *A, *B;                                          // 9 nc
    double *best;                                           // 3 nc
    dp_fc_residual best_residual;
    bool diverged; // impulses have grown beyond all bounds
    int outer, newton, failed;
    double shift;
} dp_fc_search;

/// Which map (FC 6) takes, and how ρ goes with s.
typedef struct dp_fc_variant {
    bool cone;
    double coupling; // c
    double shift;    // the first s
} dp_fc_variant;

/// The proximal search from s->x. Keeps the best point. @return whether the tolerance was met
bool dp_fc_proximal(dp_fc_search *s, dp_fc_variant variant);
/// @return DP_ERROR_ARGUMENT
DP_NODISCARD dp_status dp_fc_options_check(const dp_fc_options *options);

/// The least of |N z|/d and |qᵀz + 1| over z ≥ 0, N the columns of W (or H) that belong to normals,
/// q beside its largest: where it is 0, no velocity has u_n ≥ 0 at all contacts (FC 5).
DP_NODISCARD dp_status dp_fc_feasibility(double *out, const dp_fc_reduced *w,
                                         const dp_allocator *a);

#endif
