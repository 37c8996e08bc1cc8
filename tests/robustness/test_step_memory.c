// A simulation takes its memory when it is created, from the allocator it was given, and never
// afterwards.
#include "counting_allocator.h"
#include "mechanism.h"
#include "random_rows.h"
#include "small_spec.h"
#include "tendon_rig.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

// Where the C library lets a program replace malloc, every call of it is counted, whoever makes it.
#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTS_MALLOC 1
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void __libc_free(void *memory);
static size_t malloc_calls;

void *malloc(size_t bytes)
{
    ++malloc_calls;
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    ++malloc_calls;
    return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    ++malloc_calls;
    return __libc_realloc(memory, bytes);
}

void free(void *memory)
{
    __libc_free(memory);
}
#else
#define COUNTS_MALLOC 0
static size_t malloc_calls;
#endif

static void the_step_allocates_nothing(void **state)
{
    (void)state;
    const dp_integrator integrators[] = {DP_INTEGRATOR_SEMI_IMPLICIT, DP_INTEGRATOR_RK4,
                                         DP_INTEGRATOR_RK45};
    for (uint64_t seed = 0; seed < 20; ++seed) {
        random_spec_options o = random_spec_default(seed);
        o.actuators = true;
        o.regular = true;
        dp_spec *spec = random_spec(&o);
        dp_model *m;
        assert_ok(dp_model_compile(&m, spec));
        counting_allocator counts = {0};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_data *d;
        assert_ok(dp_data_create(&d, m, &allocator));
        random_source r = {seed};
        random_state(d, &r, 5.0);
        random_inputs(d, &r);
        char saved[4096];
        assert_true(dp_state_bytes(d) <= sizeof saved);

        const size_t calls = counts.calls, mallocs = malloc_calls;
        dp_status status = DP_OK;
        for (int i = 0; i < 60; ++i) {
            dp_data_options(d)->integrator = integrators[i / 20];
            dp_data_options(d)->step = i < 20 && i % 2 ? 0.1 : 0.001; // also momentum transport
            status = status ? status : dp_step(d);
            status = status ? status : dp_sense(d);
            status = status ? status : dp_state_save(saved, sizeof saved, d);
            status = status ? status : dp_state_restore(d, saved, dp_state_bytes(d));
        }
        dp_data_reset(d);
        const size_t after = counts.calls, mallocs_after = malloc_calls;
        assert_ok(status);
        assert_true(after == calls);
        assert_true(mallocs_after == mallocs);

        dp_data_destroy(d);
        assert_true(counts.blocks == 0 && counts.bytes == 0 && counts.wrong_sizes == 0);
        dp_model_destroy(m);
        dp_spec_destroy(spec);
    }
    if (!COUNTS_MALLOC) {
        print_message("malloc itself is not counted in this build\n");
    }
}

static void a_failing_step_allocates_nothing_either(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_ok(small_spec_create(&spec, NULL));
    mechanism x = mechanism_from(spec);
    dp_data_v(x.d)[0] = 1e300;
    dp_data_v(x.d)[1] = 1e300;
    const size_t mallocs = malloc_calls;
    const dp_status status = dp_step(x.d);
    const size_t after = malloc_calls;
    assert_int_equal(status, DP_ERROR_NUMERIC);
    assert_true(after == mallocs);
    mechanism_end(&x);
}

static void tendons_and_transmissions_allocate_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        dp_model *m = random_tendon_model(seed);
        tendon_rig rig;
        rig_open(&rig, m);
        const size_t mallocs = malloc_calls;
        dp_tendon_rest(&rig.tendon, &rig.kin, m, rig.mocap);
        rig_move(&rig, m->q_spring);
        for (int i = 0; i < m->size.ntendon; ++i) {
            dp_tendon_pull(rig.wrench, &rig.kin, m, i, 1.0);
        }
        for (int u = 0; u < m->size.nu; ++u) {
            dp_transmission_push(rig.wrench, &rig.kin, m, u, 1.0);
        }
        const size_t after = malloc_calls;
        assert_true(after == mallocs);
        rig_close(&rig);
        dp_model_destroy(m);
    }
}

