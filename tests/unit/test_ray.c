// Rays: against marching along distance functions, against every triangle in long double, and from
// inside, beside, beyond.
#include "shape_reference.h"
#include "test_random.h"
#include "tiled_floor.h"

#include "math/v3.h"

#include <math.h>
#include <string.h>

static dp_pose random_pose(random_source *r, double reach)
{
    double q[4];
    random_direction(q, 4, r);
    return (dp_pose){{q[0], q[1], q[2], q[3]},
                     {random_between(r, -reach, reach), random_between(r, -reach, reach),
                      random_between(r, -reach, reach)}};
}

static dp_v3 random_unit(random_source *r)
{
    double x[3];
    random_direction(x, 3, r);
    return dp_v3_load(x);
}

static dp_ray_hit ray(const dp_shape *s, dp_pose X, dp_v3 origin, dp_v3 direction, double limit)
{
    dp_ray_hit hit;
    if (dp_shape_ray(&hit, s, X, origin, direction, limit) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return hit;
}

// --- marching

// A lower bound of the distance from a point in the frame of the shape, 0 on and in it, that is
// zero nowhere else.
static long double outside(const dp_shape *s, wide_v3 x)
{
    const long double r = s->size[0], l = s->size[1];
    switch (s->kind) {
    case DP_GEOM_PLANE:
        return fmaxl(x.z, 0.0L);
    case DP_GEOM_SPHERE:
        return fmaxl(wide_norm(x) - r, 0.0L);
    case DP_GEOM_CAPSULE: {
        const long double z = fmaxl(fabsl(x.z) - l, 0.0L);
        return fmaxl(sqrtl(x.x * x.x + x.y * x.y + z * z) - r, 0.0L);
    }
    case DP_GEOM_CYLINDER: {
        const long double z = fmaxl(fabsl(x.z) - l, 0.0L);
        const long double a = fmaxl(sqrtl(x.x * x.x + x.y * x.y) - r, 0.0L);
        return sqrtl(a * a + z * z);
    }
    case DP_GEOM_ELLIPSOID: {
        const long double a = s->size[0], b = s->size[1], c = s->size[2];
        const long double k =
            sqrtl(x.x * x.x / (a * a) + x.y * x.y / (b * b) + x.z * x.z / (c * c));
        return fmaxl((k - 1.0L) * fminl(a, fminl(b, c)), 0.0L);
    }
    case DP_GEOM_BOX: {
        const long double a = fmaxl(fabsl(x.x) - s->size[0], 0.0L);
        const long double b = fmaxl(fabsl(x.y) - s->size[1], 0.0L);
        const long double c = fmaxl(fabsl(x.z) - s->size[2], 0.0L);
        return sqrtl(a * a + b * b + c * c);
    }
    case DP_GEOM_MESH:
    case DP_GEOM_HFIELD:
        break;
    }
    fail_msg("no distance for kind %d", (int)s->kind);
    return 0.0L;
}

typedef enum march_end { MARCH_HIT, MARCH_MISS, MARCH_UNDECIDED } march_end;

// March in steps that cannot pass the shape, up to `limit`.
static march_end march(long double *distance, const dp_shape *s, const reference_body *frame,
                       dp_v3 origin, dp_v3 direction, long double limit, long double near)
{
    const wide_v3 from = wide_sub(wide_from(origin), frame->p);
    wide_v3 d = wide_from(direction);
    d = wide_scale(d, 1.0L / wide_norm(d));
    long double t = 0.0L;
    for (int i = 0; i < 20000; ++i) {
        const wide_v3 w = {from.x + t * d.x, from.y + t * d.y, from.z + t * d.z};
        const wide_v3 x = {
            frame->R[0][0] * w.x + frame->R[1][0] * w.y + frame->R[2][0] * w.z,
            frame->R[0][1] * w.x + frame->R[1][1] * w.y + frame->R[2][1] * w.z,
            frame->R[0][2] * w.x + frame->R[1][2] * w.y + frame->R[2][2] * w.z,
        };
        const long double step = outside(s, x);
        if (step <= near) {
            *distance = t;
            return MARCH_HIT;
        }
        t += step;
        if (t > limit) {
            return MARCH_MISS;
        }
    }
    return MARCH_UNDECIDED;
}

static void rays_meet_solids_where_marching_stops(void **state)
{
    (void)state;
    random_source r = {3};
    int hits = 0, misses = 0;
    for (int i = 0; i < 6000; ++i) {
        const double scale = pow(10.0, random_between(&r, -6.0, 6.0));
        dp_shape s = {.kind = (dp_geom_kind)(DP_GEOM_PLANE + i % 6)};
        for (int k = 0; k < 3; ++k) {
            s.size[k] = scale * pow(10.0, random_between(&r, -1.0, 0.0));
        }
        const dp_pose X = random_pose(&r, scale);
        const reference_body frame = reference_place(&s, NULL, 0, X);
        const dp_v3 origin = dp_v3_madd(X.p, scale * random_between(&r, 0.0, 5.0), random_unit(&r));
        const dp_v3 target = dp_v3_madd(X.p, scale * random_between(&r, 0.0, 1.5), random_unit(&r));
        const dp_v3 d =
            dp_v3_scale(dp_v3_sub(target, origin), random_between(&r, 0.1, 10.0) / scale);
        const double limit = 10.0 * scale;
        // Grazing rays: where the shape is missed or hit by less, both answers are right.
        const long double near = 1e-13L * scale;
        long double expected = 0.0L;
        const march_end end = march(&expected, &s, &frame, origin, d, limit, near);
        const dp_ray_hit hit = ray(&s, X, origin, d, limit);
        if (end == MARCH_UNDECIDED) {
            continue;
        }
        if (hit.hit != (end == MARCH_HIT)) {
            // Only a ray that passes by within round-off of the surface may be in doubt.
            const march_end wider = march(&expected, &s, &frame, origin, d, limit, 1e-9L * scale);
            assert_int_equal(wider, MARCH_HIT);
            continue;
        }
        if (!hit.hit) {
            ++misses;
            continue;
        }
        ++hits;
        // The march stops short where the ray comes in flat: as far as its slope says.
        const dp_v3 u = dp_v3_scale(d, 1.0 / dp_v3_norm(d));
        const double slope = fmax(-dp_v3_dot(u, hit.normal), 1e-3);
        assert_near(hit.distance / scale, (double)(expected / scale), 1e-11 / slope);
        assert_near(dp_v3_norm(hit.normal), 1.0, 1e-14);
        const dp_v3 x = dp_v3_madd(origin, hit.distance, u);
        assert_near(dp_v3_norm(dp_v3_sub(x, hit.point)) / scale, 0.0, 1e-14 * 20.0);
    }
    assert_true(hits > 2000 && misses > 1000);
}

static void the_normal_of_a_hit_is_that_of_the_surface(void **state)
{
    (void)state;
    random_source r = {4};
    for (int i = 0; i < 3000; ++i) {
        dp_shape s = {.kind = (dp_geom_kind)(DP_GEOM_SPHERE + i % 5)};
        for (int k = 0; k < 3; ++k) {
            s.size[k] = random_between(&r, 0.3, 1.0);
        }
        const dp_pose X = random_pose(&r, 1.0);
        const dp_v3 origin = dp_v3_madd(X.p, 4.0, random_unit(&r));
        const dp_v3 target = dp_v3_madd(X.p, random_between(&r, 0.0, 0.2), random_unit(&r));
        const dp_ray_hit hit = ray(&s, X, origin, dp_v3_sub(target, origin), INFINITY);
        assert_true(hit.hit);
        // No point of the shape is above the tangent plane.
        const reference_body body = reference_place(&s, NULL, 0, X);
        const wide_v3 n = wide_from(hit.normal);
        const long double top = wide_dot(n, reference_support(&body, n));
        const long double at = wide_dot(n, wide_sub(wide_from(hit.point), body.p));
        assert_near((double)(top - at), 0.0, 1e-13);
    }
}

static void a_ray_that_begins_inside_meets_the_shape_at_once(void **state)
{
    (void)state;
    random_source r = {5};
    for (int i = 0; i < 3000; ++i) {
        dp_shape s = {.kind = (dp_geom_kind)(DP_GEOM_SPHERE + i % 5)};
        for (int k = 0; k < 3; ++k) {
            s.size[k] = random_between(&r, 0.3, 1.0);
        }
        const dp_pose X = random_pose(&r, 1.0);
        const dp_v3 d = dp_v3_scale(random_unit(&r), random_between(&r, 0.1, 3.0));
        const dp_v3 origin = dp_v3_madd(X.p, 0.15, random_unit(&r));
        const dp_ray_hit hit = ray(&s, X, origin, d, 0.0);
        assert_true(hit.hit);
        assert_true(hit.distance == 0.0);
        assert_near(dp_v3_dot(hit.normal, d) / dp_v3_norm(d), -1.0, 1e-15);
    }
}

static void rays_look_forward_and_no_further_than_the_limit(void **state)
{
    (void)state;
    const dp_shape box = {.kind = DP_GEOM_BOX, .size = {1.0, 1.0, 1.0}};
    const dp_v3 from = {3.0, 0.2, 0.3}, to = {-1.0, 0.0, 0.0}, back = {1.0, 0.0, 0.0};
    assert_true(ray(&box, DP_IDENTITY_POSE, from, to, 2.0).hit);
    assert_false(ray(&box, DP_IDENTITY_POSE, from, to, 1.999999).hit);
    assert_false(ray(&box, DP_IDENTITY_POSE, from, back, INFINITY).hit);
}

static void rays_from_very_far_are_met_to_round_off_of_the_way(void **state)
{
    (void)state;
    random_source r = {6};
    for (int i = 0; i < 2000; ++i) {
        dp_shape s = {.kind = (dp_geom_kind)(DP_GEOM_SPHERE + i % 5), .size = {1.0, 1.0, 1.0}};
        const dp_v3 d = random_unit(&r);
        const double far = pow(10.0, random_between(&r, 0.5, 9.0));
        // Aimed at the middle, up to the round-off of the way.
        const dp_ray_hit hit = ray(&s, DP_IDENTITY_POSE, dp_v3_scale(d, -far), d, INFINITY);
        assert_true(hit.hit);
        const double reach = dp_v3_norm(hit.point);
        assert_true(reach >= 1.0 - 1e-15 * far - 1e-14 && reach <= 2.0 + 1e-15 * far + 1e-14);
    }
}

// --- hulls, surfaces, terrain

// The first front of any triangle along a ray, in long double.
static bool first_front(long double *distance, const floor_mesh *f, dp_v3 origin, dp_v3 direction,
                        double limit)
{
    const wide_v3 o = wide_from(origin);
    wide_v3 d = wide_from(direction);
    d = wide_scale(d, 1.0L / wide_norm(d));
    bool found = false;
    *distance = limit;
    for (int i = 0; i < f->nface; ++i) {
        wide_v3 c[3];
        for (int k = 0; k < 3; ++k) {
            c[k] = wide_sub(wide_from(dp_v3_load(f->vertex + 3 * f->face[3 * i + k])), o);
        }
        const wide_v3 n = wide_cross(wide_sub(c[1], c[0]), wide_sub(c[2], c[0]));
        const long double rate = wide_dot(n, d);
        if (!(rate < 0.0L)) {
            continue;
        }
        const long double t = wide_dot(n, c[0]) / rate;
        const wide_v3 x = wide_scale(d, t);
        bool in = t >= 0.0L && t <= *distance;
        for (int k = 0; k < 3 && in; ++k) {
            const wide_v3 side = wide_sub(c[(k + 1) % 3], c[k]);
            in = wide_dot(wide_cross(side, wide_sub(x, c[k])), n) >= 0.0L;
        }
        if (in) {
            found = true;
            *distance = t;
        }
    }
    return found;
}

static double hills(double x, double y)
{
    return 0.4 * sin(2.0 * x) * cos(1.5 * y) + 0.2 * sin(7.0 * x + 3.0 * y);
}

static void rays_on_surfaces_agree_with_every_triangle_in_turn(void **state)
{
    (void)state;
    random_source r = {7};
    floor_mesh f = floor_mesh_make(&r, 24, 3.0, 0.2, 0.0);
    floor_mesh_bend(&f, hills);
    dp_surface *surface = floor_surface(&f);
    const dp_shape s = {.kind = DP_GEOM_MESH, .surface = surface};
    int hits = 0;
    for (int i = 0; i < 4000; ++i) {
        const dp_v3 o = {random_between(&r, -4.0, 4.0), random_between(&r, -4.0, 4.0),
                         random_between(&r, -1.0, 2.0)};
        dp_v3 d = random_unit(&r);
        if (i % 2) {
            d.z *= 0.05; // grazing
        }
        const double limit = i % 3 ? INFINITY : random_between(&r, 0.0, 3.0);
        long double expected;
        const bool found = first_front(&expected, &f, o, d, limit);
        const dp_ray_hit hit = ray(&s, DP_IDENTITY_POSE, o, d, limit);
        assert_int_equal(hit.hit, found);
        if (found) {
            ++hits;
            assert_near(hit.distance, (double)expected, 1e-12);
            assert_true(dp_v3_dot(hit.normal, d) < 0.0);
        }
    }
    assert_true(hits > 500);
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

static void no_ray_slips_between_two_triangles(void **state)
{
    (void)state;
    random_source r = {8};
    floor_mesh f = floor_mesh_make(&r, 20, 1.0, 0.2, 0.0);
    dp_surface *surface = floor_surface(&f);
    const dp_shape s = {.kind = DP_GEOM_MESH, .surface = surface};
    for (int i = 0; i < 20000; ++i) {
        // Through a point of an edge, or a vertex, as near as numbers allow.
        const int face = random_below(&r, f.nface), k = random_below(&r, 3);
        const dp_v3 a = dp_v3_load(f.vertex + 3 * f.face[3 * face + k]);
        const dp_v3 b = dp_v3_load(f.vertex + 3 * f.face[3 * face + (k + 1) % 3]);
        const dp_v3 x = dp_v3_madd(a, i % 4 ? random_between(&r, 0.0, 1.0) : 0.0, dp_v3_sub(b, a));
        if (fabs(x.x) > 0.99 || fabs(x.y) > 0.99) {
            continue; // the rim has one side only
        }
        dp_v3 d = random_unit(&r);
        d.z = -fabs(d.z) - 0.01;
        const dp_v3 o = dp_v3_madd(x, -random_between(&r, 0.1, 10.0), d);
        assert_true(ray(&s, DP_IDENTITY_POSE, o, d, INFINITY).hit);
    }
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

static void rays_on_hulls_agree_with_every_face_in_turn(void **state)
{
    (void)state;
    random_source r = {9};
    for (int n = 0; n < 20; ++n) {
        double vertex[3 * 40];
        for (int k = 0; k < 3 * 40; ++k) {
            vertex[k] = random_between(&r, -1.0, 1.0);
        }
        dp_hull *hull;
        assert_int_equal(dp_hull_create(&hull, vertex, 40, NULL), DP_OK);
        const dp_shape s = {.kind = DP_GEOM_MESH, .hull = hull};
        for (int i = 0; i < 200; ++i) {
            const dp_v3 d = random_unit(&r);
            const dp_v3 o = dp_v3_madd((dp_v3){0.0, 0.0, 0.0}, 4.0, random_unit(&r));
            const dp_v3 target = dp_v3_scale(random_unit(&r), random_between(&r, 0.0, 1.2));
            const dp_v3 aim = i % 4 ? dp_v3_sub(target, o) : d;
            const dp_ray_hit hit = ray(&s, DP_IDENTITY_POSE, o, aim, INFINITY);
            // Of all vertices none is above the plane of the hit, and the point is not outside.
            if (hit.hit) {
                double top = -INFINITY;
                for (int k = 0; k < 40; ++k) {
                    top = fmax(top, dp_v3_dot(hit.normal, dp_v3_load(vertex + 3 * k)));
                }
                assert_near(top, dp_v3_dot(hit.normal, hit.point), 1e-13);
            } else {
                // Some plane along the ray has all vertices on one side: seen along the ray, the
                // origin is outside of the outline of the points.
                const dp_v3 u = dp_v3_scale(aim, 1.0 / dp_v3_norm(aim));
                bool apart = false;
                for (int k = 0; k < 720 && !apart; ++k) {
                    const double angle = k * (3.14159265358979 / 360.0);
                    const dp_v3 e =
                        fabs(u.x) < 0.6 ? (dp_v3){1.0, 0.0, 0.0} : (dp_v3){0.0, 1.0, 0.0};
                    const dp_v3 p = dp_v3_cross(u, e), q = dp_v3_cross(u, p);
                    const dp_v3 w = dp_v3_madd(dp_v3_scale(p, cos(angle)), sin(angle), q);
                    apart = true;
                    for (int j = 0; j < 40 && apart; ++j) {
                        apart = dp_v3_dot(w, dp_v3_sub(dp_v3_load(vertex + 3 * j), o)) < 0.02;
                    }
                }
                assert_true(apart || dp_v3_dot(u, o) > 0.0);
            }
        }
        dp_hull_destroy(hull);
    }
}

enum { ROWS = 17, COLUMNS = 23 };

static dp_terrain *hilly_terrain(double *elevation, random_source *r)
{
    for (int i = 0; i < ROWS * COLUMNS; ++i) {
        elevation[i] = random_between(r, 0.0, 1.0);
    }
    const dp_hfield_spec spec = {
        .nrow = ROWS, .ncol = COLUMNS, .elevation = elevation, .size = {3.0, 2.0, 0.7, 0.5}};
    dp_terrain *t;
    assert_int_equal(dp_terrain_create(&t, &spec, NULL), DP_OK);
    return t;
}

// The height over a point by the two triangles of its cell, with the diagonal from (row, column) to
// (row + 1, column + 1).
static double height_over(const double *elevation, double x, double y)
{
    const double u = (x + 3.0) / 6.0 * (COLUMNS - 1), v = (y + 2.0) / 4.0 * (ROWS - 1);
    const int j = u >= COLUMNS - 1 ? COLUMNS - 2 : (u > 0.0 ? (int)u : 0);
    const int i = v >= ROWS - 1 ? ROWS - 2 : (v > 0.0 ? (int)v : 0);
    const double a = u - j, b = v - i;
    const double z00 = elevation[i * COLUMNS + j], z01 = elevation[i * COLUMNS + j + 1];
    const double z10 = elevation[(i + 1) * COLUMNS + j], z11 = elevation[(i + 1) * COLUMNS + j + 1];
    return 0.7 * (a >= b ? z00 + a * (z01 - z00) + b * (z11 - z01)
                         : z00 + b * (z10 - z00) + a * (z11 - z10));
}

static void rays_meet_terrain_where_they_come_below_its_heights(void **state)
{
    (void)state;
    random_source r = {10};
    double elevation[ROWS * COLUMNS];
    dp_terrain *terrain = hilly_terrain(elevation, &r);
    const dp_shape s = {.kind = DP_GEOM_HFIELD, .terrain = terrain};
    int hits = 0, inside = 0, misses = 0;
    for (int i = 0; i < 3000; ++i) {
        const dp_v3 o = {random_between(&r, -4.0, 4.0), random_between(&r, -3.0, 3.0),
                         random_between(&r, -1.0, 1.5)};
        dp_v3 d = random_unit(&r);
        if (i % 2) {
            d.z *= 0.1;
        }
        d = dp_v3_scale(d, 1.0 / dp_v3_norm(d));
        const dp_ray_hit hit = ray(&s, DP_IDENTITY_POSE, o, d, INFINITY);
        // Small steps along the ray: the first that is in the ground.
        const double step = 1e-3;
        double t = 0.0;
        bool in = false;
        for (; t < 12.0 && !in; t += step) {
            const dp_v3 x = dp_v3_madd(o, t, d);
            in = fabs(x.x) <= 3.0 && fabs(x.y) <= 2.0 && x.z >= -0.5 &&
                 x.z <= height_over(elevation, x.x, x.y);
        }
        t -= step;
        if (in) {
            assert_true(hit.hit);
            assert_true(hit.distance <= t + 1e-12);
            inside += hit.distance == 0.0;
            ++hits;
        } else {
            ++misses;
        }
        if (hit.hit) { // perhaps one that the steps passed over: it is on the ground
            const dp_v3 x = hit.point;
            const double top = height_over(elevation, x.x, x.y);
            assert_true(fabs(x.x) <= 3.0 + 1e-12 && fabs(x.y) <= 2.0 + 1e-12);
            assert_true(x.z >= -0.5 - 1e-12 && x.z <= top + 1e-12);
            const bool on_side = fabs(fabs(x.x) - 3.0) < 1e-12 || fabs(fabs(x.y) - 2.0) < 1e-12;
            assert_true(hit.distance == 0.0 || on_side || fabs(x.z + 0.5) < 1e-12 ||
                        fabs(x.z - top) < 1e-12);
        }
    }
    assert_true(hits > 800 && inside > 100 && misses > 800);
    dp_terrain_destroy(terrain);
}

static void rays_that_are_none_are_refused(void **state)
{
    (void)state;
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {1.0}};
    const dp_v3 zero = {0.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0}, lost = {NAN, 0.0, 0.0};
    dp_pose bad = DP_IDENTITY_POSE;
    bad.p.z = NAN;
    dp_ray_hit hit;
    assert_int_equal(dp_shape_ray(&hit, &ball, DP_IDENTITY_POSE, x, zero, 1.0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_ray(&hit, &ball, DP_IDENTITY_POSE, lost, x, 1.0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_ray(&hit, &ball, DP_IDENTITY_POSE, x, lost, 1.0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_ray(&hit, &ball, DP_IDENTITY_POSE, x, x, -1.0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_ray(&hit, &ball, DP_IDENTITY_POSE, x, x, NAN), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_ray(&hit, &ball, bad, x, x, 1.0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_ray(NULL, &ball, DP_IDENTITY_POSE, x, x, 1.0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_ray(&hit, NULL, DP_IDENTITY_POSE, x, x, 1.0), DP_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_solids_where_marching_stops),
        cmocka_unit_test(the_normal_of_a_hit_is_that_of_the_surface),
        cmocka_unit_test(a_ray_that_begins_inside_meets_the_shape_at_once),
        cmocka_unit_test(rays_look_forward_and_no_further_than_the_limit),
        cmocka_unit_test(rays_from_very_far_are_met_to_round_off_of_the_way),
        cmocka_unit_test(rays_on_surfaces_agree_with_every_triangle_in_turn),
        cmocka_unit_test(no_ray_slips_between_two_triangles),
        cmocka_unit_test(rays_on_hulls_agree_with_every_face_in_turn),
        cmocka_unit_test(rays_meet_terrain_where_they_come_below_its_heights),
        cmocka_unit_test(rays_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
