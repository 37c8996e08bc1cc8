// Status, messages, memory: what every other part relies on.
#include "counting_allocator.h"
#include "near.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void a_failure_returns_its_status_and_leaves_its_message(void **state)
{
    (void)state;
    const dp_status status = dp_fail(DP_ERROR_PARSE, "%s:%d: found %g", "arm.xml", 7, 0.5);
    assert_int_equal(status, DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(), "arm.xml:7: found 0.5");
}

static void a_message_may_quote_the_message_before_it(void **state)
{
    (void)state;
    (void)dp_fail(DP_ERROR_IO, "no such file");
    (void)dp_fail(DP_ERROR_IO, "scene: %s", dp_last_error());
    assert_string_equal(dp_last_error(), "scene: no such file");
}

static void context_goes_in_front_of_the_message(void **state)
{
    (void)state;
    (void)dp_fail(DP_ERROR_ARGUMENT, "mass is %g", -1.0);
    const dp_status status = dp_fail_context(DP_ERROR_PARSE, "arm.xml:%d: ", 12);
    assert_int_equal(status, DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(), "arm.xml:12: mass is -1");
}

static void a_message_too_long_is_cut_and_ends(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)dp_fail(DP_ERROR_PARSE, "%s", text);
    const size_t length = strlen(dp_last_error());
    assert_true(length > 1000 && length < sizeof text - 1);
    assert_memory_equal(dp_last_error(), text, length);

    (void)dp_fail_context(DP_ERROR_PARSE, "%s", "in front: ");
    assert_int_equal(strncmp(dp_last_error(), "in front: aaa", 13), 0);
    assert_int_equal(strlen(dp_last_error()), length);
}

static dp_status try_twice(dp_status first, dp_status second, int *reached)
{
    *reached = 0;
    DP_TRY(first);
    *reached = 1;
    DP_TRY(second);
    *reached = 2;
    return DP_OK;
}

static void trying_stops_at_the_first_failure(void **state)
{
    (void)state;
    int reached;
    assert_int_equal(try_twice(DP_OK, DP_OK, &reached), DP_OK);
    assert_int_equal(reached, 2);
    assert_int_equal(try_twice(DP_OK, DP_ERROR_IO, &reached), DP_ERROR_IO);
    assert_int_equal(reached, 1);
    assert_int_equal(try_twice(DP_ERROR_NUMERIC, DP_ERROR_IO, &reached), DP_ERROR_NUMERIC);
    assert_int_equal(reached, 0);
}

static void *fail_in_another_thread(void *before)
{
    // The new thread has an empty message of its own.
    strcpy(before, dp_last_error()[0] == '\0' ? "empty" : "not empty");
    (void)dp_fail(DP_ERROR_IO, "theirs");
    return NULL;
}

static void every_thread_has_its_own_message(void **state)
{
    (void)state;
    (void)dp_fail(DP_ERROR_IO, "mine");
    char before[16];
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_in_another_thread, before), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(before, "empty");
    assert_string_equal(dp_last_error(), "mine");
}

static void every_status_has_a_name_of_its_own(void **state)
{
    (void)state;
    assert_string_equal(dp_status_name(DP_OK), "DP_OK");
    for (int a = DP_OK; a <= DP_ERROR_INTERRUPTED; ++a) {
        assert_int_equal(strncmp(dp_status_name((dp_status)a), "DP_", 3), 0);
        for (int b = DP_OK; b < a; ++b) {
            assert_string_not_equal(dp_status_name((dp_status)a), dp_status_name((dp_status)b));
        }
    }
    assert_string_equal(dp_status_name((dp_status)99), "unknown dp_status");
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", DP_VERSION_MAJOR, DP_VERSION_MINOR,
             DP_VERSION_PATCH);
    assert_string_equal(dp_version(), expected);
}

static void memory_comes_zeroed_from_an_allocator_that_does_not_zero(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    unsigned char *memory;
    assert_int_equal(dp_allocate(&memory, &a, 100, 3), DP_OK);
    for (int i = 0; i < 300; ++i) {
        assert_int_equal(memory[i], 0);
    }
    dp_release(&a, memory, 100, 3);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
}

static void nothing_asked_for_is_nothing_allocated(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    double *memory = &(double){1.0};
    assert_int_equal(dp_allocate(&memory, &a, 0, sizeof *memory), DP_OK);
    assert_null(memory);
    dp_release(&a, memory, 0, sizeof *memory);
    assert_int_equal(counts.calls, 0);
}

