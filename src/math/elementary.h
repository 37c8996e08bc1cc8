// Elementary functions without libm, for expressions: the same bits with every compiler and C
// library. sin, cos and atan2 are in angle.h.
//
// Where a function overflows it is infinite, where it underflows it is zero or denormal. Arguments
// are finite.
#ifndef DP_MATH_ELEMENTARY_H
#define DP_MATH_ELEMENTARY_H

/// eˣ over the whole range, to one unit in the last place. dp_exp is faster and stops at 700.
double dp_exp_wide(double x);

/// The natural logarithm of x > 0, to one unit in the last place.
double dp_log(double x);

/// xʸ to one unit in the last place: x > 0; or x < 0 and a whole y; or x = 0 and y ≥ 0, with 0⁰
/// = 1. What a whole power makes exact is exact.
double dp_pow(double x, double y);

/// The tangent, to one unit in the last place for |x| ≤ 1e6. Beyond, the error is that of one
/// rounding of x.
double dp_tan(double x);

/// Arcsine in [−π/2, π/2] and arccosine in [0, π] of |x| ≤ 1, to one unit in the last place.
double dp_asin(double x);
double dp_acos(double x);

/// √(x² + y²) without overflow on the way, to one unit in the last place.
double dp_hypot(double x, double y);

/// x^(−1/5) of x > 0, for rules of step lengths: to some units in the last place.
double dp_inverse_fifth_root(double x);

#endif
