// What threads may do at the same time. Also run under the thread sanitizer.
#include "near.h"

#include <dashpot/dashpot.h>

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, STEPS = 200 };

static dp_status load(dp_model **out, const char *path)
{
    dp_spec *spec;
    dp_status status = dp_mjcf_load(&spec, NULL, path, NULL);
    if (status == DP_OK) {
        status = dp_model_compile(out, spec);
        dp_spec_destroy(spec);
    }
    return status;
}

// One thread's work and what came of it. cmocka's assertions belong to the main thread.
typedef struct worker {
    const dp_model *model; // NULL: load `path` first
    const char *path;
    dp_integrator integrator;
    dp_status status;
    uint64_t hash;
    char message[256];
} worker;

static void *work(void *context)
{
    worker *w = context;
    dp_model *own = NULL;
    dp_data *data = NULL;
    w->status = w->model ? DP_OK : load(&own, w->path);
    const dp_model *model = w->model ? w->model : own;
    if (w->status == DP_OK) {
        w->status = dp_data_create(&data, model, NULL);
    }
    if (w->status == DP_OK) {
        dp_data_options(data)->integrator = w->integrator;
        dp_data_options(data)->disable_contact =
            w->integrator == DP_INTEGRATOR_RK4; // takes no rows
        for (int k = 0; k < dp_model_sizes(model)->nv; ++k) {
            dp_data_v(data)[k] = 0.1 * (k % 7) - 0.3;
        }
    }
    for (int i = 0; w->status == DP_OK && i < STEPS; ++i) {
        w->status = dp_step(data);
    }
    if (w->status == DP_OK) {
        w->status = dp_sense(data);
        w->hash = dp_state_hash(data);
    }
    strncpy(w->message, dp_last_error(), sizeof w->message - 1);
    dp_data_destroy(data);
    dp_model_destroy(own);
    return NULL;
}

static void run_all(worker *workers, int n)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < n; ++i) {
        assert_int_equal(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < n; ++i) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
}

static void threads_that_share_a_model_reach_the_bits_of_one_thread(void **state)
{
    (void)state;
    dp_model *model;
    assert_int_equal(load(&model, DP_SCENES "/humanoid.xml"), DP_OK);
    static const dp_integrator integrators[] = {DP_INTEGRATOR_SEMI_IMPLICIT, DP_INTEGRATOR_RK4};
    for (int k = 0; k < 2; ++k) {
        worker alone = {.model = model, .integrator = integrators[k]};
        work(&alone);
        assert_int_equal(alone.status, DP_OK);

        worker workers[THREADS];
        for (int i = 0; i < THREADS; ++i) {
            workers[i] = (worker){.model = model, .integrator = integrators[k]};
        }
        run_all(workers, THREADS);
        for (int i = 0; i < THREADS; ++i) {
            assert_int_equal(workers[i].status, DP_OK);
            assert_true(workers[i].hash == alone.hash);
        }
    }
    dp_model_destroy(model);
}

static void threads_may_load_and_run_different_files_at_the_same_time(void **state)
{
    (void)state;
    static const char *const path[THREADS] = {
        DP_SCENES "/hand_16dof.xml",
        DP_SCENES "/chain_100.xml",
        DP_SCENES "/quadruped.xml",
        DP_SCENES "/hand_16dof.xml",
    };
    worker alone[THREADS], workers[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        alone[i] = workers[i] = (worker){.path = path[i]};
        work(&alone[i]);
        assert_int_equal(alone[i].status, DP_OK);
    }
    run_all(workers, THREADS);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(workers[i].status, DP_OK);
        assert_true(workers[i].hash == alone[i].hash);
    }
    assert_true(workers[0].hash == workers[3].hash);
    assert_true(workers[0].hash != workers[1].hash);
}

static void a_failure_is_told_to_its_own_thread_alone(void **state)
{
    (void)state;
    worker workers[2] = {{.path = DP_SCENES "/no_such_file.xml"},
                         {.path = DP_SCENES "/pendulum.xml"}};
    run_all(workers, 2);
    assert_int_equal(workers[0].status, DP_ERROR_IO);
    assert_non_null(strstr(workers[0].message, "no_such_file.xml"));
    assert_int_equal(workers[1].status, DP_OK);
    assert_string_equal(workers[1].message, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_that_share_a_model_reach_the_bits_of_one_thread),
        cmocka_unit_test(threads_may_load_and_run_different_files_at_the_same_time),
        cmocka_unit_test(a_failure_is_told_to_its_own_thread_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
