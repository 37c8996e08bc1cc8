// Least-norm solutions of small dense systems, by singular values.
#ifndef DASHPOT_CLI_PSEUDO_INVERSE_H
#define DASHPOT_CLI_PSEUDO_INVERSE_H

enum { CLI_PINV_MOST = 16 }; // rows and columns

/// x = A⁺ b: of all x with the least |A x − b| the shortest. Singular values up to `tolerance`
/// times the largest count as zero. Sizes are 1 … CLI_PINV_MOST.
/// @param x n @param A m × n by rows @param b m
/// @param null n × n by rows: orthonormal vectors of the null space, as many as returned; may be
///        NULL
/// @return the dimension of the null space
int cli_pseudo_inverse(double *x, double *null, int m, int n, const double *A, const double *b,
                       double tolerance);

#endif
