// Threads that share a job.
#include "counting_allocator.h"
#include "near.h"

#include "base/interrupt.h"
#include "base/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PARTS = 1000, HANDS = 8 };

typedef struct tally {
    atomic_int done[PARTS];
    atomic_int of_hand[HANDS];
    int fails_from; // parts from this one on fail
} tally;

static dp_status count_part(void *job, int part, int worker)
{
    tally *t = job;
    atomic_fetch_add(&t->done[part], 1);
    atomic_fetch_add(&t->of_hand[worker], 1);
    if (part >= t->fails_from) {
        return dp_fail(DP_ERROR_NUMERIC, "part %d failed", part);
    }
    return DP_OK;
}

static void every_part_is_done_once(void **state)
{
    (void)state;
    for (int workers = 1; workers <= HANDS; ++workers) {
        dp_thread_pool *pool;
        assert_int_equal(dp_thread_pool_create(&pool, workers, NULL), DP_OK);
        assert_int_equal(dp_thread_pool_size(pool), workers);
        static tally t;
        memset(&t, 0, sizeof t);
        t.fails_from = PARTS;
        for (int job = 1; job <= 20; ++job) {
            const int nparts = job == 1 ? 1 : PARTS;
            assert_int_equal(dp_thread_pool_run(pool, nparts, count_part, &t), DP_OK);
            for (int i = 0; i < PARTS; ++i) {
                assert_int_equal(t.done[i], i == 0 ? job : job - 1);
            }
        }
        int sum = 0;
        for (int i = 0; i < HANDS; ++i) {
            assert_true(i < workers || t.of_hand[i] == 0);
            sum += t.of_hand[i];
        }
        assert_int_equal(sum, 19 * PARTS + 1);
        dp_thread_pool_destroy(pool);
    }
}

static void without_a_crew_the_caller_does_it(void **state)
{
    (void)state;
    static tally t;
    memset(&t, 0, sizeof t);
    t.fails_from = PARTS;
    assert_int_equal(dp_thread_pool_size(NULL), 1);
    assert_int_equal(dp_thread_pool_run(NULL, PARTS, count_part, &t), DP_OK);
    assert_int_equal(t.of_hand[0], PARTS);
    assert_int_equal(dp_thread_pool_run(NULL, 0, count_part, &t), DP_OK);
    assert_int_equal(t.of_hand[0], PARTS);
}

static void the_first_failure_is_told_whoever_met_it(void **state)
{
    (void)state;
    for (int workers = 1; workers <= HANDS; ++workers) {
        dp_thread_pool *pool;
        assert_int_equal(dp_thread_pool_create(&pool, workers, NULL), DP_OK);
        static tally t;
        for (int job = 0; job < 50; ++job) {
            memset(&t, 0, sizeof t);
            t.fails_from = 7 + job;
            (void)dp_fail(DP_ERROR_IO, "another message");
            assert_int_equal(dp_thread_pool_run(pool, PARTS, count_part, &t), DP_ERROR_NUMERIC);
            char expected[32];
            snprintf(expected, sizeof expected, "part %d failed", t.fails_from);
            assert_string_equal(dp_last_error(), expected);
            assert_int_equal(t.done[PARTS - 1], 0); // it gives up
        }
        t.fails_from = PARTS;
        assert_int_equal(dp_thread_pool_run(pool, PARTS, count_part, &t), DP_OK);
        dp_thread_pool_destroy(pool);
    }
}

static dp_status count_span(void *job, int first, int end)
{
    tally *t = job;
    for (int i = first; i < end; ++i) {
        atomic_fetch_add(&t->done[i], 1);
        if (i >= t->fails_from) {
            return dp_fail(DP_ERROR_NUMERIC, "element %d failed", i);
        }
    }
    atomic_fetch_add(&t->of_hand[0], 1); // counts the runs
    return DP_OK;
}

static void every_element_is_done_once(void **state)
{
    (void)state;
    for (int workers = 1; workers <= HANDS; ++workers) {
        dp_thread_pool *pool;
        assert_int_equal(dp_thread_pool_create(&pool, workers, NULL), DP_OK);
        for (int count = 0; count < PARTS; count = 3 * count + 1) {
            for (int least = 1; least < 100; least *= 4) {
                static tally t;
                memset(&t, 0, sizeof t);
                t.fails_from = PARTS;
                assert_int_equal(dp_thread_pool_spread(pool, count, least, count_span, &t), DP_OK);
                for (int i = 0; i < PARTS; ++i) {
                    assert_int_equal(t.done[i], i < count);
                }
                const int runs = t.of_hand[0];
                assert_true(runs <= 1 || (workers > 1 && (count + least - 1) / least >= runs));
                assert_true(runs > 1 || workers == 1 || count < 2 * least);
            }
        }
        dp_thread_pool_destroy(pool);
    }
}

