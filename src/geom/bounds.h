// Boxes with faces along the axes of the world around shapes.
#ifndef DP_GEOM_BOUNDS_H
#define DP_GEOM_BOUNDS_H

#include "geom/placed.h"

#include <dashpot/advanced/collide.h>

/// The smallest box around a shape, but for a few units in the last place outward: every point of
/// the shape, however it is rounded, lies within. Takes time with the number of vertices for
/// surfaces and terrains that are not turned by quarter turns.
dp_bounds dp_placed_bounds(const dp_placed *s);

/// A box around a shape, of hulls in a time that does not depend on their vertices: around the ball
/// and the box in its own axes that hold it. Of other shapes the smallest one.
dp_bounds dp_placed_bounds_quick(const dp_placed *s);

/// [m] The radius of a ball around the origin of a shape that holds it; infinite for planes.
double dp_shape_radius(const dp_shape *s);

#endif
