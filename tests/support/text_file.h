// Small files that tests write and read.
#ifndef DP_TESTS_TEXT_FILE_H
#define DP_TESTS_TEXT_FILE_H

#include <stdbool.h>

enum { MOST_TEXT = 1 << 24 };

/// Whole files.
void read_text(char text[MOST_TEXT], const char *path);
void write_text(const char *path, const char *text);
bool exists(const char *path);

#endif
