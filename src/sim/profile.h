// Where the time of steps goes: one stage at a time, reported by the code that is about to do it.
#ifndef DP_SIM_PROFILE_H
#define DP_SIM_PROFILE_H

#include <dashpot/sim.h>

typedef struct dp_stopwatch {
    dp_clock clock; // NULL: nothing is measured
    void *context;
    dp_stage now; // DP_STAGES: no step is under way
    double since; // when it began [s]
    dp_profile sum;
} dp_stopwatch;

/// From now on the time of the step goes to another stage. Nothing happens outside of steps.
/// @return the one before, to go back to
static inline dp_stage dp_stage_enter(dp_stopwatch *w, dp_stage next)
{
    const dp_stage before = w->now;
    if (before != DP_STAGES && before != next) {
        const double now = w->clock(w->context);
        w->sum.seconds[before] += now - w->since;
        w->since = now;
        w->now = next;
    }
    return before;
}

static inline void dp_stage_begin(dp_stopwatch *w)
{
    if (w->clock) {
        w->since = w->clock(w->context);
        w->now = DP_STAGE_STEP;
        w->sum.steps++;
    }
}

static inline void dp_stage_end(dp_stopwatch *w)
{
    dp_stage_enter(w, DP_STAGES);
}

#endif
