// sin, cos and atan2 as minimax-like Taylor/continued polynomials after an exact range reduction.
//
// sin, cos: angle = n π/2 + r, |r| ≤ π/4, with π/2 in three pieces [CodyWaite1980]; then Taylor
// polynomials of degree 17 and 16, whose truncation at π/4 is below 2⁻⁵⁷. atan: reduction to |x| ≤
// tan(π/16) by atan x = atan c + atan((x − c)/(1 + x c)), then the Taylor series to degree 21.
#include "math/angle.h"

// π/2 = P1 + P2 + P3 + 2⁻¹⁰⁰-ish; P1 and P2 end in zeros, so n·P1 and n·P2 are exact for |n| < 2²⁰.
static const double P1 = 0x1.921fb544p+0;
static const double P2 = 0x1.0b4611a6p-34;
static const double P3 = 0x1.3198a2e037073p-69;
static const double EXACT_LIMIT = 1e6; // [rad] n < 2²⁰ below this

static double sin_kernel(double r)
{
    const double z = r * r;
    double p = 1.0 / 355687428096000.0; // 1/17!
    p = p * z - 1.0 / 1307674368000.0;  // 1/15!
    p = p * z + 1.0 / 6227020800.0;     // 1/13!
    p = p * z - 1.0 / 39916800.0;       // 1/11!
    p = p * z + 1.0 / 362880.0;         // 1/9!
    p = p * z - 1.0 / 5040.0;           // 1/7!
    p = p * z + 1.0 / 120.0;            // 1/5!
    p = p * z - 1.0 / 6.0;              // 1/3!
    return r + r * (z * p);
}

static double cos_kernel(double r)
{
    const double z = r * r;
    double p = 1.0 / 20922789888000.0; // 1/16!
    p = p * z - 1.0 / 87178291200.0;   // 1/14!
    p = p * z + 1.0 / 479001600.0;     // 1/12!
    p = p * z - 1.0 / 3628800.0;       // 1/10!
    p = p * z + 1.0 / 40320.0;         // 1/8!
    p = p * z - 1.0 / 720.0;           // 1/6!
    p = p * z + 1.0 / 24.0;            // 1/4!
    const double half = 0.5 * z;
    const double w = 1.0 - half;
    return w + ((1.0 - w) - half + z * (z * p)); // the rounding of 1 − z/2 is put back
}

void dp_sincos(double *sine, double *cosine, double angle)
{
    if (!(fabs(angle) <= EXACT_LIMIT)) {
        angle = fmod(angle, 2.0 * DP_PI); // fmod is exact in IEEE arithmetic
        if (!isfinite(angle)) {
            *sine = *cosine = angle;
            return;
        }
    }
    const double shifter = 0x1.8p52; // adding it rounds to an integer
    const double n = (angle * (2.0 / DP_PI) + shifter) - shifter;
    const double r = ((angle - n * P1) - n * P2) - n * P3;
    const double s = sin_kernel(r);
    const double c = cos_kernel(r);
    switch ((int)n & 3) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
        break;
    }
}

// atan x for 0 ≤ x ≤ 1
static double atan_kernel(double x)
{
    // Centres tan(k π/8) and their angles; the nearest leaves |t| ≤ tan(π/16) ≈ 0.199.
    static const double tangent[3] = {0.0, 0.41421356237309504880, 1.0};
    static const double angle[3] = {0.0, DP_PI / 8.0, DP_PI / 4.0};
    const int k = x < 0.19891236737965800691 ? 0 : x < 0.66817863791929891999 ? 1 : 2;
    const double t = (x - tangent[k]) / (1.0 + x * tangent[k]);
    const double z = t * t;
    double p = 0.0;
    for (int i = 21; i >= 3; i -= 2) { // Σ (−1)^((i−1)/2) zⁱ/i
        p = ((i & 2) ? -1.0 : 1.0) / i + z * p;
    }
    return angle[k] + (t + t * z * p);
}

double dp_atan2(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y);
    if (ax == 0.0 && ay == 0.0) {
        return 0.0;
    }
    double a = ay <= ax ? atan_kernel(ay / ax) : DP_PI / 2.0 - atan_kernel(ax / ay);
    if (x < 0.0) {
        a = DP_PI - a;
    }
    return y < 0.0 ? -a : a;
}

dp_quat dp_quat_about(dp_v3 axis, double angle)
{
    double s, c;
    dp_sincos(&s, &c, 0.5 * angle);
    return (dp_quat){c, s * axis.x, s * axis.y, s * axis.z};
}

dp_v3 dp_quat_log(dp_quat q)
{
    const double sign = q.w < 0.0 ? -1.0 : 1.0; // the shorter way round
    const dp_v3 u = {sign * q.x, sign * q.y, sign * q.z};
    const double s = dp_v3_norm(u);
    if (s < 1e-8) { // angle = 2 asin s = 2 s to round-off
        return dp_v3_scale(u, 2.0);
    }
    return dp_v3_scale(u, 2.0 * dp_atan2(s, sign * q.w) / s);
}

dp_quat dp_quat_cayley(dp_v3 theta)
{
    const dp_v3 half = dp_v3_scale(theta, 0.5);
    const double s = 1.0 / sqrt(1.0 + dp_v3_dot(half, half));
    return (dp_quat){s, s * half.x, s * half.y, s * half.z};
}
