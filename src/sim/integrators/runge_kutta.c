// Explicit Runge–Kutta methods on y = (q, v, activations), with the quaternions of q as four
// numbers each: q̇ = ½ q ∘ (0, ω). The exact flow keeps them unit, so normalising them does not
// lower the order; adding velocities of several stages as if rotations commuted would.
#include "math/elementary.h"
#include "sim/integrators/integrators.h"

#include <string.h>

// Stages look ahead: beyond the range of an activation there is nothing to see.
static void clamp_activation(double *y, const dp_model *m)
{
    dp_activations_clamp(y + m->size.nq + m->size.nv, m);
}

static dp_status refuse_step(double t)
{
    return dp_fail(DP_ERROR_NUMERIC,
                   "the motion is not finite after t = %.10g s (an explicit integrator may need a "
                   "smaller step; the semi-implicit one takes springs and servos implicitly)",
                   t);
}

// y = y0 + h Σ a[i] k[i], the k one after the other in memory.
static void combine(double *y, const double *y0, const double *k, const double *a, int stages,
                    double h, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int s = 0; s < stages; ++s) {
            sum += a[s] * k[(size_t)s * n + i];
        }
        y[i] = y0[i] + h * sum;
    }
}

dp_status dp_advance_rk4(double *y, dp_data *d, double t, double h)
{
    static const double c[4] = {0.0, 0.5, 0.5, 1.0};
    static const double b[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    const size_t n = dp_stage_numbers(d->model);
    const double *y0 = d->scratch.stage;
    double *k = y + n;
    DP_TRY(dp_stage_rate(k, d, t, y0));
    for (size_t s = 1; s < 4; ++s) {
        combine(y, y0, k + (s - 1) * n, &c[s], 1, h, n);
        clamp_activation(y, d->model);
        if (!dp_stage_is_finite(y, n)) {
            return refuse_step(t);
        }
        DP_TRY(dp_stage_rate(k + s * n, d, t + c[s] * h, y));
    }
    combine(y, y0, k, b, 4, h, n);
    return DP_OK;
}

// The coefficients of [DormandPrince1980], RK5(4)7M. The seventh stage is the first of the next
// step.
// clang-format off
static const double DP_C[7] = {0.0, 1.0/5.0, 3.0/10.0, 4.0/5.0, 8.0/9.0, 1.0, 1.0};
static const double DP_A[7][6] = {
    {0.0},
    {1.0/5.0},
    {3.0/40.0, 9.0/40.0},
    {44.0/45.0, -56.0/15.0, 32.0/9.0},
    {19372.0/6561.0, -25360.0/2187.0, 64448.0/6561.0, -212.0/729.0},
    {9017.0/3168.0, -355.0/33.0, 46732.0/5247.0, 49.0/176.0, -5103.0/18656.0},
    {35.0/384.0, 0.0, 500.0/1113.0, 125.0/192.0, -2187.0/6784.0, 11.0/84.0},
};
// Fifth order less fourth order.
static const double DP_E[7] = {
    71.0/57600.0, 0.0, -71.0/16695.0, 71.0/1920.0, -17253.0/339200.0, 22.0/525.0, -1.0/40.0,
};
// The term of fourth order of the interpolant that the stages allow for free.
static const double DP_D[7] = {
    -12715105075.0/11282082432.0, 0.0, 87487479700.0/32700410799.0, -10690763975.0/1880347072.0,
    701980252875.0/199316789632.0, -1453857185.0/822651844.0, 69997945.0/29380423.0,
};
// clang-format on

// One number of the state at the share θ of a substep, of fourth order [HairerNorsettWanner1993,
// II.6]. @param k its rates in the seven stages, n apart
static double between(double y0, double y1, const double *k, size_t n, double h, double theta)
{
    double fourth = 0.0;
    for (int s = 0; s < 7; ++s) {
        fourth += DP_D[s] * k[(size_t)s * n];
    }
    const double rest = 1.0 - theta, rise = y1 - y0, bend = h * k[0] - rise;
    const double turn = rise - h * k[6 * n] - bend;
    return y0 + theta * (rise + rest * (bend + theta * (turn + rest * h * fourth)));
}

// The samples that lie in a substep from `done` over `step`, of the step h, by way of `at`.
static void sample(double *at, dp_data *d, const double *y, const double *trial, const double *k,
                   double done, double step, double h)
{
    const size_t n = dp_stage_numbers(d->model);
    for (double theta; (theta = (dp_sample_due(d, h) - done) / step) <= 1.0;) {
        for (size_t i = 0; i < n; ++i) {
            at[i] = between(y[i], trial[i], k + i, n, step, theta);
        }
        dp_sample_keep(d, at);
    }
}

// The largest estimated error of a substep, in units of the tolerance.
static double error_size(const double *y0, const double *y1, const double *k, double h, size_t n,
                         const dp_options *o)
{
    double worst = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double e = 0.0;
        for (int s = 0; s < 7; ++s) {
            e += DP_E[s] * k[(size_t)s * n + i];
        }
        const double size = fabs(y0[i]) > fabs(y1[i]) ? fabs(y0[i]) : fabs(y1[i]);
        const double ratio = fabs(h * e) / (o->absolute_tolerance + o->relative_tolerance * size);
        if (!isfinite(ratio)) { // the last stage left the range of numbers
            return INFINITY;
        }
        worst = ratio > worst ? ratio : worst;
    }
    return worst;
}

