// Walkers that fall: they end on the floor, at rest, and the floor carries them.
#include "standing_scene.h"

#include <dashpot/contact.h>

#include <math.h>

// Joint friction, limits, servos and a dozen contacts at once. Every step is solved.
static void assert_falls_and_lies(const char *path, const char *key)
{
    mechanism x = standing_scene(path, key);
    const double g = 9.81, start = mechanism_energy(&x);
    const dp_momentum whole = dp_body_momentum(x.d, DP_WORLD);
    dp_data_options(x.d)->ledger = true;
    const int steps = (int)lround(3.0 / dp_data_options(x.d)->step);
    for (int i = 0; i < steps; ++i) {
        mechanism_steps(&x, 1);
        assert_int_equal(dp_data_report(x.d)->unsolved, 0);
        // Servos may give some energy: their work is known. The rest is what rotations cost, O(h).
        assert_true(mechanism_energy(&x) <=
                    start + fmax(dp_data_ledger(x.d)->drives, 0.0) + 1e-4 * start);
    }
    assert_true(dp_body_momentum(x.d, DP_WORLD).com.z < 0.5 * whole.com.z);
    // At rest the floor carries the weight, and no contact is deeper than if it carried all of it.
    assert_true(standing_scene_drift(&x, 0.5) < 1e-7);
    const double weight = whole.mass * g, k = 1e7;
    const dp_wrench on_floor = dp_contact_on_body(x.d, DP_WORLD, (dp_v3){0.0, 0.0, 0.0});
    assert_near(on_floor.f.z, -weight, 1e-5 * weight);
    assert_near(on_floor.f.x, 0.0, 1e-5 * weight);
    assert_true(dp_data_report(x.d)->certificate.penetration <= weight / k);
    mechanism_end(&x);
}

static void a_humanoid_falls_down_and_lies(void **state)
{
    (void)state;
    assert_falls_and_lies("humanoid_stands.xml", "falling");
}

static void a_quadruped_leaps_and_lies(void **state)
{
    (void)state;
    assert_falls_and_lies("quadruped_stands.xml", "leaping");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_humanoid_falls_down_and_lies),
        cmocka_unit_test(a_quadruped_leaps_and_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
