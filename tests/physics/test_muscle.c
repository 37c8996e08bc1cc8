// Muscles against their curves: isometric, passive and shortening forces, activation, large steps.
#include "mechanism.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ROUND_OFF = 1e-12;

static mechanism load(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL));
    return mechanism_from(spec);
}

// A mass on a slide x, and a muscle of 100 N on it whose optimal length is 1 m: L = 1 + x.
static mechanism pulled(const char *more)
{
    char text[1200];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body>"
             "<joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/></body>"
             "</worldbody><actuator><muscle name='m' joint='x' force='100' range='0.5 1.5' "
             "lengthrange='-0.5 0.5' lmin='0.4' lmax='2' vmax='4' fpmax='1.2' fvmax='1.6' %s/>"
             "</actuator></mujoco>",
             more);
    return load(text);
}

static double force_at(mechanism *x, double length, double rate, double activation)
{
    dp_data_q(x->d)[0] = length - 1.0;
    dp_data_v(x->d)[0] = rate;
    dp_data_activation(x->d)[0] = activation;
    assert_ok(dp_forward(x->d));
    return dp_data_actuator_force(x->d)[0];
}

static void the_isometric_force_is_the_peak_at_the_optimal_length(void **state)
{
    (void)state;
    mechanism x = pulled("");
    assert_near(force_at(&x, 1.0, 0.0, 1.0), -100.0, ROUND_OFF);
    assert_near(force_at(&x, 1.0, 0.0, 0.3), -30.0, ROUND_OFF);
    assert_near(force_at(&x, 0.7, 0.0, 1.0), -50.0, ROUND_OFF); // halfway down to 0.4
    assert_near(force_at(&x, 0.39, 0.0, 1.0), 0.0, 0.0);
    assert_near(force_at(&x, 0.55, 0.0, 1.0), -100.0 * 2.0 * 0.25 * 0.25, ROUND_OFF);
    mechanism_end(&x);
}

static void what_is_stretched_pulls_without_activation(void **state)
{
    (void)state;
    mechanism x = pulled("");
    assert_near(force_at(&x, 1.0, 0.0, 0.0), 0.0, 0.0);
    assert_near(force_at(&x, 1.5, 0.0, 0.0), -100.0 * 1.2 * 0.5, ROUND_OFF);
    assert_near(force_at(&x, 1.25, 0.0, 0.0), -100.0 * 1.2 * 0.125, ROUND_OFF);
    assert_near(force_at(&x, 2.5, 0.0, 0.7), -100.0 * 1.2 * 2.5,
                ROUND_OFF); // a line, no longer active
    mechanism_end(&x);
}

static void the_force_falls_with_the_speed_of_shortening(void **state)
{
    (void)state;
    mechanism x = pulled("");
    assert_near(force_at(&x, 1.0, -4.0, 1.0), 0.0, 0.0); // v_max L₀
    assert_near(force_at(&x, 1.0, -2.0, 1.0), -25.0, ROUND_OFF);
    assert_near(force_at(&x, 1.0, 2.4, 1.0), -160.0, ROUND_OFF); // from 0.6 v_max on
    assert_near(force_at(&x, 1.0, 9.0, 1.0), -160.0, ROUND_OFF);
    mechanism_end(&x);
}

static void an_unknown_force_is_the_scale_over_the_acceleration_of_a_unit(void **state)
{
    (void)state;
    // 1 N on 2 kg by a gear of 4 is 2 m/s²: 200/2 = 100 N in the muscle.
    mechanism x = load("<mujoco><option gravity='0 0 0'/><worldbody><body>"
                       "<joint name='x' type='slide' axis='1 0 0' limited='true' range='-1 1'/>"
                       "<geom size='0.1' mass='2'/></body></worldbody><actuator>"
                       "<muscle joint='x' gear='4'/></actuator></mujoco>");
    dp_data_activation(x.d)[0] = 1.0;
    // −4 … 4 are 0.75 … 1.05 of L₀ = 8/0.3: L = 1 at (1 − 0.9) L₀ from the middle, over the gear.
    dp_data_q(x.d)[0] = 0.1 * 8.0 / 0.3 / 4.0;
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_actuator_force(x.d)[0], -100.0, 1e-10);
    mechanism_end(&x);
}

