// Memory of specs and models: every allocation fails once, nothing leaks, sizes are given back
// right.
#include "counting_allocator.h"
#include "near.h"
#include "small_spec.h"

#include <dashpot/model.h>

#include <stdio.h>
#include <string.h>

static dp_status build_and_compile(const dp_allocator *allocator)
{
    dp_spec *spec;
    dp_status status = small_spec_create(&spec, allocator);
    if (status != DP_OK) {
        assert_null(spec);
        return status;
    }
    dp_model *m;
    status = dp_model_compile(&m, spec);
    dp_spec_destroy(spec);
    if (status != DP_OK) {
        assert_null(m);
    }
    dp_model_destroy(m); // NULL after a failure
    return status;
}

static void a_spec_and_a_model_give_everything_back(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    assert_int_equal(build_and_compile(&allocator), DP_OK);
    assert_true(counts.calls > 20);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.bytes, 0);
    assert_int_equal(counts.wrong_sizes, 0);
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    assert_int_equal(build_and_compile(&allocator), DP_OK);
    const size_t calls = counts.calls;
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(build_and_compile(&allocator), DP_ERROR_MEMORY);
        assert_non_null(strstr(dp_last_error(), "out of memory"));
        assert_int_equal(counts.calls, k); // nothing is tried again
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.bytes, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
}

// Adds bodies, joints and names enough for every array and index to grow several times.
static dp_status add_many(dp_spec *spec, int *added)
{
    for (*added = 0; *added < 100; ++*added) {
        char name[32];
        snprintf(name, sizeof name, "body_%d", *added);
        dp_body_spec body = dp_body_spec_default();
        body.name = name;
        const dp_status status = dp_spec_add_body(NULL, spec, DP_WORLD, &body);
        if (status != DP_OK) {
            return status;
        }
    }
    return DP_OK;
}

static void a_failed_addition_can_be_repeated(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_spec *spec;
    int added;
    assert_int_equal(dp_spec_create(&spec, &allocator), DP_OK);
    const size_t before = counts.calls;
    assert_int_equal(add_many(spec, &added), DP_OK);
    const size_t after = counts.calls;
    dp_spec_destroy(spec);

    for (size_t k = before + 1; k <= after; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_spec_create(&spec, &allocator), DP_OK);
        assert_int_equal(add_many(spec, &added), DP_ERROR_MEMORY);
        assert_int_equal(dp_spec_body_count(spec), 1 + added);

        char name[32];
        snprintf(name, sizeof name, "body_%d", added);
        dp_body_spec body = dp_body_spec_default();
        body.name = name;
        dp_body_id id;
        assert_int_equal(dp_spec_add_body(&id, spec, DP_WORLD, &body), DP_OK);
        assert_int_equal(id.index, 1 + added);
        dp_model *m;
        assert_int_equal(dp_model_compile(&m, spec), DP_OK);
        assert_int_equal(dp_model_find_body(&id, m, name), DP_OK);
        assert_int_equal(id.index, 1 + added);
        dp_model_destroy(m);
        dp_spec_destroy(spec);
        assert_int_equal(counts.blocks, 0);
    }
}

static void a_refused_mechanism_leaks_nothing(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_spec *spec;
    assert_int_equal(small_spec_create(&spec, &allocator), DP_OK);
    dp_spec_key(spec, (dp_key_id){0})->nq = 1; // found late, when most of the model is there
    const size_t blocks = counts.blocks;
    dp_model *m;
    assert_int_equal(dp_model_compile(&m, spec), DP_ERROR_ARGUMENT);
    assert_null(m);
    assert_int_equal(counts.blocks, blocks);
    dp_spec_destroy(spec);
    assert_int_equal(counts.blocks, 0);
}

static void destroying_nothing_is_allowed(void **state)
{
    (void)state;
    dp_spec_destroy(NULL);
    dp_model_destroy(NULL);
    dp_spec *spec;
    assert_int_equal(dp_spec_create(&spec, NULL), DP_OK);
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spec_and_a_model_give_everything_back),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
        cmocka_unit_test(a_failed_addition_can_be_repeated),
        cmocka_unit_test(a_refused_mechanism_leaks_nothing),
        cmocka_unit_test(destroying_nothing_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
