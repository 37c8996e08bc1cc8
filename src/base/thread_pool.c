#include "base/thread_pool.h"

#include "base/interrupt.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// Each worker has a share of the parts, which it takes from the first on, and so does who helps it.
// Parts of jobs that follow each other often touch the same memory: it is near to the worker that
// had them before.
typedef struct worker {
    atomic_int next; // the first of its parts that nobody has taken
    int end;
    atomic_bool at_work; // on the job
    atomic_bool missed;  // others did its parts, since it did not come in time
    int64_t busy;        // [ns] that it spent on parts of the job, where that is measured
    dp_thread_pool *pool;
    int number;
    pthread_t thread;
    char apart[64]; // from the next, which other threads write to
} worker;

// What the pool is at, in one number that all look at: how many threads are at work on the job,
// whether it still has parts to take, for all that is known, and the number of the job.
enum { BUSY = 0xff, OPEN = 0x100, JOB = 0x200 };

// Whether it pays to share, as measured: the caller alone looks at it.
typedef struct account {
    unsigned jobs;    // that were shared
    int64_t debt;     // [ns] that sharing has cost the caller of late; < 0: that it has gained
    int64_t alone;    // [ns] until then it works alone
    int64_t sentence; // [ns] how long it does so the next time
} account;

struct dp_thread_pool {
    dp_allocator allocator;
    int size;
    worker *worker; // size; the first is the caller's and has no thread
    int patience;   // how often one looks before it goes to sleep
    account account;
    // Of the job, set before the call:
    int nparts;
    dp_thread_pool_work work;
    void *job;
    bool measured; // its times are taken
    bool closing;
    const dp_interrupt *interrupt; // the caller's; NULL: none
    atomic_int failed_part; // the first that has failed, changed under the lock; nparts: none
    dp_status failure;      // under the lock
    char message[2048];     // under the lock
    pthread_mutex_t lock;
    pthread_cond_t called, done;
    atomic_int asleep;     // threads that must be woken, changed under the lock
    atomic_bool is_waited; // the caller must be
    char apart[64];        // from what threads only read
    atomic_ullong state;
};

static unsigned long long job_of(dp_thread_pool *pool)
{
    return atomic_load(&pool->state) / JOB;
}

static bool is_busy(dp_thread_pool *pool)
{
    return (atomic_load(&pool->state) & BUSY) > 0;
}

static void note_failure(dp_thread_pool *pool, int part, dp_status status)
{
    pthread_mutex_lock(&pool->lock);
    if (part < pool->failed_part) {
        pool->failure = status;
        pool->failed_part = part;
        snprintf(pool->message, sizeof pool->message, "%s", dp_last_error());
    }
    pthread_mutex_unlock(&pool->lock);
}

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? now.tv_sec * (int64_t)1000000000 + now.tv_nsec : 0;
}

