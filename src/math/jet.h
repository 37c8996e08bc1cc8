// Jets: a quantity with its first and second time derivatives, carried through functions by the
// chain rule (forward differentiation). Exact to round-off; no difference quotients.
//
// Right-sided at kinks: where a function has two slopes, the piece that holds at t + 0 counts. That
// piece is found from the signs of value, rate and acceleration, in this order. Only derivatives
// depend on this choice, never values.
#ifndef DP_MATH_JET_H
#define DP_MATH_JET_H

#include <stdbool.h>

typedef struct dp_jet {
    double value, rate, accel;
    bool
        varies; // false: a constant (near t), so its derivatives are zero whatever function follows
} dp_jet;

static inline dp_jet dp_jet_constant(double value)
{
    return (dp_jet){value, 0.0, 0.0, false};
}

static inline dp_jet dp_jet_negative(dp_jet a)
{
    return (dp_jet){-a.value, -a.rate, -a.accel, a.varies};
}

static inline dp_jet dp_jet_sum(dp_jet a, dp_jet b)
{
    return (dp_jet){a.value + b.value, a.rate + b.rate, a.accel + b.accel, a.varies || b.varies};
}

static inline dp_jet dp_jet_difference(dp_jet a, dp_jet b)
{
    return dp_jet_sum(a, dp_jet_negative(b));
}

static inline dp_jet dp_jet_product(dp_jet a, dp_jet b)
{
    return (dp_jet){a.value * b.value, a.rate * b.value + a.value * b.rate,
                    a.accel * b.value + 2.0 * (a.rate * b.rate) + a.value * b.accel,
                    a.varies || b.varies};
}

dp_jet dp_jet_ratio(dp_jet a, dp_jet b); ///< b ≠ 0

/// f(x) from f, f′ and f″ at x.
dp_jet dp_jet_chain(dp_jet x, double f, double f1, double f2);

/// The sign of x just behind t: −1, 0 or 1.
int dp_jet_sign(dp_jet x);

// Functions of expressions; elementary.h says where they are defined. An infinite derivative comes
// out as such, or not a number, and never enters the value.
dp_jet dp_jet_sin(dp_jet x);
dp_jet dp_jet_cos(dp_jet x);
dp_jet dp_jet_tan(dp_jet x);
dp_jet dp_jet_asin(dp_jet x);
dp_jet dp_jet_acos(dp_jet x);
dp_jet dp_jet_atan(dp_jet x);
dp_jet dp_jet_atan2(dp_jet y, dp_jet x); ///< not both 0
dp_jet dp_jet_exp(dp_jet x);
dp_jet dp_jet_log(dp_jet x);
dp_jet dp_jet_sqrt(dp_jet x);
dp_jet dp_jet_pow(dp_jet x, dp_jet y);
dp_jet dp_jet_hypot(dp_jet x, dp_jet y);
dp_jet dp_jet_abs(dp_jet x);
dp_jet dp_jet_min(dp_jet a, dp_jet b);
dp_jet dp_jet_max(dp_jet a, dp_jet b);
dp_jet dp_jet_mod(dp_jet x, dp_jet y); ///< x − y floor(x/y), y ≠ 0

/// 0 up to x = a, 1 from x = b on, between them linear, or the quintic with zero rate and
/// acceleration at both ends. a < b.
dp_jet dp_jet_ramp(dp_jet x, dp_jet a, dp_jet b);
dp_jet dp_jet_smooth(dp_jet x, dp_jet a, dp_jet b);

/// Linear between `count` knots (x₀, y₀, x₁, y₁, …) with growing x, constant beyond their ends.
dp_jet dp_jet_table(dp_jet x, const double *knot, int count);

#endif