static void the_first_element_that_fails_is_told(void **state)
{
    (void)state;
    for (int workers = 1; workers <= HANDS; ++workers) {
        dp_thread_pool *pool;
        assert_int_equal(dp_thread_pool_create(&pool, workers, NULL), DP_OK);
        for (int from = 0; from < PARTS; from = 2 * from + 1) {
            static tally t;
            memset(&t, 0, sizeof t);
            t.fails_from = from;
            assert_int_equal(dp_thread_pool_spread(pool, PARTS, 10, count_span, &t),
                             DP_ERROR_NUMERIC);
            char expected[32];
            snprintf(expected, sizeof expected, "element %d failed", from);
            assert_string_equal(dp_last_error(), expected);
        }
        dp_thread_pool_destroy(pool);
    }
}

static void bad_numbers_of_threads_and_lack_of_memory_are_told(void **state)
{
    (void)state;
    dp_thread_pool *pool;
    assert_int_equal(dp_thread_pool_create(&pool, 0, NULL), DP_ERROR_ARGUMENT);
    assert_null(pool);
    assert_int_equal(dp_thread_pool_create(&pool, DP_CREW_MOST + 1, NULL), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(), "257 threads (expected 1 to 256)");
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counts = {.fail_at = fail_at};
        const dp_allocator allocator = counting_allocator_for(&counts);
        const dp_status status = dp_thread_pool_create(&pool, 3, &allocator);
        dp_thread_pool_destroy(pool);
        assert_int_equal(counts.blocks, 0);
        if (status == DP_OK) {
            assert_int_equal(fail_at, 3); // two blocks
            break;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
    }
}

// ---- a busy machine

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Five milliseconds of work, long enough for the other thread to come. It loses its processor then,
// for a tenth of a second.
static dp_status work_or_wait(void *job, int part, int worker)
{
    (void)job;
    (void)part;
    const double end = seconds() + 5e-3;
    if (worker != 0) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000L}, NULL);
    }
    while (seconds() < end) {
    }
    return DP_OK;
}

static double time_jobs(dp_thread_pool *pool)
{
    const double start = seconds();
    for (int job = 0; job < 15; ++job) {
        assert_int_equal(dp_thread_pool_run(pool, 4, work_or_wait, NULL), DP_OK);
    }
    return seconds() - start;
}

// Each job would take a tenth of a second, five times as long as by the caller.
static void a_crew_whose_threads_do_not_run_is_hardly_slower_than_the_caller_alone(void **state)
{
    (void)state;
    dp_thread_pool *pool;
    assert_int_equal(dp_thread_pool_create(&pool, 2, NULL), DP_OK);
    const double alone = time_jobs(NULL), shared = time_jobs(pool);
    dp_thread_pool_destroy(pool);
    assert_true(alone >= 15 * 4 * 5e-3);
    assert_true(shared < 2.0 * alone + 0.25); // what it takes to find out, and a busy machine
}

// ---- interrupts

typedef struct endless {
    atomic_bool begun, ended;
    pthread_t caller;
    atomic_bool asked_by_another;
} endless;

static bool ask_after_begin(void *user)
{
    endless *e = user;
    if (!pthread_equal(e->caller, pthread_self())) {
        atomic_store(&e->asked_by_another, true);
    }
    return atomic_load(&e->begun);
}

// The caller's part ends once another thread is at the other, which has no end of its own.
static dp_status wait_or_go_on(void *job, int part, int worker)
{
    (void)part;
    endless *e = job;
    const double patience = seconds() + 20.0;
    if (worker == 0) {
        while (!atomic_load(&e->begun) && seconds() < patience) {
        }
        return DP_OK;
    }
    atomic_store(&e->begun, true);
    while (!dp_interrupted(1) && seconds() < patience) {
    }
    atomic_store(&e->ended, seconds() < patience);
    return dp_interrupt_status();
}

static void an_interrupt_ends_parts_of_others_while_the_caller_waits_for_them(void **state)
{
    (void)state;
    dp_thread_pool *pool;
    assert_int_equal(dp_thread_pool_create(&pool, 2, NULL), DP_OK);
    endless e = {.caller = pthread_self()};
    dp_interrupt_scope scope;
    dp_interrupt_begin(&scope, ask_after_begin, &e);
    const dp_status status = dp_thread_pool_run(pool, 2, wait_or_go_on, &e);
    dp_interrupt_end(&scope);
    assert_true(e.begun && e.ended && !e.asked_by_another);
    assert_int_equal(status, DP_ERROR_INTERRUPTED);
    dp_thread_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(without_a_crew_the_caller_does_it),
        cmocka_unit_test(the_first_failure_is_told_whoever_met_it),
        cmocka_unit_test(every_element_is_done_once),
        cmocka_unit_test(the_first_element_that_fails_is_told),
        cmocka_unit_test(bad_numbers_of_threads_and_lack_of_memory_are_told),
        cmocka_unit_test(a_crew_whose_threads_do_not_run_is_hardly_slower_than_the_caller_alone),
        cmocka_unit_test(an_interrupt_ends_parts_of_others_while_the_caller_waits_for_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
