// Implicit Euler: recurrences that are known in closed form, order, what holding
// back saves, and that nothing is kept from step to step.
#include "contact_scene.h"
#include "counting_allocator.h"
#include "trial.h"

#include <dashpot/advanced/law.h>
#include <dashpot/advanced/step.h>
#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static mechanism load(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene.xml", NULL));
    return mechanism_from(spec);
}

static dp_options *by_euler(mechanism *x, double h, bool full_newton)
{
    dp_options *o = dp_data_options(x->d);
    o->step = h;
    o->integrator = DP_INTEGRATOR_IMPLICIT_EULER;
    dp_data_set_full_newton(x->d, full_newton);
    return o;
}

static void a_spring_and_a_damper_take_the_step_that_a_linear_equation_gives(void **state)
{
    (void)state;
    mechanism x = load("<mujoco><option gravity='0 0 0'/><worldbody><body>"
                       "<joint type='slide' axis='1 0 0' stiffness='1e6' damping='3'/>"
                       "<geom type='sphere' size='.1' mass='2'/></body></worldbody></mujoco>");
    const double m = 2.0, k = 1e6, c = 3.0, h = 0.01;
    double q = 0.1, v = -4.0;
    mechanism_set(&x, &q, &v);
    by_euler(&x, h, false);
    for (int i = 0; i < 20; ++i) {
        mechanism_steps(&x, 1);
        v = (m * v - h * k * q) / (m + h * c + h * h * k);
        q += h * v;
        // Slopes by differences are good to 1e-8; steps of Newton's method end below 1e-6 m/s, and
        // the next would be 1e-8 of the last.
        assert_near(dp_data_v(x.d)[0], v, 1e-9);
        assert_near(dp_data_q(x.d)[0], q, 1e-9);
    }
    mechanism_end(&x);
}

// A box on one slide whose weight rests on the floor, pushed to and fro.
static mechanism pushed_box(void)
{
    return load("<mujoco xmlns:dp='dashpot'><option timestep='0.01' gravity='0 0 -9.8'/>"
                "<default><geom friction='1' dp:stiffness='2e4' dp:dissipation='0'/></default>"
                "<worldbody><geom type='plane' size='2 2 .1'/><body pos='0 0 0.0496766'>"
                "<joint name='x' type='slide' axis='1 0 0'/>"
                "<geom type='box' size='.05 .05 .05' mass='.33'/></body></worldbody>"
                "<dp:force joint='x' force='4*cos(2*pi*t)'/></mujoco>");
}

static void a_box_that_slides_and_sticks_has_the_velocities_of_the_recurrence(void **state)
{
    (void)state;
    const double pi = 3.141592653589793, h = 0.01, v_s = 1e-4, m = 0.33, f = 9.8;
    for (int newton = 0; newton < 2; ++newton) {
        mechanism x = pushed_box();
        by_euler(&x, h, newton != 0);
        double v = 0.0;
        for (int i = 1; i <= 200; ++i) {
            // The root of v₁ − v₀ − h (a − f m(v₁)), which rises with v₁: one of three lines.
            const double goal = v + h * 4.0 * cos(2.0 * pi * h * i) / m;
            v = goal > v_s + h * f    ? goal - h * f
                : goal < -v_s - h * f ? goal + h * f
                                      : goal / (1.0 + h * f / v_s);
            mechanism_steps(&x, 1);
            assert_near(dp_data_v(x.d)[0], v, 1e-9);
            assert_int_equal(dp_data_report(x.d)->work.rejected, 0);
            assert_int_equal(dp_data_report(x.d)->work.substeps, 1);
        }
        mechanism_end(&x);
    }
}

static int evaluations_of_box(bool full_newton, bool is_plain, int *rejected)
{
    mechanism x = pushed_box();
    dp_options *o = by_euler(&x, 0.01, full_newton);
    o->solver.user = is_plain ? dp_law_tamsi_variant(DP_TAMSI_VARIANT_PLAIN) : NULL;
    int evaluations = 0;
    *rejected = 0;
    for (int i = 0; i < 200; ++i) {
        mechanism_steps(&x, 1);
        evaluations += dp_data_report(x.d)->work.evaluations;
        *rejected += dp_data_report(x.d)->work.rejected;
    }
    mechanism_end(&x);
    return evaluations;
}

