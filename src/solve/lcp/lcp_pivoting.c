// Block principal pivoting on (LC 1): all pairs with a wrong sign change place at once, which
// mostly ends after a few steps; where that does not lessen their number for some steps, only the
// last of them does, which for a P matrix cannot cycle [JudicePires1994], [Murty1974], until it
// falls.
#include "solve/lcp/lcp_core.h"

#include "base/interrupt.h"

#include <math.h>

// Where a pair belongs by the signs of y and u, both scaled.
static dp_lcp_place next_place(const dp_lcp_core *core, int i, double round_off)
{
    const dp_lcp_trial *t = &core->trial;
    const double range = core->pair[i].range;
    switch ((dp_lcp_place)t->basis[i]) {
    case DP_PAIR_LO:
        return t->u[i] < -round_off ? DP_PAIR_BETWEEN : DP_PAIR_LO;
    case DP_PAIR_HI:
        return t->u[i] > round_off ? DP_PAIR_BETWEEN : DP_PAIR_HI;
    case DP_PAIR_BETWEEN:
        break;
    }
    return t->y[i] < -round_off          ? DP_PAIR_LO
           : t->y[i] > range + round_off ? DP_PAIR_HI
                                         : DP_PAIR_BETWEEN;
}

dp_lcp_search dp_lcp_pivoting(dp_lcp_core *core, double round_off, int most)
{
    enum { PATIENCE = 10 };
    dp_lcp_trial *t = &core->trial;
    dp_lcp_search out = {.end = DP_END_CAPPED};
    int least = core->m + 1, patience = PATIENCE;
    while (out.steps < most && !dp_interrupted((size_t)core->m * (size_t)core->m)) {
        ++out.steps;
        if (!dp_lcp_trial_solve(core)) {
            out.end = DP_END_LOST;
            return out;
        }
        int wrong = 0, last = -1;
        for (int i = 0; i < core->m; ++i) {
            if (next_place(core, i, round_off) != t->basis[i]) {
                ++wrong;
                last = i;
            }
        }
        if (wrong == 0) {
            out.end = DP_END_FOUND;
            return out;
        }
        if (wrong < least) {
            least = wrong;
            patience = PATIENCE;
        } else if (patience > 0) {
            --patience;
        }
        const bool one_only = patience == 0;
        for (int i = one_only ? last : 0; i < core->m; ++i) {
            t->basis[i] = (uint8_t)next_place(core, i, round_off);
        }
    }
    return out;
}
