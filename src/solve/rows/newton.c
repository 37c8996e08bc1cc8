// Newton's method on the modes of the rows: solve for the impulses that (CL 1) gives in these
// modes, let every row take the mode that it would have by itself, repeat. This is the semismooth
// Newton method on the natural map of (CL 1), or the primal-dual active set method
// [HintermuellerItoKunisch2002]. It ends, with the exact solution, as soon as no row changes:
// mostly after one to three steps. It may cycle.
//
// With a proximal term [Rockafellar1976], the compliance s·a about an earlier guess γ_c on every
// row, it cannot: each row's impulse is then a function γ(u) that falls with u, and the step
// problem is the minimum over x, with v = v_free + M̃⁻¹ Gᵀ x, of
//
//     Φ = ½ (v − v_free)ᵀ M̃ (v − v_free) + Σ ψ(u),   ψ' = −γ,   u = u_free + W x.        (PX 1)
//
// Φ is convex, smooth, and quadratic in pieces. The Newton step from x to x⁺ solves for the
// impulses of the rows that are active at u; along it
//
//     Φ'(t) = (W d)·(x + t d − γ(u + t W d)),   d = x⁺ − x,                               (PX 2)
//
// grows with t, so that the least Φ on the way is found exactly. Newton with this search ends at
// the minimum of (PX 1) after finitely many steps, from anywhere.
//
// Departures. With friction there is no function to descend on, and proximal Newton methods search
// on the residual; here there is one, and the step length needs no rule.
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include "base/interrupt.h"

#include <string.h>

// γ(u) of row i with a proximal term, Π(min(γ_R, γ_stop)), its mode there, and −dγ/du
static double impulse_at(uint8_t *mode, double *slope, const dp_compliant *c, int i, double u,
                         dp_prox prox)
{
    const double R_prox = prox.shift * c->a[i], R = c->R[i] + R_prox;
    const double at = (prox.centre ? R_prox * prox.centre[i] : 0.0) - u;
    const double regularised = (c->u_hat[i] + at) / R, closing = (c->u_stop[i] + at) / R_prox;
    const double gamma = regularised < closing ? regularised : closing;
    *slope = 0.0;
    if (gamma <= c->lo[i]) {
        *mode = DP_MODE_LO;
        return c->lo[i];
    }
    if (gamma >= c->hi[i]) {
        *mode = DP_MODE_HI;
        return c->hi[i];
    }
    *mode = regularised <= closing ? DP_MODE_REGULARISED : DP_MODE_CLOSING;
    *slope = 1.0 / (regularised <= closing ? R : R_prox);
    return gamma;
}

// (PX 2) for x = from, W d = u − u_from, and its slope
static double derivative(double *slope, const dp_compliant *c, dp_prox prox, double t)
{
    double sum = 0.0;
    *slope = 0.0;
    for (int i = 0; i < c->n; ++i) {
        uint8_t mode;
        double slope_i;
        const double Wd = c->u[i] - c->u_from[i], d = c->gamma[i] - c->from[i];
        const double gamma = impulse_at(&mode, &slope_i, c, i, c->u_from[i] + t * Wd, prox);
        sum += Wd * (c->from[i] + t * d - gamma);
        *slope += Wd * (d + slope_i * Wd);
    }
    return sum;
}

// The t in (0, 1] of the least Φ: Newton's method within an interval that shrinks.
static double step_length(const dp_compliant *c, dp_prox prox)
{
    double slope, low = 0.0, high = 1.0, t = 1.0;
    if (!(derivative(&slope, c, prox, 0.0) < 0.0)) {
        return t; // the step is in the last digits
    }
    for (int k = 0; k < DP_LINE_STEPS; ++k) {
        const double d = derivative(&slope, c, prox, t), next = t - d / slope;
        if (d == 0.0 || next == t || (d < 0.0 && t >= 1.0)) {
            break;
        }
        if (d < 0.0) {
            low = t;
        } else {
            high = t;
        }
        t = next > low && next < high ? next : 0.5 * (low + high);
        if (!(t > low && t < high)) {
            break;
        }
    }
    return t;
}

// Leave the current point behind; the modes are those of γ(u) there.
static void depart(dp_compliant *c, dp_prox prox)
{
    memcpy(c->from, c->gamma, (size_t)c->n * sizeof *c->from);
    memcpy(c->u_from, c->u, (size_t)c->n * sizeof *c->u_from);
    for (int i = 0; i < c->n; ++i) {
        double slope;
        impulse_at(&c->mode[i], &slope, c, i, c->u[i], prox);
    }
}

// Go only part of the way to the current point.
static void shorten(dp_compliant *c, dp_prox prox)
{
    const double t = step_length(c, prox);
    for (int i = 0; i < c->n; ++i) {
        c->gamma[i] = c->from[i] + t * (c->gamma[i] - c->from[i]);
        c->u[i] = c->u_from[i] + t * (c->u[i] - c->u_from[i]);
    }
}

bool dp_compliant_newton(dp_compliant *c, dp_prox prox, int most)
{
    const bool searches = prox.shift > 0.0;
    if (searches) {
        dp_compliant_velocities(c);
    }
    for (int k = 0; k < most && c->factorizations < c->max_factorizations; ++k) {
        if (dp_interrupted((size_t)c->n * (size_t)c->n)) {
            return false;
        }
        if (searches) {
            depart(c, prox);
        }
        ++c->iterations;
        dp_active_factor_update(c, prox.shift);
        dp_active_impulses(c, prox);
        dp_compliant_velocities(c);
        if (dp_row_modes_update(c, prox) == 0) {
            return true;
        }
        if (searches) {
            shorten(c, prox);
        }
    }
    return false;
}
