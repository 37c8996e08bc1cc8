#include "base/interrupt.h"

_Thread_local dp_interrupt *dp_interrupt_current = NULL;

// [multiplications] Between two calls of the user's function: some 50 to 500 µs, so that a function
// of 100 ns (an interpreter's, say) costs less than 0.1 %, and still a thousand times less than a
// person notices.
static const size_t PERIOD = 200000;

void dp_interrupt_begin(dp_interrupt_scope *scope, dp_interrupt_fn fn, void *user)
{
    scope->open = fn && !dp_interrupt_current;
    if (scope->open) {
        atomic_init(&scope->raised, false);
        scope->interrupt =
            (dp_interrupt){.fn = fn, .user = user, .period = PERIOD, .raised = &scope->raised};
        dp_interrupt_current = &scope->interrupt;
    }
}

void dp_interrupt_end(dp_interrupt_scope *scope)
{
    if (scope->open) {
        dp_interrupt_current = NULL;
    }
}

void dp_interrupt_join(dp_interrupt *own, const dp_interrupt *of)
{
    if (of) {
        *own = (dp_interrupt){.period = SIZE_MAX, .raised = of->raised};
        dp_interrupt_current = own;
    }
}

void dp_interrupt_leave(void)
{
    dp_interrupt_current = NULL;
}

// What the function calls in turn is not interrupted.
static bool ask(dp_interrupt *interrupt)
{
    interrupt->work = 0;
    dp_interrupt_current = NULL;
    const bool raised = interrupt->fn(interrupt->user);
    dp_interrupt_current = interrupt;
    if (raised) {
        atomic_store_explicit(interrupt->raised, true, memory_order_relaxed);
    }
    return raised;
}

bool dp_interrupt_poll(dp_interrupt *interrupt)
{
    return atomic_load_explicit(interrupt->raised, memory_order_relaxed) ||
           (interrupt->fn && ask(interrupt));
}

bool dp_interrupt_ask(void)
{
    dp_interrupt *own = dp_interrupt_current;
    return dp_interrupt_is_raised() || (own && own->fn && ask(own));
}

dp_status dp_interrupt_fail(void)
{
    return dp_fail(DP_ERROR_INTERRUPTED, "interrupted");
}
