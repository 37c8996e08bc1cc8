// Where an expression puts a mocap body.
#ifndef DP_MODEL_MOTION_H
#define DP_MODEL_MOTION_H

#include "model/model.h"

/// The pose of the body of motion `o`, which is one of a mocap body, at time t.
/// @return DP_ERROR_NUMERIC where an expression has no value, or a rotation vector no direction.
DP_NODISCARD dp_status dp_motion_pose(dp_pose *out, const dp_model *m, const dp_motion *o,
                                      double t);

/// The rotation of motion `o`, whose expressions are a rotation vector, at time t.
DP_NODISCARD dp_status dp_motion_turn(dp_quat *out, const dp_motion *o, double t);

#endif
