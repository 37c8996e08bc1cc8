// Support maps: the furthest point of a convex shape in a direction. Planes have none.
//
// Round shapes are a core and a radius: a sphere is a point, a capsule a segment, each with a skin.
// Distances are sought between the cores, where shallow overlap is still a gap.
#ifndef DP_GEOM_SUPPORT_H
#define DP_GEOM_SUPPORT_H

#include "geom/placed.h"

#include <dashpot/advanced/collide.h>

/// The skin around the core [m]; 0 but for spheres and capsules.
double dp_core_radius(const dp_shape *s);

/// The point of the core furthest along `direction` (any length but 0), both in the shape's frame.
/// `*vertex` is a hint for hulls and becomes the vertex found: walking from a good hint is fast.
dp_v3 dp_core_support(const dp_shape *s, dp_v3 direction, int *vertex);

/// The face, edge or point of a convex shape (with its skin) that looks along a direction: a convex
/// polygon, counterclockwise about `normal`, at most DP_FACE_CORNERS corners of it.
enum { DP_FACE_CORNERS = 32 };
typedef struct dp_face {
    int count;                     // 1: a point, 2: a segment, more: a polygon
    dp_v3 corner[DP_FACE_CORNERS]; // relative to the origin that was asked for
    uint32_t id[DP_FACE_CORNERS];  // of the corner; its edge to the next has the same number
    dp_v3 normal;                  // outward, unit; of points and segments the direction asked for
    uint32_t face;                 // number of the face among those of the shape
} dp_face;

/// The feature of `s` whose normal is nearest to the unit `direction` (both in world axes), with
/// corners relative to `origin`. Discs (cylinder caps) become polygons whose corners are fixed in
/// the shape and lie on the rim. Round shapes give the point, sides of capsules and cylinders the
/// segment that faces the direction, where they are within reach of parallel: see the source.
void dp_placed_face(dp_face *out, const dp_placed *s, dp_v3 origin, dp_v3 direction);

/// Faces of a hull that look along a direction, in the order of their numbers, with shares that sum
/// to one. One face but where others look along it nearly as well: shares change without a jump as
/// the direction does.
enum { DP_FACE_CHOICES = 6 };
typedef struct dp_face_choice {
    int count;
    int face[DP_FACE_CHOICES];
    double share[DP_FACE_CHOICES];
} dp_face_choice;
/// Leave the face with the largest share.
void dp_face_choice_keep_best(dp_face_choice *c);
void dp_hull_choose(dp_face_choice *out, const dp_placed *s, dp_v3 direction);

/// The edges from that vertex of a hull that is furthest along m, both in its frame.
enum { DP_HULL_EDGES = 8 };
typedef struct dp_hull_edges {
    int vertex;
    int flattest;               // number of a neighbour
    double fall[DP_HULL_EDGES]; // sine by which each of the first edges falls, ≥ 0
    double least, next;         // of all: that of the flattest, and of the one after it
    double drop;                // the least by which one of them falls [m]
} dp_hull_edges;
void dp_hull_edges_at(dp_hull_edges *out, const dp_hull *h, int vertex, dp_v3 m);

/// The face at these edges with the largest share.
int dp_hull_best_at(const dp_hull *h, const dp_hull_edges *e, dp_v3 m);

/// The vertices of a panel of a hull, counterclockwise from outside. One of more corners than there
/// is room for keeps some of them, evenly spread.
/// @return their number.
int dp_hull_panel_corners(int corner[DP_FACE_CORNERS], const dp_hull *h, int panel);

/// Panel number `panel` of a hull, as dp_placed_face gives it.
void dp_hull_face(dp_face *out, const dp_placed *s, dp_v3 origin, int panel);

#endif
