// Options of friction-contact problems by name, and the names of what a solve ends with.
#include "base/option.h"
#include "solve/fc/fc_search.h"

static const char *const methods[] = {
    [DP_FC_METHOD_AUTOMATIC] = "automatic",
    [DP_FC_METHOD_NEWTON] = "newton",
    [DP_FC_METHOD_CONE] = "cone",
};
static const char *const outcomes[] = {
    [DP_FC_OUTCOME_SOLVED] = "solved",
    [DP_FC_OUTCOME_CAPPED] = "capped",
    [DP_FC_OUTCOME_INFEASIBLE] = "infeasible",
};
enum { METHODS = sizeof methods / sizeof *methods, OUTCOMES = sizeof outcomes / sizeof *outcomes };

#define FIELD(member) offsetof(dp_fc_options, member)
static const dp_option options_by_name[] = {
    {.name = "fc.method", .offset = FIELD(method), .word = methods, .words = METHODS},
    {.name = "fc.tolerance", .offset = FIELD(tolerance), .setting = DP_SETTING_FRACTION},
    {.name = "fc.max_factorizations",
     .offset = FIELD(max_factorizations),
     .setting = DP_SETTING_COUNT},
};
enum { OPTIONS = sizeof options_by_name / sizeof *options_by_name };

const char *dp_fc_method_name(dp_fc_method method)
{
    return dp_word_of(methods, METHODS, (int)method);
}

const char *dp_fc_outcome_name(dp_fc_outcome outcome)
{
    return dp_word_of(outcomes, OUTCOMES, (int)outcome);
}

dp_fc_options dp_fc_options_default(void)
{
    return (dp_fc_options){
        .method = DP_FC_METHOD_AUTOMATIC, .tolerance = 1e-8, .max_factorizations = 4000};
}

int dp_fc_options_name_count(void)
{
    return OPTIONS;
}

const char *dp_fc_options_name(int index)
{
    return index >= 0 && index < OPTIONS ? options_by_name[index].name : "";
}

dp_status dp_fc_options_set(dp_fc_options *options, const char *name, const char *value)
{
    return dp_option_set(options, options_by_name, OPTIONS, name, value);
}

dp_status dp_fc_options_check(const dp_fc_options *options)
{
    return dp_option_check(options, options_by_name, OPTIONS);
}
