// Step problems of any size for tests of laws, built piece by piece.
#ifndef DP_TESTS_LAW_PROBLEM_H
#define DP_TESTS_LAW_PROBLEM_H

#include "test_random.h"

#include <dashpot/advanced/law.h>
#include <dashpot/law.h>

enum { LAW_BLOCK_ROWS = 6 };

/// A problem, a solution of its size, and the arrays of both. The struct may be moved.
typedef struct law_problem {
    dp_step_problem p;
    dp_step_solution s;
    int *tree_start, *parent, *row_start, *col_start, *col;
    size_t *Mt_start, *G_start;
    double *Mt, *v0, *v_free, *G;
    uint64_t *id;
    dp_row *row;
    int *friction_of;
    dp_friction *friction;
    dp_normal *normal; // p.normal is NULL until a test sets it
} law_problem;

/// Room for so much; M̃ and G are taken to be full.
law_problem law_problem_create(double h, int max_v, int max_row);
void law_problem_destroy(law_problem *lp);

/// A tree of n velocities. M̃ = Σ m g gᵀ over its velocities, with g of random elements from each
/// down to the root, as the inertias of bodies give it. chain: no branches.
void law_problem_tree(law_problem *lp, int n, bool chain, double m, random_source *r);
/// A velocity of mass m on its own.
void law_problem_particle(law_problem *lp, double m, double v_free);

/// A block of rows over the given velocities, ascending. @param G nrow × ncol
/// @return its rows: rigid, two-sided, φ = 0, for the caller to change
dp_row *law_problem_block(law_problem *lp, int nrow, int ncol, const int *col, const double *G);

/// A contact with friction: 3, 4 or 6 rows, the normal first.
/// @return its rows: a rigid normal with φ = 0, and friction that does not yield
dp_row *law_problem_contact(law_problem *lp, int nrow, int ncol, const int *col, const double *G,
                            const dp_friction *friction);

/// What random rows may be.
typedef struct law_rows {
    double k_least, k_most;    // powers of ten in between
    double rigid, damped;      // chances of k = ∞, b > 0
    double one_sided, bounded; // chances; else two-sided
} law_rows;
void law_problem_random_row(dp_row *row, const law_rows *kinds, random_source *r);
/// A block of one to three rows over most velocities of two trees, low ≤ high.
void law_problem_link(law_problem *lp, int low, int high, const law_rows *kinds, random_source *r);
/// The same over one or two trees that chance picks.
void law_problem_random_block(law_problem *lp, const law_rows *kinds, random_source *r);
/// Trees of one to five velocities and blocks over them.
law_problem law_problem_random(double h, int ntree, int nblock, const law_rows *kinds,
                               random_source *r);

/// Contacts of 3, 4 and 6 rows, so many at most, between three trees of six velocities, with
/// joints, bounds and springs among the rows.
law_problem law_problem_random_contacts(int most, random_source *r);

/// Solve by the law and check that it says DP_OK.
dp_solve_info law_problem_solve(law_problem *lp, const dp_warm *warm, const dp_law_options *opt);

/// Gᵀγ (nv)
void law_problem_force(double *force, const dp_step_problem *p, const double *gamma);

/// Independent answers in long double by elimination of the whole system: unknowns are
/// y = v − v_free and γ. Free rows meet R γ + G y = t, others have their γ given.
/// @param gamma nrow: given where `free` is false, else found. @param y nv
void law_reference_solve(long double *gamma, long double *y, const dp_step_problem *p,
                         const bool *free, const long double *R, const long double *t);
/// (SP 2) in long double, straight from its definition.
void law_reference_soft(long double *R, long double *u_hat, const dp_row *row, double h);
/// All rows two-sided.
void law_reference_two_sided(long double *gamma, long double *y, const dp_step_problem *p);
/// Rows of any kind, few of them: every combination of stands is tried until (SP 1)–(SP 3) hold.
/// @return false: none does to within `tolerance` [m/s]
bool law_reference_enumerate(long double *gamma, long double *y, const dp_step_problem *p,
                             double tolerance);

#endif
