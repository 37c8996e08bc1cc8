// The law `ncp` in steps: closed forms of what sticks and slides under Coulomb's cone, at any
// heading, and the limits of other laws.
#include "contact_scene.h"
#include "standing_scene.h"
#include "trial.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;

static void use_ncp(mechanism *x)
{
    dp_data_options(x->d)->solver.law = DP_LAW_NCP;
}

static void assert_solved(const mechanism *x)
{
    assert_int_equal(dp_data_report(x->d)->unsolved, 0);
    assert_true(dp_data_report(x->d)->certificate.normal_law <= 1e-9); // law.tolerance
}

// Symplectic Euler takes μ g h of the speed in each of n steps: ways are (1 − 1/n) of the analytic.
static void a_sliding_body_stops_where_coulomb_says_at_any_heading(void **state)
{
    (void)state;
    enum { STEPS = 200 };
    const double mu = 0.5, h = 1e-3, V = STEPS * mu * GRAVITY * h;
    for (int k = 0; k < 12; ++k) {
        const double heading = 0.1 + 2.0 * PI * k / 12.0;
        mechanism x = contact_scene_slider(mu, h, -1.0, 0.0);
        use_ncp(&x);
        mechanism_set(&x, dp_data_q(x.d), (double[]){V * cos(heading), V * sin(heading), 0.0});
        for (int i = 0; i < STEPS + 10; ++i) {
            mechanism_steps(&x, 1);
            const dp_certificate *c = &dp_data_report(x.d)->certificate;
            assert_solved(&x);
            assert_near(dp_data_q(x.d)[2], 0.0, 1e-12); // no lift-off
            assert_true(i >= STEPS - 2 || c->heading <= 1e-6);
        }
        const double way = 0.5 * V * V / (mu * GRAVITY) * (1.0 - 1.0 / STEPS);
        assert_near(dp_data_q(x.d)[0], way * cos(heading), 1e-9);
        assert_near(dp_data_q(x.d)[1], way * sin(heading), 1e-9);
        assert_near(hypot(dp_data_v(x.d)[0], dp_data_v(x.d)[1]), 0.0, 1e-12);
        mechanism_end(&x);
    }
}

// A box on a ramp, that is, with gravity aslant: what it lacks of friction is what it slides with.
static void a_box_on_a_ramp_sticks_to_the_edge_of_the_cone(void **state)
{
    (void)state;
    const double mu = 0.5;
    for (int k = 0; k < 8; ++k) {
        const double heading = 0.2 + 2.0 * PI * k / 8.0;
        for (int side = -1; side <= 1; side += 2) {
            const double slope = mu * (1.0 + 1e-3 * side), down = GRAVITY / hypot(1.0, slope);
            const dp_v3 gravity = {slope * down * cos(heading), slope * down * sin(heading), -down};
            mechanism x = contact_scene_begin((contact_stuff){.mu = mu}, gravity, 0.01);
            contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 1.0, 0.1, (contact_stuff){.mu = mu});
            mechanism_compile(&x);
            use_ncp(&x);
            mechanism_steps(&x, 20);
            const double speed = hypot(dp_data_v(x.d)[0], dp_data_v(x.d)[1]);
            const double expected = side < 0 ? 0.0 : (slope - mu) * down * 0.2;
            assert_near(speed, expected, 1e-10); // of a first digit of 1e-3
            assert_near(dp_data_q(x.d)[2], 0.1, 1e-11);
            assert_solved(&x);
            mechanism_end(&x);
        }
    }
}

// The sides press with m g/√2 each: along the groove friction is √2 μ m g.
static void a_groove_brakes_with_the_friction_of_both_sides(void **state)
{
    (void)state;
    const double mu = 0.5, h = 0.01, V = 1.0;
    mechanism x = standing_scene("contact/v_groove.xml", NULL);
    use_ncp(&x);
    mechanism_set(&x, dp_data_q(x.d), (double[]){V, 0.0, 0.0});
    mechanism_steps(&x, 10);
    assert_near(dp_data_v(x.d)[0], V - 10 * sqrt(2.0) * mu * GRAVITY * h, 1e-10);
    assert_near(dp_data_v(x.d)[1], 0.0, 1e-10);
    assert_near(dp_data_v(x.d)[2], 0.0, 1e-10);
    assert_solved(&x);
    mechanism_end(&x);

    for (int side = -1; side <= 1; side += 2) { // drawn along it with a little less, or more
        const double pull = sqrt(2.0) * mu * GRAVITY * (1.0 + 1e-3 * side);
        x = standing_scene("contact/v_groove.xml", NULL);
        use_ncp(&x);
        // It slides slowly at first: what it sinks by, within the tolerance, turns its friction.
        dp_data_options(x.d)->solver.tolerance = 1e-12;
        dp_data_options(x.d)->gravity = (dp_v3){pull, 0.0, -GRAVITY};
        mechanism_steps(&x, 50);
        const double expected = side < 0 ? 0.0 : 1e-3 * sqrt(2.0) * mu * GRAVITY * 0.5;
        assert_near(dp_data_v(x.d)[0], expected, 1e-10);
        mechanism_end(&x);
    }
}

