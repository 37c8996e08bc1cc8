#include "common/signals.h"

#include "common/text.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const long long MOMENT = 100000000;  // [ns] signals this close are one
static const long PATIENCE_NS = 100000000L; // [ns] for a command that ends by itself

static atomic_int ending = CLI_ENDS_AT_ONCE;
static atomic_int number;       // of the first signal; 0: none has come
static atomic_llong first_came; // [ns] when it came, on whatever thread; 0: not yet
static timer_t patience;
static bool has_timer, on_terminal;

// Two texts in turn: the handler reads the one that is not being written.
static char place[2][512];
static _Atomic(const char *) at = "";

static void put(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const ssize_t n = write(STDERR_FILENO, text, left);
        if (n <= 0) {
            return;
        }
        text += n;
        left -= (size_t)n;
    }
}

// In a handler: nothing but what is safe there.
static void end_now(void)
{
    put(on_terminal ? "\r\x1b[Kdashpot: interrupted" : "dashpot: interrupted");
    const char *where = atomic_load(&at);
    if (where[0] != '\0') {
        put(" ");
        put(where);
    }
    put("\n");
    _exit(128 + atomic_load(&number));
}

static void start_timer(void)
{
    const struct itimerspec once = {.it_value = {.tv_nsec = PATIENCE_NS}};
    if (!has_timer || timer_settime(patience, 0, &once, NULL) != 0) {
        end_now();
    }
}

static long long nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// What comes within a moment is the same: some send it to a program and again to its group.
static void hear(int signal_number)
{
    const long long now = nanoseconds();
    long long first = 0;
    if (!atomic_compare_exchange_strong(&first_came, &first, now)) {
        if (now - first > MOMENT) {
            end_now();
        }
        return;
    }
    atomic_store(&number, signal_number);
    switch ((cli_ending)atomic_load(&ending)) {
    case CLI_ENDS_AT_ONCE:
        end_now();
        break;
    case CLI_ENDS_SOON:
        start_timer();
        break;
    case CLI_ENDS_SAVED:
        break;
    }
}

// It did not end by itself, unless it is saving by now.
static void lose_patience(int signal_number)
{
    (void)signal_number;
    if (atomic_load(&ending) != CLI_ENDS_SAVED) {
        end_now();
    }
}

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void cli_interrupt_begin(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    has_timer = timer_create(CLOCK_MONOTONIC, &event, &patience) == 0;
    on_terminal = isatty(STDERR_FILENO) == 1;
    handle(SIGALRM, lose_patience);
    handle(SIGINT, hear);
    handle(SIGTERM, hear);
}

void cli_interrupt_set(cli_ending to)
{
    atomic_store(&ending, to);
    if (to == CLI_ENDS_AT_ONCE && atomic_load(&number) != 0) {
        end_now(); // it came before
    }
}

void cli_interrupt_at(const char *format, ...)
{
    char *text = atomic_load(&at) == place[0] ? place[1] : place[0];
    va_list arguments;
    va_start(arguments, format);
    char *formatted = cli_format(format, arguments);
    va_end(arguments);
    snprintf(text, sizeof place[0], "%s", formatted ? formatted : "");
    free(formatted);
    atomic_store(&at, text);
}

bool cli_interrupted(void *unused)
{
    (void)unused;
    return atomic_load_explicit(&number, memory_order_relaxed) != 0;
}

void cli_interrupt_note(int signal_number)
{
    atomic_store(&number, signal_number);
    atomic_store(&first_came, nanoseconds());
}

int cli_interrupt_code(void)
{
    const int came = atomic_load(&number);
    return came != 0 ? 128 + came : 0;
}

dp_status cli_data_create(dp_data **out, const dp_model *m)
{
    const dp_status status = dp_data_create(out, m, NULL);
    if (status == DP_OK) {
        dp_data_set_interrupt(*out, cli_interrupted, NULL);
    }
    return status;
}
