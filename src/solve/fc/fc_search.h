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

#include "problem/fc_reduced.h"

/// Newton steps among the velocities of a product W = Hᵀ M⁻¹ H, that of the global form or L Lᵀ:
///
///     (M + H C Hᵀ) dv = −H B⁻¹F,   C = B⁻¹A,   dx = −B⁻¹F − C Hᵀ dv
typedef struct dp_fc_velocity_space {
    const dp_fc_reduced *product;
    dp_fc_reduced low_rank; // L Lᵀ as a product of its own
    int nclique;            // of K: nodes are groups, cliques those of a contact
    int *clique_start, *clique;
    dp_fc_matrix K;
    dp_block_view *view;   // of each pair of parts of each contact
    size_t *view_start;    // nc + 1
    double *upper, *lower; // M
    double *inverse, *C;   // 9 nc: B⁻¹, −B⁻¹A
    double *CG;            // of one contact, 3 × its width
    double *force, *v;     // nv
    double *y;             // 3 nc
} dp_fc_velocity_space;

/// Newton steps among the impulses of the contacts that push.
typedef struct dp_fc_impulse_space {
    const dp_fc_reduced *w;
    int npair; // nodes are contacts, pairs those that W couples
    int *pair_start, *pair;
    bool *used;     // npair
    int *size, *at; // nc, nc + 1
    bool *pushes;   // nc: else a contact is open
    dp_fc_matrix K;
    double *x; // 3 nc
} dp_fc_impulse_space;

/// How (FC 7) is solved.
typedef struct dp_fc_linear {
    const dp_fc_reduced *w;
    bool by_velocities; // of the global form
    bool by_product;    // of it, or of L Lᵀ
    dp_fc_velocity_space velocities;
    dp_fc_impulse_space impulses;
    double *residual; // 3 nc
    int factorizations;
} dp_fc_linear;

DP_NODISCARD dp_status dp_fc_linear_begin(dp_fc_linear *l, dp_fc_reduced *w, bool by_velocities,
                                          const dp_allocator *a);
void dp_fc_linear_end(dp_fc_linear *l);
/// dx of (FC 7) and du = W dx. @param A, B 9 nc; a contact whose A is 0 has B = I: it is open
/// @return false where the matrix is singular
bool dp_fc_linear_step(dp_fc_linear *l, double *dx, double *du, const double *F, const double *A,
                       const double *B);

/// Whether steps cost less among velocities, of a reduced problem of the global form.
DP_NODISCARD dp_status dp_fc_prefer_velocities(bool *out, dp_fc_reduced *w, const dp_allocator *a);
DP_NODISCARD dp_status dp_fc_velocity_space_begin(dp_fc_velocity_space *s, dp_fc_reduced *w,
                                                  const dp_allocator *a);
/// The same with W = L Lᵀ of low rank, where that pays. @param cost of a factor among impulses
DP_NODISCARD dp_status dp_fc_low_rank_begin(bool *out, dp_fc_velocity_space *s, dp_fc_reduced *w,
                                            double cost, const dp_allocator *a);
bool dp_fc_velocity_space_factor(dp_fc_velocity_space *s, const double *A, const double *B);
/// dx += the solution for `right`, 3 nc.
void dp_fc_velocity_space_solve(dp_fc_velocity_space *s, double *dx, const double *right);

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
/// Gauss–Seidel over contacts from s->x. W must be formed.
bool dp_fc_gauss_seidel(dp_fc_search *s);
/// u = W x + q
void dp_fc_velocities(const dp_fc_search *s, double *u, const double *x);
/// Judge s->x with u of it. @return the worst of its residuals
double dp_fc_offer(dp_fc_search *s, const double *x, const double *u);

/// One contact alone: r with u = W r + q, or a step towards it. W is 3 × 3 by rows, d > 0 as in (FC
/// 6).
/// @param r a first guess before
void dp_fc_single(double r[3], const double W[9], const double q[3], double mu, double d);

/// Law and its derivative slope (3 × 3 by rows) of the map at y.
void dp_fc_law(double z[3], double slope[9], const double y[3], double mu, bool cone);

/// Whether a contact pushes: its A is not 0.
bool dp_fc_pushes(const double A[9]);
/// Block (i, j) of a W that is formed; NULL: there is none.
const double *dp_fc_block(const dp_fc_reduced *w, int i, int j);

/// The least of |N z|/d and |qᵀz + 1| over z ≥ 0, N the columns of W (or H) that belong to normals,
/// q beside its largest: where it is 0, no velocity has u_n ≥ 0 at all contacts (FC 5).
DP_NODISCARD dp_status dp_fc_feasibility(double *out, const dp_fc_reduced *w,
                                         const dp_allocator *a);

#endif
