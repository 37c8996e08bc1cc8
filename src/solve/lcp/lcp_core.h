// A linear complementarity problem on its way to the form that the methods work on: rows and
// columns scaled, each variable counted from an end of its range,
//
//     u = S y + s,   0 ≤ y ≤ range,   y and u complementary as in (LCP 1),                  (LC 1)
//
// u = 0 for free variables, whose y is of any sign. Methods look for the basis, which says of every
// pair whether y is at an end of its range or between; values are then computed from the problem
// itself (dp_lcp_core_finish).
#ifndef DP_SOLVE_LCP_CORE_H
#define DP_SOLVE_LCP_CORE_H

#include "base/memory.h"
#include "linalg/dense.h"

#include <dashpot/advanced/lcp.h>

typedef enum dp_lcp_kind { DP_LCP_FIXED, DP_LCP_FREE, DP_LCP_FROM_LO, DP_LCP_FROM_HI } dp_lcp_kind;

/// Where the y of a pair is.
typedef enum dp_lcp_place {
    DP_PAIR_LO,      // y = 0
    DP_PAIR_BETWEEN, // u = 0
    DP_PAIR_HI,      // y = range
} dp_lcp_place;

typedef struct dp_lcp_core {
    const dp_lcp *p;
    uint8_t *kind; // n: dp_lcp_kind

    // (LC 1), scaled by powers of two: z_j = end_j + sign_j 2^(column_j + shift) y_j
    double *S;         // n × n: 2^(row_i + column_j) sign_i sign_j M; 0 for fixed ones
    double *s;         // n: 2^(row_i − shift) sign_i (M end + q), largest about 1
    double *sign;      // n: −1 where y counts from hi downwards
    double *range;     // n: of y; may be infinite
    int *row, *column; // n: exponents
    int shift;
    bool symmetric; // S
    uint8_t *lost_row,
        *lost_column; // n: of free variables: dropped as dependent; without influence
    int dependent;    // rows that follow from others
    double inconsistent;

    uint8_t *basis; // n: dp_lcp_place
    double *y, *u;  // n: of it
    int factorizations;

    // scratch
    int *judge;                    // n
    int *basis_row, *basis_column; // n
    double *x, *right;             // n
    dp_dense factor;               // n
} dp_lcp_core;

/// @return DP_ERROR_ARGUMENT
DP_NODISCARD dp_status dp_lcp_options_check(const dp_lcp_options *options);

/// Bytes that dp_lcp_solve takes of a dp_stack for n variables, at most.
/// @param extra how many of them are free or have two finite bounds
size_t dp_lcp_memory(int n, int extra);

/// Memory in a zeroed block.
void dp_lcp_core_carve(dp_lcp_core *core, dp_carver *c, int count);
/// From the problem to (LC 1).
void dp_lcp_core_scale(dp_lcp_core *core);

/// Solve for the z of core->basis from the numbers of the problem, to all digits.
/// @param z n: finite and within its bounds
/// @return the residual of z; infinite where z is so large that q is below its round-off
double dp_lcp_core_finish(double *z, uint8_t *state, dp_lcp_core *core);

/// dp_lcp_residual of z, without computing the exponents again.
double dp_lcp_core_residual(const dp_lcp_core *core, const double *z, double *w);

/// y and u of core->basis. @return false where the matrix of those between is singular
bool dp_lcp_core_values(dp_lcp_core *core);

/// How a search went.
typedef enum dp_lcp_end {
    DP_END_FOUND, // a basis that meets all signs to round-off
    DP_END_RAY,
    DP_END_CAPPED,
    DP_END_LOST, // singular, or drowned in round-off
} dp_lcp_end;

// The methods leave the basis in which they end in core->basis.
typedef struct dp_lcp_search {
    dp_lcp_end end;
    int steps; // pivots or iterations
    bool infeasible;
} dp_lcp_search;

/// Block principal pivoting from core->basis.
/// @param round_off values up to here may be 0, in units of the scaled data
dp_lcp_search dp_lcp_pivoting(dp_lcp_core *core, double round_off, int most);

#endif
