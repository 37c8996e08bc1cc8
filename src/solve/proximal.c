// The proximal method [Rockafellar1976]: with the compliance s·a about an earlier guess γ_c on
// every row, each row's impulse is a function γ(u) that falls with u, and the step problem is the
// minimum over x, with v = v_free + M̃⁻¹ Gᵀ x, of
//
//     Φ = ½ (v − v_free)ᵀ M̃ (v − v_free) + Σ ψ(u),   ψ' = −γ,   u = u_free + W x.        (PX 1)
//
// Φ is convex, smooth, and quadratic in pieces. The Newton step from x to x⁺ solves for the
// impulses of the rows that are free at u; along it
//
//     Φ'(t) = (W d)·(x + t d − γ(u + t W d)),   d = x⁺ − x,                               (PX 2)
//
// grows with t, so that the least Φ on the way is found exactly. Newton with this search ends at
// the minimum of (PX 1) after finitely many steps, from anywhere.
//
// Departures. With friction there is no function to descend on, and proximal Newton methods search
// on the residual; here there is one, and the step length needs no rule.
#include "solve/compliant.h"

#include "base/interrupt.h"

#include <math.h>
#include <string.h>

enum { MAX_NEWTON = 60, MAX_HALVINGS = 60 };

// γ(u) of row i, and which way it stands then.
static double impulse(uint8_t *stand, const dp_compliant *c, int i, double u, dp_prox prox)
{
    const double R = prox.shift * c->a[i];
    const double at = (prox.centre ? R * prox.centre[i] : 0.0) - u;
    const double soft = (c->u_hat[i] + at) / (c->R[i] + R), stop = (c->u_stop[i] + at) / R;
    const double gamma = soft < stop ? soft : stop;
    if (gamma <= c->lo[i]) {
        *stand = DP_STAND_LO;
        return c->lo[i];
    }
    if (gamma >= c->hi[i]) {
        *stand = DP_STAND_HI;
        return c->hi[i];
    }
    *stand = soft <= stop ? DP_STAND_SOFT : DP_STAND_STOP;
    return gamma;
}

// (PX 2) for x = from, W d = u − u_from
static double slope(const dp_compliant *c, double t, dp_prox prox)
{
    double sum = 0.0;
    for (int i = 0; i < c->n; ++i) {
        uint8_t stand;
        const double Wd = c->u[i] - c->u_from[i];
        const double x = c->from[i] + t * (c->gamma[i] - c->from[i]);
        sum += Wd * (x - impulse(&stand, c, i, c->u_from[i] + t * Wd, prox));
    }
    return sum;
}

// The zero of the slope in (0, 1], or 1.
static double step_length(const dp_compliant *c, dp_prox prox)
{
    double low = 0.0, high = 1.0;
    double at_low = slope(c, 0.0, prox), at_high = slope(c, 1.0, prox);
    if (!(at_high > 0.0) || !(at_low < 0.0)) {
        return 1.0;
    }
    for (int k = 0; k < MAX_HALVINGS; ++k) {
        // False position hits the zero of a straight piece at once; halving bounds the work.
        double t = low + (high - low) * (at_low / (at_low - at_high));
        t = k % 2 == 0 && t > low && t < high ? t : 0.5 * (low + high);
        const double at_t = slope(c, t, prox);
        if (at_t == 0.0 || t <= low || t >= high) {
            return t;
        }
        if (at_t < 0.0) {
            low = t;
            at_low = at_t;
        } else {
            high = t;
            at_high = at_t;
        }
    }
    return low > 0.0 ? low : high;
}

bool dp_proximal(dp_compliant *c, dp_prox prox)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    dp_compliant_velocities(c);
    for (int k = 0; k < MAX_NEWTON && c->factorizations < c->max_factorizations; ++k) {
        if (dp_interrupted((size_t)c->n * (size_t)c->n)) {
            return false;
        }
        ++c->iterations;
        memcpy(c->from, c->gamma, bytes);
        memcpy(c->u_from, c->u, bytes);
        for (int i = 0; i < c->n; ++i) {
            impulse(&c->stand[i], c, i, c->u[i], prox);
        }
        dp_free_set_factor(c, prox.shift);
        dp_free_set_impulses(c, prox);
        dp_compliant_velocities(c);
        if (dp_stand_update(c, prox) == 0) {
            return true;
        }
        const double t = step_length(c, prox);
        for (int i = 0; i < c->n; ++i) {
            c->gamma[i] = c->from[i] + t * (c->gamma[i] - c->from[i]);
            c->u[i] = c->u_from[i] + t * (c->u[i] - c->u_from[i]);
        }
    }
    return false;
}
