// What is thrown back, on step problems whose answers are known, and the promise about energy.
#include "impact_rig.h"
#include "mechanism.h"

#include <math.h>

static dp_law_options options_of(dp_impact_rule rule)
{
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_LCP;
    opt.impact.rule = rule;
    return opt;
}

static const dp_impact_rule RULES[] = {DP_IMPACT_RULE_EXPEDIENT, DP_IMPACT_RULE_POISSON,
                                       DP_IMPACT_RULE_NEWTON};

// Two particles on a line.
static law_problem pair_on_a_line(double m1, double v1, double m2, double v2)
{
    law_problem lp = law_problem_create(1e-3, 2, 1);
    law_problem_particle(&lp, m1, v1);
    law_problem_particle(&lp, m2, v2);
    lp.v0[0] = v1;
    lp.v0[1] = v2;
    const int col[2] = {0, 1};
    const double G[2] = {-1.0, 1.0};
    dp_row *row = law_problem_block(&lp, 1, 2, col, G);
    row->lo = 0.0;
    return lp;
}

static void two_particles_part_with_e_times_their_speed_by_every_rule(void **state)
{
    (void)state;
    const double m1 = 2.0, m2 = 3.0, v1 = 1.5, v2 = -0.5;
    for (int k = 0; k < 3; ++k) {
        for (int i = 1; i <= 10; ++i) {
            const double e = 0.1 * i, mean = (m1 * v1 + m2 * v2) / (m1 + m2);
            law_problem lp = pair_on_a_line(m1, v1, m2, v2);
            const dp_law_options opt = options_of(RULES[k]);
            impact_rig rig = impact_rig_strike(&lp, &e, &opt);
            assert_int_equal(rig.impact.count, 1);
            assert_int_equal(rig.impact.gains, 0);
            assert_near(rig.impact.v[0], mean - e * m2 / (m1 + m2) * (v1 - v2), 1e-15);
            assert_near(rig.impact.v[1], mean + e * m1 / (m1 + m2) * (v1 - v2), 1e-15);
            const double m = m1 * m2 / (m1 + m2), lost = 0.5 * m * (1.0 - e * e) * 4.0;
            assert_near(rig.impact.rebound, lost, 1e-14);
            assert_near(rig.before - rig.after, lost, 1e-14);
            assert_near(rig.impact.gamma[0], (1.0 + e) * m * 2.0, 1e-14);
            impact_rig_end(&rig);
            law_problem_destroy(&lp);
        }
    }
}

static void slow_contacts_and_those_that_part_throw_nothing_back(void **state)
{
    (void)state;
    const double e = 0.8, slow[2] = {0.009, 0.0};
    dp_law_options opt = options_of(DP_IMPACT_RULE_EXPEDIENT);
    law_problem lp = pair_on_a_line(1.0, slow[0], 1.0, slow[1]);
    impact_rig rig = impact_rig_strike(&lp, &e, &opt);
    assert_int_equal(rig.impact.count, 0);
    impact_rig_end(&rig);
    opt.impact.speed = 0.0;
    rig = impact_rig_strike(&lp, &e, &opt);
    assert_int_equal(rig.impact.count, 1);
    impact_rig_end(&rig);
    law_problem_destroy(&lp);
    lp = pair_on_a_line(1.0, -1.0, 1.0, 1.0);
    rig = impact_rig_strike(&lp, &e, &opt);
    assert_int_equal(rig.impact.count, 0);
    impact_rig_end(&rig);
    law_problem_destroy(&lp);
}

// A gap that is closed within the step: the impact has the speed of the moment when it closes, and
// forces act on either side of it.
static void a_fall_that_ends_within_the_step_balances_momentum_and_gains_no_energy(void **state)
{
    (void)state;
    const double g = 9.81, h = 0.01, v0 = -3.0, e = 1.0;
    const dp_law_options opt = options_of(DP_IMPACT_RULE_EXPEDIENT);
    for (int k = 0; k <= 10; ++k) {
        law_problem lp = law_problem_create(h, 1, 1);
        law_problem_particle(&lp, 2.0, v0 - g * h);
        lp.v0[0] = v0;
        const int col = 0;
        const double G = 1.0, gap = 0.0999999 * k * h * (g * h - v0);
        dp_row *row = law_problem_block(&lp, 1, 1, &col, &G);
        row->lo = 0.0;
        row->phi = gap;
        impact_rig rig = impact_rig_strike(&lp, &e, &opt);
        assert_int_equal(rig.impact.count, 1);
        const double v1 = rig.impact.v[0], height = gap + h * rig.impact.v_move[0];
        assert_near(2.0 * (v1 - v0), rig.impact.gamma[0] - 2.0 * g * h, 1e-13);
        const double energy = 0.5 * v0 * v0 + g * gap, found = 0.5 * v1 * v1 + g * height;
        assert_true(found <= energy + 1e-14);
        assert_true(found >= energy - 0.5 * g * g * h * h - 1e-14); // as in a step without impact
        assert_true(height >= -1e-15);
        impact_rig_end(&rig);
        law_problem_destroy(&lp);
    }
}

