// The program, run as a user runs it.
#ifndef DP_TESTS_PROGRAM_RUN_H
#define DP_TESTS_PROGRAM_RUN_H

#include "text_file.h"

#include <sys/types.h>

enum { MOST_ARGUMENTS = 24 };

typedef struct program_result {
    int code; // exit code; −1: ended by a signal
    char out[MOST_TEXT], err[MOST_TEXT];
} program_result;

/// Run the program with these arguments, which end with NULL. The result lasts until the next run.
const program_result *program_run(const char *const *arguments);
#define RUN(...) program_run((const char *const[]){__VA_ARGS__, NULL})

/// The same in two parts. `out_path` is where stdout goes; NULL: into the result.
pid_t program_start(const char *const *arguments, const char *out_path);
const program_result *program_finish(pid_t child);

#endif
