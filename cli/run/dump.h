// The step problems of a run as files: --dump-problems.
#ifndef DASHPOT_CLI_DUMP_H
#define DASHPOT_CLI_DUMP_H

#include <dashpot/sim.h>

typedef struct cli_dump {
    const char *folder;
    const char *scene;         // for the reader of a file
    const long long *done;     // steps before the present one
    const dp_law_options *law; // in force
    long long count;           // files written
} cli_dump;

/// Make the folder where it is missing; problems of an earlier run in it are removed. Complains and
/// returns false.
bool cli_dump_prepare(const char *folder);

/// To be set by dp_data_set_problem_callback, with a cli_dump as its context.
dp_status cli_dump_problem(void *context, const dp_data *d);

#endif
