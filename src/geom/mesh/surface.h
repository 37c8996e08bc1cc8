// Surfaces of triangles that do not move: solid behind their faces, seen from the front.
#ifndef DP_GEOM_SURFACE_H
#define DP_GEOM_SURFACE_H

#include "geom/mesh/box_tree.h"
#include "geom/mesh/mesh.h"

#include <dashpot/advanced/collide.h>

/// How the two faces at an edge meet.
typedef enum dp_edge_kind {
    DP_EDGE_FLAT,    // in one plane: the edge is nothing but a line on it
    DP_EDGE_CONVEX,  // a ridge
    DP_EDGE_CONCAVE, // a furrow
    DP_EDGE_OPEN,    // there is no other face
} dp_edge_kind;

struct dp_surface {
    int nvertex, nface;
    const double *vertex;        // 3·nvertex
    const int *face;             // 3·nface corners, faces in the order of the tree
    const double *plane;         // 4·nface: unit normal and offset, n·x = d
    const int *neighbour;        // 3·nface: the face across the edge from corner k to k + 1; −1
    const unsigned char *edge;   // 3·nface: its dp_edge_kind
    const unsigned char *sharp;  // nvertex: 1 where a convex or open edge ends
    const int *neighbour_start;  // nvertex + 1, into vertex_neighbour
    const int *vertex_neighbour; // vertices joined by an edge
    dp_box_tree tree;            // of the faces
    dp_v3 low, high;             // bounds in its own frame
    dp_allocator allocator;      // of surfaces made by dp_surface_create
    void *memory;                // theirs too
};

/// Make the query form of a mesh in `pool`: equal vertices made one, triangles without area and
/// those that repeat another left out.
/// @return DP_ERROR_ARGUMENT for a mesh that is none, or that has no triangle with an area.
dp_status dp_surface_build(dp_surface *out, dp_pool *pool, const dp_mesh *m);

#endif
