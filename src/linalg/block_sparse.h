// Square matrices of dense blocks over the nodes of a graph, with a symmetric pattern and any
// numbers in it, and their factor L D U.
//
// Nodes are eliminated in order of least degree [AmestoyDavisDuff1996]: the quotient graph gives
// order and pattern of the factor at once. Pivots are whole diagonal blocks, each inverted, or if
// it is large factored, with row exchanges of its own; there are none between blocks.
#ifndef DP_LINALG_BLOCK_SPARSE_H
#define DP_LINALG_BLOCK_SPARSE_H

#include "base/arena.h"

#include <stdbool.h>

/// Pattern and numbers. A place is the position of a node in the order of elimination; column j
/// holds the blocks below the diagonal, (row[e], j), and beside it, (j, row[e]).
typedef struct dp_block_sparse {
    int n;              // nodes
    int *place;         // n: of each node
    int *size;          // n, by place: rows of its block
    int *first;         // n + 1, by place: where its part of a vector begins
    int *start;         // n + 1: entries of each column
    int *row;           // entries, ascending within a column
    size_t *lower;      // entries: where block (row, j) begins in `value`, by rows
    size_t *upper;      // entries: where block (j, row) begins
    size_t *diagonal;   // n: where block (j, j) begins; after the factor its inverse, or L and U
    int *exchange;      // by place: the rows of L and U in terms of those of the block
    size_t *pair_start; // n + 1: into target
    int *target;        // entry that the pair (e, f < e) of a column changes
    size_t nvalue;
    double *value;
    double *work; // the largest block twice, and a vector
} dp_block_sparse;

/// Lay out the pattern in which each clique of nodes is full. Cliques may share nodes; a node may
/// be in none. @param size n: rows of the block of each node
/// @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_block_analyse(dp_block_sparse *out, int n, const int *size, int nclique,
                                        const int *clique_start, const int *clique_node,
                                        dp_arena *arena);

/// All numbers zero.
void dp_block_clear(dp_block_sparse *A);

/// Block (node i, node j), by rows, size(i) × size(j). It must be in the pattern of the cliques.
double *dp_block_at(dp_block_sparse *A, int i, int j);

/// A = L D U in place. @return false where a pivot is singular or not finite: the factor is useless
bool dp_block_factor(dp_block_sparse *A);
/// The same for a symmetric A in about half the time. Only blocks (i, j) where i does not come
/// before j in the order of elimination are read.
bool dp_block_factor_symmetric(dp_block_sparse *A);
/// Does node i come before node j?
static inline bool dp_block_is_before(const dp_block_sparse *A, int i, int j)
{
    return A->place[i] < A->place[j];
}

/// x with A x = b, both in the order of the nodes with `at[i]` the beginning of node i. x may be b.
void dp_block_solve(double *x, const dp_block_sparse *A, const int *at, const double *b);

#endif
