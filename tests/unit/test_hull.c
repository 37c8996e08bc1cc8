// Convex hulls: what makes one, that nothing depends on the order of qhull, and what is refused.
#include "counting_allocator.h"
#include "mesh_shapes.h"
#include "test_random.h"

#include "geom/hull.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_pool(void **state)
{
    static dp_pool pool;
    dp_pool_init(&pool, NULL);
    *state = &pool;
    return 0;
}

static int close_pool(void **state)
{
    dp_pool_destroy(*state);
    return 0;
}

static dp_mesh hull_of(dp_pool *pool, const dp_mesh *m)
{
    dp_mesh hull = {0};
    if (dp_mesh_hull(&hull, pool, m, 0) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return hull;
}

static double extent_of(const dp_mesh *m)
{
    dp_v3 low, high;
    dp_mesh_bounds(&low, &high, m);
    return dp_v3_norm(dp_v3_sub(high, low));
}

// How far the farthest point of `m` is outside of a face of `hull`. Faces so thin that they have no
// direction are passed over: their neighbours in the same plane speak for them.
static double overhang(const dp_mesh *hull, const dp_mesh *m)
{
    const double size = extent_of(m);
    double worst = 0.0;
    for (int f = 0; f < hull->nface; ++f) {
        const dp_v3 a = dp_mesh_corner(hull, f, 0), b = dp_mesh_corner(hull, f, 1),
                    c = dp_mesh_corner(hull, f, 2);
        const dp_v3 n = dp_v3_cross(dp_v3_sub(b, a), dp_v3_sub(c, a));
        if (dp_v3_norm(n) <= 1e-12 * size * size) {
            continue;
        }
        for (int i = 0; i < m->nvertex; ++i) {
            const double height = dp_v3_dot(n, dp_v3_sub(dp_mesh_vertex(m, i), a)) / dp_v3_norm(n);
            worst = fmax(worst, height);
        }
    }
    return worst;
}

static bool has_vertex(const dp_mesh *m, dp_v3 x)
{
    for (int i = 0; i < m->nvertex; ++i) {
        const dp_v3 y = dp_mesh_vertex(m, i);
        if (y.x == x.x && y.y == x.y && y.z == x.z) {
            return true;
        }
    }
    return false;
}

static void assert_equal_meshes(const dp_mesh *a, const dp_mesh *b)
{
    assert_int_equal(a->nvertex, b->nvertex);
    assert_int_equal(a->nface, b->nface);
    assert_memory_equal(a->vertex, b->vertex, (size_t)a->nvertex * 3 * sizeof(double));
    assert_memory_equal(a->face, b->face, (size_t)a->nface * 3 * sizeof(int));
}

// All that a hull promises. `round_off` is how far a point may stick out, relative to the extent.
static dp_mesh assert_hull(dp_pool *pool, const dp_mesh *m, double round_off)
{
    const dp_mesh hull = hull_of(pool, m);
    assert_int_equal(dp_mesh_check(&hull), DP_OK);
    dp_mesh_topology t;
    assert_int_equal(dp_mesh_edges(&t, &hull, NULL), DP_OK);
    assert_int_equal(t.nopen + t.nturned + t.nbranch, 0);
    assert_int_equal(hull.nvertex - t.nedge + hull.nface, 2); // Euler: every vertex is in use
    for (int i = 0; i < hull.nvertex; ++i) {
        assert_true(has_vertex(m, dp_mesh_vertex(&hull, i)));
    }
    for (int f = 0; f < hull.nface; ++f) { // lowest corner first, faces in ascending order
        const int *corner = hull.face + 3 * f;
        assert_true(corner[0] < corner[1] && corner[0] < corner[2]);
        if (f > 0) {
            const int *last = corner - 3;
            assert_true(last[0] < corner[0] ||
                        (last[0] == corner[0] &&
                         (last[1] < corner[1] || (last[1] == corner[1] && last[2] < corner[2]))));
        }
    }
    assert_true(overhang(&hull, m) <= round_off * extent_of(m));
    return hull;
}

// Faces through corners that are close together amplify the round-off of the corners; for random
// points the triangles are as flat as 1e-2, rarely 1e-3.
static const double ROUND_OFF = 1e-12;

static void every_point_is_inside_the_hull_of_random_points(void **state)
{
    random_source r = {1};
    for (int trial = 0; trial < 60; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 4 + 5 * trial, &r);
        const dp_mesh hull = assert_hull(*state, &cloud, ROUND_OFF);
        assert_true(hull.nvertex < cloud.nvertex || cloud.nvertex < 20);
    }
}

