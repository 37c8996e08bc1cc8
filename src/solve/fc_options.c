// Names of what a friction-contact problem is solved by and ends with, and its options by name: one
// table for the command line and for programs.
#include "base/error.h"
#include "base/setting.h"

#include <dashpot/fc.h>

#include <string.h>

static const char *const methods[] = {
    [DP_FC_AUTOMATIC] = "automatic",
    [DP_FC_NEWTON] = "newton",
    [DP_FC_CONE] = "cone",
    [DP_FC_SWEEPS] = "sweeps",
};
enum { METHODS = sizeof methods / sizeof *methods };

static const char *const spaces[] = {
    [DP_FC_SPACE_AUTOMATIC] = "automatic",
    [DP_FC_SPACE_IMPULSES] = "impulses",
    [DP_FC_SPACE_VELOCITIES] = "velocities",
};
enum { SPACES = sizeof spaces / sizeof *spaces };

static const char *const outcomes[] = {
    [DP_FC_SOLVED] = "solved",
    [DP_FC_CAPPED] = "capped",
    [DP_FC_INFEASIBLE] = "infeasible",
};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

const char *dp_fc_method_name(dp_fc_method method)
{
    return (unsigned)method < METHODS ? methods[method] : "unknown";
}

const char *dp_fc_space_name(dp_fc_space space)
{
    return (unsigned)space < SPACES ? spaces[space] : "unknown";
}

const char *dp_fc_outcome_name(dp_fc_outcome outcome)
{
    return (unsigned)outcome < OUTCOMES ? outcomes[outcome] : "unknown";
}

dp_fc_options dp_fc_options_default(void)
{
    return (dp_fc_options){.method = DP_FC_AUTOMATIC,
                           .space = DP_FC_SPACE_AUTOMATIC,
                           .tolerance = 1e-8,
                           .max_factorizations = 4000};
}

enum { METHOD, SPACE, TOLERANCE, MAX_FACTORIZATIONS, OPTIONS };

static const char *const names[OPTIONS] = {
    [METHOD] = "fc.method",
    [SPACE] = "fc.space",
    [TOLERANCE] = "fc.tolerance",
    [MAX_FACTORIZATIONS] = "fc.max_factorizations",
};

int dp_fc_options_name_count(void)
{
    return OPTIONS;
}

const char *dp_fc_options_name(int index)
{
    return index >= 0 && index < OPTIONS ? names[index] : "";
}

dp_status dp_fc_options_set(dp_fc_options *options, const char *name, const char *value)
{
    int option = 0, index;
    double part;
    while (option < OPTIONS && strcmp(name, names[option]) != 0 &&
           strcmp(name, strchr(names[option], '.') + 1) != 0) {
        ++option;
    }
    switch (option) {
    case METHOD:
        index = dp_word_find(methods, METHODS, value);
        if (index < 0) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "%s: '%.100s' is unknown (expected automatic, newton, cone or sweeps)",
                           name, value);
        }
        options->method = (dp_fc_method)index;
        return DP_OK;
    case SPACE:
        index = dp_word_find(spaces, SPACES, value);
        if (index < 0) {
            return dp_fail(DP_ERROR_ARGUMENT,
                           "%s: '%.100s' is unknown (expected automatic, impulses or velocities)",
                           name, value);
        }
        options->space = (dp_fc_space)index;
        return DP_OK;
    case TOLERANCE:
        DP_TRY(dp_setting_read(&part, DP_SETTING_POSITIVE, name, value));
        if (!(part < 1.0)) {
            return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is too large (expected less than 1)",
                           name, value);
        }
        options->tolerance = part;
        return DP_OK;
    case MAX_FACTORIZATIONS:
        return dp_setting_read(&options->max_factorizations, DP_SETTING_COUNT, name, value);
    default:
        break;
    }
    return dp_fail(DP_ERROR_ARGUMENT,
                   "unknown option '%.100s' (expected fc.method, fc.space, fc.tolerance or "
                   "fc.max_factorizations)",
                   name);
}
