// Files that are written completely or not at all.
#ifndef DP_BASE_OUTPUT_H
#define DP_BASE_OUTPUT_H

#include "base/memory.h"

#include <stdio.h>

/// A file on its way. Write to `file`; errors need no check until dp_output_close.
typedef struct dp_output {
    FILE *file;
    const char *path;
    char *part; // where the bytes go first; NULL: straight to `path` (a pipe, a device, a link)
    size_t part_bytes;
    dp_allocator allocator;
} dp_output;

/// Open `path` for writing; `path` must stay alive. @return DP_ERROR_IO with the reason.
dp_status dp_output_open(dp_output *out, const char *path, const dp_allocator *allocator);
/// Finish: the file gets its name when every byte arrived, and is removed otherwise.
dp_status dp_output_close(dp_output *out);

/// Replace the locale's decimal sign, which may have several bytes, by a point.
void dp_plain_number(char *text);

/// Write a number with 17 digits and a decimal point, whatever the locale; "nan", "inf", "-inf".
void dp_output_number(FILE *file, double x);

#endif
