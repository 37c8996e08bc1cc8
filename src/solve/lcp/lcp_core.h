// A linear complementarity problem on its way to the form that the methods work on: rows and
// columns scaled, fixed variables put in, free ones eliminated,
//
//     u = A y + b,   0 ≤ y ≤ range,   y and u complementary as in (LCP 1),                  (LC 1)
//
// and the way back. Methods look for the basis, which says of every pair whether y is at an end of
// its range or between; values are then computed from the problem itself (dp_lcp_core_finish).
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

/// A row and a column of the dictionary of the elimination, and the sign with which they count.
typedef struct dp_lcp_source {
    int row, column;
    double sign;
} dp_lcp_source;

/// The dictionary of all variables on its way to that of the pairs.
typedef struct dp_lcp_elimination {
    double *K;                       // n × (n + 1): S with signs, and s
    uint8_t *free_row, *free_column; // n: still to be eliminated
    int *row_at, *column_at; // n: where the row and the column of each pair are; −1: no pair
    uint8_t *may_exchange;   // n: pairs with one bound
    uint8_t *exchanged;      // n
    int eliminated;
} dp_lcp_elimination;

/// What a search on (LC 1) moves.
typedef struct dp_lcp_trial {
    uint8_t *basis; // m: dp_lcp_place
    double *y, *u;  // m
    int *between;   // m: pairs that are
    double *x;      // m
    dp_dense factor;
} dp_lcp_trial;

typedef struct dp_lcp_core {
    const dp_lcp *p;

    // The problem, scaled by powers of two: z_j = base_j + 2^(column_j + shift) ẑ_j
    double *S;         // n × n: 2^(row_i + column_j) M
    double *s;         // n: 2^(row_i − shift) (M base + q), largest about 1
    double *base;      // n
    int *row, *column; // n: exponents
    int shift;
    uint8_t *state;                  // n: dp_lcp_state where it is settled; else DP_LCP_BETWEEN
    uint8_t *lost_row, *lost_column; // n: dropped as dependent; without influence
    dp_lcp_elimination elimination;

    // (LC 1)
    int m;
    dp_lcp_pair *pair; // m
    double *A, *b;     // m × m, m
    int *A_row;        // m: exponents by which the rows of A have been scaled beyond S
    bool symmetric;    // A
    int dependent;     // rows that follow from others
    double inconsistent;
    dp_lcp_source *source; // m
    int *exponent;         // 3 m: scratch
    dp_lcp_trial trial;

    // scratch of residuals and of dp_lcp_core_finish
    int *judge;                    // n
    int *basis_row, *basis_column; // n
    double *x, *y;                 // n
    dp_dense factor;               // n
    int factorizations;
} dp_lcp_core;

/// Where the y of a pair is.
typedef enum dp_lcp_place {
    DP_PAIR_LO,      // y = 0
    DP_PAIR_BETWEEN, // u = 0
    DP_PAIR_HI,      // y = range
} dp_lcp_place;

/// Bytes that dp_lcp_solve takes of a dp_stack for n variables, at most.
/// @param unbounded, ranged how many of them are free, and how many have two finite bounds
size_t dp_lcp_memory(int n, int unbounded, int ranged);

/// Memory in zeroed blocks: what belongs to so many variables, then to so many pairs.
void dp_lcp_carve_variables(dp_lcp_core *core, dp_carver *c, int count);
void dp_lcp_carve_pairs(dp_lcp_core *core, dp_carver *c, int count);

typedef enum dp_lcp_kind { DP_LCP_FIXED, DP_LCP_FREE, DP_LCP_FROM_LO, DP_LCP_FROM_HI } dp_lcp_kind;
dp_lcp_kind dp_lcp_kind_of(const dp_lcp *p, int i);

/// From the problem to (LC 1): scale, eliminate, which counts the pairs, and list these.
void dp_lcp_core_scale(dp_lcp_core *core);
DP_NODISCARD dp_status dp_lcp_eliminate(dp_lcp_core *core);
void dp_lcp_list_pairs(dp_lcp_core *core);

/// Solve for the z of a basis (m values) from the numbers of the problem, to all digits.
/// @param z n: finite and within its bounds
/// @return the residual of z; infinite where z is so large that q is below its round-off
double dp_lcp_core_finish(double *z, uint8_t *state, dp_lcp_core *core, const uint8_t *basis);

/// dp_lcp_residual of z, without computing the exponents again.
double dp_lcp_core_residual(const dp_lcp_core *core, const double *z, double *w);

/// y and u of core->trial.basis. @return false where the matrix of those between is singular
bool dp_lcp_trial_solve(dp_lcp_core *core);

/// How a search went.
typedef enum dp_lcp_end {
    DP_END_FOUND, // a basis that meets all signs to round-off
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

// The methods leave the basis in which they end in core->trial.

/// Lemke's method with the covering vector d > 0 (m values).
DP_NODISCARD dp_status dp_lcp_lemke(dp_lcp_search *out, dp_lcp_core *core, const double *d,
                                    dp_lcp_care care, int most, const dp_allocator *a);
/// What it takes, of N = m + the pairs with a range.
size_t dp_lcp_lemke_memory(int N);
/// Block principal pivoting from the basis of core->trial.
dp_lcp_search dp_lcp_pivoting(dp_lcp_core *core, double round_off, int most);

#endif
