// Results as tables for people.
#ifndef BENCH_PRINT_H
#define BENCH_PRINT_H

#include "bench_measure.h"

void bench_print(FILE *file, const bench_results *results, const bench_scene *scene, int nscene);

#endif
