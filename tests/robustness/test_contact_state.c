// The state of simulations with contacts: saved, restored, copied, short of memory. Contacts come
// as they like, so that there is room for some of them at first and for more when they are there.
#include "base/checksum.h"
#include "contact_scene.h"
#include "counting_allocator.h"
#include "test_random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES = 20 };

static const contact_stuff STUFF = {
    .mu = 0.5, .torsion = 0.01, .roll = 1e-3, .stiffness = 1e6, .damping = 100.0, .condim = 6};

static const dp_v3 DOWN = {0.0, 0.0, -9.81};

// Boxes and balls that fall in a heap.
static mechanism heap_of(int count, contact_stuff stuff)
{
    mechanism x =
        contact_scene_begin((contact_stuff){.mu = 0.5, .condim = stuff.condim}, DOWN, 0.005);
    for (int i = 0; i < count; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        contact_scene_add(&x, name, i % 2 ? DP_GEOM_BOX : DP_GEOM_SPHERE, 0.1, 1.0 + i % 3, 0.1,
                          stuff);
    }
    mechanism_compile(&x);
    double *q = dp_data_q(x.d);
    for (int i = 0; i < count; ++i) {
        q[7 * i] = 0.12 * (i % 3) + 0.01 * (i % 5);
        q[7 * i + 1] = 0.11 * (i / 3 % 3) - 0.013 * (i % 4);
        q[7 * i + 2] = 0.11 + 0.21 * (i / 6) + 0.02 * (i % 6);
    }
    assert_ok(dp_kinematics(x.d));
    return x;
}

static mechanism heap(int count)
{
    return heap_of(count, STUFF);
}

static void *saved_state(const dp_data *d, size_t *bytes)
{
    *bytes = dp_state_bytes(d);
    void *saved = malloc(*bytes);
    assert_non_null(saved);
    assert_ok(dp_state_save(saved, *bytes, d));
    return saved;
}

static void a_restored_heap_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    mechanism x = heap(12);
    mechanism_steps(&x, 60);
    assert_true(dp_data_contact_count(x.d) > 12);
    size_t bytes;
    void *saved = saved_state(x.d, &bytes);
    const uint64_t here = dp_state_hash(x.d);
    mechanism_steps(&x, 40);
    const uint64_t there = dp_state_hash(x.d);
    assert_ok(dp_state_restore(x.d, saved, bytes)); // into what has moved on
    assert_true(dp_state_hash(x.d) == here);
    mechanism_steps(&x, 40);
    assert_true(dp_state_hash(x.d) == there);
    dp_data *other;
    assert_ok(dp_data_create(&other, x.m, NULL)); // into what knows nothing
    assert_ok(dp_state_restore(other, saved, bytes));
    for (int i = 0; i < 40; ++i) {
        assert_ok(dp_step(other));
    }
    assert_true(dp_state_hash(other) == there);
    dp_data_destroy(other);
    free(saved);
    mechanism_end(&x);
}

// Room for contacts is more in one of them.
static void states_travel_between_simulations_with_more_and_less_room(void **state)
{
    (void)state;
    mechanism x = heap(12);
    mechanism_steps(&x, 60);
    dp_data *wide;
    assert_ok(dp_data_create(&wide, x.m, NULL));
    assert_ok(dp_data_copy(wide, x.d));
    assert_ok(dp_data_reserve_contacts(wide, 4000, 9000));
    size_t narrow_bytes;
    void *narrow = saved_state(x.d, &narrow_bytes);
    assert_ok(dp_state_restore(wide, narrow, narrow_bytes));
    assert_true(dp_state_hash(wide) == dp_state_hash(x.d));
    for (int i = 0; i < 20; ++i) {
        assert_ok(dp_step(wide));
        assert_ok(dp_step(x.d));
    }
    assert_true(dp_state_hash(wide) == dp_state_hash(x.d));
    size_t wide_bytes;
    void *from_wide = saved_state(wide, &wide_bytes);
    dp_data *fresh;
    assert_ok(dp_data_create(&fresh, x.m, NULL));
    assert_ok(dp_state_restore(fresh, from_wide, wide_bytes));
    assert_true(dp_state_hash(fresh) == dp_state_hash(wide));
    dp_data_destroy(fresh);
    dp_data_destroy(wide);
    free(from_wide);
    free(narrow);
    mechanism_end(&x);
}

