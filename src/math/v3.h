// Three-vectors, rotations and poses: small, by value, inline.
#ifndef DP_MATH_V3_H
#define DP_MATH_V3_H

#include <dashpot/types.h>

#include <math.h>

static inline dp_v3 dp_v3_add(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline dp_v3 dp_v3_sub(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline dp_v3 dp_v3_scale(dp_v3 a, double s)
{
    return (dp_v3){a.x * s, a.y * s, a.z * s};
}

/// a + s b
static inline dp_v3 dp_v3_madd(dp_v3 a, double s, dp_v3 b)
{
    return (dp_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double dp_v3_dot(dp_v3 a, dp_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline dp_v3 dp_v3_cross(dp_v3 a, dp_v3 b)
{
    return (dp_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double dp_v3_norm(dp_v3 a)
{
    return sqrt(dp_v3_dot(a, a));
}

static inline dp_v3 dp_v3_load(const double *x)
{
    return (dp_v3){x[0], x[1], x[2]};
}

static inline void dp_v3_store(double *x, dp_v3 a)
{
    x[0] = a.x;
    x[1] = a.y;
    x[2] = a.z;
}

static inline bool dp_v3_finite(dp_v3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline dp_quat dp_quat_load(const double *x)
{
    return (dp_quat){x[0], x[1], x[2], x[3]};
}

static inline void dp_quat_store(double *x, dp_quat q)
{
    x[0] = q.w;
    x[1] = q.x;
    x[2] = q.y;
    x[3] = q.z;
}

static inline double dp_quat_norm(dp_quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

/// q/|q|; the identity for a quaternion that is zero or not finite. A quaternion that is unit to
/// round-off stays as it is, so normalising twice is normalising once.
static inline dp_quat dp_quat_unit(dp_quat q)
{
    // Of |q|²: what is left by normalising (10 roundings of 2⁻⁵³) and by squaring again (4).
    const double round_off = 0x1p-49;
    double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (fabs(n2 - 1.0) <= round_off) {
        return q;
    }
    if (!(n2 > 1e-200 && n2 < 1e200)) { // squares may have left the range of numbers
        const double largest = fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z)));
        if (!(largest > 0.0 && isfinite(q.w) && isfinite(q.x) && isfinite(q.y) && isfinite(q.z))) {
            return (dp_quat){1.0, 0.0, 0.0, 0.0};
        }
        q = (dp_quat){q.w / largest, q.x / largest, q.y / largest, q.z / largest};
        n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    }
    const double s = 1.0 / sqrt(n2);
    return (dp_quat){q.w * s, q.x * s, q.y * s, q.z * s};
}

static inline dp_quat dp_quat_mul(dp_quat a, dp_quat b)
{
    return (dp_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// The inverse of a unit quaternion.
static inline dp_quat dp_quat_conjugate(dp_quat q)
{
    return (dp_quat){q.w, -q.x, -q.y, -q.z};
}

/// R(q) for a unit quaternion.
static inline dp_m3 dp_m3_from_quat(dp_quat q)
{
    const double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    const double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    const double xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    const double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (dp_m3){{{1.0 - (yy + zz), xy - wz, xz + wy},
                    {xy + wz, 1.0 - (xx + zz), yz - wx},
                    {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
}

static inline dp_v3 dp_m3_apply(const dp_m3 *A, dp_v3 x)
{
    return (dp_v3){A->m[0][0] * x.x + A->m[0][1] * x.y + A->m[0][2] * x.z,
                   A->m[1][0] * x.x + A->m[1][1] * x.y + A->m[1][2] * x.z,
                   A->m[2][0] * x.x + A->m[2][1] * x.y + A->m[2][2] * x.z};
}

/// Aᵀ x
static inline dp_v3 dp_m3_apply_transposed(const dp_m3 *A, dp_v3 x)
{
    return (dp_v3){A->m[0][0] * x.x + A->m[1][0] * x.y + A->m[2][0] * x.z,
                   A->m[0][1] * x.x + A->m[1][1] * x.y + A->m[2][1] * x.z,
                   A->m[0][2] * x.x + A->m[1][2] * x.y + A->m[2][2] * x.z};
}

static inline dp_v3 dp_m3_column(const dp_m3 *A, int j)
{
    return (dp_v3){A->m[0][j], A->m[1][j], A->m[2][j]};
}

static inline dp_m3 dp_m3_transpose(const dp_m3 *A)
{
    return (dp_m3){{{A->m[0][0], A->m[1][0], A->m[2][0]},
                    {A->m[0][1], A->m[1][1], A->m[2][1]},
                    {A->m[0][2], A->m[1][2], A->m[2][2]}}};
}

static inline dp_m3 dp_m3_mul(const dp_m3 *A, const dp_m3 *B)
{
    dp_m3 C;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
        }
    }
    return C;
}

/// R(q) x for a unit quaternion.
static inline dp_v3 dp_quat_rotate(dp_quat q, dp_v3 x)
{
    const dp_v3 u = {q.x, q.y, q.z};
    const dp_v3 t = dp_v3_scale(dp_v3_cross(u, x), 2.0);
    return dp_v3_add(dp_v3_madd(x, q.w, t), dp_v3_cross(u, t));
}

static inline dp_v3 dp_quat_rotate_back(dp_quat q, dp_v3 x)
{
    return dp_quat_rotate(dp_quat_conjugate(q), x);
}

/// X_AC = X_AB X_BC
static inline dp_pose dp_pose_mul(dp_pose X_AB, dp_pose X_BC)
{
    return (dp_pose){dp_quat_mul(X_AB.q, X_BC.q),
                     dp_v3_add(X_AB.p, dp_quat_rotate(X_AB.q, X_BC.p))};
}

/// X_BA
static inline dp_pose dp_pose_inverse(dp_pose X_AB)
{
    const dp_v3 p = dp_quat_rotate_back(X_AB.q, X_AB.p);
    return (dp_pose){dp_quat_conjugate(X_AB.q), {-p.x, -p.y, -p.z}};
}

/// A point: components in B to components in A.
static inline dp_v3 dp_pose_apply(dp_pose X_AB, dp_v3 p)
{
    return dp_v3_add(X_AB.p, dp_quat_rotate(X_AB.q, p));
}

#endif
