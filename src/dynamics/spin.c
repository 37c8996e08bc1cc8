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
static const double MAX_SUBSTEPS = 1e4;
enum { MAX_NEWTON = 20 };
static const double NEWTON_TOLERANCE = 1e-15; // relative change of ω: round-off

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

static dp_quat spin_once(dp_v3 *w, dp_sym3 I, double h)
{
    const dp_v3 w0 = *w, p0 = dp_sym3_apply(I, w0);
    dp_v3 w1 = dp_v3_madd(w0, h, dp_sym3_solve(I, dp_v3_cross(p0, w0)));
    dp_quat Q = {1.0, 0.0, 0.0, 0.0};
    for (int iteration = 0; iteration < MAX_NEWTON; ++iteration) {
        const dp_v3 theta = dp_v3_scale(dp_v3_add(w0, w1), 0.5 * h);
        Q = dp_quat_cayley(theta);
        const dp_v3 p1 = dp_quat_rotate_back(Q, p0);
        const dp_m3 A = newton_matrix(I, theta, dp_v3_add(p0, p1), h);
        const dp_v3 step = solve3(&A, dp_v3_sub(p1, dp_sym3_apply(I, w1)));
        w1 = dp_v3_add(w1, step);
        if (dp_v3_norm(step) <= NEWTON_TOLERANCE * dp_v3_norm(w1)) {
            break;
        }
    }
    Q = dp_quat_cayley(dp_v3_scale(dp_v3_add(w0, w1), 0.5 * h));
    *w = w1;
    return Q;
}

void dp_spin(dp_v3 *w, dp_quat *turn, dp_sym3 I, double h)
{
    const double angle = h * dp_v3_norm(*w);
    const double parts = angle / SUBSTEP_ANGLE;
    const int n = parts < 1.0 ? 1 : parts < MAX_SUBSTEPS ? 1 + (int)parts : (int)MAX_SUBSTEPS;
    dp_quat total = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        total = dp_quat_mul(total, spin_once(w, I, h / n));
    }
    if (turn) {
        *turn = total;
    }
}
