// A row of a linear complementarity problem at any scale: what over- or underflows as a double is
// kept as a mantissa and a power of two.
#ifndef DP_PROBLEM_LCP_ROW_H
#define DP_PROBLEM_LCP_ROW_H

#include <dashpot/advanced/lcp.h>

#include <math.h>
#include <string.h>

/// x = value 2^exponent
typedef struct dp_scaled {
    double value;
    int exponent;
} dp_scaled;

/// w_i = Σ_j M_ij z_j + q_i, summed in twice the digits, and Σ_j |M_ij z_j| + |q_i| with the same
/// exponent. z is finite.
dp_scaled dp_lcp_row(double *terms, const dp_lcp *p, const double *z, int i);

/// Does a row prove by itself that there is no solution? Where z_i has no upper end w_i must not be
/// below 0, and no z within its bounds makes it so large; or the same from above.
bool dp_lcp_row_proves(const dp_lcp *p, int i);

static inline double dp_lcp_lo(const dp_lcp *p, int i)
{
    return p->lo ? p->lo[i] : 0.0;
}

static inline double dp_lcp_hi(const dp_lcp *p, int i)
{
    return p->hi ? p->hi[i] : (double)INFINITY;
}

/// frexp of a finite number: most are neither 0 nor denormal, and have their exponent in plain
/// sight.
static inline double dp_mantissa(double x, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int biased = (int)(bits >> 52 & 0x7ff);
    if (biased == 0 || biased == 0x7ff) {
        return frexp(x, exponent);
    }
    *exponent = biased - 1022;
    bits = (bits & ~((uint64_t)0x7ff << 52)) | (uint64_t)1022 << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// 2^e for −1022 ≤ e ≤ 1023
static inline double dp_power_of_two(int e)
{
    const uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
