// Bodies that touch, beside MuJoCo, ODE, Bullet and DART.
#ifndef BENCH_CONTACT_H
#define BENCH_CONTACT_H

#include "bench_rows.h"

typedef struct bench_contact_options {
    const char *const *scene; ///< names
    int nscene;               ///< 0: all of them, and growth
    bool growth;              ///< growth alone
    const char *folder;       ///< of scene files
    bool quick;
    int threads;            ///< of Dashpot, for hashes
    const char *csv, *plot; ///< where rows and picture go; NULL: nowhere
} bench_contact_options;

/// Is there a scene of this name?
bool bench_contact_knows(const char *name);
/// " stack_10, …" to the end of a message.
void bench_contact_list(FILE *file);

/// Measure and print. @return false: a file cannot be written, or a scene cannot be made
bool bench_contact(const bench_results *facts, const bench_contact_options *options);

/// Let the balls of balls_rest fall and come to rest, and keep their places in balls_at_rest.txt.
/// Takes some minutes. @return false: it cannot be written, or a step failed
bool bench_contact_settle(void);

/// Dashpot alone: the hash of the last state of every scene.
bool bench_contact_hash(const bench_contact_options *options);

/// Dashpot alone, n steps without a clock: for callgrind and perf.
bool bench_contact_only(const char *name, const char *folder, int n);

#endif
