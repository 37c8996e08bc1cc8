// The impulses of a contact as one convex set, the cone { x : ‖x_g‖ ≤ reach_g x_n for each group g
// of its rows of friction }, scaled as contact_law.h says: what the variational inequality of
// [PreclikRuedePopa2011, (64)] holds them in. With one group it is Coulomb's cone; with torsion and
// rolling it is where the cones of all groups meet.
#ifndef DP_PROBLEM_FRICTION_CONE_H
#define DP_PROBLEM_FRICTION_CONE_H

#include "problem/laws/contact_law.h"

#include <dashpot/advanced/problem.h>

/// The point of a cone that is nearest to some y.
typedef struct dp_cone_point {
    double normal;                  // its x_n ≥ 0; 0: it is the apex
    double size[DP_CONTACT_GROUPS]; // ‖y_g‖
    bool within[DP_CONTACT_GROUPS]; // x_g = y_g; else x_g = reach_g x_n y_g/‖y_g‖
    bool inside;                    // y lies in the cone
} dp_cone_point;

/// In the metric Σ d (x − y)². Exact: no more than one step for each group. @param d > 0 and y by
/// row; one number of d for each group, that of its first row
dp_cone_point dp_cone_nearest(const dp_friction_group *group, int ngroup, const double *d,
                              const double *y);

/// How far (x, u) of one contact is from  x ∈ K, (u + R x − û)·(y − x) ≥ 0 for all y ∈ K,  as a
/// velocity: the natural map in the metric a. As dp_contact_residual.
double dp_cone_residual(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                        const double *a, const double *len, const double *x, const double *u);

#endif
