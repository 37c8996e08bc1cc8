// The muscle of MuJoCo [MuJoCo, Modeling: Muscles]: in units of the optimal length L₀ and the peak
// force F₀,
//
//     F = −F₀ (F_L(L) F_V(V) a + F_P(L)),   L = range₀ + (l − lo)/L₀,   V = l̇/(L₀ v_max)      (MU
//     1) L₀ = (hi − lo)/(range₁ − range₀)
//
// where lo … hi is the range of lengths of what it drives. F_L is a bump of four parabolas over
// l_min … 1 … l_max, F_V rises from 0 at V = −1 over 1 at rest to f_vmax, F_P from 0 at L = 1 by a
// parabola and then a line of slope f_pmax per half of l_max − 1. The activation follows
//
//     ȧ = (u − a)/τ,   τ = τ₊ (½ + 3/2 a) for u > a,   τ₋/(½ + 3/2 a) else,                    (MU
//     2)
//
// with a quintic between the two over |u − a| ≤ ½ smoothing.
//
// Its slopes where the force falls with length or speed are those of a spring and a dashpot, taken
// at the end of the step as those of other drives.
#include "dynamics/muscle.h"

#include <math.h>

// A function and what it changes by.
typedef struct curve {
    double y, slope;
} curve;

// Half a bump: from 0 at x = 0 by a parabola to ½ at x = ½, and by another to 1 at x = 1.
static curve rise(double x)
{
    return x <= 0.5 ? (curve){2.0 * x * x, 4.0 * x}
                    : (curve){1.0 - 2.0 * (1.0 - x) * (1.0 - x), 4.0 * (1.0 - x)};
}

static curve active_by_length(const dp_muscle *p, double L)
{
    if (!(L > p->shortest && L < p->longest)) {
        return (curve){0.0, 0.0};
    }
    const double way = L <= 1.0 ? 1.0 - p->shortest : 1.0 - p->longest;
    const curve c = rise((L - (L <= 1.0 ? p->shortest : p->longest)) / way);
    return (curve){c.y, c.slope / way};
}

static curve active_by_speed(const dp_muscle *p, double V)
{
    const double more = p->lengthening - 1.0;
    if (V <= -1.0) {
        return (curve){0.0, 0.0};
    }
    if (V <= 0.0) {
        return (curve){(V + 1.0) * (V + 1.0), 2.0 * (V + 1.0)};
    }
    return V < more
               ? (curve){p->lengthening - (more - V) * (more - V) / more, 2.0 * (more - V) / more}
               : (curve){p->lengthening, 0.0};
}

static curve passive_by_length(const dp_muscle *p, double L)
{
    const double half = 0.5 * (p->longest - 1.0), x = (L - 1.0) / half;
    if (!(x > 0.0)) {
        return (curve){0.0, 0.0};
    }
    return x <= 1.0 ? (curve){0.5 * p->passive * x * x, p->passive * x / half}
                    : (curve){p->passive * (x - 0.5), p->passive / half};
}

// What a gain or a bias is, and changes by with length and rate.
typedef struct surface {
    double value, by_length, by_rate;
} surface;

static surface plane(const double c[3], double length, double rate)
{
    return (surface){c[0] + c[1] * length + c[2] * rate, c[1], c[2]};
}

// @param active (MU 1) without F_P, else F_P alone
static surface muscle(const dp_muscle *p, double peak, const double lengths[2], double length,
                      double rate, bool active)
{
    const double optimal = (lengths[1] - lengths[0]) / (p->range[1] - p->range[0]);
    const double L = p->range[0] + (length - lengths[0]) / optimal, fastest = optimal * p->fastest;
    if (!active) {
        const curve c = passive_by_length(p, L);
        return (surface){-peak * c.y, -peak * c.slope / optimal, 0.0};
    }
    const curve l = active_by_length(p, L), v = active_by_speed(p, rate / fastest);
    return (surface){-peak * l.y * v.y, -peak * l.slope / optimal * v.y,
                     -peak * l.y * v.slope / fastest};
}

dp_drive dp_muscle_drive(const dp_actuator *a, double length, double rate, double w)
{
    const surface gain = a->muscle_gain ? muscle(&a->gain_muscle, a->peak_force[0], a->length_range,
                                                 length, rate, true)
                                        : plane(a->gain, length, rate);
    const surface bias = a->muscle_bias ? muscle(&a->bias_muscle, a->peak_force[1], a->length_range,
                                                 length, rate, false)
                                        : plane(a->bias, length, rate);
    return (dp_drive){.length = length,
                      .rate = rate,
                      .free_force = gain.value * w + bias.value,
                      .stiffness = fmax(0.0, -(gain.by_length * w + bias.by_length)),
                      .damping = fmax(0.0, -(gain.by_rate * w + bias.by_rate))};
}

// 6 x⁵ − 15 x⁴ + 10 x³ between 0 and 1.
static double quintic(double x)
{
    return x <= 0.0 ? 0.0 : x >= 1.0 ? 1.0 : x * x * x * (10.0 + x * (6.0 * x - 15.0));
}

double dp_muscle_time(const dp_actuator *a, double control, double activation)
{
    const double slower = 0.5 + 1.5 * dp_clamp_range(activation, (const double[2]){0.0, 1.0});
    const double up = a->time_constant * slower, down = a->relaxation_time / slower;
    const double ahead = control - activation;
    const double share = a->smoothing > 0.0 ? quintic(ahead / a->smoothing + 0.5)
                         : ahead > 0.0      ? 1.0
                                            : 0.0;
    return down + (up - down) * share;
}
