// The proximal method [Rockafellar1976]: with the compliance s·a about an earlier guess γ_c on
// every row, each row's impulse is a function γ(u) that falls with u, and the step problem is the
// minimum over x, with v = v_free + M̃⁻¹ Gᵀ x, of
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

#include "base/interrupt.h"
#include "solve/rows/line_search.h"
#include "solve/rows/row_constants.h"

#include <string.h>

// γ(u) of row i, its mode there, and −dγ/du
static double impulse_at(uint8_t *mode, double *slope, const dp_compliant *c, int i, double u,
                         dp_prox prox)
{
    const double R_prox = prox.shift * c->a[i];
    const double at = (prox.centre ? R_prox * prox.centre[i] : 0.0) - u;
    const double gamma = dp_row_impulse(mode, (c->u_hat[i] + at) / (c->R[i] + R_prox),
                                        (c->u_stop[i] + at) / R_prox, c->lo[i], c->hi[i]);
    *slope = *mode == DP_MODE_REGULARISED ? 1.0 / (c->R[i] + R_prox)
             : *mode == DP_MODE_CLOSING   ? 1.0 / R_prox
                                          : 0.0;
    return gamma;
}

typedef struct line {
    const dp_compliant *c;
    dp_prox prox;
} line;

// (PX 2) for x = from, W d = u − u_from
static double derivative(double *slope, const void *context, double t)
{
    const line *l = context;
    const dp_compliant *c = l->c;
    double sum = 0.0;
    *slope = 0.0;
    for (int i = 0; i < c->n; ++i) {
        uint8_t mode;
        double slope_i;
        const double Wd = c->u[i] - c->u_from[i], d = c->gamma[i] - c->from[i];
        const double gamma = impulse_at(&mode, &slope_i, c, i, c->u_from[i] + t * Wd, l->prox);
        sum += Wd * (c->from[i] + t * d - gamma);
        *slope += Wd * (d + slope_i * Wd);
    }
    return sum;
}

bool dp_proximal(dp_compliant *c, dp_prox prox)
{
    const size_t bytes = (size_t)c->n * sizeof(double);
    const line along = {c, prox};
    dp_compliant_velocities(c);
    for (int k = 0; k < DP_PROXIMAL_STEPS && c->factorizations < c->max_factorizations; ++k) {
        if (dp_interrupted((size_t)c->n * (size_t)c->n)) {
            return false;
        }
        memcpy(c->from, c->gamma, bytes);
        memcpy(c->u_from, c->u, bytes);
        for (int i = 0; i < c->n; ++i) {
            double slope;
            impulse_at(&c->mode[i], &slope, c, i, c->u[i], prox);
        }
        dp_newton_point(c, prox);
        if (dp_row_modes_update(c, prox) == 0) {
            return true;
        }
        const double t = dp_line_search(derivative, &along, 1.0);
        for (int i = 0; i < c->n; ++i) {
            c->gamma[i] = c->from[i] + t * (c->gamma[i] - c->from[i]);
            c->u[i] = c->u_from[i] + t * (c->u[i] - c->u_from[i]);
        }
    }
    return false;
}
