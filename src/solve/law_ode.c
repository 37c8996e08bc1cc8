// The law `ode`: the forces of `tamsi` at instants, as a differential equation that others
// integrate: they ask for DP_LAW_TRAIT_CONTINUOUS. Step problems, of means over a coming step
// (dp_forward), are those of `tamsi`. docs/laws/ode.md.
#include "solve/law_option.h"

static dp_option_words integrators = {[DP_ODE_INTEGRATOR_RUNGE_KUTTA] = "runge-kutta",
                                      [DP_ODE_INTEGRATOR_IMPLICIT_EULER] = "implicit-euler",
                                      [DP_ODE_INTEGRATOR_CVODE] = "cvode"};
static dp_option_words newtons = {[DP_ODE_NEWTON_QUASI] = "quasi", [DP_ODE_NEWTON_FULL] = "full"};

const dp_law_option dp_ode_law_options[] = {
    DP_LAW_OPTION("ode.stiffness", ode.stiffness, .setting = DP_SETTING_NOT_NEGATIVE),
    DP_LAW_OPTION("ode.integrator", ode.integrator, .words = &integrators),
    DP_LAW_OPTION("ode.newton", ode.newton, .words = &newtons),
    DP_LAST_OPTION,
};

const char *dp_ode_integrator_name(dp_ode_integrator integrator)
{
    return dp_option_word(integrators, (int)integrator);
}

const char *dp_ode_newton_name(dp_ode_newton newton)
{
    return dp_option_word(newtons, (int)newton);
}
