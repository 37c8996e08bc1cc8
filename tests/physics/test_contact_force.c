// Forces of contacts, against what weights and accelerations say they must be.
#include "contact_scene.h"

#include <math.h>

static const dp_v3 DOWN = {0.0, 0.0, -10.0};
static const dp_v3 HERE = {0.0, 0.0, 0.0};

static void assert_same_v3(dp_v3 a, dp_v3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

static dp_v3 opposite(dp_v3 a)
{
    return (dp_v3){-a.x, -a.y, -a.z};
}

// Damped, so that it is at rest to round-off after some seconds.
static const contact_stuff SOFT = {.mu = 0.5, .stiffness = 1e4, .damping = 200.0};
static const contact_stuff FLOOR = {.mu = 0.5};

static void normal_forces_of_a_box_at_rest_sum_to_its_weight(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(FLOOR, DOWN, 0.01);
    const dp_body_id box = contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.1, SOFT);
    mechanism_compile(&x);
    mechanism_steps(&x, 1000);
    for (int k = 0; k < 2; ++k) { // of the step, and of what comes
        assert_int_equal(dp_data_contact_count(x.d), 4);
        assert_near(contact_scene_load(x.d), 20.0, 1e-9);
        assert_near(dp_contact_normal_force(x.d, (dp_geom_id){0}, (dp_geom_id){1}), 20.0, 1e-9);
        assert_near(dp_contact_normal_force(x.d, (dp_geom_id){1}, (dp_geom_id){0}), 20.0, 1e-9);
        const dp_v3 centre = dp_body_pose(x.d, box).p;
        const dp_wrench w = dp_contact_on_body(x.d, box, centre);
        assert_same_v3(w.f, (dp_v3){0.0, 0.0, 20.0}, 1e-9);
        assert_same_v3(w.t, HERE, 1e-9);
        double stiffness = 0.0;
        for (int i = 0; i < 4; ++i) {
            const dp_contact c = dp_data_contact(x.d, i);
            assert_int_equal(c.state, DP_CONTACT_STATE_STICK);
            assert_int_equal(c.body[0].index, 0);
            assert_int_equal(c.body[1].index, box.index);
            assert_same_v3(c.normal, (dp_v3){0.0, 0.0, 1.0}, 1e-12);
            assert_near(c.limit.mu[0], 0.5, 0.0);
            assert_near(c.normal_force, -c.stiffness * c.gap, 1e-9);
            assert_near(c.gap, c.start_gap, 1e-12);
            stiffness += c.stiffness;
        }
        assert_near(stiffness, 1e4, 1e-8);
        assert_ok(dp_forward(x.d));
    }
    mechanism_end(&x);
}

static void friction_of_a_box_at_rest_on_a_slope_holds_its_weight_along_it(void **state)
{
    (void)state;
    const double slope = atan(0.3);
    const dp_v3 gravity = {10.0 * sin(slope), 0.0, -10.0 * cos(slope)};
    mechanism x = contact_scene_begin(FLOOR, gravity, 0.01);
    const dp_body_id box = contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.1, SOFT);
    mechanism_compile(&x);
    mechanism_steps(&x, 1000);
    const dp_wrench w = dp_contact_on_body(x.d, box, dp_body_pose(x.d, box).p);
    assert_same_v3(w.f, (dp_v3){-2.0 * gravity.x, 0.0, -2.0 * gravity.z}, 1e-9);
    assert_same_v3(w.t, HERE, 1e-9);
    dp_v3 friction = {0.0, 0.0, 0.0};
    for (int i = 0; i < dp_data_contact_count(x.d); ++i) {
        const dp_contact c = dp_data_contact(x.d, i);
        assert_int_equal(c.state, DP_CONTACT_STATE_STICK);
        assert_true(hypot(c.slip[0], c.slip[1]) < 1e-9);
        for (int k = 0; k < 2; ++k) {
            friction.x += c.friction[k] * c.tangent[k].x;
            friction.y += c.friction[k] * c.tangent[k].y;
            friction.z += c.friction[k] * c.tangent[k].z;
        }
    }
    assert_same_v3(friction, (dp_v3){-20.0 * sin(slope), 0.0, 0.0}, 1e-9);
    mechanism_end(&x);
}

