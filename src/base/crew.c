#include "base/crew.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct hand {
    dp_crew *crew;
    int number;
    pthread_t thread;
} hand;

struct dp_crew {
    dp_allocator allocator;
    int size;
    hand *hand; // size; the first is the caller's and has no thread
    pthread_mutex_t lock;
    pthread_cond_t called, done;
    // Under the lock:
    uint64_t job_number; // a thread that has seen another one has work
    bool closing;
    int busy; // threads that are at work on the job
    int failed_part;
    dp_status failure;
    char message[2048];
    // Of the job, set before the call:
    int nparts;
    dp_crew_work work;
    void *job;
    atomic_int next;      // the first part that nobody has taken
    atomic_bool gives_up; // a part has failed
};

static void note_failure(dp_crew *crew, int part, dp_status status)
{
    atomic_store(&crew->gives_up, true);
    pthread_mutex_lock(&crew->lock);
    if (crew->failure == DP_OK || part < crew->failed_part) {
        crew->failure = status;
        crew->failed_part = part;
        snprintf(crew->message, sizeof crew->message, "%s", dp_last_error());
    }
    pthread_mutex_unlock(&crew->lock);
}

// Parts are taken in order, so every part before one that fails is done by somebody.
static void take_parts(dp_crew *crew, int number)
{
    while (!atomic_load(&crew->gives_up)) {
        const int part = atomic_fetch_add(&crew->next, 1);
        if (part >= crew->nparts) {
            return;
        }
        const dp_status status = crew->work(crew->job, part, number);
        if (status != DP_OK) {
            note_failure(crew, part, status);
        }
    }
}

static void *wait_for_jobs(void *context)
{
    const hand *self = context;
    dp_crew *crew = self->crew;
    uint64_t seen = 0;
    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (!crew->closing && crew->job_number == seen) {
            pthread_cond_wait(&crew->called, &crew->lock);
        }
        if (crew->closing) {
            break;
        }
        seen = crew->job_number;
        pthread_mutex_unlock(&crew->lock);
        take_parts(crew, self->number);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0) {
            pthread_cond_signal(&crew->done);
        }
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void dismiss(dp_crew *crew, int threads)
{
    pthread_mutex_lock(&crew->lock);
    crew->closing = true;
    pthread_cond_broadcast(&crew->called);
    pthread_mutex_unlock(&crew->lock);
    for (int i = 1; i <= threads; ++i) {
        pthread_join(crew->hand[i].thread, NULL);
    }
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->called);
    pthread_mutex_destroy(&crew->lock);
    const dp_allocator allocator = crew->allocator;
    dp_release(&allocator, crew->hand, (size_t)crew->size, sizeof *crew->hand);
    dp_release(&allocator, crew, 1, sizeof *crew);
}

dp_status dp_crew_create(dp_crew **out, int hands, const dp_allocator *allocator)
{
    *out = NULL;
    if (hands < 1 || hands > DP_CREW_MOST) {
        return dp_fail(DP_ERROR_ARGUMENT, "%d threads (expected 1 to %d)", hands, DP_CREW_MOST);
    }
    const dp_allocator from = dp_allocator_or_default(allocator);
    dp_crew *crew;
    DP_TRY(dp_allocate(&crew, &from, 1, sizeof *crew));
    crew->allocator = from;
    crew->size = hands;
    const dp_status status = dp_allocate(&crew->hand, &from, (size_t)hands, sizeof *crew->hand);
    if (status != DP_OK) {
        dp_release(&from, crew, 1, sizeof *crew);
        return status;
    }
    pthread_mutex_init(&crew->lock, NULL); // with default attributes these do not fail
    pthread_cond_init(&crew->called, NULL);
    pthread_cond_init(&crew->done, NULL);
    for (int i = 1; i < hands; ++i) {
        crew->hand[i] = (hand){.crew = crew, .number = i};
        if (pthread_create(&crew->hand[i].thread, NULL, wait_for_jobs, &crew->hand[i]) != 0) {
            dismiss(crew, i - 1);
            return dp_fail(DP_ERROR_MEMORY, "the system gave %d threads (expected %d)", i, hands);
        }
    }
    *out = crew;
    return DP_OK;
}

void dp_crew_destroy(dp_crew *crew)
{
    if (crew) {
        dismiss(crew, crew->size - 1);
    }
}

int dp_crew_size(const dp_crew *crew)
{
    return crew ? crew->size : 1;
}

dp_status dp_crew_run(dp_crew *crew, int nparts, dp_crew_work work, void *job)
{
    if (dp_crew_size(crew) == 1 || nparts < 2) {
        for (int i = 0; i < nparts; ++i) {
            DP_TRY(work(job, i, 0));
        }
        return DP_OK;
    }
    pthread_mutex_lock(&crew->lock);
    crew->nparts = nparts;
    crew->work = work;
    crew->job = job;
    crew->failure = DP_OK;
    crew->busy = crew->size - 1;
    atomic_store(&crew->next, 0);
    atomic_store(&crew->gives_up, false);
    ++crew->job_number;
    pthread_cond_broadcast(&crew->called);
    pthread_mutex_unlock(&crew->lock);
    take_parts(crew, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->busy > 0) {
        pthread_cond_wait(&crew->done, &crew->lock);
    }
    const dp_status failure = crew->failure;
    pthread_mutex_unlock(&crew->lock);
    return failure == DP_OK ? DP_OK : dp_fail(failure, "%s", crew->message);
}
