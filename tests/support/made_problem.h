// Step problems for tests: random ones with every kind of row, kept in one struct.
#ifndef DP_TESTS_MADE_PROBLEM_H
#define DP_TESTS_MADE_PROBLEM_H

#include "near.h"

#include <dashpot/advanced/problem.h>

enum { MADE_TREES = 8, MADE_V = 40, MADE_BLOCKS = 24, MADE_ROWS = 72 };

/// A problem and the arrays that it borrows. Not to be copied: use it where it was made.
typedef struct made_problem {
    dp_step_problem p;
    int tree_start[MADE_TREES + 1], parent[MADE_V];
    size_t Mt_start[MADE_V + 1];
    double Mt[MADE_V * MADE_V], v0[MADE_V], v_free[MADE_V];
    int row_start[MADE_BLOCKS + 1], col_start[MADE_BLOCKS + 1], col[MADE_BLOCKS * MADE_V];
    uint64_t id[MADE_BLOCKS];
    size_t G_start[MADE_BLOCKS + 1];
    double G[MADE_ROWS * MADE_V];
    dp_row row[MADE_ROWS];
} made_problem;

/// `ntree` trees of up to five velocities and `nblock` blocks of one to three rows, each over one
/// or two trees. Rows are rigid, soft, damped, one-sided and bounded.
void make_problem(made_problem *out, int ntree, int nblock, random_source *r);

/// One velocity of mass m (M̃ = m) and one row with G = 1, rigid and two-sided.
void make_particle(made_problem *out, double m, double v_free);

#endif
