// Long runs and larger islands under the law `lcp`: nothing sinks, nothing creeps.
#include "contact_scene.h"
#include "standing_scene.h"

#include <math.h>

static const dp_v3 DOWN = {0.0, 0.0, -9.81};

// A box that sticks on a slope, for 1e5 steps: its height in the
// first thousand and in all that follow.
static void penetration_does_not_grow_in_a_hundred_thousand_steps(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5};
    mechanism x = contact_scene_begin(stuff, (dp_v3){2.0, 1.0, -9.81}, 0.01);
    contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 1.0, 0.1, stuff);
    mechanism_compile(&x);
    dp_data_options(x.d)->solver.law = DP_LAW_LCP;
    double deepest[2] = {0.0, 0.0};
    for (int i = 0; i < 100000; ++i) {
        mechanism_steps(&x, 1);
        const int when = i < 1000 ? 0 : 1;
        deepest[when] = fmax(deepest[when], fabs(dp_data_q(x.d)[2] - 0.1));
        for (int k = 0; k < 6; ++k) {
            assert_near(dp_data_v(x.d)[k], 0.0, 1e-14);
        }
    }
    assert_true(deepest[0] <= 1e-16);
    assert_true(deepest[1] <= 1e-16);
    assert_near(hypot(dp_data_q(x.d)[0], dp_data_q(x.d)[1]), 0.0, 1e-12);
    mechanism_end(&x);
}

// A ball that spins and rolls with friction of every kind turns its contact frame all the time.
static void a_rolling_ball_keeps_its_height(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.5, .torsion = 0.005, .roll = 2e-3, .condim = 6};
    mechanism x = contact_scene_begin(stuff, DOWN, 0.005);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 1.0, 0.1, stuff);
    mechanism_compile(&x);
    dp_data_options(x.d)->solver.law = DP_LAW_LCP;
    mechanism_set(&x, dp_data_q(x.d), (double[]){2.0, 1.0, 0.0, 5.0, 3.0, 20.0});
    for (int i = 0; i < 6000; ++i) {
        mechanism_steps(&x, 1);
        assert_near(dp_data_q(x.d)[2], 0.1, 1e-12);
        assert_int_equal(dp_data_report(x.d)->unsolved, 0);
    }
    for (int k = 0; k < 6; ++k) {
        assert_near(dp_data_v(x.d)[k], 0.0, 1e-14); // it has come to rest
    }
    mechanism_end(&x);
}

// Bricks in half bond: three, two and three.
static void a_wall_stands_still_to_round_off(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.6};
    mechanism x = contact_scene_begin(stuff, DOWN, 0.01);
    int count = 0;
    for (int course = 0; course < 3; ++course) {
        for (int b = 0; b < 3 - course % 2; ++b) {
            char name[8] = {'b', (char)('a' + count++), 0};
            const dp_v3 at = {(course % 2 == 0 ? 0.1 : 0.2) + 0.2 * b, 0.0, 0.05 + 0.1 * course};
            const dp_body_id body =
                mechanism_body(&x, DP_WORLD, name, at, 1.8, (dp_v3){0.0, 0.0, 0.0},
                               (dp_v3){0.003, 0.0075, 0.0075});
            mechanism_joint(&x, body, NULL, DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
            dp_geom_spec brick = dp_geom_spec_default();
            brick.kind = DP_GEOM_BOX;
            brick.size[0] = 0.1;
            brick.size[1] = brick.size[2] = 0.05;
            brick.friction[0] = 0.6;
            assert_ok(dp_spec_add_geom(NULL, x.spec, body, &brick));
        }
    }
    mechanism_compile(&x);
    dp_data_options(x.d)->solver.law = DP_LAW_LCP;
    assert_true(standing_scene_drift(&x, 0.1) <= 1e-12);
    assert_int_equal(dp_data_report(x.d)->unsolved, 0);
    assert_true(dp_data_report(x.d)->certificate.normal_law <= 1e-12);
    mechanism_end(&x);
}

// Islands with hundreds of contacts, thousands of variables.
static void the_shipped_walls_and_towers_stand(void **state)
{
    (void)state;
    static const char *const scenes[] = {"contact/wall.xml", "contact/pyramid.xml",
                                         "contact/arch.xml", "contact/card_tower.xml",
                                         "contact/sphere_stack.xml"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        mechanism x = standing_scene(scenes[k], NULL);
        dp_data_options(x.d)->solver.law = DP_LAW_LCP;
        assert_true(standing_scene_drift(&x, 0.5) <= 1e-9);
        assert_int_equal(dp_data_report(x.d)->unsolved, 0);
        assert_int_equal(dp_data_report(x.d)->certificate.fallbacks, 0);
        assert_true(dp_data_report(x.d)->certificate.normal_law <= 1e-9); // law.tolerance
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penetration_does_not_grow_in_a_hundred_thousand_steps),
        cmocka_unit_test(a_rolling_ball_keeps_its_height),
        cmocka_unit_test(a_wall_stands_still_to_round_off),
        cmocka_unit_test(the_shipped_walls_and_towers_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
