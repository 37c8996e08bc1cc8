// Square dense matrices of any kind: LU factor with complete pivoting, and the exchange of a row
// and a column of a dictionary.
#ifndef DP_LINALG_DENSE_H
#define DP_LINALG_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/// P A Q = L U, L with unit diagonal. Of a singular matrix the leading `rank` rows and columns are
/// factored.
typedef struct dp_dense {
    int n, rank;
    double *LU;    // n × n by rows
    int *row;      // n: row k of LU is row[k] of A
    int *column;   // n: column k of LU is column[k] of A
    double *value; // n: scratch
} dp_dense;

/// Factor the matrix that f->LU holds. @param tolerance pivots up to here are round-off
void dp_dense_factor(dp_dense *f, int n, double tolerance);

/// x with A x = b; where A is singular, with zeros for the columns and nothing asked of the rows
/// that are beyond its rank. x may be b.
void dp_dense_solve(double *x, const dp_dense *f, const double *b);

/// out = A⁻¹, n × n by rows, of a regular A. @param scratch n
void dp_dense_inverse(double *out, const dp_dense *f, double *scratch);

/// The dictionary x_B = T x_N, rows × columns by rows with `stride` between rows: basic variable
/// `r` and nonbasic variable `c` change places. T(r, c) ≠ 0.
void dp_dictionary_exchange(double *T, int rows, int columns, size_t stride, int r, int c);

/// A ← L U of its rows in the order `exchange`, n × n by rows, the diagonal of L being 1: row
/// exchanges only, for what is known to be regular.
/// @return false where a pivot is 0 or not finite: the factor is useless
bool dp_rows_factor(double *A, int n, int *exchange);
/// y with A y = x. y must not be x.
void dp_rows_solve(double *y, const double *LU, const int *exchange, const double *x, int n);

#endif
