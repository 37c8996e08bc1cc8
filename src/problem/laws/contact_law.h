// The law of a contact with friction, in the terms that solvers and certificate share.
//
// The rows behind the normal fall into groups: sliding (1, 2), torsion (3), rolling (4, 5). The
// impulse of a group lies in an ellipse whose semi-axes are `limit` times the normal impulse. With
// γ = scale·x and G → scale·G, scale = limit/max(limit), ellipses become discs of radius
// reach·γ_n: solvers work with x.
#ifndef DP_PROBLEM_CONTACT_LAW_H
#define DP_PROBLEM_CONTACT_LAW_H

#include "problem/laws/row_law.h"

#include <dashpot/advanced/problem.h>

/// Rows of a contact, at most, and groups of friction rows.
enum { DP_CONTACT_ROWS = 6, DP_CONTACT_GROUPS = 3 };

typedef struct dp_friction_group {
    int first, count; // rows of the block; count 1 or 2
    double reach;     // ≥ 0: radius of the disc over the normal impulse
    double scale[2];  // 0 … 1
} dp_friction_group;

/// The groups of a contact with `nrow` rows. @return how many
int dp_friction_groups(dp_friction_group out[DP_CONTACT_GROUPS], const dp_friction *f, int nrow);

/// The compliance of friction whose disc has this radius, such that it is on the rim at the slip
/// v_s. Where there is hardly a disc, friction is 0 whatever the compliance. @param w its mobility
static inline double dp_friction_give(double v_s, double w, double radius)
{
    const double softest = 1e8 * (w > 0.0 ? w : 1.0);
    return radius * softest > v_s ? v_s / radius : softest;
}

/// a |x − Π(x − slack/a)| of friction in its disc.
static inline double dp_disc_residual(const double x[2], const double slack[2], double radius,
                                      double a)
{
    const double from[2] = {a * x[0], a * x[1]}, reach = a * radius; // as velocities
    const double y[2] = {from[0] - slack[0], from[1] - slack[1]};
    const double size = sqrt(y[0] * y[0] + y[1] * y[1]);
    if (size <= reach) {
        return sqrt(slack[0] * slack[0] + slack[1] * slack[1]);
    }
    const double shrink = reach / size;
    const double off[2] = {from[0] - shrink * y[0], from[1] - shrink * y[1]};
    return sqrt(off[0] * off[0] + off[1] * off[1]);
}

/// How far (x, u) of one contact is from its law, as a velocity: the natural map with the
/// mobilities a (> 0, a[first] of each group for all of it), γ_n as the normal impulse of the
/// discs.
/// @param soft of each row, scaled as x and u are. @param len of each row
double dp_contact_residual(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                           const double *a, const double *len, const double *x, const double *u);

/// The same with polygons of so many corners within the discs, the first corner along the first row
/// of its group. @param corners 0: discs
double dp_contact_residual_polygon(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                                   int corners, const double *a, const double *len, const double *x,
                                   const double *u);

/// The same with discs whose radii are given. @param bound by row, that of the first of each group
double dp_contact_residual_bound(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                                 const double *bound, const double *a, const double *len,
                                 const double *x, const double *u);

#endif
