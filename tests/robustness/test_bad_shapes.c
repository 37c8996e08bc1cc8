// Queries about shapes that are none, at places that are none. Each is refused with a message, or
// answered; none hangs and none gives a number that is not one.
#include "near.h"
#include "test_random.h"

#include <dashpot/advanced/collide.h>

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const dp_pose HERE = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
static const dp_pose THERE = {{0.6, 0.8, 0.0, 0.0}, {0.3, 0.2, 0.1}};

static dp_shape good_box(void)
{
    return (dp_shape){.kind = DP_GEOM_BOX, .size = {0.5, 0.4, 0.3}};
}

// Every public query of a pair, either order: all of them refuse, and say why.
static void assert_pair_refused(const dp_shape *a, dp_pose X_WA, const dp_shape *b, dp_pose X_WB)
{
    for (int swap = 0; swap < 2; ++swap) {
        dp_distance d;
        bool overlap;
        dp_contact_point point[64];
        dp_contact_buffer found = {.point = point, .capacity = 64};
        assert_int_equal(dp_shapes_distance(&d, a, X_WA, b, X_WB, 1.0, NULL), DP_ERROR_ARGUMENT);
        assert_true(strlen(dp_last_error()) > 0);
        assert_int_equal(dp_shapes_overlap(&overlap, a, X_WA, b, X_WB), DP_ERROR_ARGUMENT);
        assert_int_equal(dp_shapes_contacts(&found, a, X_WA, b, X_WB, 0.1, NULL),
                         DP_ERROR_ARGUMENT);
        assert_int_equal(found.count, 0);
        const dp_shape *c = a;
        a = b;
        b = c;
        const dp_pose X = X_WA;
        X_WA = X_WB;
        X_WB = X;
    }
}

static void assert_shape_refused(const dp_shape *s, dp_pose X_WS)
{
    dp_ray_hit hit;
    dp_bounds bounds;
    const dp_shape box = good_box();
    assert_pair_refused(s, X_WS, &box, THERE);
    assert_int_equal(dp_shape_ray(&hit, s, X_WS, (dp_v3){5.0, 0.0, 0.0}, (dp_v3){-1.0, 0.0, 0.0},
                                  (double)INFINITY),
                     DP_ERROR_ARGUMENT);
    assert_int_equal(dp_shape_bounds(&bounds, s, X_WS), DP_ERROR_ARGUMENT);
}

