// Trees that sleep: those that have stood still for a while, with all that they touch, are left out
// of steps until something disturbs them.
//
// They fall asleep by island, so that nobody who is awake leans on a sleeper, and wake with those
// with whom they fell asleep, or else
//  * when something awake, or a mocap body that was moved, may touch one of them in the step;
//  * when their positions or velocities are changed, or the forces on them;
//  * when options change, or rows are switched, which wakes all.
// Only contacts are left out. What has other rows stays awake: loops, limits that are reached,
// tendons, friction of joints, foundations, the user's rows.
#ifndef DP_SIM_SLEEP_H
#define DP_SIM_SLEEP_H

#include "model/model.h"

#include <dashpot/sim.h>

typedef struct dp_sleep {
    // State, ntree each
    int *group;      // the lowest tree of those that fell asleep together; −1: awake
    double *rest;    // [s] for how long it has stood still
    double *elastic; // [J] in the contacts of a group, at its lowest tree
    // What sleepers are disturbed by when it changes
    double *q, *force, *control; // nq, nv, nu: as the user left them
    double *applied, *actuation; // nv: forces of the step
    bool *forces_known;          // ntree: these are those that it sleeps with
    dp_wrench *wrench;           // nbody
    dp_pose *mocap;              // nmocap
    uint8_t *equality_active;    // nequality
    dp_options options;
    bool mocap_moved; // since the last step
    bool ignored;     // for now, nobody sleeps
    int count;        // sleepers
    // Scratch
    int *island;         // ntree of a problem: −1: none
    int *lowest;         // islands: the first tree of each that falls asleep
    bool *island_sleeps; // islands
} dp_sleep;

void dp_sleep_carve(dp_sleep *s, dp_carver *c, const dp_model *m);
/// All awake, as if they had moved just now.
void dp_sleep_reset(dp_data *d);
/// The state has been written to, with the forces that sleepers sleep with: from now on changes
/// count.
void dp_sleep_renewed(dp_data *d);
/// Only who sleeps has been written to, within a step.
void dp_sleep_count(dp_data *d);
void dp_sleep_wake_all(dp_data *d);
/// At the start of a step, and when its forces are known: wake what has been disturbed.
void dp_sleep_check_state(dp_data *d);
void dp_sleep_check_forces(dp_data *d);
/// Wake what may be touched by something awake, after a search for contacts. @return whether any
bool dp_sleep_check_contacts(dp_data *d);
/// After a part of a step of length h: who has stood still for long enough falls asleep.
void dp_sleep_fall(dp_data *d, double h);

/// [J] in the contacts of all sleepers.
double dp_sleep_elastic(const dp_data *d);

#endif
