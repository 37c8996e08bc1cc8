// What was measured: rows for tables, CSV and JSON, and the facts that every row carries.
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "bench_clock.h"

#include <stdbool.h>
#include <stdio.h>

/// One engine on one scene: a whole step, or one stage of it. NAN stands for "not measured".
typedef struct bench_row {
    char scene[32];
    int bodies, nv;
    char engine[32], version[32];
    const char *method;    ///< "default", "sensors", "rk4" …
    const char *stage;     ///< "step", or a part of it
    double h;              ///< [s]
    bench_sample ns;       ///< CPU time of one step
    double position_error; ///< [m] largest over the centres of mass, after the horizon
    double velocity_error; ///< [m/s]
    double energy_drift; ///< [1] largest |E − E₀| without dampers and actuators, over the greatest
                         ///< kinetic energy
    double loop_gap;     ///< [m, rad] the widest gap of a loop in the time that energy is watched
    double limit_excess; ///< [rad, m] the furthest that a joint was beyond its range in that time
    bool diverged;
} bench_row;

/// A ratio of speeds with what is asked of it.
typedef struct bench_verdict {
    char scene[32];
    const char *method;  ///< "default", "undamped"
    const char *against; ///< "mujoco", "best peer"
    char engine[32];     ///< that was the peer
    double ratio, target;
} bench_verdict;

/// How the cost of a step grows with the length of a chain.
typedef struct bench_growth {
    char engine[32];
    int n;
    double links[16], ns[16];
    double exponent;
} bench_growth;

enum { BENCH_MAX_ROWS = 1024, BENCH_MAX_VERDICTS = 64, BENCH_MAX_GROWTHS = 8 };

typedef struct bench_results {
    char date[16], commit[64], compiler[96], machine[160];
    double h, horizon, energy_seconds;
    int nrow, nverdict, ngrowth;
    bench_row row[BENCH_MAX_ROWS];
    bench_verdict verdict[BENCH_MAX_VERDICTS];
    bench_growth growth[BENCH_MAX_GROWTHS];
} bench_results;

/// Date, commit, compiler and machine.
void bench_results_init(bench_results *results, const char *source);

/// A new row, everything not measured. Never NULL: a full table ends the program.
bench_row *bench_row_add(bench_results *results, const char *scene, const char *engine,
                         const char *method, const char *stage);
/// NULL when there is none.
const bench_row *bench_row_find(const bench_results *results, const char *scene, const char *engine,
                                const char *method, const char *stage);

void bench_write_csv(FILE *file, const bench_results *results);
void bench_write_json(FILE *file, const bench_results *results);

#endif
