// Logarithm and powers carry twice the digits of a double: a number is then a pair high + low, sums
// and products of doubles are exact pairs [Dekker1971]. So log x is right to 2⁻⁷⁰, which leaves
// xʸ = exp(y log x) right to less than one unit in the last place for every y.
#include "math/elementary.h"

#include "math/angle.h"

#include <math.h>

// high + low, with |low| at most half a unit in the last place of high
typedef struct pair {
    double high, low;
} pair;

// a + b, exact
static pair exact_sum(double a, double b)
{
    const double s = a + b;
    const double from_b = s - a;
    return (pair){s, (a - (s - from_b)) + (b - from_b)};
}

// a b, where neither factor is beyond 2⁹⁹⁰; a product below 2⁻⁹⁶⁰ loses its low part
static pair exact_product(double a, double b)
{
    const double split = 134217729.0; // 2²⁷ + 1: cuts a double into two of 26 bits
    const double ta = split * a, tb = split * b;
    const double ah = ta - (ta - a), bh = tb - (tb - b);
    const double al = a - ah, bl = b - bh;
    const double p = a * b;
    return (pair){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static pair pair_times(pair a, pair b)
{
    const pair p = exact_product(a.high, b.high);
    return exact_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static pair pair_plus(pair a, pair b)
{
    const pair s = exact_sum(a.high, b.high);
    return exact_sum(s.high, s.low + (a.low + b.low));
}

// a/b
static pair pair_ratio(pair a, pair b)
{
    const double q = a.high / b.high;
    const pair p = exact_product(q, b.high);
    return exact_sum(q, ((a.high - p.high) - p.low + (a.low - q * b.low)) / b.high);
}

// x = m 2ᵏ with m in [√½, √2), for x > 0
static double split_exponent(int *k, double x)
{
    double m = frexp(x, k);
    if (m < 0.70710678118654752440) {
        m *= 2.0;
        *k -= 1;
    }
    return m;
}

// log x = k log 2 + 2 artanh s, s = (m − 1)/(m + 1), |s| ≤ 0.172. Series: s (1 + z/3 + z²/5 + …),
// z = s²; from z³ on a double is enough, and z¹⁴/29 is below 2⁻⁷⁵.
static pair log_pair(double x)
{
    static const pair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    static const pair fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    static const pair ln2 = {0x1.62e42fefa2p-1, 0x1.9ef35793c7673p-41}; // k · high is exact
    int k;
    const double m = split_exponent(&k, x);
    const pair s = pair_ratio((pair){m - 1.0, 0.0}, exact_sum(m, 1.0));
    const pair z = pair_times(s, s);
    double tail = 0.0;
    for (int i = 27; i >= 7; i -= 2) {
        tail = 1.0 / i + z.high * tail;
    }
    pair sum = pair_plus(fifth, pair_times(z, (pair){tail, 0.0}));
    sum = pair_plus(third, pair_times(z, sum));
    sum = pair_plus((pair){1.0, 0.0}, pair_times(z, sum));
    sum = pair_times((pair){2.0 * s.high, 2.0 * s.low}, sum);
    const pair whole = exact_sum(k * ln2.high, k * ln2.low);
    return k == 0 ? sum : pair_plus(whole, sum);
}

// e^(x + low), |low| tiny beside 1: x = n ln 2 + r, |r| ≤ ½ ln 2, then the Taylor series.
static double exp_of_sum(double x, double low)
{
    if (x > 710.0) {
        return HUGE_VAL; // the largest double is e^709.78
    }
    if (x < -746.0) {
        return 0.0; // half the smallest is e^−745.13
    }
    const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
    const double n = floor(x * 1.44269504088896340736 + 0.5);
    const double coarse = x - n * ln2_high; // exact
    const double rest = low - n * ln2_low;
    const double r = coarse + rest;
    const double r_low = (coarse - r) + rest;
    double p = 0.0; // Σ rᵏ⁻²/k!, k = 2 … 14
    double factorial = 87178291200.0;
    for (int k = 14; k >= 2; --k) {
        p = 1.0 / factorial + r * p;
        factorial /= k;
    }
    const double y = 1.0 + (r + (r_low + r * (r * p)));
    return ldexp(y, (int)n);
}

double dp_exp_wide(double x)
{
    return exp_of_sum(x, 0.0);
}

double dp_log(double x)
{
    return log_pair(x).high;
}

enum { LARGEST_MULTIPLIED = 1024 }; // m^1024 for m in [√½, √2) stays between 2^±512

// xⁿ by repeated squaring, the powers of two kept apart
static double whole_power(double x, int n)
{
    int k;
    pair square = {split_exponent(&k, fabs(x)), 0.0};
    pair power = {1.0, 0.0};
    for (int left = n < 0 ? -n : n; left > 0; left /= 2) {
        if (left % 2) {
            power = pair_times(power, square);
        }
        if (left > 1) {
            square = pair_times(square, square);
        }
    }
    if (n < 0) {
        power = pair_ratio((pair){1.0, 0.0}, power);
    }
    return ldexp(x < 0.0 && n % 2 ? -power.high : power.high, k * n);
}

double dp_pow(double x, double y)
{
    if (x == 0.0) {
        return y == 0.0 ? 1.0 : 0.0;
    }
    if (fabs(y) <= LARGEST_MULTIPLIED && floor(y) == y) {
        return whole_power(x, (int)y);
    }
    const pair l = log_pair(fabs(x));
    const double sign = x < 0.0 && fmod(y, 2.0) != 0.0 ? -1.0 : 1.0;
    const double size = y * l.high;
    if (!(fabs(size) < 1000.0)) { // also keeps y small enough for an exact product
        return size > 0.0 ? sign * HUGE_VAL : sign * 0.0;
    }
    const pair exponent = exact_product(y, l.high);
    return sign * exp_of_sum(exponent.high, exponent.low + y * l.low);
}

// π/2 in three pieces; n times one of the first two is exact for |n| < 2²⁰ [CodyWaite1980].
static const double QUARTER_TURN[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
static const double EXACT_LIMIT = 1e6; // [rad] n < 2²⁰ below this

// x = n π/2 + r, |r| ≤ π/4; sin r = r + …, cos r = 1 − … by their Taylor series, as pairs.
double dp_tan(double x)
{
    if (!(fabs(x) <= EXACT_LIMIT)) {
        double s, c;
        dp_sincos(&s, &c, x);
        return s / c;
    }
    const double n = floor(x * (2.0 / DP_PI) + 0.5);
    pair r = exact_sum(x - n * QUARTER_TURN[0], -(n * QUARTER_TURN[1]));
    r = exact_sum(r.high, r.low - n * QUARTER_TURN[2]);
    const pair z = exact_product(r.high, r.high);
    double sine = 0.0, cosine = 0.0; // (sin r − r)/r and (1 − cos r)/(z/2) − 1, to r¹⁷ and r¹⁶
    for (int k = 16; k >= 2; k -= 2) {
        sine = -z.high / (k * (k + 1)) * (1.0 + sine);
        if (k > 2) {
            cosine = -z.high / (k * (k - 1)) * (1.0 + cosine);
        }
    }
    pair c = exact_sum(1.0, -0.5 * z.high);
    c = exact_sum(c.high, c.low - 0.5 * (z.low + z.high * cosine) - r.high * r.low);
    const pair s = exact_sum(r.high, r.low * c.high + r.high * sine);
    return fmod(n, 2.0) != 0.0 ? -pair_ratio(c, s).high : pair_ratio(s, c).high;
}

static const pair HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// (arcsin s)/s − 1 for z = s² ≤ ¼: the binomial series Σ (1·3·…)/(2·4·…) zᵏ/(2k + 1), nested.
static double arcsine_series(double z)
{
    double p = 0.0;
    for (int k = 24; k >= 1; --k) { // the next term is below 2⁻⁵⁸ of the sum
        p = (2 * k - 1) * z / (2 * k) * (1.0 / (2 * k + 1) + p);
    }
    return p;
}

// √(z + z_low) for z > 0
static pair root(double z, double z_low)
{
    const double s = sqrt(z);
    const pair square = exact_product(s, s);
    return (pair){s, ((z - square.high) - square.low + z_low) / (2.0 * s)};
}

// arcsin √z for z ≤ ¼
static pair arcsine_of_root(double z)
{
    if (z == 0.0) {
        return (pair){0.0, 0.0};
    }
    const pair s = root(z, 0.0);
    return (pair){s.high, s.low + s.high * arcsine_series(z)};
}

double dp_asin(double x)
{
    const double a = fabs(x);
    if (a <= 0.5) {
        return x + x * arcsine_series(x * x);
    }
    const pair half = arcsine_of_root(0.5 * (1.0 - a)); // arcsin a = π/2 − 2 arcsin √((1 − a)/2)
    const pair y = exact_sum(HALF_PI.high, -2.0 * half.high);
    const double size = y.high + (y.low + (HALF_PI.low - 2.0 * half.low));
    return x < 0.0 ? -size : size;
}

double dp_acos(double x)
{
    if (fabs(x) <= 0.5) {
        const pair y = exact_sum(HALF_PI.high, -x);
        return y.high + (y.low + (HALF_PI.low - x * arcsine_series(x * x)));
    }
    const pair half = arcsine_of_root(0.5 * (1.0 - fabs(x)));
    if (x > 0.0) {
        return 2.0 * (half.high + half.low);
    }
    const pair y = exact_sum(HALF_PI.high, -half.high);
    return 2.0 * (y.high + (y.low + (HALF_PI.low - half.low)));
}

double dp_hypot(double x, double y)
{
    const double largest = fmax(fabs(x), fabs(y));
    if (largest == 0.0) {
        return 0.0;
    }
    int k;
    frexp(largest, &k);
    x = ldexp(x, -k); // both at most 1, one at least ½: no square leaves the range
    y = ldexp(y, -k);
    const pair xx = exact_product(x, x), yy = exact_product(y, y);
    const pair sum = exact_sum(xx.high, yy.high);
    const pair r = root(sum.high, sum.low + (xx.low + yy.low));
    return ldexp(r.high + r.low, k);
}

// By Newton's method on 1/y⁵ = x.
double dp_inverse_fifth_root(double x)
{
    double y = 1.0;
    // Bring x into [1, 32) by powers of 32 = 2⁵.
    while (x >= 32.0) {
        x /= 32.0;
        y *= 0.5;
    }
    while (x < 1.0) {
        x *= 32.0;
        y *= 2.0;
    }
    double r = 0.5; // the root for x = 32 and below it for less: Newton ascends
    for (int i = 0; i < 8; ++i) {
        const double r2 = r * r;
        r = r * (6.0 - x * r2 * r2 * r) / 5.0;
    }
    return y * r;
}
