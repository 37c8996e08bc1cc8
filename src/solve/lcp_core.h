// What is left of a linear complementarity problem once rows and columns are scaled, fixed
// variables put in and free ones eliminated:
//
//     u = A y + b,   0 ≤ y ≤ range,   y and u complementary as in (LCP 1),                  (LC 1)
//
// and the way back. Methods look for the stand of every pair, at one end of its range or between;
// the values are then computed from the problem itself (dp_lcp_core_finish).
#ifndef DP_SOLVE_LCP_CORE_H
#define DP_SOLVE_LCP_CORE_H

#include "base/memory.h"
#include "linalg/dense.h"

#include <dashpot/lcp.h>

/// One pair (y, u) of (LC 1).
typedef struct dp_lcp_pair {
    int variable;   // of the problem
    double sign;    // y counts from lo upwards (+1) or from hi downwards (−1)
    double range;   // of y, scaled; may be infinite
    bool exchanged; // y stands for w and u for z: a free variable was eliminated with its help
    bool split;     // one of two halves of a free variable that could not be eliminated
} dp_lcp_pair;

typedef struct dp_lcp_core {
    const dp_lcp *p;
    dp_allocator a;

    // The problem, scaled by powers of two: z_j = base_j + 2^(column_j + shift) ẑ_j
    double *S;         // n × n: 2^(row_i + column_j) M
    double *s;         // n: 2^(row_i − shift) (M base + q), largest about 1
    double *base;      // n
    int *row, *column; // n: exponents
    int *judge;        // n: scratch of residuals
    int shift;
    uint8_t *state;                  // n: dp_lcp_state where it is settled; else DP_LCP_BETWEEN
    uint8_t *lost_row, *lost_column; // n: dropped as dependent; without influence

    // (LC 1)
    int m;
    dp_lcp_pair *pair; // m
    double *A, *b;     // m × m, m
    int *A_row;        // m: exponents by which the rows of A have been scaled beyond S
    bool symmetric;    // A
    int dependent;
    double inconsistent;

    // scratch of finish
    int *basis_row, *basis_column; // n
    double *x, *y;                 // n
    dp_dense factor;               // n
    int factorizations;
} dp_lcp_core;

/// What a pair may stand like.
typedef enum dp_lcp_stand {
    DP_PAIR_LO, // y = 0
    DP_PAIR_IN, // u = 0
    DP_PAIR_HI, // y = range
} dp_lcp_stand;

/// Bytes that dp_lcp_solve takes of a dp_stack for n variables, at most.
/// @param unbounded, ranged how many of them are free, and how many have two finite bounds
size_t dp_lcp_memory(int n, int unbounded, int ranged);

/// Scale and reduce. @return DP_ERROR_MEMORY. Call dp_lcp_core_end in any case.
DP_NODISCARD dp_status dp_lcp_core_begin(dp_lcp_core *core, const dp_lcp *p,
                                         const dp_allocator *allocator);
void dp_lcp_core_end(dp_lcp_core *core);

/// Solve for the z of a stand (m values) from the numbers of the problem, to all digits.
/// @param z n: finite and within its bounds
/// @return the residual of z; infinite where z is so large that q is below its round-off
double dp_lcp_core_finish(double *z, uint8_t *state, dp_lcp_core *core, const uint8_t *stand);

/// dp_lcp_residual of z, without computing the exponents again.
double dp_lcp_core_residual(const dp_lcp_core *core, const double *z, double *w);

/// Memory of a search on (LC 1) with bounds: values, their rows and a factor.
typedef struct dp_lcp_trial {
    uint8_t *stand; // m
    double *y, *u;  // m
    int *place;     // m: pairs that stand between
    double *x;      // m
    dp_dense factor;
} dp_lcp_trial;
DP_NODISCARD dp_status dp_lcp_trial_begin(dp_lcp_trial *t, const dp_lcp_core *core);
void dp_lcp_trial_end(dp_lcp_trial *t, const dp_lcp_core *core);
/// y and u of t->stand. @return false where the matrix of those between is singular
bool dp_lcp_trial_solve(dp_lcp_trial *t, dp_lcp_core *core);
/// u = A y + b
void dp_lcp_trial_rows(dp_lcp_trial *t, const dp_lcp_core *core);

/// How a search went.
typedef enum dp_lcp_end {
    DP_END_FOUND, // a stand that meets all signs to round-off
    DP_END_RAY,
    DP_END_CAPPED,
    DP_END_LOST, // singular, or drowned in round-off
} dp_lcp_end;

typedef struct dp_lcp_search {
    dp_lcp_end end;
    int steps; // pivots or iterations
    bool infeasible;
} dp_lcp_search;

/// What counts as equal and as small.
typedef struct dp_lcp_care {
    double threshold; // pivots smaller than this beside others are avoided
    double round_off; // values up to here may be 0, in units of the scaled data
} dp_lcp_care;

/// Lemke's method with the covering vector d > 0 (m values). stand: where it ended.
DP_NODISCARD dp_status dp_lcp_lemke(dp_lcp_search *out, uint8_t *stand, const dp_lcp_core *core,
                                    const double *d, dp_lcp_care care, int most);
/// Block principal pivoting from t->stand, which is where it ends.
dp_lcp_search dp_lcp_principal(dp_lcp_trial *t, dp_lcp_core *core, double round_off, int most);
/// Newton from t->y, within its range.
DP_NODISCARD dp_status dp_lcp_newton(dp_lcp_search *out, dp_lcp_trial *t, dp_lcp_core *core,
                                     int most);

#endif
