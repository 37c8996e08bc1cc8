// Calls that are asked to end: they end soon, and nothing is left of them.
#include "contact_scene.h"
#include "counting_allocator.h"
#include "standing_scene.h"

#include "base/interrupt.h"

#include <dashpot/advanced/lcp.h>
#include <dashpot/advanced/statics.h>
#include <dashpot/batch.h>
#include <dashpot/format.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Says yes from its nth call on.
typedef struct alarm_clock {
    long long calls, yes_at; // yes_at 0: never
    pthread_t thread;        // on which it may be called
} alarm_clock;

static alarm_clock clock_at(long long yes_at)
{
    return (alarm_clock){.yes_at = yes_at, .thread = pthread_self()};
}

static bool ring(void *user)
{
    alarm_clock *c = user;
    assert_true(pthread_equal(c->thread, pthread_self()));
    return ++c->calls >= c->yes_at && c->yes_at > 0;
}

// A step in which every poll calls the function: the scope around it counts.
static dp_status step_polled(mechanism *x, alarm_clock *c)
{
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, ring, c);
    scope.interrupt.period = 1;
    const dp_status status = dp_step(x->d);
    dp_interrupt_end(&scope);
    return status;
}

static void scramble(mechanism *x)
{
    for (int k = 0; k < dp_model_sizes(x->m)->nv; ++k) {
        dp_data_v(x->d)[k] += 0.05 * sin(1.0 + 7.0 * k);
    }
}

// From where the scene is: a step interrupted at poll 1, 2, … (some of them), and then the steps
// that follow. @return how many polls a step has
static long long expect_no_trace(mechanism *x, int most)
{
    enum { AFTER = 3 };
    dp_data *start;
    assert_ok(dp_data_create(&start, x->m, NULL));
    assert_ok(dp_data_copy(start, x->d));
    alarm_clock never = clock_at(0);
    assert_ok(step_polled(x, &never));
    uint64_t after[AFTER];
    for (int k = 0; k < AFTER; ++k) {
        after[k] = dp_state_hash(x->d);
        assert_ok(dp_step(x->d));
    }
    const long long polls = never.calls, stride = polls > most ? polls / most : 1;
    for (long long at = 1; at <= polls; at += stride) {
        assert_ok(dp_data_copy(x->d, start));
        const uint64_t before = dp_state_hash(x->d);
        alarm_clock soon = clock_at(at);
        const dp_status status = step_polled(x, &soon);
        assert_int_equal(status, DP_ERROR_INTERRUPTED);
        assert_non_null(strstr(dp_last_error(), "interrupted at t = "));
        assert_int_equal(soon.calls, at); // nobody asks again
        assert_true(dp_state_hash(x->d) == before);
        for (int k = 0; k < AFTER; ++k) {
            assert_ok(dp_step(x->d));
            assert_true(dp_state_hash(x->d) == after[k]);
        }
    }
    dp_data_destroy(start);
    return polls;
}

static void an_interrupted_step_leaves_no_trace_under_any_law(void **state)
{
    (void)state;
    static const char *const path[] = {"contact/v_groove.xml", "contact/heavy_on_light.xml",
                                       "humanoid_stands.xml", "hand_holds_ball.xml"};
    static const dp_law_kind law[] = {DP_LAW_COMPLIANT, DP_LAW_LCP, DP_LAW_NCP, DP_LAW_VI,
                                      DP_LAW_TAMSI};
    long long polls = 0;
    for (size_t i = 0; i < sizeof path / sizeof *path; ++i) {
        for (size_t k = 0; k < sizeof law / sizeof *law; ++k) {
            mechanism x = standing_scene(path[i], NULL);
            dp_data_options(x.d)->solver.law = law[k];
            dp_data_options(x.d)->ledger = true;
            mechanism_steps(&x, 3);
            scramble(&x);
            polls += expect_no_trace(&x, 8);
            mechanism_end(&x);
        }
    }
    assert_true(polls > 100);
}

enum { HIGH = 4, TOWERS = 60 };

static mechanism towers(int count)
{
    const contact_stuff stuff = {.mu = 0.4, .stiffness = 1e4, .damping = 1e2};
    mechanism x = contact_scene_begin(stuff, (dp_v3){0.0, 0.0, -9.81}, 0.01);
    for (int i = 0; i < count * HIGH; ++i) {
        char name[32];
        snprintf(name, sizeof name, "box_%d", i);
        (void)contact_scene_add(&x, name, DP_GEOM_BOX, 0.1, 1.0, 0.1 + 0.2 * (i % HIGH), stuff);
    }
    mechanism_compile(&x);
    for (int i = 0; i < count * HIGH; ++i) {
        double *q = dp_data_q(x.d) + 7 * (size_t)i;
        q[0] = 0.7 * (i / HIGH) + 0.01 * (i % HIGH);
    }
    return x;
}

