// Sums and products in twice the digits of a double, for residuals of refinement.
//
// Error-free transformations: the sum [Knuth1997, §4.2.2] and the product [Dekker1971] of two
// doubles are each a double and an error that is a double too. They hold for rounding to nearest,
// without contraction and without overflow: a product needs |a|, |b| < 2^970.
#ifndef DP_LINALG_DOUBLED_H
#define DP_LINALG_DOUBLED_H

/// hi + lo, |lo| ≤ ulp(hi)/2
typedef struct dp_double_double {
    double hi, lo;
} dp_double_double;

/// a + b exactly
static inline dp_double_double dp_two_sum(double a, double b)
{
    const double sum = a + b;
    const double b_part = sum - a;
    return (dp_double_double){sum, (a - (sum - b_part)) + (b - b_part)};
}

/// a b exactly
static inline dp_double_double dp_two_product(double a, double b)
{
    const double SPLIT = 134217729.0; // 2^27 + 1: two halves of 26 bits
    const double wide_a = SPLIT * a, wide_b = SPLIT * b;
    const double a_hi = wide_a - (wide_a - a), a_lo = a - a_hi;
    const double b_hi = wide_b - (wide_b - b), b_lo = b - b_hi;
    const double product = a * b;
    return (dp_double_double){product,
                              ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

static inline dp_double_double dp_double_double_add(dp_double_double x, double y)
{
    const dp_double_double s = dp_two_sum(x.hi, y);
    return dp_two_sum(s.hi, s.lo + x.lo);
}

static inline dp_double_double dp_double_double_sum(dp_double_double x, dp_double_double y)
{
    const dp_double_double s = dp_two_sum(x.hi, y.hi);
    return dp_two_sum(s.hi, s.lo + (x.lo + y.lo));
}

/// sum + a x
static inline dp_double_double dp_double_double_madd(dp_double_double sum, double a,
                                                     dp_double_double x)
{
    const dp_double_double product = dp_two_product(a, x.hi);
    const dp_double_double s = dp_two_sum(sum.hi, product.hi);
    return dp_two_sum(s.hi, s.lo + (sum.lo + (product.lo + a * x.lo)));
}

#endif
