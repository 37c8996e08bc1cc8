// Which laws there are, and what is particular to each.
#include "solve/law.h"

#include "base/error.h"

#include <string.h>

dp_law_options dp_law_options_default(void)
{
    return (dp_law_options){.law = DP_LAW_COMPLIANT,
                            .tolerance = 1e-9,
                            .heap_tolerance = 1e-2,
                            .max_factorizations = 500,
                            .directions = 8,
                            .compliance = -1.0,
                            .impact_rule = DP_IMPACT_EXPEDIENT,
                            .impact_speed = 0.01,
                            .slip_speed = 1e-4,
                            .slip_turn = 1.0471975511965976}; // π/3
}

static const char *const LAW_NAMES[] = {[DP_LAW_COMPLIANT] = "compliant",
                                        [DP_LAW_LCP] = "lcp",
                                        [DP_LAW_NCP] = "ncp",
                                        [DP_LAW_VI] = "vi",
                                        [DP_LAW_TAMSI] = "tamsi",
                                        [DP_LAW_ODE] = "ode"};
enum { LAWS = sizeof LAW_NAMES / sizeof *LAW_NAMES };

const char *dp_law_name(dp_law_kind law)
{
    return (unsigned)law < LAWS ? LAW_NAMES[law] : "unknown";
}

dp_status dp_law_find(dp_law_kind *out, const char *name)
{
    for (int i = 0; i < LAWS; ++i) {
        if (name && strcmp(name, LAW_NAMES[i]) == 0) {
            *out = (dp_law_kind)i;
            return DP_OK;
        }
    }
    return dp_fail(DP_ERROR_ARGUMENT,
                   "law '%s' is unknown (expected compliant, lcp, ncp, vi, tamsi or ode)",
                   name ? name : "(none)");
}

bool dp_law_is_rigid(dp_law_kind law)
{
    return law == DP_LAW_LCP || law == DP_LAW_NCP || law == DP_LAW_VI;
}

bool dp_law_is_regularised(dp_law_kind law)
{
    return law == DP_LAW_TAMSI || law == DP_LAW_ODE;
}

double dp_law_slip_speed(const dp_law_options *opt)
{
    return dp_law_is_regularised(opt->law) ? opt->slip_speed : 0.0;
}

bool dp_law_is_convex(const dp_law_options *opt)
{
    return opt->law == DP_LAW_VI && !(opt->vi_friction == DP_VI_CONE && opt->desaxce);
}

bool dp_law_lifts_off(const dp_law_options *opt)
{
    return dp_law_is_convex(opt) && opt->vi_friction == DP_VI_CONE;
}

bool dp_law_is_limit(const dp_law_options *opt)
{
    return dp_law_is_convex(opt) && opt->compliance < 0.0;
}

double dp_law_compliance(const dp_law_options *opt)
{
    // In the limit it is there for its ratios; else round-off takes ε/s.
    const double usual = dp_law_is_limit(opt) ? 1e-12 : 1e-6;
    if (opt->law != DP_LAW_NCP && opt->law != DP_LAW_VI) {
        return 0.0;
    }
    return opt->compliance >= 0.0 ? opt->compliance : opt->law == DP_LAW_VI ? usual : 0.0;
}

const char *dp_outcome_name(dp_outcome outcome)
{
    switch (outcome) {
    case DP_CONVERGED:
        return "converged";
    case DP_CAPPED:
        return "capped";
    case DP_CONTRADICTORY:
        return "contradictory";
    case DP_INFEASIBLE:
        return "infeasible";
    case DP_WEAKLY_INFEASIBLE:
        return "weakly infeasible";
    }
    return "unknown";
}

dp_friction_set dp_law_set(const dp_law_options *opt)
{
    return !dp_law_is_convex(opt)           ? DP_FRICTION_OF_NORMAL
           : opt->vi_friction == DP_VI_CONE ? DP_FRICTION_CONE
                                            : DP_FRICTION_GIVEN;
}
