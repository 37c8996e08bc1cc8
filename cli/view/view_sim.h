// The simulation of a session: its scene, clocks and recording, and what pages get of them.
// For the session's thread alone.
#ifndef DASHPOT_CLI_VIEW_SIM_H
#define DASHPOT_CLI_VIEW_SIM_H

#include "view/view_grab.h"
#include "view/view_record.h"
#include "view/view_setup.h"
#include "view/view_stream.h"

/// What was measured since the window began.
typedef struct view_meter {
    double wall, time, spent; // when it began: clock, simulated time, what sending had taken
    view_costs costs;
} view_meter;

typedef struct view_sim {
    view_setup setup;
    view_scene scene;
    const dp_model *m;
    dp_data *d;
    uint32_t version;
    dp_options good;  // of the last step that was made
    bool altered;     // options are not those
    double tolerance; // [m/s] of rows, while a body is pulled
    bool client[VIEW_MOST_CLIENTS];
    int clients;
    bool visited; // somebody has been there: the simulation may begin
    bool running;
    double speed;
    double step_began;   // [s] the clock, of the last step
    bool again;          // a single step was given up and is still wanted
    double wall0, time0; // the clock and the simulated time that belong together
    bool changed;        // since the last frame
    double heard;        // [s] the clock, when somebody has said something
    view_stream stream;
    view_grab grab[VIEW_MOST_CLIENTS];
    view_record record;
    long long left; // [bytes] for recordings
    view_pace pace;
    view_meter meter;
    double *own_control; // of each actuator, as the scene begins
    char saved[VIEW_SAVED];
    bool lost; // a recording, at the end
} view_sim;

/// Begin with a scene, which it takes over. False: the complaint has been printed, and view_sim_end
/// is still to be called
bool view_sim_begin(view_sim *s, view_scene *scene, const view_setup *setup);
void view_sim_end(view_sim *s);

// To one client, or to all of them (−1).
void view_sim_say(const view_sim *s, int client, bool error, const char *text); ///< in any thread
void view_sim_tell_scene(view_sim *s, int client);
void view_sim_tell_state(view_sim *s, int client);

void view_sim_start_meter(view_sim *s, double now);
/// How fast it goes and what it costs, where enough was measured.
void view_sim_read_meter(view_sim *s, double now);
/// From now on the simulated time goes with the clock. How fast, is measured anew.
void view_sim_set_clocks(view_sim *s);

/// Keep what is due. A recording that is full is written.
void view_sim_look_at_record(view_sim *s);
/// Write the recording, if there is one, and tell the pages.
void view_sim_end_record(view_sim *s);
/// The same when the pages have gone.
void view_sim_end_last_record(view_sim *s);

/// Forces and contacts of a state that no step led to; what cannot be evaluated fails with a step.
void view_sim_look_around(view_sim *s);
/// Put another scene in the place of this one, or leave all as it is.
bool view_sim_change_scene(view_sim *s, view_scene *scene, const char **complaint);

#endif
