// Rows and columns of a matrix scaled by powers of two, and the residual in these terms.
#ifndef DP_PROBLEM_LCP_SCALE_H
#define DP_PROBLEM_LCP_SCALE_H

#include <dashpot/advanced/lcp.h>

typedef struct dp_lcp_scaling {
    int *row, *column;       // n: exponents, the result
    int *of_row, *of_column; // n: scratch
    const dp_lcp *of;        // whose fixed variables do not count; NULL: none are
} dp_lcp_scaling;

/// Exponents such that the largest of 2^(row_i + column_j) M_ij in each row and column are about 1.
void dp_lcp_equilibrate(dp_lcp_scaling *s, const double *M, int n);

/// e with 2^e ≤ |x| < 2^(e+1)
int dp_exponent_of(double x);

/// dp_lcp_residual where the exponents are known.
typedef struct dp_lcp_judge {
    const int *row, *column; // n
    int *of_column;          // n: scratch
} dp_lcp_judge;
double dp_lcp_residual_judged(const dp_lcp *p, const double *z, double *w,
                              const dp_lcp_judge *judge);

#endif
