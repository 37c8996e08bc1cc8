// A progress bar on stderr, for terminals and for work that takes longer than a blink.
#ifndef DASHPOT_CLI_PROGRESS_H
#define DASHPOT_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
    bool wanted; // stderr is a terminal
    bool shown;
    double start, last; // [s] monotonic clock
} cli_progress;

/// Seconds of a clock that never goes back.
double cli_clock(void);
/// Seconds that the processor has spent on this program: what else runs does not count.
double cli_processor_clock(void);
/// The same of the calling thread.
double cli_thread_clock(void);

cli_progress cli_progress_start(bool quiet);
/// `part` of the work is done, 0 … 1; `t` seconds are simulated.
void cli_progress_show(cli_progress *progress, double part, double t);
/// The same for work that consists of pieces with names; this one begins.
void cli_progress_name(cli_progress *progress, double part, const char *name);
/// Take the bar away.
void cli_progress_end(cli_progress *progress);

#endif