// Turning about the vertical, so that every point slips its own way.
static void friction_of_a_slipping_contact_is_mu_times_normal_against_the_slip(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(FLOOR, DOWN, 1e-3);
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.1 - 20.0 / 1e4, SOFT);
    mechanism_compile(&x);
    const double q[7] = {0.0, 0.0, 0.1 - 20.0 / 1e4, 1.0, 0.0, 0.0, 0.0};
    const double v[6] = {1.0, -0.5, 0.0, 0.0, 0.0, 3.0};
    mechanism_set(&x, q, v);
    for (int step = 0; step < 20; ++step) {
        mechanism_steps(&x, 1);
        assert_true(dp_data_contact_count(x.d) >= 4);
        const dp_twist V = dp_body_velocity(x.d, (dp_body_id){1});
        const dp_v3 p = dp_body_pose(x.d, (dp_body_id){1}).p;
        for (int i = 0; i < dp_data_contact_count(x.d); ++i) {
            const dp_contact c = dp_data_contact(x.d, i);
            const double speed = hypot(c.slip[0], c.slip[1]);
            assert_int_equal(c.state, DP_CONTACT_STATE_SLIP);
            for (int k = 0; k < 2; ++k) {
                assert_near(c.friction[k], -0.5 * c.normal_force * c.slip[k] / speed, 1e-9);
            }
            // v + ω × r, first order in the step: the body has moved since the point was found
            const dp_v3 r = {c.point.x - p.x, c.point.y - p.y, c.point.z - p.z};
            const dp_v3 there = {V.v.x + V.w.y * r.z - V.w.z * r.y,
                                 V.v.y + V.w.z * r.x - V.w.x * r.z, 0.0};
            for (int k = 0; k < 2; ++k) {
                const double along = there.x * c.tangent[k].x + there.y * c.tangent[k].y;
                assert_near(c.slip[k], along, 0.02);
            }
        }
    }
    mechanism_end(&x);
}

static void a_box_of_a_stack_bears_what_is_above_it(void **state)
{
    (void)state;
    enum { N = 4 };
    const double mass[N] = {8.0, 1.0, 4.0, 2.0};
    static const char *const name[N] = {"a", "b", "c", "d"};
    mechanism x = contact_scene_begin(FLOOR, DOWN, 0.01);
    dp_body_id body[N];
    for (int i = 0; i < N; ++i) {
        body[i] = contact_scene_add(&x, name[i], DP_GEOM_BOX, 0.1, mass[i], 0.1 + 0.2 * i, SOFT);
    }
    mechanism_compile(&x);
    mechanism_steps(&x, 4000);
    double above = 0.0;
    for (int i = N - 1; i >= 0; --i) {
        above += 10.0 * mass[i];
        const dp_body_id below = i > 0 ? body[i - 1] : DP_WORLD;
        const dp_wrench w = dp_contact_between_bodies(x.d, below, body[i], HERE);
        assert_same_v3(w.f, (dp_v3){0.0, 0.0, above}, 1e-7); // the slowest motion has died out
        const dp_wrench net = dp_contact_on_body(x.d, body[i], HERE);
        assert_same_v3(net.f, (dp_v3){0.0, 0.0, 10.0 * mass[i]}, 1e-7);
    }
    const dp_wrench none = dp_contact_between_bodies(x.d, DP_WORLD, body[N - 1], HERE);
    assert_same_v3(none.f, HERE, 0.0);
    mechanism_end(&x);
}

// While boxes tumble and hit each other: what one gets the other loses, and contacts and gravity
// are all that changes momentum.
static void action_is_reaction_and_changes_the_momentum(void **state)
{
    (void)state;
    const double h = 0.002;
    mechanism x = contact_scene_begin(FLOOR, DOWN, h);
    const dp_body_id a = contact_scene_add(&x, "a", DP_GEOM_BOX, 0.1, 2.0, 0.2, SOFT);
    const dp_body_id b = contact_scene_add(&x, "b", DP_GEOM_BOX, 0.1, 1.0, 0.45, SOFT);
    mechanism_compile(&x);
    double q[14] = {0.0,  0.0,  0.2,  0.9, 0.3, -0.2, 0.1, // normalised by the step
                    0.04, 0.03, 0.45, 0.9, 0.1, 0.25, -0.2};
    const double v[12] = {0.3, 0.0, -1.0, 1.0, 2.0, 0.0, -0.2, 0.1, -2.0, 0.0, -1.0, 1.0};
    mechanism_set(&x, q, v);
    double met = 0.0;
    for (int step = 0; step < 500; ++step) {
        const dp_v3 before = dp_body_momentum(x.d, b).linear;
        mechanism_steps(&x, 1);
        assert_int_equal(dp_data_report(x.d)->work.substeps, 1);
        const dp_v3 about = {0.1, 0.2, 0.3}, after = dp_body_momentum(x.d, b).linear;
        const dp_wrench ab = dp_contact_between_bodies(x.d, a, b, about);
        const dp_wrench ba = dp_contact_between_bodies(x.d, b, a, about);
        assert_same_v3(ab.f, opposite(ba.f), 0.0);
        assert_same_v3(ab.t, opposite(ba.t), 0.0);
        const dp_wrench net = dp_contact_on_body(x.d, b, about);
        const dp_v3 change = {h * net.f.x, h * net.f.y, h * (net.f.z - 10.0)};
        assert_same_v3((dp_v3){after.x - before.x, after.y - before.y, after.z - before.z}, change,
                       1e-10);
        met = fmax(met, fabs(ab.f.z));
        dp_wrench sum = {HERE, HERE};
        for (int i = 0; i < dp_data_contact_count(x.d); ++i) {
            const dp_contact c = dp_data_contact(x.d, i);
            if (c.body[1].index == b.index) {
                const dp_wrench w = (dp_wrench){c.torque, c.force};
                sum.f = (dp_v3){sum.f.x + w.f.x, sum.f.y + w.f.y, sum.f.z + w.f.z};
            }
        }
        assert_same_v3(sum.f, net.f, 1e-9);
    }
    assert_true(met > 10.0); // they have
    mechanism_end(&x);
}

