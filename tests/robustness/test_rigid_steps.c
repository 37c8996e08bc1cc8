// Steps under rigid laws: no memory taken, no dependence on threads, nothing changed by failure.
// Each test is run by each law.
#include "contact_scene.h"
#include "counting_allocator.h"
#include "standing_scene.h"

#include <math.h>

static dp_law_kind law_of(void **state)
{
    const dp_law_kind *law = *state;
    return *law;
}

// Boxes in several heaps, some of which are in the air.
static mechanism heaps(void **state)
{
    const contact_stuff stuff = {.mu = 0.5};
    mechanism x = contact_scene_begin(stuff, (dp_v3){0.3, 0.1, -9.81}, 0.005);
    for (int i = 0; i < 6; ++i) {
        char name[8] = {'b', (char)('0' + i), 0};
        contact_scene_add(&x, name, i % 2 == 0 ? DP_GEOM_BOX : DP_GEOM_SPHERE, 0.1, 1.0 + i,
                          0.1 + 0.21 * (i % 2), stuff);
    }
    dp_spec_options(x.spec)->solver.law = law_of(state);
    return x;
}

static void spread_out(mechanism *x)
{
    double *q = dp_data_q(x->d), *v = dp_data_v(x->d);
    for (int i = 0; i < 6; ++i) {
        const int heap = i / 2;
        q[7 * i] = 0.7 * heap + 0.03 * (i % 2);
        v[6 * i + 3] = 0.1 * i;
        v[6 * i] = 0.2;
    }
    assert_ok(dp_forward(x->d));
}

static void threads_change_no_bit(void **state)
{
    uint64_t hash[3];
    static const int threads[] = {1, 2, 3};
    for (int k = 0; k < 3; ++k) {
        mechanism x = heaps(state);
        mechanism_compile(&x);
        assert_ok(dp_data_set_threads(x.d, threads[k]));
        spread_out(&x);
        mechanism_steps(&x, 60);
        hash[k] = dp_state_hash(x.d);
        mechanism_end(&x);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

// Once there is room for the contacts that come, steps take none.
static void steps_take_no_memory_where_contacts_have_room(void **state)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    mechanism x = heaps(state);
    mechanism_compile(&x);
    dp_data *d;
    assert_ok(dp_data_create(&d, x.m, &allocator));
    dp_data *const own = x.d;
    x.d = d;
    spread_out(&x);
    mechanism_steps(&x, 40);
    const size_t calls = counts.calls;
    assert_true(dp_data_report(d)->certificate.nrow > 24);
    spread_out(&x);
    mechanism_steps(&x, 40);
    assert_int_equal(counts.calls, calls);
    dp_data_destroy(d);
    assert_int_equal(counts.blocks, 0);
    x.d = own;
    mechanism_end(&x);
}

// One island that takes more room than there is at first.
static mechanism column(void **state)
{
    const contact_stuff stuff = {.mu = 0.5};
    mechanism x = contact_scene_begin(stuff, (dp_v3){0.0, 0.0, -9.81}, 0.005);
    const int boxes = law_of(state) == DP_LAW_LCP ? 5 : 12; // whose problems take less
    for (int i = 0; i < boxes; ++i) {
        char name[8] = {'b', (char)('a' + i), 0};
        contact_scene_add(&x, name, DP_GEOM_BOX, 0.1, 1.0, 0.1 + 0.2 * i, stuff);
    }
    dp_spec_options(x.spec)->solver.law = law_of(state);
    mechanism_compile(&x);
    return x;
}

// What asks for more room than there is: the step is made all the same, or not at all.
static void a_step_without_memory_leaves_the_state_as_it_was(void **state)
{
    int failed = 0;
    for (size_t k = 1; k < 40; ++k) {
        counting_allocator counts = {0};
        const dp_allocator allocator = counting_allocator_for(&counts);
        mechanism x = column(state);
        dp_data *d;
        assert_ok(dp_data_create(&d, x.m, &allocator));
        dp_data *const own = x.d;
        x.d = d;
        counts.fail_at = counts.calls + k;
        for (int i = 0; i < 3; ++i) {
            const uint64_t before = dp_state_hash(d);
            const dp_status status = dp_step(d);
            if (status != DP_OK) {
                assert_int_equal(status, DP_ERROR_MEMORY);
                assert_true(dp_state_hash(d) == before);
                ++failed;
                assert_ok(dp_step(d)); // there is memory again
            }
        }
        dp_data_destroy(d);
        assert_int_equal(counts.blocks, 0);
        x.d = own;
        mechanism_end(&x);
        if (counts.calls < counts.fail_at) {
            break;
        }
    }
    assert_true(failed > 0);
}

// Rigid boxes that overlap by far, thrown at each other, on friction of every size: finite, and
// told where it could not be solved.
static void whatever_is_thrown_stays_finite(void **state)
{
    random_source r = {.state = 17};
    for (int draw = 0; draw < 20; ++draw) {
        const contact_stuff stuff = {.mu = random_between(&r, 0.0, 3.0)};
        mechanism x = contact_scene_begin(stuff, (dp_v3){0.0, 0.0, -9.81}, 0.01);
        for (int i = 0; i < 3; ++i) {
            char name[8] = {'b', (char)('0' + i), 0};
            contact_scene_add(&x, name, i == 1 ? DP_GEOM_SPHERE : DP_GEOM_BOX, 0.1,
                              pow(10.0, random_between(&r, -2.0, 2.0)),
                              0.1 + random_between(&r, -0.05, 0.3), stuff);
        }
        dp_spec_options(x.spec)->solver.law = law_of(state);
        dp_spec_options(x.spec)->solver.impact.rule = (dp_impact_rule)(draw % 3);
        mechanism_compile(&x);
        for (int i = 0; i < 18; ++i) {
            dp_data_v(x.d)[i] = random_between(&r, -5.0, 5.0);
        }
        mechanism_steps(&x, 15);
        for (int i = 0; i < 18; ++i) {
            assert_true(isfinite(dp_data_v(x.d)[i]));
            assert_true(fabs(dp_data_v(x.d)[i]) < 1e4);
        }
        mechanism_end(&x);
    }
}

int main(void)
{
    static dp_law_kind laws[] = {DP_LAW_LCP, DP_LAW_NCP};
    int failed = 0;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(threads_change_no_bit, &laws[k]),
            cmocka_unit_test_prestate(steps_take_no_memory_where_contacts_have_room, &laws[k]),
            cmocka_unit_test_prestate(a_step_without_memory_leaves_the_state_as_it_was, &laws[k]),
            cmocka_unit_test_prestate(whatever_is_thrown_stays_finite, &laws[k]),
        };
        failed += cmocka_run_group_tests_name(dp_law_name(laws[k]), tests, NULL, NULL);
    }
    return failed;
}
