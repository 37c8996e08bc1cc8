// Frames and motions of anything that has a place.
#ifndef DP_SIM_QUERY_H
#define DP_SIM_QUERY_H

#include "sim/data.h"

/// The body that carries an object (body, inertial frame, geom or site), and the object's pose in
/// the world.
int dp_object_body(const dp_model *m, dp_object_kind kind, int index);
dp_pose dp_object_pose(const dp_data *d, dp_object_kind kind, int index);

/// The velocity of body b about the world point p.
dp_twist dp_velocity_at(const dp_data *d, int b, dp_v3 p);

/// Angular and classical linear acceleration of body b at the world point p, with −gravity in it.
dp_twist dp_acceleration_at(const dp_data *d, int b, dp_v3 p);

/// dp_data_row of a row whose block is known.
dp_row_info dp_row_of_block(const dp_data *d, int block, int row);

#endif
