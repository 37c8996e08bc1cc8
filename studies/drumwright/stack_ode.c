// Every step is made by the classical method of Runge and Kutta in one go and in two: their
// difference over 15 is the error of the two, which is allowed or not, and then taken out.
#include "drumwright/stack_ode.h"

#include <math.h>

enum { MOST = CLI_STACK_MOST };

typedef struct rates {
    double v[MOST], a[MOST];
} rates;

// f = k δ^{3/2} (1 + d δ̇)₊
static double push(const cli_stack *s, int with, double depth, double rate)
{
    return depth > 0.0 ? s->k[with] * depth * sqrt(depth) * fmax(0.0, 1.0 + s->d[with] * rate)
                       : 0.0;
}

static rates rates_of(const cli_stack *s)
{
    rates r = {.v = {0.0}};
    double below = push(s, 0, s->radius - s->z[0], -s->v[0]);
    for (int i = 0; i < s->n; ++i) {
        const bool last = i == s->n - 1;
        const double above =
            last ? 0.0
                 : push(s, 1, 2.0 * s->radius - (s->z[i + 1] - s->z[i]), s->v[i] - s->v[i + 1]);
        r.v[i] = s->v[i];
        r.a[i] = (below - above) / s->mass - s->gravity;
        below = above;
    }
    return r;
}

static cli_stack moved(const cli_stack *s, const rates *r, double h)
{
    cli_stack to = *s;
    for (int i = 0; i < s->n; ++i) {
        to.z[i] += h * r->v[i];
        to.v[i] += h * r->a[i];
    }
    return to;
}

static cli_stack classical(const cli_stack *s, double h)
{
    rates k[4];
    cli_stack at = *s;
    static const double share[3] = {0.5, 0.5, 1.0};
    for (int i = 0; i < 4; ++i) {
        k[i] = rates_of(&at);
        if (i < 3) {
            at = moved(s, &k[i], share[i] * h);
        }
    }
    for (int i = 0; i < s->n; ++i) {
        k[0].v[i] = (k[0].v[i] + 2.0 * k[1].v[i] + 2.0 * k[2].v[i] + k[3].v[i]) / 6.0;
        k[0].a[i] = (k[0].a[i] + 2.0 * k[1].a[i] + 2.0 * k[2].a[i] + k[3].a[i]) / 6.0;
    }
    return moved(s, &k[0], h);
}

cli_stack_result cli_stack_advance(cli_stack *s, double seconds, double tolerance)
{
    const double impact = 1e-5;  // [s] what velocities are weighed with, less than impacts last
    const double longest = 1e-3; // [s] no impact is stepped over: it is found by a large error
    cli_stack_result r = {0};
    double t = 0.0, h = impact;
    while (!r.failed && t < seconds) {
        const bool last = t + 1.0001 * h >= seconds;
        h = last ? seconds - t : h;
        const cli_stack once = classical(s, h), half = classical(s, 0.5 * h);
        cli_stack twice = classical(&half, 0.5 * h);
        double error = 0.0;
        for (int i = 0; i < s->n; ++i) {
            const double dz = (twice.z[i] - once.z[i]) / 15.0;
            const double dv = (twice.v[i] - once.v[i]) / 15.0;
            twice.z[i] += dz;
            twice.v[i] += dv;
            error = fmax(error, fmax(fabs(dz), impact * fabs(dv)) / tolerance);
        }
        if (error <= 1.0) {
            *s = twice;
            t = last ? seconds : t + h;
            ++r.steps;
        }
        r.failed = h < 1e-13 * seconds || !isfinite(error);
        h = fmin(longest, h * fmin(4.0, fmax(0.2, 0.9 * pow(fmax(error, 1e-10), -0.2))));
    }
    return r;
}
