// Restitution under every law that accepts one: rebounds, momentum, energy.
#include "test_random.h"
#include "trial.h"

#include "math/v3.h"

#include <dashpot/contact.h>
#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const dp_law_kind laws[] = {DP_LAW_COMPLIANT, DP_LAW_TAMSI, DP_LAW_NCP, DP_LAW_LCP,
                                   DP_LAW_VI};
enum { LAWS = sizeof laws / sizeof laws[0] };
static const double g = 9.81;

static mechanism scene(const char *text, dp_law_kind law, double h)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "scene", NULL));
    dp_spec_options(spec)->solver.law = law;
    dp_spec_options(spec)->step = h;
    return mechanism_from(spec);
}

// ---- a ball on the floor

static mechanism bouncing_ball(dp_law_kind law, double e, double height, double h)
{
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco xmlns:dp='dashpot'><worldbody><geom type='plane' size='1 1 1'/>"
             "<body pos='0 0 %.17g'><freejoint/><geom type='sphere' size='.1' mass='2' "
             "dp:restitution='%.17g'/></body></worldbody></mujoco>",
             0.1 + height, e);
    return scene(text, law, h);
}

// The top of rebound number `count`, above the floor.
static double height_after(mechanism *x, int count)
{
    double top = 0.0, last = -1.0;
    for (int tops = 0; tops < count;) {
        mechanism_steps(x, 1);
        const double v = dp_data_v(x->d)[2];
        top = fmax(top, v > 0.0 ? dp_data_q(x->d)[2] - 0.1 : 0.0);
        if (last > 0.0 && v <= 0.0) {
            ++tops;
        } else if (last < 0.0 && v > 0.0) {
            top = 0.0;
        }
        last = v;
    }
    return top;
}

static void the_first_rebound_is_right_to_one_per_cent_under_every_law(void **state)
{
    (void)state;
    const double e[] = {0.5, 0.6, 0.8, 0.95, 1.0}, from[] = {0.5, 0.83, 2.0};
    for (int l = 0; l < LAWS; ++l) {
        for (int i = 0; i < 15; ++i) {
            mechanism x = bouncing_ball(laws[l], e[i % 5], from[i / 5], 1e-3);
            const double top = height_after(&x, 1), exact = e[i % 5] * e[i % 5] * from[i / 5];
            assert_near(top / exact, 1.0, 0.01);
            mechanism_end(&x);
        }
    }
}

static void later_rebounds_converge_with_the_first_order_of_the_step(void **state)
{
    (void)state;
    for (int l = 0; l < LAWS; ++l) {
        double h[4], error[4];
        for (int i = 0; i < 4; ++i) {
            h[i] = 1e-3 / (1 << i);
            mechanism x = bouncing_ball(laws[l], 0.9, 1.0, h[i]);
            error[i] = pow(0.81, 4.0) - height_after(&x, 4);
            mechanism_end(&x);
        }
        assert_near(fitted_order(h, error, 4), 1.0, 0.15);
        assert_true(error[3] > 0.0); // nothing is gained
    }
}

static void what_gave_the_restitution_is_reported(void **state)
{
    (void)state;
    for (int soft = 0; soft < 2; ++soft) {
        mechanism x = bouncing_ball(DP_LAW_COMPLIANT, 0.9, 0.01, soft ? 1e-7 : 1e-3);
        int by_rule = 0, by_spring = 0;
        mechanism_set(&x, (double[]){0, 0, 0.1 + 1e-9, 1, 0, 0, 0}, (double[]){0, 0, -1, 0, 0, 0});
        for (int i = 0; i < 3; ++i) {
            mechanism_steps(&x, 1);
            by_rule += dp_data_report(x.d)->by_rule;
            by_spring += dp_data_report(x.d)->by_spring;
        }
        assert_int_equal(by_rule, soft ? 0 : 1);
        assert_true(soft ? by_spring > 0 : by_spring == 0);
        mechanism_end(&x);
    }
}