// The caller's own time passes whether it runs or not; that of others counts while they run.
static int64_t time_of(int number)
{
    return nanoseconds(number == 0 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
}

// Every part before one that fails is done by somebody.
// @param left how many of its parts the owner is left with
static void take_parts_of(dp_thread_pool *pool, worker *owner, int number, int left)
{
    int64_t begun = -1;
    while (atomic_load(&owner->next) < owner->end - left) {
        const int part = atomic_fetch_add(&owner->next, 1);
        if (part >= owner->end || part > atomic_load(&pool->failed_part)) {
            break;
        }
        if (pool->measured && begun < 0) {
            begun = time_of(number);
        }
        const dp_status status = pool->work(pool->job, part, number);
        if (status != DP_OK) {
            note_failure(pool, part, status);
        }
    }
    if (begun >= 0) {
        pool->worker[number].busy += time_of(number) - begun;
    }
}

// So many of its parts a thread is left with that is at work: they are soon done, and nearer to it.
// What others take must come from its memory, and go back to it with the next job.
enum { LEFT = 4 };

// How often one looks whether another comes. Who missed the last job may be far away.
enum { GLANCES = 10000 };

// Its own first, then those of the others. One that has yet to come is given a little time.
static void take_parts(dp_thread_pool *pool, int number)
{
    take_parts_of(pool, &pool->worker[number], number, 0);
    for (int i = 1; i < pool->size; ++i) {
        worker *owner = &pool->worker[(number + i) % pool->size];
        int glances = pool->patience > 0 && !atomic_load(&owner->missed) ? GLANCES : 0;
        while (glances > 0 && !atomic_load(&owner->at_work) &&
               atomic_load(&owner->next) < owner->end) {
            --glances;
        }
        const bool at_work = atomic_load(&owner->at_work);
        if (!at_work && atomic_load(&owner->next) < owner->end) {
            atomic_store(&owner->missed, true);
        }
        take_parts_of(pool, owner, number, at_work ? LEFT : 0);
    }
}

static void share_parts(dp_thread_pool *pool, int nparts)
{
    for (int i = 0; i < pool->size; ++i) {
        atomic_store(&pool->worker[i].next, (int)((long long)nparts * i / pool->size));
        pool->worker[i].end = (int)((long long)nparts * (i + 1) / pool->size);
        pool->worker[i].busy = 0;
    }
}

static void sleep_until_called(dp_thread_pool *pool, unsigned long long seen)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->asleep,
                     1); // then look once more: the caller looks for it afterwards
    while (job_of(pool) == seen) {
        pthread_cond_wait(&pool->called, &pool->lock);
    }
    atomic_fetch_sub(&pool->asleep, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void await_job(dp_thread_pool *pool, unsigned long long seen)
{
    int patience = pool->patience;
    while (patience > 0 && job_of(pool) == seen) {
        --patience;
    }
    if (job_of(pool) == seen) {
        sleep_until_called(pool, seen);
    }
}

// Nobody waits for a thread that comes when all parts are taken.
// @return whether it is at work on the job, whose number goes to *seen
static bool begin_job(dp_thread_pool *pool, unsigned long long *seen)
{
    unsigned long long state = atomic_load(&pool->state);
    while ((state & OPEN) && !atomic_compare_exchange_weak(&pool->state, &state, state + 1)) {
    }
    *seen = state / JOB;
    return state & OPEN;
}

static void end_job(dp_thread_pool *pool)
{
    const unsigned long long state = atomic_fetch_sub(&pool->state, 1);
    if ((state & BUSY) == 1 && atomic_load(&pool->is_waited)) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
    }
}

static void *wait_for_jobs(void *context)
{
    worker *self = context;
    dp_thread_pool *pool = self->pool;
    unsigned long long seen = 0;
    for (;;) {
        await_job(pool, seen);
        if (begin_job(pool, &seen)) {
            const bool closing = pool->closing;
            dp_interrupt interrupt;
            dp_interrupt_join(&interrupt, pool->interrupt);
            atomic_store(&self->missed, false);
            atomic_store(&self->at_work, true);
            take_parts(pool, self->number);
            atomic_store(&self->at_work, false);
            dp_interrupt_leave();
            end_job(pool);
            if (closing) {
                return NULL;
            }
        }
    }
}

// All threads are at rest: what is set before is theirs to read.
static void call(dp_thread_pool *pool)
{
    atomic_store(&pool->state, (job_of(pool) + 1) * JOB + OPEN);
    if (atomic_load(&pool->asleep) > 0) {
        pthread_mutex_lock(&pool->lock);
        pthread_cond_broadcast(&pool->called);
        pthread_mutex_unlock(&pool->lock);
    }
}

// ---- does it pay?
//
// On a busy machine a thread that has taken a part may lose its processor for some milliseconds,
// and the caller waits for as long, in a job that takes microseconds; or it calls threads that do
// not come. Of a job the caller loses the time that it does not spend on parts itself, and gains
// the time that others spent on them. One of SAMPLE jobs is measured and stands for all. Where the
// losses are MOST ahead of the gains, the caller works alone for a while, each time for longer
// until sharing pays again. So a pool takes at most a few per cent longer than the caller alone,
// however busy the machine is; what is computed does not depend on it.

enum { SAMPLE = 4, MILLISECOND = 1000000 };
static const int64_t MOST = 1 * MILLISECOND;       // [ns] a few of them come by accident
static const int64_t SHARE = 30;                   // alone at least so many times what was lost
static const int64_t FIRST = 50 * MILLISECOND;     // [ns] alone, the first time
static const int64_t LONGEST = 2000 * MILLISECOND; // [ns]

static bool is_alone(dp_thread_pool *pool)
{
    account *a = &pool->account;
    if (a->alone > 0 && nanoseconds(CLOCK_MONOTONIC) >= a->alone) {
        a->alone = 0;
    }
    return a->alone > 0;
}

