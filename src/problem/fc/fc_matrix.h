// A block-sparse matrix (linalg/block_sparse.h) with memory of its own, its pattern given by pairs.
#ifndef DP_PROBLEM_FC_MATRIX_H
#define DP_PROBLEM_FC_MATRIX_H

#include "base/memory.h"
#include "linalg/block_sparse.h"

typedef struct dp_fc_matrix {
    dp_block_sparse A;
    dp_arena arena;
    char *memory;
    size_t bytes;
    dp_allocator allocator;
} dp_fc_matrix;

/// Lay out a matrix in which each clique of nodes is full. The cliques are borrowed.
DP_NODISCARD dp_status dp_fc_matrix_begin(dp_fc_matrix *out, int n, const int *size, int nclique,
                                          const int *clique_start, const int *clique_node,
                                          const dp_allocator *a);
/// A matrix of zeros is allowed.
void dp_fc_matrix_end(dp_fc_matrix *m);

/// One number of block (i, j).
double *dp_fc_matrix_element(dp_fc_matrix *m, int i, int j, int row, int column);
/// Add `rows` × `columns` numbers, by rows, to block (i, j).
void dp_fc_matrix_add(dp_fc_matrix *m, int i, int j, int rows, int columns, const double *value);

#endif
