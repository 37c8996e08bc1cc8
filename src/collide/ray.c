// Where a ray meets a shape.
//
// In the frame of the shape, with a unit direction d from the origin o. Round shapes: the distance
// of the line of the ray from the middle is |o × d|, in which nothing cancels however far away the
// ray begins; half of the chord is √((r − c)(r + c)). Shapes with several parts are entered where
// the last part that all must be in is entered (slabs), or where the first of any is (caps).
//
// Surfaces stop rays with their front only, so a ray that begins behind one goes through. Terrain
// is solid from its top to its base. A ray that runs along an edge that two triangles share is seen
// by at least one of them: both take the same triple product, with the sign turned.
#include "geom/hull_shape.h"
#include "geom/mesh/ground.h"
#include "geom/shape_check.h"

// What a ray meets, in the frame of the shape.
typedef struct meeting {
    bool hit, inside;
    double distance;
    dp_v3 normal;
} meeting;

static const meeting MISS = {.hit = false};

static meeting meets_inside(void)
{
    return (meeting){.hit = true, .inside = true};
}

static dp_v3 along(dp_v3 o, double t, dp_v3 d)
{
    return dp_v3_madd(o, t, d);
}

// --- solids with a closed form

static meeting plane_ray(dp_v3 o, dp_v3 d)
{
    if (o.z <= 0.0) {
        return meets_inside();
    }
    if (!(d.z < 0.0)) {
        return MISS;
    }
    return (meeting){.hit = true, .distance = o.z / -d.z, .normal = {0.0, 0.0, 1.0}};
}

// Where the line o + t d enters and leaves a circle or ball of radius r around the origin. `dd` is
// |d|², `od` o·d and `c` |o × d|. @return false: it does not
static bool chord(double *enter, double *leave, double r, double od, double dd, double c)
{
    const double length = sqrt(dd), away = c / length; // of the line
    if (!(away <= r)) {
        return false;
    }
    const double half = sqrt((r - away) * (r + away)) / length;
    *enter = -od / dd - half;
    *leave = -od / dd + half;
    return true;
}

static bool ball_chord(double *enter, double *leave, double r, dp_v3 o, dp_v3 d)
{
    return chord(enter, leave, r, dp_v3_dot(o, d), dp_v3_dot(d, d), dp_v3_norm(dp_v3_cross(o, d)));
}

static meeting sphere_ray(double r, dp_v3 o, dp_v3 d)
{
    if (dp_v3_dot(o, o) <= r * r) {
        return meets_inside();
    }
    double enter, leave;
    if (!ball_chord(&enter, &leave, r, o, d) || enter < 0.0) {
        return MISS;
    }
    return (meeting){.hit = true, .distance = enter, .normal = along(o, enter, d)};
}

// The unit ball, stretched.
static meeting ellipsoid_ray(const double s[3], dp_v3 o, dp_v3 d)
{
    const dp_v3 u = {o.x / s[0], o.y / s[1], o.z / s[2]};
    const dp_v3 v = {d.x / s[0], d.y / s[1], d.z / s[2]};
    if (dp_v3_dot(u, u) <= 1.0) {
        return meets_inside();
    }
    double enter, leave;
    if (!ball_chord(&enter, &leave, 1.0, u, v) || enter < 0.0) {
        return MISS;
    }
    const dp_v3 x = along(u, enter, v);
    // The gradient, times the largest axis so that it does not leave the range of numbers.
    const double most = fmax(s[0], fmax(s[1], s[2]));
    return (meeting){.hit = true,
                     .distance = enter,
                     .normal = {x.x * (most / s[0]), x.y * (most / s[1]), x.z * (most / s[2])}};
}

// A part of a ray, with the normal where it begins.
typedef struct stretch {
    double enter, leave;
    dp_v3 normal;
} stretch;

