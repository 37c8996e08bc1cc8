// Bounds on step problems, for those who must know their memory beforehand.
#ifndef DP_PROBLEM_STEP_SIZE_H
#define DP_PROBLEM_STEP_SIZE_H

#include <dashpot/problem.h>

/// As in dp_step_problem; nMt, ncol and nG are the lengths of Mt, col and G.
typedef struct dp_step_size {
    int nv, ntree, nblock, nrow;
    size_t nMt, ncol, nG;
} dp_step_size;

#endif
