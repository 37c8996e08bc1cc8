// Scenes of `dashpot view`: the one that was asked for, and those that are dropped on the page.
#ifndef DASHPOT_CLI_VIEW_SCENE_H
#define DASHPOT_CLI_VIEW_SCENE_H

#include "common/scene.h"
#include "view/server/view_message.h"

typedef struct view_scene {
    cli_scene loaded;
    char title[64];
} view_scene;

/// Where dropped scenes are read.
typedef struct view_ground {
    const char *beside; // a file: what a scene names without bringing it is looked up beside it
    const char *folder; // where files that a scene brings may lie while it is read
    const cli_allow *allow;
} view_ground;

/// What to call a scene of this name: its last part, without its ending.
void view_scene_title(char *out, size_t bytes, const char *name);

/// Read the scene of a message. False: the words are in `complaint`, and nothing is to be destroyed
bool view_scene_drop(view_scene *out, const view_message *message, const view_ground *ground,
                     char *complaint, size_t bytes);
void view_scene_destroy(view_scene *scene);

#endif
