// A row of a linear complementarity problem at any scale: what over- or underflows as a double is
// kept as a mantissa and a power of two.
#ifndef DP_PROBLEM_LCP_ROW_H
#define DP_PROBLEM_LCP_ROW_H

#include <dashpot/lcp.h>

/// x = value 2^exponent
typedef struct dp_scaled {
    double value;
    int exponent;
} dp_scaled;

/// w_i = Σ_j M_ij z_j + q_i, summed in twice the digits, and Σ_j |M_ij z_j| + |q_i| with the same
/// exponent. z is finite.
dp_scaled dp_lcp_row(double *terms, const dp_lcp *p, const double *z, int i);

double dp_lcp_lo(const dp_lcp *p, int i);
double dp_lcp_hi(const dp_lcp *p, int i);

#endif
