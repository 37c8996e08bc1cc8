// One block of rows under construction: opened, given gradients in any order, closed.
//
// While it is open its gradients stand in rows->gradient over all degrees of freedom of the model;
// closing packs what was touched, columns ascending, and leaves the scratch zero.
#ifndef DP_CONSTRAINT_BLOCK_H
#define DP_CONSTRAINT_BLOCK_H

#include "assemble/rows.h"

#include <dashpot/row.h>

enum { DP_BLOCK_ROWS = 6 }; // most rows of one block that is written row by row

/// Two bodies and a point on each, in the world.
typedef struct dp_two_points {
    int body[2];
    dp_v3 point[2];
} dp_two_points;

void dp_block_open(dp_rows *rows, int nrow);

/// gradient(row, dof) += value
void dp_block_add(dp_rows *rows, int row, int dof, double value);
/// gradient(row, dof[i]) += scale · value[i]
void dp_block_add_sparse(dp_rows *rows, int row, double scale, int count, const int *dof,
                         const double *value);

/// Rows first … first+n−1 += the gradients of direction[i] · (v₁ − v₀), the velocities of the two
/// points on their bodies. @param direction NULL: the axes of the world, n = 3
void dp_block_add_points(dp_rows *rows, int first, int n, const dp_v3 *direction,
                         const dp_two_points *at, const dp_kin *kin, const dp_model *m);
/// The same for the angular velocities: direction[i] · (ω₁ − ω₀).
void dp_block_add_turns(dp_rows *rows, int first, int n, const dp_v3 *direction, const int body[2],
                        const dp_kin *kin, const dp_model *m);

/// Append the block to the problem. Its rows are two-sided and rigid, with φ = 0 and len 1, until
/// the caller says else. @return the first of them; NULL: it touches no degree of freedom and is
/// left out
dp_row *dp_block_close(dp_rows *rows, dp_row_owner owner);

/// What blocks between the same two bodies share: their columns, and along the same directions how
/// bodies that float freely see them.
typedef struct dp_two_chains {
    int body[2];   // −1: none
    bool one_tree; // then nothing of the rest counts
    int dof[2];    // the last of each, −1: none
    int ncol, end[2];
    int floats[2]; // the body whose six columns they are, −1: a chain of joints
    dp_v3 direction[3];
    int col[12];      // of bodies that float
    dp_v3 way[2][3];  // gradients along the axes of the world
    dp_v3 seen[2][3]; // directions in the frame of the body, with the sign of the side
} dp_two_chains;
/// Let `chains` be those of the two bodies. Their directions are there already.
void dp_chains_look(dp_two_chains *chains, const int body[2], const dp_kin *kin, const dp_model *m);

// Part: a place for the next block
static inline void dp_block_place(dp_rows *rows, int nrow, int ncol)
{
    const int b = rows->nblock;
    DP_ASSERT(b < rows->max_block && rows->nrow + nrow <= rows->max_row);
    DP_ASSERT((size_t)rows->col_start[b] + (size_t)ncol <= rows->max_col);
    DP_ASSERT(rows->G_start[b] + (size_t)ncol * (size_t)nrow <= rows->max_G);
    rows->friction_of[b] = -1;
    rows->row_start[b + 1] = rows->nrow + nrow;
    rows->col_start[b + 1] = rows->col_start[b] + ncol;
    rows->G_start[b + 1] = rows->G_start[b] + (size_t)ncol * (size_t)nrow;
}

/// Append a block of dp_block_add_points alone, for two bodies of different trees, without opening
/// it: it only gets its place, and is to be filled, its id included. @param ncol of their chains
/// @return its owner, to be written
static inline dp_row_owner *dp_block_reserve(dp_rows *rows, int nrow, int ncol, int friction)
{
    DP_ASSERT(rows->ntouched == 0);
    dp_block_place(rows, nrow, ncol);
    rows->friction_of[rows->nblock] = friction;
    rows->nrow += nrow;
    return &rows->owner[rows->nblock++];
}
/// Gradients of n such blocks one after the other, all along the directions of the chains, for
/// points t[0] … t[n − 1]. Writes to nothing but these blocks, so that others may be filled at
/// once.
void dp_block_fill(dp_rows *rows, int block, int n, const dp_touching *t,
                   const dp_two_chains *chains, const dp_kin *kin, const dp_model *m);
/// A block of three rows along the axes of the world that holds two points together:
/// dp_block_add_points and dp_block_close at once, without opening it.
dp_row *dp_block_pin(dp_rows *rows, dp_row_owner owner, const dp_two_points *at, const dp_kin *kin,
                     const dp_model *m);
/// A block of one row along one degree of freedom, appended without being opened.
dp_row *dp_block_single(dp_rows *rows, dp_row_owner owner, int dof, double gradient);

/// Append nx · ny rows that share the columns of the open block of three: row i + nx · j has the
/// gradient first + x second + y third, where x and y are the middles of nx and ny equal parts of
/// [−1, 1] (dp_grid_place).
dp_row *dp_block_close_grid(dp_rows *rows, dp_row_owner owner, int nx, int ny);

/// The last degree of freedom that moves a body, −1: none. Two bodies that share it do not move
/// relative to each other.
int dp_last_dof(const dp_model *m, int body);

/// What rows may need at most, added up block by block.
typedef struct dp_rows_room {
    int nv;
    int nblock, nrow;
    int most_rows; // of one block
    int nfriction;
    size_t ncol, nG;
} dp_rows_room;
/// One more block of nrow rows over ncol columns (of which there are at most nv).
void dp_room_add(dp_rows_room *room, int nrow, int ncol);
/// Degrees of freedom that move a body.
int dp_chain_length(const dp_model *m, int body);

#endif
