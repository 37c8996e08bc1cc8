// Drives as rows: any gain is stable, and a force range is kept to the last digit.
#include "mechanism.h"

#include <float.h>
#include <math.h>

static const double MASS = 2.0;

typedef struct servo {
    double kp, kv;
    double range[2]; // 0 0: no limit
} servo;

// A mass on a slide along x, driven to its control. No gravity.
static mechanism driven(servo s, double h)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
    dp_spec_options(x.spec)->step = h;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, MASS,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    (void)mechanism_joint(&x, body, "j", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    dp_actuator_spec a = dp_actuator_spec_default();
    a.name = "servo";
    a.joint = "j";
    a.gain[0] = s.kp;
    a.bias[1] = -s.kp;
    a.bias[2] = -s.kv;
    a.force_limited = s.range[0] != s.range[1];
    a.force_range[0] = s.range[0];
    a.force_range[1] = s.range[1];
    assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
    mechanism_compile(&x);
    return x;
}

// The implicit servo: m (v₁ − v) = h (kp (r − q − h v₁) − kv v₁).
static void recursion(double *q, double *v, servo s, double target, double h)
{
    *v = (MASS * *v + h * s.kp * (target - *q)) / (MASS + h * s.kv + h * h * s.kp);
    *q += h * *v;
}

static void a_servo_of_1e9_follows_its_reference_at_ten_milliseconds(void **state)
{
    (void)state;
    const double h = 0.01;
    const servo limits[] = {{1e9, 0.0, {0.0, 0.0}},
                            {1e9, 1e5, {0.0, 0.0}},
                            {1e9, 1e5, {-1e6, 1e6}},  // never reached
                            {1e9, 1e5, {-40.0, 40}}}; // reached at the start alone
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        mechanism x = driven(limits[i], h);
        double q = 0.0, v = 0.0;
        for (int n = 1; n <= 500; ++n) {
            // r̈ = −1.2 sin 2t m/s²: 2.4 N, well within every range once it has caught up.
            const double target = 0.3 * sin(2.0 * h * n);
            dp_data_control(x.d)[0] = target;
            mechanism_steps(&x, 1);
            recursion(&q, &v, limits[i], target, h);
            if (i < 3) {
                assert_near(dp_data_q(x.d)[0], q, 1e-13); // kp (r − q) loses 1e9 · 1e-17/k
            }
            if (n > 20) { // the lag is that of a first-order step, kv ṙ/kp, and r̈ m/kp
                const double lag = limits[i].kv / limits[i].kp * 0.6 + 2.4 / 1e9;
                assert_near(dp_data_q(x.d)[0], target, 2.0 * lag + 1e-12);
            }
        }
        mechanism_end(&x);
    }
}

static void a_force_range_is_kept_to_the_last_digit(void **state)
{
    (void)state;
    const double steps[] = {1e-4, 1e-3, 0.01, 0.03, 0.2}, ends[] = {0.1, 1.0 / 3.0, 7.3, 1e5};
    for (int i = 0; i < 5 * 4; ++i) {
        const double h = steps[i % 5], end = ends[i / 5];
        mechanism x = driven((servo){1e9, 1e3, {-2.0 * end, end}}, h);
        double *v = dp_data_v(x.d);
        dp_data_control(x.d)[0] = 1e7 * end; // far away
        for (int n = 0; n < 20; ++n) {
            const double before = v[0];
            mechanism_steps(&x, 1);
            assert_true(dp_data_actuator_force(x.d)[0] == end);
            assert_int_equal(dp_data_row_count(x.d), 0); // a force, and no row
            assert_near(v[0], before + h * end / MASS, 4.0 * DBL_EPSILON * fabs(v[0]));
        }
        assert_ok(dp_forward(x.d));
        // Without other rows the force is that of the moment: clamped.
        assert_true(dp_data_actuator_force(x.d)[0] == end);
        mechanism_end(&x);
    }
}

// As if on a surface kp (r − q) = kv v, with a time constant of kv/kp, once it is on it.
static void a_limited_servo_comes_to_rest_within_its_force(void **state)
{
    (void)state;
    const double h = 0.01;
    const servo s = {1e9, 0.2e9, {-5.0, 5.0}};
    mechanism x = driven(s, h);
    dp_data_control(x.d)[0] = 1.0;
    double *v = dp_data_v(x.d), before = 0.0;
    int at_end = 0;
    for (int n = 0; n < 1000; ++n) {
        mechanism_steps(&x, 1);
        const double force = MASS * (v[0] - before) / h;
        assert_true(fabs(force) <= 5.0 * (1.0 + 1e-12));
        at_end += fabs(force) > 4.999;
        before = v[0];
    }
    assert_true(at_end > 10);
    assert_near(dp_data_q(x.d)[0], 1.0, 1e-12); // e⁻⁴⁰
    assert_near(v[0], 0.0, 1e-10);
    mechanism_end(&x);
}