static void an_allocator_that_fails_gives_a_clean_error(void **state)
{
    (void)state;
    counting_allocator counts = {.fail_at = 1};
    const dp_allocator a = counting_allocator_for(&counts);
    double *memory = &(double){1.0};
    assert_int_equal(dp_allocate(&memory, &a, 12, sizeof *memory), DP_ERROR_MEMORY);
    assert_null(memory);
    assert_string_equal(dp_last_error(), "out of memory: 96 bytes");
}

static void a_size_that_overflows_never_reaches_the_allocator(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    double *memory = NULL;
    assert_int_equal(dp_allocate(&memory, &a, SIZE_MAX / 4, 8), DP_ERROR_MEMORY);
    assert_null(memory);

    dp_pool pool;
    dp_pool_init(&pool, &a);
    assert_int_equal(dp_pool_take(&memory, &pool, SIZE_MAX / 4, 8), DP_ERROR_MEMORY);
    assert_null(memory);
    assert_int_equal(dp_pool_take(&memory, &pool, SIZE_MAX, 1), DP_ERROR_MEMORY);
    assert_null(memory);
    dp_pool_destroy(&pool);

    // An array that claims to be full at a size whose next one cannot be counted in bytes.
    double *array = &(double){1.0};
    double *const before = array;
    size_t capacity = SIZE_MAX / 8;
    assert_int_equal(dp_grow(&array, &capacity, capacity, sizeof *array, &a), DP_ERROR_MEMORY);
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, SIZE_MAX / 8);
    capacity = SIZE_MAX - 4; // here the new capacity itself would wrap around
    assert_int_equal(dp_grow(&array, &capacity, capacity, 1, &a), DP_ERROR_MEMORY);
    assert_ptr_equal(array, before);
    assert_int_equal(counts.calls, 0);
}

static void a_growing_array_keeps_its_content(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    int *array = NULL;
    size_t capacity = 0;
    enum { COUNT = 1000 };
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(dp_grow(&array, &capacity, (size_t)i, sizeof *array, &a), DP_OK);
        assert_true(capacity > (size_t)i);
        assert_int_equal(array[i], 0); // new memory is zeroed
        array[i] = i + 1;
    }
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(array[i], i + 1);
    }
    assert_true(counts.calls < 20); // growth by half at least: 8·1.5ⁿ > 1000 for n = 12
    assert_int_equal(counts.blocks, 1);
    dp_release(&a, array, capacity, sizeof *array);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
}

static void an_array_that_cannot_grow_is_as_it_was(void **state)
{
    (void)state;
    counting_allocator counts = {.fail_at = 2};
    const dp_allocator a = counting_allocator_for(&counts);
    int *array = NULL;
    size_t capacity = 0;
    assert_int_equal(dp_grow(&array, &capacity, 0, sizeof *array, &a), DP_OK);
    for (size_t i = 0; i < capacity; ++i) {
        array[i] = (int)i;
    }
    int *const before = array;
    const size_t full = capacity;
    assert_int_equal(dp_grow(&array, &capacity, full, sizeof *array, &a), DP_ERROR_MEMORY);
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, full);
    assert_int_equal(array[full - 1], (int)full - 1);
    dp_release(&a, array, capacity, sizeof *array);
    assert_int_equal(counts.blocks, 0);
}

static void pool_memory_is_zeroed_aligned_and_disjoint(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &a);

    enum { PIECES = 200 };
    unsigned char *piece[PIECES];
    for (int i = 0; i < PIECES; ++i) { // 1 … 39801 bytes: within a block, over its end, beyond it
        const size_t bytes = (size_t)(i * i + 1);
        assert_int_equal(dp_pool_take(&piece[i], &pool, bytes, 1), DP_OK);
        assert_int_equal((uintptr_t)piece[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < bytes; ++k) {
            assert_int_equal(piece[i][k], 0);
        }
        memset(piece[i], i + 1, bytes);
    }
    for (int i = 0; i < PIECES; ++i) {
        assert_int_equal(piece[i][0], i + 1);
        assert_int_equal(piece[i][i * i], i + 1);
    }
    dp_pool_destroy(&pool);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
}

