// Many simulations at once: the bits of one after another.
#include "counting_allocator.h"
#include "standing_scene.h"

#include <dashpot/rollout.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 12, STEPS = 40 };

typedef struct batch {
    mechanism x;
    dp_model *model; // of x
    dp_data *from;   // of x
    size_t nstate, nu, nsensor;
    double *start, *control, *states, *sensors;
    dp_rollout_result result[COUNT];
} batch;

static double *numbers(size_t count)
{
    double *x = calloc(count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

// Simulations of a scene that start with different velocities and have different controls.
static void make_batch(batch *b, const char *path)
{
    *b = (batch){.x = standing_scene(path, NULL)};
    b->model = b->x.m;
    b->from = b->x.d;
    const dp_model_size *n = dp_model_sizes(b->model);
    b->nstate = (size_t)dp_rollout_state_size(b->model);
    b->nu = (size_t)n->nu;
    b->nsensor = (size_t)n->nsensordata;
    b->start = numbers(COUNT * b->nstate);
    b->control = numbers(COUNT * STEPS * b->nu);
    b->states = numbers(COUNT * STEPS * b->nstate);
    b->sensors = numbers(COUNT * STEPS * b->nsensor);
    random_source r = {41};
    for (size_t i = 0; i < COUNT; ++i) {
        double *state = b->start + i * b->nstate;
        dp_rollout_state(state, b->from);
        for (int k = 0; k < n->nv; ++k) {
            state[1 + n->nq + k] = random_between(&r, -1.0, 1.0);
        }
    }
    for (size_t i = 0; i < COUNT * STEPS * b->nu; ++i) {
        b->control[i] = random_between(&r, -1.0, 1.0);
    }
}

static void free_batch(batch *b)
{
    free(b->start);
    free(b->control);
    free(b->states);
    free(b->sensors);
    mechanism_end(&b->x);
}

static dp_rollout_task task_of(batch *b)
{
    return (dp_rollout_task){.count = COUNT,
                             .steps = STEPS,
                             .start = b->start,
                             .control = b->control,
                             .states = b->states,
                             .sensors = b->sensors,
                             .result = b->result};
}

// The same by hand, one after another.
static void compare_with_steps(const batch *b)
{
    const dp_model_size *n = dp_model_sizes(b->model);
    const size_t q_bytes = (size_t)n->nq * sizeof(double), v_bytes = (size_t)n->nv * sizeof(double);
    for (size_t i = 0; i < COUNT; ++i) {
        dp_data *d;
        assert_ok(dp_data_create(&d, b->model, NULL));
        memcpy(dp_data_v(d), b->start + i * b->nstate + 1 + n->nq, v_bytes);
        assert_int_equal(b->result[i].status, DP_OK);
        assert_int_equal(b->result[i].steps, STEPS);
        for (size_t k = i * STEPS; k < (i + 1) * STEPS; ++k) {
            if (b->nu > 0) {
                memcpy(dp_data_control(d), b->control + k * b->nu, b->nu * sizeof(double));
            }
            assert_ok(dp_step(d));
            assert_ok(dp_sense(d));
            const double *state = b->states + k * b->nstate;
            assert_true(state[0] == dp_data_time(d));
            assert_memory_equal(state + 1, dp_data_q(d), q_bytes);
            assert_memory_equal(state + 1 + n->nq, dp_data_v(d), v_bytes);
            if (b->nsensor > 0) {
                assert_memory_equal(b->sensors + k * b->nsensor, dp_data_sensors(d),
                                    b->nsensor * sizeof(double));
            }
        }
        dp_data_destroy(d);
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    static const char *const path[] = {"quadruped_stands.xml", "hand_16dof.xml",
                                       "contact/sphere_stack.xml"};
    for (int p = 0; p < 3; ++p) {
        batch b;
        make_batch(&b, path[p]);
        for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
            dp_rollout *r;
            assert_ok(dp_rollout_create(&r, b.from, threads, NULL));
            const dp_rollout_task task = task_of(&b);
            for (int again = 0; again < 2; ++again) {
                memset(b.states, 0, COUNT * STEPS * b.nstate * sizeof(double));
                assert_ok(dp_rollout_run(r, &task));
                compare_with_steps(&b);
            }
            dp_rollout_destroy(r);
        }
        free_batch(&b);
    }
}

static void a_simulation_that_fails_stops_alone(void **state)
{
    (void)state;
    batch b;
    make_batch(&b, "contact/sphere_stack.xml");
    b.start[3 * b.nstate + 5] = (double)NAN;
    b.start[7 * b.nstate + 5] = (double)INFINITY;
    for (int threads = 1; threads <= 4; threads += 3) {
        dp_rollout *r;
        assert_ok(dp_rollout_create(&r, b.from, threads, NULL));
        const dp_rollout_task task = task_of(&b);
        assert_int_equal(dp_rollout_run(r, &task), DP_ERROR_NUMERIC);
        assert_int_equal(strncmp(dp_last_error(), "simulation 3: ", 14), 0);
        for (int i = 0; i < COUNT; ++i) {
            const bool fails = i == 3 || i == 7;
            assert_int_equal(b.result[i].status, fails ? DP_ERROR_NUMERIC : DP_OK);
            assert_int_equal(b.result[i].steps, fails ? 0 : STEPS);
        }
        dp_rollout_destroy(r);
    }
    free_batch(&b);
}

static void what_is_not_wanted_may_be_left_out(void **state)
{
    (void)state;
    batch b;
    make_batch(&b, "quadruped_stands.xml");
    dp_rollout *r;
    assert_ok(dp_rollout_create(&r, b.from, 2, NULL));
    const dp_rollout_task task = {.count = COUNT, .steps = STEPS, .states = b.states};
    assert_ok(dp_rollout_run(r, &task));
    const size_t one = STEPS * b.nstate;
    for (size_t i = 1; i < COUNT; ++i) { // all alike
        assert_memory_equal(b.states + i * one, b.states, one * sizeof(double));
    }
    const dp_rollout_task nothing = {.count = 0, .steps = STEPS};
    assert_ok(dp_rollout_run(r, &nothing));
    const dp_rollout_task wrong = {.count = 1, .steps = -1};
    assert_int_equal(dp_rollout_run(r, &wrong), DP_ERROR_ARGUMENT);
    dp_rollout_destroy(r);
    free_batch(&b);
}

static void a_lack_of_memory_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    mechanism x = standing_scene("hand_16dof.xml", NULL);
    int failures = 0;
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counts = {.fail_at = fail_at};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_rollout *r;
        const dp_status status = dp_rollout_create(&r, x.d, 2, &allocator);
        dp_rollout_destroy(r);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        if (status == DP_OK) {
            break;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures >= 6);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
        cmocka_unit_test(a_simulation_that_fails_stops_alone),
        cmocka_unit_test(what_is_not_wanted_may_be_left_out),
        cmocka_unit_test(a_lack_of_memory_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
