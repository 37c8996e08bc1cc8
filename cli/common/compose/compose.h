// A scene of several files, and a floor for a robot.
#ifndef DASHPOT_CLI_COMPOSE_H
#define DASHPOT_CLI_COMPOSE_H

#include "common/scene.h"

/// A file of --add and how it is put into the scene.
typedef struct cli_added_file {
    char path[4096];
    dp_pose pose;
    bool floating; // the root of a URDF file
} cli_added_file;

/// Read FILE[@x,y,z[,roll,pitch,yaw]][,floating]. False: it is none of these.
bool cli_read_added(cli_added_file *out, const char *text);

/// Do what --ground and --add ask for to the spec of a scene that was read with these options.
/// scene->note says what was done that the user may not expect.
dp_status cli_compose(cli_scene *scene, const dp_import_options *options, const cli_allow *allow);

/// A plane under a spec that was read from a file. Trees with a free joint are moved, all by the
/// same length, such that the lowest of them touches it. `note` gets what was done; nothing is
/// where the scene has a floor.
dp_status cli_add_ground(dp_spec *spec, char *note, size_t bytes);

#endif
