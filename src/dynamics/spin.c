// Implicit midpoint rule on the rotation group [SimoWong1991]. With π = I ω in body axes and Q =
// cay θ,
//
//     θ = ½ h (ω₀ + ω₁),   π₁ = Qᵀ π₀,   R₁ = R₀ Q                          (SP 1)
//
// R π is constant by construction, and π₁ − π₀ = −½ θ × (π₀ + π₁) is normal to θ ∥ ω₀ + ω₁, hence
// E₁ − E₀ = ½ (ω₀ + ω₁)·(π₁ − π₀) = 0. The equation for ω₁ is solved by Newton's method with
//
//     dπ₁ = ½ (1 + ½[θ]×)⁻¹ [π₀ + π₁]× dθ,   (1 + ½[θ]×)⁻¹ = (1 + ¼ θθᵀ − ½[θ]×)/(1 + ¼ θ·θ) (SP 2)
#include "dynamics/spin.h"

#include "math/angle.h"

// Up to this angle per substep Newton converges in a handful of iterations from the explicit guess.
static const double SUBSTEP_ANGLE = 0.5; // [rad]
// A body that turns further than this in one call is at a random attitude at its end, whatever the
// method: it is turned by this much, energy and momentum kept.
static const double LARGEST_ANGLE = 5e3; // [rad]
enum { MAX_NEWTON = 12, MAX_HALVINGS = 12 };
static const double NEWTON_TOLERANCE = 1e-15; // of the momentum: a few units of round-off

// x with A x = b by Cramer's rule; zero when A is singular.
static dp_v3 solve3(const dp_m3 *A, dp_v3 b)
{
    const dp_v3 c0 = dp_m3_column(A, 0), c1 = dp_m3_column(A, 1), c2 = dp_m3_column(A, 2);
    const dp_v3 n = dp_v3_cross(c1, c2);
    const double det = dp_v3_dot(c0, n);
    if (det == 0.0) {
        return (dp_v3){0.0, 0.0, 0.0};
    }
    return (dp_v3){dp_v3_dot(b, n) / det, dp_v3_dot(c0, dp_v3_cross(b, c2)) / det,
                   dp_v3_dot(c0, dp_v3_cross(c1, b)) / det};
}

// ∂(I ω₁ − π₁)/∂ω₁, with dθ = ½ h dω₁ in (SP 2).
static dp_m3 newton_matrix(dp_sym3 I, dp_v3 theta, dp_v3 sum, double h)
{
    const double s = 0.25 * h / (1.0 + 0.25 * dp_v3_dot(theta, theta));
    dp_m3 A = {{{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}}};
    const dp_v3 unit[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int j = 0; j < 3; ++j) {
        const dp_v3 x = dp_v3_cross(sum, unit[j]);
        dp_v3 y = dp_v3_madd(x, 0.25 * dp_v3_dot(theta, x), theta);
        y = dp_v3_madd(y, -0.5, dp_v3_cross(theta, x));
        A.m[0][j] -= s * y.x;
        A.m[1][j] -= s * y.y;
        A.m[2][j] -= s * y.z;
    }
    return A;
}

// (SP 1) for one substep. False when Newton's method did not get to round-off: w is then as it was.
static bool spin_once(dp_v3 *w, dp_quat *turn, dp_sym3 I, double h)
{
    const dp_v3 w0 = *w, p0 = dp_sym3_apply(I, w0);
    const double size = dp_v3_norm(p0);
    dp_v3 w1 = dp_v3_madd(w0, h, dp_sym3_solve(I, dp_v3_cross(p0, w0)));
    double last = INFINITY;
    for (int iteration = 0; iteration < MAX_NEWTON; ++iteration) {
        const dp_v3 theta = dp_v3_scale(dp_v3_add(w0, w1), 0.5 * h);
        const dp_quat Q = dp_quat_cayley(theta);
        const dp_v3 p1 = dp_quat_rotate_back(Q, p0);
        const dp_v3 residual = dp_v3_sub(p1, dp_sym3_apply(I, w1));
        const double miss = dp_v3_norm(residual);
        // Done at round-off, or where it shrinks no further just above it.
        if (miss <= NEWTON_TOLERANCE * size ||
            (miss >= 0.5 * last && miss <= 16.0 * NEWTON_TOLERANCE * size)) {
            *w = w1;
            *turn = Q;
            return true;
        }
        last = miss;
        const dp_m3 A = newton_matrix(I, theta, dp_v3_add(p0, p1), h);
        w1 = dp_v3_add(w1, solve3(&A, residual));
    }
    return false;
}

void dp_spin(dp_v3 *w, dp_quat *turn, dp_sym3 I, double h)
{
    dp_quat total = {1.0, 0.0, 0.0, 0.0};
    const double speed = dp_v3_norm(*w), sign = h < 0.0 ? -1.0 : 1.0;
    if (turn && dp_sym3_is_round(I) && fabs(h) * speed <= SUBSTEP_ANGLE) { // π ∥ ω: as it does
        *turn = dp_quat_cayley(dp_v3_scale(*w, h));
        return;
    }
    double left = fabs(h) * speed < LARGEST_ANGLE ? fabs(h) : LARGEST_ANGLE / speed;
    const double parts = left * speed / SUBSTEP_ANGLE;
    double step = parts > 1.0 ? left / (1 + (int)parts) : left;
    int halvings = 0;
    while (left > 0.0) {
        const double now = step < left ? step : left;
        dp_quat part;
        if (spin_once(w, &part, I, sign * now)) {
            total = dp_quat_mul(total, part);
            left = now < left ? left - now : 0.0;
        } else if (halvings < MAX_HALVINGS) {
            ++halvings;
            step = 0.5 * now;
        } else { // an inertia of almost no thickness: turn steadily, which keeps energy and |π|
            total = dp_quat_mul(total, dp_quat_cayley(dp_v3_scale(*w, sign * left)));
            left = 0.0;
        }
    }
    if (turn) {
        *turn = total;
    }
}
