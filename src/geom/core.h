// The support maps of support.h, inline: for loops that call little else.
#ifndef DP_GEOM_CORE_H
#define DP_GEOM_CORE_H

#include "base/simd_dispatch.h"
#include "geom/hull_shape.h"
#include "geom/support.h"
#include "math/f64x2.h"

#include <dashpot/advanced/collide.h>

/// How high two vertices of h->packed are along d, given as pairs.
DP_INLINE dp_f64x2 dp_hull_heights(const double *packed, dp_f64x2 dx, dp_f64x2 dy, dp_f64x2 dz)
{
    const dp_f64x2 xy =
        dp_f64x2_madd(dp_f64x2_mul(dx, dp_f64x2_load(packed)), dy, dp_f64x2_load(packed + 2));
    return dp_f64x2_madd(xy, dz, dp_f64x2_load(packed + 4));
}

/// The highest vertex of a hull of no more than DP_HULL_SCAN, the first of several. Four maxima at
/// a time, and their place afterwards: that waits for less than a comparison after the other.
static inline int dp_hull_scan(const dp_hull *h, dp_v3 d)
{
    DP_ASSERT(h->nvertex > 0 && h->nvertex <= DP_HULL_SCAN); // triangles have three
    dp_f64x2 height[DP_HULL_SCAN / 2];
    const dp_f64x2 dx = dp_f64x2_both(d.x), dy = dp_f64x2_both(d.y), dz = dp_f64x2_both(d.z);
    dp_f64x2 even = dp_f64x2_both(-INFINITY), odd = even;
    const double *packed = h->packed;
    int i = 0;
    for (; 2 * i < h->nvertex; i += 2, packed += 12) {
        height[i] = dp_hull_heights(packed, dx, dy, dz);
        height[i + 1] = dp_hull_heights(packed + 6, dx, dy, dz);
        even = dp_f64x2_max(height[i], even);
        odd = dp_f64x2_max(height[i + 1], odd);
    }
    const dp_f64x2 most = dp_f64x2_both(dp_f64x2_larger(dp_f64x2_max(odd, even)));
    int equal = 0;
    for (i = 0; 2 * i < h->nvertex; ++i) {
        equal = dp_f64x2_equal(height[i], most);
        if (equal) {
            break;
        }
    }
    return equal & 1 ? 2 * i : equal ? 2 * i + 1 : h->nvertex - 1; // the last: no numbers
}

/// Walk uphill, from vertex `at` or from where the direction is sorted to, whichever is higher
/// (`at` outside 0 … nvertex−1: from the latter). Rises are taken along edges, not between heights:
/// what a short edge rises is not lost in the round-off of a large hull. Where no edge rises the
/// top is reached, since the corner of a convex body lies within the cone of its edges; level edges
/// lead nowhere higher. On a level face round-off could lead around in a circle: nobody walks
/// further than there are vertices.
static inline int dp_hull_walk(const dp_hull *h, dp_v3 d, int at)
{
    const int other = h->start ? h->start[dp_hull_cell(d)] : h->extreme[0];
    if (at < 0 || at >= h->nvertex) {
        at = other;
    } else {
        const double *p = h->vertex + 3 * (size_t)at, *q = h->vertex + 3 * (size_t)other;
        at = d.x * (q[0] - p[0]) + d.y * (q[1] - p[1]) + d.z * (q[2] - p[2]) > 0.0 ? other : at;
    }
    for (int step = 0; step < h->nvertex; ++step) {
        const double *p = h->vertex + 3 * (size_t)at;
        const int end = h->neighbour_start[at + 1];
        int best = -1;
        double most = 0.0;
        for (int k = h->neighbour_start[at]; k < end; ++k) {
            const double *q = h->vertex + 3 * (size_t)h->neighbour[k];
            const double rise = d.x * (q[0] - p[0]) + d.y * (q[1] - p[1]) + d.z * (q[2] - p[2]);
            if (rise > most) {
                most = rise;
                best = h->neighbour[k];
            }
        }
        if (best < 0) {
            break;
        }
        at = best;
    }
    return at;
}