static void a_spinning_ball_is_braked_by_torsion_times_its_load(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5, .torsion = 0.01, .roll = 0.002, .condim = 6};
    mechanism x = contact_scene_begin(stuff, DOWN, 0.001);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 2.0, 0.1, stuff);
    mechanism_compile(&x);
    const double q[7] = {0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0};
    const double v[6] = {0.5, 0.0, 0.0, 0.0, 5.0, 8.0}; // rolls and spins
    mechanism_set(&x, q, v);
    mechanism_steps(&x, 10);
    assert_int_equal(dp_data_contact_count(x.d), 1);
    const dp_contact c = dp_data_contact(x.d, 0);
    assert_int_equal(c.condim, 6);
    assert_near(c.normal_force, 20.0, 1e-9);
    assert_near(c.torsion, -0.01 * 20.0, 1e-9);
    assert_near(hypot(c.roll[0], c.roll[1]), 0.002 * 20.0, 1e-9);
    const dp_wrench w = (dp_wrench){c.torque, c.force};
    assert_true(w.t.y < 0.0); // against the rolling
    assert_near(c.spin, dp_body_velocity(x.d, (dp_body_id){1}).w.z, 1e-3);
    mechanism_end(&x);
}

static void a_ball_that_falls_has_no_force_until_its_gap_closes(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(FLOOR, DOWN, 0.01);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 1.0, 0.5, SOFT);
    mechanism_compile(&x);
    bool landed = false;
    for (int step = 0; step < 60; ++step) {
        mechanism_steps(&x, 1);
        const double gap = dp_data_q(x.d)[2] - 0.1;
        for (int i = 0; i < dp_data_contact_count(x.d); ++i) {
            const dp_contact c = dp_data_contact(x.d, i);
            assert_near(c.gap, gap, 1e-12); // linear in the velocity
            assert_near(c.approach, dp_data_v(x.d)[2], 1e-12);
            assert_int_equal(c.state == DP_CONTACT_STATE_OPEN, c.normal_force == 0.0);
            landed = landed || c.normal_force > 0.0;
            assert_true(c.normal_force == 0.0 || c.gap <= 1e-12);
        }
        if (step == 5) {
            assert_near(contact_scene_load(x.d), 0.0, 0.0);
        }
    }
    assert_true(landed);
    mechanism_end(&x);
}

static void what_does_not_exist_has_no_force(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(FLOOR, DOWN, 0.01);
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.1, SOFT);
    mechanism_compile(&x);
    assert_int_equal(dp_data_contact_count(x.d), 0); // before the first step
    assert_int_equal(dp_data_contact(x.d, 0).geom[0].index, -1);
    mechanism_steps(&x, 10);
    assert_int_equal(dp_data_contact(x.d, -1).body[1].index, -1);
    assert_int_equal(dp_data_contact(x.d, 4).pair.index, -1);
    const dp_body_id wrong[] = {{-1}, {7}};
    for (int i = 0; i < 2; ++i) {
        assert_same_v3(dp_contact_on_body(x.d, wrong[i], HERE).f, HERE, 0.0);
        const dp_body_id box = {1};
        assert_same_v3(dp_contact_between_bodies(x.d, wrong[i], box, HERE).f, HERE, 0.0);
        assert_same_v3(dp_contact_between_bodies(x.d, box, wrong[i], HERE).f, HERE, 0.0);
    }
    assert_near(dp_contact_normal_force(x.d, (dp_geom_id){-1}, (dp_geom_id){9}), 0.0, 0.0);
    dp_data_reset(x.d);
    assert_int_equal(dp_data_contact_count(x.d), 0);
    mechanism_end(&x);
}