// Boxes that can be put where they have more points than there is room for at first.
static mechanism crowded_boxes(void)
{
    mechanism x = contact_scene_begin((contact_stuff){.mu = 0.5}, DOWN, 0.005);
    const contact_stuff stuff = {.mu = 0.5, .stiffness = 1e6, .damping = 100.0};
    for (int i = 0; i < BOXES; ++i) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        contact_scene_add(&x, name, DP_GEOM_BOX, 0.1, 1.0, 0.1, stuff);
    }
    mechanism_compile(&x);
    return x;
}

// All in one place, nearly: every pair has points.
static void place_together(mechanism *x)
{
    double *q = dp_data_q(x->d);
    for (int i = 0; i < BOXES; ++i) {
        q[7 * i] = 0.001 * i;
        q[7 * i + 1] = 0.0;
        q[7 * i + 2] = 0.1;
    }
    assert_ok(dp_kinematics(x->d));
}

static void a_state_with_more_impulses_than_there_is_room_for_is_restored(void **state)
{
    (void)state;
    mechanism x = crowded_boxes();
    const size_t at_first = dp_state_bytes(x.d);
    place_together(&x);
    dp_data_options(x.d)->solver.max_factorizations = 1; // the answer does not matter here
    dp_data_options(x.d)->max_halvings = 0;
    mechanism_steps(&x, 1);
    size_t bytes;
    void *saved = saved_state(x.d, &bytes);
    assert_true(bytes > at_first); // room was made

    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d;
    assert_ok(dp_data_create(&d, x.m, &allocator));
    assert_true(dp_state_bytes(d) == at_first);
    const uint64_t before = dp_state_hash(d);
    dp_status status = DP_ERROR_MEMORY;
    int failures = -1;
    for (; status == DP_ERROR_MEMORY && failures < 100; ++failures) {
        counts.fail_at = counts.calls + (size_t)failures + 2;
        status = dp_state_restore(d, saved, bytes);
        if (status != DP_OK) {
            assert_int_equal(status, DP_ERROR_MEMORY);
            assert_true(dp_state_hash(d) == before);
        }
    }
    counts.fail_at = 0;
    assert_ok(status);
    assert_true(failures > 0);
    assert_true(dp_state_hash(d) == dp_state_hash(x.d));
    dp_data_destroy(d);
    assert_true(counts.blocks == 0 && counts.wrong_sizes == 0);
    free(saved);
    mechanism_end(&x);
}

// Each allocation of the growth fails in turn; the step after that is as if nothing had been.
static void a_step_that_finds_no_memory_for_contacts_leaves_the_state(void **state)
{
    (void)state;
    mechanism x = crowded_boxes();
    place_together(&x);
    dp_data_options(x.d)->solver.max_factorizations = 1;
    dp_data_options(x.d)->max_halvings = 0;
    const uint64_t before = dp_state_hash(x.d);
    dp_data *start;
    assert_ok(dp_data_create(&start, x.m, NULL));
    assert_ok(dp_data_copy(start, x.d));
    mechanism_steps(&x, 1);
    const uint64_t after = dp_state_hash(x.d);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_status status = DP_ERROR_MEMORY;
    size_t failures = 0;
    while (status == DP_ERROR_MEMORY && failures < 100) {
        dp_data *d;
        counts.fail_at = 0;
        assert_ok(dp_data_create(&d, x.m, &allocator));
        assert_ok(dp_data_copy(d, start));
        counts.fail_at = counts.calls + failures + 1;
        status = failures % 2 ? dp_forward(d) : dp_step(d);
        if (status != DP_OK) {
            assert_int_equal(status, DP_ERROR_MEMORY);
            assert_true(dp_state_hash(d) == before);
            ++failures;
            assert_ok(dp_step(d));
            assert_true(dp_state_hash(d) == after);
        }
        dp_data_destroy(d);
        assert_true(counts.blocks == 0 && counts.bytes == 0 && counts.wrong_sizes == 0);
    }
    assert_ok(status);
    assert_true(failures > 3);
    dp_data_destroy(start);
    mechanism_end(&x);
}

