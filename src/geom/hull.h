// Convex hulls.
#ifndef DP_GEOM_HULL_H
#define DP_GEOM_HULL_H

#include "geom/mesh/mesh.h"

/// The convex hull of the vertices of `m`, as a closed mesh in `pool`. Its vertices are vertices of
/// `m`, in their order; its faces are triangles, outward, flat polygons as fans from their first
/// vertex, in ascending order of their vertex numbers: equal input gives equal output. Points
/// within round-off of a face or an edge are left out. Scratch memory is the pool's allocator's
/// and, inside qhull, malloc's. `out` may be `m`.
/// @return DP_ERROR_ARGUMENT for fewer than four vertices, or for vertices at one point, on one
/// line
///         or in one plane; DP_ERROR_NUMERIC when qhull gives up, as it may on slivers that are
///         flat but for a billionth.
/// @param most vertices that it may have, ≥ 4: qhull ends when it has taken so many, each time the
/// one furthest outside of a face; 0: all
dp_status dp_mesh_hull(dp_mesh *out, dp_pool *pool, const dp_mesh *m, int most);

#endif
