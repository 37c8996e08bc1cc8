#include "math/jet.h"

#include "math/angle.h"
#include "math/elementary.h"

#include <math.h>

dp_jet dp_jet_ratio(dp_jet a, dp_jet b)
{
    const double q = a.value / b.value; // from a = q b: a′ = q′ b + q b′, and so on
    const double rate = (a.rate - q * b.rate) / b.value;
    const double accel = (a.accel - 2.0 * (rate * b.rate) - q * b.accel) / b.value;
    return (dp_jet){q, rate, accel, a.varies || b.varies};
}

dp_jet dp_jet_chain(dp_jet x, double f, double f1, double f2)
{
    if (!x.varies) {
        return dp_jet_constant(f); // f′ may be infinite: √0
    }
    return (dp_jet){f, f1 * x.rate, f2 * x.rate * x.rate + f1 * x.accel, true};
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

int dp_jet_sign(dp_jet x)
{
    const int first = sign_of(x.value), second = sign_of(x.rate);
    return first ? first : second ? second : sign_of(x.accel);
}

dp_jet dp_jet_sin(dp_jet x)
{
    double s, c;
    dp_sincos(&s, &c, x.value);
    return dp_jet_chain(x, s, c, -s);
}

dp_jet dp_jet_cos(dp_jet x)
{
    double s, c;
    dp_sincos(&s, &c, x.value);
    return dp_jet_chain(x, c, -s, -c);
}

dp_jet dp_jet_tan(dp_jet x)
{
    const double f = dp_tan(x.value);
    const double f1 = 1.0 + f * f;
    return dp_jet_chain(x, f, f1, 2.0 * f * f1);
}

// 1/√(1 − x²), the slope of the arcsine
static double arcsine_slope(double x)
{
    return 1.0 / sqrt((1.0 - x) * (1.0 + x));
}

dp_jet dp_jet_asin(dp_jet x)
{
    const double f1 = arcsine_slope(x.value);
    return dp_jet_chain(x, dp_asin(x.value), f1, x.value * f1 * f1 * f1);
}

dp_jet dp_jet_acos(dp_jet x)
{
    const double f1 = arcsine_slope(x.value);
    return dp_jet_chain(x, dp_acos(x.value), -f1, -x.value * f1 * f1 * f1);
}

dp_jet dp_jet_atan(dp_jet x)
{
    return dp_jet_atan2(x, dp_jet_constant(1.0));
}

dp_jet dp_jet_atan2(dp_jet y, dp_jet x)
{
    // r² θ′ = x y′ − y x′, with x = r c and y = r s
    const double r = dp_hypot(x.value, y.value);
    const double c = x.value / r, s = y.value / r;
    const double rate = (c * y.rate - s * x.rate) / r;
    const double accel = (c * y.accel - s * x.accel - 2.0 * rate * (c * x.rate + s * y.rate)) / r;
    return (dp_jet){dp_atan2(y.value, x.value), rate, accel, x.varies || y.varies};
}

dp_jet dp_jet_exp(dp_jet x)
{
    const double f = dp_exp_wide(x.value);
    return dp_jet_chain(x, f, f, f);
}

dp_jet dp_jet_log(dp_jet x)
{
    const double f1 = 1.0 / x.value;
    return dp_jet_chain(x, dp_log(x.value), f1, -f1 * f1);
}

dp_jet dp_jet_sqrt(dp_jet x)
{
    const double f = sqrt(x.value);
    const double f1 = 0.5 / f;
    return dp_jet_chain(x, f, f1, -0.5 * f1 / x.value);
}

// y xⁿ where y = 0 counts more than an infinite power
static double times_power(double y, double x, double n)
{
    if (y == 0.0) {
        return 0.0;
    }
    return x == 0.0 && n < 0.0 ? y * HUGE_VAL : y * dp_pow(x, n);
}

dp_jet dp_jet_pow(dp_jet x, dp_jet y)
{
    const double f = dp_pow(x.value, y.value);
    if (!y.varies) {
        const double n = y.value;
        return dp_jet_chain(x, f, times_power(n, x.value, n - 1.0),
                            times_power(n * (n - 1.0), x.value, n - 2.0));
    }
    if (!(x.value > 0.0)) { // a changing power has a slope above zero only
        return (dp_jet){f, (double)NAN, (double)NAN, true};
    }
    const dp_jet u = dp_jet_product(y, dp_jet_log(x)); // xʸ = eᵘ
    return dp_jet_chain(u, f, f, f);
}

dp_jet dp_jet_hypot(dp_jet x, dp_jet y)
{
    const double r = dp_hypot(x.value, y.value);
    const double speed = dp_hypot(x.rate, y.rate);
    const bool varies = x.varies || y.varies;
    if (r == 0.0) { // leaving the origin along (x′, y′), or along (x″, y″) from rest
        const double accel = speed > 0.0 ? x.rate / speed * x.accel + y.rate / speed * y.accel
                                         : dp_hypot(x.accel, y.accel);
        return (dp_jet){0.0, speed, accel, varies};
    }
    const double c = x.value / r, s = y.value / r;
    const double across = c * y.rate - s * x.rate; // r″ = c x″ + s y″ + across²/r
    return (dp_jet){r, c * x.rate + s * y.rate, c * x.accel + s * y.accel + across * (across / r),
                    varies};
}

dp_jet dp_jet_abs(dp_jet x)
{
    dp_jet y = dp_jet_sign(x) < 0 ? dp_jet_negative(x) : x;
    y.value = fabs(x.value);
    return y;
}

// a or b; the value is a's where both are equal, so that it does not depend on derivatives
static dp_jet choose(dp_jet a, dp_jet b, bool second)
{
    dp_jet chosen = second ? b : a;
    if (a.value == b.value) {
        chosen.value = a.value;
        chosen.varies = a.varies || b.varies;
    }
    return chosen;
}

dp_jet dp_jet_min(dp_jet a, dp_jet b)
{
    return choose(a, b, dp_jet_sign(dp_jet_difference(b, a)) < 0);
}

dp_jet dp_jet_max(dp_jet a, dp_jet b)
{
    return choose(a, b, dp_jet_sign(dp_jet_difference(b, a)) > 0);
}

dp_jet dp_jet_mod(dp_jet x, dp_jet y)
{
    double m = fmod(x.value, y.value);
    if (m != 0.0 && (m < 0.0) != (y.value < 0.0)) {
        m += y.value;
    }
    const double n = y.varies ? floor((x.value - m) / y.value + 0.5) : 0.0; // how often y fits in x
    return (dp_jet){m, x.rate - n * y.rate, x.accel - n * y.accel, x.varies || y.varies};
}

dp_jet dp_jet_ramp(dp_jet x, dp_jet a, dp_jet b)
{
    const dp_jet from_a = dp_jet_difference(x, a);
    const dp_jet from_b = dp_jet_difference(x, b);
    if (dp_jet_sign(from_a) <= 0) {
        return (dp_jet){0.0, 0.0, 0.0, from_a.value == 0.0 && from_a.varies};
    }
    if (dp_jet_sign(from_b) >= 0) {
        return (dp_jet){1.0, 0.0, 0.0, from_b.value == 0.0 && from_b.varies};
    }
    return dp_jet_ratio(from_a, dp_jet_difference(b, a));
}

dp_jet dp_jet_smooth(dp_jet x, dp_jet a, dp_jet b)
{
    const dp_jet u = dp_jet_ramp(x, a, b);
    // s(w) = w³ (10 − 15 w + 6 w²); the upper half by s(u) = 1 − s(1 − u), so that s stays below 1
    const double v = 1.0 - u.value;
    const double w = u.value < 0.5 ? u.value : v;
    const double s = w * w * w * (10.0 + w * (6.0 * w - 15.0));
    return dp_jet_chain(u, u.value < 0.5 ? s : 1.0 - s, 30.0 * (u.value * v) * (u.value * v),
                        60.0 * (u.value * v) * (v - u.value));
}

dp_jet dp_jet_table(dp_jet x, const double *knot, int count)
{
    int below = 0, above = count; // knots up to x.value: the first `below`
    while (below < above) {
        const int middle = below + (above - below) / 2;
        if (knot[2 * middle] <= x.value) {
            below = middle + 1;
        } else {
            above = middle;
        }
    }
    if (below == 0) {
        return dp_jet_constant(knot[1]);
    }
    const double *k = knot + 2 * (below - 1); // the knot at or before x
    const bool last = below == count;
    const double value = last ? k[1] : k[1] + (x.value - k[0]) * ((k[3] - k[1]) / (k[2] - k[0]));
    const bool at_knot = x.value == k[0];
    const bool backwards = at_knot && dp_jet_sign((dp_jet){0.0, x.rate, x.accel, true}) < 0;
    if (backwards ? below == 1 : last) {
        return (dp_jet){value, 0.0, 0.0, at_knot && x.varies};
    }
    k = backwards ? k - 2 : k;
    return dp_jet_chain(x, value, (k[3] - k[1]) / (k[2] - k[0]), 0.0);
}
