// What threads give: to a step of many islands, and to many simulations of one model.
#ifndef BENCH_THREADS_H
#define BENCH_THREADS_H

#include <stdbool.h>

/// Measure and print. One thread and two take turns, so that a slow moment of the machine slows
/// both. @param folder of the scenes
void bench_threads(bool quick, const char *folder);

#endif
