// `solve --profile`: all solvers over all problems of a folder, and how they compare.
#ifndef DASHPOT_CLI_PROFILE_FOLDER_H
#define DASHPOT_CLI_PROFILE_FOLDER_H

#include "common/arguments.h"

typedef struct cli_profile_options {
    const char *folder;
    const char *plot, *csv; // NULL: not asked for
    cli_list settings;      // of --set: for friction-contact problems
    bool json;
} cli_profile_options;

/// @return the exit code: 0 where every problem was solved by one solver at least
int cli_profile_folder(const cli_profile_options *o);

#endif
