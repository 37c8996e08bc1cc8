// Threads that share a job: its parts are taken one after another by whoever is free.
//
// Who does a part is chance. What a part writes must depend on the part alone, and sums over parts
// are taken by the caller, in order: then no bit depends on the number of threads.
#ifndef DP_BASE_CREW_H
#define DP_BASE_CREW_H

#include "base/error.h"

typedef struct dp_crew dp_crew;

/// One part of a job. @param hand who does it, 0 … dp_crew_size − 1: for scratch of its own
typedef dp_status (*dp_crew_work)(void *job, int part, int hand);

/// Threads that wait for jobs: `hands` − 1 of them, for the caller of dp_crew_run is one of the
/// crew. They take no time while they wait, but for a fraction of a millisecond after each job.
/// @return DP_ERROR_ARGUMENT for hands < 1 or > DP_CREW_MOST; DP_ERROR_MEMORY, also where the
///         system gives no thread
enum { DP_CREW_MOST = 256 };
DP_NODISCARD dp_status dp_crew_create(dp_crew **out, int hands, const dp_allocator *allocator);
void dp_crew_destroy(dp_crew *crew);   // NULL is allowed
int dp_crew_size(const dp_crew *crew); // NULL: 1

/// Do the parts 0 … nparts − 1. NULL: the caller does them in order. One job at a time.
/// @return what the first part that fails returns, with its message; later parts may be left out
DP_NODISCARD dp_status dp_crew_run(dp_crew *crew, int nparts, dp_crew_work work, void *job);

/// So many parts, or a little less: such that most crews can share them evenly. At least 1.
int dp_crew_parts(int wanted);

/// The same in the order of ascending keys, which also says what the first part is. Parts of
/// several jobs are done by the same threads where their keys are about the same: then what they
/// share need not travel between processors.
enum { DP_CREW_ORDERED = 64 }; // parts at most
DP_NODISCARD dp_status dp_crew_run_by(dp_crew *crew, int nparts, const int *key, dp_crew_work work,
                                      void *job);

/// The elements first … end − 1 of a list.
typedef dp_status (*dp_crew_span)(void *job, int first, int end);

/// Do the elements 0 … count − 1, in runs whose lengths are of no meaning: what is done to an
/// element must not depend on the others. Fewer than 2 · `least` are done by the caller, in one
/// run: so many are worth the while to wake a thread. @return as dp_crew_run
DP_NODISCARD dp_status dp_crew_spread_among(dp_crew *crew, int count, int least, dp_crew_span work,
                                            void *job);
DP_NODISCARD static inline dp_status dp_crew_spread(dp_crew *crew, int count, int least,
                                                    dp_crew_span work, void *job)
{
    return crew        ? dp_crew_spread_among(crew, count, least, work, job)
           : count > 0 ? work(job, 0, count)
                       : DP_OK;
}

/// The same with runs in the order of the keys of their first elements (dp_crew_run_by).
typedef int (*dp_crew_key)(const void *job, int element);
DP_NODISCARD dp_status dp_crew_spread_by(dp_crew *crew, int count, int least, dp_crew_key key,
                                         dp_crew_span work, void *job);

#endif
