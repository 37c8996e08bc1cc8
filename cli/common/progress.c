#include "common/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double cli_processor_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double cli_thread_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_start(bool quiet)
{
    const double now = cli_clock();
    return (cli_progress){
        .wanted = !quiet && isatty(STDERR_FILENO) == 1, .start = now, .last = now};
}

// "[###...]  30 %  WORDS, 12 s left"
static void show(cli_progress *progress, double part, const char *words)
{
    const double patience = 0.3, refresh = 0.1; // [s]
    enum { WIDTH = 30 };
    const double now = cli_clock();
    if (!progress->wanted || now - progress->start < patience ||
        (progress->shown && now - progress->last < refresh)) {
        return;
    }
    const int full = (int)(part * WIDTH);
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; ++i) {
        bar[i] = i < full ? '#' : '.';
    }
    bar[WIDTH] = '\0';
    const double spent = now - progress->start;
    fprintf(stderr, "\r[%s] %3.0f %%  %s, %.0f s left \x1b[K", bar, 100.0 * part, words,
            part > 0.0 ? spent * (1.0 - part) / part : 0.0);
    fflush(stderr);
    progress->shown = true;
    progress->last = now;
}

void cli_progress_show(cli_progress *progress, double part, double t)
{
    char words[40];
    snprintf(words, sizeof words, "t = %.4g s", t);
    show(progress, part, words);
}

void cli_progress_name(cli_progress *progress, double part, const char *name)
{
    progress->last = 0.0; // at once: it may take long until the next
    show(progress, part, name);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
        progress->shown = false;
    }
}
