// Boxes around shapes.
//
// The half width of a convex shape along an axis of the world is its support in that direction. In
// closed form, with the rows of R as the directions of the world seen from the shape: Σ |Rᵢⱼ| sⱼ
// for boxes, √Σ (Rᵢⱼ sⱼ)² for ellipsoids, a segment with a ball or a disc for the round ones.
#include "geom/bounds.h"

#include "geom/core.h"
#include "geom/mesh/surface.h"
#include "geom/mesh/terrain.h"
#include "geom/shape_check.h"

#include <float.h>

// What the rotation matrix and a sum of three products may be off by, relative to the sizes: each
// element of R carries up to four roundings, the sum five more.
static const double SLACK = 16.0 * DBL_EPSILON;

// p + low … p + high, rounded outward once more.
static dp_bounds shifted(dp_v3 p, dp_v3 low, dp_v3 high, double size)
{
    const double slack = SLACK * size;
    const double from[3] = {p.x + (low.x - slack), p.y + (low.y - slack), p.z + (low.z - slack)};
    const double to[3] = {p.x + (high.x + slack), p.y + (high.y + slack), p.z + (high.z + slack)};
    return (dp_bounds){{from[0] - DBL_EPSILON * fabs(from[0]),
                        from[1] - DBL_EPSILON * fabs(from[1]),
                        from[2] - DBL_EPSILON * fabs(from[2])},
                       {to[0] + DBL_EPSILON * fabs(to[0]), to[1] + DBL_EPSILON * fabs(to[1]),
                        to[2] + DBL_EPSILON * fabs(to[2])}};
}

static dp_bounds around(dp_v3 p, dp_v3 half, double size)
{
    return shifted(p, (dp_v3){-half.x, -half.y, -half.z}, half, size);
}

static dp_v3 row(const dp_m3 *R, int i)
{
    return (dp_v3){R->m[i][0], R->m[i][1], R->m[i][2]};
}

static double box_half(dp_v3 r, const double s[3])
{
    return fabs(r.x) * s[0] + fabs(r.y) * s[1] + fabs(r.z) * s[2];
}

static double ellipsoid_half(dp_v3 r, const double s[3])
{
    return dp_v3_norm((dp_v3){r.x * s[0], r.y * s[1], r.z * s[2]});
}

// The disc across the axis reaches r √(1 − a²) along a direction whose part along the axis is a.
static double cylinder_half(dp_v3 r, const double s[3])
{
    return fabs(r.z) * s[1] + s[0] * sqrt(r.x * r.x + r.y * r.y);
}

static double capsule_half(dp_v3 r, const double s[3])
{
    return fabs(r.z) * s[1] + s[0];
}

static dp_bounds of_halves(const dp_placed *s, double (*half)(dp_v3, const double[3]), double size)
{
    const double *z = s->shape->size;
    return around(s->p,
                  (dp_v3){half(row(&s->R, 0), z), half(row(&s->R, 1), z), half(row(&s->R, 2), z)},
                  size);
}

static dp_bounds hull_bounds(const dp_placed *s)
{
    const dp_hull *h = s->shape->hull;
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        const dp_v3 d = row(&s->R, i), back = {-d.x, -d.y, -d.z};
        int most = -1, least = -1; // no hint
        high[i] = dp_v3_dot(d, dp_core_support_of(s->shape, d, &most));
        low[i] = dp_v3_dot(d, dp_core_support_of(s->shape, back, &least));
    }
    const double size = dp_v3_norm(h->centre) + h->size;
    return shifted(s->p, dp_v3_load(low), dp_v3_load(high), size);
}

// The box in the hull's own axes, turned, where the ball about the centre does not reach less far.
static dp_bounds hull_bounds_quick(const dp_placed *s)
{
    const dp_hull *h = s->shape->hull;
    const dp_v3 middle = dp_v3_madd(dp_v3_scale(h->low, 0.5), 0.5, h->high);
    const dp_v3 half = dp_v3_sub(h->high, middle);
    const double reach[3] = {half.x, half.y, half.z};
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
        const dp_v3 d = row(&s->R, i);
        const double at = dp_v3_dot(d, middle), box = box_half(d, reach);
        const double centre = dp_v3_dot(d, h->centre);
        high[i] = fmin(at + box, centre + h->size);
        low[i] = fmax(at - box, centre - h->size);
    }
    const double size = dp_v3_norm(middle) + dp_v3_norm(half) + dp_v3_norm(h->centre) + h->size;
    return shifted(s->p, dp_v3_load(low), dp_v3_load(high), size);
}

// --- what is made of many points

typedef struct extent {
    dp_v3 low, high;
} extent;

static void widen(extent *e, dp_v3 x)
{
    e->low = (dp_v3){fmin(e->low.x, x.x), fmin(e->low.y, x.y), fmin(e->low.z, x.z)};
    e->high = (dp_v3){fmax(e->high.x, x.x), fmax(e->high.y, x.y), fmax(e->high.z, x.z)};
}

