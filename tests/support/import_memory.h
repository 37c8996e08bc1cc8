// The memory of an import, whatever the format.
#ifndef DP_TESTS_IMPORT_MEMORY_H
#define DP_TESTS_IMPORT_MEMORY_H

#include "bad_file.h"

/// Import a file with this allocator and release everything.
typedef dp_status (*import_call)(const dp_allocator *allocator);

/// Nothing is left, and sizes are given back right.
void assert_import_gives_back(import_call import);
/// The same when each allocation fails in turn, which is reported.
void assert_import_survives_each_failure(import_call import);

/// A file made of one repeated piece.
typedef struct repeated_file {
    const char *head, *piece, *tail;
} repeated_file;

/// Files of 1 MB, good or bad, take no more than `most` bytes of memory per byte.
void assert_memory_follows_the_file(file_parser parse, const char *path, const repeated_file *file,
                                    int count, size_t most);

#endif
