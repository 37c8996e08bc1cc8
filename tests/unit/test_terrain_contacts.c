// Convex shapes on surfaces and terrains: floors of many triangles against planes, convex meshes
// against their hulls, terrain against the surface of its triangles, and what edges do.
#include "shape_reference.h"
#include "test_random.h"
#include "tiled_floor.h"

#include "geom/hull.h"
#include "geom/mesh/ground.h"
#include "math/v3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 160 };

typedef struct contacts {
    dp_contact_point point[ROOM];
    dp_contact_buffer buffer;
    int npatch;
    double least; // gap
    int deepest;
} contacts;

static void touch(contacts *c, const dp_shape *a, dp_pose X_WA, const dp_shape *b, dp_pose X_WB,
                  double margin)
{
    c->buffer = (dp_contact_buffer){.point = c->point, .capacity = ROOM};
    if (dp_shapes_contacts(&c->buffer, a, X_WA, b, X_WB, margin, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    c->npatch = 0;
    c->least = INFINITY;
    c->deepest = -1;
    double sum[ROOM] = {0.0};
    int points[ROOM] = {0};
    for (int i = 0; i < c->buffer.count; ++i) {
        const dp_contact_point *p = &c->point[i];
        if (!(p->gap < margin && p->weight > 0.0)) {
            fail_msg("gap %g, weight %g, patch %d of kind %d", p->gap, p->weight, p->patch,
                     (int)a->kind);
        }
        assert_near(dp_v3_norm(p->normal), 1.0, 1e-14);
        sum[p->patch] += p->weight;
        points[p->patch] += 1;
        c->npatch = p->patch >= c->npatch ? p->patch + 1 : c->npatch;
        if (p->gap < c->least) {
            c->least = p->gap;
            c->deepest = i;
        }
    }
    for (int k = 0; k < c->npatch; ++k) {
        assert_near(sum[k], 1.0, 1e-14);
        assert_true(points[k] <= DP_PATCH_POINTS);
    }
}

static dp_distance distance_of(const dp_shape *a, dp_pose X_WA, const dp_shape *b, dp_pose X_WB,
                               double limit)
{
    dp_distance d;
    if (dp_shapes_distance(&d, a, X_WA, b, X_WB, limit, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return d;
}

static dp_quat random_turn(random_source *r)
{
    double q[4];
    random_direction(q, 4, r);
    return dp_quat_load(q);
}

static dp_pose random_place(random_source *r, double reach)
{
    return (dp_pose){random_turn(r),
                     {random_between(r, -reach, reach), random_between(r, -reach, reach),
                      random_between(r, -reach, reach)}};
}

// One of the convex kinds; hulls are `hull`.
static dp_shape random_solid(random_source *r, int which, const dp_hull *hull)
{
    dp_shape s = {.kind = (dp_geom_kind)(DP_GEOM_SPHERE + which % 6)};
    for (int k = 0; k < 3; ++k) {
        s.size[k] = random_between(r, 0.1, 0.8);
    }
    s.hull = s.kind == DP_GEOM_MESH ? hull : NULL;
    return s;
}

static dp_hull *random_hull(random_source *r, int n)
{
    double vertex[3 * 40];
    for (int k = 0; k < 3 * n; ++k) {
        vertex[k] = random_between(r, -0.7, 0.7);
    }
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, vertex, n, NULL), DP_OK);
    return hull;
}

// How far the shape reaches down, upright.
static double foot(const dp_shape *s)
{
    return s->kind == DP_GEOM_CAPSULE                               ? s->size[0] + s->size[1]
           : s->kind == DP_GEOM_CYLINDER                            ? s->size[1]
           : s->kind == DP_GEOM_BOX || s->kind == DP_GEOM_ELLIPSOID ? s->size[2]
                                                                    : s->size[0];
}

static dp_v3 weighted_centre(const contacts *c)
{
    dp_v3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < c->buffer.count; ++i) {
        sum = dp_v3_madd(sum, c->point[i].weight, c->point[i].point);
    }
    return sum;
}

// --- flat ground

// Round-off of some operations on lengths of up to ten.
static const double ROUND_OFF = 1e-13;

// Contacts with ground that is flat, against those with a plane.
static void assert_as_on_a_plane(const dp_shape *s, dp_pose X, const dp_shape *ground, dp_pose X_WG,
                                 dp_pose X_WP, double margin)
{
    const dp_shape plane = {.kind = DP_GEOM_PLANE};
    contacts got, expected;
    touch(&got, s, X, ground, X_WG, margin);
    touch(&expected, s, X, &plane, X_WP, margin);
    assert_int_equal(got.buffer.count > 0, expected.buffer.count > 0);
    if (got.buffer.count == 0) {
        return;
    }
    assert_int_equal(got.npatch, 1);
    assert_near(got.least, expected.least, ROUND_OFF);
    // On a tilted rim the share of the lowest point may differ, and where a face is partly beyond
    // the margin the shares of its corners do.
    if (s->kind != DP_GEOM_CYLINDER && margin > 1.0) {
        assert_int_equal(got.buffer.count, expected.buffer.count);
        const dp_v3 off = dp_v3_sub(weighted_centre(&got), weighted_centre(&expected));
        assert_near(dp_v3_norm(off), 0.0, ROUND_OFF);
    }
    for (int i = 0; i < got.buffer.count; ++i) {
        const dp_v3 n = dp_v3_sub(got.point[i].normal, expected.point[0].normal);
        assert_near(dp_v3_norm(n), 0.0, 1e-14);
    }
}

// Shapes near a floor around the origin of `X_WF`: random ones, and some that stand upright on it.
static void try_on_floor(random_source *r, const dp_shape *floor, dp_pose X_WF, dp_pose X_WP, int n,
                         double reach)
{
    dp_hull *hull = random_hull(r, 12);
    for (int i = 0; i < n; ++i) {
        const dp_shape s = random_solid(r, i, hull);
        dp_pose X = DP_IDENTITY_POSE;
        const dp_v3 at = {random_between(r, -reach, reach), random_between(r, -reach, reach), 0.0};
        X.p = at;
        if (i % 4 == 0) {
            // Also in line with the axes, where the corners of an outline are level.
            const double half = i % 8 ? random_between(r, -1.5, 1.5) : 0.0;
            X.q = (dp_quat){cos(half), 0.0, 0.0, sin(half)};
            X.p.z = foot(&s) + random_between(r, -0.01, 0.04);
        } else {
            X.q = random_turn(r);
            const dp_shape plane = {.kind = DP_GEOM_PLANE};
            X.p.z = 2.0;
            const dp_distance d = distance_of(&s, X, &plane, DP_IDENTITY_POSE, INFINITY);
            X.p.z -= d.gap + random_between(r, -0.06, 0.05);
        }
        assert_as_on_a_plane(&s, dp_pose_mul(X_WP, X), floor, X_WF, X_WP, 0.05);
        assert_as_on_a_plane(&s, dp_pose_mul(X_WP, X), floor, X_WF, X_WP, 1.5);
    }
    dp_hull_destroy(hull);
}

static void shapes_touch_a_floor_of_triangles_as_they_touch_a_plane(void **state)
{
    (void)state;
    random_source r = {1};
    for (int k = 0; k < 6; ++k) {
        floor_mesh f = floor_mesh_make(&r, 20, 5.0, 0.2, 0.0);
        dp_surface *surface = floor_surface(&f);
        const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
        const dp_pose X = k % 2 ? random_place(&r, 3.0) : DP_IDENTITY_POSE;
        try_on_floor(&r, &floor, X, X, 300, 2.5);
        dp_surface_destroy(surface);
        floor_mesh_free(&f);
    }
}

static void slivers_make_no_difference(void **state)
{
    (void)state;
    random_source r = {2};
    const double width[4] = {1e-2, 1e-4, 1e-6, 1e-8};
    for (int k = 0; k < 4; ++k) {
        floor_mesh f = floor_mesh_make(&r, 20, 5.0, 0.1 * width[k], width[k]);
        dp_surface *surface = floor_surface(&f);
        const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
        const dp_pose X = random_place(&r, 3.0);
        try_on_floor(&r, &floor, X, X, 200, 2.5);
        dp_surface_destroy(surface);
        floor_mesh_free(&f);
    }
}

// The floor as points in space: turned and rounded before the surface is made.
static void a_floor_whose_corners_are_rounded_is_still_flat(void **state)
{
    (void)state;
    random_source r = {3};
    for (int k = 0; k < 4; ++k) {
        floor_mesh f = floor_mesh_make(&r, 16, 5.0, k < 2 ? 0.2 : 1e-5, k < 2 ? 0.0 : 1e-4);
        const dp_pose X = {random_turn(&r), {1.0, -2.0, 0.5}};
        for (int i = 0; i < f.nvertex; ++i) {
            dp_v3_store(f.vertex + 3 * i, dp_pose_apply(X, dp_v3_load(f.vertex + 3 * i)));
        }
        dp_surface *surface = floor_surface(&f);
        const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
        try_on_floor(&r, &floor, DP_IDENTITY_POSE, X, 200, 2.5);
        dp_surface_destroy(surface);
        floor_mesh_free(&f);
    }
}

static void floors_that_meet_without_sharing_corners_are_one(void **state)
{
    (void)state;
    random_source r = {4};
    // Left and right half, cut differently: the corners of one lie on the edges of the other.
    floor_mesh left = floor_mesh_make(&r, 12, 5.0, 0.0, 0.0);
    floor_mesh right = floor_mesh_make(&r, 17, 5.0, 0.0, 0.0);
    const int nvertex = left.nvertex + right.nvertex, nface = left.nface + right.nface;
    double *vertex = malloc(sizeof(double) * 3 * (size_t)nvertex);
    int *face = malloc(sizeof(int) * 3 * (size_t)nface);
    assert_non_null(vertex);
    assert_non_null(face);
    for (int i = 0; i < nvertex; ++i) {
        const bool first = i < left.nvertex;
        const double *x = first ? left.vertex + 3 * i : right.vertex + 3 * (i - left.nvertex);
        vertex[3 * i] = x[0] + (first ? -5.0 : 5.0);
        vertex[3 * i + 1] = x[1];
        vertex[3 * i + 2] = 0.0;
    }
    for (int i = 0; i < 3 * nface; ++i) {
        face[i] = i < 3 * left.nface ? left.face[i] : right.face[i - 3 * left.nface] + left.nvertex;
    }
    dp_surface *surface;
    assert_int_equal(dp_surface_create(&surface, vertex, nvertex, face, nface, NULL), DP_OK);
    const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
    try_on_floor(&r, &floor, DP_IDENTITY_POSE, DP_IDENTITY_POSE, 500, 1.0);
    dp_surface_destroy(surface);
    free(vertex);
    free(face);
    floor_mesh_free(&left);
    floor_mesh_free(&right);
}

enum { GRID = 33 };

static dp_terrain *slope_terrain(double *elevation, double along_x, double along_y)
{
    for (int i = 0; i < GRID; ++i) {
        for (int j = 0; j < GRID; ++j) {
            elevation[i * GRID + j] = 0.5 + along_x * (j - GRID / 2) + along_y * (i - GRID / 2);
        }
    }
    const dp_hfield_spec spec = {
        .nrow = GRID, .ncol = GRID, .elevation = elevation, .size = {5.0, 5.0, 2.0, 1.0}};
    dp_terrain *t;
    assert_int_equal(dp_terrain_create(&t, &spec, NULL), DP_OK);
    return t;
}

static void shapes_touch_flat_terrain_as_they_touch_a_plane(void **state)
{
    (void)state;
    random_source r = {5};
    double elevation[GRID * GRID];
    for (int k = 0; k < 4; ++k) {
        const double a = k ? random_between(&r, -0.01, 0.01) : 0.0;
        const double b = k ? random_between(&r, -0.01, 0.01) : 0.0;
        dp_terrain *terrain = slope_terrain(elevation, a, b);
        const dp_shape ground = {.kind = DP_GEOM_HFIELD, .terrain = terrain};
        // z = 1 + u x + v y: the plane with that normal through (0, 0, 1).
        const double u = a * 2.0 * (GRID - 1) / 10.0, v = b * 2.0 * (GRID - 1) / 10.0;
        const dp_v3 n = dp_v3_scale((dp_v3){-u, -v, 1.0}, 1.0 / sqrt(1.0 + u * u + v * v));
        const dp_quat q = dp_quat_unit((dp_quat){1.0 + n.z, -n.y, n.x, 0.0});
        const dp_pose plane = {q, {0.0, 0.0, 1.0}};
        const dp_pose X = k % 2 ? random_place(&r, 2.0) : DP_IDENTITY_POSE;
        try_on_floor(&r, &ground, X, dp_pose_mul(X, plane), 300, 2.5);
        dp_terrain_destroy(terrain);
    }
}

// A path over many edges: what sinks a little into the floor keeps its gap, normal and points.
static void nothing_bumps_on_its_way_over_a_tiled_floor(void **state)
{
    (void)state;
    random_source r = {6};
    floor_mesh f = floor_mesh_make(&r, 40, 5.0, 0.24, 0.0);
    dp_surface *surface = floor_surface(&f);
    const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape solid[5] = {{.kind = DP_GEOM_SPHERE, .size = {0.3}},
                               {.kind = DP_GEOM_CAPSULE, .size = {0.1, 0.4}},
                               {.kind = DP_GEOM_CYLINDER, .size = {0.3, 0.2}},
                               {.kind = DP_GEOM_BOX, .size = {0.35, 0.2, 0.1}},
                               {.kind = DP_GEOM_ELLIPSOID, .size = {0.3, 0.2, 0.15}}};
    for (int k = 0; k < 5; ++k) {
        const bool lying = k == 1;
        const double height = (lying ? 0.1 : foot(&solid[k])) - 1e-4;
        const double h = sqrt(0.5);
        int count = -1;
        for (int i = 0; i <= 1500; ++i) {
            const double s = -4.0 + 8.0 * i / 1500.0, half = 0.5 * s;
            const dp_quat spin = {cos(half), 0.0, 0.0, sin(half)};
            const dp_quat lie = {h, 0.0, h, 0.0};
            const dp_pose X = {lying ? dp_quat_mul(spin, lie) : spin, {s, 0.37 * s + 0.1, height}};
            contacts c;
            touch(&c, &solid[k], X, &floor, DP_IDENTITY_POSE, 0.01);
            assert_int_equal(c.npatch, 1);
            count = count < 0 ? c.buffer.count : count;
            assert_int_equal(c.buffer.count, count);
            for (int j = 0; j < count; ++j) {
                assert_near(c.point[j].gap, -1e-4, 1e-15);
                assert_true(c.point[j].normal.x == 0.0 && c.point[j].normal.y == 0.0);
            }
            const dp_v3 centre = weighted_centre(&c);
            assert_near(centre.x, X.p.x, 1e-14);
            assert_near(centre.y, X.p.y, 1e-14);
        }
    }
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

static void a_resting_box_keeps_its_points_under_tiny_changes(void **state)
{
    (void)state;
    random_source r = {14};
    floor_mesh f = floor_mesh_make(&r, 30, 3.0, 0.2, 0.0);
    dp_surface *surface = floor_surface(&f);
    const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape box = {.kind = DP_GEOM_BOX, .size = {0.3, 0.25, 0.1}};
    const double tiny = 1e-12;
    for (int i = 0; i < 500; ++i) {
        const double half = random_between(&r, -1.5, 1.5);
        dp_pose X = {{cos(half), 0.0, 0.0, sin(half)},
                     {random_between(&r, -2.0, 2.0), random_between(&r, -2.0, 2.0), 0.0999}};
        contacts before, after;
        touch(&before, &box, X, &floor, DP_IDENTITY_POSE, 0.01);
        X.q.x += tiny * random_between(&r, -1.0, 1.0);
        X.q.y += tiny * random_between(&r, -1.0, 1.0);
        X.p.x += tiny * random_between(&r, -1.0, 1.0);
        X.p.z += tiny * random_between(&r, -1.0, 1.0);
        touch(&after, &box, X, &floor, DP_IDENTITY_POSE, 0.01);
        assert_int_equal(before.buffer.count, 4);
        assert_int_equal(after.buffer.count, 4);
        for (int k = 0; k < 4; ++k) {
            int same = -1;
            for (int j = 0; j < 4; ++j) {
                same = after.point[j].feature == before.point[k].feature ? j : same;
            }
            assert_true(same >= 0);
            const dp_v3 moved = dp_v3_sub(after.point[same].point, before.point[k].point);
            assert_near(dp_v3_norm(moved), 0.0, 4.0 * tiny);
            assert_near(after.point[same].gap, before.point[k].gap, 4.0 * tiny);
            assert_near(after.point[same].weight, before.point[k].weight, 4.0 * tiny);
        }
    }
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

// --- curved ground

// The faces of the hull of a cloud are a surface around it.
static void a_convex_surface_touches_like_its_hull(void **state)
{
    (void)state;
    random_source r = {7};
    int n = 0, differ = 0;
    for (int k = 0; k < 8; ++k) {
        dp_pool pool;
        dp_pool_init(&pool, NULL);
        double vertex[3 * 30];
        const int count = 6 + random_below(&r, 24);
        for (int i = 0; i < 3 * count; ++i) {
            vertex[i] = random_between(&r, -1.0, 1.0);
        }
        const dp_mesh cloud = {.vertex = vertex, .nvertex = count};
        dp_mesh mesh;
        assert_int_equal(dp_mesh_hull(&mesh, &pool, &cloud, 0), DP_OK);
        dp_surface *surface;
        dp_hull *hull, *other = random_hull(&r, 10);
        assert_int_equal(
            dp_surface_create(&surface, mesh.vertex, mesh.nvertex, mesh.face, mesh.nface, NULL),
            DP_OK);
        assert_int_equal(dp_hull_create(&hull, vertex, count, NULL), DP_OK);
        const dp_shape skin = {.kind = DP_GEOM_MESH, .surface = surface};
        const dp_shape body = {.kind = DP_GEOM_MESH, .hull = hull};
        for (int i = 0; i < 600; ++i) {
            const dp_shape s = random_solid(&r, i, other);
            dp_pose X = random_place(&r, 1.5);
            const dp_pose X_WB = random_place(&r, 0.5);
            X.p = dp_v3_add(X.p, (dp_v3){0.0, 0.0, 1.0});
            // To a gap between −0.03 and 0.06.
            dp_distance d = distance_of(&s, X, &body, X_WB, INFINITY);
            X.p = dp_v3_madd(X.p, d.gap - random_between(&r, -0.03, 0.06), d.normal);
            d = distance_of(&s, X, &body, X_WB, INFINITY);
            if (fabs(d.gap) > 0.07) {
                continue; // the other separating direction was shorter
            }
            contacts c;
            touch(&c, &s, X, &skin, X_WB, 0.1);
            const dp_distance e = distance_of(&s, X, &skin, X_WB, INFINITY);
            assert_true(c.buffer.count > 0);
            ++n;
            if (d.gap > 0.0) {
                assert_near(e.gap, d.gap, 1e-9);
                assert_near(c.least, d.gap, 1e-9);
                assert_near(dp_v3_dot(c.point[c.deepest].normal, d.normal), 1.0, 1e-5);
            } else {
                // Where they overlap the search at corners looks at the faces of A only, and points
                // that share a patch may be deeper along its other normals by 0.02² of the depth.
                differ += fabs(c.least - d.gap) > 1e-3 * fabs(d.gap) + 1e-9;
            }
        }
        dp_surface_destroy(surface);
        dp_hull_destroy(hull);
        dp_hull_destroy(other);
        dp_pool_destroy(&pool);
    }
    assert_true(n > 3000);
    assert_true(differ <= n / 1000);
}

static double hills(double x, double y)
{
    return 0.4 * sin(2.0 * x) * cos(1.5 * y) + 0.15 * sin(5.0 * x + 3.0 * y);
}

// The distance of a point from a triangle, in long double: through its plane and its edges.
static long double to_triangle(wide_v3 x, const wide_v3 c[3])
{
    const wide_v3 n = wide_cross(wide_sub(c[1], c[0]), wide_sub(c[2], c[0]));
    long double least = INFINITY;
    bool over = true;
    for (int k = 0; k < 3; ++k) {
        const wide_v3 side = wide_sub(c[(k + 1) % 3], c[k]), arm = wide_sub(x, c[k]);
        over = over && wide_dot(wide_cross(side, arm), n) >= 0.0L;
        long double t = wide_dot(arm, side) / wide_dot(side, side);
        t = fminl(fmaxl(t, 0.0L), 1.0L);
        least = fminl(least, wide_norm(wide_sub(arm, wide_scale(side, t))));
    }
    if (over) {
        least = fminl(least, fabsl(wide_dot(n, wide_sub(x, c[0]))) / wide_norm(n));
    }
    return least;
}

static void balls_over_hills_are_as_far_as_the_nearest_of_all_triangles(void **state)
{
    (void)state;
    random_source r = {8};
    floor_mesh f = floor_mesh_make(&r, 24, 3.0, 0.2, 0.0);
    floor_mesh_bend(&f, hills);
    dp_surface *surface = floor_surface(&f);
    const dp_shape ground = {.kind = DP_GEOM_MESH, .surface = surface};
    int touching = 0;
    for (int i = 0; i < 600; ++i) {
        const double radius = pow(10.0, random_between(&r, -2.0, 0.0));
        const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {radius}};
        dp_pose X = DP_IDENTITY_POSE;
        X.p = (dp_v3){random_between(&r, -2.0, 2.0), random_between(&r, -2.0, 2.0), 0.0};
        X.p.z = hills(X.p.x, X.p.y) + 0.3 + random_between(&r, 0.0, 1.5 * radius);
        long double least = INFINITY;
        for (int k = 0; k < f.nface; ++k) {
            wide_v3 c[3];
            for (int j = 0; j < 3; ++j) {
                c[j] = wide_from(dp_v3_load(f.vertex + 3 * f.face[3 * k + j]));
            }
            least = fminl(least, to_triangle(wide_from(X.p), c));
        }
        const double gap = (double)(least - radius);
        const dp_distance d = distance_of(&ball, X, &ground, DP_IDENTITY_POSE, INFINITY);
        assert_near(d.gap, gap, 1e-13);
        const dp_v3 between = dp_v3_sub(d.point[1], d.point[0]);
        assert_near(dp_v3_norm(dp_v3_madd(between, -d.gap, d.normal)), 0.0, 1e-14);
        const double margin = 0.2;
        contacts c;
        touch(&c, &ball, X, &ground, DP_IDENTITY_POSE, margin);
        if (gap < margin) {
            assert_near(c.least, gap, 1e-13);
            ++touching;
        } else {
            assert_int_equal(c.buffer.count, 0);
        }
    }
    assert_true(touching > 150);
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

// Nothing jumps on a way over hills: not the least gap of the contacts, nor the distance. (Deep
// below the surface places come and go as other separating directions become shorter.)
static void gaps_change_no_faster_than_the_shape_moves(void **state)
{
    (void)state;
    random_source r = {15};
    floor_mesh f = floor_mesh_make(&r, 30, 3.0, 0.2, 0.0);
    floor_mesh_bend(&f, hills);
    dp_surface *surface = floor_surface(&f);
    const dp_shape ground = {.kind = DP_GEOM_MESH, .surface = surface};
    for (int kind = DP_GEOM_SPHERE; kind <= DP_GEOM_BOX; ++kind) {
        const dp_shape s = {.kind = (dp_geom_kind)kind, .size = {0.3, 0.25, 0.2}};
        const int steps = 1500;
        const double step = 4.0 / steps, margin = 0.1;
        double last_gap = 0.0, last_distance = 0.0;
        for (int i = 0; i <= steps; ++i) {
            const double x = -2.0 + step * i, half = 0.3 * x;
            const dp_pose X = {{cos(half), 0.6 * sin(half), 0.0, 0.8 * sin(half)},
                               {x, 0.3 * x, 0.65}};
            contacts c;
            touch(&c, &s, X, &ground, DP_IDENTITY_POSE, margin);
            const double gap = fmin(c.least, margin);
            const double distance = distance_of(&s, X, &ground, DP_IDENTITY_POSE, 1.0).gap;
            // Its points move by √1.09 for the way and 0.6 · 0.55 for the turn, per unit of x.
            if (i > 0 && fmin(distance, last_distance) > -0.01) {
                assert_near(gap, last_gap, 1.4 * step);
                assert_near(distance, last_distance, 1.4 * step);
            }
            last_gap = gap;
            last_distance = distance;
        }
    }
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

// Terrain, and a surface of the same triangles.
static void terrain_touches_like_the_surface_of_its_triangles(void **state)
{
    (void)state;
    random_source r = {9};
    enum { N = 13 };
    double elevation[N * N];
    for (int i = 0; i < N * N; ++i) {
        elevation[i] = random_between(&r, 0.0, 1.0);
    }
    const dp_hfield_spec spec = {
        .nrow = N, .ncol = N, .elevation = elevation, .size = {3.0, 2.5, 0.6, 0.5}};
    dp_terrain *terrain;
    assert_int_equal(dp_terrain_create(&terrain, &spec, NULL), DP_OK);
    const dp_shape ground = {.kind = DP_GEOM_HFIELD, .terrain = terrain};
    double vertex[3 * N * N];
    int face[6 * (N - 1) * (N - 1)];
    for (int i = 0; i < N * N; ++i) {
        dp_v3_store(vertex + 3 * i, dp_terrain_vertex(terrain, i / N, i % N));
    }
    for (int i = 0; i < 2 * (N - 1) * (N - 1); ++i) {
        dp_ground_triangle t;
        dp_ground_triangle_get(&t, &ground, i);
        memcpy(face + 3 * i, t.vertex, sizeof t.vertex);
    }
    dp_surface *surface;
    assert_int_equal(dp_surface_create(&surface, vertex, N * N, face, 2 * (N - 1) * (N - 1), NULL),
                     DP_OK);
    const dp_shape skin = {.kind = DP_GEOM_MESH, .surface = surface};
    dp_hull *hull = random_hull(&r, 10);
    int touching = 0;
    for (int i = 0; i < 1200; ++i) {
        const dp_shape s = random_solid(&r, i, hull);
        dp_pose X = random_place(&r, 1.5);
        X.p.z = 2.0;
        const dp_distance d = distance_of(&s, X, &skin, DP_IDENTITY_POSE, INFINITY);
        assert_near(distance_of(&s, X, &ground, DP_IDENTITY_POSE, INFINITY).gap, d.gap, 1e-12);
        X.p = dp_v3_madd(X.p, d.gap - random_between(&r, -0.02, 0.06), d.normal);
        contacts a, b;
        touch(&a, &s, X, &ground, DP_IDENTITY_POSE, 0.05);
        touch(&b, &s, X, &skin, DP_IDENTITY_POSE, 0.05);
        assert_int_equal(a.buffer.count > 0, b.buffer.count > 0);
        if (a.buffer.count > 0) {
            assert_near(a.least, b.least, 1e-12);
            assert_int_equal(a.npatch, b.npatch);
            ++touching;
        }
    }
    assert_true(touching > 400);
    dp_hull_destroy(hull);
    dp_surface_destroy(surface);
    dp_terrain_destroy(terrain);
}

// Behind the plane of a slope, or beyond the plane of a rim, is not in the ground.
static void what_is_apart_overlaps_nothing_whatever_the_margin(void **state)
{
    (void)state;
    random_source r = {17};
    enum { N = 6 };
    double elevation[N * N];
    for (int i = 0; i < N * N; ++i) {
        elevation[i] = random_between(&r, 0.0, 1.0);
    }
    const dp_hfield_spec spec = {
        .nrow = N, .ncol = N, .elevation = elevation, .size = {3.0, 2.5, 0.6, 0.5}};
    dp_terrain *terrain;
    assert_int_equal(dp_terrain_create(&terrain, &spec, NULL), DP_OK);
    floor_mesh f = floor_mesh_make(&r, 6, 3.0, 0.2, 0.0);
    floor_mesh_bend(&f, hills);
    dp_surface *surface = floor_surface(&f);
    const dp_shape ground[2] = {{.kind = DP_GEOM_HFIELD, .terrain = terrain},
                                {.kind = DP_GEOM_MESH, .surface = surface}};
    dp_hull *hull = random_hull(&r, 10);
    for (int i = 0; i < 1200; ++i) {
        const dp_shape s = random_solid(&r, i, hull), *below = &ground[i / 6 % 2];
        dp_pose X = random_place(&r, 1.5);
        X.p.z = 3.0;
        const double apart = random_between(&r, 0.01, 0.3);
        dp_distance d = distance_of(&s, X, below, DP_IDENTITY_POSE, INFINITY);
        X.p = dp_v3_madd(X.p, d.gap - apart, d.normal);
        d = distance_of(&s, X, below, DP_IDENTITY_POSE, INFINITY);
        for (double margin = 0.5; margin < 5.0; margin *= 2.0) {
            contacts c;
            touch(&c, &s, X, below, DP_IDENTITY_POSE, margin);
            assert_near(c.least, d.gap, 1e-9);
        }
    }
    dp_hull_destroy(hull);
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
    dp_terrain_destroy(terrain);
}

// --- edges

// Two slopes that meet in the y axis, falling or rising to both sides.
static dp_surface *two_slopes(double slope)
{
    const double z = 2.0 * slope;
    const double vertex[18] = {-2.0, -3.0, z, 0.0, -3.0, 0.0, 2.0, -3.0, z,
                               -2.0, 3.0,  z, 0.0, 3.0,  0.0, 2.0, 3.0,  z};
    const int face[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    dp_surface *s;
    assert_int_equal(dp_surface_create(&s, vertex, 6, face, 4, NULL), DP_OK);
    return s;
}

static void a_ball_in_a_valley_touches_both_slopes_and_not_the_furrow(void **state)
{
    (void)state;
    dp_surface *surface = two_slopes(1.0);
    const dp_shape valley = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {0.5}};
    for (int i = 0; i <= 100; ++i) {
        const double x = -0.05 + 0.001 * i, z = 0.5 * sqrt(2.0) - 0.01;
        const dp_pose X = {{1.0, 0.0, 0.0, 0.0}, {x, 0.3, z}};
        contacts c;
        touch(&c, &ball, X, &valley, DP_IDENTITY_POSE, 0.1);
        assert_int_equal(c.buffer.count, 2);
        assert_int_equal(c.npatch, 2);
        for (int k = 0; k < 2; ++k) {
            const double side = c.point[k].normal.x < 0.0 ? -1.0 : 1.0;
            assert_near(c.point[k].normal.x, side * sqrt(0.5), 1e-15);
            assert_near(c.point[k].normal.z, -sqrt(0.5), 1e-15);
            assert_near(c.point[k].gap, (z - side * x) * sqrt(0.5) - 0.5, 1e-15);
        }
    }
    dp_surface_destroy(surface);
}

static void a_ball_rolls_over_a_ridge_without_a_jump(void **state)
{
    (void)state;
    dp_surface *surface = two_slopes(-0.3);
    const dp_shape ridge = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {0.5}};
    const double height = 0.52; // over the ridge
    dp_v3 last = {0.0, 0.0, 0.0};
    for (int i = 0; i <= 4000; ++i) {
        const double x = -0.4 + 0.0002 * i;
        const dp_pose X = {{1.0, 0.0, 0.0, 0.0}, {x, 0.3, height}};
        contacts c;
        touch(&c, &ball, X, &ridge, DP_IDENTITY_POSE, 0.5);
        assert_int_equal(c.buffer.count, 1);
        // The nearest point: on a slope, or on the ridge.
        const double n = sqrt(1.0 + 0.09), on_slope = (height + 0.3 * fabs(x)) / n;
        const double along = (fabs(x) - 0.3 * height) / n;
        const double expected = along > 0.0 ? on_slope : sqrt(x * x + height * height);
        assert_near(c.least, expected - 0.5, 1e-14);
        const dp_v3 normal = c.point[0].normal;
        if (i > 0) {
            assert_true(dp_v3_norm(dp_v3_sub(normal, last)) < 1e-3);
        }
        last = normal;
    }
    dp_surface_destroy(surface);
}

static void a_box_that_hangs_over_an_edge_is_held_at_the_edge(void **state)
{
    (void)state;
    // A table with sides: top at z = 0, x ≤ 0.
    const double vertex[18] = {-4.0, -2.0, 0.0, 0.0, -2.0, 0.0,  0.0, 2.0, 0.0,
                               -4.0, 2.0,  0.0, 0.0, -2.0, -3.0, 0.0, 2.0, -3.0};
    const int face[12] = {0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2};
    dp_surface *surface;
    assert_int_equal(dp_surface_create(&surface, vertex, 6, face, 4, NULL), DP_OK);
    const dp_shape table = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape box = {.kind = DP_GEOM_BOX, .size = {0.5, 0.4, 0.1}};
    for (int i = 0; i <= 90; ++i) {
        const double x = -0.45 + 0.01 * i, depth = 1e-3;
        const dp_pose X = {{1.0, 0.0, 0.0, 0.0}, {x, 0.1, 0.1 - depth}};
        contacts c;
        touch(&c, &box, X, &table, DP_IDENTITY_POSE, 0.05);
        assert_int_equal(c.npatch, 1); // and not the side of the table, which it also cuts
        assert_int_equal(c.buffer.count, 4);
        double most = -INFINITY, least = INFINITY;
        for (int k = 0; k < 4; ++k) {
            assert_near(c.point[k].gap, -depth, 1e-15);
            assert_near(c.point[k].normal.z, -1.0, 1e-15);
            assert_near(c.point[k].weight, 0.25, 1e-12);
            most = fmax(most, c.point[k].point.x);
            least = fmin(least, c.point[k].point.x);
        }
        assert_near(most, fmin(0.0, x + 0.5), 1e-15);
        assert_near(least, x - 0.5, 1e-15);
    }
    // Tilted, it lies on the edge with its face: the normal is that of the box.
    for (int i = 1; i <= 20; ++i) {
        const double angle = 0.01 * i;
        const dp_pose X = {{cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0},
                           {0.1 * sin(angle), 0.1, 0.1 * cos(angle) - 0.001}};
        contacts c;
        touch(&c, &box, X, &table, DP_IDENTITY_POSE, 0.02);
        assert_int_equal(c.npatch, 1);
        assert_near(c.least, -0.001 * cos(angle), 1e-12);
        assert_near(c.point[c.deepest].normal.x, -sin(angle), 1e-12);
    }
    dp_surface_destroy(surface);
}

static void only_the_front_touches(void **state)
{
    (void)state;
    random_source r = {10};
    floor_mesh f = floor_mesh_make(&r, 10, 2.0, 0.2, 0.0);
    dp_surface *surface = floor_surface(&f);
    const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {0.3}};
    for (int i = 0; i < 200; ++i) {
        dp_pose X = DP_IDENTITY_POSE;
        X.p = (dp_v3){random_between(&r, -1.0, 1.0), random_between(&r, -1.0, 1.0), 0.0};
        X.p.z = random_between(&r, -0.6, -0.301);
        contacts c;
        touch(&c, &ball, X, &floor, DP_IDENTITY_POSE, 0.2);
        assert_int_equal(c.buffer.count, 0);
        assert_int_equal(distance_of(&ball, X, &floor, DP_IDENTITY_POSE, INFINITY).outcome,
                         DP_QUERY_OUTCOME_BEYOND);
        // As long as some of it looks out, it is pushed to the front.
        X.p.z = random_between(&r, -0.299, 0.0);
        touch(&c, &ball, X, &floor, DP_IDENTITY_POSE, 0.2);
        assert_int_equal(c.buffer.count, 1);
        assert_near(c.least, X.p.z - 0.3, 1e-15);
    }
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

static void terrain_pushes_up_from_any_depth_above_its_base(void **state)
{
    (void)state;
    double elevation[GRID * GRID];
    dp_terrain *terrain = slope_terrain(elevation, 0.0, 0.0); // at z = 1, base at −1
    const dp_shape ground = {.kind = DP_GEOM_HFIELD, .terrain = terrain};
    const dp_shape box = {.kind = DP_GEOM_BOX, .size = {0.3, 0.2, 0.1}};
    for (int i = 0; i < 40; ++i) {
        dp_pose X = DP_IDENTITY_POSE;
        X.p = (dp_v3){0.3, 0.1, 1.05 - 0.05 * i};
        contacts c;
        touch(&c, &box, X, &ground, DP_IDENTITY_POSE, 0.0);
        assert_int_equal(c.buffer.count, 4);
        assert_near(c.least, X.p.z - 1.1, 1e-15);
        X.p.z = -1.2;
        touch(&c, &box, X, &ground, DP_IDENTITY_POSE, 0.0);
        assert_int_equal(c.buffer.count, 0);
    }
    dp_terrain_destroy(terrain);
}

// --- degenerate ground, and callers

static void a_single_triangle_is_a_surface(void **state)
{
    (void)state;
    const double vertex[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    const int face[3] = {0, 1, 2};
    dp_surface *surface;
    assert_int_equal(dp_surface_create(&surface, vertex, 3, face, 1, NULL), DP_OK);
    const dp_shape sheet = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {0.2}};
    random_source r = {11};
    const wide_v3 corner[3] = {{0.0L, 0.0L, 0.0L}, {1.0L, 0.0L, 0.0L}, {0.0L, 1.0L, 0.0L}};
    for (int i = 0; i < 2000; ++i) {
        dp_pose X = DP_IDENTITY_POSE;
        X.p = (dp_v3){random_between(&r, -0.5, 1.5), random_between(&r, -0.5, 1.5),
                      random_between(&r, 0.0, 0.5)};
        const double gap = (double)to_triangle(wide_from(X.p), corner) - 0.2;
        contacts c;
        touch(&c, &ball, X, &sheet, DP_IDENTITY_POSE, 0.3);
        assert_int_equal(c.buffer.count, gap < 0.3);
        if (gap < 0.3) {
            assert_near(c.least, gap, 1e-14);
        }
    }
    dp_surface_destroy(surface);
}

static void a_buffer_that_is_too_small_stays_as_it_was(void **state)
{
    (void)state;
    random_source r = {12};
    floor_mesh f = floor_mesh_make(&r, 10, 2.0, 0.2, 0.0);
    dp_surface *surface = floor_surface(&f);
    const dp_shape floor = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape box = {.kind = DP_GEOM_BOX, .size = {0.3, 0.3, 0.3}};
    const dp_pose X = {{1.0, 0.0, 0.0, 0.0}, {0.1, 0.2, 0.299}};
    dp_contact_point point[5];
    dp_contact_buffer buffer = {.point = point, .count = 2, .capacity = 5};
    assert_int_equal(dp_shapes_contacts(&buffer, &box, X, &floor, DP_IDENTITY_POSE, 0.1, NULL),
                     DP_ERROR_CAPACITY);
    assert_int_equal(buffer.count, 2);
    assert_non_null(strstr(dp_last_error(), "needed: 6"));
    dp_surface_destroy(surface);
    floor_mesh_free(&f);
}

static void equal_queries_have_equal_answers_and_swapping_mirrors_them(void **state)
{
    (void)state;
    random_source r = {13};
    floor_mesh f = floor_mesh_make(&r, 12, 2.0, 0.2, 0.0);
    floor_mesh_bend(&f, hills);
    dp_surface *surface = floor_surface(&f), *again = floor_surface(&f);
    const dp_shape ground = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape twin = {.kind = DP_GEOM_MESH, .surface = again};
    dp_hull *hull = random_hull(&r, 12);
    for (int i = 0; i < 600; ++i) {
        const dp_shape s = random_solid(&r, i, hull);
        dp_pose X = random_place(&r, 1.0);
        X.p.z = hills(X.p.x, X.p.y) + random_between(&r, 0.0, 1.0);
        contacts a, b, c;
        touch(&a, &s, X, &ground, DP_IDENTITY_POSE, 0.1);
        touch(&b, &s, X, &twin, DP_IDENTITY_POSE, 0.1);
        touch(&c, &ground, DP_IDENTITY_POSE, &s, X, 0.1);
        assert_int_equal(a.buffer.count, b.buffer.count);
        assert_int_equal(a.buffer.count, c.buffer.count);
        for (int k = 0; k < a.buffer.count; ++k) {
            assert_memory_equal(&a.point[k].point, &b.point[k].point, sizeof(dp_v3));
            assert_memory_equal(&a.point[k].normal, &b.point[k].normal, sizeof(dp_v3));
            assert_true(a.point[k].gap == b.point[k].gap && a.point[k].gap == c.point[k].gap);
            assert_true(a.point[k].normal.z == -c.point[k].normal.z);
            assert_true(a.point[k].feature == b.point[k].feature);
        }
    }
    dp_hull_destroy(hull);
    dp_surface_destroy(surface);
    dp_surface_destroy(again);
    floor_mesh_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_touch_a_floor_of_triangles_as_they_touch_a_plane),
        cmocka_unit_test(slivers_make_no_difference),
        cmocka_unit_test(a_floor_whose_corners_are_rounded_is_still_flat),
        cmocka_unit_test(floors_that_meet_without_sharing_corners_are_one),
        cmocka_unit_test(shapes_touch_flat_terrain_as_they_touch_a_plane),
        cmocka_unit_test(nothing_bumps_on_its_way_over_a_tiled_floor),
        cmocka_unit_test(a_resting_box_keeps_its_points_under_tiny_changes),
        cmocka_unit_test(a_convex_surface_touches_like_its_hull),
        cmocka_unit_test(balls_over_hills_are_as_far_as_the_nearest_of_all_triangles),
        cmocka_unit_test(gaps_change_no_faster_than_the_shape_moves),
        cmocka_unit_test(terrain_touches_like_the_surface_of_its_triangles),
        cmocka_unit_test(what_is_apart_overlaps_nothing_whatever_the_margin),
        cmocka_unit_test(a_ball_in_a_valley_touches_both_slopes_and_not_the_furrow),
        cmocka_unit_test(a_ball_rolls_over_a_ridge_without_a_jump),
        cmocka_unit_test(a_box_that_hangs_over_an_edge_is_held_at_the_edge),
        cmocka_unit_test(only_the_front_touches),
        cmocka_unit_test(terrain_pushes_up_from_any_depth_above_its_base),
        cmocka_unit_test(a_single_triangle_is_a_surface),
        cmocka_unit_test(a_buffer_that_is_too_small_stays_as_it_was),
        cmocka_unit_test(equal_queries_have_equal_answers_and_swapping_mirrors_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
