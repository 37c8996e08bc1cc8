#include "methods/convex_cone.h"

#include "methods/convex_cone_method.h"

int cli_cone_rows(const cli_cone_program *p)
{
    return p->linear + 3 * p->cones;
}

static double largest(double a, cli_twofold b)
{
    return fmax(a, fabs(b.hi));
}

// How far a point is out of K, and its size.
static double outside(const cli_cone_program *p, const cli_twofold *s, double *size)
{
    double out = 0.0;
    for (int i = 0; i < p->linear; ++i) {
        out = fmax(out, -s[i].hi);
        *size = largest(*size, s[i]);
    }
    for (int i = p->linear; i < cli_cone_rows(p); i += 3) {
        const cli_twofold across =
            cli_root(cli_plus(cli_times(s[i + 1], s[i + 1]), cli_times(s[i + 2], s[i + 2])));
        out = fmax(out, cli_minus(across, s[i]).hi);
        *size = fmax(largest(*size, s[i]), across.hi);
    }
    return out;
}

// For x within K and r = H x + g − Cᵀ z, with x* the solution and c the convexity of the program,
//
//     c ‖x − x*‖² ≤ (∇f(x) − ∇f(x*))ᵀ (x − x*) ≤ zᵀ s + rᵀ (x − x*),
//
// since z and s* are in K, and x is no way down from x*. What is out of K counts with z.
static double error_bound(double convexity, double r, double gap)
{
    return (r + sqrt(r * r + 4.0 * convexity * gap)) / (2.0 * convexity);
}

cli_cone_residual cli_cone_judge(const cli_cone_program *p, const cli_twofold *x,
                                 const cli_twofold *z)
{
    const int n = p->n, rows = cli_cone_rows(p);
    cli_cone_residual o = {0};
    double r = 0.0, scale = 0.0, size = 0.0, z_size = 0.0;
    for (int i = 0; i < n; ++i) {
        cli_twofold sum = p->g[i];
        double most = fabs(p->g[i].hi);
        for (int j = 0; j < n; ++j) {
            const cli_twofold part = cli_times(p->H[i * n + j], x[j]);
            most = largest(most, part);
            sum = cli_plus(sum, part);
        }
        for (int k = 0; k < rows; ++k) {
            sum = cli_minus(sum, cli_times(p->C[k * n + i], z[k]));
        }
        r = hypot(r, sum.hi);
        scale = fmax(scale, most);
    }
    cli_twofold gap = cli_twofold_of(0.0);
    cli_twofold s[3] = {{0.0, 0.0}};
    for (int k = 0; k < rows; ++k) {
        const int place = k < p->linear ? 0 : (k - p->linear) % 3;
        s[place] = cli_minus(cli_twofold_of(0.0), p->d[k]);
        for (int j = 0; j < n; ++j) {
            s[place] = cli_plus(s[place], cli_times(p->C[k * n + j], x[j]));
        }
        gap = cli_plus(gap, cli_times(s[place], z[k]));
        const cli_cone_program one = {.linear = k < p->linear, .cones = place == 2};
        o.primal = fmax(o.primal, outside(&one, s, &size));
    }
    o.dual = outside(p, z, &z_size) / (z_size > 0.0 ? z_size : 1.0);
    o.stationarity = scale > 0.0 ? r / scale : 0.0;
    o.gap = gap.hi;
    o.error = error_bound(p->convexity, r, fabs(o.gap) + (double)(rows + 1) * z_size * o.primal);
    return o;
}

bool cli_cone_solve(cli_cone_solution *out, const cli_cone_program *p, double tolerance)
{
    return solve_cone_program(out, p, tolerance);
}
