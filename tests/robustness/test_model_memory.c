// Memory of specs and models: every allocation fails once, nothing leaks, sizes are given back
// right.
#include "counting_allocator.h"
#include "full_spec.h"
#include "near.h"
#include "small_spec.h"

#include <dashpot/model.h>

#include <stdio.h>
#include <string.h>

static dp_status build_and_compile(const dp_allocator *allocator)
{
    dp_spec *spec;
    dp_status status = full_spec_create(&spec, allocator);
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

// One of each kind that has arrays or names of others, again and again.
static dp_status add_couplings(dp_spec *spec, int *added)
{
    static const double vertex[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, elevation[4] = {0.5};
    static const dp_wrap_spec wrap = {.kind = DP_WRAP_GEOM, .object = "geom", .side = "site"};
    for (*added = 0; *added < 60; ++*added) {
        char name[32];
        snprintf(name, sizeof name, "number_%d", *added);
        dp_mesh_spec mesh = dp_mesh_spec_default();
        mesh.vertex = vertex, mesh.nvertex = 4;
        dp_hfield_spec hfield = dp_hfield_spec_default();
        hfield.elevation = elevation, hfield.nrow = hfield.ncol = 2;
        dp_tendon_spec tendon = dp_tendon_spec_default();
        tendon.wrap = &wrap, tendon.nwrap = 1;
        dp_equality_spec equality = dp_equality_spec_default();
        equality.object[0] = equality.object[1] = "body";
        mesh.name = hfield.name = tendon.name = equality.name = name;
        dp_status status = dp_spec_add_mesh(NULL, spec, &mesh);
        status = status ? status : dp_spec_add_hfield(NULL, spec, &hfield);
        status = status ? status : dp_spec_add_tendon(NULL, spec, &tendon);
        status = status ? status : dp_spec_add_equality(NULL, spec, &equality);
        if (status != DP_OK) {
            return status;
        }
    }
    return DP_OK;
}

static void failed_additions_of_arrays_leave_no_halves(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_spec *spec;
    int added;
    assert_int_equal(dp_spec_create(&spec, &allocator), DP_OK);
    const size_t before = counts.calls;
    assert_int_equal(add_couplings(spec, &added), DP_OK);
    const size_t after = counts.calls;
    dp_spec_destroy(spec);
    for (size_t k = before + 1; k <= after; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_spec_create(&spec, &allocator), DP_OK);
        assert_int_equal(add_couplings(spec, &added), DP_ERROR_MEMORY);
        assert_in_range(dp_spec_mesh_count(spec), added, added + 1);
        assert_in_range(dp_spec_equality_count(spec), added, added);
        for (int i = 0; i < dp_spec_tendon_count(spec); ++i) {
            assert_string_equal(dp_spec_tendon(spec, (dp_tendon_id){i})->wrap->side, "site");
        }
        dp_spec_destroy(spec);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
}

// What could touch is counted with memory of its own.
static void counting_contacts_may_fail_too(void **state)
{
    (void)state;
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    for (size_t k = 1;; ++k) {
        counts = (counting_allocator){.fail_at = 0};
        dp_spec *spec;
        assert_int_equal(dp_spec_create(&spec, &allocator), DP_OK);
        for (int i = 0; i < 300; ++i) {
            add_joint(spec, add_ball_body(spec, DP_WORLD, NULL), NULL, DP_JOINT_FREE);
            dp_spec_geom(spec, (dp_geom_id){i})->contype = 1;
            dp_spec_geom(spec, (dp_geom_id){i})->conaffinity = i == 0 ? 1 : 2;
        }
        const size_t blocks = counts.blocks;
        counts.fail_at = counts.calls + k;
        dp_model *m;
        const dp_status status = dp_model_compile(&m, spec);
        const bool all = counts.calls < counts.fail_at; // nothing failed
        assert_int_equal(status, all ? DP_OK : DP_ERROR_MEMORY);
        assert_true(all == (m != NULL));
        assert_true(!all || dp_model_sizes(m)->ntouch == 299); // the first with each of the others
        dp_model_destroy(m);
        assert_int_equal(counts.blocks, blocks);
        dp_spec_destroy(spec);
        if (all) {
            assert_true(k > 10);
            break;
        }
    }
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
        dp_spec_clear_error(spec);

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
        cmocka_unit_test(failed_additions_of_arrays_leave_no_halves),
        cmocka_unit_test(counting_contacts_may_fail_too),
        cmocka_unit_test(a_failed_addition_can_be_repeated),
        cmocka_unit_test(a_refused_mechanism_leaks_nothing),
        cmocka_unit_test(destroying_nothing_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
