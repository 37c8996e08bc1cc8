// The measurements: speed, accuracy, stages, growth with the number of links.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench_engine.h"
#include "bench_rows.h"

#include <dashpot/base.h>

/// A scene of scenes/, how it starts, and what is asked of Dashpot there.
typedef struct bench_scene {
    const char *name;
    const char *keyframe; ///< NULL: as described
    double target;        ///< ratio of speeds; 0: none
    bool target_is_best;  ///< against the fastest peer, not only MuJoCo
    bool undamped;        ///< time it without dampers too
} bench_scene;

/// How much effort to spend.
typedef struct bench_effort {
    double seconds; ///< CPU time of one measurement
    int repetitions;
    double extra_seconds; ///< the same for what is beside the main comparison
    int extra_repetitions;
    double stage_seconds;  ///< one stage at one state
    int longest_chain;     ///< of the growth
    int longest_mujoco;    ///< its cost grows faster than linearly
    int largest_check;     ///< most degrees of freedom for which the reference is checked against
                           ///< MuJoCo's Runge–Kutta method at a sixteenth of the step
    double energy_seconds; ///< how long energy is watched
} bench_effort;

/// Most engines that are timed together.
enum { BENCH_MAX_ENGINES = 4 };

/// Steps from the start before it is taken up again: what is timed is what is judged.
enum { BENCH_RUN_STEPS = 500 };

/// Time and accuracy of all engines on one scene. @param folder of the scenes
/// @return false when Dashpot cannot load the scene; dp_last_error() tells why
bool bench_measure_scene(bench_results *results, const bench_scene *scene, const char *folder,
                         const bench_effort *effort);

/// Time n engines, those that are there, on runs of so many steps. They take turns, so that a slow
/// moment of the machine slows all of them.
void bench_time_engines(bench_row *const *row, const bench_engine *engine, int n, int steps,
                        double seconds, int repetitions);

/// The cost of a step for chains of 10 to `longest_chain` links.
bool bench_measure_growth(bench_results *results, const bench_effort *effort);

/// Dashpot alone, n steps without a clock: for callgrind and perf.
bool bench_run_only(const bench_scene *scene, const char *folder, double h, int n);

#endif
