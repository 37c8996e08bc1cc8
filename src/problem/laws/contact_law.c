#include "problem/laws/contact_law.h"

#include "problem/laws/polygon.h"

#include <math.h>

static dp_friction_group make_group(int first, int count, double along, double across)
{
    const double most = along > across ? along : across;
    // Without friction the ellipse is a point whatever its scales: rows keep their own units, and
    // with them mobilities and weights.
    return (dp_friction_group){
        first,
        count,
        most,
        {along < most ? along / most : 1.0, across < most ? across / most : 1.0}};
}

int dp_friction_groups(dp_friction_group out[DP_CONTACT_GROUPS], const dp_friction *f, int nrow)
{
    int count = 0;
    if (nrow >= 3) {
        out[count++] = make_group(1, 2, f->mu[0], f->mu[1]);
    }
    if (nrow >= 4) {
        out[count++] = make_group(3, 1, f->torsion, f->torsion);
    }
    if (nrow >= 6) {
        out[count++] = make_group(4, 2, f->roll[0], f->roll[1]);
    }
    return count;
}

// a |x − Π(x − (u − û + R x)/a)| of a group in its disc.
static inline double group_residual(const dp_soft *soft, double radius, const int count, double a,
                                    const double *x, const double *u)
{
    double own[2] = {0.0, 0.0}, slack[2] = {0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        own[i] = x[i];
        slack[i] = u[i] - soft[i].u_hat + soft[i].R * x[i];
    }
    return dp_disc_residual(own, slack, radius, a);
}

// As group_residual, of two rows.
static double polygon_residual(const dp_soft *soft, double radius, int corners, double a,
                               const double *x, const double *u)
{
    double e[2], y[2];
    for (int i = 0; i < 2; ++i) {
        e[i] = u[i] - soft[i].u_hat + soft[i].R * x[i];
        y[i] = x[i] - e[i] / a;
    }
    const dp_polygon_point point = dp_polygon_nearest(y, radius, corners);
    if (point.within) { // x − y, without the cancellation
        return sqrt(e[0] * e[0] + e[1] * e[1]);
    }
    const double off[2] = {x[0] - point.at[0], x[1] - point.at[1]};
    return a * sqrt(off[0] * off[0] + off[1] * off[1]);
}

// @param corners 0: discs. @param bound the radius of each row's group; NULL: of γ_n
static inline double contact_residual(const dp_soft *soft, const dp_friction_group *group,
                                      int ngroup, const int corners, const double *bound,
                                      const double *a, const double *len, const double *x,
                                      const double *u)
{
    double worst = dp_soft_residual(soft[0], 0.0, (double)INFINITY, a[0], x[0], u[0]) * len[0];
    const double normal = x[0] > 0.0 ? x[0] : 0.0;
    for (int g = 0; g < ngroup; ++g) {
        const int i = group[g].first;
        const double radius = bound ? bound[i] : group[g].reach * normal;
        const double r =
            group[g].count != 2 ? group_residual(soft + i, radius, 1, a[i], x + i, u + i)
            : corners > 0       ? polygon_residual(soft + i, radius, corners, a[i], x + i, u + i)
                                : group_residual(soft + i, radius, 2, a[i], x + i, u + i);
        worst = isnan(worst) || r <= worst ? worst : r;
    }
    return worst;
}

double dp_contact_residual(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                           const double *a, const double *len, const double *x, const double *u)
{
    return contact_residual(soft, group, ngroup, 0, NULL, a, len, x, u);
}

double dp_contact_residual_polygon(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                                   int corners, const double *a, const double *len, const double *x,
                                   const double *u)
{
    return contact_residual(soft, group, ngroup, corners, NULL, a, len, x, u);
}

double dp_contact_residual_bound(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                                 const double *bound, const double *a, const double *len,
                                 const double *x, const double *u)
{
    return contact_residual(soft, group, ngroup, 0, bound, a, len, x, u);
}
