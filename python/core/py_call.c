// Calls that take long: one thread at a time, without the GIL, ended by Ctrl-C.
#include "py_core.h"

#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Signals are looked at every 30 ms, and then by the main thread alone, as in Python.
bool dpy_interrupt(void *user)
{
    dpy_call *call = user;
    enum { POLLS_PER_CLOCK = 16 };
    if (++call->polls % POLLS_PER_CLOCK != 0) {
        return false;
    }
    const double t = now();
    if (t - call->last_poll < 0.03) {
        return false;
    }
    call->last_poll = t;
    if (PyThread_get_thread_ident() != dpy.main_thread) {
        return false;
    }
    if (!call->released) {
        return PyErr_CheckSignals() < 0;
    }
    PyEval_RestoreThread(call->released);
    const bool raised = PyErr_CheckSignals() < 0;
    call->released = PyEval_SaveThread();
    return raised;
}

static void refuse(const char *what, unsigned long user)
{
    if (user == PyThread_get_thread_ident()) {
        PyErr_Format(dpy.busy_error, "a callback cannot step the %s that calls it", what);
    } else {
        PyErr_Format(dpy.busy_error,
                     "this %s is used by a step of another thread (expected one thread at a time: "
                     "a %s of its own for each, of the same Model)",
                     what, what);
    }
}

bool dpy_enter(dpy_call *call, const char *what)
{
    unsigned long user = 0;
    if (atomic_compare_exchange_strong(&call->busy, &user, PyThread_get_thread_ident())) {
        return true;
    }
    refuse(what, user);
    return false;
}

void dpy_leave(dpy_call *call)
{
    atomic_store(&call->busy, 0UL);
}

bool dpy_may_use(const dpy_call *call, const char *what)
{
    const unsigned long user = atomic_load(&call->busy);
    if (user == 0 || user == PyThread_get_thread_ident()) {
        return true;
    }
    refuse(what, user);
    return false;
}

void dpy_release(dpy_call *call)
{
    call->released = PyEval_SaveThread();
}

void dpy_acquire(dpy_call *call)
{
    PyEval_RestoreThread(call->released);
    call->released = NULL;
}
