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
    const double y = core->y[i], u = core->u[i];
    if (core->kind[i] == DP_LCP_FIXED || core->kind[i] == DP_LCP_FREE) {
        return (dp_lcp_place)core->basis[i];
    }
    switch ((dp_lcp_place)core->basis[i]) {
    case DP_PAIR_LO:
        return u < -round_off ? DP_PAIR_BETWEEN : DP_PAIR_LO;
    case DP_PAIR_HI:
        return u > round_off ? DP_PAIR_BETWEEN : DP_PAIR_HI;
    case DP_PAIR_BETWEEN:
        break;
    }
    return y < -round_off                   ? DP_PAIR_LO
           : y > core->range[i] + round_off ? DP_PAIR_HI
                                            : DP_PAIR_BETWEEN;
}

dp_lcp_search dp_lcp_pivoting(dp_lcp_core *core, double round_off, int most)
{
    enum { PATIENCE = 10 };
    const int n = core->p->n;
    dp_lcp_search out = {.end = DP_END_CAPPED};
    int least = n + 1, patience = PATIENCE;
    while (out.steps < most && !dp_interrupted((size_t)n * (size_t)n)) {
        ++out.steps;
        if (!dp_lcp_core_values(core)) {
            out.end = DP_END_LOST;
            return out;
        }
        int wrong = 0, last = -1;
        for (int i = 0; i < n; ++i) {
            if (next_place(core, i, round_off) != core->basis[i]) {
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
        for (int i = one_only ? last : 0; i < n; ++i) {
            core->basis[i] = (uint8_t)next_place(core, i, round_off);
        }
    }
    return out;
}