// Cut a stretch to the slab |x| ≤ half. @return false: nothing is left
static bool cut_slab(stretch *s, double x, double d, double half, dp_v3 axis)
{
    if (d == 0.0) {
        return fabs(x) <= half;
    }
    const double a = (-half - x) / d, b = (half - x) / d;
    if (fmin(a, b) > s->enter) {
        s->enter = fmin(a, b);
        s->normal = dp_v3_scale(axis, d > 0.0 ? -1.0 : 1.0);
    }
    s->leave = fmin(s->leave, fmax(a, b));
    return s->enter <= s->leave;
}

static meeting begin_of(const stretch *s)
{
    return s->enter < 0.0 ? MISS
                          : (meeting){.hit = true, .distance = s->enter, .normal = s->normal};
}

static meeting box_ray(const double h[3], dp_v3 o, dp_v3 d)
{
    if (fabs(o.x) <= h[0] && fabs(o.y) <= h[1] && fabs(o.z) <= h[2]) {
        return meets_inside();
    }
    stretch s = {.enter = -INFINITY, .leave = INFINITY};
    if (!cut_slab(&s, o.x, d.x, h[0], (dp_v3){1.0, 0.0, 0.0}) ||
        !cut_slab(&s, o.y, d.y, h[1], (dp_v3){0.0, 1.0, 0.0}) ||
        !cut_slab(&s, o.z, d.z, h[2], (dp_v3){0.0, 0.0, 1.0})) {
        return MISS;
    }
    return begin_of(&s);
}

// Cut a stretch to the endless cylinder of radius r around z.
static bool cut_cylinder(stretch *s, double r, dp_v3 o, dp_v3 d)
{
    const double dd = d.x * d.x + d.y * d.y;
    if (!(dd > 0.0)) {
        return o.x * o.x + o.y * o.y <= r * r;
    }
    double enter, leave;
    if (!chord(&enter, &leave, r, o.x * d.x + o.y * d.y, dd, fabs(o.x * d.y - o.y * d.x))) {
        return false;
    }
    if (enter > s->enter) {
        s->enter = enter;
        s->normal = (dp_v3){o.x + enter * d.x, o.y + enter * d.y, 0.0};
    }
    s->leave = fmin(s->leave, leave);
    return s->enter <= s->leave;
}

static meeting cylinder_ray(double r, double l, dp_v3 o, dp_v3 d)
{
    if (fabs(o.z) <= l && o.x * o.x + o.y * o.y <= r * r) {
        return meets_inside();
    }
    stretch s = {.enter = -INFINITY, .leave = INFINITY};
    if (!cut_slab(&s, o.z, d.z, l, (dp_v3){0.0, 0.0, 1.0}) || !cut_cylinder(&s, r, o, d)) {
        return MISS;
    }
    return begin_of(&s);
}

// The side between the caps, or one of the balls at the ends, whichever comes first.
static meeting capsule_ray(double r, double l, dp_v3 o, dp_v3 d)
{
    const dp_v3 from_core = {o.x, o.y, o.z - fmax(-l, fmin(l, o.z))};
    if (dp_v3_dot(from_core, from_core) <= r * r) {
        return meets_inside();
    }
    meeting first = MISS;
    stretch s = {.enter = -INFINITY, .leave = INFINITY};
    if (cut_cylinder(&s, r, o, d) && s.enter >= 0.0 && fabs(o.z + s.enter * d.z) <= l) {
        first = begin_of(&s);
    }
    for (int end = -1; end <= 1; end += 2) {
        const meeting ball = sphere_ray(r, (dp_v3){o.x, o.y, o.z - end * l}, d);
        if (ball.hit && (!first.hit || ball.distance < first.distance)) {
            first = ball;
        }
    }
    return first;
}