// The rebound over a range of stiffness in which the spring takes over from the rule.
static void the_rebound_does_not_jump_where_the_spring_takes_over(void **state)
{
    (void)state;
    const double e[] = {0.5, 0.9, 1.0};
    for (int i = 0; i < 3; ++i) {
        double before = 0.0;
        bool rule = false, spring = false;
        for (double k = 1e6; k > 10.0; k *= 0.7) {
            char text[600];
            snprintf(text, sizeof text,
                     "<mujoco xmlns:dp='dashpot'><option gravity='0 0 0'/><worldbody><geom "
                     "type='plane' size='1 1 1' dp:stiffness='1e30'/><body pos='0 0 .1001'>"
                     "<freejoint/><geom type='sphere' size='.1' mass='1' condim='1' "
                     "dp:stiffness='%.17g' dp:restitution='%.17g'/></body></worldbody></mujoco>",
                     k, e[i]);
            mechanism x = scene(text, DP_LAW_COMPLIANT, 1e-4);
            mechanism_set(&x, (double[]){0, 0, 0.1001, 1, 0, 0, 0},
                          (double[]){0, 0, -0.02, 0, 0, 0});
            for (int n = 0; n < 200000 && !(dp_data_q(x.d)[2] > 0.11); ++n) {
                mechanism_steps(&x, 1);
                rule = rule || dp_data_report(x.d)->by_rule > 0;
                spring = spring || dp_data_report(x.d)->by_spring > 0;
            }
            const double rebound = dp_data_v(x.d)[2] / 0.02;
            assert_true(before == 0.0 || fabs(rebound - before) <= 0.01 * e[i]);
            assert_near(rebound, e[i], 0.01 * e[i]);
            before = rebound;
            mechanism_end(&x);
        }
        assert_true(rule && spring);
    }
}

// Parts are made in one go, in halves and in quarters, and again where errors are too large: only
// the quarters that are accepted count.
static void parts_made_in_vain_report_no_restitution(void **state)
{
    (void)state;
    mechanism x = bouncing_ball(DP_LAW_NCP, 0.5, 0.1, 1e-3);
    dp_data_options(x.d)->accuracy = 1e-3;
    int impacts = 0;
    for (int step = 0; step < 200; ++step) {
        mechanism_steps(&x, 1);
        const dp_step_report *info = dp_data_report(x.d);
        assert_int_equal(info->by_rule, info->impacts); // one contact
        impacts += info->impacts;
    }
    assert_true(impacts > 0);
    mechanism_end(&x);
}

static void rigid_geoms_have_a_restitution_too(void **state)
{
    (void)state;
    static const char *const text =
        "<mujoco xmlns:dp='dashpot'><worldbody><geom type='plane' size='1 1 1' "
        "dp:stiffness='1e30'/>"
        "<body pos='0 0 .6'><freejoint/><geom type='sphere' size='.1' mass='1' dp:stiffness='1e30' "
        "dp:restitution='.8'/></body></worldbody></mujoco>";
    mechanism x = scene(text, DP_LAW_COMPLIANT, 1e-3);
    assert_near(height_after(&x, 1) / 0.32, 1.0, 0.01);
    mechanism_end(&x);
}

// ---- a box with a ball in a slot of it

static mechanism slot(dp_law_kind law, double h, double width)
{
    char text[1200];
    snprintf(text, sizeof text,
             "<mujoco xmlns:dp='dashpot'><default><geom condim='1' dp:restitution='1'/></default>"
             "<worldbody><body><freejoint/><inertial pos='0 0 0' mass='10' diaginertia='1 1 1'/>"
             "<geom type='box' size='.01 .05 .05' pos='%.17g 0 0'/>"
             "<geom type='box' size='.01 .05 .05' pos='%.17g 0 0'/></body>"
             "<body><freejoint/><geom type='sphere' size='.02' mass='.001'/></body></worldbody>"
             "</mujoco>",
             -0.03 - 0.5 * width, 0.03 + 0.5 * width);
    mechanism x = scene(text, law, h);
    mechanism_set(&x, (double[]){0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0},
                  (double[]){0, 0, 2, 0, 0, 0, 10, 0, 2, 0, 0, 0});
    return x;
}

static void a_box_falls_as_if_nothing_rattled_in_it(void **state)
{
    (void)state;
    const double width[] = {0.06, 0.02, 0.004}; // down to less than what is crossed in a step
    for (int l = 0; l < LAWS; ++l) {
        for (int i = 0; i < 3; ++i) {
            mechanism x = slot(laws[l], 1e-3, width[i]);
            const double before = mechanism_energy(&x);
            int impacts = 0;
            for (int n = 1; n <= 300; ++n) {
                mechanism_steps(&x, 1);
                impacts += dp_data_report(x.d)->impacts;
                const dp_momentum p = dp_body_momentum(x.d, DP_WORLD);
                assert_near(p.linear.z, 10.001 * (2.0 - g * 1e-3 * n), 1e-11);
                assert_near(p.linear.x, 0.01, 1e-14);
                // no more than steps without impacts take: ½ m (g h)² each
                const double taken = 0.5 * 10.001 * g * g * 1e-6 * n;
                assert_near(mechanism_energy(&x) - before, -0.5 * taken, 0.5 * taken + 1e-12);
            }
            assert_true(impacts > 40);
            assert_near(dp_data_v(x.d)[2], 2.0 - g * 0.3, 1e-9);
            mechanism_end(&x);
        }
    }
}