// Seconds until a control of 1 (or 0) has brought the activation from a to b: ∫ τ da/(u − a).
static void activation_rises_and_falls_with_its_two_times(void **state)
{
    (void)state;
    mechanism x = pulled("timeconst='0.02 0.05'");
    dp_data_options(x.d)->step = 1e-5;
    double *a = dp_data_activation(x.d);
    dp_data_control(x.d)[0] = 5.0; // is taken as 1
    a[0] = 0.0;
    // up: ∫₀ᵇ 0.02 (½ + 3/2 a)/(1 − a) da = 0.02 (−2 ln(1 − b) − 3/2 b), b = ½
    const double up = 0.02 * (-2.0 * log(0.5) - 0.75);
    mechanism_steps(&x, (int)lround(up / 1e-5));
    assert_near(a[0], 0.5, 1e-3);
    // down from 1 to ½: ∫ 0.05/((½ + 3/2 a) a) da = 0.1 ln(a/(1 + 3 a)) at 1, less that at ½
    a[0] = 1.0;
    dp_data_control(x.d)[0] = 0.0;
    const double down = 0.1 * (log(1.0 / 4.0) - log(0.5 / 2.5));
    mechanism_steps(&x, (int)lround(down / 1e-5));
    assert_near(a[0], 0.5, 1e-3);
    mechanism_end(&x);
}

static void activation_never_passes_its_control_at_any_step(void **state)
{
    (void)state;
    const double steps[] = {0.001, 0.05, 1.0, 100.0};
    for (int i = 0; i < 4; ++i) {
        mechanism x = pulled("tausmooth='0.1'");
        dp_data_options(x.d)->step = steps[i];
        dp_data_control(x.d)[0] = 0.6;
        double last = 0.0;
        for (int n = 0; n < 20; ++n) {
            mechanism_steps(&x, 1);
            const double now = dp_data_activation(x.d)[0];
            assert_true(now >= last && now <= 0.6);
            last = now;
        }
        mechanism_end(&x);
    }
}

// On its rising side a muscle is a spring: a load of half of what it can hold there comes to rest
// halfway between the shortest and the optimal length, at any step.
static void a_load_comes_to_rest_where_the_muscle_holds_it(void **state)
{
    (void)state;
    const double steps[] = {0.001, 0.02, 0.2};
    for (int i = 0; i < 3; ++i) {
        mechanism x = load("<mujoco><option gravity='0 0 0'/><worldbody><body>"
                           "<joint name='x' type='slide' axis='1 0 0'/><geom size='0.1' mass='2'/>"
                           "</body></worldbody><actuator><muscle joint='x' force='900' "
                           "range='0.6 1.4' lengthrange='-0.4 0.4'/></actuator></mujoco>");
        dp_data_options(x.d)->step = steps[i];
        dp_data_q(x.d)[0] = -0.3;
        dp_data_activation(x.d)[0] = dp_data_control(x.d)[0] = 0.2;
        dp_data_force(x.d)[0] = 90.0;
        mechanism_steps(&x, (int)(20.0 / steps[i]) + 100);
        assert_near(dp_data_v(x.d)[0], 0.0, 1e-9);
        assert_near(dp_data_q(x.d)[0], -0.25, 1e-9);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_isometric_force_is_the_peak_at_the_optimal_length),
        cmocka_unit_test(what_is_stretched_pulls_without_activation),
        cmocka_unit_test(the_force_falls_with_the_speed_of_shortening),
        cmocka_unit_test(an_unknown_force_is_the_scale_over_the_acceleration_of_a_unit),
        cmocka_unit_test(activation_rises_and_falls_with_its_two_times),
        cmocka_unit_test(activation_never_passes_its_control_at_any_step),
        cmocka_unit_test(a_load_comes_to_rest_where_the_muscle_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
