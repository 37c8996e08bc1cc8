// The shortest path between two points around, or by way of, a round body.
#ifndef DP_DYNAMICS_WRAP_H
#define DP_DYNAMICS_WRAP_H

#include "math/v3.h"

/// A sphere about the origin of X, or a cylinder without ends about its z axis.
typedef struct dp_obstacle {
    dp_pose X; // in the world
    double radius;
    bool is_cylinder;
} dp_obstacle;

/// A path that is not straight.
typedef struct dp_bent_path {
    double length;
    dp_v3 leave;  // unit: its direction at the first point
    dp_v3 arrive; // unit: its direction at the last point
} dp_bent_path;

/// How fast the directions of a path change [1/s].
typedef struct dp_bent_rates {
    dp_v3 leave, arrive;
} dp_bent_rates;

/// The path from x0 to x1.
/// @param side NULL: the shortest path that does not enter the obstacle. Farther from the centre
///             than the radius: the path around that side, even when the straight way is free on
///             the other. Nearer: the shortest path that touches the obstacle or goes through it.
/// @return false: the path is straight, and *out is not written. So is every path from or to a
///         point inside the obstacle.
bool dp_wrap_path(dp_bent_path *out, dp_v3 x0, dp_v3 x1, const dp_obstacle *obstacle,
                  const dp_v3 *side);

/// The same while the points move with v0 and v1 relative to the obstacle.
bool dp_wrap_path_moving(dp_bent_path *out, dp_bent_rates *rates, dp_v3 x0, dp_v3 x1,
                         const dp_obstacle *obstacle, const dp_v3 *side, dp_v3 v0, dp_v3 v1);

#endif
