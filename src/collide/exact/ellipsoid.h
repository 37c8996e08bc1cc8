// The points of an ellipsoid whose normals pass through a point.
#ifndef DP_COLLIDE_ELLIPSOID_H
#define DP_COLLIDE_ELLIPSOID_H

#include <math.h>
#include <stdbool.h>

enum { DP_ELLIPSOID_STEPS = 60 };

/// The point of an ellipsoid with semi-axes e that is nearest to c, as the unit vector x of its
/// coordinates over the semi-axes. `k` is the smallest of these, and all lengths are in units of
/// it. `middle`: there are two, and this is one of them. Returns the number of steps, which is
/// DP_ELLIPSOID_STEPS where they do not end.
int dp_ellipsoid_nearest(double x[3], bool *middle, const double e[3], const double c[3], int k);

typedef enum dp_far_point { DP_FAR_NONE, DP_FAR_FOUND, DP_FAR_LOST } dp_far_point;

/// The other point of the ellipsoid that is nearer to c than those around it, if there is one: from
/// c it is beyond the middle surface. Lost: it was not found whether there is.
dp_far_point dp_ellipsoid_far(double x[3], const double e[3], const double c[3], int k);

#endif
