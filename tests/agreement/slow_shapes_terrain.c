// Shapes on surfaces of triangles and on terrain: against all triangles one by one, and against a
// plane where the surface is one.
#include "shape_draw.h"

#include <math.h>
#include <string.h>

enum { GRID = 9, NVERTEX = GRID * GRID, NFACE = 2 * (GRID - 1) * (GRID - 1), ROOM = 512 };

static const dp_pose HERE = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

// Ground over [−2, 2]², the same as a surface and as terrain.
typedef struct ground {
    double vertex[3 * NVERTEX], height[NVERTEX];
    int face[3 * NFACE];
    dp_surface *surface;
    dp_terrain *terrain;
    dp_shape shape[2];
} ground;

static void make_ground(ground *g, double high, random_source *r)
{
    for (int i = 0; i < NVERTEX; ++i) {
        g->height[i] = high > 0.0 ? random_between(r, 0.0, 1.0) : 0.0;
        g->vertex[3 * i] = -2.0 + 4.0 * (i % GRID) / (GRID - 1);
        g->vertex[3 * i + 1] = -2.0 + 4.0 * (i / GRID) / (GRID - 1); // a row is a line of equal y
        g->vertex[3 * i + 2] = high * g->height[i];
    }
    int n = 0;
    for (int i = 0; i < (GRID - 1) * (GRID - 1); ++i) { // diagonals as terrain has them
        const int v = i / (GRID - 1) * GRID + i % (GRID - 1);
        const int corner[6] = {v, v + 1, v + GRID + 1, v, v + GRID + 1, v + GRID};
        memcpy(g->face + n, corner, sizeof corner);
        n += 6;
    }
    assert_int_equal(dp_surface_create(&g->surface, g->vertex, NVERTEX, g->face, NFACE, NULL),
                     DP_OK);
    dp_hfield_spec spec = dp_hfield_spec_default();
    spec.nrow = GRID;
    spec.ncol = GRID;
    spec.elevation = g->height;
    spec.size[0] = 2.0;
    spec.size[1] = 2.0;
    spec.size[2] = high > 0.0 ? high : 1.0;
    spec.size[3] = 0.5;
    assert_int_equal(dp_terrain_create(&g->terrain, &spec, NULL), DP_OK);
    g->shape[0] = (dp_shape){.kind = DP_GEOM_MESH, .surface = g->surface};
    g->shape[1] = (dp_shape){.kind = DP_GEOM_HFIELD, .terrain = g->terrain};
}

static void destroy_ground(ground *g)
{
    dp_surface_destroy(g->surface);
    dp_terrain_destroy(g->terrain);
}

static drawn_pair draw_shape(int kind, double size, random_source *r)
{
    drawn_pair pair; // only the second of it
    draw_pair(&pair, (const dp_geom_kind[2]){DP_GEOM_SPHERE, (dp_geom_kind)kind}, DRAW_ANY, r);
    for (int k = 0; k < 3; ++k) {
        pair.shape[1].size[k] *= size;
    }
    drawn_pair_replace(&pair, pair.pose[0], pair.pose[1]);
    return pair;
}

static void place(drawn_pair *pair, double x, double y, double z)
{
    const dp_pose X = {pair->pose[1].q, {x, y, z}};
    drawn_pair_replace(pair, pair->pose[0], X);
}

// The least gap of the shape from any triangle.
static long double least_gap(const ground *g, const reference_body *s)
{
    const dp_shape mesh = {.kind = DP_GEOM_MESH};
    long double least = INFINITY;
    for (int f = 0; f < NFACE; ++f) {
        double corner[9];
        for (int k = 0; k < 3; ++k) {
            memcpy(corner + 3 * k, g->vertex + 3 * g->face[3 * f + k], 3 * sizeof *corner);
        }
        const reference_body triangle = reference_place(&mesh, corner, 3, HERE);
        reference_search how = reference_search_default(&triangle, s);
        how.tolerance = 1e-12L;
        how.most_evaluations = 3000;
        // Far ones need not be searched to the end.
        const wide_v3 d = wide_sub(s->p, (wide_v3){corner[0], corner[1], corner[2]});
        if (wide_norm(d) - reference_radius(s) - 1.0L < least) {
            least = fminl(least, reference_gap(&triangle, s, &how).gap);
        }
    }
    return least;
}

