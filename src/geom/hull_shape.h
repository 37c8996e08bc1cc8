// Convex polyhedra for queries: vertices with neighbours to walk along, faces as polygons.
#ifndef DP_GEOM_HULL_SHAPE_H
#define DP_GEOM_HULL_SHAPE_H

#include "geom/mesh.h"

#include <dashpot/collide.h>

struct dp_hull {
    int nvertex, nface, nedge;
    const double *vertex;       // 3·nvertex
    const int *neighbour_start; // nvertex + 1, into neighbour
    const int *neighbour;       // vertices joined by an edge of a true face, ascending
    const int *face_start;      // nface + 1, into face_vertex
    const int *face_vertex;     // corners of flat faces, coplanar triangles made one, from outside
    const double *face_plane;   // 4·nface: outward unit normal and offset, n·x = d
    const int *vertex_face_start; // nvertex + 1, into vertex_face
    const int *vertex_face;       // faces at a vertex
    dp_v3 centre;                 // inside
    dp_v3 low, high;              // bounds in its own frame
    double size;                  // greatest distance of a vertex from the centre [m]
    int extreme[6];               // vertices furthest along ±x, ±y, ±z: where walks begin
    dp_allocator allocator;       // of hulls made by dp_hull_create
    void *memory;                 // theirs too
};

/// Make the query form of a convex mesh, as dp_mesh_hull returns it, in `pool`.
dp_status dp_hull_build(dp_hull *out, dp_pool *pool, const dp_mesh *hull);

#endif
