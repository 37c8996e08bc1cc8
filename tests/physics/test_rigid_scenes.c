// Rigid laws in steps: closed forms of what sticks, slides, rolls and bounces. Each test is run by
// each law.
#include "contact_scene.h"
#include "standing_scene.h"
#include "trial.h"

#include "math/v3.h"

#include <dashpot/format.h>

#include <math.h>
#include <string.h>

static const double GRAVITY = 9.81;
static const dp_v3 DOWN = {0.0, 0.0, -9.81};

static void use_law(mechanism *x, void **state)
{
    const dp_law_kind *law = *state;
    dp_data_options(x->d)->solver.law = *law;
}

// [m/s] Lemke's method ends at round-off, searches at 1e-3 of law.tolerance.
static double stillness(void **state)
{
    const dp_law_kind *law = *state;
    return *law == DP_LAW_LCP ? 1e-15 : 1e-12;
}

static void assert_solved(const mechanism *x)
{
    const dp_step_report *info = dp_data_report(x->d);
    assert_int_equal(info->unsolved, 0);
    assert_int_equal(dp_data_report(x->d)->certificate.fallbacks, 0);
}

static void a_stack_of_boxes_stands_still_to_round_off(void **state)
{
    enum { BOXES = 4 };
    mechanism x = contact_scene_begin((contact_stuff){.mu = 0.5}, DOWN, 0.01);
    for (int i = 0; i < BOXES; ++i) {
        char name[8] = {'b', (char)('0' + i), 0};
        contact_scene_add(&x, name, DP_GEOM_BOX, 0.1, 1.0, 0.1 + 0.2 * i,
                          (contact_stuff){.mu = 0.5});
    }
    mechanism_compile(&x);
    use_law(&x, state);
    assert_true(standing_scene_drift(&x, 0.3) <= 1e-14); // 30 steps
    assert_solved(&x);
    assert_near(contact_scene_load(x.d), GRAVITY * (1 + 2 + 3 + 4), 1e-9);
    mechanism_end(&x);
}

// ---- a ball that rolls

static void a_thrown_ball_rolls_on_with_five_sevenths_of_its_speed(void **state)
{
    mechanism x = standing_scene("contact/slip_to_roll.xml", "thrown");
    use_law(&x, state); // along a corner, if there are any
    mechanism_steps(&x, 400);
    assert_near(dp_data_v(x.d)[0], 2.0 * 5.0 / 7.0, 1e-12);
    assert_near(dp_data_v(x.d)[4], 2.0 * 5.0 / 7.0 / 0.1, 1e-11);
    assert_near(dp_data_report(x.d)->certificate.penetration, 0.0, 1e-15);
    assert_solved(&x);
    mechanism_end(&x);
}

static void parcels_are_carried_at_the_speed_of_the_belt(void **state)
{
    mechanism x = standing_scene("contact/conveyor.xml", NULL);
    use_law(&x, state);
    mechanism_steps(&x, 40);
    for (int i = 0; i < 3; ++i) {
        assert_near(dp_data_v(x.d)[6 * i], 0.5, 1e-14);
        assert_near(dp_data_v(x.d)[6 * i + 2], 0.0, 1e-14);
    }
    assert_solved(&x);
    mechanism_end(&x);
}

// ---- what is thrown back

// Heights after each bounce are e² of the one before, but for what the step loses in flight,
// ½ (g h)² for each kilogram and step.
static void a_ball_bounces_to_e_squared_of_its_height(void **state)
{
    const double e = 0.8, h = 1e-4, height = 0.5;
    mechanism x = contact_scene_slider(0.5, h, e, height);
    use_law(&x, state);
    double top = 0.0, before = 0.0, fallen = height;
    int bounces = 0, impacts = 0;
    double energy = mechanism_energy(&x);
    while (bounces < 4) {
        mechanism_steps(&x, 1);
        const double v = dp_data_v(x.d)[2], now = mechanism_energy(&x);
        assert_true(now <= energy * (1.0 + 1e-15));
        energy = now;
        impacts += dp_data_report(x.d)->impacts;
        if (before > 0.0 && v <= 0.0) {
            top = dp_data_q(x.d)[2] + height;
            const double t = 2.0 * sqrt(2.0 * fallen / GRAVITY); // down and up, at most
            assert_near(top, e * e * fallen, 0.5 * GRAVITY * h * t);
            fallen = top;
            ++bounces;
            assert_int_equal(impacts, bounces);
        }
        before = v;
    }
    mechanism_end(&x);
}

