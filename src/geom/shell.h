// Mass properties of the surfaces of primitive shapes: thin shells of even thickness, closed at
// both ends.
#ifndef DP_GEOM_SHELL_H
#define DP_GEOM_SHELL_H

#include "math/v3.h"

#include <dashpot/spec.h>

/// Surface of a shape [m²]; 0 for planes, meshes and height fields.
double dp_shape_area(dp_geom_kind kind, const double size[3]);

/// Principal moments of a shell of 1 kg about its centre, along its own axes [m²]. Zero for planes,
/// meshes and height fields.
dp_v3 dp_shell_moments(dp_geom_kind kind, const double size[3]);

#endif
