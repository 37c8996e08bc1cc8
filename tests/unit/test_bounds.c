// Boxes around shapes, against furthest points in long double, and what public queries refuse.
#include "shape_reference.h"
#include "test_random.h"

#include "geom/bounds.h"
#include "geom/hull_shape.h"
#include "math/v3.h"

#include <float.h>
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

// One of each convex kind, sizes between 1e-4 and 1 times `scale`.
static dp_shape random_shape(random_source *r, dp_geom_kind kind, double scale)
{
    dp_shape s = {.kind = kind};
    for (int k = 0; k < 3; ++k) {
        s.size[k] = scale * pow(10.0, random_between(r, -4.0, 0.0));
    }
    return s;
}

static dp_bounds bounds_of(const dp_shape *s, dp_pose X)
{
    dp_bounds b;
    if (dp_shape_bounds(&b, s, X) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return b;
}

// The support of the shape along ± each axis lies inside the box, and within round-off of its
// faces.
static void assert_tight(const dp_bounds *b, const reference_body *s)
{
    const double low[3] = {b->low.x, b->low.y, b->low.z};
    const double high[3] = {b->high.x, b->high.y, b->high.z};
    const long double p[3] = {s->p.x, s->p.y, s->p.z};
    for (int i = 0; i < 3; ++i) {
        const wide_v3 d = {i == 0, i == 1, i == 2};
        const long double reach = wide_dot(d, reference_support(s, d));
        const long double back = -wide_dot(d, reference_support(s, wide_scale(d, -1.0L)));
        // The rotation of the library is off by some roundings of the size, the box by 16 more.
        const long double slack = 40.0L * DBL_EPSILON * (reference_radius(s) + fabsl(p[i]));
        assert_true((long double)high[i] >= p[i] + reach);
        assert_true((long double)low[i] <= p[i] - back);
        assert_true((long double)high[i] <= p[i] + reach + slack);
        assert_true((long double)low[i] >= p[i] - back - slack);
    }
}

static void boxes_and_balls_hold_their_shape_and_are_no_wider_than_round_off(void **state)
{
    (void)state;
    random_source r = {1};
    for (int i = 0; i < 20000; ++i) {
        const dp_geom_kind kind = (dp_geom_kind)(DP_GEOM_SPHERE + random_below(&r, 5));
        const double scale = pow(10.0, random_between(&r, -6.0, 6.0));
        const dp_shape s = random_shape(&r, kind, scale);
        const dp_pose X = random_pose(&r, scale * pow(10.0, random_between(&r, -2.0, 3.0)));
        const reference_body reference = reference_place(&s, NULL, 0, X);
        const dp_bounds b = bounds_of(&s, X);
        assert_tight(&b, &reference);
        const double radius = (double)reference_radius(&reference);
        assert_near(dp_shape_radius(&s), radius, 4.0 * DBL_EPSILON * radius);
    }
}

static void boxes_of_hulls_touch_the_outermost_vertices_and_quick_ones_hold_them(void **state)
{
    (void)state;
    random_source r = {2};
    for (int i = 0; i < 300; ++i) {
        enum { MOST = 200 };
        double vertex[3 * MOST];
        const int n = 4 + random_below(&r, MOST - 4);
        const double scale = pow(10.0, random_between(&r, -6.0, 6.0));
        for (int k = 0; k < 3 * n; ++k) {
            vertex[k] = scale * random_between(&r, -1.0, 1.0);
        }
        dp_hull *hull;
        assert_int_equal(dp_hull_create(&hull, vertex, n, NULL), DP_OK);
        const dp_shape s = {.kind = DP_GEOM_MESH, .hull = hull};
        const dp_pose X = random_pose(&r, 10.0 * scale);
        const reference_body reference = reference_place(&s, vertex, n, X);
        const dp_bounds b = bounds_of(&s, X);
        assert_tight(&b, &reference);
        const dp_placed placed = dp_place(&s, X);
        const dp_bounds quick = dp_placed_bounds_quick(&placed);
        assert_true(quick.low.x <= b.low.x && quick.low.y <= b.low.y && quick.low.z <= b.low.z);
        assert_true(quick.high.x >= b.high.x && quick.high.y >= b.high.y &&
                    quick.high.z >= b.high.z);
        const double slack = 1e-12 * (dp_v3_norm(X.p) + scale); // no wider than its ball
        assert_true(quick.high.x - quick.low.x <= 2.0 * (hull->size + slack));
        dp_hull_destroy(hull);
    }
}

static void planes_have_no_bounds(void **state)
{
    (void)state;
    const dp_shape s = {.kind = DP_GEOM_PLANE};
    const dp_bounds b = bounds_of(&s, DP_IDENTITY_POSE);
    assert_true(isinf(b.low.x) && isinf(b.low.y) && isinf(b.low.z));
    assert_true(isinf(b.high.x) && isinf(b.high.y) && isinf(b.high.z));
}

static void assert_refused(const dp_shape *s, dp_pose X, const char *message)
{
    dp_bounds b;
    assert_int_equal(dp_shape_bounds(&b, s, X), DP_ERROR_ARGUMENT);
    if (!strstr(dp_last_error(), message)) {
        fail_msg("'%s' does not contain '%s'", dp_last_error(), message);
    }
}

static void shapes_without_size_and_poses_that_are_none_are_refused(void **state)
{
    (void)state;
    const dp_shape ball = {.kind = DP_GEOM_SPHERE, .size = {1.0}};
    const dp_shape zero = {.kind = DP_GEOM_BOX, .size = {1.0, 0.0, 1.0}};
    const dp_shape endless = {.kind = DP_GEOM_CAPSULE, .size = {1.0, INFINITY}};
    const dp_shape unset = {.kind = DP_GEOM_CYLINDER, .size = {1.0, NAN}};
    const dp_shape empty = {.kind = DP_GEOM_MESH};
    const dp_shape bare = {.kind = DP_GEOM_HFIELD};
    const dp_shape strange = {.kind = (dp_geom_kind)99};
    dp_pose lost = DP_IDENTITY_POSE, long_q = DP_IDENTITY_POSE, nan_q = DP_IDENTITY_POSE;
    lost.p.y = NAN;
    long_q.q.w = 1.001;
    nan_q.q.x = NAN;
    assert_refused(NULL, DP_IDENTITY_POSE, "shape is NULL");
    assert_refused(&zero, DP_IDENTITY_POSE, "size 0 at place 2");
    assert_refused(&endless, DP_IDENTITY_POSE, "size inf at place 2");
    assert_refused(&unset, DP_IDENTITY_POSE, "size nan at place 2");
    assert_refused(&empty, DP_IDENTITY_POSE, "neither");
    assert_refused(&bare, DP_IDENTITY_POSE, "without terrain");
    assert_refused(&strange, DP_IDENTITY_POSE, "unknown kind 99");
    assert_refused(&ball, lost, "the position of shape");
    assert_refused(&ball, long_q, "length 1.001");
    assert_refused(&ball, nan_q, "length nan");
    assert_int_equal(dp_shape_bounds(NULL, &ball, DP_IDENTITY_POSE), DP_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_and_balls_hold_their_shape_and_are_no_wider_than_round_off),
        cmocka_unit_test(boxes_of_hulls_touch_the_outermost_vertices_and_quick_ones_hold_them),
        cmocka_unit_test(planes_have_no_bounds),
        cmocka_unit_test(shapes_without_size_and_poses_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
