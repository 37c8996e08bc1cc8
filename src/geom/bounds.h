// Boxes with faces along the axes of the world around shapes.
#ifndef DP_GEOM_BOUNDS_H
#define DP_GEOM_BOUNDS_H

#include "geom/placed.h"

#include <dashpot/advanced/collide.h>

/// The smallest box around a shape, but for a few units in the last place outward: every point of
/// the shape, however it is rounded, lies within. Takes time with the number of vertices for
/// surfaces and terrains that are not turned by quarter turns.
dp_bounds dp_placed_bounds(const dp_placed *s);

/// [m] The radius of a ball around the origin of a shape that holds it; infinite for planes.
double dp_shape_radius(const dp_shape *s);

#endif