// Forces that push a body away from a wall it bounces off: none of the bounces may gain energy.
static void a_spring_that_pulls_off_the_wall_gains_at_most_second_order_by_a_bounce(void **state)
{
    (void)state;
    const double stiffness[] = {1.0, 100.0, 1e4, 1e6}; // from smooth to far beyond the step
    for (int l = 0; l < LAWS; ++l) {
        for (int i = 0; i < 4; ++i) {
            char text[700];
            snprintf(
                text, sizeof text,
                "<mujoco xmlns:dp='dashpot'><option gravity='0 0 0'/><worldbody>"
                "<geom type='plane' size='1 1 1'/><body pos='0 0 .1'><joint type='slide' "
                "axis='0 0 1' stiffness='%.17g' springref='.02'/><geom type='sphere' size='.1' "
                "mass='1' condim='1' dp:restitution='1'/></body></worldbody></mujoco>",
                stiffness[i]);
            mechanism x = scene(text, laws[l], 1e-3);
            mechanism_set(&x, (double[]){0.05}, (double[]){-3.0});
            const double first = mechanism_energy(&x);
            double before = first;
            for (int n = 0; n < 2000; ++n) {
                mechanism_steps(&x, 1);
                const double now = mechanism_energy(&x);
                // the force of an implicit spring is that of the whole step on either side
                const double v = dp_data_v(x.d)[0], kick = 1e-6 * stiffness[i] * v * v;
                assert_true(now <= before + kick + 1e-12);
                before = fmin(now, before);
            }
            assert_true(before <= first); // what steps take is more than that
            mechanism_end(&x);
        }
    }
}

static void energy_between_two_walls_converges_to_constant(void **state)
{
    (void)state;
    for (int l = 0; l < LAWS; ++l) {
        double h[4], error[4];
        for (int i = 0; i < 4; ++i) {
            h[i] = 2e-3 / (1 << i);
            mechanism x = scene(
                "<mujoco xmlns:dp='dashpot'><default><geom condim='1' dp:restitution='1'/>"
                "</default><worldbody><geom type='plane' size='1 1 1'/><geom type='plane' size='1 "
                "1 1' pos='0 0 .7' zaxis='0 0 -1'/><body pos='0 0 .3'><freejoint/><geom "
                "type='sphere' size='.1' mass='1'/></body></worldbody></mujoco>",
                laws[l], h[i]);
            mechanism_set(&x, (double[]){0, 0, 0.3, 1, 0, 0, 0}, (double[]){0, 0, 4, 0, 0, 0});
            const double before = mechanism_energy(&x);
            mechanism_steps(&x, (int)lround(1.0 / h[i]));
            error[i] = fabs(mechanism_energy(&x) - before);
            mechanism_end(&x);
        }
        assert_true(fitted_order(h, error, 4) > 0.9);
        assert_true(error[3] < 0.03);
    }
}

// ---- anything

// Angular momentum of two bodies about the origin, axes of the world.
static dp_v3 spin_of(const mechanism *x)
{
    const dp_momentum p = dp_body_momentum(x->d, DP_WORLD);
    return dp_v3_add(p.angular, dp_v3_cross(p.com, p.linear));
}

