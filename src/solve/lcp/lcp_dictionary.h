// The dictionary of (LC 1) on which Lemke's method works: basic variables as functions of the
// others.
//
// Each pair has a row u and a column y. A range is a row of its own, range − y ≥ 0, with a
// multiplier as its column. Free variables are eliminated first; what is left of them is idle.
#ifndef DP_SOLVE_LCP_DICTIONARY_H
#define DP_SOLVE_LCP_DICTIONARY_H

#include "solve/lcp/lcp_core.h"

#include <dashpot/advanced/lcp.h>

typedef struct dp_lcp_row_of {
    int row, column; // of S
    double sign;     // −1: the second half of a free variable that could not be eliminated
    int ranged;      // the row whose y has this range; −1: not the row of a range
} dp_lcp_row_of;

typedef struct dp_lcp_dictionary {
    dp_lcp_core *core;
    int N, most;       // rows, and how many there is room for
    dp_lcp_row_of *of; // N
    double *d;         // N: the covering vector, as a column of u − S y
    int shift;         // constants are 2^−shift times those of (LC 1)
    int eliminated;    // free variables
    uint8_t *begins;   // 2 most + 1: basic where the path begins
    uint8_t *idle;     // 2 most + 1: free and basic for good, or 0 for good
    size_t stride;     // N + 2: columns of the nonbasic, and the constants
    double *T;         // N rows
    // Variables: u of row k is k, y of column k is most + k, z₀ is 2 most.
    int *basic;                  // N: variable of each row
    int *nonbasic;               // N + 1: of each column
    int *where;                  // 2 most + 1: row, or −1 − column
    int *partner;                // 2 most: what each is complementary to
    int since;                   // exchanges since the dictionary was computed afresh
    bool is_new;                 // it is that of `begins`, without d
    uint8_t *tied, *wanted;      // N, 2 most + 1: scratch
    double threshold, round_off; // of Lemke's method
} dp_lcp_dictionary;

/// Rows that there may be.
int dp_lcp_dictionary_size(const dp_lcp *p);
/// Memory in a block that is not zeroed.
void dp_lcp_dictionary_carve(dp_lcp_dictionary *L, dp_carver *c, int most);

/// Lay out the rows and eliminate the free variables, which finds out what of them is lost.
/// @param L core and memory are set @return DP_ERROR_INTERRUPTED
DP_NODISCARD dp_status dp_lcp_dictionary_begin(dp_lcp_dictionary *L);
/// The dictionary in which the variables of `basic` (2 most + 1) are basic, from the problem.
/// @return false where that basis is singular
bool dp_lcp_dictionary_fill(dp_lcp_dictionary *L, const uint8_t *basic);

/// Basic variable of row r and nonbasic variable of column c change places.
void dp_lcp_dictionary_exchange(dp_lcp_dictionary *L, int r, int c);

/// Elements of u − S y.
double dp_lcp_dictionary_matrix(const dp_lcp_dictionary *L, int i, int j);

static inline double *dp_lcp_dictionary_row(const dp_lcp_dictionary *L, int r)
{
    return L->T + (size_t)r * L->stride;
}

static inline double dp_lcp_dictionary_constant(const dp_lcp_dictionary *L, int r)
{
    return dp_lcp_dictionary_row(L, r)[L->N + 1];
}

/// Lemke's method with the covering vector `cover` > 0, of each row of S; 1 where it is not known.
/// @param threshold pivots smaller than this beside others are avoided
/// @param round_off values up to here may be 0, in units of the scaled data
dp_lcp_search dp_lcp_lemke(dp_lcp_dictionary *D, const double *cover, double threshold,
                           double round_off, int most);

#endif
