// With its normal impulse z given, the nearest impulse of each group is known, and what is left is
// to find the z ≥ 0 of least
//
//     d_n (z − y_n)² + Σ d_g (‖y_g‖ − reach_g z)₊².
//
// Its derivative grows with z and is concave, made of straight lines: Newton's method from z = y_n
// comes to its zero from below, and the groups on their rims become fewer all the way.
#include "problem/laws/friction_cone.h"

dp_cone_point dp_cone_nearest(const dp_friction_group *group, int ngroup, const double *d,
                              const double *y)
{
    dp_cone_point out = {.normal = y[0]};
    for (int g = 0; g < ngroup; ++g) {
        const int i = group[g].first;
        out.size[g] = group[g].count == 2 ? sqrt(y[i] * y[i] + y[i + 1] * y[i + 1]) : fabs(y[i]);
    }
    for (int k = 0; k <= ngroup; ++k) {
        double pull = d[0] * y[0], weight = d[0];
        for (int g = 0; g < ngroup; ++g) {
            const double reach = group[g].reach, stiff = d[group[g].first] * reach;
            out.within[g] = !(out.size[g] > reach * out.normal);
            pull += out.within[g] ? 0.0 : stiff * out.size[g];
            weight += out.within[g] ? 0.0 : stiff * reach;
        }
        const double next = weight > d[0] ? pull / weight : y[0];
        if (!(next > out.normal)) {
            break;
        }
        out.normal = next;
    }
    out.inside = out.normal >= 0.0;
    for (int g = 0; g < ngroup; ++g) {
        out.inside = out.inside && out.within[g];
    }
    out.normal = out.normal > 0.0 ? out.normal : 0.0;
    return out;
}

double dp_cone_residual(const dp_soft *soft, const dp_friction_group *group, int ngroup,
                        const double *a, const double *len, const double *x, const double *u)
{
    double slack[DP_CONTACT_ROWS], y[DP_CONTACT_ROWS];
    slack[0] = dp_soft_slack(soft[0], x[0], u[0]);
    y[0] = x[0] - slack[0] / a[0];
    for (int g = 0; g < ngroup; ++g) {
        for (int i = group[g].first; i < group[g].first + group[g].count; ++i) {
            slack[i] = u[i] - soft[i].u_hat + soft[i].R * x[i];
            y[i] = x[i] - slack[i] / a[i];
        }
    }
    const dp_cone_point at = dp_cone_nearest(group, ngroup, a, y);
    const bool alone = at.normal == y[0]; // no group draws at it
    double worst = (alone ? fabs(slack[0]) : a[0] * fabs(x[0] - at.normal)) * len[0];
    for (int g = 0; g < ngroup; ++g) {
        const int first = group[g].first;
        double sum = 0.0;
        for (int i = first; i < first + group[g].count; ++i) {
            const double rim =
                at.size[g] > 0.0 ? group[g].reach * at.normal * (y[i] / at.size[g]) : 0.0;
            const double off = at.within[g] ? slack[i] : a[i] * (x[i] - rim);
            sum += off * off;
        }
        const double r = sqrt(sum) * len[first];
        worst = isnan(worst) || r <= worst ? worst : r;
    }
    return worst;
}
