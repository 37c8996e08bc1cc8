// Forces of actuators by length, rate and activation; activations in time.
#include "near.h"

#include "dynamics/actuator.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static void a_servo_falls_with_length_and_rate_and_resists(void **state)
{
    (void)state;
    const dp_model m = {.size = {.nu = 1}};
    const dp_actuator servo = {.joint = -1, .gain = {50.0}, .bias = {0.0, -50.0, -3.0}};
    const dp_drive drive = dp_drive_at(&m, &servo, 0.4, 2.0, 1.0);
    assert_close(drive.free_force, 50.0 * (1.0 - 0.4) - 3.0 * 2.0, 1e-15);
    assert_true(drive.stiffness == 50.0 && drive.damping == 3.0 && dp_drive_resists(&drive));
    const dp_actuator motor = {.joint = -1, .gain = {2.0}};
    const dp_drive pull = dp_drive_at(&m, &motor, 0.4, 2.0, 1.5);
    assert_true(pull.free_force == 3.0 && !dp_drive_resists(&pull));
}

static void a_servo_of_a_ball_joint_goes_the_shorter_way(void **state)
{
    (void)state;
    const dp_actuator servo = {.gain = {50.0}, .bias = {0.0, -50.0, 0.0}, .gear = {0.0, 0.0, 2.0}};
    const double turn = 4.0 * PI; // of the length, with this gear
    for (int i = -3; i <= 3; ++i) {
        assert_near(dp_servo_turns(&servo, i * turn + 0.9), i * turn, 1e-12);
    }
    const dp_actuator motor = {.gain = {50.0}, .gear = {0.0, 0.0, 2.0}};
    assert_true(dp_servo_turns(&motor, 3.0 * turn) == 0.0);
}

static void a_force_beyond_its_range_is_held_at_the_end_that_it_is_beyond(void **state)
{
    (void)state;
    const dp_actuator pulls = {.force_limited = true, .force_range = {-5.0, -1.0}};
    assert_int_equal(dp_force_end(&pulls, -6.0), -1);
    assert_int_equal(dp_force_end(&pulls, -2.0), 0);
    assert_int_equal(dp_force_end(&pulls, 0.0), 1);
    assert_true(dp_least_force(&pulls) == -1.0);
    const dp_actuator free = {.force_limited = false};
    assert_int_equal(dp_force_end(&free, 1e300), 0);
    assert_true(dp_least_force(&free) == 0.0);
    const dp_drive drive = {.rate = 1.0, .free_force = -4.0, .stiffness = 100.0, .damping = 0.5};
    assert_int_equal(dp_drive_end(&pulls, &drive, 1.0, 0.0), 0);
    assert_int_equal(dp_drive_end(&pulls, &drive, 1.0, 0.02), -1); // −4 − 100 · 0.02
}

static void an_exact_filter_goes_to_its_control_as_the_exponential_does(void **state)
{
    (void)state;
    const dp_actuator filter = {.dynamics = DP_ACTUATOR_DYNAMICS_FILTER_EXACT,
                                .time_constant = 0.3};
    for (double h = 1e-3; h < 10.0; h *= 3.0) {
        const double rate = dp_activation_rate(&filter, 2.0, 0.5);
        assert_near(dp_activation_after(&filter, 2.0, 0.5, rate, h), 2.0 - 1.5 * exp(-h / 0.3),
                    1e-14);
    }
}

static void an_activation_stays_in_its_range(void **state)
{
    (void)state;
    const dp_actuator one = {.dynamics = DP_ACTUATOR_DYNAMICS_INTEGRATOR,
                             .activation_limited = true,
                             .activation_range = {0.0, 1.0},
                             .activation_index = 0};
    assert_true(dp_activation_rate(&one, 3.0, 1.0) == 0.0);
    assert_true(dp_activation_rate(&one, -3.0, 1.0) == -3.0);
    assert_true(dp_activation_rate(&one, -3.0, 0.0) == 0.0);
    const dp_model m = {.size = {.nu = 1}, .actuator = &one};
    double activation = 1.5;
    dp_activations_clamp(&activation, &m);
    assert_true(activation == 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_servo_falls_with_length_and_rate_and_resists),
        cmocka_unit_test(a_servo_of_a_ball_joint_goes_the_shorter_way),
        cmocka_unit_test(a_force_beyond_its_range_is_held_at_the_end_that_it_is_beyond),
        cmocka_unit_test(an_exact_filter_goes_to_its_control_as_the_exponential_does),
        cmocka_unit_test(an_activation_stays_in_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
