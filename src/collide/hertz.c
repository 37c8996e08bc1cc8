// The gap of two surfaces about the point where they touch is A x² + B y², A ≤ B. The area of
// contact is an ellipse of semi-axes a ≥ b; with e² = 1 − b²/a² and the complete elliptic integrals
// K(e), E(e) [Johnson1985, §4.2]
//
//     B/A = ((a/b)² E − K)/(K − E),                                                        (HZ 1)
//     F = 2π E* a δ/(3 K),   a² = δ S/(K e² √(AB)),   S² = ((a/b)² E − K)(K − E),           (HZ 2)
//
// so the force is a coefficient times δ^{3/2}, and the coefficient depends on A and B alone.
#include "collide/hertz.h"

#include "math/v3.h"

#include <math.h>

enum { MAX_HALVINGS = 100 };
static const double LINE = 1e-6; // A/B below which the contact counts as a line
static const double PI = 3.14159265358979323846;

typedef struct elliptic {
    double K, K_less_E, E_more; // E_more = (a/b)² E − K
} elliptic;

// By the arithmetic–geometric mean: (K − E)/K = Σ 2ⁿ⁻¹ cₙ², nothing of which cancels.
// @param g b/a, 0 < g ≤ 1
static elliptic integrals(double g)
{
    double x = 1.0, y = g, sum = 0.5 * (1.0 - g) * (1.0 + g), factor = 0.5;
    for (int n = 0; n < 40 && x - y > 1e-17 * x; ++n) {
        const double c = 0.5 * (x - y), mean = 0.5 * (x + y);
        y = sqrt(x * y);
        x = mean;
        factor *= 2.0;
        sum += factor * c * c;
    }
    const double K = 0.5 * PI / x, e2 = (1.0 - g) * (1.0 + g);
    return (elliptic){K, K * sum, K * (e2 - sum) / (g * g)};
}

// A and B. The axes of the two surfaces may be turned against each other.
static void separate(double *A, double *B, const dp_curvature *a, const dp_curvature *b)
{
    const double sum = 0.5 * (a->along + a->across + b->along + b->across);
    const double da = 0.5 * (a->across - a->along), db = 0.5 * (b->across - b->along);
    const double c = dp_v3_dot(a->direction, b->direction), cos2 = 2.0 * c * c - 1.0;
    const double square = da * da + db * db + 2.0 * da * db * cos2;
    const double difference = square > 0.0 ? sqrt(square) : 0.0;
    *A = 0.5 * (sum - difference);
    *B = 0.5 * (sum + difference);
}

dp_roundness dp_hertz_radius(double *r, const dp_curvature *a, const dp_curvature *b)
{
    *r = 0.0;
    if (isinf(a->across) || isinf(b->across)) {
        return DP_SHARP;
    }
    double A, B;
    separate(&A, &B, a, b);
    if (!(A > LINE * B)) {
        return DP_FLAT;
    }
    if (B - A <= 1e-12 * B) { // a circle
        *r = 0.5 / B;
        return DP_ROUND;
    }
    double low = 0.0, high = 1.0; // B/A falls from infinity to 1 as b/a goes from 0 to 1
    for (int i = 0; i < MAX_HALVINGS; ++i) {
        const double g = 0.5 * (low + high);
        if (!(g > low && g < high)) {
            break;
        }
        const elliptic at = integrals(g);
        if (A * at.E_more > B * at.K_less_E) {
            low = g;
        } else {
            high = g;
        }
    }
    const double g = 0.5 * (low + high), e2 = (1.0 - g) * (1.0 + g);
    const elliptic at = integrals(g);
    const double S = sqrt(at.E_more * at.K_less_E);
    const double a2 = S / (at.K * e2 * sqrt(A * B)); // a²/δ
    const double over_sphere = 0.5 * PI / at.K;      // F = (4/3) E* √a2 (π/2)/K
    *r = a2 * over_sphere * over_sphere;
    return DP_ROUND;
}
