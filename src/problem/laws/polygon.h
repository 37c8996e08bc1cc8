// Regular polygons about 0 within discs, the first corner along (1, 0): what friction with few
// directions may be.
#ifndef DP_PROBLEM_POLYGON_H
#define DP_PROBLEM_POLYGON_H

#include <stdbool.h>

/// Where the nearest point lies, and how it moves: with y along `side` only, by `slide` of that;
/// with the radius along `out`, by `grow` of that.
typedef struct dp_polygon_point {
    bool within;    // it is y itself; nothing else is set
    double at[2];   // the point
    double out[2];  // unit: normal of the edge, or towards the corner
    double side[2]; // unit: a quarter turn further
    double slide;   // 1 on an edge, 0 at a corner
    double grow;
} dp_polygon_point;

/// The point of the polygon that is nearest to y. @param radius of its corners, ≥ 0
dp_polygon_point dp_polygon_nearest(const double y[2], double radius, int corners);

#endif
