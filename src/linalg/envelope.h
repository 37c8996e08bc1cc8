// Symmetric matrices within an envelope, and their Cholesky factor, which stays within it
// [GeorgeLiu1981, §4].
//
// Row i of the lower triangle holds the columns first[i] … i; A(i, j) lies at
// start[i] + (j − first[i]). A band of width b costs n b² to factor, a full matrix n³/3.
#ifndef DP_LINALG_ENVELOPE_H
#define DP_LINALG_ENVELOPE_H

#include <stddef.h>

typedef struct dp_envelope {
    int n;
    const int *first;    // n: ≤ i
    const size_t *start; // n+1
} dp_envelope;

/// start from first. @return the number of elements
size_t dp_envelope_layout(size_t *start, int n, const int *first);

/// y = A x. y must not be x.
void dp_envelope_apply(double *y, dp_envelope at, const double *A, const double *x);

/// A = L Lᵀ in place, for a matrix with unit diagonal.
/// @param tolerance the smallest pivot (square of an element of the diagonal of L) that counts as
///        more than round-off
/// @param smallest where not NULL: the smallest pivot met
/// @return −1, or the first row whose pivot is not above the tolerance: A is then singular or
///         nearly so, and the factor is useless
int dp_envelope_factor(double *A, dp_envelope at, double tolerance, double *smallest);

/// x with L Lᵀ x = b. x may be b.
void dp_envelope_solve(double *x, dp_envelope at, const double *L, const double *b);

#endif
