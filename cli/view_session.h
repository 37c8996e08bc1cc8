// The one simulation that all pages of `dashpot view` look at. It runs in a thread of its own, in
// time with the clock, does what pages say and tells them what has become of it.
#ifndef DASHPOT_CLI_VIEW_SESSION_H
#define DASHPOT_CLI_VIEW_SESSION_H

#include "view_scene.h"

#include <dashpot/sim.h>

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
    double speed; // times real time; 0: as fast as it goes
    view_audience audience;
} view_setup;

enum { VIEW_MOST_CLIENTS = 8 };

typedef struct view_session view_session;

/// Begin. Takes over `scene` where it works; false: the complaint has been printed.
bool view_session_start(view_session **out, view_scene *scene, const view_setup *setup);
enum { VIEW_SAVED = 1024 };

/// End the thread, write the recording that is under way, and free all.
/// @param saved the name of that recording; "": there was none. @return false where it could not be
///        written: the complaint has been printed
bool view_session_stop(view_session *s, char saved[VIEW_SAVED]);

// From any thread. Clients are numbers from 0 to VIEW_MOST_CLIENTS − 1.
void view_session_join(view_session *s, int client);
void view_session_leave(view_session *s, int client);
/// Do what a page says, or answer what is wrong with it.
void view_session_hear(view_session *s, int client, const char *text, size_t bytes);

#endif
