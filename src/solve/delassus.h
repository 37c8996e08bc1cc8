// The Delassus matrix W = G M̃⁻¹ Gᵀ of a step problem: what impulses on rows do to their velocities.
//
// With M̃ = LᵀDL it is W = BᵀB, B = D^(−1/2) L⁻ᵀ Gᵀ: symmetric and semidefinite by construction. A
// column of B reaches only from the velocities of a row down to their roots, and two rows couple
// only where they reach the same root. Rows are kept in an order of blocks that keeps the envelope
// of W small (breadth first from an end [CuthillMcKee1969], reversed): a place is a row in that
// order. A chain of bodies with three rows between neighbours has an envelope linear in its length.
#ifndef DP_SOLVE_DELASSUS_H
#define DP_SOLVE_DELASSUS_H

#include "linalg/branch.h"
#include "linalg/envelope.h"
#include "solve/law.h"

typedef struct dp_delassus {
    dp_branch tree;
    double *LD;         // factor of M̃
    double least_pivot; // of it, relative to the diagonal of M̃
    int nrow, nblock;
    int *row;         // nrow: the row at a place
    int *block;       // nblock: blocks in order
    int *place_start; // nblock+1: places of each
    dp_envelope at;   // over places
    double *W;
} dp_delassus;

/// Bytes for any problem within `max`.
size_t dp_delassus_memory(const dp_step_size *max);

/// @return DP_ERROR_CAPACITY, DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_delassus_build(dp_delassus *out, const dp_step_problem *p,
                                         dp_arena *scratch);

/// W(i, i) of a place
static inline double dp_delassus_diagonal(const dp_delassus *d, int i)
{
    return d->W[d->at.start[i + 1] - 1];
}

#endif
