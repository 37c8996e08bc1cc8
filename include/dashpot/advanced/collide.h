// Shapes by themselves: how far apart they are, where they touch, what a ray meets.
//
// Everything here is a pure function of shapes and poses. No model is needed, nothing is remembered
// between calls unless the caller keeps a dp_pair_memory, and nothing is allocated by a query.
// Lengths have no preferred scale: a shape of a micrometre and one of a thousand kilometres are
// treated alike.
#ifndef DASHPOT_ADVANCED_COLLIDE_H
#define DASHPOT_ADVANCED_COLLIDE_H

#include <dashpot/spec.h>
#include <dashpot/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

DP_BEGIN_C

/// A convex polyhedron ready for queries. Immutable, so threads may share it.
typedef struct dp_hull dp_hull;

/// The convex hull of `nvertex` ≥ 4 points, 3·nvertex numbers [m], that are not all in one plane.
/// The points are not kept. `allocator` may be NULL.
/// @return DP_ERROR_ARGUMENT for points that are too few, not finite or flat, DP_ERROR_NUMERIC
/// where
///         the hull cannot be found; *out is then NULL.
DP_API DP_NODISCARD dp_status dp_hull_create(dp_hull **out, const double *vertex, int nvertex,
                                             const dp_allocator *allocator);
DP_API void dp_hull_destroy(dp_hull *hull); ///< NULL is allowed

/// A surface of triangles ready for queries: open or closed, solid behind its faces. It stands for
/// terrain, so only its front touches. Immutable.
typedef struct dp_surface dp_surface;

/// The surface of `nface` ≥ 1 triangles, counterclockwise seen from the free side. Vertices in
/// equal places are made one, and triangles without area are left out. The arrays are not kept.
DP_API DP_NODISCARD dp_status dp_surface_create(dp_surface **out, const double *vertex, int nvertex,
                                                const int *face, int nface,
                                                const dp_allocator *allocator);
DP_API void dp_surface_destroy(dp_surface *surface); ///< NULL is allowed

/// Terrain of heights on a grid, ready for queries. Immutable.
typedef struct dp_terrain dp_terrain;

/// The terrain of a dp_hfield_spec (its name and place do not matter). The heights are copied.
DP_API DP_NODISCARD dp_status dp_terrain_create(dp_terrain **out, const dp_hfield_spec *heights,
                                                const dp_allocator *allocator);
DP_API void dp_terrain_destroy(dp_terrain *terrain); ///< NULL is allowed

/// A shape in its own frame. What it points to is borrowed.
typedef struct dp_shape {
    dp_geom_kind kind;
    double size[3];            ///< [m] > 0, as in dp_geom_spec
    const dp_hull *hull;       ///< DP_GEOM_MESH: a convex body …
    const dp_surface *surface; ///< … or a surface; one of the two is NULL
    const dp_terrain *terrain; ///< DP_GEOM_HFIELD
} dp_shape;

/// How a query ended.
typedef enum dp_query_outcome {
    DP_QUERY_OUTCOME_EXACT,  ///< closed form, or an iteration that met its bound on the error
    DP_QUERY_OUTCOME_BEYOND, ///< further apart than asked: the gap is a lower bound that exceeds
                             ///< the limit
    DP_QUERY_OUTCOME_CAPPED, ///< the iteration was stopped; the answer is the best it had
} dp_query_outcome;

/// A polytope between the differences of the vertices of two polyhedra that overlap. Where it was
/// kept it holds a ball as large as they are deep in each other, which proves that no separating
/// direction is shorter; elsewhere that is found out.
typedef struct dp_pair_polytope {
    uint16_t vertex[2][32]; ///< of the corners: vertices of one shape and of the other
    uint8_t face[60][3];    ///< corners of its faces
    uint8_t ncorner, nface; ///< 0: none
} dp_pair_polytope;

/// What a pair of shapes may remember from one query to the next, to save time. Zero to begin with.
/// Answers with and without agree to round-off; with equal memory they are equal to the last bit.
typedef struct dp_pair_memory {
    dp_v3 direction;           ///< from A to B in the frame of A; zero: none
    int32_t vertex[2][4];      ///< of hulls: where the last simplex was
    int32_t count;             ///< corners of that simplex
    dp_pair_polytope polytope; ///< of polyhedra: where they overlapped last
} dp_pair_memory;

