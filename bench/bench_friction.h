// Friction-contact problems of a folder, beside Siconos: how many are solved, and how fast.
#ifndef BENCH_FRICTION_H
#define BENCH_FRICTION_H

#include <stdbool.h>

/// Solve every problem of the folder, print a table. @param csv where each goes; NULL: nowhere
/// @return false where nothing could be read, reported on stderr
bool bench_friction(const char *folder, bool quick, const char *csv);

#endif
