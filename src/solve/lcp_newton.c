// Newton on the natural map of (LC 1), y − Π(y − u/a) with a = A_ii: pairs whose y − u/a is within
// the range stand between, the others at its ends; the Newton step solves for those between. This
// is the semismooth Newton method on the min-map [Pang1990] and ends with the exact solution.
//
// Departures. The step is shortened along its projection on the range until it has brought enough:
// for a symmetric matrix of the energy ½ yᵀA y + bᵀy, whose least value is the solution, else of
// the square of the natural map, which does not lead to the solution from everywhere.
#include "solve/lcp_core.h"

#include "base/interrupt.h"

#include <math.h>

typedef struct newton {
    dp_lcp_core *core;
    dp_lcp_trial *t;
    double *from;  // m: the point
    double *step;  // m
    double *slope; // m: u at the point, the gradient of the energy
} newton;

static void copy(double *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        to[i] = from[i];
    }
}

static double clipped(double y, double range)
{
    return y < 0.0 ? 0.0 : y > range ? range : y;
}

static double weight(const dp_lcp_core *core, int i)
{
    const double a = core->A[(size_t)i * (size_t)core->m + (size_t)i];
    return a > 0.0 ? a : 1.0;
}

// What the step is to lessen, at t->y with its rows.
static double merit(const newton *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->core->m; ++i) {
        const double y = s->t->y[i], u = s->t->u[i];
        if (s->core->symmetric) {
            sum += 0.5 * y * (u + s->core->b[i]);
        } else {
            const double a = weight(s->core, i);
            const double map = a * (y - clipped(y - u / a, s->core->pair[i].range));
            sum += map * map;
        }
    }
    return sum;
}

// @return how many pairs stand otherwise than before
static int restand(newton *s)
{
    int changes = 0;
    for (int i = 0; i < s->core->m; ++i) {
        const double range = s->core->pair[i].range;
        const double at = s->t->y[i] - s->t->u[i] / weight(s->core, i);
        const dp_lcp_stand stand = at <= 0.0 ? DP_PAIR_LO : at >= range ? DP_PAIR_HI : DP_PAIR_IN;
        changes += stand != s->t->stand[i];
        s->t->stand[i] = (uint8_t)stand;
    }
    return changes;
}

static void go(newton *s, double length)
{
    for (int i = 0; i < s->core->m; ++i) {
        s->t->y[i] = clipped(s->from[i] + length * s->step[i], s->core->pair[i].range);
    }
    dp_lcp_trial_rows(s->t, s->core);
}

// From s->from along s->step. @return false where no length brings anything
static bool descend(newton *s, double before)
{
    enum { HALVINGS = 30 };
    static const double ENOUGH = 1e-4;
    double length = 1.0;
    for (int k = 0; k < HALVINGS; ++k, length *= 0.5) {
        go(s, length);
        double promised = length * before;
        for (int i = 0; s->core->symmetric && i < s->core->m; ++i) {
            promised = (i == 0 ? 0.0 : promised) + s->slope[i] * (s->from[i] - s->t->y[i]);
        }
        if (promised > 0.0 && merit(s) <= before - ENOUGH * promised) {
            return true;
        }
    }
    return false;
}

// Steepest descent over the diagonal, for when the Newton step is none of descent.
static void gradient_step(newton *s)
{
    for (int i = 0; i < s->core->m; ++i) {
        s->step[i] = -s->slope[i] / weight(s->core, i);
    }
}

static dp_lcp_end iterate(newton *s, int most, int *steps)
{
    const size_t m = (size_t)s->core->m;
    for (size_t i = 0; i < m; ++i) {
        s->t->y[i] = clipped(s->t->y[i], s->core->pair[i].range);
    }
    dp_lcp_trial_rows(s->t, s->core);
    restand(s);
    for (*steps = 1; *steps <= most && !dp_interrupted(m * m); ++*steps) {
        copy(s->from, s->t->y, m);
        dp_lcp_trial_rows(s->t, s->core);
        copy(s->slope, s->t->u, m);
        const double before = merit(s);
        if (!dp_lcp_trial_solve(s->t, s->core)) {
            return DP_END_LOST;
        }
        copy(s->step, s->t->y, m);
        if (restand(s) == 0) {
            return DP_END_FOUND;
        }
        for (size_t i = 0; i < m; ++i) {
            s->step[i] -= s->from[i];
        }
        if (!descend(s, before)) {
            gradient_step(s);
            if (!descend(s, before)) {
                return DP_END_LOST;
            }
        }
        restand(s);
    }
    return DP_END_CAPPED;
}

dp_status dp_lcp_newton(dp_lcp_search *out, dp_lcp_trial *t, dp_lcp_core *core, int most)
{
    newton s = {.core = core, .t = t};
    const size_t m = (size_t)core->m;
    dp_status status = dp_allocate(&s.from, &core->a, m, sizeof *s.from);
    if (status == DP_OK) {
        status = dp_allocate(&s.step, &core->a, m, sizeof *s.step);
    }
    if (status == DP_OK) {
        status = dp_allocate(&s.slope, &core->a, m, sizeof *s.slope);
    }
    *out = (dp_lcp_search){.end = DP_END_LOST};
    if (status == DP_OK) {
        out->end = iterate(&s, most, &out->steps);
    }
    dp_release(&core->a, s.slope, m, sizeof *s.slope);
    dp_release(&core->a, s.step, m, sizeof *s.step);
    dp_release(&core->a, s.from, m, sizeof *s.from);
    return status;
}
