#include "assemble/turn.h"

#include "math/angle.h"

static dp_quat negate_if(bool yes, dp_quat q)
{
    return yes ? (dp_quat){-q.w, -q.x, -q.y, -q.z} : q;
}

dp_quat dp_turn_short(dp_quat q)
{
    return negate_if(q.w < 0.0, q);
}

dp_quat dp_turn_near(dp_quat q, dp_quat near)
{
    const double dot = q.w * near.w + q.x * near.x + q.y * near.y + q.z * near.z;
    return negate_if(dot < 0.0, q);
}

dp_v3 dp_turn_vector(dp_quat q)
{
    const double round_off = 1e-8; // sin ½θ = ½θ to its square
    const dp_v3 u = {q.x, q.y, q.z};
    const double s = dp_v3_norm(u);
    if (s < round_off) { // next to a whole turn the axis is lost: as good as none
        return dp_v3_scale(u, q.w < 0.0 ? -2.0 : 2.0);
    }
    return dp_v3_scale(u, 2.0 * dp_atan2(s, q.w) / s);
}

dp_m3 dp_turn_rate(dp_v3 theta)
{
    const double square = dp_v3_dot(theta, theta);
    double c;
    if (square < 1e-4) { // the next term of the series is θ⁴/30240: below round-off beside I
        c = 1.0 / 12.0 + square / 720.0;
    } else {
        double sine, cosine;
        const double half = 0.5 * sqrt(square);
        dp_sincos(&sine, &cosine, half);
        c = (1.0 - half * cosine / sine) / square;
    }
    const double x = theta.x, y = theta.y, z = theta.z;
    return (dp_m3){{{1.0 - c * (y * y + z * z), c * x * y - 0.5 * z, c * x * z + 0.5 * y},
                    {c * x * y + 0.5 * z, 1.0 - c * (x * x + z * z), c * y * z - 0.5 * x},
                    {c * x * z - 0.5 * y, c * y * z + 0.5 * x, 1.0 - c * (x * x + y * y)}}};
}