/// Is the core no polyhedron?
static inline bool dp_core_is_curved(const dp_shape *s)
{
    return s->kind == DP_GEOM_CYLINDER || s->kind == DP_GEOM_ELLIPSOID;
}

static inline double dp_core_radius_of(const dp_shape *s)
{
    return s->kind == DP_GEOM_SPHERE || s->kind == DP_GEOM_CAPSULE ? s->size[0] : 0.0;
}

/// Vertices of polyhedral cores have numbers: those of hulls, of boxes (bits: +x, +y, +z), of the
/// segments of capsules (1: +z) and of the points of spheres (0).
static inline bool dp_core_has_vertex(const dp_shape *s, int vertex)
{
    static const int count[] = {
        [DP_GEOM_SPHERE] = 1, [DP_GEOM_CAPSULE] = 2, [DP_GEOM_BOX] = 8, [DP_GEOM_HFIELD] = 0};
    return vertex >= 0 && vertex < (s->kind == DP_GEOM_MESH ? s->hull->nvertex : count[s->kind]);
}

static inline dp_v3 dp_core_vertex(const dp_shape *s, int vertex)
{
    const double *size = s->size;
    switch (s->kind) {
    case DP_GEOM_CAPSULE:
        return (dp_v3){0.0, 0.0, vertex & 1 ? size[1] : -size[1]};
    case DP_GEOM_BOX:
        return (dp_v3){vertex & 1 ? size[0] : -size[0], vertex & 2 ? size[1] : -size[1],
                       vertex & 4 ? size[2] : -size[2]};
    case DP_GEOM_MESH:
        return dp_v3_load(s->hull->vertex + 3 * (size_t)vertex);
    case DP_GEOM_SPHERE:
    case DP_GEOM_CYLINDER:
    case DP_GEOM_ELLIPSOID:
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
    default:
        return (dp_v3){0.0, 0.0, 0.0};
    }
}

/// `size` with the sign of x, + for 0. Nobody can foresee that sign, so there is no branch.
static inline double dp_toward(double x, double size)
{
    static const double sign[2] = {-1.0, 1.0};
    return sign[x >= 0.0] * size;
}

DP_INLINE dp_v3 dp_core_support_of(const dp_shape *s, dp_v3 d, int *vertex)
{
    const double *size = s->size;
    switch (s->kind) {
    case DP_GEOM_CAPSULE:
        *vertex = d.z >= 0.0;
        return (dp_v3){0.0, 0.0, dp_toward(d.z, size[1])};
    case DP_GEOM_CYLINDER: {
        const double length = sqrt(d.x * d.x + d.y * d.y);
        const double z = dp_toward(d.z, size[1]);
        if (!(length > 0.0)) {
            return (dp_v3){size[0], 0.0, z}; // the whole cap is as far: a point of its rim
        }
        const double k = size[0] / length;
        return (dp_v3){k * d.x, k * d.y, z};
    }
    case DP_GEOM_ELLIPSOID: {
        const dp_v3 e = {size[0] * d.x, size[1] * d.y, size[2] * d.z};
        const double s1 = 1.0 / dp_v3_norm(e);
        return (dp_v3){size[0] * (e.x * s1), size[1] * (e.y * s1), size[2] * (e.z * s1)};
    }
    case DP_GEOM_BOX:
        *vertex = (d.x >= 0.0) | (d.y >= 0.0) << 1 | (d.z >= 0.0) << 2;
        return (dp_v3){dp_toward(d.x, size[0]), dp_toward(d.y, size[1]), dp_toward(d.z, size[2])};
    case DP_GEOM_MESH: {
        const dp_hull *h = s->hull;
        *vertex = h->nvertex <= DP_HULL_SCAN ? dp_hull_scan(h, d) : dp_hull_walk(h, d, *vertex);
        return dp_v3_load(h->vertex + 3 * (size_t)*vertex);
    }
    case DP_GEOM_SPHERE:
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
    default:
        *vertex = 0;
        return (dp_v3){0.0, 0.0, 0.0};
    }
}

#endif
