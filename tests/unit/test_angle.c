// sin, cos, atan2 and the rotations built from them, against the C library in extended precision.
#include "near.h"

#include "math/angle.h"

#include <float.h>

// Each of the reduction, the polynomial and the last sum rounds once or twice.
static const double MAX_ULPS = 3.0;

static double worst_of_sincos(double range, int samples)
{
    random_source random = {.state = 1};
    double worst = 0.0;
    for (int i = 0; i < samples; ++i) {
        const double angle = random_between(&random, -range, range);
        double s, c;
        dp_sincos(&s, &c, angle);
        worst = fmax(worst, ulps_between(s, sinl((long double)angle)));
        worst = fmax(worst, ulps_between(c, cosl((long double)angle)));
    }
    return worst;
}

static void sine_and_cosine_are_right_to_three_units_in_the_last_place_up_to_1e6(void **state)
{
    (void)state;
    static const double ranges[] = {1e-3, 0.8, 3.2, 100.0, 1e4, 1e6};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; ++i) {
        assert_near(worst_of_sincos(ranges[i], 100000), 0.0, MAX_ULPS);
    }
}

static void the_zeros_of_sine_and_cosine_keep_their_relative_accuracy(void **state)
{
    (void)state;
    for (int n = 1; n < 600000; n += 11) { // n π/2 up to 1e6, rounded: the result is that rounding
        const double angle = n * (DP_PI / 2.0);
        double s, c;
        dp_sincos(&s, &c, angle);
        const double error = n % 2 ? ulps_between(c, cosl((long double)angle))
                                   : ulps_between(s, sinl((long double)angle));
        assert_near(error, 0.0, MAX_ULPS);
    }
}

static void beyond_1e6_the_error_is_below_one_rounding_of_the_angle(void **state)
{
    (void)state;
    random_source random = {.state = 2};
    for (double size = 1e6; size < 1e15; size *= 10.0) {
        for (int i = 0; i < 1000; ++i) {
            const double angle = random_between(&random, size, 10.0 * size);
            double s, c;
            dp_sincos(&s, &c, angle);
            const double rounding = angle * DBL_EPSILON;
            assert_near(s, (double)sinl((long double)angle), rounding + DBL_EPSILON);
            assert_near(c, (double)cosl((long double)angle), rounding + DBL_EPSILON);
        }
    }
}

static void sine_and_cosine_of_the_largest_angle_lie_on_the_unit_circle(void **state)
{
    (void)state;
    double s, c;
    dp_sincos(&s, &c, DBL_MAX);
    assert_near(s * s + c * c, 1.0, 4.0 * DBL_EPSILON);
}

static void sine_is_odd_and_cosine_even_to_the_last_bit(void **state)
{
    (void)state;
    random_source random = {.state = 3};
    for (int i = 0; i < 10000; ++i) {
        const double angle = random_between(&random, 0.0, i % 2 ? 10.0 : 1e7);
        double s, c, s_back, c_back;
        dp_sincos(&s, &c, angle);
        dp_sincos(&s_back, &c_back, -angle);
        assert_true(s == -s_back && c == c_back);
    }
}

static void the_arctangent_is_right_to_three_units_in_the_last_place(void **state)
{
    (void)state;
    random_source random = {.state = 4};
    for (int i = 0; i < 300000; ++i) {
        // Directions all around, then ratios from 1e-12 to 1e12.
        const double scale = i % 2 ? 1.0 : exp(random_between(&random, -27.0, 27.0));
        const double y = random_between(&random, -scale, scale);
        const double x = random_between(&random, -1.0, 1.0);
        assert_near(ulps_between(dp_atan2(y, x), atan2l((long double)y, (long double)x)), 0.0,
                    MAX_ULPS);
    }
}

static void the_arctangent_knows_the_axes(void **state)
{
    (void)state;
    assert_true(dp_atan2(0.0, 0.0) == 0.0);
    assert_true(dp_atan2(0.0, 2.0) == 0.0);
    assert_true(dp_atan2(2.0, 0.0) == DP_PI / 2.0);
    assert_true(dp_atan2(-2.0, 0.0) == -DP_PI / 2.0);
    assert_true(dp_atan2(0.0, -2.0) == DP_PI);
    assert_near(dp_atan2(1e-308, 1e-308), DP_PI / 4.0, DBL_EPSILON);
    assert_near(dp_atan2(1e308, 1e308), DP_PI / 4.0, DBL_EPSILON);
}

static dp_v3 random_vector(random_source *random, double range)
{
    return (dp_v3){random_between(random, -range, range), random_between(random, -range, range),
                   random_between(random, -range, range)};
}

