// How the surface of a shape bends next to a point.
//
// The point of the surface is that of a small sphere's distance, so inside and outside are alike.
// On a polyhedron it lies on a face, an edge or a corner within round-off of the size; on a rim,
// the normal says which of the circles that touch there is meant.
#include "collide/pairs/closed_forms.h"
#include "geom/hull_shape.h"
#include "geom/mass.h"
#include "geom/shape_check.h"

// Of the size: what lies closer to a face is on it.
#define ON_FACE 0x1p-40

// A point of the surface in the frame of the shape, with the outward normal there.
typedef struct surface_point {
    dp_v3 x, n;
    double size; // of the shape [m]
} surface_point;

static dp_curvature flat(dp_v3 n)
{
    return (dp_curvature){0.0, 0.0, dp_v3_across(n)};
}

static dp_curvature round_all(double radius, dp_v3 n)
{
    return (dp_curvature){1.0 / radius, 1.0 / radius, dp_v3_across(n)};
}

static dp_curvature of_cylinder(const double *size, const surface_point *s)
{
    const double small = ON_FACE * s->size;
    const double rho = sqrt(s->x.x * s->x.x + s->x.y * s->x.y);
    const bool on_side = rho >= size[0] - small, on_cap = fabs(s->x.z) >= size[1] - small;
    if (on_side && on_cap) {
        // The rim is a circle of radius r; of its curvature, the share along the normal counts.
        const double outward = sqrt(s->n.x * s->n.x + s->n.y * s->n.y);
        return (dp_curvature){outward / size[0], INFINITY, {-s->x.y / rho, s->x.x / rho, 0.0}};
    }
    return on_side ? (dp_curvature){0.0, 1.0 / size[0], {0.0, 0.0, 1.0}} : flat(s->n);
}

// With D = diag(1/e_i²) and w = D x, half the gradient of Σ x_i²/e_i², the curvature form is D/|w|
// in the tangent plane. Its smaller eigenvalue follows from the Gaussian curvature det D/|w|⁴,
// without cancellation.
static dp_curvature of_ellipsoid(const double *size, const surface_point *s)
{
    const dp_v3 D = {1.0 / dp_square(size[0]), 1.0 / dp_square(size[1]), 1.0 / dp_square(size[2])};
    const dp_v3 w = {D.x * s->x.x, D.y * s->x.y, D.z * s->x.z};
    const double length = dp_v3_norm(w);
    const dp_v3 n = dp_v3_over(w, length), t = dp_v3_across(n), u = dp_v3_cross(n, t);
    const double tt = D.x * t.x * t.x + D.y * t.y * t.y + D.z * t.z * t.z;
    const double uu = D.x * u.x * u.x + D.y * u.y * u.y + D.z * u.z * u.z;
    const double tu = D.x * t.x * u.x + D.y * t.y * u.y + D.z * t.z * u.z;
    const double half = 0.5 * (uu - tt), root = sqrt(half * half + tu * tu);
    const double most = 0.5 * (tt + uu) + root;
    const double gauss = (D.x / length) * (D.y / length) * (D.z / length) / length;
    // The direction of the smaller one, (t u)·(p q): of its two forms the one that does not cancel.
    const double p = half >= 0.0 ? half + root : -tu, q = half >= 0.0 ? -tu : root - half;
    const double norm = sqrt(p * p + q * q);
    const dp_v3 direction = norm > 0.0 ? dp_v3_madd(dp_v3_scale(t, p / norm), q / norm, u) : t;
    const double across = most / length; // of a ball both are the same but for round-off
    const double along = fmin(gauss * length / most, across);
    if (!(along <= across)) { // the point is lost in round-off: the least and the most there are
        const double thin = fmin(fmin(size[0], size[1]), size[2]);
        const double thick = fmax(fmax(size[0], size[1]), size[2]);
        return (dp_curvature){thin / thick / thick, thick / thin / thin, dp_v3_across(s->n)};
    }
    return (dp_curvature){along, across, direction};
}