static void a_shape_above_rough_ground_is_as_far_as_from_the_nearest_triangle(void **state)
{
    (void)state;
    random_source r = {22};
    for (int i = 0; i < 60; ++i) {
        ground g;
        make_ground(&g, 0.4, &r);
        const int kind = DP_GEOM_SPHERE + i % 6;
        drawn_pair pair = draw_shape(kind, 0.5, &r);
        const double radius = (double)reference_radius(&pair.body[1]);
        place(&pair, random_between(&r, -1.5, 1.5), random_between(&r, -1.5, 1.5),
              0.41 + radius * random_between(&r, 1.0, 2.0));
        const double expected = (double)least_gap(&g, &pair.body[1]);
        for (int k = 0; k < 2; ++k) {
            dp_distance d, e;
            assert_int_equal(dp_shapes_distance(&d, &pair.shape[1], pair.pose[1], &g.shape[k], HERE,
                                                (double)INFINITY, NULL),
                             DP_OK);
            assert_near(d.gap, expected, 1e-9);
            assert_int_equal(dp_shapes_distance(&e, &g.shape[k], HERE, &pair.shape[1], pair.pose[1],
                                                (double)INFINITY, NULL),
                             DP_OK);
            assert_true(d.gap == e.gap && d.normal.z == -e.normal.z);
        }
        destroy_ground(&g);
    }
}

typedef struct push {
    double force, moment[3], least;
    int count, patches;
} push;

static push push_of(const dp_shape *floor, const dp_shape *s, dp_pose X, double margin)
{
    static dp_contact_point point[ROOM];
    dp_contact_buffer found = {.point = point, .capacity = ROOM};
    assert_int_equal(dp_shapes_contacts(&found, floor, HERE, s, X, margin, NULL), DP_OK);
    push sum = {.count = found.count, .least = margin};
    double weight[ROOM] = {0.0};
    for (int i = 0; i < found.count; ++i) {
        const double f = point[i].weight * fmax(0.0, -point[i].gap);
        sum.force += f;
        sum.moment[0] += f * point[i].point.x;
        sum.moment[1] += f * point[i].point.y;
        sum.moment[2] += f * point[i].point.z;
        sum.least = fmin(sum.least, point[i].gap);
        assert_true(point[i].patch >= 0 && point[i].patch < ROOM);
        weight[point[i].patch] += point[i].weight;
        sum.patches = point[i].patch + 1 > sum.patches ? point[i].patch + 1 : sum.patches;
    }
    for (int i = 0; i < sum.patches; ++i) {
        assert_near(weight[i], 1.0, 1e-12);
    }
    return sum;
}

// Round shapes touch flat tiles as they touch a plane: the same gap, straight up, whatever edges
// and corners of tiles are below.
static void round_shapes_feel_no_edges_of_a_flat_tiled_floor(void **state)
{
    (void)state;
    random_source r = {23};
    ground g;
    make_ground(&g, 0.0, &r);
    const dp_shape plane = {.kind = DP_GEOM_PLANE};
    static const dp_geom_kind kind[] = {DP_GEOM_SPHERE, DP_GEOM_ELLIPSOID, DP_GEOM_CAPSULE};
    for (int i = 0; i < 600; ++i) {
        drawn_pair pair = draw_shape((int)kind[i % 3], 0.4, &r);
        // On corners, on edges, on diagonals and anywhere.
        const double cell = 0.5, at = cell * random_below(&r, 5) - 1.0;
        const double x = i % 4 == 3 ? random_between(&r, -1.0, 1.0) : at;
        const double y = i % 4 == 0   ? cell * random_below(&r, 5) - 1.0
                         : i % 4 == 2 ? at
                                      : random_between(&r, -1.0, 1.0);
        const reference_body *s = &pair.body[1];
        const wide_v3 low = reference_support(s, (wide_v3){0.0L, 0.0L, -1.0L});
        place(&pair, x - (double)low.x, y - (double)low.y,
              -(double)low.z + 0.01 * random_between(&r, -1.0, 0.5));
        const push flat = push_of(&plane, &pair.shape[1], pair.pose[1], 0.02);
        for (int k = 0; k < 2; ++k) {
            const push tiled = push_of(&g.shape[k], &pair.shape[1], pair.pose[1], 0.02);
            assert_int_equal(tiled.patches, 1);
            assert_near(tiled.least, flat.least, 1e-14); // round-off of metres
            assert_near(tiled.force, flat.force, 1e-14);
            for (int m = 0; m < 3; ++m) {
                assert_near(tiled.moment[m], flat.moment[m], 1e-14);
            }
            dp_contact_point point[64];
            dp_contact_buffer found = {.point = point, .capacity = 64};
            assert_int_equal(dp_shapes_contacts(&found, &g.shape[k], HERE, &pair.shape[1],
                                                pair.pose[1], 0.02, NULL),
                             DP_OK);
            for (int m = 0; m < found.count; ++m) {
                assert_near(point[m].normal.z, 1.0, 1e-15);
            }
        }
    }
    destroy_ground(&g);
}

