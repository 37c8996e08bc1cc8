#include "drumwright/box_euler.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

double cli_box_rate(const cli_box *box, double t, double v)
{
    const double s = v / box->v_s, share = s > 1.0 ? 1.0 : s < -1.0 ? -1.0 : s;
    return (box->push * cos(box->omega * t) - box->grip * share) / box->mass;
}

// --- closed forms -----------------------------------------------------------------------------

static int region(const cli_box *box, double v)
{
    return v > box->v_s ? 1 : v < -box->v_s ? -1 : 0;
}

// The velocity at t of a box that has had v0 at t0 and the friction of one region since.
static double within(const cli_box *box, int where, double t0, double v0, double t)
{
    const double a = box->push / box->mass, w = box->omega, f = box->grip / box->mass;
    if (where != 0) {
        return v0 + a / w * (sin(w * t) - sin(w * t0)) - where * f * (t - t0);
    }
    const double rate = f / box->v_s, each = a / (rate * rate + w * w);
    const double at0 = each * (rate * cos(w * t0) + w * sin(w * t0));
    return each * (rate * cos(w * t) + w * sin(w * t)) + (v0 - at0) * exp(-rate * (t - t0));
}

// The region that a box at the edge of one goes on in.
static int region_after(const cli_box *box, double t, double v)
{
    const int where = region(box, v);
    if (fabs(fabs(v) - box->v_s) > 1e-9 * box->v_s) {
        return where;
    }
    const double rate = cli_box_rate(box, t, v);
    return v > 0.0 ? rate > 0.0 : -(rate < 0.0);
}

double cli_box_flow(const cli_box *box, double t0, double t1, double v)
{
    const double look = 1e-4; // [s] friction does not change twice in less than that
    while (t0 < t1) {
        const int where = region_after(box, t0, v);
        double from = t0, to = fmin(t0 + look, t1);
        while (region(box, within(box, where, t0, v, to)) == where && to < t1) {
            from = to;
            to = fmin(to + look, t1);
        }
        if (region(box, within(box, where, t0, v, to)) == where) {
            return within(box, where, t0, v, t1);
        }
        for (int i = 0; i < 60; ++i) {
            const double mid = 0.5 * (from + to);
            *(region(box, within(box, where, t0, v, mid)) == where ? &from : &to) = mid;
        }
        const double before = v;
        v = within(box, where, t0, v, to);
        // On the edge, from the side that it comes from.
        v = where != 0 ? where * box->v_s : v > before || v > 0.0 ? box->v_s : -box->v_s;
        t0 = to;
    }
    return v;
}

// --- Newton's method --------------------------------------------------------------------------

static double rate(cli_box_euler *e, double t, double v)
{
    ++e->evaluations;
    return cli_box_rate(&e->box, t, v);
}

// A forward difference, as in the paper: one evaluation more.
static void take_slope(cli_box_euler *e, double t, double v, double at_v)
{
    const double by = sqrt(DBL_EPSILON) * fmax(1.0, fabs(v));
    e->slope = (rate(e, t, v + by) - at_v) / by;
    e->has_slope = true;
}

// Does the way from v to v + dv pass the region of sticking and end beyond it?
static bool passes(const cli_box *box, double v, double dv)
{
    return region(box, v) * region(box, v + dv) < 0;
}

static void note(cli_newton_history *history, double v, double residual)
{
    if (history && history->count < (int)(sizeof history->v / sizeof *history->v)) {
        history->v[history->count] = v;
        history->residual[history->count++] = fabs(residual);
    }
}

// θ^n/(1 − θ) |dv|: what is left to go after n more iterations [HairerWanner1996, IV.8].
static double left_after(double theta, int n, double size)
{
    return theta < 1.0 ? pow(theta, n) / (1.0 - theta) * size : (double)INFINITY;
}

static bool newton(double *out, cli_box_euler *e, double t, double h, double tolerance,
                   cli_newton_history *history)
{
    const int most = e->policy == CLI_NEWTON_STRICT ? 10 : 50;
    const double v0 = *out, least = 4.0 * DBL_EPSILON * fmax(1.0, fabs(v0));
    double v = v0, last = 0.0; // size of the increment before; 0: there is none to compare with
    for (int k = 0; k < most; ++k) {
        ++e->iterations;
        const double a = rate(e, t + h, v), r = v - v0 - h * a;
        note(history, v, r);
        if (!e->quasi || !e->has_slope) {
            take_slope(e, t + h, v, a);
        }
        const double dv = -r / (1.0 - h * e->slope), size = fabs(dv);
        if (e->transition && passes(&e->box, v, dv)) {
            v = 0.0; // the point of the way that is nearest to rest
            e->has_slope = false;
            last = 0.0;
            continue;
        }
        const bool changed = region(&e->box, v) != region(&e->box, v + dv);
        v += dv;
        const double theta = last > 0.0 ? size / last : 1.0;
        if (size <= least || (last > 0.0 && left_after(theta, 1, size) <= tolerance)) {
            note(history, v, v - v0 - h * cli_box_rate(&e->box, t + h, v));
            *out = v;
            return true;
        }
        const bool judged = e->policy == CLI_NEWTON_STRICT && last > 0.0;
        if (judged && !(e->transition && changed) &&
            left_after(theta, most - k - 1, size) > tolerance) {
            return false;
        }
        last = size;
    }
    return false;
}

bool cli_box_euler_step(double *v, cli_box_euler *e, double t, double h, double tolerance,
                        cli_newton_history *history)
{
    const bool old = e->quasi && e->has_slope;
    if (newton(v, e, t, h, tolerance, history)) {
        return true;
    }
    e->has_slope = false; // the one that did not do; the next is taken where the step begins
    if (old && newton(v, e, t, h, tolerance, history)) {
        return true;
    }
    e->has_slope = false;
    ++e->failures;
    return false;
}

// --- steps ------------------------------------------------------------------------------------

void cli_box_euler_fixed(double *v, cli_box_euler *e, double t, double h, double share)
{
    if (!cli_box_euler_step(v, e, t, h, share * h * h, NULL)) {
        cli_box_euler_fixed(v, e, t, 0.5 * h, share);
        cli_box_euler_fixed(v, e, t + 0.5 * h, 0.5 * h, share);
    }
}

void cli_box_euler_controlled(double *v, cli_box_euler *e, double t0, double t1, double accuracy,
                              double *h)
{
    const double tolerance = 1e-3 * accuracy; // of Newton's method: as h², like the error
    for (double t = t0; t < t1;) {
        const bool last = *h >= (t1 - t) * (1.0 - 1e-12);
        const double step = last ? t1 - t : *h;
        double whole = *v, halves = *v;
        if (!cli_box_euler_step(&whole, e, t, step, tolerance, NULL) ||
            !cli_box_euler_step(&halves, e, t, 0.5 * step, tolerance, NULL) ||
            !cli_box_euler_step(&halves, e, t + 0.5 * step, 0.5 * step, tolerance, NULL)) {
            *h = 0.5 * step;
            continue;
        }
        const double error = fabs(whole - halves) / accuracy;
        const double factor = error > 0.0 ? fmin(5.0, fmax(0.1, 0.9 / sqrt(error))) : 5.0;
        const double next = factor * step;
        if (error <= 1.0) {
            *v = halves;
            t = last ? t1 : t + step;
            *h = last ? fmax(*h, next) : next; // what ends a window is short for its own reason
        } else {
            *h = next;
        }
        *h = fmin(*h, t1 - t0);
    }
}
