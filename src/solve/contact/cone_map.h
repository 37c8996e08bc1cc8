// Impulses of contacts in convex sets: the natural map of a variational inequality.
//
//     x ∈ K,   ũ · (y − x) ≥ 0 for all y ∈ K,     K a cone for each contact (friction_cone.h),  (CV
//     1)
//
// or the product of x_n ≥ 0 and discs whose radii are given. The law of (CO 2) is then the nearest
// point of K in the metric 1/ρ, and its derivative is symmetric: so is C, and H = M̃ + Gᵀ C G is
// positive definite.
#ifndef DP_SOLVE_COULOMB_CONE_H
#define DP_SOLVE_COULOMB_CONE_H

#include "solve/contact/coulomb.h"

/// F of the rows of a contact in its cone.
void dp_cone_evaluate(const dp_coulomb *c, double *F, const dp_coulomb_map *map, int block,
                      const double *x, const double *u);
/// q and C of it. @param C zero
void dp_cone_linearise(dp_coulomb *c, const dp_coulomb_map *map, int block, double *C,
                       const double *x, const double *u);
/// [m/s] dp_cone_residual, or that of discs with given radii.
double dp_cone_judge(const dp_coulomb *c, int block, const double *x, const double *u);
/// What the rows of a contact in its cone do.
void dp_cone_states(uint8_t *state, const dp_coulomb *c, int block, const double *x,
                    const double *u);

#endif
