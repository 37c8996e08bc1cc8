// Queries between two shapes beside libccd and Bullet: time and error.
#ifndef BENCH_COLLIDE_H
#define BENCH_COLLIDE_H

#include "bench_rows.h"

/// Time all pairs of kinds, print tables, and write rows to `csv` where it is not NULL.
/// @param facts date, commit, compiler and machine
/// @param only a pair as "box-hull"; NULL: all
bool bench_collide(const bench_results *facts, const char *only, bool quick, const char *csv);

/// Dashpot alone, n queries as "box-hull-contacts-resting-slow" without a clock: for callgrind.
bool bench_collide_only(const char *name, int n);

#endif