// A pad below two of the four corners of a box feels half of its weight; from above, where normals
// out of the box do not lead, nothing.
static void a_touch_is_the_load_of_the_points_in_a_volume(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(FLOOR, DOWN, 0.01);
    const dp_body_id box = contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.1, SOFT);
    mechanism_compile(&x);
    mechanism_steps(&x, 1000);
    dp_shape pad = {.kind = DP_GEOM_BOX, .size = {0.02, 0.2, 0.01}};
    const struct {
        dp_v3 at;
        double force;
    } is[] = {{{0.1, 0.0, 0.0}, 10.0},   // around the points
              {{0.1, 0.0, -0.05}, 10.0}, // below them, where the normals lead
              {{0.1, 0.0, 0.05}, 0.0},   // above
              {{0.0, 0.0, 0.0}, 0.0},    // between
              {{-0.1, 0.1, 0.0}, 10.0}};
    for (size_t i = 0; i < sizeof is / sizeof *is; ++i) {
        double force;
        const dp_pose X = {{1.0, 0.0, 0.0, 0.0}, is[i].at};
        assert_ok(dp_contact_touch(&force, x.d, box, &pad, X));
        assert_near(force, is[i].force, 1e-9);
    }
    double force = 1.0;
    pad.size[0] = 0.3;
    assert_ok(dp_contact_touch(&force, x.d, DP_WORLD, &pad, DP_IDENTITY_POSE));
    assert_near(force, 20.0, 1e-9); // the floor feels it, too
    assert_int_equal(dp_contact_touch(&force, x.d, (dp_body_id){2}, &pad, DP_IDENTITY_POSE),
                     DP_ERROR_ARGUMENT);
    pad.size[0] = 0.0;
    assert_int_equal(dp_contact_touch(&force, x.d, box, &pad, DP_IDENTITY_POSE), DP_ERROR_ARGUMENT);
    mechanism_end(&x);
}

// The same as a sensor, whose site goes with the box; a second box presses from above.
static void a_touch_sensor_feels_what_presses_on_its_site(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(FLOOR, DOWN, 0.01);
    const dp_body_id box = contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 2.0, 0.1, SOFT);
    contact_scene_add(&x, "load", DP_GEOM_BOX, 0.1, 1.0, 0.31, SOFT);
    const struct {
        const char *name;
        dp_v3 at, size;
        double force;
    } pad[] = {{"sole", {0.0, 0.0, -0.1}, {0.2, 0.2, 0.01}, 30.0},
               {"toe", {0.1, 0.0, -0.1}, {0.02, 0.2, 0.01}, 15.0},
               {"top", {0.0, 0.0, 0.1}, {0.2, 0.2, 0.01}, 10.0},
               {"side", {0.11, 0.0, 0.0}, {0.005, 0.05, 0.05}, 0.0}};
    enum { N = sizeof pad / sizeof *pad };
    for (int i = 0; i < N; ++i) {
        dp_site_spec site = dp_site_spec_default();
        site.name = pad[i].name;
        site.kind = DP_GEOM_BOX;
        site.pose.p = pad[i].at;
        site.size[0] = pad[i].size.x, site.size[1] = pad[i].size.y, site.size[2] = pad[i].size.z;
        assert_ok(dp_spec_add_site(NULL, x.spec, box, &site));
        mechanism_sensor(&x, pad[i].name, DP_SENSOR_TOUCH, DP_OBJECT_SITE, pad[i].name);
    }
    dp_spec_sensor(x.spec, (dp_sensor_id){2})->cutoff = 4.0;
    mechanism_compile(&x);
    assert_near(mechanism_sense(&x, "top")[0], 0.0, 0.0); // nothing presses yet
    mechanism_steps(&x, 2000);
    for (int i = 0; i < N; ++i) {
        assert_near(mechanism_sense(&x, pad[i].name)[0], i == 2 ? 4.0 : pad[i].force, 1e-7);
    }
    const dp_site_info toe = dp_model_site(x.m, (dp_site_id){1});
    assert_int_equal(toe.kind, DP_GEOM_BOX);
    assert_near(toe.size[1], 0.2, 0.0);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_forces_of_a_box_at_rest_sum_to_its_weight),
        cmocka_unit_test(friction_of_a_box_at_rest_on_a_slope_holds_its_weight_along_it),
        cmocka_unit_test(friction_of_a_slipping_contact_is_mu_times_normal_against_the_slip),
        cmocka_unit_test(a_box_of_a_stack_bears_what_is_above_it),
        cmocka_unit_test(action_is_reaction_and_changes_the_momentum),
        cmocka_unit_test(a_spinning_ball_is_braked_by_torsion_times_its_load),
        cmocka_unit_test(a_ball_that_falls_has_no_force_until_its_gap_closes),
        cmocka_unit_test(a_touch_is_the_load_of_the_points_in_a_volume),
        cmocka_unit_test(a_touch_sensor_feels_what_presses_on_its_site),
        cmocka_unit_test(what_does_not_exist_has_no_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
