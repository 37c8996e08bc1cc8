#include "sim/data.h"

static const char *const STAGE_NAMES[] = {
    [DP_STAGE_STEP] = "step",     [DP_STAGE_KINEMATICS] = "kinematics",
    [DP_STAGE_FORCES] = "forces", [DP_STAGE_CONTACTS] = "contacts",
    [DP_STAGE_ROWS] = "rows",     [DP_STAGE_FACTOR] = "factor",
    [DP_STAGE_SOLVE] = "solve",   [DP_STAGE_END] = "end",
    [DP_STAGE_LEDGER] = "ledger",
};

const char *dp_stage_name(dp_stage stage)
{
    return (unsigned)stage < DP_STAGES ? STAGE_NAMES[stage] : "unknown";
}

void dp_data_set_clock(dp_data *d, dp_clock clock, void *context)
{
    d->stopwatch = (dp_stopwatch){.clock = clock, .context = context, .now = DP_STAGES};
}

const dp_profile *dp_data_profile(const dp_data *d)
{
    return &d->stopwatch.sum;
}