static void points_of_a_sphere_are_all_corners(void **state)
{
    random_source r = {2};
    for (int levels = 0; levels <= 3; ++levels) {
        const dp_mesh ball = icosphere_mesh(*state, 1.0, levels);
        const dp_mesh hull = assert_hull(*state, &ball, ROUND_OFF);
        assert_int_equal(hull.nvertex, ball.nvertex);
        assert_int_equal(hull.nface, ball.nface);
    }
    dp_mesh cloud = cloud_mesh(*state, 500, &r);
    double *vertex;
    int *face;
    cloud = copy_mesh(&vertex, &face, *state, &cloud);
    for (int i = 0; i < cloud.nvertex; ++i) {
        const dp_v3 x = dp_mesh_vertex(&cloud, i);
        dp_v3_store(vertex + 3 * i, dp_v3_scale(x, 1.0 / dp_v3_norm(x)));
    }
    assert_int_equal(assert_hull(*state, &cloud, ROUND_OFF).nvertex, cloud.nvertex);
}

static void the_hull_of_a_hull_is_the_same_bit_by_bit(void **state)
{
    random_source r = {3};
    for (int trial = 0; trial < 40; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 20 + 10 * trial, &r);
        const dp_mesh once = hull_of(*state, &cloud), twice = hull_of(*state, &once);
        assert_equal_meshes(&once, &twice);
    }
    const dp_mesh solid[] = {box_mesh(*state, 1, 2, 3), prism_mesh(*state, 24, 1.0, 0.5),
                             octahedron_mesh(*state, 1.0), ring_mesh(*state, 12, 1.0, 0.3)};
    for (size_t i = 0; i < sizeof solid / sizeof *solid; ++i) {
        const dp_mesh once = assert_hull(*state, &solid[i], ROUND_OFF);
        const dp_mesh twice = hull_of(*state, &once);
        assert_equal_meshes(&once, &twice);
    }
}

static void the_order_of_the_points_changes_names_but_not_the_shape(void **state)
{
    random_source r = {4};
    for (int trial = 0; trial < 20; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 100, &r);
        double *vertex;
        int *face;
        const dp_mesh shuffled = copy_mesh(&vertex, &face, *state, &cloud);
        for (int i = shuffled.nvertex - 1; i > 0; --i) {
            const int k = random_below(&r, i + 1);
            const dp_v3 x = dp_v3_load(vertex + 3 * i), y = dp_v3_load(vertex + 3 * k);
            dp_v3_store(vertex + 3 * i, y);
            dp_v3_store(vertex + 3 * k, x);
        }
        const dp_mesh a = hull_of(*state, &cloud), b = hull_of(*state, &shuffled);
        assert_int_equal(a.nvertex, b.nvertex);
        for (int i = 0; i < a.nvertex; ++i) {
            assert_true(has_vertex(&b, dp_mesh_vertex(&a, i)));
        }
    }
}

static void inner_points_and_repeated_points_change_nothing(void **state)
{
    random_source r = {5};
    for (int trial = 0; trial < 20; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 50, &r), hull = hull_of(*state, &cloud);
        double *vertex;
        assert_int_equal(dp_pool_take(&vertex, *state, 3 * 50, 3 * sizeof *vertex), DP_OK);
        memcpy(vertex, cloud.vertex, 150 * sizeof *vertex);
        for (int k = 0; k < 150; ++k) {
            vertex[150 + k] = 0.5 * cloud.vertex[k];
            vertex[300 + k] = cloud.vertex[k];
        }
        const dp_mesh more = {"more", vertex, 150, NULL, 0};
        const dp_mesh same = hull_of(*state, &more);
        assert_int_equal(same.nvertex, hull.nvertex);
        for (int i = 0; i < hull.nvertex; ++i) {
            assert_true(has_vertex(&same, dp_mesh_vertex(&hull, i)));
        }
    }
}

// A grid has points in the middle of faces and of edges: only corners remain.
static void a_grid_has_the_eight_corners_of_its_box(void **state)
{
    enum { N = 5 };
    double vertex[3 * N * N * N];
    for (int i = 0; i < N * N * N; ++i) {
        vertex[3 * i] = i % N;
        vertex[3 * i + 1] = 0.1 * (i / N % N);
        vertex[3 * i + 2] = 10.0 * (i / (N * N)) - 3.0;
    }
    const dp_mesh grid = {"grid", vertex, N * N * N, NULL, 0};
    const dp_mesh hull = assert_hull(*state, &grid, ROUND_OFF);
    assert_int_equal(hull.nvertex, 8);
    assert_int_equal(hull.nface, 12);
    dp_mesh_moments I;
    assert_int_equal(dp_mesh_integrate(&I, &hull, DP_MESH_INERTIA_EXACT, NULL), DP_OK);
    assert_near(I.measure, 4.0 * 0.4 * 40.0, 64.0 * 1e-14);
}

