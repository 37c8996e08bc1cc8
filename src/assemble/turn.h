// Rotations as errors: their vectors, followed continuously, and how these change.
#ifndef DP_CONSTRAINT_TURN_H
#define DP_CONSTRAINT_TURN_H

#include "math/v3.h"

/// The one of ±q that has w ≥ 0: its angle is at most π.
dp_quat dp_turn_short(dp_quat q);
/// The one of ±q that is nearer to `near`: along a motion of less than half a turn its vector does
/// not jump, though the angle may pass π.
dp_quat dp_turn_near(dp_quat q, dp_quat near);

/// θ = axis · angle of a unit quaternion as it stands, angle in [0, 2π).
dp_v3 dp_turn_vector(dp_quat q);

/// A with θ̇ = A ω, ω the angular velocity in the axes that are turned: A = I + ½[θ] + c [θ]²,
/// c = (1 − ½θ cot ½θ)/θ². I at zero; regular, and θᵀA = θᵀ, for all angles below 2π.
dp_m3 dp_turn_rate(dp_v3 theta);

#endif
