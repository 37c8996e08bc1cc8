// Singular values, and the space that columns span.
#ifndef DP_LINALG_SINGULAR_H
#define DP_LINALG_SINGULAR_H

/// A J = U Σ by one-sided Jacobi rotations, of the triangle of A where it is tall
/// [GolubVanLoan2013, §5.2, §8.6.3]: σ in descending order, to the round-off of the largest.
/// Matrices are columns of m numbers, one after the other. Columns of U are orthonormal where σ is
/// above round-off, and zero where σ is zero.
/// @param U m × n. @param sigma n. @param A m × n, used up. @param R n × n of scratch, for m > n
void dp_jacobi_svd(double *U, double *sigma, double *A, double *R, int m, int n);

/// Orthonormal columns, `rank` of them, that span the n columns of A, of m numbers each. These must
/// be independent as far as that, by much more than round-off. @param A is used up
void dp_span(double *out, double *A, int m, int n, int rank);

#endif
