// Large islands of free bodies that touch at single points, such as piles of balls, and when
// Gauss–Seidel iterations pay there.
#ifndef DP_SOLVE_LARGE_ISLAND_H
#define DP_SOLVE_LARGE_ISLAND_H

#include "solve/contact/coulomb.h"

/// May Gauss–Seidel iterations come far in the time of a few factorizations?
bool dp_gauss_seidel_may_pay(const dp_coulomb *c);
/// Do its rigid contacts move? There factorizations hardly ever come to an end: Newton's method
/// finds one solution in hundreds, alternation one in ten.
bool dp_is_rigid_moving_island(const dp_coulomb *c);
/// Where Gauss–Seidel iterations may meet the tolerance; and among compliant contacts whose guess
/// is far off, where Newton's method takes half as long from what they find.
bool dp_gauss_seidel_comes_first(const dp_coulomb *c, double first);
/// Iterations from the guess until the tolerance is met, or Newton's method will do more. If it is
/// met, a few all the same: what is off then fades from step to step. @param first residual of the
/// guess. @return whether the tolerance was met
bool dp_gauss_seidel_first(dp_coulomb *c, double first);
/// Newton's method leaves impulses outside their cones by as much as a loose tolerance, a few
/// iterations leave none: from c->best to c->best.
void dp_gauss_seidel_confine(dp_coulomb *c);

#endif