static void an_interrupted_step_leaves_no_trace_by_any_integrator(void **state)
{
    (void)state;
    static const char *const setting[][2] = {
        {"integrator", "rk4"}, {"integrator", "rk45"},           {"accuracy", "1e-3"},
        {"law", "ode"},        {"integrator", "implicit-euler"}, {"sleep_speed", "1e-3"}};
    for (size_t i = 0; i < sizeof setting / sizeof *setting; ++i) {
        const bool smooth = i < 2;
        mechanism x = smooth ? standing_scene("tumbling_box.xml", NULL) : towers(1);
        dp_options *o = dp_data_options(x.d);
        assert_ok(dp_options_set(o, setting[i][0], setting[i][1]));
        o->ode_stiffness = 1e4; // of the floor
        if (!smooth) {
            mechanism_steps(&x, 2);
        }
        scramble(&x);
        assert_true(expect_no_trace(&x, 5) >= 1);
        mechanism_end(&x);
    }
}

// ring() checks on which thread it is called.
static void only_the_calling_thread_asks_and_workers_leave_no_trace(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; ++threads) {
        mechanism x = towers(TOWERS);
        assert_ok(dp_data_set_threads(x.d, threads));
        mechanism_steps(&x, 5);
        const uint64_t before = dp_state_hash(x.d);
        alarm_clock never = clock_at(0);
        assert_ok(step_polled(&x, &never)); // how often differs from step to step: parts are shared
        assert_true(never.calls > 3 && dp_state_hash(x.d) != before);
        for (int k = 0; k < 50; ++k) {
            const uint64_t now = dp_state_hash(x.d);
            alarm_clock soon = clock_at(1 + k % 10);
            const dp_status status = step_polled(&x, &soon);
            assert_true(status == DP_OK || status == DP_ERROR_INTERRUPTED);
            assert_true(status == DP_OK || dp_state_hash(x.d) == now);
        }
        mechanism_end(&x);
    }
}

static void a_function_that_says_no_changes_no_bit(void **state)
{
    (void)state;
    uint64_t hash[2];
    long long calls = 0;
    for (int i = 0; i < 2; ++i) {
        mechanism x = towers(TOWERS);
        alarm_clock never = clock_at(0);
        if (i > 0) {
            dp_data_set_interrupt(x.d, ring, &never);
        }
        mechanism_steps(&x, 30);
        hash[i] = dp_state_hash(x.d);
        calls = never.calls;
        mechanism_end(&x);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(calls > 30);
}

static void the_function_of_the_data_ends_steps_and_evaluations_until_it_is_taken_back(void **state)
{
    (void)state;
    mechanism x = towers(TOWERS);
    mechanism_steps(&x, 5);
    const uint64_t before = dp_state_hash(x.d);
    alarm_clock now = clock_at(1);
    dp_data_set_interrupt(x.d, ring, &now);
    assert_int_equal(dp_step(x.d), DP_ERROR_INTERRUPTED);
    assert_string_equal(dp_last_error(),
                        "interrupted at t = 0.05 s; the state is as it was before the step");
    assert_int_equal(dp_forward(x.d), DP_ERROR_INTERRUPTED);
    assert_int_equal(dp_sense(x.d), DP_ERROR_INTERRUPTED);
    assert_true(dp_state_hash(x.d) == before);
    dp_data *copy;
    assert_ok(dp_data_create(&copy, x.m, NULL));
    assert_ok(dp_data_copy(copy, x.d));
    assert_ok(dp_step(copy)); // it is not copied
    dp_data_destroy(copy);
    dp_data_set_interrupt(x.d, NULL, NULL);
    assert_ok(dp_step(x.d));
    mechanism_end(&x);
}

static void an_interrupt_ends_all_worlds_and_statics(void **state)
{
    (void)state;
    mechanism x = towers(TOWERS);
    mechanism_steps(&x, 5);
    alarm_clock now = clock_at(5);
    dp_data_set_interrupt(x.d, ring, &now);
    for (int threads = 1; threads <= 2; ++threads) {
        dp_batch *b;
        assert_ok(dp_batch_create(&b, x.d, 4, threads, NULL));
        dp_batch_set_interrupt(b, ring, &now);
        assert_int_equal(dp_batch_step(b, 10000, NULL), DP_ERROR_INTERRUPTED);
        for (int i = 0; i < 4; ++i) {
            assert_int_equal(dp_batch_arrays_of(b).result[i].status, DP_ERROR_INTERRUPTED);
        }
        dp_batch_destroy(b);
    }
    dp_statics *s;
    assert_int_equal(dp_statics_create(&s, x.d, NULL, NULL), DP_ERROR_INTERRUPTED);
    assert_null(s);
    mechanism_end(&x);
}

// Every poll of the methods for complementarity problems.
static void an_interrupted_complementarity_problem_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    enum { N = 12 };
    static const dp_lcp_method method[] = {DP_LCP_METHOD_AUTOMATIC, DP_LCP_METHOD_LEMKE,
                                           DP_LCP_METHOD_PIVOTING};
    double M[N * N], q[N], z[N], w[N];
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            M[i * N + j] = (i == j ? 4.0 : 0.0) + sin(3.0 * i) * sin(3.0 * j);
        }
        q[i] = cos(5.0 * i);
    }
    const dp_lcp p = {.n = N, .M = M, .q = q};
    const dp_lcp_solution out = {.z = z, .w = w};
    for (size_t k = 0; k < sizeof method / sizeof *method; ++k) {
        dp_lcp_options opt = dp_lcp_options_default();
        opt.method = method[k];
        long long polls = 1;
        for (long long at = 0; at <= polls; ++at) { // 0: never
            alarm_clock c = clock_at(at);
            dp_interrupt_scope scope;
            dp_interrupt_begin(&scope, ring, &c);
            scope.interrupt.period = 1;
            dp_lcp_info info;
            const dp_status status = dp_lcp_solve(&out, &p, &opt, NULL, &info);
            dp_interrupt_end(&scope);
            assert_int_equal(status, at == 0 ? DP_OK : DP_ERROR_INTERRUPTED);
            polls = at == 0 ? c.calls : polls;
        }
        assert_true(polls > 1);
    }
}