// It slides for 2 V/(7 μ g).
static void a_thrown_ball_begins_to_roll_when_it_should_at_any_heading(void **state)
{
    (void)state;
    const double V = 2.0, mu = 0.2, h = 1e-3, until = 2.0 * V / (7.0 * mu * GRAVITY);
    for (int k = 0; k < 5; ++k) {
        const double heading = 0.3 + k;
        mechanism x = standing_scene("contact/slip_to_roll.xml", "thrown");
        use_ncp(&x);
        mechanism_set(&x, dp_data_q(x.d),
                      (double[]){V * cos(heading), V * sin(heading), 0.0, 0.0, 0.0, 0.0});
        int slides = 0;
        for (int i = 0; i < 400; ++i) {
            mechanism_steps(&x, 1);
            const double *v = dp_data_v(x.d), radius = 0.1;
            slides += hypot(v[0] - radius * v[4], v[1] + radius * v[3]) > 1e-9;
            assert_near(dp_data_q(x.d)[2], radius, 1e-12);
        }
        assert_near(slides * h, until, h);
        assert_near(dp_data_v(x.d)[0], 5.0 / 7.0 * V * cos(heading), 1e-9);
        assert_near(dp_data_v(x.d)[1], 5.0 / 7.0 * V * sin(heading), 1e-9);
        assert_solved(&x);
        mechanism_end(&x);
    }
}

// How long a box that slides has taken, and where it is: with springs of stiffness k, or rigid.
static void slide(double at[7], double stiffness, dp_law_kind law)
{
    const contact_stuff stuff = {.mu = 0.4, .stiffness = stiffness};
    mechanism x = contact_scene_begin(stuff, (dp_v3){1.0, 0.5, -9.81}, 0.005);
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 1.0, 0.1, stuff);
    mechanism_compile(&x);
    dp_data_options(x.d)->solver.law = law;
    mechanism_set(&x, dp_data_q(x.d), (double[]){1.0, -0.5, 0.0, 0.0, 0.0, 2.0});
    mechanism_steps(&x, 40);
    memcpy(at, dp_data_q(x.d), 7 * sizeof *at);
    mechanism_end(&x);
}