// The next substep length after one with error `error`: the usual fifth-root rule with a safety
// factor.
static double scaled_substep(double substep, double error, bool may_grow)
{
    const double safety = 0.9, least = 0.2, most = may_grow ? 5.0 : 1.0;
    double factor = error > 1e-10 ? safety * dp_inverse_fifth_root(error) : most;
    factor = factor < least ? least : factor > most ? most : factor;
    return substep * factor;
}

// One trial substep from y to `trial`. @param error in units of the tolerance; infinite when the
// trial left the range of numbers or of sense
static dp_status rk45_try(double *trial, double *error, dp_data *d, double t, double step,
                          const double *y, double *k)
{
    const size_t n = dp_stage_numbers(d->model);
    *error = INFINITY;
    for (int s = 1; s < 7; ++s) {
        combine(trial, y, k, DP_A[s], s, step, n);
        clamp_activation(trial, d->model);
        if (!dp_stage_is_finite(trial, n)) {
            return DP_OK;
        }
        const dp_status status = dp_stage_rate(k + (size_t)s * n, d, t + DP_C[s] * step, trial);
        if (d->art.singular >= 0) { // a trial too long may lead to where joints lock
            d->art.singular = -1;
            return DP_OK;
        }
        DP_TRY(status);
    }
    *error = error_size(y, trial, k, step, n, &d->options);
    return DP_OK;
}

dp_status dp_advance_rk45(double *y, dp_data *d, double t, double h)
{
    const size_t n = dp_stage_numbers(d->model);
    double *trial = y + n, *k = trial + n;
    const dp_options *o = &d->options;
    DP_TRY(dp_stage_rate(k, d, t, y));
    const int begun = d->report->work.substeps + d->report->work.rejected; // by the parts before
    double substep = h, done = 0.0;
    bool rejected_last = false;
    while (done < h) {
        const bool is_last = substep >= (h - done) * (1.0 - 1e-12); // no sliver is left over
        const double step = is_last ? h - done : substep;
        const int made = d->report->work.substeps + d->report->work.rejected - begun;
        if (made >= o->max_substeps || !(t + done + step > t + done)) {
            return dp_fail(
                DP_ERROR_NUMERIC,
                "the error control gave up at t = %.10g s after %d substeps of at most %d "
                "(next substep %.3g s; tolerances %g relative, %g absolute: larger ones, more "
                "substeps or the integrator semi-implicit may help)",
                t + done, made, o->max_substeps, step, o->relative_tolerance,
                o->absolute_tolerance);
        }
        double error;
        DP_TRY(rk45_try(trial, &error, d, t + done, step, y, k));
        if (error <= 1.0) {
            d->report->work.substeps++;
            d->report->error = error > d->report->error ? error : d->report->error;
            sample(k + 7 * n, d, y, trial, k, done, step, h);
            done = is_last ? h : done + step;
            memcpy(y, trial, n * sizeof *y);
            dp_kin_normalise(y, d->model);
            memcpy(k, k + 6 * n, n * sizeof *k);
            substep = scaled_substep(step, error, !rejected_last);
            rejected_last = false;
        } else {
            d->report->work.rejected++;
            substep = isfinite(error) ? scaled_substep(step, error, false) : 0.1 * step;
            rejected_last = true;
        }
    }
    return DP_OK;
}
