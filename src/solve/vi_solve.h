// The law `vi` with cones on an island: the search of coulomb.h, and where that finds no solution a
// decision whether there is one (vi_feasible.h).
#ifndef DP_SOLVE_VI_SOLVE_H
#define DP_SOLVE_VI_SOLVE_H

#include "solve/coulomb.h"

/// Scratch, taken when it is first needed.
typedef struct dp_vi_room {
    uint8_t *flags; // nrow
    int nrow;
    void *memory; // of the decision
    size_t bytes;
} dp_vi_room;

/// @param guess nrow; NULL: none
/// @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_vi_solve(dp_step_solution *out, dp_coulomb *c, const double *guess,
                                   const dp_law_options *opt, dp_vi_room *room,
                                   dp_solve_info *info);

/// The rows whose compliance is the law's alone and goes to 0. @param out nrow of p
void dp_vi_vanishing(uint8_t *out, const dp_step_problem *p, const dp_law_options *opt);

#endif