static void without_holding_back_steps_are_halved_and_cost_more(void **state)
{
    (void)state;
    for (int newton = 0; newton < 2; ++newton) {
        int held, plain;
        const int least = evaluations_of_box(newton != 0, false, &held);
        const int most = evaluations_of_box(newton != 0, true, &plain);
        assert_int_equal(held, 0);
        assert_true(plain > 0);
        assert_true(most > least);
    }
}

// A box that slides and turns on a soft floor, as deep in it as its weight asks for.
static mechanism sliding_box(void)
{
    mechanism x = load("<mujoco xmlns:dp='dashpot'><option timestep='0.001'/>"
                       "<default><geom friction='0.3' dp:stiffness='2e4' dp:dissipation='50'/>"
                       "</default><worldbody><geom type='plane' size='5 5 1'/>"
                       "<body pos='0 0 0.1'><freejoint/>"
                       "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>");
    const double q[7] = {0.0, 0.0, 0.099019, 1.0, 0.0, 0.0, 0.0};
    const double v[6] = {1.0, 0.5, 0.0, 0.0, 0.0, 0.3};
    mechanism_set(&x, q, v);
    return x;
}

static double distance(const double *a, const double *b, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

static void reference_of_box(double q[7])
{
    mechanism x = sliding_box();
    dp_options *o = dp_data_options(x.d);
    o->integrator = DP_INTEGRATOR_RK45;
    o->step = 0.01;
    o->relative_tolerance = 1e-9;
    o->absolute_tolerance = 1e-11;
    o->max_substeps = 1000000;
    mechanism_steps(&x, 20);
    memcpy(q, dp_data_q(x.d), 7 * sizeof *q);
    mechanism_end(&x);
}

static void it_comes_to_the_runge_kutta_pair_with_order_one(void **state)
{
    (void)state;
    double reference[7];
    reference_of_box(reference);
    for (int newton = 0; newton < 2; ++newton) {
        double h[4] = {4e-4, 2e-4, 1e-4, 5e-5}, error[4];
        for (int i = 0; i < 4; ++i) {
            mechanism x = sliding_box();
            by_euler(&x, h[i], newton != 0);
            mechanism_steps(&x, (int)lround(0.2 / h[i]));
            error[i] = distance(dp_data_q(x.d), reference, 7);
            mechanism_end(&x);
        }
        assert_near(fitted_order(h, error, 4), 1.0, 0.1);
    }
}

static void accuracy_bounds_its_error(void **state)
{
    (void)state;
    const double h = 0.01;
    const int steps = 20;
    double reference[7], error[2];
    reference_of_box(reference);
    for (int i = 0; i < 2; ++i) {
        mechanism x = sliding_box();
        dp_options *o = by_euler(&x, h, false);
        o->accuracy = i == 0 ? 1e-5 : 1e-6;
        mechanism_steps(&x, steps);
        error[i] = distance(dp_data_q(x.d), reference, 7);
        assert_true(error[i] < o->accuracy);
        mechanism_end(&x);
    }
    assert_true(error[1] < 0.5 * error[0]);
}

// Where a pendulum would go in a second. Newton's method does not find the ends of so long a step,
// nor of its halves, for some of the starts: then the whole and the halves are made of the same
// quarters, and agree with them in what is off by half a radian.
static void parts_that_newtons_method_was_made_in_are_no_measure_of_the_error(void **state)
{
    (void)state;
    mechanism x = load("<mujoco><worldbody><body><joint axis='0 1 0'/>"
                       "<geom type='sphere' size='.01' pos='0 0 -1' mass='1'/></body></worldbody>"
                       "</mujoco>");
    const double accuracy = 1e-3, rest = 0.0;
    dp_options *o = by_euler(&x, 1.0, false);
    o->relative_tolerance = o->absolute_tolerance = 1e-10;
    int quarters = 0;
    for (int i = 0; i < 40; ++i) {
        const double q = 2.0 + 0.01 * i;
        mechanism_set(&x, &q, &rest);
        mechanism_steps(&x, 1);
        quarters += dp_data_report(x.d)->work.substeps == 4;
        o->integrator = DP_INTEGRATOR_RK45;
        mechanism_set(&x, &q, &rest);
        mechanism_steps(&x, 1);
        const double right = dp_data_q(x.d)[0];
        o->integrator = DP_INTEGRATOR_IMPLICIT_EULER;
        o->accuracy = accuracy;
        mechanism_set(&x, &q, &rest);
        mechanism_steps(&x, 1);
        o->accuracy = 0.0;
        assert_near(dp_data_q(x.d)[0], right, accuracy);
    }
    assert_true(quarters > 10); // it is these that are meant
    mechanism_end(&x);
}

static void a_body_that_turns_freely_keeps_its_quaternion_unit(void **state)
{
    (void)state;
    mechanism x = sliding_box();
    const double q[7] = {0.0, 0.0, 50.0, 1.0, 0.0, 0.0, 0.0};
    const double v[6] = {0.0, 0.0, 0.0, 3.0, 5.0, -2.0};
    mechanism_set(&x, q, v);
    by_euler(&x, 0.01, true);
    mechanism_steps(&x, 100);
    const double *p = dp_data_q(x.d) + 3;
    assert_near(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]), 1.0, 1e-15);
    mechanism_end(&x);
}

