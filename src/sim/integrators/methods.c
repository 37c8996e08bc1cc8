// Which method makes a step.
#include "sim/integrators/integrators.h"

bool dp_is_semi_implicit(const dp_options *o)
{
    return o->integrator == DP_SEMI_IMPLICIT && !dp_law_has(&o->law, DP_TRAIT_CONTINUOUS);
}

bool dp_integrator_counts_substeps(const dp_options *o)
{
    return o->integrator == DP_RK45 || dp_law_has(&o->law, DP_TRAIT_CONTINUOUS);
}

bool dp_has_tolerances(const dp_options *o)
{
    return dp_law_has(&o->law, DP_TRAIT_CONTINUOUS) ? o->law.ode_integrator != DP_ODE_IMPLICIT_EULER
                                                    : o->integrator == DP_RK45;
}

dp_status dp_integrate(dp_data *d, double h)
{
    const dp_law_options *law = &d->options.law;
    if (dp_law_has(law, DP_TRAIT_CONTINUOUS)) {
        switch (law->ode_integrator) {
        case DP_ODE_RUNGE_KUTTA:
            return dp_step_rk45(d, h);
        case DP_ODE_IMPLICIT_EULER:
            return dp_step_implicit_euler(d, h);
        case DP_ODE_CVODE:
            return dp_step_cvode(d, h);
        }
        return dp_fail(DP_ERROR_ARGUMENT, "unknown integrator %d of the law %s",
                       (int)law->ode_integrator, dp_law_of(law)->name);
    }
    if (d->options.integrator != DP_RK4 && d->options.integrator != DP_RK45) {
        return dp_fail(DP_ERROR_ARGUMENT, "unknown integrator %d", (int)d->options.integrator);
    }
    DP_TRY(dp_refuse_rows(d));
    return d->options.integrator == DP_RK4 ? dp_step_rk4(d, h) : dp_step_rk45(d, h);
}