static void small_pieces_share_a_block(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &a);
    const char *name;
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(dp_pool_text(&name, &pool, "forearm"), DP_OK);
        assert_string_equal(name, "forearm");
    }
    assert_int_equal(counts.calls, 1);
    dp_pool_destroy(&pool);
    assert_int_equal(counts.blocks, 0);
}

static void a_text_is_copied_and_none_stays_none(void **state)
{
    (void)state;
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    char original[] = "hip";
    const char *copy, *none = original;
    assert_int_equal(dp_pool_text(&copy, &pool, original), DP_OK);
    assert_int_equal(dp_pool_text(&none, &pool, NULL), DP_OK);
    original[0] = 'l';
    assert_string_equal(copy, "hip");
    assert_null(none);
    dp_pool_destroy(&pool);
}

static void a_pool_that_cannot_grow_keeps_what_it_has(void **state)
{
    (void)state;
    counting_allocator counts = {.fail_at = 2};
    const dp_allocator a = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &a);
    const char *first, *second = "untouched";
    assert_int_equal(dp_pool_text(&first, &pool, "first"), DP_OK);
    char large[10000] = {0};
    memset(large, 'x', sizeof large - 1);
    assert_int_equal(dp_pool_text(&second, &pool, large), DP_ERROR_MEMORY);
    assert_null(second);
    assert_string_equal(first, "first");
    assert_int_equal(dp_pool_text(&second, &pool, large), DP_OK); // the allocator recovered
    assert_string_equal(second, large);
    dp_pool_destroy(&pool);
    assert_int_equal(counts.blocks, 0);
}

static void a_pool_can_be_destroyed_twice(void **state)
{
    (void)state;
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    int *number;
    assert_int_equal(dp_pool_take(&number, &pool, 1, sizeof *number), DP_OK);
    dp_pool_destroy(&pool);
    dp_pool_destroy(&pool);
}

static void carving_measures_what_it_lays_out(void **state)
{
    (void)state;
    dp_carver measure = {0};
    assert_null(dp_carve(&measure, 3, sizeof(double)));
    assert_null(dp_carve(&measure, 5, sizeof(char)));
    assert_null(dp_carve(&measure, 0, sizeof(int)));
    assert_null(dp_carve(&measure, 7, sizeof(int)));

    _Alignas(64) char block[512];
    dp_carver layout = {.base = block};
    char *const numbers = dp_carve(&layout, 3, sizeof(double));
    char *const letters = dp_carve(&layout, 5, sizeof(char));
    char *const nothing = dp_carve(&layout, 0, sizeof(int));
    char *const counts = dp_carve(&layout, 7, sizeof(int));
    assert_int_equal(layout.used, measure.used);
    assert_ptr_equal(numbers, block);
    assert_true(letters >= numbers + 3 * sizeof(double));
    assert_true(nothing >= letters + 5);
    assert_true(counts >= letters + 5);
    assert_ptr_equal(counts + 7 * sizeof(int), block + layout.used);
    assert_int_equal((letters - block) % 64, 0);
    assert_int_equal((counts - block) % 64, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_returns_its_status_and_leaves_its_message),
        cmocka_unit_test(a_message_may_quote_the_message_before_it),
        cmocka_unit_test(context_goes_in_front_of_the_message),
        cmocka_unit_test(a_message_too_long_is_cut_and_ends),
        cmocka_unit_test(trying_stops_at_the_first_failure),
        cmocka_unit_test(every_thread_has_its_own_message),
        cmocka_unit_test(every_status_has_a_name_of_its_own),
        cmocka_unit_test(the_version_is_that_of_the_header),
        cmocka_unit_test(memory_comes_zeroed_from_an_allocator_that_does_not_zero),
        cmocka_unit_test(nothing_asked_for_is_nothing_allocated),
        cmocka_unit_test(an_allocator_that_fails_gives_a_clean_error),
        cmocka_unit_test(a_size_that_overflows_never_reaches_the_allocator),
        cmocka_unit_test(a_growing_array_keeps_its_content),
        cmocka_unit_test(an_array_that_cannot_grow_is_as_it_was),
        cmocka_unit_test(pool_memory_is_zeroed_aligned_and_disjoint),
        cmocka_unit_test(small_pieces_share_a_block),
        cmocka_unit_test(a_text_is_copied_and_none_stays_none),
        cmocka_unit_test(a_pool_that_cannot_grow_keeps_what_it_has),
        cmocka_unit_test(a_pool_can_be_destroyed_twice),
        cmocka_unit_test(carving_measures_what_it_lays_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