static void a_copy_goes_on_to_the_bit(void **state)
{
    (void)state;
    mechanism x = sliding_box();
    by_euler(&x, 0.005, false);
    mechanism_steps(&x, 10);
    dp_data *copy;
    assert_ok(dp_data_create(&copy, x.m, NULL));
    assert_ok(dp_data_copy(copy, x.d));
    mechanism_steps(&x, 10);
    for (int i = 0; i < 10; ++i) {
        assert_ok(dp_step(copy));
    }
    assert_memory_equal(dp_data_q(x.d), dp_data_q(copy), 7 * sizeof(double));
    assert_memory_equal(dp_data_v(x.d), dp_data_v(copy), 6 * sizeof(double));
    dp_data_destroy(copy);
    mechanism_end(&x);
}

static void only_the_first_step_takes_memory_and_without_it_nothing_moves(void **state)
{
    (void)state;
    mechanism x = pushed_box();
    counting_allocator counts = {.calls = 0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d;
    assert_ok(dp_data_create(&d, x.m, &allocator));
    dp_options *o = dp_data_options(d);
    o->integrator = DP_INTEGRATOR_IMPLICIT_EULER;
    counts.fail_at = counts.calls + 1;
    assert_int_equal(dp_step(d), DP_ERROR_MEMORY);
    assert_true(dp_data_time(d) == 0.0 && dp_data_v(d)[0] == 0.0);
    counts.fail_at = 0;
    assert_ok(dp_step(d));
    const size_t calls = counts.calls;
    for (int i = 0; i < 50; ++i) {
        assert_ok(dp_step(d));
    }
    assert_int_equal(counts.calls, calls);
    dp_data_destroy(d);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    mechanism_end(&x);
}

// The first and the last of three hinges turn the body about one axis.
static void joints_that_lock_are_named(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "gimbal", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.03});
    (void)mechanism_joint(&x, body, "yaw", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    (void)mechanism_joint(&x, body, "pitch", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    (void)mechanism_joint(&x, body, "roll", DP_JOINT_HINGE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    by_euler(&x, 0.01, false);
    assert_int_equal(dp_step(x.d), DP_ERROR_NUMERIC);
    print_message("%s\n", dp_last_error());
    assert_non_null(strstr(dp_last_error(), "the joints of body 'gimbal' move it alike"));
    assert_true(dp_data_time(x.d) == 0.0);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_and_a_damper_take_the_step_that_a_linear_equation_gives),
        cmocka_unit_test(a_box_that_slides_and_sticks_has_the_velocities_of_the_recurrence),
        cmocka_unit_test(without_holding_back_steps_are_halved_and_cost_more),
        cmocka_unit_test(it_comes_to_the_runge_kutta_pair_with_order_one),
        cmocka_unit_test(accuracy_bounds_its_error),
        cmocka_unit_test(parts_that_newtons_method_was_made_in_are_no_measure_of_the_error),
        cmocka_unit_test(a_body_that_turns_freely_keeps_its_quaternion_unit),
        cmocka_unit_test(a_copy_goes_on_to_the_bit),
        cmocka_unit_test(only_the_first_step_takes_memory_and_without_it_nothing_moves),
        cmocka_unit_test(joints_that_lock_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
