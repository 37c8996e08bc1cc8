// Which method makes a step.
#include "sim/integrators/integrators.h"

#include <string.h>

// A method that makes a step by itself.
typedef struct method {
    dp_status (*advance)(double *y, dp_data *d, double t, double h);
    dp_status (*make_room)(dp_data *d); // NULL: it needs none of its own
    bool substeps;                      // it counts its own
    bool tolerances;                    // it looks after its error itself
} method;

static const method METHOD[] = {
    [DP_INTEGRATOR_RK4] = {dp_advance_rk4, NULL, false, false},
    [DP_INTEGRATOR_RK45] = {dp_advance_rk45, NULL, true, true},
    [DP_INTEGRATOR_IMPLICIT_EULER] = {dp_advance_implicit_euler, dp_euler_make_room, true, false},
    [DP_INTEGRATOR_CVODE] = {dp_advance_cvode, NULL, true, true},
};

bool dp_is_semi_implicit(const dp_options *o)
{
    return o->integrator == DP_INTEGRATOR_SEMI_IMPLICIT;
}

// NULL: the semi-implicit step, and what is unknown.
static const method *method_of(const dp_options *o)
{
    const size_t i = (size_t)o->integrator, count = sizeof METHOD / sizeof *METHOD;
    return i < count && METHOD[i].advance ? &METHOD[i] : NULL;
}

bool dp_integrator_counts_substeps(const dp_options *o)
{
    const method *by = method_of(o);
    return by && by->substeps;
}

bool dp_has_tolerances(const dp_options *o)
{
    const method *by = method_of(o);
    return by && by->tolerances;
}

static dp_status check_tolerances(const dp_options *o)
{
    if (!(o->relative_tolerance > 0.0) || !(o->absolute_tolerance > 0.0) || o->max_substeps < 1) {
        return dp_fail(
            DP_ERROR_ARGUMENT,
            "tolerances %g (relative), %g (absolute), %d substeps (expected numbers > 0)",
            o->relative_tolerance, o->absolute_tolerance, o->max_substeps);
    }
    return DP_OK;
}

dp_status dp_integrator_prepare(dp_data *d)
{
    const method *by = method_of(&d->options);
    return by && by->make_room ? by->make_room(d) : DP_OK;
}

dp_status dp_integrate(dp_data *d, double h)
{
    const dp_options *o = &d->options;
    const method *by = method_of(o);
    if (!by) {
        return dp_fail(DP_ERROR_ARGUMENT, "unknown integrator %d", (int)o->integrator);
    }
    if (!dp_options_is_ode(o) || dp_law_has(&o->solver, DP_LAW_TRAIT_RIGID)) {
        DP_TRY(dp_refuse_rows(d));
    }
    if (by->tolerances) {
        DP_TRY(check_tolerances(o));
    }
    const size_t n = dp_stage_numbers(d->model);
    double *y0 = d->scratch.stage, *y = y0 + n;
    const double t = d->time;
    d->samples.made = 0;
    dp_stage_load(y0, d);
    memcpy(y, y0, n * sizeof *y);
    const dp_status status = by->advance(y, d, t, h);
    dp_stage_leave(d, t, y0, status == DP_OK ? y : NULL);
    return status;
}
