// Positive semidefinite matrices of any rank: Cholesky factor with complete pivoting, and the
// least-squares solution of minimum norm, A⁺ b [Higham2002, §10.3].
//
// A = L Lᵀ with L lower trapezoidal, n × r. Householder reflections take the n − r rows below its
// triangle into it, L = Q [T; 0] with T lower triangular, so that A⁺ = Q [T⁻ᵀ T⁻¹, 0; 0, 0] Qᵀ:
// no power of the condition of A beyond the first enters.
#ifndef DP_LINALG_SEMIDEFINITE_H
#define DP_LINALG_SEMIDEFINITE_H

#include <stddef.h>

typedef struct dp_semidefinite {
    int n, rank;
    double least_pivot; // of those that are no round-off
    double determinant; // their product
    int *order;         // n: row k of L belongs to row order[k] of A
    double *L;    // packed lower triangle by rows: L(i, j) at i(i+1)/2 + j, columns < rank. After
                  // the reflections T, and their vectors below it
    double *tau;  // n: of each reflection, I − τ z zᵀ
    double *work; // n
} dp_semidefinite;

/// Elements of a packed triangle.
static inline size_t dp_triangle(int n)
{
    return (size_t)n * ((size_t)n + 1) / 2;
}

/// Factor the matrix that f->L holds packed by rows, of diagonal about 1. Sets rank and order.
/// @param tolerance pivots up to here are round-off
void dp_semidefinite_factor(dp_semidefinite *f, int n, double tolerance);

/// How much of unit vector i lies in the null space: the square of that part, 0 … 1.
double dp_semidefinite_null(const dp_semidefinite *f, int i);

/// x = A⁺ b. x may be b.
void dp_semidefinite_solve(double *x, const dp_semidefinite *f, const double *b);

#endif