static void a_heap_allocates_nothing_once_there_is_room(void **state)
{
    (void)state;
    mechanism x = heap(12);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d;
    assert_ok(dp_data_create(&d, x.m, &allocator));
    size_t bytes;
    void *saved = saved_state(x.d, &bytes);
    size_t calls = 0;
    for (int round = 0; round < 2; ++round) {
        assert_ok(dp_state_restore(d, saved, bytes));
        calls = counts.calls;
        double load = 0.0;
        for (int i = 0; i < 100; ++i) {
            assert_ok(dp_step(d));
            load += contact_scene_load(d) + dp_contact_on_body(d, (dp_body_id){1}, DOWN).f.z;
            assert_ok(dp_sense(d));
        }
        assert_true(load > 0.0);
    }
    assert_true(counts.calls == calls); // of the second round
    dp_data_destroy(d);
    assert_true(counts.blocks == 0 && counts.bytes == 0 && counts.wrong_sizes == 0);
    free(saved);
    mechanism_end(&x);
}

static void a_copy_of_a_heap_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    mechanism x = heap(12);
    mechanism_steps(&x, 50);
    dp_data *copy;
    assert_ok(dp_data_create(&copy, x.m, NULL));
    assert_ok(dp_data_copy(copy, x.d));
    assert_int_equal(dp_data_contact_count(copy), 0); // its last step was none
    for (int i = 0; i < 30; ++i) {
        assert_ok(dp_step(copy));
        assert_ok(dp_step(x.d));
        assert_true(dp_state_hash(copy) == dp_state_hash(x.d));
    }
    assert_true(contact_scene_load(copy) == contact_scene_load(x.d));
    dp_data_destroy(copy);
    mechanism_end(&x);
}

// A new simulation lays contacts out from the beginning; one that goes on finds them where they
// were, as long as the same pairs touch.
static void contacts_that_stay_in_their_places_have_the_bits_of_those_laid_out_anew(void **state)
{
    (void)state;
    mechanism x = heap_of(BOXES, (contact_stuff){.mu = 0.5, .stiffness = 1e6, .damping = 100.0});
    int most = 0;
    for (int i = 0; i < 150; ++i) { // from the fall to the heap
        dp_data *anew;
        assert_ok(dp_data_create(&anew, x.m, NULL));
        assert_ok(dp_data_copy(anew, x.d));
        assert_ok(dp_step(anew));
        mechanism_steps(&x, 1);
        assert_true(dp_state_hash(anew) == dp_state_hash(x.d));
        const int count = dp_data_contact_count(x.d);
        most = count > most ? count : most;
        dp_data_destroy(anew);
    }
    assert_true(most > BOXES); // they lie on each other
    mechanism_end(&x);
}