// Boxes, cylinders and hulls resting on tiles are pushed as on a plane: one patch, the same force
// and the same moment.
static void faces_on_a_flat_tiled_floor_are_pushed_as_on_a_plane(void **state)
{
    (void)state;
    random_source r = {24};
    ground g;
    make_ground(&g, 0.0, &r);
    const dp_shape plane = {.kind = DP_GEOM_PLANE};
    for (int i = 0; i < 300; ++i) {
        const dp_shape box = {.kind = DP_GEOM_BOX,
                              .size = {random_between(&r, 0.1, 0.8), random_between(&r, 0.1, 0.8),
                                       random_between(&r, 0.1, 0.3)}};
        const double turn = random_between(&r, 0.0, 3.0), tilt = i % 2 ? 1e-3 : 0.0;
        const double n = sqrt(1.0 + tilt * tilt);
        const dp_pose X = {
            {cos(turn) / n, tilt * cos(turn) / n, tilt * sin(turn) / n, sin(turn) / n},
            {random_between(&r, -0.8, 0.8), random_between(&r, -0.8, 0.8), box.size[2] - 0.003}};
        const push flat = push_of(&plane, &box, X, 0.02);
        for (int k = 0; k < 2; ++k) {
            const push tiled = push_of(&g.shape[k], &box, X, 0.02);
            assert_int_equal(tiled.patches, 1);
            assert_near(tiled.least, flat.least, 1e-13);
            assert_near(tiled.force, flat.force, 1e-12);
            for (int m = 0; m < 3; ++m) {
                assert_near(tiled.moment[m], flat.moment[m], 1e-12);
            }
        }
    }
    destroy_ground(&g);
}

// A ball that rolls over tiles: from step to step the push changes by no more than its motion does.
static void a_ball_rolls_over_tiles_without_bumps(void **state)
{
    (void)state;
    random_source r = {25};
    ground g;
    make_ground(&g, 0.0, &r);
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {0.1}};
    for (int k = 0; k < 2; ++k) {
        for (int path = 0; path < 20; ++path) {
            double u[2];
            random_direction(u, 2, &r);
            for (int i = 0; i <= 2000; ++i) {
                const double s = -1.9 + 3.8 * i / 2000.0;
                const dp_pose X = {{1.0, 0.0, 0.0, 0.0},
                                   {path == 0 ? s : s * u[0], path == 0 ? 0.5 : s * u[1], 0.0999}};
                const push p = push_of(&g.shape[k], &ball, X, 0.01);
                assert_int_equal(p.count, 1);
                assert_near(p.force, 1e-4, 1e-15);
            }
        }
    }
    destroy_ground(&g);
}

// Over a ridge between two planes the ball is as far as from the edge itself, and the gap has no
// step where it leaves the one side for the ridge.
static void a_ball_over_a_ridge_is_held_by_the_edge(void **state)
{
    (void)state;
    const double vertex[] = {-1.0, -1.0, 0.0, 0.0, -1.0, 0.5, 0.0, 1.0, 0.5,
                             -1.0, 1.0,  0.0, 1.0, -1.0, 0.0, 1.0, 1.0, 0.0};
    const int face[] = {0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2};
    dp_surface *surface;
    assert_int_equal(dp_surface_create(&surface, vertex, 6, face, 4, NULL), DP_OK);
    const dp_shape roof = {.kind = DP_GEOM_MESH, .surface = surface};
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {0.2}};
    for (int i = -100; i <= 100; ++i) {
        const double x = 0.004 * i, z = 0.68;
        const dp_pose X = {{1.0, 0.0, 0.0, 0.0}, {x, 0.1, z}};
        // From the ridge at (0, 0.5) while the foot is beyond it on either slope of 1 : 2.
        const double slope = (fabs(x) + 2.0 * (z - 0.5)) / sqrt(5.0); // distance from the plane
        const bool on_ridge = 2.0 * fabs(x) < z - 0.5;
        const double expected = (on_ridge ? hypot(x, z - 0.5) : slope) - 0.2;
        dp_distance d;
        assert_int_equal(dp_shapes_distance(&d, &roof, HERE, &ball, X, 9.0, NULL), DP_OK);
        assert_near(d.gap, expected, 1e-14);
        dp_contact_point point[32];
        dp_contact_buffer found = {.point = point, .capacity = 32};
        assert_int_equal(dp_shapes_contacts(&found, &roof, HERE, &ball, X, 0.05, NULL), DP_OK);
        double least = 0.05;
        for (int k = 0; k < found.count; ++k) {
            least = fmin(least, point[k].gap);
        }
        assert_near(least, fmin(expected, 0.05), 1e-14);
    }
    dp_surface_destroy(surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_above_rough_ground_is_as_far_as_from_the_nearest_triangle),
        cmocka_unit_test(round_shapes_feel_no_edges_of_a_flat_tiled_floor),
        cmocka_unit_test(faces_on_a_flat_tiled_floor_are_pushed_as_on_a_plane),
        cmocka_unit_test(a_ball_rolls_over_tiles_without_bumps),
        cmocka_unit_test(a_ball_over_a_ridge_is_held_by_the_edge),
    };
    return cmocka_run_group_tests(tests, stock_fill, stock_clear);
}
