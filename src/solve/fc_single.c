// One contact alone: u = W r + q with a W of 3 × 3.
//
// It opens where q_n ≥ 0, sticks where −W⁻¹q lies in K; else it slides along −e with r = r_n (1, μ
// e), and what is left of its equations is one in the angle of e, free of division,
//
//     e⊥ · [(W_nn + μ W_nt·e) q_t − q_n (W_tn + μ W_tt e)] = 0,                            (FC 8)
//
// a trigonometric polynomial of degree 2. Newton's method finds most solutions; all of them are the
// real roots of a quartic in the tangent of half the angle, in two charts so that none is beyond 1.
#include "solve/fc_search.h"

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

// ---- the quartic

static double value_of(const double *c, int degree, double t)
{
    double sum = c[degree];
    for (int k = degree - 1; k >= 0; --k) {
        sum = sum * t + c[k];
    }
    return sum;
}

// The root of a monotone stretch, by halves.
static double root_between(const double *c, int degree, double a, double b)
{
    enum { HALVES = 60 };
    const bool rising = value_of(c, degree, a) < 0.0;
    for (int k = 0; k < HALVES; ++k) {
        const double middle = 0.5 * (a + b);
        if ((value_of(c, degree, middle) < 0.0) == rising) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return 0.5 * (a + b);
}

enum { DEGREE = 4 };

// Real roots in [−1, 1], ascending: between those of the derivative. @return how many
static int roots_of(double root[DEGREE + 1], const double *c, int degree)
{
    double derivative[DEGREE] = {0.0}, turn[DEGREE + 2] = {0.0};
    int turns = 0, count = 0;
    if (degree == 0) {
        return 0;
    }
    for (int k = 1; k <= degree; ++k) {
        derivative[k - 1] = k * c[k];
    }
    turns = roots_of(turn + 1, derivative, degree - 1);
    turn[0] = -1.0;
    turn[turns + 1] = 1.0;
    for (int k = 0; k <= turns; ++k) {
        const double a = turn[k], b = turn[k + 1];
        const double at_a = value_of(c, degree, a), at_b = value_of(c, degree, b);
        if (at_a == 0.0 && k > 0) {
            continue; // it was the end of the stretch before
        }
        if (at_b == 0.0) {
            root[count++] = b;
        } else if ((at_a < 0.0) != (at_b < 0.0)) {
            root[count++] = root_between(c, degree, a, b);
        }
        if (count == degree) {
            break;
        }
    }
    return count;
}

// The impulse that slides along −e, if there is one. @return its normal, < 0: none
static double slide(double r[3], const double *W, const double *q, double mu, const double e[2])
{
    const double stiffness = W[0] + mu * (W[1] * e[0] + W[2] * e[1]);
    const double normal = -q[0] / stiffness;
    if (!(stiffness > 0.0 && normal > 0.0 && isfinite(normal))) {
        return -1.0;
    }
    const double x[3] = {normal, mu * normal * e[0], mu * normal * e[1]};
    double u[3];
    velocity(u, W, q, x);
    if (e[0] * u[1] + e[1] * u[2] > 0.0) {
        return -1.0;
    }
    memcpy(r, x, sizeof x);
    return normal;
}

static bool quartic(double r[3], const double *W, const double *q, double mu)
{
    const double p[2] = {W[0] * q[1] - q[0] * W[3], W[0] * q[2] - q[0] * W[6]};
    double Q[4];
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            Q[2 * i + j] = q[1 + i] * W[1 + j] - q[0] * W[3 * (1 + i) + 1 + j];
        }
    }
    double least = -1.0;
    for (int chart = 0; chart < 2; ++chart) {
        const double sign = chart == 0 ? 1.0 : -1.0; // e, or −e
        // With c = (1 − t²)/(1 + t²), s = 2t/(1 + t²):
        // sign (p₁ c − p₀ s) + μ (Q₁₀ c² − Q₀₁ s² + (Q₁₁ − Q₀₀) c s)
        const double a = sign * p[1], b = sign * p[0], f = mu * Q[2], g = mu * Q[1],
                     h = mu * (Q[3] - Q[0]);
        const double c[DEGREE + 1] = {a + f, -2.0 * b + 2.0 * h, -2.0 * f - 4.0 * g,
                                      -2.0 * b - 2.0 * h, -a + f};
        double root[DEGREE + 1];
        const int count = roots_of(root, c, DEGREE);
        for (int k = 0; k < count; ++k) {
            const double t = root[k], over = 1.0 / (1.0 + t * t);
            const double e[2] = {sign * (1.0 - t * t) * over, sign * 2.0 * t * over};
            double trial[3];
            const double normal = slide(trial, W, q, mu, e);
            if (normal > 0.0 && (least < 0.0 || normal < least)) {
                least = normal;
                memcpy(r, trial, 3 * sizeof *r);
            }
        }
    }
    return least > 0.0;
}

bool dp_fc_single(double r[3], const double W[9], const double q[3], double mu)
{
    if (q[0] >= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return true;
    }
    const double right[3] = {-q[0], -q[1], -q[2]};
    double x[3];
    if (solve3(x, W, right) && in_cone(x, mu)) {
        memcpy(r, x, sizeof x);
        return true;
    }
    const double d = (W[0] + W[4] + W[8]) / 3.0;
    return (d > 0.0 && newton(r, W, q, mu, d)) || quartic(r, W, q, mu);
}
