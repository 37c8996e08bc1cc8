// What a session of `dashpot view` begins with, and whom it talks to.
#ifndef DASHPOT_CLI_VIEW_SETUP_H
#define DASHPOT_CLI_VIEW_SETUP_H

#include "view/view_scene.h"

#include <dashpot/sim.h>

enum {
    VIEW_MOST_CLIENTS = 8,
    VIEW_SAVED = 1024, // bytes of the name of a recording, with the zero
};

/// Who listens. The functions copy what they are given, and are called from several threads.
typedef struct view_audience {
    void *context;
    /// A JSON object for one client, or for all of them (−1).
    void (*tell)(void *context, int client, const char *text, size_t bytes);
    /// Frames, one behind the other.
    void (*show)(void *context, const void *frames, size_t bytes);
    /// [s] of processor time that the sending of all of it took so far.
    double (*spent)(void *context);
} view_audience;

typedef struct view_setup {
    view_ground ground; // its folder is where recordings go, too
    dp_options options; // of the first scene
    const char *key;    // where it starts; NULL: as the model is
    bool paused;
    double speed;            // times real time; 0: as fast as it goes
    long long most_recorded; // [bytes] of all recordings together
    view_audience audience;
    dp_interrupt_fn interrupt; // of steps; the session's
    void *interrupt_user;
} view_setup;

#endif
