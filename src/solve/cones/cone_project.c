// The nearest point of an interval or of the cone of a contact.
//
// With z = (z_n, z_g …) the nearest point x minimises ½ (N − z_n)² + Σ_g ½ dist²(z_g, N A_g) over
// N ≥ 0, A_g the ellipse of the group. With a multiplier ν_g ≥ 0 of each rim, ½ (Σ x_i²/a_i² − N²),
//
//     x_i = z_i/(1 + ν_g/a_i²),   N = z_n + N Σ_g ν_g,                                    (CP 3)
//
// and the right side falls with N, so that N is found by bisection. It is 0 where z lies in the
// polar cone, z_n + Σ_g ‖(a_i z_i)‖ ≤ 0.
#include "linalg/dense.h"
#include "solve/cones/cone_program.h"

#include <math.h>
#include <string.h>

enum { BISECTIONS = 120 }; // more than a double has room for

int dp_cone_size(const dp_cone *cone)
{
    int size = 1;
    for (int g = 0; g < cone->ngroup; ++g) {
        size += cone->group[g].count;
    }
    return size;
}

static double axis(const dp_friction_group *g, int i)
{
    return g->reach * g->scale[i];
}

// ‖(a_i z_i)‖
static double support(const dp_friction_group *g, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < g->count; ++i) {
        const double az = axis(g, i) * z[i];
        sum += az * az;
    }
    return sqrt(sum);
}

// Σ x_i²/a_i² for the multiplier ν; directions without friction give nothing.
static double rim(const dp_friction_group *g, const double *z, double nu)
{
    double sum = 0.0;
    for (int i = 0; i < g->count; ++i) {
        const double a = axis(g, i);
        const double x = a > 0.0 ? a * z[i] / (a * a + nu) : 0.0; // x_i/a_i
        sum += x * x;
    }
    return sum;
}

// The multiplier of the rim for the normal N > 0; 0: z lies within.
static double multiplier(const dp_friction_group *g, const double *z, double N)
{
    if (rim(g, z, 0.0) <= N * N) {
        return 0.0;
    }
    double low = 0.0, high = support(g, z) / N; // there every |x_i/a_i| is below its share of N
    for (int k = 0; k < BISECTIONS; ++k) {
        const double nu = 0.5 * (low + high);
        if (nu <= low || nu >= high) {
            break;
        }
        if (rim(g, z, nu) > N * N) {
            low = nu;
        } else {
            high = nu;
        }
    }
    return 0.5 * (low + high);
}

// N − z_n − N Σ ν_g
static double excess(const dp_cone *cone, const double *z, double N)
{
    double sum = N - z[0];
    for (int g = 0; g < cone->ngroup; ++g) {
        sum -= N * multiplier(&cone->group[g], z + cone->group[g].first, N);
    }
    return sum;
}

static double find_normal(const dp_cone *cone, const double *z)
{
    double low = 0.0, high = 0.0, push = z[0];
    for (int g = 0; g < cone->ngroup; ++g) {
        push += support(&cone->group[g], z + cone->group[g].first);
    }
    if (push <= 0.0) {
        return 0.0;
    }
    for (int i = 0; i < dp_cone_size(cone); ++i) {
        high += z[i] * z[i]; // the nearest point is not longer than z
    }
    high = sqrt(high);
    for (int k = 0; k < BISECTIONS; ++k) {
        const double N = 0.5 * (low + high);
        if (N <= low || N >= high) {
            break;
        }
        if (excess(cone, z, N) < 0.0) {
            low = N;
        } else {
            high = N;
        }
    }
    return 0.5 * (low + high);
}

// x follows from its optimality conditions; so do its derivatives: with the gradients C of the
// active rims, [1 + Σ ν H, C; Cᵀ, 0] dx = dz.
static void differentiate(double *slope, const dp_cone *cone, const double *x, const double *nu)
{
    enum { MOST = DP_CONTACT_ROWS + DP_CONTACT_GROUPS };
    double LU[MOST * MOST] = {0.0}, value[MOST], b[MOST];
    int row[MOST], column[MOST];
    const int size = dp_cone_size(cone);
    int n = size;
    double total = 0.0;
    bool fixed[DP_CONTACT_ROWS] = {false};
    for (int g = 0; g < cone->ngroup; ++g) {
        n += nu[g] > 0.0;
        total += nu[g];
    }
    for (int i = 0; i < size; ++i) {
        LU[i * n + i] = i == 0 ? 1.0 - total : 1.0;
    }
    for (int g = 0, at = size; g < cone->ngroup; ++g) {
        const dp_friction_group *group = &cone->group[g];
        for (int k = 0; k < group->count; ++k) {
            const int i = group->first + k;
            const double a = axis(group, k);
            fixed[i] = !(a > 0.0);
            if (nu[g] > 0.0 && !fixed[i]) {
                LU[i * n + i] += nu[g] / (a * a);
                LU[i * n + at] = LU[at * n + i] = x[i] / (a * a);
            }
        }
        if (nu[g] > 0.0) {
            LU[at] = LU[at * n] = -x[0];
            ++at;
        }
    }
    dp_dense f = {.LU = LU, .row = row, .column = column, .value = value};
    dp_dense_factor(&f, n, 0.0);
    for (int j = 0; j < size; ++j) {
        memset(b, 0, sizeof b);
        b[j] = 1.0;
        dp_dense_solve(b, &f, b);
        for (int i = 0; i < size; ++i) {
            slope[i * size + j] = fixed[i] || fixed[j] ? 0.0 : b[i];
        }
    }
}

static void project_contact(double *x, double *slope, const dp_cone *cone, const double *z)
{
    const int size = dp_cone_size(cone);
    double nu[DP_CONTACT_GROUPS] = {0.0};
    const double N = find_normal(cone, z);
    if (slope) {
        memset(slope, 0, (size_t)(size * size) * sizeof *slope);
    }
    x[0] = N;
    for (int g = 0; g < cone->ngroup; ++g) {
        const dp_friction_group *group = &cone->group[g];
        nu[g] = N > 0.0 ? multiplier(group, z + group->first, N) : 0.0;
        for (int k = 0; k < group->count; ++k) {
            const double a = axis(group, k);
            x[group->first + k] =
                N > 0.0 && a > 0.0 ? z[group->first + k] / (1.0 + nu[g] / (a * a)) : 0.0;
        }
    }
    if (slope && N > 0.0) {
        differentiate(slope, cone, x, nu);
    }
}

void dp_cone_project(double *x, double *slope, const dp_cone *cone, const double *z)
{
    if (cone->ngroup >= 0) {
        project_contact(x, slope, cone, z);
        return;
    }
    x[0] = fmin(fmax(z[0], cone->lo), cone->hi);
    if (slope) {
        slope[0] = z[0] > cone->lo && z[0] < cone->hi ? 1.0 : 0.0;
    }
}

double dp_cone_distance(const dp_cone_program *p, const double *x)
{
    double most = 0.0;
    for (int c = 0; c < p->ncone; ++c) {
        double nearest[DP_CONTACT_ROWS] = {0.0};
        const double *own = x + p->cone[c].first;
        dp_cone_project(nearest, NULL, &p->cone[c], own);
        for (int k = 0; k < dp_cone_size(&p->cone[c]); ++k) {
            most = fmax(most, fabs(nearest[k] - own[k]));
        }
    }
    return most;
}