static double distance(const double a[7], const double b[7])
{
    double worst = 0.0;
    for (int i = 0; i < 7; ++i) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// Every corner pushes and none opens, so that the motion of rigid bodies is unique but for what the
// corners share: that, too, is what springs of equal stiffness share.
static void stiff_springs_come_near_rigid_bodies_at_first_order(void **state)
{
    (void)state;
    double rigid[7], at[7], before = 0.0;
    slide(rigid, 0.0, DP_LAW_NCP);
    for (int power = 6; power <= 9; ++power) {
        slide(at, pow(10.0, power), DP_LAW_COMPLIANT);
        const double off = distance(at, rigid);
        if (power > 6) {
            assert_near(log10(before / off), 1.0, 0.02);
        }
        before = off;
    }
}

// Of the size of friction, the polygon lacks 1 − cos π/r midway between two of its corners.
static void polygons_come_near_the_cone_at_second_order(void **state)
{
    (void)state;
    const double mu = 0.5, h = 1e-3, V = 1.0;
    double before = 0.0;
    for (int r = 8; r <= 128; r *= 2) {
        double way[2];
        for (int k = 0; k < 2; ++k) {
            mechanism x = contact_scene_slider(mu, h, -1.0, 0.0);
            dp_data_options(x.d)->solver.law = k == 0 ? DP_LAW_LCP : DP_LAW_NCP;
            dp_data_options(x.d)->solver.lcp.directions = r;
            mechanism_set(&x, dp_data_q(x.d), (double[]){V * cos(PI / r), V * sin(PI / r), 0.0});
            mechanism_steps(&x, 100);
            way[k] = hypot(dp_data_q(x.d)[0], dp_data_q(x.d)[1]);
            mechanism_end(&x);
        }
        const double off = way[0] - way[1];
        if (r > 8) {
            assert_near(log2(before / off), 2.0, 0.02);
        }
        before = off;
    }
}

// Walls and towers of hundreds of contacts, most of them redundant.
static void what_stands_stands_still(void **state)
{
    (void)state;
    static const char *const scenes[] = {"contact/pyramid.xml", "contact/arch.xml",
                                         "contact/card_tower.xml", "contact/sphere_stack.xml",
                                         "contact/ramp.xml"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        const bool slides = k == 4; // one of two boxes does
        mechanism x = standing_scene(scenes[k], NULL);
        use_ncp(&x);
        if (slides) {
            const dp_pose before = standing_scene_pose(&x, "stays");
            mechanism_steps(&x, 50);
            const dp_pose after = standing_scene_pose(&x, "stays");
            assert_near(after.p.x, before.p.x, 1e-13);
            assert_near(after.p.z, before.p.z, 1e-13);
        } else {
            assert_true(standing_scene_drift(&x, 0.3) <= 1e-10); // law.tolerance times 0.1 s
        }
        assert_solved(&x);
        assert_true(dp_data_report(x.d)->certificate.creep <= 1e-9);
        mechanism_end(&x);
    }
}

// Contacts that are reported twice, because each geom is there twice: the same motion.
static void bodies_of_doubled_geoms_move_the_same(void **state)
{
    (void)state;
    double way[2][7];
    for (int k = 0; k < 2; ++k) {
        const contact_stuff stuff = {.mu = 0.3};
        mechanism x = contact_scene_begin(stuff, (dp_v3){2.0, 1.0, -9.81}, 0.005);
        const dp_body_id body = contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 1.0, 0.1, stuff);
        for (int i = 0; i < k; ++i) {
            dp_geom_spec geom = dp_geom_spec_default();
            geom.kind = DP_GEOM_BOX;
            geom.size[0] = geom.size[1] = geom.size[2] = 0.1;
            geom.mass = 0.0;
            geom.friction[0] = 0.3;
            assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
        }
        mechanism_compile(&x);
        use_ncp(&x);
        mechanism_set(&x, dp_data_q(x.d), (double[]){-1.0, 0.2, 0.0, 0.0, 0.0, 1.0});
        for (int i = 0; i < 100; ++i) {
            mechanism_steps(&x, 1);
            assert_solved(&x);
        }
        memcpy(way[k], dp_data_q(x.d), sizeof way[k]);
        mechanism_end(&x);
    }
    assert_true(distance(way[0], way[1]) <= 1e-9);
}

// Walls 2 mm too close: it stands midway, the step is not halved, and all of that is reported.
static void a_box_in_a_slot_that_is_too_narrow_stands_midway(void **state)
{
    (void)state;
    const double h = 0.01, room = 0.199;
    mechanism x = contact_scene_begin((contact_stuff){.mu = 0.5}, (dp_v3){0.0, 0.0, -9.81}, h);
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 8.0, 0.1, (contact_stuff){.mu = 0.5});
    for (int side = -1; side <= 1; side += 2) {
        dp_geom_spec wall = dp_geom_spec_default();
        wall.kind = DP_GEOM_BOX;
        wall.size[0] = 0.1;
        wall.size[1] = wall.size[2] = 0.5;
        wall.pose.p = (dp_v3){side * room, 0.0, 0.5};
        assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &wall));
    }
    mechanism_compile(&x);
    use_ncp(&x);
    dp_data_q(x.d)[0] = 2e-4;
    assert_ok(dp_forward(x.d));
    for (int i = 0; i < 20; ++i) {
        mechanism_steps(&x, 1);
        const dp_step_report *info = dp_data_report(x.d);
        assert_int_equal(info->outcome, DP_OUTCOME_CONTRADICTORY);
        assert_int_equal(info->work.substeps, 1);
        assert_near(info->inconsistent, (0.2 - room) / h, 1e-6);
        assert_near(dp_data_report(x.d)->certificate.penetration, 0.2 - room, 1e-8);
    }
    assert_near(dp_data_q(x.d)[0], 0.0, 1e-9);
    assert_near(dp_data_q(x.d)[2], 0.1, 1e-9);
    assert_true(contact_scene_load(x.d) <= 1e3); // bounded: the box weighs 78 N
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_body_stops_where_coulomb_says_at_any_heading),
        cmocka_unit_test(a_box_on_a_ramp_sticks_to_the_edge_of_the_cone),
        cmocka_unit_test(a_groove_brakes_with_the_friction_of_both_sides),
        cmocka_unit_test(a_thrown_ball_begins_to_roll_when_it_should_at_any_heading),
        cmocka_unit_test(stiff_springs_come_near_rigid_bodies_at_first_order),
        cmocka_unit_test(polygons_come_near_the_cone_at_second_order),
        cmocka_unit_test(what_stands_stands_still),
        cmocka_unit_test(bodies_of_doubled_geoms_move_the_same),
        cmocka_unit_test(a_box_in_a_slot_that_is_too_narrow_stands_midway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