// @param took [ns] a job that was measured
static void balance(dp_thread_pool *pool, int64_t took)
{
    account *a = &pool->account;
    int64_t gained = 0;
    for (int i = 1; i < pool->size; ++i) {
        gained += pool->worker[i].busy;
    }
    a->debt += SAMPLE * (took - pool->worker[0].busy - gained);
    if (a->debt < -MOST) {
        a->debt = -MOST;
        a->sentence = FIRST;
    }
    if (a->debt > MOST) {
        const int64_t enough = SHARE * a->debt / SAMPLE;
        a->alone = nanoseconds(CLOCK_MONOTONIC) + (a->sentence > enough ? a->sentence : enough);
        a->sentence = 2 * a->sentence < LONGEST ? 2 * a->sentence : LONGEST;
        a->debt = 0;
    }
}

// Sleep until the others are done, and ask the user now and then whether to go on.
static void sleep_until_done(dp_thread_pool *pool)
{
    const int64_t often = 10 * MILLISECOND;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->is_waited, true); // then look once more
    while (is_busy(pool)) {
        if (!pool->interrupt) {
            pthread_cond_wait(&pool->done, &pool->lock);
            continue;
        }
        const int64_t then = nanoseconds(CLOCK_REALTIME) + often;
        const struct timespec until = {.tv_sec = (time_t)(then / 1000000000),
                                       .tv_nsec = (long)(then % 1000000000)};
        if (pthread_cond_timedwait(&pool->done, &pool->lock, &until) != 0) {
            pthread_mutex_unlock(&pool->lock);
            (void)dp_interrupt_ask(); // they see it
            pthread_mutex_lock(&pool->lock);
        }
    }
    atomic_store(&pool->is_waited, false);
    pthread_mutex_unlock(&pool->lock);
}

// No more threads may begin, and those that have are waited for.
static void await_others(dp_thread_pool *pool)
{
    atomic_fetch_and(&pool->state, ~(unsigned long long)OPEN);
    int patience = pool->patience;
    while (patience > 0 && is_busy(pool)) {
        --patience;
    }
    if (is_busy(pool)) {
        sleep_until_done(pool);
    }
}

