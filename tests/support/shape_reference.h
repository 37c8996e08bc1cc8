// The signed gap of two convex shapes by its definition, slowly and with a bound on the error.
//
//     gap = max over unit n of f(n),   f(n) = min over b in B of n·b − max over a in A of n·a
//
// The sphere of directions is cut into triangles. In each, the furthest points found at its corners
// bound f from above, since f is the least of linear functions; triangles that cannot hold the
// maximum are dropped, the others cut in four. Nothing here is shared with the library but the
// meaning of the sizes, and all of it is in long double.
#ifndef DP_TESTS_SHAPE_REFERENCE_H
#define DP_TESTS_SHAPE_REFERENCE_H

#include <dashpot/advanced/collide.h>

typedef struct wide_v3 {
    long double x, y, z;
} wide_v3;

/// A convex shape at its place.
typedef struct reference_body {
    dp_geom_kind kind;
    long double size[3];
    const double *vertex; // DP_GEOM_MESH: points whose hull it is
    int nvertex;
    long double R[3][3];
    wide_v3 p;
} reference_body;

/// @param vertex 3·nvertex, of hulls; borrowed
reference_body reference_place(const dp_shape *shape, const double *vertex, int nvertex,
                               dp_pose X_WS);

/// The furthest point along `n` (any length but 0), relative to the place of the shape.
wide_v3 reference_support(const reference_body *s, wide_v3 n);

/// Greatest distance of a point of the shape from its place; 0 for planes.
long double reference_radius(const reference_body *s);

/// f(n) for a unit n.
long double reference_gap_along(const reference_body *a, const reference_body *b, wide_v3 n);

/// How far `x` is outside of the shape, zero inside: at least its distance, and at most some times
/// as much. Not for hulls and planes.
long double reference_outside(const reference_body *s, wide_v3 x);

typedef struct reference_answer {
    long double gap;   // f at `normal`
    long double bound; // the true gap lies between `gap` and this
    wide_v3 normal;
    int evaluations;
} reference_answer;

/// Where to look, and when to stop.
typedef struct reference_search {
    long double tolerance; // [m] stop when bound − gap is less
    long double known;     // what is known to be reached already; −INFINITY: nothing
    wide_v3 apart_from;    // leave out directions closer than `angle` to this one
    double cos_angle;      // 1 < : leave out nothing
    int most_evaluations;
} reference_search;
reference_search reference_search_default(const reference_body *a, const reference_body *b);

/// Planes may be A or B, not both.
reference_answer reference_gap(const reference_body *a, const reference_body *b,
                               const reference_search *search);

wide_v3 wide_from(dp_v3 v);
long double wide_dot(wide_v3 a, wide_v3 b);
wide_v3 wide_sub(wide_v3 a, wide_v3 b);
wide_v3 wide_cross(wide_v3 a, wide_v3 b);
wide_v3 wide_scale(wide_v3 a, long double s);
long double wide_norm(wide_v3 a);

#endif
