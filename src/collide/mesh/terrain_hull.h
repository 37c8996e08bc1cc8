// A triangle of a surface or terrain, and what is solid below it, as convex hulls.
#ifndef DP_COLLIDE_TERRAIN_HULL_H
#define DP_COLLIDE_TERRAIN_HULL_H

#include "collide/mesh/terrain_query.h"

#include <dashpot/advanced/collide.h>

/// A hull around the first corner of its triangle: coordinates of a triangle far away would cost it
/// its precision. Not to be copied.
typedef struct dp_triangle_hull {
    dp_placed placed;
    dp_shape shape;
    dp_hull hull;
    double vertex[18], packed[24], plane[20];
} dp_triangle_hull;

/// The triangle itself: a hull without inside, with two faces, back to back.
void dp_triangle_hull_flat(dp_triangle_hull *out, const dp_ground_triangle *t);

/// Does A overlap a triangle, or on terrain what is solid below it?
bool dp_ground_overlaps(const dp_ground_query *q, const dp_ground_triangle *t);

#endif
