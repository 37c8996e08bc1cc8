// Angles and rotations without libm's transcendental functions, so that a step gives the same bits
// with every compiler and C library. docs/conventions.md, "Determinism".
#ifndef DP_MATH_ANGLE_H
#define DP_MATH_ANGLE_H

#include "math/v3.h"

#define DP_PI 3.14159265358979323846

/// sin and cos of a finite angle, to about one unit in the last place for |angle| ≤ 1e6. Beyond,
/// the error is that of one rounding of the angle.
void dp_sincos(double *sine, double *cosine, double angle);

/// The angle of the point (x, y) in [−π, π]; 0 at the origin.
double dp_atan2(double y, double x);

/// Rotation by `angle` about the unit vector `axis`.
dp_quat dp_quat_about(dp_v3 axis, double angle);

/// The rotation vector (axis · angle, angle in [0, π]) of a unit quaternion.
dp_v3 dp_quat_log(dp_quat q);

/// The Cayley rotation of θ: the rotation about θ by 2 atan(|θ|/2), equal to exp(θ) up to |θ|³/12.
/// With θ = h ω_mid it is the implicit midpoint rule on the group.
dp_quat dp_quat_cayley(dp_v3 theta);

#endif