// Half spaces, one by one.
static meeting hull_ray(const dp_hull *h, dp_v3 o, dp_v3 d)
{
    stretch s = {.enter = -INFINITY, .leave = INFINITY};
    bool inside = true;
    for (int i = 0; i < h->nface; ++i) {
        const double *plane = h->face_plane + 4 * (size_t)i;
        const dp_v3 n = dp_v3_load(plane);
        const double over = dp_v3_dot(n, o) - plane[3], rate = dp_v3_dot(n, d);
        inside = inside && over <= 0.0;
        if (rate < 0.0) {
            if (over / -rate > s.enter) {
                s.enter = over / -rate;
                s.normal = n;
            }
        } else if (rate > 0.0) {
            s.leave = fmin(s.leave, over / -rate);
        } else if (over > 0.0) {
            return MISS;
        }
    }
    if (inside) {
        return meets_inside();
    }
    return s.enter <= s.leave ? begin_of(&s) : MISS;
}

// --- triangles

// A view along the ray: its axis of the largest component, and how the other two run with it.
typedef struct view {
    dp_v3 d;
    int axis; // z of the view; x and y follow in turn
    double shear_x, shear_y;
} view;

static double component(dp_v3 v, int axis)
{
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

static view view_along(dp_v3 d)
{
    const double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const int axis = x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
    const double along_axis = component(d, axis);
    return (view){d, axis, component(d, (axis + 1) % 3) / along_axis,
                  component(d, (axis + 2) % 3) / along_axis};
}

// The front of a triangle, its corners relative to the origin of the ray. Seen along the ray the
// corners are points in a plane, the same for all triangles that share them, and the side of an
// edge on which the ray lies is the sign of a difference of two products: rounded it may be zero,
// but is never turned, so that zero belongs to both sides [WoopBenthinWald2013].
static bool meets_front(double *distance, const dp_v3 c[3], dp_v3 n, const view *v)
{
    const double rate = dp_v3_dot(n, v->d);
    if (!(rate < 0.0)) {
        return false;
    }
    double x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        const double z = component(c[k], v->axis);
        x[k] = component(c[k], (v->axis + 1) % 3) - v->shear_x * z;
        y[k] = component(c[k], (v->axis + 2) % 3) - v->shear_y * z;
    }
    const double a = x[1] * y[2] - y[1] * x[2], b = x[2] * y[0] - y[2] * x[0];
    const double e = x[0] * y[1] - y[0] * x[1];
    if ((a < 0.0 || b < 0.0 || e < 0.0) && (a > 0.0 || b > 0.0 || e > 0.0)) {
        return false;
    }
    // Between the nearest and the furthest corner, also where the ray grazes it.
    const double t0 = dp_v3_dot(c[0], v->d), t1 = dp_v3_dot(c[1], v->d), t2 = dp_v3_dot(c[2], v->d);
    const double t = dp_v3_dot(n, c[0]) / rate;
    *distance = fmin(fmax(t, fmin(t0, fmin(t1, t2))), fmax(t0, fmax(t1, t2)));
    return *distance >= 0.0;
}

// The first triangle whose front the ray meets.
static meeting ground_ray(const dp_shape *s, dp_v3 o, dp_v3 d, double limit)
{
    meeting first = {.hit = false, .distance = limit};
    const dp_tree_ray ray = dp_tree_ray_make(o, d);
    const view v = view_along(d);
    dp_ground_walk walk;
    dp_ground_walk_begin(&walk, s);
    for (int number; dp_ground_next_on_ray(&number, &walk, &ray, first.distance);) {
        dp_ground_triangle t;
        dp_ground_triangle_get(&t, s, number);
        for (int k = 0; k < 3; ++k) {
            t.corner[k] = dp_v3_sub(t.corner[k], o);
        }
        double distance;
        if (meets_front(&distance, t.corner, t.normal, &v) && distance <= first.distance &&
            (!first.hit || distance < first.distance)) {
            first = (meeting){.hit = true, .distance = distance, .normal = t.normal};
        }
    }
    return first;
}

