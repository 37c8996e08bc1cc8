// Twists, wrenches and inertias about a common point, in common axes [Featherstone2008].
//
// Everything is a screw quantity about one reference point; moving that point is a shift. A twist
// and a wrench multiply to a power and are different types, so they cannot be added by mistake.
#ifndef DP_MATH_SPATIAL_H
#define DP_MATH_SPATIAL_H

#include "math/v3.h"

/// A symmetric 3×3 matrix.
typedef struct dp_sym3 {
    double xx, yy, zz, xy, xz, yz;
} dp_sym3;

static inline dp_v3 dp_sym3_apply(dp_sym3 A, dp_v3 x)
{
    return (dp_v3){A.xx * x.x + A.xy * x.y + A.xz * x.z, A.xy * x.x + A.yy * x.y + A.yz * x.z,
                   A.xz * x.x + A.yz * x.y + A.zz * x.z};
}

/// Is it a multiple of 1, hence the same in any axes?
static inline bool dp_sym3_is_round(dp_sym3 A)
{
    return A.xx == A.yy && A.yy == A.zz && A.xy == 0.0 && A.xz == 0.0 && A.yz == 0.0;
}

/// R A Rᵀ
static inline dp_sym3 dp_sym3_rotate(const dp_m3 *R, dp_sym3 A)
{
    const dp_v3 r0 = {R->m[0][0], R->m[0][1], R->m[0][2]};
    const dp_v3 r1 = {R->m[1][0], R->m[1][1], R->m[1][2]};
    const dp_v3 r2 = {R->m[2][0], R->m[2][1], R->m[2][2]};
    const dp_v3 a0 = dp_sym3_apply(A, r0), a1 = dp_sym3_apply(A, r1), a2 = dp_sym3_apply(A, r2);
    return (dp_sym3){dp_v3_dot(r0, a0), dp_v3_dot(r1, a1), dp_v3_dot(r2, a2),
                     dp_v3_dot(r0, a1), dp_v3_dot(r0, a2), dp_v3_dot(r1, a2)};
}

/// x with A x = b for a positive definite A; zero when A is singular to working precision.
dp_v3 dp_sym3_solve(dp_sym3 A, dp_v3 b);

static inline dp_twist dp_twist_add(dp_twist a, dp_twist b)
{
    return (dp_twist){dp_v3_add(a.w, b.w), dp_v3_add(a.v, b.v)};
}

/// a + s b
static inline dp_twist dp_twist_madd(dp_twist a, double s, dp_twist b)
{
    return (dp_twist){dp_v3_madd(a.w, s, b.w), dp_v3_madd(a.v, s, b.v)};
}

static inline dp_wrench dp_wrench_add(dp_wrench a, dp_wrench b)
{
    return (dp_wrench){dp_v3_add(a.t, b.t), dp_v3_add(a.f, b.f)};
}

static inline dp_wrench dp_wrench_sub(dp_wrench a, dp_wrench b)
{
    return (dp_wrench){dp_v3_sub(a.t, b.t), dp_v3_sub(a.f, b.f)};
}

static inline dp_wrench dp_wrench_madd(dp_wrench a, double s, dp_wrench b)
{
    return (dp_wrench){dp_v3_madd(a.t, s, b.t), dp_v3_madd(a.f, s, b.f)};
}

/// The power of a wrench along a twist.
static inline double dp_power(dp_twist s, dp_wrench f)
{
    return (s.w.x * f.t.x + s.w.y * f.t.y + s.w.z * f.t.z) +
           (s.v.x * f.f.x + s.v.y * f.f.y + s.v.z * f.f.z);
}

/// The same motion about a point that lies at `r` from the old one.
static inline dp_twist dp_twist_shift(dp_twist s, dp_v3 r)
{
    return (dp_twist){s.w, dp_v3_add(s.v, dp_v3_cross(s.w, r))};
}

/// The same wrench about a point from which the old one lies at `r` (towards the parent).
static inline dp_wrench dp_wrench_shift(dp_wrench f, dp_v3 r)
{
    return (dp_wrench){dp_v3_add(f.t, dp_v3_cross(r, f.f)), f.f};
}

/// The rate of change of b when it is carried by the motion a: a × b.
static inline dp_twist dp_twist_cross(dp_twist a, dp_twist b)
{
    return (dp_twist){dp_v3_cross(a.w, b.w),
                      dp_v3_add(dp_v3_cross(a.w, b.v), dp_v3_cross(a.v, b.w))};
}

/// The same for a wrench or momentum: a ×* f.
static inline dp_wrench dp_twist_cross_wrench(dp_twist a, dp_wrench f)
{
    return (dp_wrench){dp_v3_add(dp_v3_cross(a.w, f.t), dp_v3_cross(a.v, f.f)),
                       dp_v3_cross(a.w, f.f)};
}

/// A rigid body's inertia about a point: mass, first and second moment of mass.
typedef struct dp_rigid_inertia {
    double m;
    dp_v3 h;   // m c
    dp_sym3 I; // rotational inertia about the point
} dp_rigid_inertia;

/// The momentum of the motion s.
static inline dp_wrench dp_rigid_inertia_apply(const dp_rigid_inertia *J, dp_twist s)
{
    return (dp_wrench){dp_v3_add(dp_sym3_apply(J->I, s.w), dp_v3_cross(J->h, s.v)),
                       dp_v3_sub(dp_v3_scale(s.v, J->m), dp_v3_cross(J->h, s.w))};
}

/// Add `J`, shifted to a point from which its own lies at `r`, to `sum`.
void dp_rigid_inertia_accumulate(dp_rigid_inertia *sum, const dp_rigid_inertia *J, dp_v3 r);

/// A symmetric 6×6 inertia: t = A w + B v, f = Bᵀ w + C v.
typedef struct dp_articulated_inertia {
    dp_sym3 A;
    dp_m3 B;
    dp_sym3 C;
} dp_articulated_inertia;

#endif
