// Files that are read.
#ifndef DP_BASE_INPUT_H
#define DP_BASE_INPUT_H

#include "base/memory.h"

/// Read a whole file into zero-terminated memory (dp_release with *bytes + 1).
dp_status dp_file_read(char **out, size_t *bytes, const char *path, const dp_allocator *allocator);

#endif
