// The laws `tamsi` and `ode` in steps: closed forms of what holds and slides, and how the laws come
// together as the step and the slip speed go to 0.
#include "contact_scene.h"
#include "trial.h"

#include <dashpot/advanced/law.h>
#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GRAVITY = 9.81;

static mechanism load(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene.xml", NULL));
    return mechanism_from(spec);
}

// A box that was thrown, on a soft floor.
static mechanism thrown_box(void)
{
    mechanism x = load("<mujoco xmlns:dp='dashpot'><option timestep='0.001'/>"
                       "<default><geom friction='0.3' dp:stiffness='2e4' dp:dissipation='1'/>"
                       "</default><worldbody><geom type='plane' size='5 5 1'/>"
                       "<body pos='0 0 0.1'><freejoint/>"
                       "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>");
    const double q[7] = {0.0, 0.0, 0.0999, 1.0, 0.0, 0.0, 0.0};
    const double v[6] = {1.0, 0.5, 0.0, 0.0, 0.0, 0.3};
    mechanism_set(&x, q, v);
    return x;
}

// The state of the box after 0.2 s, while it slides.
static void end_of_box(double q[7], const char *law, double h, double slip_speed)
{
    mechanism x = thrown_box();
    dp_options *o = dp_data_options(x.d);
    assert_ok(dp_options_set(o, "law", law));
    o->solver.friction.slip_speed = slip_speed;
    o->step = h;
    o->relative_tolerance = 1e-10;
    o->absolute_tolerance = 1e-12;
    o->max_substeps = 1000000;
    mechanism_steps(&x, (int)lround(0.2 / h));
    memcpy(q, dp_data_q(x.d), 7 * sizeof *q);
    mechanism_end(&x);
}

static double distance(const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < 7; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

static void tamsi_and_compliant_come_to_the_differential_equation_with_order_one(void **state)
{
    (void)state;
    static const char *const laws[] = {"tamsi", "compliant"};
    double reference[7];
    end_of_box(reference, "ode", 0.01, 1e-4);
    for (int k = 0; k < 2; ++k) {
        double h[4] = {4e-4, 2e-4, 1e-4, 5e-5}, error[4], q[7];
        for (int i = 0; i < 4; ++i) {
            end_of_box(q, laws[k], h[i], 1e-4);
            error[i] = distance(q, reference);
        }
        assert_near(fitted_order(h, error, 4), 1.0, 0.1);
        assert_true(error[3] < 1e-4);
    }
}

static void the_differential_equation_does_not_depend_on_the_step(void **state)
{
    (void)state;
    double one[7], two[7];
    end_of_box(one, "ode", 0.02, 1e-4);
    end_of_box(two, "ode", 0.005, 1e-4);
    assert_true(distance(one, two) < 1e-8);
}

// On a slope friction holds by creeping: at the share of v_s that it takes of its full size.
static mechanism slope(double angle, double mu)
{
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco xmlns:dp='dashpot'><option timestep='0.005' gravity='%.17g 0 %.17g'/>"
             "<default><geom friction='%g' dp:stiffness='2e6' dp:dissipation='2'/></default>"
             "<worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 0.1'><freejoint/>"
             "<geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>",
             GRAVITY * sin(angle), -GRAVITY * cos(angle), mu);
    return load(text);
}

static void what_holds_on_a_slope_creeps_at_its_share_of_the_slip_speed(void **state)
{
    (void)state;
    const double angle = 0.3, mu = 0.5;
    static const double slip_speeds[] = {1e-3, 1e-4, 1e-5, 1e-6};
    for (int i = 0; i < 4; ++i) {
        const double v_s = slip_speeds[i];
        mechanism x = slope(angle, mu);
        dp_data_options(x.d)->solver.law = DP_LAW_TAMSI;
        dp_data_options(x.d)->solver.friction.slip_speed = v_s;
        mechanism_steps(&x, 200);
        const double v = dp_data_v(x.d)[0], expected = v_s * tan(angle) / mu;
        assert_near(v, expected, 1e-4 * v_s);
        assert_near(dp_data_report(x.d)->certificate.creep, expected, 1e-4 * v_s);
        mechanism_end(&x);
    }
}