static void shapes_without_size_are_refused(void **state)
{
    (void)state;
    static const int count[] = {[DP_GEOM_SPHERE] = 1,
                                [DP_GEOM_CAPSULE] = 2,
                                [DP_GEOM_CYLINDER] = 2,
                                [DP_GEOM_ELLIPSOID] = 3,
                                [DP_GEOM_BOX] = 3};
    static const double bad[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (int kind = DP_GEOM_SPHERE; kind <= DP_GEOM_BOX; ++kind) {
        for (int k = 0; k < count[kind]; ++k) {
            for (int i = 0; i < 4; ++i) {
                dp_shape s = {.kind = (dp_geom_kind)kind, .size = {0.3, 0.4, 0.5}};
                s.size[k] = bad[i];
                assert_shape_refused(&s, HERE);
            }
        }
    }
}

static void kinds_that_lack_their_data_are_refused(void **state)
{
    (void)state;
    const dp_shape mesh = {.kind = DP_GEOM_MESH}, field = {.kind = DP_GEOM_HFIELD};
    const dp_shape other = {.kind = (dp_geom_kind)99, .size = {1.0, 1.0, 1.0}};
    assert_shape_refused(&mesh, HERE);
    assert_shape_refused(&field, HERE);
    assert_shape_refused(&other, HERE);
}

static void poses_that_are_none_are_refused(void **state)
{
    (void)state;
    const dp_shape shape[] = {{.kind = DP_GEOM_SPHERE, .size = {0.5}},
                              good_box(),
                              {.kind = DP_GEOM_PLANE},
                              {.kind = DP_GEOM_ELLIPSOID, .size = {0.2, 0.3, 0.4}}};
    for (int s = 0; s < 4; ++s) {
        for (int k = 0; k < 7; ++k) {
            for (int i = 0; i < 3; ++i) {
                dp_pose X = HERE;
                const double bad = i == 0   ? (double)NAN
                                   : i == 1 ? (double)INFINITY
                                            : -(double)INFINITY;
                *(double *[]){&X.q.w, &X.q.x, &X.q.y, &X.q.z, &X.p.x, &X.p.y, &X.p.z}[k] = bad;
                assert_shape_refused(&shape[s], X);
            }
        }
        const dp_quat no_rotation[] = {{0.0, 0.0, 0.0, 0.0},
                                       {2.0, 0.0, 0.0, 0.0},
                                       {1.0, 1e-2, 0.0, 0.0},
                                       {0.5, 0.5, 0.5, 0.4}};
        for (int i = 0; i < 4; ++i) {
            const dp_pose X = {no_rotation[i], {0.0, 0.0, 0.0}};
            assert_shape_refused(&shape[s], X);
        }
    }
}

static void planes_have_no_distance_from_planes(void **state)
{
    (void)state;
    const dp_shape plane = {.kind = DP_GEOM_PLANE};
    assert_pair_refused(&plane, HERE, &plane, THERE);
}

static void limits_and_margins_that_are_none_are_refused(void **state)
{
    (void)state;
    const dp_shape a = good_box(), b = good_box();
    static const double bad[] = {-1.0, (double)NAN};
    for (int i = 0; i < 2; ++i) {
        dp_distance d;
        dp_contact_point point[8];
        dp_contact_buffer found = {.point = point, .capacity = 8};
        dp_ray_hit hit;
        assert_int_equal(dp_shapes_distance(&d, &a, HERE, &b, THERE, bad[i], NULL),
                         DP_ERROR_ARGUMENT);
        assert_int_equal(dp_shapes_contacts(&found, &a, HERE, &b, THERE, bad[i], NULL),
                         DP_ERROR_ARGUMENT);
        assert_int_equal(
            dp_shape_ray(&hit, &a, HERE, (dp_v3){9.0, 0.0, 0.0}, (dp_v3){-1.0, 0.0, 0.0}, bad[i]),
            DP_ERROR_ARGUMENT);
    }
    dp_ray_hit hit;
    assert_int_equal(
        dp_shape_ray(&hit, &a, HERE, (dp_v3){9.0, 0.0, 0.0}, (dp_v3){0.0, 0.0, 0.0}, 1.0),
        DP_ERROR_ARGUMENT);
    assert_int_equal(
        dp_shape_ray(&hit, &a, HERE, (dp_v3){(double)NAN, 0.0, 0.0}, (dp_v3){1.0, 0.0, 0.0}, 1.0),
        DP_ERROR_ARGUMENT);
}

static void a_buffer_that_is_too_small_is_left_alone(void **state)
{
    (void)state;
    const dp_shape box = good_box();
    const dp_pose on_top = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.6}};
    dp_contact_point point[9];
    for (int capacity = 0; capacity < 5; ++capacity) {
        point[capacity].weight = -7.0;
        dp_contact_buffer found = {.point = point, .count = capacity / 2, .capacity = capacity};
        assert_int_equal(dp_shapes_contacts(&found, &box, HERE, &box, on_top, 0.01, NULL),
                         DP_ERROR_CAPACITY);
        assert_int_equal(found.count, capacity / 2);
        assert_true(point[capacity].weight == -7.0);
    }
    dp_contact_buffer found = {.point = point, .count = 1, .capacity = 5};
    assert_int_equal(dp_shapes_contacts(&found, &box, HERE, &box, on_top, 0.01, NULL), DP_OK);
    assert_int_equal(found.count, 5);
}

