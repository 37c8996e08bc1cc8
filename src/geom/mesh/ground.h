// Surfaces and terrains alike: triangles by number, how they meet, and which are near.
//
// All in the frame of the shape.
#ifndef DP_GEOM_GROUND_H
#define DP_GEOM_GROUND_H

#include "geom/mesh/surface.h"
#include "geom/mesh/terrain.h"
#include "geom/placed.h"

#include <dashpot/advanced/collide.h>

typedef struct dp_ground_triangle {
    int number;
    dp_v3 corner[3]; // counterclockwise about the normal
    dp_v3 normal;    // unit, to the free side
    int vertex[3];   // numbers of the corners
} dp_ground_triangle;

void dp_ground_triangle_get(dp_ground_triangle *out, const dp_shape *s, int number);

/// The edge of a triangle from corner k to the next.
typedef struct dp_ground_edge {
    dp_edge_kind kind;
    dp_v3 beyond; // unit: the normal of the face behind it; where there is none, the last normal
                  // that an open edge has: away from the triangle, in its plane or level
} dp_ground_edge;
/// The corners of the triangle may have been shifted meanwhile.
void dp_ground_edge_get(dp_ground_edge *out, const dp_shape *s, const dp_ground_triangle *t, int k);

/// May a corner of a triangle touch by itself? False where all its edges are flat or furrows.
bool dp_ground_is_sharp(const dp_shape *s, const dp_ground_triangle *t, int k);

/// Is no neighbour of corner k further along m than the corner itself? Then m is among its normals.
bool dp_ground_is_top(const dp_shape *s, const dp_ground_triangle *t, int k, dp_v3 m);

/// A walk over the triangles near something.
typedef struct dp_ground_walk {
    const dp_shape *shape;
    dp_tree_walk tree;
    const dp_box_node *leaf;
    int place;                // in the leaf
    int row, column;          // of terrain: the next cell
    int first_column, end[2]; // and where they end: row, column
    int half;                 // and the next of the two triangles
} dp_ground_walk;

void dp_ground_walk_begin(dp_ground_walk *walk, const dp_shape *s);

/// The next triangle whose box meets `box`; false: there is no other.
bool dp_ground_next_in_box(int *number, dp_ground_walk *walk, const dp_bounds *box);
/// The next triangle that may be less than `limit` away from `box`. The limit may shrink.
bool dp_ground_next_near(int *number, dp_ground_walk *walk, const dp_bounds *box, double limit);
/// The next triangle that the ray may meet before `limit`, in units of its direction.
bool dp_ground_next_on_ray(int *number, dp_ground_walk *walk, const dp_tree_ray *ray, double limit);

/// The height of terrain over (x, y) within its rectangle, and the triangle there.
double dp_terrain_height_at(int *number, const dp_terrain *t, double x, double y);

#endif