static dp_curvature of_box(const double *size, const surface_point *s)
{
    const double small = ON_FACE * s->size;
    const bool on[3] = {fabs(s->x.x) >= size[0] - small, fabs(s->x.y) >= size[1] - small,
                        fabs(s->x.z) >= size[2] - small};
    const int faces = on[0] + on[1] + on[2];
    if (faces <= 1) {
        return flat(s->n);
    }
    if (faces == 2) {
        return (dp_curvature){0.0, INFINITY, {!on[0], !on[1], !on[2]}};
    }
    return (dp_curvature){INFINITY, INFINITY, dp_v3_across(s->n)};
}

static dp_curvature of_hull(const dp_hull *h, const surface_point *s)
{
    const double small = ON_FACE * s->size;
    int faces = 0, first = 0, second = 0;
    for (int i = 0; i < h->nface; ++i) {
        const double *plane = h->face_plane + 4 * (size_t)i;
        if (dp_v3_dot(dp_v3_load(plane), s->x) >= plane[3] - small) {
            second = faces == 1 ? i : second;
            first = faces == 0 ? i : first;
            faces++;
        }
    }
    if (faces <= 1) {
        return flat(s->n);
    }
    if (faces == 2) {
        const dp_v3 edge = dp_v3_cross(dp_v3_load(h->face_plane + 4 * (size_t)first),
                                       dp_v3_load(h->face_plane + 4 * (size_t)second));
        return (dp_curvature){0.0, INFINITY, dp_v3_over(edge, dp_v3_norm(edge))};
    }
    return (dp_curvature){INFINITY, INFINITY, dp_v3_across(s->n)};
}

static double size_of(const dp_shape *s)
{
    double most = s->kind == DP_GEOM_MESH ? s->hull->size : 0.0;
    for (int i = 0; i < dp_shape_size_count(s->kind); ++i) {
        most = fmax(most, s->size[i]);
    }
    return most;
}

dp_status dp_shape_curvature(dp_curvature *out, const dp_shape *shape, dp_pose X_WS, dp_v3 point)
{
    dp_placed placed;
    DP_TRY(dp_place_checked(&placed, "dp_shape_curvature", "shape", shape, &X_WS));
    if (!dp_v3_finite(point)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_shape_curvature: the point is (%g, %g, %g) (expected finite numbers)",
                       point.x, point.y, point.z);
    }
    if (shape->kind == DP_GEOM_PLANE || !dp_shape_is_convex(shape)) {
        *out = flat(dp_m3_column(&placed.R, 2)); // between the edges of a terrain too
        return DP_OK;
    }
    surface_point s = {.size = size_of(shape)};
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {ON_FACE * s.size}};
    const dp_placed probe = {&ball, placed.R, point};
    dp_distance nearest;
    dp_pair_distance(&nearest, &probe, &placed, INFINITY, NULL);
    s.x = dp_m3_apply_transposed(&placed.R, dp_v3_sub(nearest.point[1], placed.p));
    s.n = dp_v3_scale(dp_m3_apply_transposed(&placed.R, nearest.normal), -1.0);

    switch (shape->kind) {
    case DP_GEOM_CAPSULE:
        *out = fabs(s.x.z) <= shape->size[1]
                   ? (dp_curvature){0.0, 1.0 / shape->size[0], {0.0, 0.0, 1.0}}
                   : round_all(shape->size[0], s.n);
        break;
    case DP_GEOM_CYLINDER:
        *out = of_cylinder(shape->size, &s);
        break;
    case DP_GEOM_ELLIPSOID:
        *out = of_ellipsoid(shape->size, &s);
        break;
    case DP_GEOM_BOX:
        *out = of_box(shape->size, &s);
        break;
    case DP_GEOM_MESH:
        *out = of_hull(shape->hull, &s);
        break;
    case DP_GEOM_SPHERE:
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
        *out = round_all(shape->size[0], s.n);
        break;
    }
    out->direction = dp_m3_apply(&placed.R, out->direction);
    return DP_OK;
}
