// Dashpot as an engine of the benchmark, and what only Dashpot is asked for: links for Bullet,
// errors against a reference.
#ifndef ENGINE_DASHPOT_H
#define ENGINE_DASHPOT_H

#include "bench_engine.h"

#include <dashpot/dashpot.h>

/// Load the scene. A failure leaves out->self NULL, and dp_last_error() tells why.
dp_status bench_dashpot(bench_engine *out, const bench_setup *setup);

const dp_model *bench_dashpot_model(const bench_engine *dashpot);
dp_data *bench_dashpot_data(const bench_engine *dashpot);

/// The mechanism as links on hinges, nbody − 1 of them (free the array).
/// @return NULL if it has anything else: other joints, welded bodies, armature, springs, actuators
bench_link *bench_dashpot_links(int *count, const dp_model *m);

/// Kinetic energy, and all of it, at a state of any engine [J].
typedef struct bench_energy {
    double kinetic, total;
} bench_energy;
bench_energy bench_dashpot_energy(const bench_engine *dashpot, const double *q, const double *v);

/// Centres of mass of all moving bodies and their velocities at a state of any engine: x and u get
/// 3 × (nbody − 1) numbers each.
void bench_dashpot_motion(double *x, double *u, const bench_engine *dashpot, const double *q,
                          const double *v);

/// By how much the worst loop is open, and the worst joint beyond its range, at a state of any
/// engine [m, rad].
typedef struct bench_gaps {
    double loop, limit;
} bench_gaps;
bench_gaps bench_dashpot_gaps(const bench_engine *dashpot, const double *q, const double *v);
/// Has any joint a range?
bool bench_dashpot_limited(const bench_engine *dashpot);

#endif