static void hulls_follow_affine_images(void **state)
{
    random_source r = {6};
    for (int trial = 0; trial < 20; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 80, &r);
        const dp_m3 A = random_affine(&r, trial % 2 == 1);
        dp_mesh image;
        assert_int_equal(
            dp_mesh_transform(&image, *state, &cloud, &A, (dp_v3){30.0, -2.0, 0.01 * trial}),
            DP_OK);
        const dp_mesh a = hull_of(*state, &cloud), b = assert_hull(*state, &image, ROUND_OFF);
        assert_int_equal(a.nvertex, b.nvertex);
        assert_int_equal(a.nface, b.nface);
    }
}

static void sizes_from_1e_minus_300_to_1e300_make_no_difference(void **state)
{
    random_source r = {7};
    const dp_mesh cloud = cloud_mesh(*state, 60, &r), hull = hull_of(*state, &cloud);
    static const double scale[] = {1e-300, 1e-30, 1e-3, 1e3, 1e30, 1e300};
    double *vertex;
    int *face;
    for (size_t k = 0; k < sizeof scale / sizeof *scale; ++k) {
        const dp_mesh scaled = copy_mesh(&vertex, &face, *state, &cloud);
        for (int i = 0; i < 3 * cloud.nvertex; ++i) {
            vertex[i] *= scale[k];
        }
        const dp_mesh same = hull_of(*state, &scaled);
        assert_int_equal(same.nvertex, hull.nvertex);
        assert_memory_equal(same.face, hull.face, (size_t)hull.nface * 3 * sizeof(int));
    }
    // each axis its own
    const dp_mesh scaled = copy_mesh(&vertex, &face, *state, &cloud);
    for (int i = 0; i < cloud.nvertex; ++i) {
        vertex[3 * i] *= 1e-8;
        vertex[3 * i + 1] *= 10.0;
    }
    const dp_mesh same = hull_of(*state, &scaled);
    assert_memory_equal(same.face, hull.face, (size_t)hull.nface * 3 * sizeof(int));
}

// Points that qhull must decide about to the last bit: on a grid, with noise near round-off.
static void noise_near_round_off_leaves_a_closed_hull(void **state)
{
    random_source r = {8};
    for (int trial = 0; trial < 300; ++trial) {
        dp_mesh cloud = cloud_mesh(*state, 8 + random_below(&r, 60), &r);
        double *vertex;
        int *face;
        cloud = copy_mesh(&vertex, &face, *state, &cloud);
        for (int i = 0; i < 3 * cloud.nvertex; ++i) {
            vertex[i] = floor(4.0 * vertex[i]) +
                        random_between(&r, -1.0, 1.0) * exp(random_between(&r, -39.0, -23.0));
        }
        assert_hull(*state, &cloud, 1e-9); // grown by the thinnest faces that have a direction
    }
}

static void assert_flat(dp_pool *pool, const dp_mesh *m, const char *message)
{
    dp_mesh hull = {.name = "untouched"};
    assert_int_equal(dp_mesh_hull(&hull, pool, m, 0), DP_ERROR_ARGUMENT);
    if (!strstr(dp_last_error(), message)) {
        fail_msg("'%s' does not contain '%s'", dp_last_error(), message);
    }
    assert_string_equal(hull.name, "untouched");
    assert_null(hull.vertex);
}

static void flat_meshes_are_refused_in_words(void **state)
{
    random_source r = {9};
    double *vertex;
    int *face;
    const dp_mesh cloud = cloud_mesh(*state, 8, &r);
    dp_mesh m = copy_mesh(&vertex, &face, *state, &cloud);
    m.name = "tile";
    for (int i = 0; i < 8; ++i) {
        vertex[3 * i + 2] = 0.25;
    }
    assert_flat(*state, &m,
                "mesh 'tile': all 8 vertices lie in one plane (expected four that span a volume)");
    for (int i = 0; i < 8; ++i) { // a plane of any direction, rounded
        vertex[3 * i + 2] = 0.3 * vertex[3 * i] - 0.7 * vertex[3 * i + 1] + 0.11;
    }
    assert_flat(*state, &m, "all 8 vertices lie in one plane");
    for (int i = 0; i < 8; ++i) { // a ribbon of 10 nm by 1 m across the axes, 1e-13 m thick
        const double x = random_between(&r, -1e-8, 1e-8), y = random_between(&r, -1.0, 1.0);
        dp_v3_store(vertex + 3 * i, (dp_v3){x, y, x + 1e-13 * (i % 2)});
    }
    assert_flat(*state, &m, "all 8 vertices lie in one plane");
    for (int i = 0; i < 8; ++i) {
        dp_v3_store(vertex + 3 * i, (dp_v3){0.1 * i, 0.3 - 0.2 * i, 0.7 * i * 0.1});
    }
    assert_flat(*state, &m, "all 8 vertices lie on one line");
    for (int i = 0; i < 8; ++i) {
        dp_v3_store(vertex + 3 * i, (dp_v3){0.1, 0.2, 0.3});
    }
    assert_flat(*state, &m, "all 8 vertices are at one point");
    m.nvertex = 3;
    assert_flat(*state, &m, "found 3 vertices (expected at least 4 for a convex hull)");
}