static void the_ledger_has_what_impacts_lose(void **state)
{
    const double e = 0.6, h = 1e-3, height = 0.3, m = 2.0;
    mechanism x = contact_scene_slider(0.5, h, e, height);
    use_law(&x, state);
    dp_data_options(x.d)->ledger = true;
    const double start = mechanism_energy(&x);
    mechanism_steps(&x, 350); // one bounce
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_near(ledger->impacts, (1.0 - e * e) * m * GRAVITY * height, 0.02);
    assert_near(mechanism_energy(&x) - start, ledger->remainder - ledger->impacts, 1e-12);
    assert_true(ledger->remainder <= 0.0); // of the flight
    assert_near(ledger->remainder, -350 * 0.5 * m * GRAVITY * GRAVITY * h * h, 0.02);
    mechanism_end(&x);
}

static void a_ball_that_bounces_low_comes_to_rest(void **state)
{
    mechanism x = contact_scene_slider(0.5, 1e-3, 0.5, 0.01);
    use_law(&x, state);
    mechanism_steps(&x, 400);
    assert_near(dp_data_v(x.d)[2], 0.0, stillness(state));
    assert_near(dp_data_q(x.d)[2], -0.01, 1e-15);
    assert_int_equal(dp_data_report(x.d)->impacts, 0);
    mechanism_end(&x);
}