// Terrain is entered through its sides or its base, or from above through its top.
static meeting terrain_ray(const dp_shape *shape, dp_v3 o, dp_v3 d, double limit)
{
    const dp_terrain *t = shape->terrain;
    int number;
    const bool over = fabs(o.x) <= t->half[0] && fabs(o.y) <= t->half[1];
    if (over && o.z >= -t->depth && o.z <= dp_terrain_height_at(&number, t, o.x, o.y)) {
        return meets_inside();
    }
    const double half = 0.5 * (t->high.z + t->depth), middle = 0.5 * (t->high.z - t->depth);
    stretch s = {.enter = -INFINITY, .leave = INFINITY};
    if (!cut_slab(&s, o.x, d.x, t->half[0], (dp_v3){1.0, 0.0, 0.0}) ||
        !cut_slab(&s, o.y, d.y, t->half[1], (dp_v3){0.0, 1.0, 0.0}) ||
        !cut_slab(&s, o.z - middle, d.z, half, (dp_v3){0.0, 0.0, 1.0}) || s.leave < 0.0) {
        return MISS;
    }
    if (s.enter >= 0.0 && s.normal.z <= 0.0) {
        const dp_v3 x = along(o, s.enter, d);
        if (s.normal.z < 0.0 || x.z <= dp_terrain_height_at(&number, t, x.x, x.y)) {
            return s.enter <= limit ? begin_of(&s) : MISS;
        }
    }
    return ground_ray(shape, o, d, fmin(limit, s.leave * (1.0 + 0x1p-48)));
}

// --- any

static meeting meet(const dp_shape *s, dp_v3 o, dp_v3 d, double limit)
{
    switch (s->kind) {
    case DP_GEOM_PLANE:
        return plane_ray(o, d);
    case DP_GEOM_SPHERE:
        return sphere_ray(s->size[0], o, d);
    case DP_GEOM_CAPSULE:
        return capsule_ray(s->size[0], s->size[1], o, d);
    case DP_GEOM_CYLINDER:
        return cylinder_ray(s->size[0], s->size[1], o, d);
    case DP_GEOM_ELLIPSOID:
        return ellipsoid_ray(s->size, o, d);
    case DP_GEOM_BOX:
        return box_ray(s->size, o, d);
    case DP_GEOM_MESH:
        return s->surface ? ground_ray(s, o, d, limit) : hull_ray(s->hull, o, d);
    case DP_GEOM_HFIELD:
        return terrain_ray(s, o, d, limit);
    }
    return MISS;
}

// v/|v|; squares of what is left after the first division stay within the range of numbers.
static dp_v3 unit(dp_v3 v)
{
    const double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    v = (dp_v3){v.x / largest, v.y / largest, v.z / largest};
    return dp_v3_scale(v, 1.0 / dp_v3_norm(v));
}

dp_status dp_shape_ray(dp_ray_hit *out, const dp_shape *shape, dp_pose X_WS, dp_v3 origin,
                       dp_v3 direction, double limit)
{
    if (!out) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_shape_ray: out is NULL");
    }
    dp_placed s;
    DP_TRY(dp_place_checked(&s, "dp_shape_ray", "shape", shape, &X_WS));
    const double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
    if (!dp_v3_finite(origin) || !dp_v3_finite(direction) || !(largest > 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_shape_ray: the ray is from %g %g %g along %g %g %g (expected finite "
                       "numbers and a direction)",
                       origin.x, origin.y, origin.z, direction.x, direction.y, direction.z);
    }
    if (!(limit >= 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_shape_ray: the limit is %g (expected ≥ 0)", limit);
    }
    const dp_v3 d = unit(direction);
    const meeting m = meet(shape, dp_m3_apply_transposed(&s.R, dp_v3_sub(origin, s.p)),
                           dp_m3_apply_transposed(&s.R, d), limit);
    *out = (dp_ray_hit){.hit = m.hit && m.distance <= limit};
    if (out->hit) {
        out->distance = m.distance;
        out->point = dp_v3_madd(origin, m.distance, d);
        out->normal = m.inside ? dp_v3_scale(d, -1.0) : dp_m3_apply(&s.R, unit(m.normal));
    }
    return DP_OK;
}
