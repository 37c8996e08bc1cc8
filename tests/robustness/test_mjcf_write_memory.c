// Memory of writing: each allocation made to fail in turn. Nothing leaks, and sizes are given back
// right.
#include "counting_allocator.h"
#include "full_spec.h"
#include "mechanism.h"

#include <dashpot/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Something of everything, and enough of it to outgrow the first block of text.
static dp_spec *rich_spec(const dp_allocator *allocator)
{
    dp_spec *spec;
    assert_ok(full_spec_create(&spec, allocator));
    for (int k = 0; k < 5; ++k) { // MJCF has no pairs with the numbers of their geoms
        dp_spec_pair(spec, (dp_pair_id){0})->friction[k] = 0.5;
    }
    for (int i = 0; i < 200; ++i) {
        dp_body_spec body = dp_body_spec_default();
        assert_ok(dp_spec_add_body(NULL, spec, (dp_body_id){i % 3 ? i : 0}, &body));
    }
    return spec;
}

static void each_allocation_of_a_text_may_fail(void **state)
{
    (void)state;
    dp_spec *spec = rich_spec(NULL);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    size_t failures = 0;
    for (;; ++failures) {
        counts = (counting_allocator){.fail_at = failures + 1};
        char *text = (char *)1;
        size_t bytes = 1;
        const dp_status status = dp_mjcf_write(&text, &bytes, spec, &allocator);
        if (status == DP_OK) {
            assert_int_equal(strlen(text), bytes);
            assert_int_equal(counts.blocks, 1);
            allocator.release(allocator.context, text, bytes + 1);
        } else {
            assert_int_equal(status, DP_ERROR_MEMORY);
            assert_non_null(strstr(dp_last_error(), "out of memory"));
            assert_null(text);
            assert_int_equal(bytes, 0);
        }
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        if (status == DP_OK) {
            break;
        }
    }
    assert_true(failures >= 5); // lists, cursor, text, text again, the block that is handed over
    dp_spec_destroy(spec);
}

static void each_allocation_of_a_file_may_fail(void **state)
{
    (void)state;
    const char *path = DP_SCRATCH "/write_memory.xml";
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_spec *spec = rich_spec(&allocator);
    const size_t blocks = counts.blocks;
    remove(path);
    for (size_t failures = 0;; ++failures) {
        counts.calls = 0;
        counts.fail_at = failures + 1;
        struct stat info;
        const dp_status status = dp_mjcf_save(path, spec);
        assert_int_equal(counts.blocks, blocks);
        assert_int_equal(counts.wrong_sizes, 0);
        if (status == DP_OK) {
            assert_true(failures >= 6);
            break;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
        assert_int_not_equal(stat(path, &info), 0); // no half of a file
    }
    remove(path);
    dp_spec_destroy(spec);
    assert_int_equal(counts.blocks, 0);
}

static void a_refusal_leaks_nothing(void **state)
{
    (void)state;
    dp_spec *spec = rich_spec(NULL);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_spec_key(spec, (dp_key_id){0})->name = "\x02"; // the last element of the text
    char *text;
    size_t bytes;
    assert_int_equal(dp_mjcf_write(&text, &bytes, spec, &allocator), DP_ERROR_UNSUPPORTED);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_of_a_text_may_fail),
        cmocka_unit_test(each_allocation_of_a_file_may_fail),
        cmocka_unit_test(a_refusal_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
