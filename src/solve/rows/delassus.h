// The Delassus matrix W = G M̃⁻¹ Gᵀ of a step problem: what impulses on rows do to their velocities.
//
// Two rows couple only where they meet the same tree. Blocks are kept in an order that keeps the
// envelope of W small (linalg/cuthill_mckee.h); the place of a row is its position in that order. A
// chain of bodies with three rows between neighbours has an envelope linear in its length.
//
// The order follows from the sparsity of the problem alone and is kept for all steps that have it;
// only the numbers are found anew.
#ifndef DP_SOLVE_ROWS_DELASSUS_H
#define DP_SOLVE_ROWS_DELASSUS_H

#include "linalg/envelope.h"
#include "linalg/tree_ldl.h"
#include "solve/law.h"

#include <dashpot/advanced/law.h>

typedef struct dp_delassus {
    const dp_step_problem *p;
    // The sparsity
    dp_tree_ldl tree;
    int *met_start;   // nblock+1, by block of the problem
    int *met;         // trees that it meets
    int *row;         // nrow: the row at a place
    int *block;       // nblock: blocks in order
    int *place_start; // nblock+1: places of each
    int *lowest;      // nblock, in order: the first one that W couples it with
    dp_envelope at;   // of W, over places
    // The numbers
    double *LD;         // factor of M̃
    double least_pivot; // of M̃, relative to its diagonal
    double *W;
    double *motion; // nv: scratch
} dp_delassus;

/// Bytes for any problem within `max`.
size_t dp_delassus_memory(const dp_step_size *max);

/// All of the sparsity, and room for the numbers. @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_delassus_plan(dp_delassus *out, const dp_step_problem *p,
                                        dp_arena *scratch);
/// All numbers. @return DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_delassus_fill(dp_delassus *d);

/// v = M̃⁻¹ v
void dp_delassus_accelerate(const dp_delassus *d, double *v);
/// v = M̃⁻¹ Gᵀ x. @param v nv; x by place
void dp_delassus_motion(double *v, const dp_delassus *d, const double *x);
/// u = G v. @param u by place; v nv
void dp_delassus_rates(double *u, const dp_delassus *d, const double *v);
/// y = W x, both by place. y must not be x.
void dp_delassus_apply(double *y, const dp_delassus *d, const double *x);

/// W(i, i) of a place
static inline double dp_delassus_diagonal(const dp_delassus *d, int i)
{
    return d->W[d->at.start[i + 1] - 1];
}

#endif