static void hulls_of_too_few_or_flat_points_are_refused(void **state)
{
    (void)state;
    double x[30] = {0.0};
    dp_hull *hull = (dp_hull *)x; // to be made NULL
    assert_int_equal(dp_hull_create(&hull, x, 0, NULL), DP_ERROR_ARGUMENT);
    assert_null(hull);
    assert_int_equal(dp_hull_create(&hull, x, 3, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_hull_create(&hull, x, -4, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_hull_create(&hull, x, 10, NULL), DP_ERROR_ARGUMENT); // all in one place
    random_source r = {3};
    for (int i = 0; i < 10; ++i) { // on a line
        x[3 * i] = i;
        x[3 * i + 1] = 2.0 * i;
        x[3 * i + 2] = 0.5 * i;
    }
    assert_int_equal(dp_hull_create(&hull, x, 10, NULL), DP_ERROR_ARGUMENT);
    for (int i = 0; i < 10; ++i) { // in a plane
        x[3 * i] = random_between(&r, -1.0, 1.0);
        x[3 * i + 1] = random_between(&r, -1.0, 1.0);
        x[3 * i + 2] = 0.25;
    }
    assert_int_equal(dp_hull_create(&hull, x, 10, NULL), DP_ERROR_ARGUMENT);
    assert_null(hull);
    x[2] = 1.0;
    x[7] = (double)NAN;
    assert_int_equal(dp_hull_create(&hull, x, 10, NULL), DP_ERROR_ARGUMENT);
    x[7] = (double)INFINITY;
    assert_int_equal(dp_hull_create(&hull, x, 10, NULL), DP_ERROR_ARGUMENT);
    assert_null(hull);
}

static void repeated_and_inner_points_do_not_change_a_hull(void **state)
{
    (void)state;
    double x[3 * 40];
    int n = 0;
    for (int i = 0; i < 8; ++i, ++n) {
        x[3 * n] = i & 1 ? 0.5 : -0.5;
        x[3 * n + 1] = i & 2 ? 0.4 : -0.4;
        x[3 * n + 2] = i & 4 ? 0.3 : -0.3;
    }
    random_source r = {4};
    for (; n < 40; ++n) {
        for (int k = 0; k < 3; ++k) {
            x[3 * n + k] = n % 2 ? x[3 * (n % 8) + k] : 0.9 * x[k] * random_between(&r, -1.0, 1.0);
        }
    }
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, x, n, NULL), DP_OK);
    const dp_shape mesh = {.kind = DP_GEOM_MESH, .hull = hull}, box = good_box();
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {0.2}};
    for (int i = 0; i < 50; ++i) {
        const dp_pose X = {{1.0, 0.0, 0.0, 0.0},
                           {random_between(&r, -1.0, 1.0), random_between(&r, -1.0, 1.0),
                            random_between(&r, -1.0, 1.0)}};
        dp_distance d, e;
        assert_int_equal(dp_shapes_distance(&d, &mesh, HERE, &ball, X, 9.0, NULL), DP_OK);
        assert_int_equal(dp_shapes_distance(&e, &box, HERE, &ball, X, 9.0, NULL), DP_OK);
        assert_near(d.gap, e.gap, 1e-14); // round-off
    }
    dp_hull_destroy(hull);
}

