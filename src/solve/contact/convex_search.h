// Where the impulses of contacts are held in convex sets, the step is a convex problem, and these
// are what that brings: a search that cannot but succeed, the least impulses of all that solve it,
// and gaps that joints can agree on.
#ifndef DP_SOLVE_COULOMB_CONVEX_H
#define DP_SOLVE_COULOMB_CONVEX_H

#include "problem/compliance.h"
#include "solve/contact/cone_map.h"

/// How far to go down a convex function from where its slope is −first < 0: to where it still
/// falls, but no longer as steeply, or all the way. @param slope at a share 0 … 1 of the way
double dp_convex_share(double (*slope)(void *job, double share), void *job, double first);

/// The proximal search from c->x with a descent of its own. @return whether the tolerance was met
bool dp_convex_search(dp_coulomb *c, int max_factorizations);

/// From a solution within the tolerance in c->best.x: the impulses that belong to the compliance of
/// the rows, to round-off, where all of them have some. Residuals say little about them.
void dp_compliant_impulses(dp_coulomb *c);

/// Put the impulses of least Σ D x² that make the same motion into c->best.x.
void dp_minimum_norm(dp_coulomb *c);

/// Take from what rigid two-sided rows ask for the part that they contradict each other by, in the
/// least squares: c->soft and c->found.inconsistent.
void dp_make_rows_consistent(dp_coulomb *c);

/// Has a row hardly more compliance than the law gives it?
static inline bool dp_convex_is_nearly_rigid(const dp_coulomb *c, int r)
{
    const double R = c->law.weight ? c->law.weight[r] : c->soft[r].R;
    return R > 0.0 && dp_has_little_compliance(R, c->law.compliance, c->a[r]);
}

/// Is a row rigid but for the compliance of the law? In the limit contacts and ends of ranges are,
/// however uneven mobilities make their weights.
static inline bool dp_convex_is_rigid(const dp_coulomb *c, int r)
{
    return c->law.weight ? c->law.weight[r] > 0.0 : dp_convex_is_nearly_rigid(c, r);
}

#endif