// Thin plates in a row, some of them heavy, the first of them thrown at the others.
static mechanism row_of_plates(random_source *r)
{
    const int count = 10 + random_below(r, 12);
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->step = 0.01;
    for (int i = 0; i < count; ++i) {
        dp_body_spec body = dp_body_spec_default();
        body.pose.p.x = 0.004 * i + random_between(r, 0.0, 0.001);
        dp_body_id id;
        assert_ok(dp_spec_add_body(&id, x.spec, DP_WORLD, &body));
        dp_joint_spec joint = dp_joint_spec_default();
        joint.kind = DP_JOINT_SLIDE;
        joint.axis = (dp_v3){1.0, 0.0, 0.0};
        assert_ok(dp_spec_add_joint(NULL, x.spec, id, &joint));
        dp_geom_spec plate = dp_geom_spec_default();
        plate.kind = DP_GEOM_BOX;
        plate.size[0] = 0.001;
        plate.size[1] = plate.size[2] = 0.05;
        plate.density = random_below(r, 3) == 0 ? 1e5 : 1e3;
        assert_ok(dp_spec_add_geom(NULL, x.spec, id, &plate));
    }
    mechanism_compile(&x);
    dp_data_v(x.d)[0] = random_between(r, 0.3, 5.0);
    return x;
}

// A blow runs through several plates in one step, and is found plate by plate. Pairs that one round
// brought together are apart in a later one, which no longer finds them: they need room all the
// same.
static void a_blow_that_runs_through_a_row_finds_room_for_all_that_it_meets(void **state)
{
    (void)state;
    random_source r = {45};
    for (int i = 0; i < 60; ++i) {
        mechanism x = row_of_plates(&r);
        for (int k = 0; k < 3; ++k) {
            assert_ok(dp_step(x.d));
        }
        mechanism_end(&x);
    }
}

static void seal(unsigned char *saved, size_t bytes)
{
    enum { CHECKSUM = 8, SUMMED = 16 };
    const uint64_t sum = dp_checksum64(saved + SUMMED, bytes - SUMMED);
    memcpy(saved + CHECKSUM, &sum, sizeof sum);
}

// Every byte of the header, changed and sealed again with the checksum that it then has.
static void a_damaged_state_is_refused_or_restored_but_never_read_beyond_its_end(void **state)
{
    (void)state;
    mechanism x = heap(4);
    mechanism_steps(&x, 50);
    size_t bytes;
    unsigned char *saved = saved_state(x.d, &bytes);
    dp_data *d;
    assert_ok(dp_data_create(&d, x.m, NULL));
    int refused = 0;
    for (size_t i = 0; i < 72 && i < bytes; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            saved[i] ^= (unsigned char)(1u << bit);
            seal(saved, bytes);
            const uint64_t before = dp_state_hash(d);
            const dp_status status = dp_state_restore(d, saved, bytes);
            if (status != DP_OK) {
                assert_true(dp_state_hash(d) == before);
                ++refused;
            }
            saved[i] ^= (unsigned char)(1u << bit);
        }
    }
    assert_true(refused > 100);
    seal(saved, bytes);
    for (size_t cut = 0; cut < 100; ++cut) {
        assert_int_equal(dp_state_restore(d, saved, cut), DP_ERROR_ARGUMENT);
    }
    assert_int_equal(dp_state_restore(d, saved, bytes - 1), DP_ERROR_ARGUMENT);
    assert_ok(dp_state_restore(d, saved, bytes));
    dp_data_destroy(d);
    free(saved);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_heap_goes_on_with_the_same_bits),
        cmocka_unit_test(states_travel_between_simulations_with_more_and_less_room),
        cmocka_unit_test(a_state_with_more_impulses_than_there_is_room_for_is_restored),
        cmocka_unit_test(a_step_that_finds_no_memory_for_contacts_leaves_the_state),
        cmocka_unit_test(a_heap_allocates_nothing_once_there_is_room),
        cmocka_unit_test(a_copy_of_a_heap_goes_on_with_the_same_bits),
        cmocka_unit_test(contacts_that_stay_in_their_places_have_the_bits_of_those_laid_out_anew),
        cmocka_unit_test(a_blow_that_runs_through_a_row_finds_room_for_all_that_it_meets),
        cmocka_unit_test(a_damaged_state_is_refused_or_restored_but_never_read_beyond_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
