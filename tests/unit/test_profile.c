// The time of steps by stage, measured with a clock that counts its readings.
#include "standing_scene.h"

static double tick(void *context)
{
    double *now = context;
    return *now += 1.0;
}

static void every_moment_of_a_step_belongs_to_one_stage(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/heavy_on_light.xml", NULL);
    dp_data_options(x.d)->ledger = true;
    double now = 100.0;
    dp_data_set_clock(x.d, tick, &now);
    mechanism_steps(&x, 7);
    const dp_profile *profile = dp_data_profile(x.d);
    assert_int_equal(profile->steps, 7);
    double sum = 0.0;
    for (int i = 0; i < DP_STAGES; ++i) {
        assert_true(profile->seconds[i] > 0.0);
        assert_string_not_equal(dp_stage_name((dp_stage)i), "unknown");
        sum += profile->seconds[i];
    }
    // Each reading but the first of a step ends a stretch of one tick.
    assert_true(sum == now - 100.0 - 7.0);
    mechanism_end(&x);
}

static void nothing_is_measured_between_steps_or_without_a_clock(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/heavy_on_light.xml", NULL);
    mechanism_steps(&x, 3);
    assert_int_equal(dp_data_profile(x.d)->steps, 0);
    double now = 0.0;
    dp_data_set_clock(x.d, tick, &now);
    assert_ok(dp_forward(x.d));
    assert_true(now == 0.0);
    mechanism_steps(&x, 1);
    assert_true(now > 0.0);
    dp_data_set_clock(x.d, NULL, NULL);
    const double stopped = now;
    mechanism_steps(&x, 1);
    assert_true(now == stopped);
    assert_true(dp_data_profile(x.d)->seconds[DP_STAGE_SOLVE] == 0.0);
    mechanism_end(&x);
}

static void a_clock_changes_no_bit(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        mechanism x = standing_scene("humanoid_stands.xml", NULL);
        double now = 0.0;
        dp_data_set_clock(x.d, k == 0 ? NULL : tick, &now);
        mechanism_steps(&x, 20);
        hash[k] = dp_state_hash(x.d);
        mechanism_end(&x);
    }
    assert_true(hash[0] == hash[1]);
}

static void a_step_that_fails_stops_the_watch(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/heavy_on_light.xml", NULL);
    double now = 0.0;
    dp_data_set_clock(x.d, tick, &now);
    dp_data_v(x.d)[0] = 1e200;
    assert_int_equal(dp_step(x.d), DP_ERROR_NUMERIC);
    const double stopped = now;
    dp_data_v(x.d)[0] = 0.0;
    assert_ok(dp_forward(x.d));
    assert_true(now == stopped);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_moment_of_a_step_belongs_to_one_stage),
        cmocka_unit_test(nothing_is_measured_between_steps_or_without_a_clock),
        cmocka_unit_test(a_clock_changes_no_bit),
        cmocka_unit_test(a_step_that_fails_stops_the_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
