// The one simulation that all pages of `dashpot view` look at. It runs in a thread of its own, in
// time with the clock, does what pages say and tells them what has become of it.
#ifndef DASHPOT_CLI_VIEW_SESSION_H
#define DASHPOT_CLI_VIEW_SESSION_H

#include "view/view_setup.h"

typedef struct view_session view_session;

/// Begin. Takes over `scene` where it works; false: the complaint has been printed.
bool view_session_start(view_session **out, view_scene *scene, const view_setup *setup);

/// End the thread, write the recording that is under way, and free all.
/// @param saved the name of that recording; "": there was none. @return false where it could not be
///        written: the complaint has been printed
/// @param time [s] that the simulation came to
bool view_session_stop(view_session *s, char saved[VIEW_SAVED], double *time);

// From any thread. Clients are numbers from 0 to VIEW_MOST_CLIENTS − 1.
void view_session_join(view_session *s, int client);
void view_session_leave(view_session *s, int client);
/// Do what a page says, or answer what is wrong with it.
void view_session_hear(view_session *s, int client, const char *text, size_t bytes);

#endif
