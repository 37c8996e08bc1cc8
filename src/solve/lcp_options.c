// Names of what a linear complementarity problem is solved by and ends with, and its options by
// name: one table for files and for the command line.
#include "base/error.h"
#include "base/setting.h"

#include <dashpot/lcp.h>

#include <string.h>

static const char *const methods[] = {
    [DP_LCP_AUTOMATIC] = "automatic",
    [DP_LCP_LEMKE] = "lemke",
    [DP_LCP_PIVOTING] = "pivoting",
    [DP_LCP_NEWTON] = "newton",
};
enum { METHODS = sizeof methods / sizeof *methods };

static const char *const outcomes[] = {
    [DP_LCP_SOLVED] = "solved",
    [DP_LCP_RAY] = "ray",
    [DP_LCP_CAPPED] = "capped",
    [DP_LCP_INACCURATE] = "inaccurate",
    [DP_LCP_CONTRADICTORY] = "contradictory",
};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

const char *dp_lcp_method_name(dp_lcp_method method)
{
    return (unsigned)method < METHODS ? methods[method] : "unknown";
}

const char *dp_lcp_outcome_name(dp_lcp_outcome outcome)
{
    return (unsigned)outcome < OUTCOMES ? outcomes[outcome] : "unknown";
}

dp_lcp_options dp_lcp_options_default(void)
{
    return (dp_lcp_options){.method = DP_LCP_AUTOMATIC,
                            .tolerance = 1e-10,
                            .threshold = 1e-8,
                            .max_pivots = 0,
                            .restarts = 4,
                            .seed = 1,
                            .covering = NULL};
}

enum { METHOD, TOLERANCE, THRESHOLD, MAX_PIVOTS, RESTARTS, SEED, OPTIONS };

static const char *const names[OPTIONS] = {
    [METHOD] = "lcp.method",         [TOLERANCE] = "lcp.tolerance", [THRESHOLD] = "lcp.threshold",
    [MAX_PIVOTS] = "lcp.max_pivots", [RESTARTS] = "lcp.restarts",   [SEED] = "lcp.seed",
};

int dp_lcp_options_name_count(void)
{
    return OPTIONS;
}

const char *dp_lcp_options_name(int index)
{
    return index >= 0 && index < OPTIONS ? names[index] : "";
}

static int find(const char *name)
{
    int i = 0;
    while (i < OPTIONS && strcmp(name, names[i]) != 0 &&
           strcmp(name, strchr(names[i], '.') + 1) != 0) {
        ++i;
    }
    return i;
}

static dp_status set_method(dp_lcp_method *out, const char *name, const char *value)
{
    const int i = dp_word_find(methods, METHODS, value);
    if (i < 0) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "%s: '%.100s' is unknown (expected automatic, lemke, pivoting or newton)",
                       name, value);
    }
    *out = (dp_lcp_method)i;
    return DP_OK;
}

static dp_status set_part(double *out, const char *name, const char *value)
{
    double part;
    DP_TRY(dp_setting_read(&part, DP_SETTING_POSITIVE, name, value));
    if (!(part < 1.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is too large (expected less than 1)", name,
                       value);
    }
    *out = part;
    return DP_OK;
}

dp_status dp_lcp_options_set(dp_lcp_options *options, const char *name, const char *value)
{
    int seed = 0;
    switch (find(name)) {
    case METHOD:
        return set_method(&options->method, name, value);
    case TOLERANCE:
        return set_part(&options->tolerance, name, value);
    case THRESHOLD:
        return set_part(&options->threshold, name, value);
    case MAX_PIVOTS:
        return dp_setting_read(&options->max_pivots, DP_SETTING_COUNT, name, value);
    case RESTARTS:
        return dp_setting_read(&options->restarts, DP_SETTING_COUNT, name, value);
    case SEED:
        DP_TRY(dp_setting_read(&seed, DP_SETTING_COUNT, name, value));
        options->seed = (uint64_t)seed;
        return DP_OK;
    default:
        break;
    }
    return dp_fail(DP_ERROR_ARGUMENT,
                   "unknown option '%.100s' (expected lcp.method, lcp.tolerance, lcp.threshold, "
                   "lcp.max_pivots, lcp.restarts or lcp.seed)",
                   name);
}
