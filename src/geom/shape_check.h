// Shapes and poses as users give them: are they what a query can work with?
#ifndef DP_GEOM_SHAPE_CHECK_H
#define DP_GEOM_SHAPE_CHECK_H

#include "base/error.h"
#include "geom/placed.h"

/// Place a shape that a user gave, with its rotation made of unit length to the last bit.
/// `where` is the function and `what` the argument that a message names.
/// @return DP_ERROR_ARGUMENT for a shape that is NULL, without its size, or without what it points
///         to; for a pose that is not finite or whose rotation is off unit length by more than
///         1e-6.
dp_status dp_place_checked(dp_placed *out, const char *where, const char *what,
                           const dp_shape *shape, dp_pose X_WS);

#endif
