// Cancellation: how a long call learns that it should end.
//
// A public call opens a scope with the user's function (dp_interrupt_begin) and closes it at its
// end. In between, every long loop of that thread polls (dp_interrupted), and so do the loops of
// the worker threads that share its jobs. The user's function is called on the thread that opened
// the scope alone, and only after so much work since the last time: by work, not by the clock.
// Once it has said yes the scope stays interrupted, so that each loop on the way out ends at its
// next poll, whatever it has computed by then: whoever accepts results (the end of a step) looks at
// dp_interrupt_status first. Without a scope a poll is one comparison.
//
// The scope is found through a thread-local pointer, which is NULL outside of calls: like the last
// error it belongs to a thread, so that factorisations and parsers need no further argument.
#ifndef DP_BASE_INTERRUPT_H
#define DP_BASE_INTERRUPT_H

#include "base/error.h"

#include <stdatomic.h>

typedef struct dp_interrupt {
    dp_interrupt_fn fn; // NULL: that of a worker thread, which only reads `raised`
    void *user;
    size_t work;         // since fn was called last, in multiplications or so
    size_t period;       // between two calls; that of a worker thread has no end
    atomic_bool *raised; // written by the thread of fn alone
} dp_interrupt;

/// The scope of a call, in the frame of the function that opens it.
typedef struct dp_interrupt_scope {
    dp_interrupt interrupt;
    atomic_bool raised;
    bool open;
} dp_interrupt_scope;

extern _Thread_local dp_interrupt *dp_interrupt_current; // NULL: nothing interrupts this thread

/// Open a scope. Within another one of this thread, and for fn = NULL, nothing is opened: the outer
/// one counts. dp_interrupt_end belongs to every one of them.
void dp_interrupt_begin(dp_interrupt_scope *scope, dp_interrupt_fn fn, void *user);
void dp_interrupt_end(dp_interrupt_scope *scope);

/// The scope of another thread, for a worker that does a part of its job; NULL: none.
void dp_interrupt_join(dp_interrupt *own, const dp_interrupt *of);
void dp_interrupt_leave(void);

/// The period is over, or fn has said yes.
bool dp_interrupt_poll(dp_interrupt *interrupt);

/// Should this loop end? @param work since its last poll, about so many multiplications
static inline bool dp_interrupted(size_t work)
{
    dp_interrupt *own = dp_interrupt_current;
    if (!own) {
        return false;
    }
    own->work += work;
    return (own->work >= own->period || atomic_load_explicit(own->raised, memory_order_relaxed)) &&
           dp_interrupt_poll(own);
}

/// Has the user's function said yes, in this scope? Does not call it.
static inline bool dp_interrupt_is_raised(void)
{
    return dp_interrupt_current &&
           atomic_load_explicit(dp_interrupt_current->raised, memory_order_relaxed);
}

/// Call the user's function at once: for a thread that waits for others. @return as dp_interrupted
bool dp_interrupt_ask(void);

/// DP_ERROR_INTERRUPTED if so: for functions that return a status.
DP_NODISCARD dp_status dp_interrupt_fail(void);
DP_NODISCARD static inline dp_status dp_interrupt_check(size_t work)
{
    return dp_interrupted(work) ? dp_interrupt_fail() : DP_OK;
}
DP_NODISCARD static inline dp_status dp_interrupt_status(void)
{
    return dp_interrupt_is_raised() ? dp_interrupt_fail() : DP_OK;
}

#endif
