// Whether impulses can solve a problem whose contacts are held in cones: what a direction z of
// impulses proves of it. If z lies in the set of directions along which impulses may grow without
// bound, every velocity that meets all rows has zᵀ(G v − û) ≥ 0, so that
//
//     (Gᵀz)ᵀv ≥ ûᵀz:   with Gᵀz = 0 and ûᵀz > 0 there is none.                             (FE 1)
//
// Where Gᵀz is not quite 0 such a velocity would have to be fast: by the Cauchy–Schwarz inequality
// in the metric of diag M̃ it has Σ M̃_ii v_i² ≥ (ûᵀz)²/Σ (Gᵀz)_i²/M̃_ii.
#ifndef DP_PROBLEM_FEASIBILITY_H
#define DP_PROBLEM_FEASIBILITY_H

#include <dashpot/advanced/problem.h>

/// @param view of a law that holds contacts in cones. @param scratch nv
void dp_problem_certify_ray_as(dp_ray_certificate *out, const dp_step_problem *p, const double *z,
                               dp_certify_view view, double *scratch);

/// What a row asks for, and its compliance, as a law with this view takes it; a direction without
/// friction asks for nothing. @param r its number
dp_soft dp_view_soft(const dp_step_problem *p, const dp_certify_view *view, int r);

#endif
