// Square matrices of dense blocks over the nodes of a graph, with a symmetric pattern and any
// numbers in it, and their factor L D U.
//
// Nodes are eliminated in an order of little fill (block_order.h). Neighbours in it whose columns
// have the same pattern, as good as, make a panel: all its blocks stand in two dense matrices, so
// that products run over long rows. Pivots are the diagonal blocks of nodes, each inverted, or if
// it is large factored, with row exchanges of its own, unless it is symmetric and positive
// definite; there are none between blocks.
#ifndef DP_LINALG_BLOCK_SPARSE_H
#define DP_LINALG_BLOCK_SPARSE_H

#include "linalg/min_degree.h"

/// Consecutive places, and the later ones that they meet.
typedef struct dp_block_panel {
    int begin, end;         // places
    int row_begin, row_end; // the others, among the rows of the matrix
    int width;              // elements of its own places: so many rows has either matrix
    int length;             // and of the others, too: so long they are
    size_t at;              // where it begins in `upper` and `lower`
} dp_block_panel;

/// Pattern and numbers. A place is the position of a node in the order of elimination.
typedef struct dp_block_sparse {
    int n;          // nodes
    int *node_size; // n
    int *place;     // n: of each node
    int *size;      // n, by place: rows of its block
    int *first;     // n + 1, by place: where its part of a vector begins
    int npanel;
    dp_block_panel *panel;
    int *panel_of;    // n, by place
    int *row;         // of the panels: places, ascending
    int *offset;      // of each: where its columns begin in the panel
    size_t *diagonal; // n, by place: into `pivot`
    int *exchange;    // by place: the rows of L and U in terms of those of the block
    size_t nvalue;    // of either matrix
    double *upper;    // A, and U, by rows
    double *lower;    // Aᵀ, and Lᵀ: what is below the diagonal, by columns
    double *pivot;    // D⁻¹ of each place, or its L and U
    double *work;     // for the products of a panel
    double *vector;
    // How another pattern is found
    dp_block_graph graph;
    bool *used; // cliques of the present one
    int *parent, *count, *cursor, *last, *rank;
    size_t most_value, most_rows, most_work;
} dp_block_sparse;

/// Lay out the pattern in which each clique of nodes is full. Cliques may share nodes; a node may
/// be in none. They are borrowed for as long as `out` is used.
/// @param size n: rows of the block of each node @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_block_analyse(dp_block_sparse *out, int n, const int *size, int nclique,
                                        const int *clique_start, const int *clique_node,
                                        dp_arena *arena);

/// Lay out anew for some of the cliques: blocks that are in no other become zero and take no time.
/// What comes of it does not depend on patterns before. @return whether anything has moved
bool dp_block_restrict(dp_block_sparse *A, const bool *used);

/// All numbers zero. @param symmetric only those that dp_block_factor_symmetric reads
void dp_block_clear(dp_block_sparse *A, bool symmetric);

/// Does node i come before node j?
static inline bool dp_block_is_before(const dp_block_sparse *A, int i, int j)
{
    return A->place[i] < A->place[j];
}

/// Where a block stands: by rows, `stride` apart, or by columns where it is below the diagonal.
typedef struct dp_block_view {
    double *value;
    int stride;
    bool by_columns;
} dp_block_view;

/// Block (node i, node j), size(i) × size(j). It must be in the pattern of the cliques.
dp_block_view dp_block_at(dp_block_sparse *A, int i, int j);

/// A = L D U in place. @return false where a pivot is singular or not finite: the factor is useless
bool dp_block_factor(dp_block_sparse *A);
/// The same for a symmetric A in about half the time. Only blocks (i, j) where j does not come
/// before i in the order of elimination are read.
bool dp_block_factor_symmetric(dp_block_sparse *A);

/// x with A x = b, both in the order of the nodes with `at[i]` the beginning of node i. x may be b.
void dp_block_solve(double *x, const dp_block_sparse *A, const int *at, const double *b);

#endif
