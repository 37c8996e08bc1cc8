#include "base/crew.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

// Each hand has a share of the parts, which it takes from the first on, and so does who helps it.
// Parts of jobs that follow each other often touch the same memory: it is near to the hand that had
// them before.
typedef struct hand {
    atomic_int next; // the first of its parts that nobody has taken
    int end;
    atomic_bool at_work; // on the job
    dp_crew *crew;
    int number;
    pthread_t thread;
    char apart[64]; // from the next, which other threads write to
} hand;

struct dp_crew {
    dp_allocator allocator;
    int size;
    hand *hand;   // size; the first is the caller's and has no thread
    int patience; // how often one looks before it goes to sleep
    pthread_mutex_t lock;
    pthread_cond_t called, done;
    // Changed under the lock:
    atomic_ullong job_number; // a thread that has seen another one may have work
    bool open;                // the job still has parts to take, for all that is known
    atomic_bool closing;
    atomic_int busy; // threads that are at work on the job
    dp_status failure;
    char message[2048];
    // Of the job, set before the call:
    int nparts;
    dp_crew_work work;
    void *job;
    atomic_int failed_part; // the first that has failed, changed under the lock; nparts: none
};

static void note_failure(dp_crew *crew, int part, dp_status status)
{
    pthread_mutex_lock(&crew->lock);
    if (part < crew->failed_part) {
        crew->failure = status;
        crew->failed_part = part;
        snprintf(crew->message, sizeof crew->message, "%s", dp_last_error());
    }
    pthread_mutex_unlock(&crew->lock);
}

// Every part before one that fails is done by somebody.
// @param left how many of its parts the owner is left with
static void take_parts_of(dp_crew *crew, hand *owner, int number, int left)
{
    while (atomic_load(&owner->next) < owner->end - left) {
        const int part = atomic_fetch_add(&owner->next, 1);
        if (part >= owner->end || part > atomic_load(&crew->failed_part)) {
            return;
        }
        const dp_status status = crew->work(crew->job, part, number);
        if (status != DP_OK) {
            note_failure(crew, part, status);
        }
    }
}

// So many of its parts a thread is left with that is at work: they are soon done, and nearer to it.
enum { LEFT = 2 };

// Its own first, then those of the others. One that has yet to come is given a little time.
static void take_parts(dp_crew *crew, int number)
{
    take_parts_of(crew, &crew->hand[number], number, 0);
    for (int i = 1; i < crew->size; ++i) {
        hand *owner = &crew->hand[(number + i) % crew->size];
        int patience = crew->patience / 8;
        while (patience > 0 && !atomic_load(&owner->at_work) &&
               atomic_load(&owner->next) < owner->end) {
            --patience;
        }
        take_parts_of(crew, owner, number, atomic_load(&owner->at_work) ? LEFT : 0);
    }
}

static void share_parts(dp_crew *crew, int nparts)
{
    for (int i = 0; i < crew->size; ++i) {
        atomic_store(&crew->hand[i].next, (int)((long long)nparts * i / crew->size));
        crew->hand[i].end = (int)((long long)nparts * (i + 1) / crew->size);
    }
}

static void await_job(dp_crew *crew, unsigned long long seen)
{
    int patience = crew->patience;
    while (patience > 0 && atomic_load(&crew->job_number) == seen && !atomic_load(&crew->closing)) {
        --patience;
    }
    pthread_mutex_lock(&crew->lock);
    while (!crew->closing && crew->job_number == seen) {
        pthread_cond_wait(&crew->called, &crew->lock);
    }
}

// Nobody waits for a thread that comes when all parts are taken.
static void *wait_for_jobs(void *context)
{
    hand *self = context;
    dp_crew *crew = self->crew;
    unsigned long long seen = 0;
    for (;;) {
        await_job(crew, seen);
        if (crew->closing) {
            break;
        }
        seen = crew->job_number;
        const bool open = crew->open;
        crew->busy += open;
        pthread_mutex_unlock(&crew->lock);
        if (!open) {
            continue;
        }
        atomic_store(&self->at_work, true);
        take_parts(crew, self->number);
        atomic_store(&self->at_work, false);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0) {
            pthread_cond_signal(&crew->done);
        }
        pthread_mutex_unlock(&crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

// No more threads may begin, and those that have are waited for.
static void await_others(dp_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->open = false;
    pthread_mutex_unlock(&crew->lock);
    int patience = crew->patience;
    while (patience > 0 && atomic_load(&crew->busy) > 0) {
        --patience;
    }
    pthread_mutex_lock(&crew->lock);
    while (crew->busy > 0) {
        pthread_cond_wait(&crew->done, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
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

// Jobs come close after each other within a step, and to wake up takes longer than to wait for the
// next: so each looks out for it for some tens of microseconds, unless others need the processor.
static int patience_of(int hands)
{
    const int looks = 100000;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return hands <= processors ? looks : 0;
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
    crew->patience = patience_of(hands);
    const dp_status status = dp_allocate(&crew->hand, &from, (size_t)hands, sizeof *crew->hand);
    if (status != DP_OK) {
        dp_release(&from, crew, 1, sizeof *crew);
        return status;
    }
    atomic_store(&crew->hand[0].at_work, true); // whenever there is a job
    pthread_mutex_init(&crew->lock, NULL);      // with default attributes these do not fail
    pthread_cond_init(&crew->called, NULL);
    pthread_cond_init(&crew->done, NULL);
    for (int i = 1; i < hands; ++i) {
        crew->hand[i].crew = crew;
        crew->hand[i].number = i;
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
    crew->open = true;
    atomic_store(&crew->failed_part, nparts);
    share_parts(crew, nparts);
    ++crew->job_number;
    pthread_cond_broadcast(&crew->called);
    pthread_mutex_unlock(&crew->lock);
    take_parts(crew, 0);
    await_others(crew);
    return crew->failure == DP_OK ? DP_OK : dp_fail(crew->failure, "%s", crew->message);
}

// Parts by their keys.
typedef struct ordered {
    dp_crew_work work;
    void *job;
    int part[DP_CREW_ORDERED];
} ordered;

static dp_status do_ordered(void *job, int part, int number)
{
    const ordered *s = job;
    return s->work(s->job, s->part[part], number);
}

dp_status dp_crew_run_by(dp_crew *crew, int nparts, const int *key, dp_crew_work work, void *job)
{
    DP_ASSERT(nparts <= DP_CREW_ORDERED);
    ordered s = {.work = work, .job = job};
    for (int i = 0; i < nparts; ++i) {
        int at = i;
        for (; at > 0 && key[s.part[at - 1]] > key[i]; --at) {
            s.part[at] = s.part[at - 1];
        }
        s.part[at] = i;
    }
    return dp_crew_run(crew, nparts, do_ordered, &s);
}

// Elements of a list as a job: a part is a run of them.
typedef struct spread {
    dp_crew_span work;
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
dp_status dp_crew_spread(dp_crew *crew, int count, int least, dp_crew_span work, void *job)
{
    const int hands = dp_crew_size(crew);
    if (hands == 1 || count < 2 * least) {
        return count > 0 ? work(job, 0, count) : DP_OK;
    }
    const int share = count / hands / least; // runs of each
    const int runs = share < 1 ? count / least : share < RUNS ? share * hands : RUNS * hands;
    spread s = {work, job, count, runs};
    return dp_crew_run(crew, runs, do_run, &s);
}
