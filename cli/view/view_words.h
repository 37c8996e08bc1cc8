// What `dashpot view` tells its pages, as JSON: docs/live.md.
#ifndef DASHPOT_CLI_VIEW_WORDS_H
#define DASHPOT_CLI_VIEW_WORDS_H

#include <dashpot/sim.h>

/// A text to free(). NULL: there was no memory.
typedef struct view_words {
    char *text;
    size_t bytes;
} view_words;

/// The settings that pages can change, and how things stand.
typedef struct view_state {
    bool running, recording;
    double speed;
    double stiffness, friction; // factors
    int clients;
    const char *scene; // its title
} view_state;

/// @param own the control of each actuator as the scene begins
view_words view_words_scene(const dp_model *m, dp_data *d, const double *own, uint32_t version,
                            const char *title);
view_words view_words_state(const view_state *state, const dp_options *options);
view_words view_words_say(bool error, const char *text);
view_words view_words_saved(const char *file);

/// The shortest and the longest step [s] that pages may choose for a scene of step h.
void view_step_range(double range[2], double h);

#endif
