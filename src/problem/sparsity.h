// Which rows meet which velocities: what is left of a step problem when its numbers are taken away.
// It mostly stays from step to step, and with it all that follows from it.
#ifndef DP_PROBLEM_STRUCTURE_H
#define DP_PROBLEM_STRUCTURE_H

#include "base/arena.h"

#include <dashpot/advanced/problem.h>

/// A copy of the places in a step problem. Mt_start and G_start follow from them.
typedef struct dp_sparsity {
    int nv, ntree, nblock, nrow;
    int *tree_start, *parent, *row_start, *col_start, *col;
} dp_sparsity;

/// Bytes that dp_sparsity_of takes of an arena for any problem within `max`.
size_t dp_sparsity_memory(const dp_step_size *max);

/// @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_sparsity_of(dp_sparsity *out, const dp_step_problem *p,
                                      dp_arena *scratch);

/// Is all the same, but for the columns, which are looked at by block?
bool dp_sparsity_is_that_of(const dp_sparsity *s, const dp_step_problem *p);
/// The columns of the blocks first … end − 1, where the rest is the same.
bool dp_sparsity_has_columns(const dp_sparsity *s, const dp_step_problem *p, int first, int end);

#endif
