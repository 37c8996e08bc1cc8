// Files that appear complete or not at all.
#ifndef DASHPOT_CLI_WHOLE_FILE_H
#define DASHPOT_CLI_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_whole_file {
    FILE *file; // to write to
    const char *path;
    char part[4200]; // what is written until it is complete; "": the path, a pipe, device or link
} cli_whole_file;

/// Complains and returns false. @param path borrowed
bool cli_whole_open(cli_whole_file *f, const char *path);
/// Put it in its place, unless `fine` is false or something could not be written: then nothing is
/// left, and what was there before still is, but for what is written in place. Complains about what
/// could not be written. @return `fine`, and it is there
bool cli_whole_close(cli_whole_file *f, bool fine);

#endif