// Equal balls on a line with gaps that take several steps: each gives (1 + e)/2 of its speed on.
static void a_row_of_balls_hands_the_speed_on(void **state)
{
    enum { BALLS = 5 };
    for (int k = 0; k < 2; ++k) {
        const double e = k == 0 ? 1.0 : 0.9, h = 1e-3, V = 1.0, gap = 3.3e-3;
        mechanism x = mechanism_begin();
        dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
        dp_spec_options(x.spec)->step = h;
        for (int i = 0; i < BALLS; ++i) {
            char name[8] = {'b', (char)('0' + i), 0};
            const dp_body_id body =
                mechanism_body(&x, DP_WORLD, name, (dp_v3){(0.1 + gap) * i, 0.0, 0.0}, 0.5,
                               (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
            mechanism_joint(&x, body, name, DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
            dp_geom_spec geom = dp_geom_spec_default();
            geom.kind = DP_GEOM_SPHERE;
            geom.size[0] = 0.05;
            geom.contact.material_given = true;
            geom.contact.material.restitution = e;
            assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
        }
        mechanism_compile(&x);
        use_law(&x, state);
        mechanism_set(&x, dp_data_q(x.d), (double[BALLS]){V, 0.0, 0.0, 0.0, 0.0});
        mechanism_steps(&x, k == 0 ? 60 : 22);
        double speed = V, momentum = 0.0;
        for (int i = 0; i < BALLS; ++i) {
            momentum += dp_data_v(x.d)[i];
            speed *= i + 1 < BALLS ? 0.5 * (1.0 + e) : 1.0;
        }
        assert_near(momentum, V, 1e-14);
        if (k == 0) {
            for (int i = 0; i + 1 < BALLS; ++i) {
                assert_near(dp_data_v(x.d)[i], 0.0, 1e-14);
            }
        }
        assert_near(dp_data_v(x.d)[BALLS - 1], speed, 1e-14);
        mechanism_end(&x);
    }
}

// Half a swing after one impact has followed the other, they hang as they did, mirrored.
static void a_cradle_throws_as_many_balls_as_high_as_were_lifted(void **state)
{
    enum { BALLS = 5 };
    static const char *const keys[] = {"lifted", "two lifted"};
    for (int lifted = 1; lifted <= 2; ++lifted) {
        mechanism x = standing_scene("contact/cradle.xml", keys[lifted - 1]);
        const double h = 1e-4, gap = 3e-4 / 0.5; // [rad]
        dp_data_options(x.d)->step = h;
        use_law(&x, state);
        double highest[BALLS] = {0.0};
        for (int i = 0; i < 7500; ++i) {
            mechanism_steps(&x, 1);
            for (int k = 0; k < BALLS; ++k) {
                highest[k] = fmax(highest[k], -dp_data_q(x.d)[k]);
            }
        }
        for (int k = 0; k < BALLS; ++k) {
            if (k >= BALLS - lifted) {
                assert_near(highest[k], 0.3, h); // of first order
            } else {
                assert_true(highest[k] <= 1.2 * lifted * gap); // a gap for each that went by
            }
        }
        mechanism_end(&x);
    }
}

// ---- Painlevé

// A rod of 1 kg and 2 m on its lower end, in a plane, tan of its slope 2: pushing at the end draws
// it in where μ > (1 + 3 cos²)/(3 sin cos) = 4/3.
static mechanism rod(void **state, double mu, double slip)
{
    const double slope = atan(2.0), half = 1.0;
    mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, DOWN, 1e-3);
    const dp_v3 centre = {-half * cos(slope), 0.0, half * sin(slope) + 0.01};
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "rod", centre, 1.0, (dp_v3){0.0, 0.0, 0.0},
                                           (dp_v3){1.0 / 3, 1.0 / 3, 1e-3});
    mechanism_joint(&x, body, "x", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
    mechanism_joint(&x, body, "z", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_joint(&x, body, "turn", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    dp_geom_spec tip = dp_geom_spec_default();
    tip.kind = DP_GEOM_SPHERE;
    tip.size[0] = 0.01;
    tip.friction[0] = mu;
    tip.pose.p = (dp_v3){half * cos(slope), 0.0, -half * sin(slope)};
    assert_ok(dp_spec_add_geom(NULL, x.spec, body, &tip));
    mechanism_compile(&x);
    use_law(&x, state);
    mechanism_set(&x, dp_data_q(x.d), (double[]){slip, 0.0, 0.0});
    return x;
}

static void painleves_rod_is_stopped_by_an_impulse_and_named(void **state)
{
    mechanism x = rod(state, 1.8, 3.0);
    const double before = mechanism_energy(&x);
    mechanism_steps(&x, 1);
    const dp_certificate *c = &dp_data_report(x.d)->certificate;
    assert_int_equal(c->painleve, 1);
    assert_solved(&x);
    assert_near(c->normal_law, 0.0, 1e-12);
    assert_near(c->creep, 0.0, 1e-13); // the tip has stopped at once, whatever the step
    assert_true(contact_scene_load(x.d) > 100.0);
    assert_true(mechanism_energy(&x) < before);
    mechanism_end(&x);

    x = rod(state, 1.2, 3.0); // less friction: a force will do
    mechanism_steps(&x, 1);
    assert_int_equal(dp_data_report(x.d)->certificate.painleve, 0);
    assert_true(contact_scene_load(x.d) < 100.0);
    mechanism_end(&x);
    x = rod(state, 1.8, -3.0); // drawn, not pushed
    mechanism_steps(&x, 1);
    assert_int_equal(dp_data_report(x.d)->certificate.painleve, 0);
    mechanism_end(&x);
}

// ---- gaps

// A pendulum of two free bodies with loops: gaps are met either way.
static void projection_keeps_gaps_and_leaves_no_speed_behind(void **state)
{
    for (int k = 0; k < 2; ++k) {
        mechanism x = contact_scene_slider(0.5, 0.01, -1.0, 0.013);
        use_law(&x, state); // falls for five steps
        dp_data_options(x.d)->solver.rigid.stabilisation =
            k == 0 ? DP_STABILISATION_GAP : DP_STABILISATION_PROJECTION;
        double slowest = 0.0;
        for (int i = 0; i < 12; ++i) {
            mechanism_steps(&x, 1);
            assert_true(dp_data_q(x.d)[2] + 0.013 >= -1e-16);
            if (fabs(dp_data_q(x.d)[2] + 0.013) < 1e-12) { // it has arrived
                slowest = fmin(slowest, dp_data_v(x.d)[2]);
            }
        }
        // With φ/h the speed that closed the gap is that at the end of the step.
        assert_true(k == 0 ? slowest < -0.1 : slowest >= -1e-15);
        assert_near(dp_data_v(x.d)[2], 0.0, 1e-15);
        mechanism_end(&x);
    }
}

// Of the two problems of a step the second one, without gaps, has the impulses that are reported. A
// ball slides where it falls on the floor.
static void forces_of_a_projected_step_are_those_that_change_its_momentum(void **state)
{
    const double mass = 2.0, h = 0.01;
    mechanism x = contact_scene_slider(0.5, h, -1.0, 0.013);
    use_law(&x, state); // falls for five steps
    dp_data_options(x.d)->solver.rigid.stabilisation = DP_STABILISATION_PROJECTION;
    dp_data_v(x.d)[0] = 1.0;
    double most = 0.0;
    for (int i = 0; i < 12; ++i) {
        const dp_v3 before = dp_v3_load(dp_data_v(x.d));
        mechanism_steps(&x, 1);
        dp_v3 impulse = {0.0, 0.0, -mass * GRAVITY * h};
        for (int k = 0; k < dp_data_contact_count(x.d); ++k) {
            const dp_contact force = dp_data_contact(x.d, k);
            assert_int_equal(force.body[0].index, 0);
            impulse = dp_v3_madd(impulse, h, force.force);
            most = fmax(most, h * force.normal_force);
        }
        const dp_v3 change = dp_v3_sub(dp_v3_load(dp_data_v(x.d)), before);
        assert_near(dp_v3_norm(dp_v3_madd(impulse, -mass, change)), 0.0, 1e-13);
    }
    assert_true(most > 0.9 * mass * sqrt(2.0 * GRAVITY * 0.013)); // it has arrived
    mechanism_end(&x);
}

// ---- every kind of row in one island

// A servo at the end of its force range pushes a cart with dry friction, a second cart that is
// coupled to it and a box on the floor, until a tendon is stretched out: the box slides on. It is
// pushed at the height of its centre.
static void a_drive_a_loop_a_tendon_and_dry_friction_act_beside_contacts(void **state)
{
    static const char text[] =
        "<mujoco><option timestep='0.001' gravity='0 0 -10'/><worldbody>"
        "<geom type='plane' size='9 9 1' friction='.4'/>"
        "<body name='cart' pos='0 0 .2'><joint name='a' type='slide' axis='1 0 0' "
        "frictionloss='2' limited='true' range='-1 .2'/>"
        "<geom type='box' size='.1 .1 .05' mass='2' friction='0' priority='1'/></body>"
        "<body name='other' pos='0 2 .2'><joint name='b' type='slide' axis='1 0 0'/>"
        "<geom type='box' size='.1 .1 .05' mass='1'/></body>"
        "<body name='box' pos='.3 0 .2'><freejoint/>"
        "<geom type='box' size='.2 .2 .2' mass='3' friction='.4'/></body></worldbody>"
        "<tendon><fixed name='rope' limited='true' range='-1 .15'><joint joint='a' coef='1'/>"
        "</fixed></tendon>"
        "<equality><joint joint1='b' joint2='a' polycoef='0 1 0 0 0'/></equality>"
        "<actuator><position joint='a' kp='1000' forcelimited='true' forcerange='-30 30'/>"
        "</actuator></mujoco>";
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "carts.xml", NULL));
    mechanism x = mechanism_from(spec);
    use_law(&x, state);
    dp_data_control(x.d)[0] = 10.0; // far beyond its force
    const double h = 1e-3, a = (30.0 - 2.0 - 0.4 * 3.0 * 10.0) / (2.0 + 1.0 + 3.0), way = 0.15;
    mechanism_steps(&x, 200);
    const double *q = dp_data_q(x.d), *v = dp_data_v(x.d);
    for (int i = 0; i < 3; ++i) { // carts and box
        assert_near(v[i], a * 0.2, 1e-8);
    }
    assert_near(q[0], q[1], 1e-12);
    assert_near(q[2], 0.3 + q[0], 1e-11); // it is pushed, and neither lifted nor pressed in
    assert_near(q[4], 0.2, 1e-11);
    assert_solved(&x);
    mechanism_steps(&x, 600);
    assert_near(q[0], way, 1e-12); // the rope is taut
    assert_near(v[0], 0.0, 1e-12);
    assert_near(v[2], 0.0, 1e-12);
    // Of first order: at 0.9 m/s, a step each while it is pushed, let go and braked.
    assert_near(q[2], 0.3 + way + a * way / (0.4 * 10.0), 2.7 * h);
    assert_solved(&x);
    mechanism_end(&x);
}

int main(void)
{
    static dp_law_kind laws[] = {DP_LAW_LCP, DP_LAW_NCP};
    int failed = 0;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(a_stack_of_boxes_stands_still_to_round_off, &laws[k]),
            cmocka_unit_test_prestate(a_thrown_ball_rolls_on_with_five_sevenths_of_its_speed,
                                      &laws[k]),
            cmocka_unit_test_prestate(parcels_are_carried_at_the_speed_of_the_belt, &laws[k]),
            cmocka_unit_test_prestate(a_ball_bounces_to_e_squared_of_its_height, &laws[k]),
            cmocka_unit_test_prestate(the_ledger_has_what_impacts_lose, &laws[k]),
            cmocka_unit_test_prestate(a_ball_that_bounces_low_comes_to_rest, &laws[k]),
            cmocka_unit_test_prestate(a_row_of_balls_hands_the_speed_on, &laws[k]),
            cmocka_unit_test_prestate(a_cradle_throws_as_many_balls_as_high_as_were_lifted,
                                      &laws[k]),
            cmocka_unit_test_prestate(painleves_rod_is_stopped_by_an_impulse_and_named, &laws[k]),
            cmocka_unit_test_prestate(projection_keeps_gaps_and_leaves_no_speed_behind, &laws[k]),
            cmocka_unit_test_prestate(forces_of_a_projected_step_are_those_that_change_its_momentum,
                                      &laws[k]),
            cmocka_unit_test_prestate(a_drive_a_loop_a_tendon_and_dry_friction_act_beside_contacts,
                                      &laws[k]),
        };
        failed += cmocka_run_group_tests_name(dp_law_name(laws[k]), tests, NULL, NULL);
    }
    return failed;
}
