// Which way rows stand, (CL 1). A row alone, the others' impulses held, has u' = u + w (γ' − γ) and
// so the impulse
//
//     γ' = Π(min(γ_soft, γ_stop)),  γ_soft = (û − u + w γ)/(w + R),  γ_stop = γ + (u_stop − u)/w,
//
// since u' − f(γ') grows with γ' and is the larger of its two pieces. Where all rows keep their
// stand under this, (CL 1) holds.
#include "solve/compliant.h"

#include <float.h>
#include <math.h>

// Velocities of rows carry round-off of this size relative to the terms that they are sums of: a
// row that would change its stand for less stays. Some 250 roundings of one sign.
static const double ROUND_OFF = 256.0 * DBL_EPSILON;

void dp_compliant_velocities(dp_compliant *c)
{
    dp_delassus_apply(c->u, &c->d, c->gamma);
    for (int i = 0; i < c->n; ++i) {
        c->u[i] += c->u_free[i];
    }
    dp_stand_measure(c);
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

void dp_stand_measure(dp_compliant *c)
{
    const double impulses = impulse_size(c);
    for (int i = 0; i < c->n; ++i) {
        c->size[i] = fabs(c->u_free[i]) + c->root[i] * impulses;
    }
}

double dp_stand_digits(const dp_compliant *c)
{
    return ROUND_OFF * impulse_size(c);
}

double dp_stand_round_off(dp_compliant *c)
{
    double most = 0.0;
    if (c->two_sided) {
        dp_stand_measure(c);
    }
    for (int i = 0; i < c->n; ++i) {
        most = dp_worse(most, ROUND_OFF * c->size[i] * c->p->row[c->d.row[i]].len);
    }
    return most;
}

// Is row i at an end of its range, and pushed there? Then nothing needs to be divided to see it.
static bool rests_at_end(const dp_compliant *c, int i)
{
    const double u = c->u[i], gamma = c->gamma[i];
    const double soft = c->u_hat[i] - c->R[i] * gamma;
    if (c->stand[i] == DP_STAND_LO) {
        return gamma == c->lo[i] && (u >= soft || u >= c->u_stop[i]);
    }
    return c->stand[i] == DP_STAND_HI && gamma == c->hi[i] && u <= soft && u <= c->u_stop[i];
}

uint8_t dp_stand_next(const dp_compliant *c, int i, dp_prox prox)
{
    const double lo = c->lo[i], hi = c->hi[i];
    if (lo == hi) {
        return DP_STAND_LO;
    }
    if (prox.shift == 0.0 && rests_at_end(c, i)) {
        return c->stand[i];
    }
    const double prox_R = prox.shift * c->a[i];
    const double prox_u = prox.centre ? prox_R * prox.centre[i] : 0.0;
    const uint8_t now = c->stand[i];
    double u = c->u[i];
    if (dp_free_set_depends(&c->set) && dp_is_free(now) && now == c->set.stand[i] &&
        prox.shift == 0.0) {
        // What least squares leave open is given, and no reason to let go.
        u = now == DP_STAND_SOFT ? c->u_hat[i] - c->R[i] * c->gamma[i] : c->u_stop[i];
    }
    const double at = c->w[i] * c->gamma[i] - u + prox_u; // w γ − u
    const double soft_slope = c->w[i] + c->R[i] + prox_R, stop_slope = c->w[i] + prox_R;
    const double soft = (c->u_hat[i] + at) / soft_slope;
    const bool stops = c->u_stop[i] < c->u_hat[i];
    double stop = (double)INFINITY;
    if (stops && stop_slope > 0.0) {
        stop = (c->u_stop[i] + at) / stop_slope;
    } else if (stops && u >= c->u_stop[i]) {
        stop = -stop; // a row that moves nothing is open or soft
    }
    const double size = c->size[i];
    const double round_off = ROUND_OFF * (size + fabs(c->u_hat[i])) / soft_slope;
    const double round_stop =
        stops && stop_slope > 0.0 ? ROUND_OFF * (size + fabs(c->u_stop[i])) / stop_slope : 0.0;

    const double next = soft < stop ? soft : stop;
    const double band = soft < stop ? round_off : round_stop;
    if (next < lo - band || (next <= lo + band && now == DP_STAND_LO)) {
        return DP_STAND_LO;
    }
    if (next > hi + band || (next >= hi - band && now == DP_STAND_HI)) {
        return DP_STAND_HI;
    }
    if (now == DP_STAND_STOP && stops) {
        return soft < stop - (round_off + round_stop) ? DP_STAND_SOFT : DP_STAND_STOP;
    }
    return stop < soft - (round_off + round_stop) ? DP_STAND_STOP : DP_STAND_SOFT;
}

int dp_stand_update(dp_compliant *c, dp_prox prox)
{
    int changed = 0;
    for (int i = 0; i < c->n; ++i) {
        const uint8_t next = dp_stand_next(c, i, prox);
        changed += next != c->stand[i];
        c->stand[i] = next;
    }
    return changed;
}

double dp_compliant_residual(const dp_compliant *c)
{
    double worst = 0.0;
    for (int i = 0; i < c->n; ++i) {
        const dp_row *row = c->p->row + c->d.row[i];
        const double r =
            dp_soft_residual(c->told[i], row->lo, row->hi, c->a[i], c->gamma[i], c->u[i]);
        worst = dp_worse(worst, r * row->len);
    }
    return worst;
}
