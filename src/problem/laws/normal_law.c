#include "problem/laws/normal_law.h"

#include "math/elementary.h"

#include <math.h>

enum { MAX_STEPS = 200 }; // a fall from far above costs one for each factor of 5/3

double dp_normal_energy(const dp_normal *law, double k, double depth)
{
    if (!(depth > 0.0)) {
        return 0.0;
    }
    return dp_normal_is_hertz(law) ? 0.4 * k * depth * depth * sqrt(depth)
                                   : 0.5 * k * depth * depth;
}

// The s beyond which there is an impulse: the gap is closed and the bracket above 0.
static double threshold(const dp_normal *law, const dp_row *row, double h)
{
    const double closes = row->phi / h, d = law->dissipation;
    return d > 0.0 && -1.0 / d > closes ? -1.0 / d : closes;
}

// A t above which h k (δ₀ + h t)ᵖ (q + d t) exceeds γ: one factor at its least.
static double bound(const dp_normal *law, double k, double h, double depth, double q, double gamma)
{
    const double F = gamma / h, d = law->dissipation, p = dp_normal_is_hertz(law) ? 1.5 : 1.0;
    const double root = dp_normal_is_hertz(law) ? sqrt(depth) : 1.0;
    const double by_depth = F / (k * depth * root * d); // both infinite where a factor begins at 0
    const double load = F / (k * q);
    const double by_drag = isfinite(load) ? dp_pow(load, 1.0 / p) / h : load;
    const double least = by_depth < by_drag ? by_depth : by_drag;
    return isfinite(least) ? least : dp_pow(F / (k * d), 1.0 / (1.0 + p)) / (h < 1.0 ? h : 1.0);
}

// Newton's method from above: N is convex, so no step goes too far.
double dp_normal_velocity(const dp_normal *law, const dp_row *row, double h, double gamma)
{
    const double least = threshold(law, row, h), d = law->dissipation;
    if (!(gamma > 0.0)) {
        return -least - row->phi_t;
    }
    const double closes = row->phi / h;
    const double depth = least > closes ? h * least - row->phi : 0.0;
    const double q = least > closes ? 0.0 : 1.0 + d * least;
    double t = bound(law, row->k, h, depth, q, gamma);
    for (int i = 0; i < MAX_STEPS; ++i) {
        const double now = depth + h * t, drag = q + d * t;
        const double root = dp_normal_is_hertz(law) ? sqrt(now) : 1.0;
        const double spring = row->k * now * root;
        const double slope =
            h * (h * (dp_normal_is_hertz(law) ? 1.5 : 1.0) * row->k * root * drag + spring * d);
        const double next = t - (h * spring * drag - gamma) / slope;
        if (!(next < t) || !(next > 0.0)) {
            break;
        }
        t = next;
    }
    return -(least + t) - row->phi_t;
}

dp_soft dp_normal_tangent(const dp_normal *law, const dp_row *row, double h, double gamma, double u,
                          double u_deep, double R_open)
{
    double slope, slope_deep;
    const double zero = dp_normal_velocity(law, row, h, 0.0);
    double at = u, impulse = dp_normal_impulse(&slope, law, row, h, u);
    if (gamma > impulse) { // δ(γ) is deeper
        at = dp_normal_velocity(law, row, h, gamma);
        impulse = gamma;
        dp_normal_impulse(&slope, law, row, h, at);
    }
    if (slope > 0.0 && isfinite(1.0 / slope)) {
        return (dp_soft){1.0 / slope, at + impulse / slope, (double)INFINITY};
    }
    dp_normal_impulse(&slope_deep, law, row, h, u_deep);
    const double R = 1.0 / slope_deep;
    return (dp_soft){slope_deep > 0.0 && isfinite(R) ? R : R_open, zero, (double)INFINITY};
}

dp_soft dp_normal_exact(const dp_normal *law, const dp_row *row, double h, double gamma)
{
    return (dp_soft){0.0, dp_normal_velocity(law, row, h, gamma), (double)INFINITY};
}

// N is convex, so its tangent at u reaches a γ that is larger after N does; and d ln N/ds falls
// with s, so that the slope where N is γ < N(u) is that at u times γ/N(u) at least.
double dp_normal_bound(const dp_normal *law, const dp_row *row, double h, double a, double gamma,
                       double u)
{
    if (gamma == 0.0) { // rests, unless u is where it pushes
        return fmax(-threshold(law, row, h) - row->phi_t - u, 0.0);
    }
    double slope;
    const double impulse = dp_normal_impulse(&slope, law, row, h, u);
    const double open = a * gamma; // that of an impulse where there should be none
    if (impulse > gamma) {
        return (impulse - gamma) / slope * (impulse / gamma);
    }
    return impulse > 0.0 ? fmin((gamma - impulse) / slope, open) : open;
}