static extent nothing(void)
{
    return (extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

// A rotation by quarter turns takes boxes to boxes.
static bool is_quarter_turned(const dp_m3 *R)
{
    int ones = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            ones += fabs(R->m[i][j]) == 1.0;
        }
    }
    return ones == 3;
}

static void widen_by_box(extent *e, const dp_m3 *R, dp_v3 low, dp_v3 high)
{
    for (int k = 0; k < 8; ++k) {
        widen(e, dp_m3_apply(R, (dp_v3){k & 1 ? high.x : low.x, k & 2 ? high.y : low.y,
                                        k & 4 ? high.z : low.z}));
    }
}

static dp_bounds finish(const dp_placed *s, const extent *e, dp_v3 low, dp_v3 high)
{
    const double size = fmax(dp_v3_norm(low), dp_v3_norm(high)) + dp_v3_norm(dp_v3_sub(high, low));
    return shifted(s->p, e->low, e->high, size);
}

static dp_bounds surface_bounds(const dp_placed *s)
{
    const dp_surface *surface = s->shape->surface;
    extent e = nothing();
    if (is_quarter_turned(&s->R)) {
        widen_by_box(&e, &s->R, surface->low, surface->high);
    } else {
        for (int i = 0; i < surface->nvertex; ++i) {
            widen(&e, dp_m3_apply(&s->R, dp_v3_load(surface->vertex + 3 * (size_t)i)));
        }
    }
    return finish(s, &e, surface->low, surface->high);
}

// The top and the rectangle of the base.
static dp_bounds terrain_bounds(const dp_placed *s)
{
    const dp_terrain *t = s->shape->terrain;
    extent e = nothing();
    if (is_quarter_turned(&s->R)) {
        widen_by_box(&e, &s->R, t->low, t->high);
    } else {
        widen_by_box(&e, &s->R, t->low, (dp_v3){t->high.x, t->high.y, t->low.z});
        for (int i = 0; i < t->nrow; ++i) {
            for (int j = 0; j < t->ncol; ++j) {
                widen(&e, dp_m3_apply(&s->R, dp_terrain_vertex(t, i, j)));
            }
        }
    }
    return finish(s, &e, t->low, t->high);
}

dp_bounds dp_placed_bounds(const dp_placed *s)
{
    const double *size = s->shape->size;
    switch (s->shape->kind) {
    case DP_GEOM_SPHERE:
        return around(s->p, (dp_v3){size[0], size[0], size[0]}, size[0]);
    case DP_GEOM_CAPSULE:
        return of_halves(s, capsule_half, size[0] + size[1]);
    case DP_GEOM_CYLINDER:
        return of_halves(s, cylinder_half, size[0] + size[1]);
    case DP_GEOM_ELLIPSOID:
        return of_halves(s, ellipsoid_half, size[0] + size[1] + size[2]);
    case DP_GEOM_BOX:
        return of_halves(s, box_half, size[0] + size[1] + size[2]);
    case DP_GEOM_MESH:
        return s->shape->surface ? surface_bounds(s) : hull_bounds(s);
    case DP_GEOM_HFIELD:
        return terrain_bounds(s);
    case DP_GEOM_PLANE:
        break;
    }
    return (dp_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

dp_bounds dp_placed_bounds_quick(const dp_placed *s)
{
    const bool hull = s->shape->kind == DP_GEOM_MESH && !s->shape->surface;
    return hull ? hull_bounds_quick(s) : dp_placed_bounds(s);
}

dp_status dp_shape_bounds(dp_bounds *out, const dp_shape *shape, dp_pose X_WS)
{
    if (!out) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_shape_bounds: out is NULL");
    }
    dp_placed s;
    DP_TRY(dp_place_checked(&s, "dp_shape_bounds", "shape", shape, &X_WS));
    *out = dp_placed_bounds(&s);
    return DP_OK;
}

// Of a ball around the origin that holds a box.
static double corner_radius(dp_v3 low, dp_v3 high)
{
    return dp_v3_norm((dp_v3){fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                              fmax(fabs(low.z), fabs(high.z))});
}

double dp_shape_radius(const dp_shape *s)
{
    switch (s->kind) {
    case DP_GEOM_PLANE:
        return INFINITY;
    case DP_GEOM_SPHERE:
        return s->size[0];
    case DP_GEOM_CAPSULE:
        return s->size[0] + s->size[1];
    case DP_GEOM_CYLINDER:
        return sqrt(s->size[0] * s->size[0] + s->size[1] * s->size[1]);
    case DP_GEOM_ELLIPSOID:
        return fmax(s->size[0], fmax(s->size[1], s->size[2]));
    case DP_GEOM_BOX:
        return dp_v3_norm(dp_v3_load(s->size));
    case DP_GEOM_MESH:
        return s->hull ? corner_radius(s->hull->low, s->hull->high)
                       : corner_radius(s->surface->low, s->surface->high);
    default:
        return corner_radius(s->terrain->low, s->terrain->high);
    }
}
