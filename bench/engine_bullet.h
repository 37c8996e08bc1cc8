// Bullet's multibody as an engine of the benchmark.
#ifndef ENGINE_BULLET_H
#define ENGINE_BULLET_H

#include "bench_broad.h"
#include "bench_engine.h"

#include <dashpot/dashpot.h>

typedef enum bench_precision {
    BENCH_FLOAT,  ///< "bullet32"
    BENCH_DOUBLE, ///< "bullet64"
} bench_precision;

/// Build the mechanism in Bullet. out->self is NULL if Bullet is not installed, or if the mechanism
/// has more than hinges with dampers.
void bench_bullet(bench_engine *out, bench_precision precision, const dp_model *m,
                  const bench_setup *setup);

/// The entry of Bullet's broad phase; NULL: not installed.
bench_boxes_create *bench_bullet_boxes_in(bench_precision precision);

#endif
