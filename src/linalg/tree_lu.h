// Square matrices of any numbers with the sparsity of a forest, and their factor without row
// exchanges: A(i, j) ≠ 0 only where j lies on the way from i to a root, or i on that of j.
//
// Eliminated from the last row to the first, nothing fills in [Featherstone2008, §6.5]. Where more
// than a forest couples, its ways to the roots are made longer until they hold all of it: the
// elimination tree [Liu1990].
#ifndef DP_LINALG_BRANCH_LU_H
#define DP_LINALG_BRANCH_LU_H

#include "base/arena.h"

#include <stdbool.h>

/// The way from i to its root has depth[i] + 1 elements; element d of it counts from the root.
typedef struct dp_tree_lu {
    int n;
    int *depth;      // n: 0 at a root
    size_t *start;   // n+1: where the way of each begins
    int *way;        // from the root to i itself
    double *pair;    // of each on it: A(i, way[d]), A(way[d], i); that of i itself has one number
    double *forest;  // what dp_tree_lu_begin begins with
    double *inverse; // n: of the pivots
    bool *apart;     // n: no clique meets it, nor any whose way it is on: eliminated for good
} dp_tree_lu;

/// Lay out the pattern of a forest in which, besides, each clique is full.
/// @param parent n: < i, −1 at a root
/// @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_tree_lu_analyse(dp_tree_lu *out, int n, const int *parent, int nclique,
                                          const int *clique_start, const int *clique_node,
                                          dp_arena *arena);

/// The numbers of the forest, symmetric and packed as branch.h says along `parent`. What stands
/// apart is eliminated at once.
/// @return false where a pivot of those is lost
bool dp_tree_lu_load(dp_tree_lu *A, const int *parent, const size_t *M_start, const double *M);
/// A = M as it was loaded
void dp_tree_lu_begin(dp_tree_lu *A);
/// A(i, j) where one lies on the way of the other.
static inline double *dp_tree_lu_at(const dp_tree_lu *A, int i, int j)
{
    return i >= j ? A->pair + 2 * (A->start[i] + (size_t)A->depth[j])
                  : A->pair + 2 * (A->start[j] + (size_t)A->depth[i]) + 1;
}

/// @return false where a pivot is lost in round-off or not finite: the factor is useless
bool dp_tree_lu_factor(dp_tree_lu *A);
/// x with A x = b. x may be b.
void dp_tree_lu_solve(double *x, const dp_tree_lu *A, const double *b);

#endif