// Points of a plane but for 10⁻⁴ … 10⁻¹⁸: refused, or a hull that has finite distances.
static void nearly_flat_points_give_a_hull_that_works_or_a_refusal(void **state)
{
    (void)state;
    random_source r = {5};
    int made = 0;
    for (int i = 0; i < 300; ++i) {
        double x[3 * 24];
        const int n = 4 + random_below(&r, 20);
        const double thick = pow(10.0, -4.0 - 14.0 * i / 300.0);
        for (int k = 0; k < n; ++k) {
            x[3 * k] = random_between(&r, -1.0, 1.0);
            x[3 * k + 1] = random_between(&r, -1.0, 1.0);
            x[3 * k + 2] = 0.3 * x[3 * k] + thick * random_between(&r, -1.0, 1.0);
        }
        dp_hull *hull;
        const dp_status status = dp_hull_create(&hull, x, n, NULL);
        assert_true(status == DP_OK || status == DP_ERROR_ARGUMENT || status == DP_ERROR_NUMERIC);
        if (status != DP_OK) {
            assert_null(hull);
            continue;
        }
        ++made;
        const dp_shape mesh = {.kind = DP_GEOM_MESH, .hull = hull}, box = good_box();
        dp_distance d;
        assert_int_equal(dp_shapes_distance(&d, &mesh, HERE, &box, THERE, 9.0, NULL), DP_OK);
        assert_true(isfinite(d.gap));
        assert_int_equal(dp_shapes_distance(&d, &mesh, HERE, &mesh, THERE, 9.0, NULL), DP_OK);
        assert_true(isfinite(d.gap));
        dp_contact_point point[DP_PATCH_POINTS];
        dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
        assert_int_equal(dp_shapes_contacts(&found, &mesh, HERE, &box, THERE, 0.1, NULL), DP_OK);
        dp_hull_destroy(hull);
    }
    assert_true(made > 50);
}

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double random_extreme(random_source *r, double most)
{
    return pow(10.0, random_between(r, -most, most));
}

// Sizes and places far beyond what is promised to be accurate: an answer or a refusal, at once.
static void extreme_sizes_and_places_end_with_an_answer_or_a_refusal(void **state)
{
    (void)state;
    random_source r = {6};
    for (int i = 0; i < 20000; ++i) {
        dp_shape s[2];
        dp_pose X[2] = {HERE, THERE};
        for (int k = 0; k < 2; ++k) {
            const double most = i % 2 ? 12.0 : 300.0;
            s[k] = (dp_shape){.kind = (dp_geom_kind)random_below(&r, DP_GEOM_MESH)};
            for (int j = 0; j < 3; ++j) {
                s[k].size[j] = random_extreme(&r, most);
                (&X[k].p.x)[j] = random_chance(&r, 0.3) ? 0.0 : random_extreme(&r, most);
            }
        }
        const double begin = seconds();
        dp_distance d;
        const dp_status status =
            dp_shapes_distance(&d, &s[0], X[0], &s[1], X[1], (double)INFINITY, NULL);
        dp_contact_point point[DP_PATCH_POINTS];
        dp_contact_buffer found = {.point = point, .capacity = DP_PATCH_POINTS};
        const dp_status contacts = dp_shapes_contacts(&found, &s[0], X[0], &s[1], X[1], 1.0, NULL);
        bool overlap;
        const dp_status overlaps = dp_shapes_overlap(&overlap, &s[0], X[0], &s[1], X[1]);
        assert_true(status == DP_OK || strlen(dp_last_error()) > 0);
        assert_int_equal(status, contacts);
        assert_int_equal(status, overlaps);
        assert_true(found.count >= 0 && found.count <= DP_PATCH_POINTS);
        assert_true(seconds() - begin < 1.0); // a hang, not a slow machine
        if (i % 2 && status == DP_OK) {       // within the range where squares are numbers
            assert_true(isfinite(d.gap));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_without_size_are_refused),
        cmocka_unit_test(kinds_that_lack_their_data_are_refused),
        cmocka_unit_test(poses_that_are_none_are_refused),
        cmocka_unit_test(planes_have_no_distance_from_planes),
        cmocka_unit_test(limits_and_margins_that_are_none_are_refused),
        cmocka_unit_test(a_buffer_that_is_too_small_is_left_alone),
        cmocka_unit_test(hulls_of_too_few_or_flat_points_are_refused),
        cmocka_unit_test(repeated_and_inner_points_do_not_change_a_hull),
        cmocka_unit_test(nearly_flat_points_give_a_hull_that_works_or_a_refusal),
        cmocka_unit_test(extreme_sizes_and_places_end_with_an_answer_or_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
