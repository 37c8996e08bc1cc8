// Results as tables for people.
#ifndef BENCH_PRINT_H
#define BENCH_PRINT_H

#include "bench_linkage.h"

/// Scenes and linkages that were measured, in this order.
void bench_print(FILE *file, const bench_results *results, const bench_scene *scene, int nscene,
                 const bench_linkage *linkage, int nlinkage);

#endif
