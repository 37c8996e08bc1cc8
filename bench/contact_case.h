// One run of one engine on one scene: its time, and what Dashpot's collision detection says of its
// states.
#ifndef CONTACT_CASE_H
#define CONTACT_CASE_H

#include "contact_engine.h"

#include <stdint.h>

/// How a run ended.
typedef enum contact_end {
    CONTACT_ABSENT, ///< the engine is not installed, or cannot run this scene: `why`
    CONTACT_DONE,   ///< and what should stand does
    CONTACT_FELL, ///< something has left its place or sunk into another by more than scene->upright
    CONTACT_GAVE_UP, ///< by its own word, or its numbers are not finite
    CONTACT_CUT,     ///< the budget was used up before the end, and all stands until then
    CONTACT_CRASHED, ///< the process has ended, or had to be ended within a single step
} contact_end;

typedef struct contact_result {
    contact_end end;
    char version[32], why[128];
    int steps;          ///< that were clocked, in one run
    double ns;          ///< [ns] CPU time of a step; NAN: none
    double wall_ns;     ///< [ns] the same by the clock on the wall
    double seconds;     ///< [s] simulated
    double penetration; ///< [m] the deepest overlap of the run, and at its end
    double end_penetration;
    double creep;    ///< [m/s] of the fastest body, over the last tenth of the run
    double drift;    ///< [m] furthest from its start, across gravity
    double error;    ///< [m] furthest from where the law takes it; NAN: not known, or cut
    int contacts;    ///< points of the last step
    uint64_t hash;   ///< of Dashpot's last state; otherwise 0
    double slide[2]; ///< [m] of the first body
} contact_result;

typedef struct contact_effort {
    double least;  ///< [s] runs are repeated until so much CPU time is measured
    double budget; ///< [s] of CPU time for stepping, after which a run is cut
    int skip;      ///< steps that are not clocked, at the start of each run
    bool judge;    ///< look at the states, too
} contact_effort;

void contact_run(contact_result *out, const contact_scene *scene, contact_create *create,
                 int variant, const contact_effort *effort);

/// The same in a process of its own, so that whatever the engine does ends there.
void contact_run_apart(contact_result *out, const contact_scene *scene, contact_create *create,
                       int variant, const contact_effort *effort);

#endif
