// Small scenes, smooth and with stick and slip, and how far runs of them are from each other.
#ifndef DP_TESTS_ACCURACY_RIG_H
#define DP_TESTS_ACCURACY_RIG_H

#include "mechanism.h"

enum { RIG_STEPS = 128, RIG_NUMBERS = 16 };

/// What is run, from its first keyframe if it has one.
typedef struct accuracy_scene {
    const char *name;
    const char *text; ///< MJCF
    double seconds, step;
    double slip_speed; ///< [m/s] of regularised friction
} accuracy_scene;

extern const accuracy_scene RIG_SPRINGS;  ///< a double pendulum with springs and dampers
extern const accuracy_scene RIG_TOP;      ///< a heavy top that nutates
extern const accuracy_scene RIG_FOUR_BAR; ///< a loop closed by a spring and a dashpot
extern const accuracy_scene RIG_SLIDE;    ///< a box slides until it stops
extern const accuracy_scene RIG_SLOPE;    ///< a box slides up, turns round, slides down
extern const accuracy_scene RIG_PUSH;     ///< a box is pushed to and fro: sticks and slips
extern const accuracy_scene RIG_BELT;     ///< a box on a spring on a belt: sticks and slips
extern const accuracy_scene RIG_BOUNCE;   ///< a ball falls on a spring with a dashpot and rolls on

/// At its start, with its slip speed.
mechanism accuracy_scene_load(const accuracy_scene *scene);

/// The states at the ends of all steps, and what they took.
typedef struct accuracy_run {
    int steps, nq, nv;
    double q[RIG_STEPS][RIG_NUMBERS], v[RIG_STEPS][RIG_NUMBERS];
    long parts;
} accuracy_run;

/// How a run is made. accuracy > 0: options.accuracy; 0: steps as they are, `divide` to a step of
/// the scene; of ode: to 1e-11.
typedef struct rig_method {
    dp_law_kind law;
    dp_integrator by;
    double accuracy;
    int divide; ///< 0: 1
} rig_method;

void accuracy_run_make(accuracy_run *out, const accuracy_scene *scene, rig_method how);
/// The largest differences at the ends of steps.
double accuracy_run_distance_q(const accuracy_run *a, const accuracy_run *b);
double accuracy_run_distance_v(const accuracy_run *a, const accuracy_run *b);

/// Runs with accuracy 1e-3, 1e-4 … `least` are within 10 times of what they are asked for from the
/// reference, positions [m, rad] and velocities [m/s, rad/s] alike, and not a thousand times better
/// in both, which would be time wasted.
void assert_accuracies_met(const accuracy_scene *scene, rig_method how,
                           const accuracy_run *reference, double least);

#endif
