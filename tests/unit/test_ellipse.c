// Tops of the distance of a point from an ellipse, against a fine sample of normals.
#include "test_random.h"

#include "collide/exact/ellipse.h"

#include <math.h>

enum { SAMPLES = 4000 };

static const dp_flat RIGHT = {1.0, 0.0}, LEFT = {-1.0, 0.0};

// A half axis of 1 and a lesser one, and a point within three units of the middle.
static dp_ellipse draw_ellipse(random_source *r, double thinnest)
{
    dp_ellipse e = {.r = 1.0};
    e.q = pow(10.0, random_between(r, log10(thinnest), 0.0));
    double d[2];
    random_direction(d, 2, r);
    const double length = random_between(r, 0.0, random_chance(r, 0.5) ? 1.0 : 3.0);
    e.c = (dp_flat){length * d[0], length * d[1]};
    return e;
}

static dp_flat sample(int k)
{
    const double angle = acos(-1.0) * k / SAMPLES;
    return (dp_flat){cos(angle), sin(angle)};
}

static double height_of_sample(const dp_ellipse *e, int k)
{
    return dp_ellipse_height(e, sample(k));
}

// Where the normal meets the ellipse, c is straight above. A rounding of n moves that point by the
// radius of curvature times as much.
static void assert_is_a_top(const dp_ellipse *e, dp_flat n)
{
    assert_near(n.x * n.x + n.y * n.y, 1.0, 1e-15);
    const double h = sqrt(e->r * e->r * n.x * n.x + e->q * e->q * n.y * n.y);
    const dp_flat off = {e->c.x - e->r * e->r * n.x / h, e->c.y - e->q * e->q * n.y / h};
    const double radius = e->r * e->r * e->q * e->q / (h * h * h);
    assert_near(off.x * n.y - off.y * n.x, 0.0, 1e-15 * (radius + e->r + 3.0));
    assert_true(dp_ellipse_height(e, n) + radius > 0.0); // else it is a bottom
}

static void the_top_on_the_side_of_the_point_is_the_greatest_of_all(void **state)
{
    (void)state;
    random_source r = {1};
    for (int trial = 0; trial < 2000; ++trial) {
        dp_ellipse e = draw_ellipse(&r, 1e-3);
        e.c.y = fabs(e.c.y) + 1e-6;
        dp_flat n;
        int steps = 0;
        const dp_flat from = {e.c.x, e.c.y};
        assert_int_equal(dp_ellipse_top(&n, &steps, &e, RIGHT, LEFT, from), DP_TOP_FOUND);
        assert_is_a_top(&e, n);
        const double top = dp_ellipse_height(&e, n);
        for (int k = 0; k < 2 * SAMPLES; ++k) { // below the long axis, too
            assert_true(height_of_sample(&e, k) <= top + 1e-15 * 4.0);
        }
    }
}

static void beyond_the_long_axis_a_top_is_found_where_samples_rise_to_one(void **state)
{
    (void)state;
    random_source r = {2};
    int found = 0, none = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        dp_ellipse e = draw_ellipse(&r, 0.05);
        e.c.y = -fabs(e.c.y);
        dp_flat n;
        int steps = 0;
        const dp_top top = dp_ellipse_top(&n, &steps, &e, RIGHT, LEFT, (dp_flat){0.0, 1.0});
        assert_true(top != DP_TOP_LOST);
        if (top == DP_TOP_FOUND) {
            assert_is_a_top(&e, n);
            ++found;
            continue;
        }
        ++none;
        for (int k = 1; k < SAMPLES; ++k) {
            const double rise = height_of_sample(&e, k) - height_of_sample(&e, k - 1);
            const double fall = height_of_sample(&e, k) - height_of_sample(&e, k + 1);
            assert_false(rise > 1e-13 && fall > 1e-13);
        }
    }
    assert_true(found > 100 && none > 100);
}

static void the_rim_of_a_cylinder_that_all_but_lies_flat_is_thin_and_found(void **state)
{
    (void)state;
    random_source r = {3};
    int found = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const dp_ellipse e = draw_ellipse(&r, 1e-12);
        dp_flat n;
        int steps = 0;
        if (dp_ellipse_top(&n, &steps, &e, RIGHT, LEFT, (dp_flat){0.0, 1.0}) == DP_TOP_FOUND) {
            assert_is_a_top(&e, n);
            ++found;
        }
    }
    assert_true(found > 1000);
}

static void a_top_beside_the_arc_is_none(void **state)
{
    (void)state;
    random_source r = {4};
    int inside = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const dp_ellipse e = draw_ellipse(&r, 0.05);
        const dp_flat middle = {0.0, 1.0};
        dp_flat n, all;
        int steps = 0;
        const dp_top top = dp_ellipse_top(&n, &steps, &e, RIGHT, middle, (dp_flat){1.0, 1.0});
        const dp_top of_all = dp_ellipse_top(&all, &steps, &e, RIGHT, LEFT, (dp_flat){0.0, 1.0});
        const bool within = of_all == DP_TOP_FOUND && all.x > 0.0;
        assert_int_equal(top, within ? DP_TOP_FOUND : DP_TOP_NONE);
        if (within) {
            assert_near(n.x, all.x, 1e-12);
            ++inside;
        }
    }
    assert_true(inside > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_top_on_the_side_of_the_point_is_the_greatest_of_all),
        cmocka_unit_test(beyond_the_long_axis_a_top_is_found_where_samples_rise_to_one),
        cmocka_unit_test(the_rim_of_a_cylinder_that_all_but_lies_flat_is_thin_and_found),
        cmocka_unit_test(a_top_beside_the_arc_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
