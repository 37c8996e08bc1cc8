// Symmetric matrices with the sparsity of a forest, and their LᵀDL factorisation
// [Featherstone2008, §6.5]: M(i, j) ≠ 0 only where j lies on the way from i to a root, or i on that
// of j.
//
// Packed form: row i holds M(i, i), M(i, p), M(i, p(p)) … along the chain p = parent, starting at
// start[i]; all other elements of the lower triangle are zero.
#ifndef DP_LINALG_BRANCH_H
#define DP_LINALG_BRANCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/// Where the elements of a packed matrix are.
typedef struct dp_tree_ldl {
    int n;
    const int *parent;   // n: < i, −1 at a root
    const size_t *start; // n+1
} dp_tree_ldl;

/// Has a tree of six rows, each along the one before, nothing beside its diagonal? So it is with a
/// body that floats freely, about its centre of mass and along its principal axes. @param M its
/// rows
static inline bool dp_mat6_is_diagonal(const double *M)
{
    const double beside = ((fabs(M[2]) + fabs(M[4])) + (fabs(M[5]) + fabs(M[7]))) +
                          ((fabs(M[8]) + fabs(M[9])) + (fabs(M[11]) + fabs(M[12]))) +
                          ((fabs(M[13]) + fabs(M[14])) + (fabs(M[16]) + fabs(M[17]))) +
                          ((fabs(M[18]) + fabs(M[19])) + fabs(M[20]));
    return beside == 0.0;
}

/// Packed → dense n × n, symmetric. M may be `dense` itself.
void dp_tree_ldl_expand(double *dense, dp_tree_ldl at, const double *M);

/// y = M x. y must not be x.
void dp_tree_ldl_apply(double *y, dp_tree_ldl at, const double *M, const double *x);

/// xᵀ M x over the rows from `first` to before `end`: whole trees.
double dp_tree_ldl_square(dp_tree_ldl at, const double *M, const double *x, int first, int end);

/// M = LᵀDL in place: D on the diagonal, L (unit) beside it.
/// @return −1, or the first i from the end whose pivot is not > 0: M is then not positive definite
///         (or not finite) and the factor is useless
int dp_tree_ldl_factor(double *M, dp_tree_ldl at);
/// The same for the rows from `first` to before `end`: whole trees.
int dp_tree_ldl_factor_part(double *M, dp_tree_ldl at, int first, int end);
/// x with LᵀDL x = b. x may be b.
void dp_tree_ldl_solve(double *x, dp_tree_ldl at, const double *LD, const double *b);
/// The same in place, for the rows from `first` to before `end`: whole trees.
void dp_tree_ldl_solve_part(double *x, dp_tree_ldl at, const double *LD, int first, int end);
#endif
