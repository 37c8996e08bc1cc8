// Scenes with rows: loops, limits, dry friction, servos of bounded force. Dashpot beside MuJoCo,
// each with what it makes of the same text.
#ifndef BENCH_LINKAGE_H
#define BENCH_LINKAGE_H

#include "bench_measure.h"

/// The mechanism, how it starts, and what is added to a scene that has no rows of its own.
typedef struct bench_linkage {
    const char *name;     ///< in tables
    const char *file;     ///< in scenes/; NULL: a pinned chain
    const char *keyframe; ///< NULL: as described
    int links;            ///< of the pinned chain
    double reach;         ///< [rad] hinges are limited to this on both sides of the start; 0: not
    double friction;      ///< [N m] of every hinge
    bool servos;          ///< motors become position servos
} bench_linkage;

/// All of them, and how many.
extern const bench_linkage BENCH_LINKAGES[];
extern const int BENCH_NLINKAGE;

/// Speed, gaps and energy of Dashpot, of MuJoCo with its defaults and with its hardest constraints.
/// @return false when Dashpot cannot load the scene
bool bench_measure_linkage(bench_results *results, const bench_linkage *linkage, const char *folder,
                           const bench_effort *effort);

/// Dashpot alone, n steps without a clock: for callgrind and perf.
bool bench_run_linkage(const bench_linkage *linkage, const char *folder, double h, int n);

#endif
