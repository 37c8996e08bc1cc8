// Which forces hold a load: the set
//
//     { x : E x = e,  x ∈ K },                                                           (CP 1)
//
// where K is a product of intervals and of friction cones, its point of minimum norm, and the
// smallest and largest value of each variable in it: each is a program (CI 1) of interior_point.h,
// whose multipliers z are x.
#ifndef DP_SOLVE_CONE_PROGRAM_H
#define DP_SOLVE_CONE_PROGRAM_H

#include "base/memory.h"
#include "problem/laws/contact_law.h"

/// A factor of K. One variable in [lo, hi], either of which may be infinite; or the 1 + … variables
/// of a contact: the first, the normal, is ≥ 0, and those of each group lie in an ellipse whose
/// semi-axes are reach · scale times the normal.
typedef struct dp_cone {
    int first;     // variable
    int ngroup;    // −1: an interval
    double lo, hi; // of an interval
    dp_friction_group group[DP_CONTACT_GROUPS];
} dp_cone;

typedef struct dp_cone_program {
    int n, m;        // variables, equations
    const double *E; // m × n by rows, orthonormal
    const double *e; // m
    const dp_cone *cone;
    int ncone;
} dp_cone_program;

/// Variables of a factor.
int dp_cone_size(const dp_cone *cone);

/// By how much the n variables x pass the bounds of K, the most of any.
double dp_cone_excess(const dp_cone_program *p, const double *x);

/// x (n): the point of minimum norm of the set.
/// @param missed ‖E x − e‖. Where nothing in K makes it round-off, x makes it the least
DP_NODISCARD dp_status dp_cone_least(double *x, double *missed, const dp_cone_program *p,
                                     const dp_allocator *allocator);

/// A search for ranges, on the memory of one program.
typedef struct dp_cone_search dp_cone_search;

/// Is there anything in the set?
typedef enum dp_cone_holds {
    DP_CONE_HOLDS,
    DP_CONE_HOLDS_NOT,
    DP_CONE_UNKNOWN, // the work was spent
} dp_cone_holds;

/// @param work multiplications that may be spent on the search, all in all
DP_NODISCARD dp_status dp_cone_search_create(dp_cone_search **out, dp_cone_holds *holds,
                                             const dp_cone_program *p, long long work,
                                             const dp_allocator *allocator);
void dp_cone_search_destroy(dp_cone_search *s);

/// The work that is left.
long long dp_cone_search_left(const dp_cone_search *s);

/// An end of the range of a variable.
typedef struct dp_cone_end {
    double value; // ±∞ where there is no end
    double gap;   // the end is not further from `value` than this
    bool known;   // false: the work was spent; nothing is known
} dp_cone_end;

/// The smallest (sign −1) or largest (sign 1) value of variable j.
dp_cone_end dp_cone_search_end(dp_cone_search *s, int j, double sign);

#endif
