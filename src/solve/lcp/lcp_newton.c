// Newton on the natural map of (LC 1), y − Π(y − u/a) with a = A_ii: pairs whose y − u/a is within
// the range are between, the others at its ends; the Newton step solves for those between. This
// is the semismooth Newton method on the min-map [Pang1990] and ends with the exact solution.
//
// Departures. The step is shortened along its projection on the range until it has brought enough:
// for a symmetric matrix of the energy ½ yᵀA y + bᵀy, whose least value is the solution, else of
// the square of the natural map, which does not lead to the solution from everywhere.
#include "solve/lcp/lcp_core.h"

#include "base/interrupt.h"

#include <math.h>

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
static double merit(const dp_lcp_core *core)
{
    double sum = 0.0;
    for (int i = 0; i < core->m; ++i) {
        const double y = core->trial.y[i], u = core->trial.u[i];
        if (core->symmetric) {
            sum += 0.5 * y * (u + core->b[i]);
        } else {
            const double a = weight(core, i);
            const double map = a * (y - clipped(y - u / a, core->pair[i].range));
            sum += map * map;
        }
    }
    return sum;
}

// @return how many pairs change place
static int choose_basis(dp_lcp_core *core)
{
    int changes = 0;
    for (int i = 0; i < core->m; ++i) {
        const double range = core->pair[i].range;
        const double at = core->trial.y[i] - core->trial.u[i] / weight(core, i);
        const dp_lcp_place place = at <= 0.0     ? DP_PAIR_LO
                                   : at >= range ? DP_PAIR_HI
                                                 : DP_PAIR_BETWEEN;
        changes += place != core->trial.basis[i];
        core->trial.basis[i] = (uint8_t)place;
    }
    return changes;
}

static void go(dp_lcp_core *core, double length)
{
    for (int i = 0; i < core->m; ++i) {
        core->trial.y[i] =
            clipped(core->trial.from[i] + length * core->trial.step[i], core->pair[i].range);
    }
    dp_lcp_trial_rows(core);
}

// From core->trial.from along core->trial.step. @return false where no length brings anything
static bool descend(dp_lcp_core *core, double before)
{
    enum { HALVINGS = 30 };
    static const double ENOUGH = 1e-4;
    double length = 1.0;
    for (int k = 0; k < HALVINGS; ++k, length *= 0.5) {
        go(core, length);
        double promised = length * before;
        for (int i = 0; core->symmetric && i < core->m; ++i) {
            promised = (i == 0 ? 0.0 : promised) +
                       core->trial.slope[i] * (core->trial.from[i] - core->trial.y[i]);
        }
        if (promised > 0.0 && merit(core) <= before - ENOUGH * promised) {
            return true;
        }
    }
    return false;
}

// Steepest descent over the diagonal, for when the Newton step is none of descent.
static void gradient_step(dp_lcp_core *core)
{
    for (int i = 0; i < core->m; ++i) {
        core->trial.step[i] = -core->trial.slope[i] / weight(core, i);
    }
}

dp_lcp_search dp_lcp_newton(dp_lcp_core *core, int most)
{
    const size_t m = (size_t)core->m;
    dp_lcp_trial *t = &core->trial;
    dp_lcp_search out = {.end = DP_END_CAPPED};
    for (size_t i = 0; i < m; ++i) {
        t->y[i] = clipped(t->y[i], core->pair[i].range);
    }
    dp_lcp_trial_rows(core);
    (void)choose_basis(core);
    for (out.steps = 1; out.steps <= most && !dp_interrupted(m * m); ++out.steps) {
        copy(t->from, t->y, m);
        dp_lcp_trial_rows(core);
        copy(t->slope, t->u, m);
        const double before = merit(core);
        if (!dp_lcp_trial_solve(core)) {
            out.end = DP_END_LOST;
            break;
        }
        copy(t->step, t->y, m);
        if (choose_basis(core) == 0) {
            out.end = DP_END_FOUND;
            break;
        }
        for (size_t i = 0; i < m; ++i) {
            t->step[i] -= t->from[i];
        }
        if (!descend(core, before)) {
            gradient_step(core);
            if (!descend(core, before)) {
                out.end = DP_END_LOST;
                break;
            }
        }
        (void)choose_basis(core);
    }
    return out;
}
