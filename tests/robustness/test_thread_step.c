// Threads within a step: the bits of one.
#include "contact_scene.h"
#include "standing_scene.h"

#include <stdio.h>

static const int THREADS[] = {1, 2, 3, 8};

static void expect_same_hashes(mechanism *x, int steps)
{
    dp_data *start;
    assert_ok(dp_data_create(&start, x->m, NULL));
    assert_ok(dp_data_copy(start, x->d));
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof THREADS / sizeof *THREADS; ++i) {
        assert_ok(dp_data_copy(x->d, start));
        assert_ok(dp_data_set_threads(x->d, THREADS[i]));
        mechanism_steps(x, steps);
        assert_true(i == 0 || dp_state_hash(x->d) == hash);
        hash = dp_state_hash(x->d);
    }
    dp_data_destroy(start);
}

static void scenes_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const path[] = {"contact/domino_row.xml", "contact/heavy_on_light.xml",
                                       "contact/cradle.xml",     "humanoid_stands.xml",
                                       "five_bar.xml",           "hand_16dof.xml"};
    for (size_t i = 0; i < sizeof path / sizeof *path; ++i) {
        mechanism x = standing_scene(path[i], NULL);
        expect_same_hashes(&x, 50);
        mechanism_end(&x);
    }
}

static void many_heaps_have_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    const contact_stuff stuff = {.mu = 0.4, .stiffness = 1e6, .damping = 1e2};
    mechanism x = contact_scene_begin(stuff, (dp_v3){0.0, 0.0, -9.81}, 0.01);
    enum { HEAPS = 40, HIGH = 4 };
    for (int i = 0; i < HEAPS * HIGH; ++i) {
        char name[32];
        snprintf(name, sizeof name, "ball_%d", i);
        (void)contact_scene_add(&x, name, i % 3 == 0 ? DP_BOX : DP_SPHERE, 0.1, 1.0,
                                0.12 + 0.22 * (i % HIGH), stuff);
    }
    mechanism_compile(&x);
    for (int i = 0; i < HEAPS * HIGH; ++i) {
        double *q = dp_data_q(x.d) + 7 * (size_t)i;
        q[0] = 0.7 * (i / HIGH) + 0.01 * (i % HIGH); // leans, so that it will fall
        q[1] = 0.003 * (i % 5);
    }
    expect_same_hashes(&x, 80);
    mechanism_end(&x);
}

static void a_bad_number_of_threads_changes_nothing(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/cradle.xml", NULL);
    assert_ok(dp_data_set_threads(x.d, 2));
    assert_int_equal(dp_data_set_threads(x.d, 0), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_data_set_threads(x.d, 1000), DP_ERROR_ARGUMENT);
    mechanism_steps(&x, 3);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(many_heaps_have_the_same_bits_on_any_number_of_threads),
        cmocka_unit_test(a_bad_number_of_threads_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
