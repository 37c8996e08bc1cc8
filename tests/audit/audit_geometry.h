// Signed distances of shapes by brute force: support functions, the nearest point of the set of
// differences, and where that holds the origin, a polytope that grows inside it. Slow, with bounds
// of its own error, and without a line in common with the library under audit.
#ifndef AUDIT_GEOMETRY_H
#define AUDIT_GEOMETRY_H

#include "audit_vector.h"

#include <stdbool.h>

typedef enum shape_kind {
    SHAPE_PLANE,      // z ≤ 0 is solid
    SHAPE_SPHERE,     // radius
    SHAPE_CAPSULE,    // radius, half length along z
    SHAPE_CYLINDER,   // radius, half length along z
    SHAPE_ELLIPSOID,  // three semi-axes
    SHAPE_BOX,        // three half lengths
    SHAPE_POLYHEDRON, // the convex hull of points
    SHAPE_HEIGHTS,    // a height field: two triangles to a cell, solid below
    SHAPE_TRIANGLES,  // a surface whose front touches
} shape_kind;

typedef struct shape {
    shape_kind kind;
    double size[3];
    const double *point; // 3 numbers each: of polyhedra and surfaces
    int npoint;
    const int *face; // three points each, counterclockwise seen from outside
    int nface;
    // Height fields: row by row along y, columns along x, from −half to +half of the extent.
    const double *height; // [m] above the frame, nrow × ncol
    int nrow, ncol;
    double half_x, half_y;
} shape;

// The gap of two shapes, between two bounds: lower ≤ gap ≤ upper. Negative: they overlap, and the
// gap is minus the length of the shortest separating direction.
typedef struct separation {
    double lower, upper;
    v3 normal; // from A to B, with which `lower` is reached
    bool signed_; // false: terrain that overlaps, of which no depth is known; lower = −∞, upper = 0
} separation;

// How far a convex shape reaches along the direction n (in its own frame), and where.
v3 shape_support(const shape *s, v3 n);
bool shape_is_convex(const shape *s); // all but planes and terrains
// The radius of a ball about its frame that holds a convex shape.
double shape_reach(const shape *s);
// The smallest width of a convex shape, to some per cent: what must be passed to tunnel through it.
double shape_thickness(const shape *s);

// The gap of two shapes, at least one of which is convex. Planes and terrains have none among
// themselves. `enough`: bounds need be no nearer to each other than this [m].
separation shape_separation(const shape *a, const pose *X_WA, const shape *b, const pose *X_WB,
                            double enough);
// The gap that the direction n (unit, world, from A to B) proves: how far B is beyond A along it,
// min_B n·x − max_A n·x. No direction proves more than the gap of two convex shapes.
double shape_gap_along(const shape *a, const pose *X_WA, const shape *b, const pose *X_WB, v3 n);

// The signed distance of a world point from a convex shape, negative inside.
double shape_point_distance(const shape *s, const pose *X, v3 point);

#endif
