// Options of linear complementarity problems by name, and the names of what a solve ends with.
#include "base/option.h"
#include "solve/lcp/lcp_core.h"

static const char *const methods[] = {
    [DP_LCP_METHOD_AUTOMATIC] = "automatic",
    [DP_LCP_METHOD_LEMKE] = "lemke",
    [DP_LCP_METHOD_PIVOTING] = "pivoting",
};
static const char *const outcomes[] = {
    [DP_LCP_OUTCOME_SOLVED] = "solved",
    [DP_LCP_OUTCOME_RAY] = "ray",
    [DP_LCP_OUTCOME_CAPPED] = "capped",
    [DP_LCP_OUTCOME_INACCURATE] = "inaccurate",
    [DP_LCP_OUTCOME_CONTRADICTORY] = "contradictory",
};
enum { METHODS = sizeof methods / sizeof *methods, OUTCOMES = sizeof outcomes / sizeof *outcomes };

#define FIELD(member) offsetof(dp_lcp_options, member)
static const dp_option options_by_name[] = {
    {.name = "lcp.method", .offset = FIELD(method), .word = methods, .words = METHODS},
    {.name = "lcp.tolerance", .offset = FIELD(tolerance), .setting = DP_SETTING_FRACTION},
    {.name = "lcp.threshold", .offset = FIELD(threshold), .setting = DP_SETTING_FRACTION},
    {.name = "lcp.max_pivots", .offset = FIELD(max_pivots), .setting = DP_SETTING_COUNT},
    {.name = "lcp.restarts", .offset = FIELD(restarts), .setting = DP_SETTING_COUNT},
    {.name = "lcp.seed", .offset = FIELD(seed), .setting = DP_SETTING_SEED},
};
enum { OPTIONS = sizeof options_by_name / sizeof *options_by_name };

const char *dp_lcp_method_name(dp_lcp_method method)
{
    return dp_word_of(methods, METHODS, (int)method);
}

const char *dp_lcp_outcome_name(dp_lcp_outcome outcome)
{
    return dp_word_of(outcomes, OUTCOMES, (int)outcome);
}

dp_lcp_options dp_lcp_options_default(void)
{
    return (dp_lcp_options){.method = DP_LCP_METHOD_AUTOMATIC,
                            .tolerance = 1e-10,
                            .threshold = 1e-8,
                            .max_pivots = 0,
                            .restarts = 4,
                            .seed = 1,
                            .covering = NULL};
}

int dp_lcp_options_name_count(void)
{
    return OPTIONS;
}

const char *dp_lcp_options_name(int index)
{
    return index >= 0 && index < OPTIONS ? options_by_name[index].name : "";
}

dp_status dp_lcp_options_set(dp_lcp_options *options, const char *name, const char *value)
{
    return dp_option_set(options, options_by_name, OPTIONS, name, value);
}

dp_status dp_lcp_options_check(const dp_lcp_options *options)
{
    return dp_option_check(options, options_by_name, OPTIONS);
}