// A rope on the first coordinate. It takes no memory either.
static dp_status rope(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)m, (void)end;
    row->phi = 0.1 - dp_data_q(d)[0];
    row->k = 1e4;
    row->lo = 0.0;
    gradient[0] = -1.0;
    return *(const bool *)context ? DP_ERROR_ARGUMENT : DP_OK;
}

static void the_step_with_rows_allocates_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const random_rows_options o = {.seed = seed, .max_bodies = 5};
        dp_spec *spec = random_rows(&o);
        assert_ok(dp_spec_allow(spec, "contact"));
        dp_model *m;
        assert_ok(dp_model_compile(&m, spec));
        counting_allocator counts = {0};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_data *d;
        assert_ok(dp_data_create(&d, m, &allocator));
        bool fail = false;
        assert_ok(dp_data_add_row(NULL, d, rope, &fail));
        random_source r = {seed};
        for (int k = 0; k < dp_model_sizes(m)->nv; ++k) {
            dp_data_v(d)[k] = random_between(&r, -5.0, 5.0);
        }
        dp_options *options = dp_data_options(d);
        options->ledger = true;
        const size_t calls = counts.calls, mallocs = malloc_calls;
        dp_status status = DP_OK;
        for (int i = 0; i < 20; ++i) {
            options->accuracy = i == 19 ? 0.1 : 0.0;
            options->solver.law = i % 5 == 4 ? DP_LAW_TAMSI : DP_LAW_COMPLIANT;
            dp_data_set_row_active(d, 0, i % 3 != 0);
            status = status ? status : dp_step(d);
            status = status ? status : dp_sense(d);
        }
        fail = true;
        dp_data_set_row_active(d, 0, true);
        const dp_status failed = dp_step(d);
        const size_t after = counts.calls, mallocs_after = malloc_calls;
        assert_ok(status);
        assert_int_equal(failed, DP_ERROR_CALLBACK);
        assert_true(after == calls);
        assert_true(mallocs_after == mallocs);
        dp_data_destroy(d);
        assert_true(counts.blocks == 0 && counts.bytes == 0 && counts.wrong_sizes == 0);
        dp_model_destroy(m);
        dp_spec_destroy(spec);
    }
}

static void creation_that_runs_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_ok(small_spec_create(&spec, NULL));
    dp_model *m;
    assert_ok(dp_model_compile(&m, spec));
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    size_t fail_at = 1;
    for (;; ++fail_at) { // until an allocation that is not reached fails
        counts = (counting_allocator){.fail_at = fail_at};
        dp_data *d = (dp_data *)&counts; // must be cleared
        const dp_status status = dp_data_create(&d, m, &allocator);
        if (status == DP_OK) {
            dp_data_destroy(d);
            break;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
        assert_null(d);
        assert_non_null(strstr(dp_last_error(), "out of memory"));
        assert_true(counts.blocks == 0);
    }
    assert_true(fail_at > 1);
    assert_true(counts.blocks == 0 && counts.wrong_sizes == 0);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

// All arrays lie on cache lines, whatever the allocator's own alignment.
static void any_allocator_s_alignment_will_do(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_ok(small_spec_create(&spec, NULL));
    dp_model *m;
    assert_ok(dp_model_compile(&m, spec));
    counting_allocator counts = {0}; // its blocks are 16 bytes behind malloc's
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d[8];
    for (int i = 0; i < 8; ++i) {
        assert_ok(dp_data_create(&d[i], m, &allocator));
        assert_int_equal((uintptr_t)dp_data_q(d[i]) % 64, 0);
        assert_int_equal((uintptr_t)dp_data_v(d[i]) % 64, 0);
    }
    for (int i = 0; i < 8; ++i) {
        dp_data_destroy(d[i]);
    }
    dp_data_destroy(NULL);
    dp_model_destroy(m);
    dp_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_step_allocates_nothing),
        cmocka_unit_test(a_failing_step_allocates_nothing_either),
        cmocka_unit_test(tendons_and_transmissions_allocate_nothing),
        cmocka_unit_test(the_step_with_rows_allocates_nothing),
        cmocka_unit_test(creation_that_runs_out_of_memory_leaves_nothing),
        cmocka_unit_test(any_allocator_s_alignment_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
