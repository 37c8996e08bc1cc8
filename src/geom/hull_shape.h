// Convex polyhedra for queries: vertices with neighbours to walk along, faces as polygons.
#ifndef DP_GEOM_HULL_SHAPE_H
#define DP_GEOM_HULL_SHAPE_H

#include "geom/mesh/mesh.h"

#include <dashpot/advanced/collide.h>

struct dp_hull {
    int nvertex, nface, nedge;
    const double *vertex;         // 3·nvertex
    const double *packed;         // of smaller hulls: see dp_hull_pack
    const int *neighbour_start;   // nvertex + 1, into neighbour
    const int *neighbour;         // vertices joined by an edge of a true face, ascending
    const int *neighbour_face;    // two for each of these: the faces at that edge, ascending
    const double *neighbour_over; // and 1/length of the edge [1/m]
    const int *face_start;        // nface + 1, into face_vertex
    const int *face_vertex;    // corners of flat faces, coplanar triangles made one, from outside
    const double *face_plane;  // 4·nface: outward unit normal and offset; n·x ≤ d in all of it
    const double *face_cosine; // nface: of the least angle that each makes with another one at
                               // its corners. NULL: not known
    const int *panel; // nface: the panel that a face is part of (panels.c). NULL: each is its own
    const int *panel_start;       // into panel_vertex
    const int *panel_vertex;      // corners of panels, from outside
    const double *panel_normal;   // 3 for each: outward, unit
    const int *vertex_face_start; // nvertex + 1, into vertex_face
    const int *vertex_face;       // faces at a vertex
    dp_v3 centre;                 // inside
    dp_v3 low, high;              // bounds in its own frame
    double size;                  // greatest distance of a vertex from the centre [m]
    int extreme[6];               // vertices furthest along ±x, ±y, ±z
    const int *start;             // of larger hulls: where walks begin, see dp_hull_start
    dp_allocator allocator;       // of hulls made by dp_hull_create
    void *memory;                 // theirs too
};

/// Hulls of no more vertices are searched one by one, larger ones by walking along edges.
enum { DP_HULL_SCAN = 32 };

/// The vertices for that search, two by two: x of both, y of both, z of both. They are as many as
/// are a multiple of four; the last one is repeated.
static inline size_t dp_hull_packed_size(int nvertex)
{
    return 3 * (((size_t)nvertex + 3) / 4 * 4);
}
void dp_hull_pack(double *packed, const double *vertex, int nvertex);

/// Directions are sorted into cells: on each face of a cube, DP_HULL_CELLS × DP_HULL_CELLS squares.
/// Walks begin at the vertex that is furthest along the middle of the cell.
enum { DP_HULL_CELLS = 8 };
static inline int dp_hull_cell(dp_v3 d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const int axis = x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
    const double along = axis == 0 ? d.x : (axis == 1 ? d.y : d.z);
    const double u = axis == 0 ? d.y : (axis == 1 ? d.z : d.x);
    const double v = axis == 0 ? d.z : (axis == 1 ? d.x : d.y);
    const double scale = 0.5 * DP_HULL_CELLS / fabs(along);
    const int i = (int)(0.5 * DP_HULL_CELLS + u * scale),
              j = (int)(0.5 * DP_HULL_CELLS + v * scale);
    return ((2 * axis + (along < 0.0)) * DP_HULL_CELLS +
            (i < DP_HULL_CELLS ? i : DP_HULL_CELLS - 1)) *
               DP_HULL_CELLS +
           (j < DP_HULL_CELLS ? j : DP_HULL_CELLS - 1);
}

/// Numbers 0 … count − 1, those of the largest areas first, equal ones ascending.
void dp_hull_sort_by_area(int *order, const double *area, int count);
/// Find the panels of a hull whose faces are known.
dp_status dp_hull_find_panels(dp_hull *h, dp_pool *pool);
/// The panel of a face.
static inline int dp_hull_panel(const dp_hull *h, int face)
{
    return h->panel ? h->panel[face] : face;
}
static inline dp_v3 dp_hull_panel_normal(const dp_hull *h, int panel)
{
    return dp_v3_load(h->panel ? h->panel_normal + 3 * (size_t)panel
                               : h->face_plane + 4 * (size_t)panel);
}

/// Make the query form of a convex mesh, as dp_mesh_hull returns it, in `pool`.
dp_status dp_hull_build(dp_hull *out, dp_pool *pool, const dp_mesh *hull);

#endif
