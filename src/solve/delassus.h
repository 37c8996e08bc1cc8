// The Delassus matrix W = G M̃⁻¹ Gᵀ of a step problem: what impulses on rows do to their velocities.
//
// With M̃ = LᵀDL it is W = BᵀC, B = L⁻ᵀ Gᵀ, C = D⁻¹ B: semidefinite but for round-off. A column of B
// reaches only from the velocities of a row down to their roots, and two rows couple
// only where they reach the same root. Rows are kept in an order of blocks that keeps the envelope
// of W small (breadth first from an end [CuthillMcKee1969], reversed): a place is a row in that
// order. A chain of bodies with three rows between neighbours has an envelope linear in its length.
//
// Friction, limits and drive of one joint are multiples of each other. Rows of one kind are such
// multiples, and the matrix that is stored has one row for each kind:
// W(i, j) = ratio(i) ratio(j) W(kind(i), kind(j)).
//
// Order, reach and couplings follow from the structure of the problem alone (delassus_plan.c) and
// serve for all steps that have it; only the numbers are found anew (delassus.c).
#ifndef DP_SOLVE_DELASSUS_H
#define DP_SOLVE_DELASSUS_H

#include "linalg/branch.h"
#include "linalg/envelope.h"
#include "solve/law.h"

/// What a block reaches: the velocities from its columns down to their roots, descending.
typedef struct dp_reach {
    int *start;    // nblock+1, in the order of blocks
    int *velocity; // of each
    int *next;     // of each: where the next velocity towards the root stands in the same reach
    int *run;      // of each: how many there are to the root, if they follow one another; else 0
    int *column;   // ncol, in the order of blocks: where each column of a block stands in its reach
    int *column_start; // nblock+1
    size_t *C_start;   // nblock+1
} dp_reach;

/// A block and one before it, or itself, that reach the same velocities.
typedef struct dp_coupling {
    int before;       // the other block, by its place in order
    int at, at_other; // the first common velocity in either reach
    int length;       // so many common ones follow in both, and that is all; 0: it is not so
} dp_coupling;

typedef struct dp_delassus {
    // The structure
    dp_branch tree;
    int nrow, nblock;
    int *row;         // nrow: the row at a place
    int *block;       // nblock: blocks in order
    int *place_start; // nblock+1: places of each
    int nkind;
    int *kind;       // nrow, by place
    int *kind_start; // nblock, in order: the kind of its first row; the others follow
    dp_envelope at;  // over kinds
    dp_reach reach;
    int *twin; // nblock, in order: the first block that moves the same single velocity, if not this
               // one; else < 0
    int *coupling_start;   // nblock+1
    dp_coupling *coupling; // of each block that has no twin
    bool is_short;         // C has hardly more elements than G
    // The numbers
    double *LD;         // factor of M̃
    double *inverse;    // nv: D⁻¹
    double least_pivot; // of M̃, relative to its diagonal
    double *B;          // of one block at a time: by velocity, then row of the block
    double *C;          // of all blocks that have no twin, likewise
    double *ratio;      // nrow, by place: how many times its kind a row is
    double *W;
    double *sum, *rate; // nkind: scratch
} dp_delassus;

/// Bytes for any problem within `max`.
size_t dp_delassus_memory(const dp_step_size *max);

/// All of the structure, and room for the numbers. @return DP_ERROR_CAPACITY
DP_NODISCARD dp_status dp_delassus_plan(dp_delassus *out, const dp_step_problem *p,
                                        dp_arena *scratch);
/// Does the plan serve for another problem of the same structure? Not where a row of a single
/// velocity has vanished or come back: others may be multiples of it.
bool dp_delassus_serves(const dp_delassus *d, const dp_step_problem *p);
/// All numbers. @return DP_ERROR_NUMERIC for an M̃ that is not positive definite
DP_NODISCARD dp_status dp_delassus_fill(dp_delassus *d, const dp_step_problem *p);

/// v = M̃⁻¹ Gᵀ x. @param v nv; x by place
void dp_delassus_motion(double *v, const dp_delassus *d, const dp_step_problem *p, const double *x);
/// u = G v. @param u by place; v nv
void dp_delassus_rates(double *u, const dp_delassus *d, const dp_step_problem *p, const double *v);

/// y = W x, both by place. y must not be x.
void dp_delassus_apply(double *y, const dp_delassus *d, const double *x);

/// W(i, i) of a place
static inline double dp_delassus_diagonal(const dp_delassus *d, int i)
{
    return d->ratio[i] * d->ratio[i] * d->W[d->at.start[d->kind[i] + 1] - 1];
}

static inline int dp_block_rows(const dp_step_problem *p, int block)
{
    return p->row_start[block + 1] - p->row_start[block];
}

#endif
