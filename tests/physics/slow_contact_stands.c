// What is built of stones and cards stays where it is.
#include "standing_scene.h"

// It settles within a second, by load/k; after that, nothing moves for a minute.
static void assert_stands(const char *path, double seconds)
{
    mechanism x = standing_scene(path, NULL);
    mechanism_steps(&x, (int)(1.0 / dp_data_options(x.d)->step));
    const double drift = standing_scene_drift(&x, seconds);
    if (!(drift < 1e-6)) {
        fail_msg("%s: something moved by %g m in %g s", path, drift, seconds);
    }
    mechanism_end(&x);
}

static void an_arch_stands_for_a_minute(void **state)
{
    (void)state;
    assert_stands("contact/arch.xml", 60.0);
}

static void a_card_tower_stands_for_a_minute(void **state)
{
    (void)state;
    assert_stands("contact/card_tower.xml", 60.0);
}

static void a_pyramid_stands_for_a_minute(void **state)
{
    (void)state;
    assert_stands("contact/pyramid.xml", 60.0);
}

// 2724 rows.
static void a_wall_stands_for_a_minute(void **state)
{
    (void)state;
    assert_stands("contact/wall.xml", 60.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arch_stands_for_a_minute),
        cmocka_unit_test(a_card_tower_stands_for_a_minute),
        cmocka_unit_test(a_pyramid_stands_for_a_minute),
        cmocka_unit_test(a_wall_stands_for_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