// A ball between two walls, or a wall and the end of a range, is thrown back further than they are
// apart: nothing but the rebound leads to the second one.
static void a_rebound_stops_at_contacts_and_limits_on_its_way(void **state)
{
    (void)state;
    static const char *const behind[] = {
        "<geom type='box' size='.1 1 1' pos='-.204 0 0' dp:restitution='1'/>"
        "<body><joint type='slide' axis='1 0 0'/>",
        "<body><joint type='slide' axis='1 0 0' limited='true' range='-.004 1'/>"};
    for (int i = 0; i < 2 * LAWS; ++i) {
        char text[800];
        snprintf(text, sizeof text,
                 "<mujoco xmlns:dp='dashpot'><option gravity='0 0 0'/><worldbody>"
                 "<geom type='box' size='.1 1 1' pos='.2005 0 0' dp:restitution='1'/>%s"
                 "<geom type='sphere' size='.1' mass='2' dp:restitution='1'/></body></worldbody>"
                 "</mujoco>",
                 behind[i % 2]);
        mechanism x = scene(text, laws[i / 2], 1e-3);
        mechanism_set(&x, (double[]){0.0}, (double[]){10.0});
        for (int k = 0; k < 3; ++k) {
            mechanism_steps(&x, 1);
            assert_true(dp_data_q(x.d)[0] >= -0.004 - 1e-6 && dp_data_q(x.d)[0] <= 0.0005 + 1e-6);
            assert_true(fabs(dp_data_v(x.d)[0]) <= 10.0 * (1.0 + 1e-12));
            if (k == 0) {
                assert_near(dp_data_v(x.d)[0], -10.0, 1e-9);
            }
        }
        mechanism_end(&x);
    }
}

static void random_impacts_keep_momentum_and_gain_no_energy(void **state)
{
    (void)state;
    static const char *const shape[] = {
        "type='box' size='.1 .07 .05'", "type='ellipsoid' size='.1 .06 .08'",
        "type='capsule' size='.05 .08'", "type='cylinder' size='.08 .05'"};
    random_source random = {7};
    for (int draw = 0; draw < 200; ++draw) {
        char text[1200];
        const dp_law_kind law = laws[draw % LAWS];
        snprintf(text, sizeof text,
                 "<mujoco xmlns:dp='dashpot'><option gravity='0 0 0'/><default><geom friction='%g' "
                 "condim='%d' dp:restitution='%g'/></default><worldbody><body><freejoint/><geom %s "
                 "mass='%g'/></body><body><freejoint/><geom %s mass='%g'/></body></worldbody>"
                 "</mujoco>",
                 random_between(&random, 0.0, 1.0), draw % 3 == 0 ? 1 : 3,
                 draw % 4 == 0 ? 1.0 : random_between(&random, 0.1, 1.0), shape[draw % 4],
                 random_between(&random, 0.5, 2.0), shape[draw / 4 % 4],
                 random_between(&random, 0.1, 5.0));
        mechanism x = scene(text, law, 1e-3);
        double q[14] = {0}, v[12] = {0};
        for (int b = 0; b < 2; ++b) {
            for (int k = 0; k < 4; ++k) {
                q[7 * b + 3 + k] = random_between(&random, -1.0, 1.0);
            }
            for (int k = 0; k < 6; ++k) {
                v[6 * b + k] = random_between(&random, -1.0, 1.0) * (k < 3 ? 0.3 : 5.0);
            }
            q[7 * b] = b == 0 ? -0.2 : 0.2;
            v[6 * b] += b == 0 ? 3.0 : -3.0;
        }
        mechanism_set(&x, q, v);
        assert_ok(dp_forward(x.d));
        const dp_momentum p = dp_body_momentum(x.d, DP_WORLD);
        const dp_v3 spin = spin_of(&x);
        double before = mechanism_energy(&x);
        for (int n = 0; n < 150; ++n) {
            mechanism_steps(&x, 1);
            const dp_momentum now = dp_body_momentum(x.d, DP_WORLD);
            assert_true(dp_v3_norm(dp_v3_sub(now.linear, p.linear)) < 1e-11);
            assert_true(mechanism_energy(&x) <= before * (1.0 + 1e-6));
        }
        // Impulses act at q₀, momenta are taken at q₁: first order of the step.
        assert_true(dp_v3_norm(dp_v3_sub(spin_of(&x), spin)) < 0.05);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rebound_is_right_to_one_per_cent_under_every_law),
        cmocka_unit_test(later_rebounds_converge_with_the_first_order_of_the_step),
        cmocka_unit_test(what_gave_the_restitution_is_reported),
        cmocka_unit_test(the_rebound_does_not_jump_where_the_spring_takes_over),
        cmocka_unit_test(parts_made_in_vain_report_no_restitution),
        cmocka_unit_test(rigid_geoms_have_a_restitution_too),
        cmocka_unit_test(a_box_falls_as_if_nothing_rattled_in_it),
        cmocka_unit_test(a_spring_that_pulls_off_the_wall_gains_at_most_second_order_by_a_bounce),
        cmocka_unit_test(energy_between_two_walls_converges_to_constant),
        cmocka_unit_test(a_rebound_stops_at_contacts_and_limits_on_its_way),
        cmocka_unit_test(random_impacts_keep_momentum_and_gain_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