/// The nearest points of two shapes or, where they overlap, the shortest separating direction.
typedef struct dp_distance {
    double gap;     ///< [m] signed distance; negative: they overlap by this much
    dp_v3 normal;   ///< unit, from A to B: the gradient of the gap with respect to moving B
    dp_v3 point[2]; ///< [m] on A and on B, point[1] − point[0] = gap·normal
    bool ambiguous; ///< another normal gives the same gap within round-off: the gap has a kink here
    dp_query_outcome outcome;
    int iterations; ///< 0: closed form
} dp_distance;

/// The signed distance of A at X_WA and B at X_WB, up to `limit` [m] (≥ 0, may be INFINITY). The
/// gap changes at the rate normal · (velocity of B at point[1] − velocity of A at point[0]).
/// `memory` may be NULL. Two planes, surfaces or terrains have no distance.
/// @return DP_ERROR_ARGUMENT for poses that are not finite or not of unit length, shapes without
///         size, and pairs that have no distance.
DP_API DP_NODISCARD dp_status dp_shapes_distance(dp_distance *out, const dp_shape *a, dp_pose X_WA,
                                                 const dp_shape *b, dp_pose X_WB, double limit,
                                                 dp_pair_memory *memory);

/// Do the shapes share a point? Cheaper than their distance.
DP_API DP_NODISCARD dp_status dp_shapes_overlap(bool *out, const dp_shape *a, dp_pose X_WA,
                                                const dp_shape *b, dp_pose X_WB);

/// A place where two shapes touch or are about to.
typedef struct dp_contact_point {
    dp_v3 point;      ///< [m] midway between the surfaces
    dp_v3 normal;     ///< unit, from A to B
    double gap;       ///< [m] along the normal; negative: overlap
    double weight;    ///< [1] share in the stiffness of its patch; those of a patch sum to 1
    int32_t patch;    ///< number of the patch, from 0: one for convex shapes, several on terrain
    uint64_t feature; ///< the same as long as the same vertices, edges and faces meet
} dp_contact_point;

/// Points of one patch, at most. Two convex shapes have one patch.
enum { DP_PATCH_POINTS = 8 };

/// Room for contact points, given by the caller. A query appends to it.
typedef struct dp_contact_buffer {
    dp_contact_point *point;
    int count, capacity;
    dp_query_outcome outcome; ///< the worst of what was appended
    int patch_points; ///< of a patch of convex hulls, at most: 4 … DP_PATCH_POINTS. 0: the latter
} dp_contact_buffer;

/// Append the places where A and B are nearer than `margin` [m] ≥ 0: one point for round shapes,
/// the corners of the common area for faces, the ends of the common length for edges and capsules.
/// Weights go smoothly to zero for points whose gap reaches the margin, so that nothing jumps when
/// a point comes or goes; points with gap ≥ margin are left out. `memory` may be NULL.
/// @return DP_ERROR_CAPACITY when the buffer is too small: nothing is appended and the message has
///         the number needed; else as dp_shapes_distance.
DP_API DP_NODISCARD dp_status dp_shapes_contacts(dp_contact_buffer *out, const dp_shape *a,
                                                 dp_pose X_WA, const dp_shape *b, dp_pose X_WB,
                                                 double margin, dp_pair_memory *memory);

/// How a surface bends at a point: normal curvatures [1/m], positive where it bulges outward, and
/// the direction of the first, unit, in the tangent plane. Edges and corners bend infinitely.
typedef struct dp_curvature {
    double along, across; ///< [1/m] along ≤ across
    dp_v3 direction;      ///< of `along`
} dp_curvature;

/// The curvature of a shape at X_WS at the point of its surface next to `point`.
DP_API DP_NODISCARD dp_status dp_shape_curvature(dp_curvature *out, const dp_shape *shape,
                                                 dp_pose X_WS, dp_v3 point);

/// Where a ray meets a shape.
typedef struct dp_ray_hit {
    bool hit;
    double distance; ///< [m] from the origin of the ray; 0 when it starts inside
    dp_v3 point;     ///< [m]
    dp_v3 normal;    ///< unit, outward at the point; against the ray when it starts inside
} dp_ray_hit;

/// The first point of `shape` at X_WS on the ray from `origin` along `direction` (any length but 0)
/// up to `limit` [m] (may be INFINITY).
DP_API DP_NODISCARD dp_status dp_shape_ray(dp_ray_hit *out, const dp_shape *shape, dp_pose X_WS,
                                           dp_v3 origin, dp_v3 direction, double limit);

/// A box with faces along the axes.
typedef struct dp_bounds {
    dp_v3 low, high;
} dp_bounds;

/// The smallest such box around a shape at X_WS, rounded outward; infinite for planes.
DP_API DP_NODISCARD dp_status dp_shape_bounds(dp_bounds *out, const dp_shape *shape, dp_pose X_WS);

DP_END_C
#endif