static void the_one_way_scheme_explodes_where_two_ways_rest(void **state)
{
    (void)state;
    double height[2];
    for (int one_way = 0; one_way < 2; ++one_way) {
        mechanism x = slope(0.0, 0.5);
        dp_options *o = dp_data_options(x.d);
        o->solver.law = DP_LAW_TAMSI;
        o->solver.user = one_way ? dp_law_tamsi_variant(DP_TAMSI_VARIANT_ONE_WAY) : NULL;
        height[one_way] = 0.0; // h √(k/m) = 5
        for (int i = 0; i < 100; ++i) {
            mechanism_steps(&x, 1);
            height[one_way] = fmax(height[one_way], dp_data_q(x.d)[2]);
        }
        mechanism_end(&x);
    }
    assert_true(height[0] <= 0.1 && height[1] > 0.101);
}

// What one scheme leaves behind in its scratch, a copy of the state does not have.
static void schemes_can_be_changed_between_steps(void **state)
{
    (void)state;
    mechanism x = slope(0.1, 0.5);
    dp_options *o = dp_data_options(x.d);
    o->solver.law = DP_LAW_TAMSI;
    o->step = 1e-4;
    for (int i = 0; i < 40; ++i) {
        o->solver.user = i % 2 ? NULL : dp_law_tamsi_variant(DP_TAMSI_VARIANT_ONE_WAY);
        dp_data *copy;
        assert_ok(dp_data_create(&copy, x.m, NULL));
        assert_ok(dp_data_copy(copy, x.d));
        mechanism_steps(&x, 1);
        assert_ok(dp_step(copy));
        assert_memory_equal(dp_data_v(copy), dp_data_v(x.d), 6 * sizeof(double));
        dp_data_destroy(copy);
    }
    mechanism_end(&x);
}

// With a stride of 10 ms it would be thrown about: it goes on as it creeps.
static void nothing_sleeps_under_ode(void **state)
{
    (void)state;
    mechanism x = slope(0.1, 0.5);
    dp_options *o = dp_data_options(x.d);
    mechanism_steps(&x, 100);
    o->integrator = DP_INTEGRATOR_RK45;
    o->max_substeps = 100000;
    o->step = 0.01;
    o->sleep_speed = 0.01;
    o->sleep_time = 0.03;
    for (int i = 0; i < 20; ++i) {
        mechanism_steps(&x, 1);
        assert_true(fabs(dp_data_v(x.d)[2]) < 1e-3);
    }
    assert_int_equal(dp_data_report(x.d)->asleep, 0);
    mechanism_end(&x);
}

static void what_is_rigid_is_refused_by_name_or_given_a_spring(void **state)
{
    (void)state;
    const char *text =
        "<mujoco xmlns:dp='dashpot'><option timestep='0.001'/><worldbody><body name='rod'>"
        "<joint name='j' axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 .5 0 0' "
        "mass='1' contype='0' conaffinity='0'/></body></worldbody>"
        "<equality><connect name='pin' body1='rod' anchor='0.5 0 0'/></equality></mujoco>";
    mechanism x = load(text);
    dp_options *o = dp_data_options(x.d);
    o->integrator = DP_INTEGRATOR_RK45;
    assert_int_equal(dp_step(x.d), DP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dp_last_error(), "'pin' is rigid"));
    assert_non_null(strstr(dp_last_error(), "ode.stiffness"));
    o->ode_stiffness = 1e6;
    o->max_substeps = 100000;
    mechanism_steps(&x, 2000);
    const double sag = 0.5 * sin(dp_data_q(x.d)[0]); // of the tip, half the weight on the pin
    assert_near(sag, 0.5 * GRAVITY / 1e6, 0.02 * 0.5 * GRAVITY / 1e6);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tamsi_and_compliant_come_to_the_differential_equation_with_order_one),
        cmocka_unit_test(the_differential_equation_does_not_depend_on_the_step),
        cmocka_unit_test(what_holds_on_a_slope_creeps_at_its_share_of_the_slip_speed),
        cmocka_unit_test(the_one_way_scheme_explodes_where_two_ways_rest),
        cmocka_unit_test(schemes_can_be_changed_between_steps),
        cmocka_unit_test(nothing_sleeps_under_ode),
        cmocka_unit_test(what_is_rigid_is_refused_by_name_or_given_a_spring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