static void dismiss(dp_thread_pool *pool, int threads)
{
    pool->closing = true;
    share_parts(pool, 0);
    call(pool); // and leave it open until all have gone
    for (int i = 1; i <= threads; ++i) {
        pthread_join(pool->worker[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->called);
    pthread_mutex_destroy(&pool->lock);
    const dp_allocator allocator = pool->allocator;
    dp_release(&allocator, pool->worker, (size_t)pool->size, sizeof *pool->worker);
    dp_release(&allocator, pool, 1, sizeof *pool);
}

// Jobs come close after each other within a step, and to wake up takes longer than to wait for the
// next: so each looks out for it for some fifty microseconds, unless there are more threads than
// processors.
static int patience_of(int workers)
{
    const int looks = 50000;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return workers <= processors ? looks : 0;
}

dp_status dp_thread_pool_create(dp_thread_pool **out, int workers, const dp_allocator *allocator)
{
    *out = NULL;
    if (workers < 1 || workers > DP_CREW_MOST) {
        return dp_fail(DP_ERROR_ARGUMENT, "%d threads (expected 1 to %d)", workers, DP_CREW_MOST);
    }
    const dp_allocator from = dp_allocator_or_default(allocator);
    dp_thread_pool *pool;
    DP_TRY(dp_allocate(&pool, &from, 1, sizeof *pool));
    pool->allocator = from;
    pool->size = workers;
    pool->patience = patience_of(workers);
    pool->account.sentence = FIRST;
    const dp_status status =
        dp_allocate(&pool->worker, &from, (size_t)workers, sizeof *pool->worker);
    if (status != DP_OK) {
        dp_release(&from, pool, 1, sizeof *pool);
        return status;
    }
    atomic_store(&pool->worker[0].at_work, true); // whenever there is a job
    pthread_mutex_init(&pool->lock, NULL);        // with default attributes these do not fail
    pthread_cond_init(&pool->called, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int i = 1; i < workers; ++i) {
        pool->worker[i].pool = pool;
        pool->worker[i].number = i;
        if (pthread_create(&pool->worker[i].thread, NULL, wait_for_jobs, &pool->worker[i]) != 0) {
            dismiss(pool, i - 1);
            return dp_fail(DP_ERROR_MEMORY, "the system gave %d threads (expected %d)", i, workers);
        }
    }
    *out = pool;
    return DP_OK;
}

void dp_thread_pool_destroy(dp_thread_pool *pool)
{
    if (pool) {
        dismiss(pool, pool->size - 1);
    }
}

int dp_thread_pool_size(const dp_thread_pool *pool)
{
    return pool ? pool->size : 1;
}

static dp_status run_alone(int nparts, dp_thread_pool_work work, void *job)
{
    for (int i = 0; i < nparts; ++i) {
        DP_TRY(work(job, i, 0));
    }
    return DP_OK;
}

static dp_status run_together(dp_thread_pool *pool, int nparts, dp_thread_pool_work work, void *job)
{
    pool->nparts = nparts;
    pool->work = work;
    pool->job = job;
    pool->failure = DP_OK;
    pool->interrupt = dp_interrupt_current;
    atomic_store(&pool->failed_part, nparts);
    share_parts(pool, nparts);
    pool->measured = pool->account.jobs++ % SAMPLE == 0;
    const int64_t begun = pool->measured ? nanoseconds(CLOCK_MONOTONIC) : 0;
    call(pool);
    take_parts(pool, 0);
    await_others(pool);
    if (pool->measured) {
        balance(pool, nanoseconds(CLOCK_MONOTONIC) - begun);
    }
    return pool->failure == DP_OK ? DP_OK : dp_fail(pool->failure, "%s", pool->message);
}

dp_status dp_thread_pool_run(dp_thread_pool *pool, int nparts, dp_thread_pool_work work, void *job)
{
    return dp_thread_pool_size(pool) == 1 || nparts < 2 || is_alone(pool)
               ? run_alone(nparts, work, job)
               : run_together(pool, nparts, work, job);
}

int dp_thread_pool_parts(int wanted)
{
    const int most = wanted < DP_CREW_ORDERED ? wanted : DP_CREW_ORDERED;
    return most < 2 ? 1 : most < 16 ? most - most % 2 : most - most % 8;
}

// Parts by their keys.
typedef struct ordered {
    dp_thread_pool_work work;
    void *job;
    int part[DP_CREW_ORDERED];
} ordered;

static dp_status do_ordered(void *job, int part, int number)
{
    const ordered *s = job;
    return s->work(s->job, s->part[part], number);
}

dp_status dp_thread_pool_run_by(dp_thread_pool *pool, int nparts, const int *key,
                                dp_thread_pool_work work, void *job)
{
    DP_ASSERT(nparts <= DP_CREW_ORDERED);
    if (nparts < 2) {
        return dp_thread_pool_run(pool, nparts, work, job);
    }
    ordered s = {.work = work, .job = job};
    for (int i = 0; i < nparts; ++i) {
        int at = i;
        for (; at > 0 && key[s.part[at - 1]] > key[i]; --at) {
            s.part[at] = s.part[at - 1];
        }
        s.part[at] = i;
    }
    return dp_thread_pool_run(pool, nparts, do_ordered, &s);
}

// Elements of a list as a job: a part is a run of them.
typedef struct spread {
    dp_thread_pool_span work;
    void *job;
    int count, runs;
} spread;

static dp_status do_run(void *job, int part, int number)
{
    (void)number;
    const spread *s = job;
    const long long count = s->count;
    return s->work(s->job, (int)(count * part / s->runs), (int)(count * (part + 1) / s->runs));
}

// Runs for each thread: one that takes longer than others should not be waited for by all.
enum { RUNS = 8 };

// The share of a thread is always the same, however short its runs must not be.
dp_status dp_thread_pool_spread_among(dp_thread_pool *pool, int count, int least,
                                      dp_thread_pool_span work, void *job)
{
    const int workers = dp_thread_pool_size(pool);
    if (workers == 1 || count < 2 * least) {
        return count > 0 ? work(job, 0, count) : DP_OK;
    }
    const int share = count / workers / least; // runs of each
    const int runs = share < 1 ? count / least : share < RUNS ? share * workers : RUNS * workers;
    spread s = {work, job, count, runs};
    return dp_thread_pool_run(pool, runs, do_run, &s);
}

dp_status dp_thread_pool_spread_by(dp_thread_pool *pool, int count, int least,
                                   dp_thread_pool_key key, dp_thread_pool_span work, void *job)
{
    if (dp_thread_pool_size(pool) == 1 || count < 2 * least) {
        return count > 0 ? work(job, 0, count) : DP_OK;
    }
    spread s = {work, job, count, dp_thread_pool_parts(count / least)};
    int keys[DP_CREW_ORDERED];
    for (int i = 0; i < s.runs; ++i) {
        keys[i] = key(job, (int)((long long)count * i / s.runs));
    }
    return dp_thread_pool_run_by(pool, s.runs, keys, do_run, &s);
}
