// Threads that share a job: its parts are taken one after another by whoever is free.
//
// Who does a part is chance. What a part writes must depend on the part alone, and sums over parts
// are taken by the caller, in order: then no bit depends on the number of threads.
#ifndef DP_BASE_CREW_H
#define DP_BASE_CREW_H

#include "base/error.h"

typedef struct dp_thread_pool dp_thread_pool;

/// One part of a job. @param worker who does it, 0 … dp_thread_pool_size − 1: for scratch of its
/// own
typedef dp_status (*dp_thread_pool_work)(void *job, int part, int worker);

/// Threads that wait for jobs: `workers` − 1 of them, for the caller of dp_thread_pool_run is one
/// of the pool. They take no time while they wait, but for a fraction of a millisecond after each
/// job.
/// @return DP_ERROR_ARGUMENT for workers < 1 or > DP_CREW_MOST; DP_ERROR_MEMORY, also where the
///         system gives no thread
enum { DP_CREW_MOST = 256 };
DP_NODISCARD dp_status dp_thread_pool_create(dp_thread_pool **out, int workers,
                                             const dp_allocator *allocator);
void dp_thread_pool_destroy(dp_thread_pool *pool);   // NULL is allowed
int dp_thread_pool_size(const dp_thread_pool *pool); // NULL: 1

/// Do the parts 0 … nparts − 1. NULL: the caller does them in order. One job at a time.
/// @return what the first part that fails returns, with its message; later parts may be left out
DP_NODISCARD dp_status dp_thread_pool_run(dp_thread_pool *pool, int nparts,
                                          dp_thread_pool_work work, void *job);

/// So many parts, or a little less: such that most crews can share them evenly. At least 1.
int dp_thread_pool_parts(int wanted);

/// The same in the order of ascending keys, which also says what the first part is. Parts of
/// several jobs are done by the same threads where their keys are about the same: then what they
/// share need not travel between processors.
enum { DP_CREW_ORDERED = 64 }; // parts at most
DP_NODISCARD dp_status dp_thread_pool_run_by(dp_thread_pool *pool, int nparts, const int *key,
                                             dp_thread_pool_work work, void *job);

/// The elements first … end − 1 of a list.
typedef dp_status (*dp_thread_pool_span)(void *job, int first, int end);

/// Do the elements 0 … count − 1, in runs whose lengths are of no meaning: what is done to an
/// element must not depend on the others. Fewer than 2 · `least` are done by the caller, in one
/// run: so many are worth the while to wake a thread. @return as dp_thread_pool_run
DP_NODISCARD dp_status dp_thread_pool_spread_among(dp_thread_pool *pool, int count, int least,
                                                   dp_thread_pool_span work, void *job);
DP_NODISCARD static inline dp_status dp_thread_pool_spread(dp_thread_pool *pool, int count,
                                                           int least, dp_thread_pool_span work,
                                                           void *job)
{
    return pool        ? dp_thread_pool_spread_among(pool, count, least, work, job)
           : count > 0 ? work(job, 0, count)
                       : DP_OK;
}

/// The same with runs in the order of the keys of their first elements (dp_thread_pool_run_by).
typedef int (*dp_thread_pool_key)(const void *job, int element);
DP_NODISCARD dp_status dp_thread_pool_spread_by(dp_thread_pool *pool, int count, int least,
                                                dp_thread_pool_key key, dp_thread_pool_span work,
                                                void *job);

#endif