static void assert_near_vector(dp_v3 actual, dp_v3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

static void a_rotation_about_an_axis_turns_by_rodrigues_formula(void **state)
{
    (void)state;
    random_source random = {.state = 5};
    for (int i = 0; i < 1000; ++i) {
        const dp_v3 direction = random_vector(&random, 1.0);
        const dp_v3 axis = dp_v3_scale(direction, 1.0 / dp_v3_norm(direction));
        const double angle = random_between(&random, -20.0, 20.0);
        const dp_v3 x = random_vector(&random, 1.0);
        // x cos φ + (a × x) sin φ + a (a·x)(1 − cos φ)
        dp_v3 expected = dp_v3_scale(x, cos(angle));
        expected = dp_v3_madd(expected, sin(angle), dp_v3_cross(axis, x));
        expected = dp_v3_madd(expected, dp_v3_dot(axis, x) * (1.0 - cos(angle)), axis);
        const dp_v3 turned = dp_quat_rotate(dp_quat_about(axis, angle), x);
        assert_near_vector(turned, expected, 16.0 * DBL_EPSILON); // some dozen roundings of O(1)
    }
}

static void the_logarithm_undoes_the_rotation_up_to_half_a_turn(void **state)
{
    (void)state;
    random_source random = {.state = 6};
    for (int i = 0; i < 10000; ++i) {
        const dp_v3 direction = random_vector(&random, 1.0);
        const dp_v3 axis = dp_v3_scale(direction, 1.0 / dp_v3_norm(direction));
        // From 1e-20 rad, where the series takes over, up to half a turn.
        const double angle =
            i % 2 ? random_between(&random, 0.0, DP_PI) : exp(random_between(&random, -46.0, 0.0));
        const dp_v3 theta = dp_quat_log(dp_quat_about(axis, angle));
        assert_near_vector(theta, dp_v3_scale(axis, angle), 16.0 * DBL_EPSILON * angle);
    }
}

static void the_logarithm_takes_the_shorter_way_round(void **state)
{
    (void)state;
    const dp_v3 z = {0.0, 0.0, 1.0};
    const dp_v3 theta = dp_quat_log(dp_quat_about(z, 2.0 * DP_PI - 0.5));
    assert_near_vector(theta, (dp_v3){0.0, 0.0, -0.5}, 16.0 * DBL_EPSILON);

    const dp_quat q = dp_quat_about(z, 0.7);
    const dp_v3 same = dp_quat_log((dp_quat){-q.w, -q.x, -q.y, -q.z}); // −q is the same rotation
    assert_near_vector(same, (dp_v3){0.0, 0.0, 0.7}, 16.0 * DBL_EPSILON);
}

static void the_cayley_rotation_turns_by_twice_the_arctangent_of_half(void **state)
{
    (void)state;
    random_source random = {.state = 7};
    for (int i = 0; i < 1000; ++i) {
        const dp_v3 theta = random_vector(&random, i % 2 ? 1e-3 : 50.0);
        const dp_quat q = dp_quat_cayley(theta);
        assert_near(dp_quat_norm(q), 1.0, 4.0 * DBL_EPSILON);
        const double length = dp_v3_norm(theta);
        const dp_v3 expected = dp_v3_scale(theta, 2.0 * atan(0.5 * length) / length);
        assert_near_vector(dp_quat_log(q), expected, 32.0 * DBL_EPSILON);
    }
}

static void the_cayley_rotation_solves_the_midpoint_rule(void **state)
{
    (void)state;
    // R₁ = cay(θ) satisfies R₁ − I = ½ [θ]× (R₁ + I), whatever the size of θ.
    random_source random = {.state = 8};
    for (int i = 0; i < 1000; ++i) {
        const dp_v3 theta = random_vector(&random, 10.0);
        const dp_v3 x = random_vector(&random, 1.0);
        const dp_v3 turned = dp_quat_rotate(dp_quat_cayley(theta), x);
        const dp_v3 mean = dp_v3_scale(dp_v3_add(turned, x), 0.5);
        const double tolerance = 16.0 * DBL_EPSILON * (1.0 + dp_v3_norm(theta)); // round-off
        assert_near_vector(dp_v3_sub(turned, x), dp_v3_cross(theta, mean), tolerance);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_are_right_to_three_units_in_the_last_place_up_to_1e6),
        cmocka_unit_test(the_zeros_of_sine_and_cosine_keep_their_relative_accuracy),
        cmocka_unit_test(beyond_1e6_the_error_is_below_one_rounding_of_the_angle),
        cmocka_unit_test(sine_and_cosine_of_the_largest_angle_lie_on_the_unit_circle),
        cmocka_unit_test(sine_is_odd_and_cosine_even_to_the_last_bit),
        cmocka_unit_test(the_arctangent_is_right_to_three_units_in_the_last_place),
        cmocka_unit_test(the_arctangent_knows_the_axes),
        cmocka_unit_test(a_rotation_about_an_axis_turns_by_rodrigues_formula),
        cmocka_unit_test(the_logarithm_undoes_the_rotation_up_to_half_a_turn),
        cmocka_unit_test(the_logarithm_takes_the_shorter_way_round),
        cmocka_unit_test(the_cayley_rotation_turns_by_twice_the_arctangent_of_half),
        cmocka_unit_test(the_cayley_rotation_solves_the_midpoint_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
