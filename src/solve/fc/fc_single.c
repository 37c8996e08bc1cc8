// One contact alone: u = W r + q with a W of 3 × 3.
//
// It opens where q_n ≥ 0 and sticks where −W⁻¹q lies in K; else it slides, which Newton's method on
// the map of Alart and Curnier mostly finds. Where it does not, one step of the fixed point on the
// natural map is taken [DeSaxceFeng1998], from which the next iteration goes on.
#include "solve/fc/fc_search.h"

#include <string.h>

static void velocity(double u[3], const double *W, const double *q, const double *r)
{
    for (int i = 0; i < 3; ++i) {
        u[i] = W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2] + q[i];
    }
}

static bool solve3(double x[3], const double *A, const double *b)
{
    double LU[9];
    int exchange[3];
    memcpy(LU, A, sizeof LU);
    if (!dp_rows_factor(LU, 3, exchange)) {
        return false;
    }
    dp_rows_solve(x, LU, exchange, b, 3);
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static bool in_cone(const double *r, double mu)
{
    return sqrt(r[1] * r[1] + r[2] * r[2]) <= mu * r[0];
}

// Newton's method on the map of Alart and Curnier with ρ = 1/d.
static bool newton(double r[3], const double *W, const double *q, double mu, double d)
{
    enum { STEPS = 20 };
    static const double enough = 1e-14;
    double x[3], u[3], z[3], slope[9], J[9], dx[3];
    memcpy(x, r, sizeof x);
    for (int step = 0; step < STEPS; ++step) {
        velocity(u, W, q, x);
        const double y[3] = {x[0] - u[0] / d, x[1] - u[1] / d, x[2] - u[2] / d};
        dp_fc_law(z, slope, y, mu, false);
        const double F[3] = {z[0] - x[0], z[1] - x[1], z[2] - x[2]};
        const double size = fabs(F[0]) + fabs(F[1]) + fabs(F[2]);
        if (size <= enough * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]))) {
            memcpy(r, x, sizeof x);
            return x[0] > 0.0;
        }
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                double sum = 0.0;
                for (int k = 0; k < 3; ++k) {
                    sum += slope[3 * i + k] * W[3 * k + j];
                }
                J[3 * i + j] = (i == j ? 1.0 : 0.0) - slope[3 * i + j] + sum / d;
            }
        }
        if (!solve3(dx, J, F)) {
            return false;
        }
        for (int k = 0; k < 3; ++k) {
            x[k] += dx[k];
        }
    }
    return false;
}

void dp_fc_single(double r[3], const double W[9], const double q[3], double mu, double d)
{
    if (q[0] >= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return;
    }
    const double right[3] = {-q[0], -q[1], -q[2]};
    double x[3], u[3];
    if (solve3(x, W, right) && in_cone(x, mu)) {
        memcpy(r, x, sizeof x);
    } else if (!newton(r, W, q, mu, d)) {
        velocity(u, W, q, r);
        const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
        const double y[3] = {r[0] - (u[0] + mu * slip) / d, r[1] - u[1] / d, r[2] - u[2] / d};
        dp_fc_project(r, y, mu);
    }
}
