// Linear complementarity problems for tests, and the plainest ways to check what solves them:
// all bases one by one, and rows summed in long double.
#ifndef DP_TESTS_LCP_DRAW_H
#define DP_TESTS_LCP_DRAW_H

#include "near.h"

#include <dashpot/advanced/lcp.h>

enum { LCP_MOST = 500 };

/// A problem with its own memory.
typedef struct drawn_lcp {
    dp_lcp p;
    double *M, *q, *lo, *hi, *z, *w; // lo and hi: set p.lo and p.hi to use them
    uint8_t *state;
} drawn_lcp;
drawn_lcp lcp_new(int n);
void lcp_free(drawn_lcp *x);

typedef enum lcp_kind {
    LCP_POSITIVE_DEFINITE, // symmetric
    LCP_P,                 // triangular with large elements, rows and columns shuffled
    LCP_MONOTONE,          // positive definite and a skew part
    LCP_COPOSITIVE,        // no element below 0, diagonal above
    LCP_SEMIDEFINITE,      // symmetric, of half the rank
    LCP_SKEW,              // semidefinite and a skew part
    LCP_GENERAL,
    LCP_KINDS
} lcp_kind;
void lcp_draw_matrix(drawn_lcp *x, lcp_kind kind, random_source *r);
/// Bᵀ B with `rank` rows of whole numbers from −1 to 1 in B, and a skew part of such: exact in
/// double, and with `lcp_draw_vector(…, true, …)` full of ties.
void lcp_draw_whole(drawn_lcp *x, int rank, bool skew, random_source *r);
/// Any q; whole numbers from −2 to 2 where `whole`: many ties.
void lcp_draw_vector(drawn_lcp *x, bool whole, random_source *r);
/// A q for which some z, about half of it at its ends, is a solution. It is left in x->z.
void lcp_draw_solution(drawn_lcp *x, random_source *r);
/// Rows and columns times powers of 10 up to 10^±decades.
void lcp_scale(drawn_lcp *x, int decades, random_source *r);

/// The worst of (LCP 1) in long double: |w| or |z| that should not be, over the largest |q_i| or
/// Σ |M_ij z_j| of all rows.
double lcp_error(const dp_lcp *p, const double *z);

/// How many solutions the bases of the problem have, n ≤ 12, one per basis; the first is left in
/// `z`. Bounds may be finite or not. Bases that are singular to `least` are left out.
int lcp_enumerate(double *z, const dp_lcp *p);
/// Whether one of these is z, each element to `tolerance` of the largest.
bool lcp_is_enumerated(const dp_lcp *p, const double *z, double tolerance);

/// Solve, or fail the test.
dp_lcp_info lcp_solve(drawn_lcp *x, dp_lcp_method method);

#endif