static void an_atom_per_metre_is_no_thickness(void **state)
{
    static const double thickness[] = {1e-11, 1e-9};
    for (int k = 0; k < 2; ++k) {
        const double t = thickness[k];
        const double vertex[] = {0, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 2, 0.5, 0.5, 1 + t};
        const dp_mesh roof = {"roof", vertex, 5, NULL, 0};
        dp_mesh hull;
        assert_int_equal(dp_mesh_hull(&hull, *state, &roof, 0), k == 0 ? DP_ERROR_ARGUMENT : DP_OK);
    }
}

// A sliver on which qhull 2020.2 stops with an error. Another version may find its hull.
static void qhull_gives_up_without_printing(void **state)
{
    const double vertex[] = {0.0,
                             0.0,
                             1.8033163781298164e-130,
                             9.532824124368238e-130,
                             9.532824124368238e-130,
                             1.1502480969796755e-125,
                             9.532824124368238e-130,
                             9.532824124368238e-130,
                             9.5328378825785063e-130,
                             0.0,
                             0.0,
                             0.0,
                             9.5328241243530078e-130,
                             9.532824124368238e-130,
                             9.532824124368238e-130,
                             9.5328299823562038e-130,
                             9.5336496169843358e-130,
                             4.0943167852681419e-120};
    const dp_mesh sliver = {"sliver", vertex, 6, NULL, 0};
    const int original = dup(STDERR_FILENO),
              sink = open(DP_SCRATCH "/qhull_says", O_RDWR | O_CREAT, 0600);
    dup2(sink, STDERR_FILENO);
    dp_mesh hull;
    const dp_status status = dp_mesh_hull(&hull, *state, &sliver, 0);
    dup2(original, STDERR_FILENO);
    const off_t written = lseek(sink, 0, SEEK_END);
    close(sink);
    close(original);
    remove(DP_SCRATCH "/qhull_says");
    assert_int_equal(written, 0); // the message is ours to give
    assert_true(status == DP_OK || status == DP_ERROR_NUMERIC || status == DP_ERROR_ARGUMENT);
    if (status != DP_OK) {
        assert_non_null(strstr(dp_last_error(), "mesh 'sliver': "));
    }
}

static void each_allocation_may_fail_in_turn(void **state)
{
    random_source r = {11};
    const dp_mesh cloud = cloud_mesh(*state, 300, &r);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    size_t calls = 1;
    for (size_t k = 0; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k}; // 0: none fails
        dp_pool pool;
        dp_pool_init(&pool, &allocator);
        dp_mesh hull;
        assert_int_equal(dp_mesh_hull(&hull, &pool, &cloud, 0), k > 0 ? DP_ERROR_MEMORY : DP_OK);
        calls = k > 0 ? calls : counts.calls;
        dp_pool_destroy(&pool);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
    assert_true(calls > 8);
}

static void a_hull_has_no_more_vertices_than_asked(void **state)
{
    const dp_mesh ball = icosphere_mesh(*state, 1.0, 3);
    static const int most[] = {4, 5, 16, 64, 641, 1000};
    double before = INFINITY;
    for (size_t k = 0; k < sizeof most / sizeof most[0]; ++k) {
        dp_mesh hull;
        assert_int_equal(dp_mesh_hull(&hull, *state, &ball, most[k]), DP_OK);
        assert_int_equal(hull.nvertex, most[k] < ball.nvertex ? most[k] : ball.nvertex);
        const double outside = overhang(&hull, &ball);
        assert_true(outside <= before); // the furthest ones stay
        before = outside;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_is_inside_the_hull_of_random_points),
        cmocka_unit_test(points_of_a_sphere_are_all_corners),
        cmocka_unit_test(the_hull_of_a_hull_is_the_same_bit_by_bit),
        cmocka_unit_test(the_order_of_the_points_changes_names_but_not_the_shape),
        cmocka_unit_test(inner_points_and_repeated_points_change_nothing),
        cmocka_unit_test(a_grid_has_the_eight_corners_of_its_box),
        cmocka_unit_test(hulls_follow_affine_images),
        cmocka_unit_test(sizes_from_1e_minus_300_to_1e300_make_no_difference),
        cmocka_unit_test(noise_near_round_off_leaves_a_closed_hull),
        cmocka_unit_test(flat_meshes_are_refused_in_words),
        cmocka_unit_test(an_atom_per_metre_is_no_thickness),
        cmocka_unit_test(qhull_gives_up_without_printing),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
        cmocka_unit_test(a_hull_has_no_more_vertices_than_asked),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