// Every poll of an import.
static void an_interrupted_import_gives_no_spec_and_leaks_nothing(void **state)
{
    (void)state;
    static const char *const path[] = {DP_SCENES "/humanoid.xml", DP_SCENES "/urdf/arm_6dof.urdf"};
    for (size_t i = 0; i < sizeof path / sizeof *path; ++i) {
        long long polls = 1;
        for (long long at = 0; at <= polls; ++at) { // 0: never
            counting_allocator counts = {.fail_at = 0};
            const dp_allocator allocator = counting_allocator_for(&counts);
            dp_import_options options = dp_import_options_default();
            options.allocator = &allocator;
            alarm_clock c = clock_at(at);
            dp_interrupt_scope scope;
            dp_interrupt_begin(&scope, ring, &c);
            scope.interrupt.period = 1;
            dp_spec *spec;
            const dp_status status = dp_model_file_load(&spec, NULL, path[i], &options);
            dp_interrupt_end(&scope);
            assert_int_equal(status, at == 0 ? DP_OK : DP_ERROR_INTERRUPTED);
            assert_true((spec != NULL) == (at == 0));
            dp_spec_destroy(spec);
            assert_int_equal(counts.blocks, 0);
            polls = at == 0 ? c.calls : polls;
        }
        assert_true(polls > 10);
    }
}

static void the_function_of_the_options_ends_an_import(void **state)
{
    (void)state;
    enum { BODIES = 20000 };
    char *text = malloc(64 * (size_t)BODIES + 100);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "<mujoco><worldbody>");
    for (int i = 0; i < BODIES; ++i) {
        n += (size_t)sprintf(text + n, "<body><freejoint/><geom size='.1'/></body>");
    }
    n += (size_t)sprintf(text + n, "</worldbody></mujoco>");
    alarm_clock soon = clock_at(3);
    dp_import_options options = dp_import_options_default();
    options.interrupt = ring;
    options.interrupt_user = &soon;
    dp_spec *spec;
    assert_int_equal(dp_model_file_parse(&spec, NULL, text, n, "many.xml", &options),
                     DP_ERROR_INTERRUPTED);
    assert_null(spec);
    assert_int_equal(soon.calls, 3);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_step_leaves_no_trace_under_any_law),
        cmocka_unit_test(an_interrupted_step_leaves_no_trace_by_any_integrator),
        cmocka_unit_test(only_the_calling_thread_asks_and_workers_leave_no_trace),
        cmocka_unit_test(a_function_that_says_no_changes_no_bit),
        cmocka_unit_test(
            the_function_of_the_data_ends_steps_and_evaluations_until_it_is_taken_back),
        cmocka_unit_test(an_interrupt_ends_all_worlds_and_statics),
        cmocka_unit_test(an_interrupted_complementarity_problem_is_an_error_and_leaks_nothing),
        cmocka_unit_test(an_interrupted_import_gives_no_spec_and_leaks_nothing),
        cmocka_unit_test(the_function_of_the_options_ends_an_import),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
