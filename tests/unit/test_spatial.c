// Screws as a calculus: what the products of twists and wrenches mean as rates of change, and the
// map that turns by them. Their algebra is in test_math.c.
#include "near.h"

#include "math/angle.h"
#include "math/spatial.h"
#include "test_random.h"

#include <float.h>

// Components are of order one and a claim takes some dozen operations.
static const double ROUND_OFF = 64.0 * DBL_EPSILON;

static random_source random_numbers = {.state = 77};

static dp_v3 any_vector(void)
{
    return (dp_v3){random_between(&random_numbers, -1.0, 1.0),
                   random_between(&random_numbers, -1.0, 1.0),
                   random_between(&random_numbers, -1.0, 1.0)};
}

static dp_twist any_twist(void)
{
    return (dp_twist){any_vector(), any_vector()};
}

static void assert_same(dp_v3 actual, dp_v3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

static dp_v3 difference(dp_v3 a, dp_v3 b, double over)
{
    return dp_v3_scale(dp_v3_sub(a, b), 1.0 / over);
}

// The twist b, fixed in a frame that has turned by `turn` and moved by p, seen from the world.
static dp_twist carried_twist(dp_twist b, dp_quat turn, dp_v3 p)
{
    const dp_twist turned = {dp_quat_rotate(turn, b.w), dp_quat_rotate(turn, b.v)};
    return dp_twist_shift(turned, dp_v3_scale(p, -1.0));
}

static dp_wrench carried_wrench(dp_wrench f, dp_quat turn, dp_v3 p)
{
    const dp_wrench turned = {dp_quat_rotate(turn, f.t), dp_quat_rotate(turn, f.f)};
    return dp_wrench_shift(turned, p);
}

// Central differences over 2·STEP: truncation 1e-8·O(1), round-off 1e-12.
static const double STEP = 1e-4;
static const double DIFFERENCING = 1e-7;

static void the_cross_product_is_the_rate_of_a_carried_twist(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_twist a = any_twist(), b = any_twist();
        dp_twist at[2];
        for (int side = 0; side < 2; ++side) {
            const double t = side ? STEP : -STEP;
            at[side] = carried_twist(b, dp_quat_cayley(dp_v3_scale(a.w, t)), dp_v3_scale(a.v, t));
        }
        const dp_twist rate = dp_twist_cross(a, b);
        assert_same(difference(at[1].w, at[0].w, 2.0 * STEP), rate.w, DIFFERENCING);
        assert_same(difference(at[1].v, at[0].v, 2.0 * STEP), rate.v, DIFFERENCING);
    }
}

static void the_dual_cross_product_is_the_rate_of_a_carried_wrench(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_twist a = any_twist();
        const dp_wrench f = {any_vector(), any_vector()};
        dp_wrench at[2];
        for (int side = 0; side < 2; ++side) {
            const double t = side ? STEP : -STEP;
            at[side] = carried_wrench(f, dp_quat_cayley(dp_v3_scale(a.w, t)), dp_v3_scale(a.v, t));
        }
        const dp_wrench rate = dp_twist_cross_wrench(a, f);
        assert_same(difference(at[1].t, at[0].t, 2.0 * STEP), rate.t, DIFFERENCING);
        assert_same(difference(at[1].f, at[0].f, 2.0 * STEP), rate.f, DIFFERENCING);
    }
}

static void twists_obey_the_identity_of_jacobi(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_twist a = any_twist(), b = any_twist(), c = any_twist();
        const dp_twist sum = dp_twist_add(dp_twist_add(dp_twist_cross(a, dp_twist_cross(b, c)),
                                                       dp_twist_cross(b, dp_twist_cross(c, a))),
                                          dp_twist_cross(c, dp_twist_cross(a, b)));
        assert_same(sum.w, (dp_v3){0.0, 0.0, 0.0}, ROUND_OFF);
        assert_same(sum.v, (dp_v3){0.0, 0.0, 0.0}, ROUND_OFF);
    }
}

static void shifting_there_and_back_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_twist s = any_twist();
        const dp_wrench f = {any_vector(), any_vector()};
        const dp_v3 r = any_vector(), back = dp_v3_scale(r, -1.0);
        assert_same(dp_twist_shift(dp_twist_shift(s, r), back).v, s.v, ROUND_OFF);
        assert_same(dp_wrench_shift(dp_wrench_shift(f, r), back).t, f.t, ROUND_OFF);
    }
}

static void the_cayley_map_turns_by_twice_the_arctangent_of_half_the_angle(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        double u[3];
        random_direction(u, 3, &random_numbers);
        const double angle = random_between(&random_numbers, 0.0, 6.0);
        const dp_v3 axis = dp_v3_load(u);
        const dp_quat q = dp_quat_cayley(dp_v3_scale(axis, angle));
        const dp_v3 turned = dp_quat_log(q);
        assert_near(dp_quat_norm(q), 1.0, ROUND_OFF);
        assert_same(turned, dp_v3_scale(axis, 2.0 * atan(0.5 * angle)), ROUND_OFF);
    }
}

// What the implicit midpoint rule of dp_spin rests on: Qᵀ π₀ − π₀ = −½ θ × (π₀ + Qᵀ π₀).
static void
a_vector_and_its_cayley_image_differ_by_half_the_cross_product_of_their_sum(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        const dp_v3 theta = dp_v3_scale(any_vector(), 3.0), x = any_vector();
        const dp_v3 y = dp_quat_rotate_back(dp_quat_cayley(theta), x);
        const dp_v3 expected = dp_v3_scale(dp_v3_cross(theta, dp_v3_add(x, y)), -0.5);
        assert_same(dp_v3_sub(y, x), expected, ROUND_OFF);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cross_product_is_the_rate_of_a_carried_twist),
        cmocka_unit_test(the_dual_cross_product_is_the_rate_of_a_carried_wrench),
        cmocka_unit_test(twists_obey_the_identity_of_jacobi),
        cmocka_unit_test(shifting_there_and_back_changes_nothing),
        cmocka_unit_test(the_cayley_map_turns_by_twice_the_arctangent_of_half_the_angle),
        cmocka_unit_test(
            a_vector_and_its_cayley_image_differ_by_half_the_cross_product_of_their_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
