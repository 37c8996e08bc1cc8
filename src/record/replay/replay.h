// What a replay remembers of a run, as its writer sees it.
#ifndef DP_RECORD_REPLAY_H
#define DP_RECORD_REPLAY_H

#include "base/memory.h"

#include <dashpot/contact.h>
#include <dashpot/record.h>

/// A contact point that pushes.
typedef struct dp_replay_contact {
    float point[3], normal[3];
    float force[3]; // on B [N]
    float gap;      // [m]
    int geom[2];
    dp_contact_state state;
} dp_replay_contact;

/// A moment: where its numbers begin in the arrays below.
typedef struct dp_replay_frame {
    double time;
    size_t contact, ncontact;
} dp_replay_frame;

struct dp_replay {
    dp_allocator allocator;
    const dp_model *model;
    size_t nbody, nspring; // numbers in each frame
    dp_replay_frame *frame;
    size_t frames, frame_capacity;
    float *pose; // frames × nbody × 7: x y z, w x y z
    size_t pose_capacity;
    float *pressure; // frames × nspring [Pa]
    size_t pressure_capacity;
    dp_replay_contact *contact;
    size_t contacts, contact_capacity;
};

#endif
