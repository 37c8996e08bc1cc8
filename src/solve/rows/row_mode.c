// The mode that each row would have by itself, (CL 1). With the other impulses held, a row has
// u' = u + w (γ' − γ) and so the impulse
//
//     γ' = Π(min(γ_R, γ_stop)),  γ_R = (û − u + w γ)/(w + R),  γ_stop = γ + (u_stop − u)/w,
//
// since u' − f(γ') grows with γ' and is the larger of its two pieces. Where all rows keep their
// modes under this, (CL 1) holds.
#include "solve/rows/compliant.h"
#include "solve/rows/row_constants.h"

#include <math.h>

void dp_compliant_velocities(dp_compliant *c)
{
    dp_delassus_apply(c->u, &c->d, c->gamma);
    for (int i = 0; i < c->n; ++i) {
        c->u[i] += c->u_free[i];
    }
    dp_row_magnitudes(c);
}

// Σ √w |γ|, of which √w times bounds what W γ is a sum of
static double impulse_size(const dp_compliant *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->n; ++i) {
        sum += c->root[i] * fabs(c->gamma[i]);
    }
    return sum;
}

void dp_row_magnitudes(dp_compliant *c)
{
    const double impulses = impulse_size(c);
    for (int i = 0; i < c->n; ++i) {
        c->size[i] = fabs(c->u_free[i]) + c->root[i] * impulses;
    }
}

double dp_impulse_round_off(const dp_compliant *c)
{
    return DP_ROUND_OFF * impulse_size(c);
}

double dp_velocity_round_off(dp_compliant *c)
{
    double most = 0.0;
    if (c->two_sided) {
        dp_row_magnitudes(c);
    }
    for (int i = 0; i < c->n; ++i) {
        most = dp_worse(most, DP_ROUND_OFF * c->size[i] * c->p->row[c->d.row[i]].len);
    }
    return most;
}

// An impulse that a row would have by itself, and how well it is known.
typedef struct candidate {
    double gamma, round_off;
} candidate;

// γ_R or γ_stop of row i. @param target û or u_stop; S w with the compliance
static candidate impulse_towards(const dp_compliant *c, int i, double target, double u, double S)
{
    return (candidate){(target + c->w[i] * c->gamma[i] - u) / S,
                       DP_ROUND_OFF * (c->size[i] + fabs(target)) / S};
}

// Which of the two candidates is less, and whether it is within the range; for less than round-off
// the mode stays.
static uint8_t mode_of(const dp_compliant *c, int i, candidate regularised, candidate closing)
{
    const uint8_t now = c->mode[i];
    const candidate next = regularised.gamma < closing.gamma ? regularised : closing;
    const double lo_band = now == DP_MODE_LO ? next.round_off : -next.round_off;
    const double hi_band = now == DP_MODE_HI ? next.round_off : -next.round_off;
    if (next.gamma < c->lo[i] + lo_band ||
        (now == DP_MODE_LO && next.gamma == c->lo[i] + lo_band)) {
        return DP_MODE_LO;
    }
    if (next.gamma > c->hi[i] - hi_band ||
        (now == DP_MODE_HI && next.gamma == c->hi[i] - hi_band)) {
        return DP_MODE_HI;
    }
    const double band = regularised.round_off + closing.round_off;
    if (now == DP_MODE_CLOSING && c->u_stop[i] < c->u_hat[i]) {
        return regularised.gamma < closing.gamma - band ? DP_MODE_REGULARISED : DP_MODE_CLOSING;
    }
    return closing.gamma < regularised.gamma - band ? DP_MODE_CLOSING : DP_MODE_REGULARISED;
}

static uint8_t next_mode(const dp_compliant *c, int i, dp_prox prox)
{
    const uint8_t now = c->mode[i];
    if (c->lo[i] == c->hi[i]) {
        return DP_MODE_LO;
    }
    const double R_prox = prox.shift * c->a[i], S = c->w[i] + R_prox;
    double u = c->u[i];
    if (c->factor.pivoted && dp_is_active(now) && now == c->factor.mode[i] && prox.shift == 0.0) {
        u = dp_row_velocity(c, i); // what least squares leave open is no reason to let go
    }
    u -= prox.centre ? R_prox * prox.centre[i] : 0.0;
    candidate closing = {(double)INFINITY, 0.0}; // γ_R is less
    if (c->u_stop[i] < c->u_hat[i] && S > 0.0) {
        closing = impulse_towards(c, i, c->u_stop[i], u, S);
    } else if (c->u_stop[i] < c->u_hat[i] && u >= c->u_stop[i]) {
        closing.gamma = -(double)INFINITY; // a row that moves nothing is open or regularised
    }
    return mode_of(c, i, impulse_towards(c, i, c->u_hat[i], u, S + c->R[i]), closing);
}

int dp_row_modes_update(dp_compliant *c, dp_prox prox)
{
    int changed = 0;
    for (int i = 0; i < c->n; ++i) {
        const uint8_t next = next_mode(c, i, prox);
        changed += next != c->mode[i];
        c->mode[i] = next;
    }
    return changed;
}

double dp_compliant_row_residual(const dp_compliant *c, int i)
{
    const dp_row *row = c->p->row + c->d.row[i];
    return row->len * dp_soft_residual(c->law[i], row->lo, row->hi, c->a[i], c->gamma[i], c->u[i]);
}

double dp_compliant_residual(const dp_compliant *c)
{
    double worst = 0.0;
    for (int i = 0; i < c->n; ++i) {
        worst = dp_worse(worst, dp_compliant_row_residual(c, i));
    }
    return worst;
}