// The force of a drive with range [lo, hi] by the recursion, whatever side of 0 the range is on.
static void check_range(servo s, double target, double q, double v, double h)
{
    mechanism x = driven(s, h);
    dp_data_control(x.d)[0] = target;
    dp_data_q(x.d)[0] = q;
    dp_data_v(x.d)[0] = v;
    int at_lo = 0, at_hi = 0, within = 0;
    for (int n = 0; n < 400; ++n) {
        double q1 = dp_data_q(x.d)[0], v1 = dp_data_v(x.d)[0];
        const double q0 = q1, v0 = v1;
        recursion(&q1, &v1, s, target, h);
        double force = MASS * (v1 - v0) / h;
        const bool least = force<s.range[0], most = force> s.range[1];
        force = fmin(fmax(force, s.range[0]), s.range[1]);
        v1 = v0 + h * force / MASS;
        assert_ok(dp_forward(x.d));
        const double now = dp_data_actuator_force(x.d)[0];
        assert_true(now >= s.range[0] && now <= s.range[1]);
        mechanism_steps(&x, 1);
        const double round_off = 1e-12 * (1.0 + fabs(v1));
        assert_near(dp_data_v(x.d)[0], v1, round_off);
        assert_near(dp_data_q(x.d)[0], q0 + h * v1, round_off);
        at_lo += least;
        at_hi += most;
        within += !least && !most;
    }
    assert_true(at_lo > 0 && at_hi > 0 && within > 0); // the run has seen all three
    mechanism_end(&x);
}

static void a_range_that_does_not_contain_zero_is_kept_too(void **state)
{
    (void)state;
    // A cable that only pulls, one that only pushes, a thruster that is never off.
    check_range((servo){100.0, 20.0, {1.0, 5.0}}, 0.5, 0.0, 0.0, 0.01);
    check_range((servo){100.0, 20.0, {-5.0, -1.0}}, -0.5, 0.0, 0.0, 0.01);
    check_range((servo){100.0, 20.0, {0.0, 5.0}}, 0.5, 0.0, 2.0, 0.01);
    check_range((servo){100.0, 20.0, {-5.0, 0.0}}, -0.5, 0.0, -2.0, 0.01);
    check_range((servo){1e4, 2.0, {2.0, 300.0}}, 0.5, 0.0, 0.0, 0.001);
}

// With another row in the mechanism, dp_forward tells the mean force over the step, of drives too.
static void a_drive_with_a_least_force_leans_on_a_stop(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
    dp_spec_options(x.spec)->ledger = true;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, MASS,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    dp_joint_spec *joint = mechanism_joint(&x, body, "j", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    joint->limited = true;
    joint->range[0] = -1.0;
    joint->range[1] = 0.5;
    dp_actuator_spec a = dp_actuator_spec_default();
    a.joint = "j";
    a.gain[0] = 1e6;
    a.bias[1] = -1e6;
    a.force_limited = true;
    a.force_range[0] = 3.0;
    a.force_range[1] = 8.0;
    assert_ok(dp_spec_add_actuator(NULL, x.spec, &a));
    mechanism_compile(&x);
    const double targets[] = {2.0, -2.0}, expected[] = {8.0, 3.0};
    for (int i = 0; i < 2; ++i) { // far beyond the stop, then far behind: it cannot pull
        dp_data_control(x.d)[0] = targets[i];
        mechanism_steps(&x, 1000);
        assert_near(dp_data_q(x.d)[0], 0.5, 1e-12);
        double stop = 0.0;
        for (int r = 0; r < dp_data_row_count(x.d); ++r) {
            const dp_row_info row = dp_data_row(x.d, r);
            stop = row.source == DP_ROW_SOURCE_JOINT_LIMIT ? row.force : stop;
        }
        assert_near(stop, expected[i], 1e-9);
        assert_ok(dp_forward(x.d));
        assert_near(dp_data_actuator_force(x.d)[0], expected[i], 4.0 * DBL_EPSILON * expected[i]);
        assert_near(dp_data_actuation(x.d)[0], expected[i], 4.0 * DBL_EPSILON * expected[i]);
    }
    // 8 N along half a metre, all of it lost at the stop.
    assert_near(dp_data_ledger(x.d)->drives, 8.0 * 0.5, 1e-9);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_servo_of_1e9_follows_its_reference_at_ten_milliseconds),
        cmocka_unit_test(a_force_range_is_kept_to_the_last_digit),
        cmocka_unit_test(a_limited_servo_comes_to_rest_within_its_force),
        cmocka_unit_test(a_range_that_does_not_contain_zero_is_kept_too),
        cmocka_unit_test(a_drive_with_a_least_force_leans_on_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
