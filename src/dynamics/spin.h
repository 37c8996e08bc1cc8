// The free rotation of a rigid body, keeping energy and momentum at any step size.
#ifndef DP_DYNAMICS_SPIN_H
#define DP_DYNAMICS_SPIN_H

#include "math/spatial.h"

/// Turn a torque-free body of rotational inertia I (body axes, about its centre of mass or a fixed
/// point) for the time h.
/// @param w    angular velocity in body axes; replaced by the one at the end, in the turned axes
/// @param turn the rotation of the body axes: R₁ = R₀ R(turn); may be NULL
void dp_spin(dp_v3 *w, dp_quat *turn, dp_sym3 I, double h);

#endif
