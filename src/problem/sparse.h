// Sparse matrices from numbers in any order.
#ifndef DP_PROBLEM_SPARSE_H
#define DP_PROBLEM_SPARSE_H

#include "base/memory.h"

#include <dashpot/advanced/fc.h>

/// Numbers that a reader has found, in its order.
typedef struct dp_triplets {
    int rows, columns;
    size_t count;
    int *row, *column; // within the matrix
    double *value;
} dp_triplets;

/// By columns, rows ascending, in the pool. Numbers of the same place are added.
/// @return DP_ERROR_MEMORY
DP_NODISCARD dp_status dp_sparse_build(dp_sparse *out, dp_pool *pool, const dp_triplets *t);
DP_NODISCARD dp_status dp_sparse_copy(dp_sparse *out, dp_pool *pool, const dp_sparse *A);

#endif