// A wall that moves gives energy, and it is reported separately.
static void a_moving_wall_throws_faster_and_its_work_is_counted(void **state)
{
    (void)state;
    const double e = 0.5, wall = 2.0, v = -1.0;
    for (int k = 0; k < 3; ++k) {
        law_problem lp = law_problem_create(1e-3, 1, 1);
        law_problem_particle(&lp, 2.0, v);
        lp.v0[0] = v;
        const int col = 0;
        const double G = 1.0;
        dp_row *row = law_problem_block(&lp, 1, 1, &col, &G);
        row->lo = 0.0;
        row->phi_t = -wall;
        const dp_law_options opt = options_of(RULES[k]);
        impact_rig rig = impact_rig_strike(&lp, &e, &opt);
        assert_near(rig.impact.v[0], wall + e * (wall - v), 1e-14);
        assert_int_equal(rig.impact.gains, 0);
        assert_near(rig.after - rig.before, rig.impact.moved - rig.impact.rebound, 1e-13);
        assert_near(rig.impact.rebound, 0.5 * 2.0 * 9.0 * (1.0 - e * e), 1e-13);
        impact_rig_end(&rig);
        law_problem_destroy(&lp);
    }
}

// Of contacts that meet at once, the one that throws back least has its way.
static void the_smallest_restitution_of_an_island_counts(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(1e-3, 3, 2);
    for (int i = 0; i < 3; ++i) {
        law_problem_particle(&lp, 1.0, 1.0 - i);
        lp.v0[i] = 1.0 - i;
    }
    for (int i = 0; i < 2; ++i) {
        const int col[2] = {i, i + 1};
        const double G[2] = {-1.0, 1.0};
        law_problem_block(&lp, 1, 2, col, G)->lo = 0.0;
    }
    const double both[2] = {0.9, 0.3}, one[2] = {0.9, 0.0};
    const dp_law_options opt = options_of(DP_IMPACT_RULE_EXPEDIENT);
    impact_rig rig = impact_rig_strike(&lp, both, &opt);
    for (int i = 0; i < 3; ++i) {
        assert_near(rig.impact.v[i], -0.3 * (1.0 - i), 1e-15);
    }
    impact_rig_end(&rig);
    rig = impact_rig_strike(&lp, one, &opt);
    assert_int_equal(rig.impact.count, 0);
    impact_rig_end(&rig);
    // By Poisson's and Newton's, each has its own.
    const dp_law_options newton = options_of(DP_IMPACT_RULE_NEWTON);
    rig = impact_rig_strike(&lp, both, &newton);
    assert_near(rig.impact.v[1] - rig.impact.v[0], 0.9, 1e-15);
    assert_near(rig.impact.v[2] - rig.impact.v[1], 0.3, 1e-15);
    impact_rig_end(&rig);
    law_problem_destroy(&lp);
}

// A rod that falls flat on two ends: what is thrown back is the whole of it. And joints hold.
static void joints_of_an_island_hold_in_the_impact(void **state)
{
    (void)state;
    law_problem lp = law_problem_create(1e-3, 3, 2);
    static const double v[3] = {-2.0, -2.0, 0.7};
    for (int i = 0; i < 3; ++i) {
        law_problem_particle(&lp, 1.0 + i, v[i]);
        lp.v0[i] = v[i];
    }
    const int col[2] = {0, 1}, first = 0;
    const double joint[2] = {1.0, -1.0}, floor = 1.0;
    law_problem_block(&lp, 1, 2, col, joint);
    law_problem_block(&lp, 1, 1, &first, &floor)->lo = 0.0;
    const double e[2] = {-1.0, 0.5};
    for (int k = 0; k < 3; ++k) {
        const dp_law_options opt = options_of(RULES[k]);
        impact_rig rig = impact_rig_strike(&lp, e, &opt);
        assert_near(rig.impact.v[0], 1.0, 1e-15);
        assert_near(rig.impact.v[1], 1.0, 1e-15);
        assert_false(rig.impact.struck[2]); // it has no part in it
        impact_rig_end(&rig);
    }
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_particles_part_with_e_times_their_speed_by_every_rule),
        cmocka_unit_test(slow_contacts_and_those_that_part_throw_nothing_back),
        cmocka_unit_test(a_fall_that_ends_within_the_step_balances_momentum_and_gains_no_energy),
        cmocka_unit_test(a_moving_wall_throws_faster_and_its_work_is_counted),
        cmocka_unit_test(the_smallest_restitution_of_an_island_counts),
        cmocka_unit_test(joints_of_an_island_hold_in_the_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
