// MuJoCo as an engine of the benchmark.
#ifndef ENGINE_MUJOCO_H
#define ENGINE_MUJOCO_H

#include "bench_engine.h"

#include <stddef.h>

/// Load the scene. A failure leaves out->self NULL and a message in `why`.
void bench_mujoco(bench_engine *out, const bench_setup *setup, char *why, size_t size);

#endif
