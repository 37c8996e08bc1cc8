// A model file, read and compiled.
#ifndef DASHPOT_CLI_SCENE_H
#define DASHPOT_CLI_SCENE_H

#include "arguments.h"
#include "json.h"

#include <dashpot/format.h>

typedef struct cli_scene {
    dp_spec *spec;
    dp_import_report *report; // NULL when the file could not be read at all
    dp_model *model;
} cli_scene;

/// How a scene is read: what it may do without, and where its files may be.
typedef struct cli_allow {
    cli_list features;
    bool outside;      // includes and meshes may leave the folder of the file
    cli_list packages; // folders that hold packages, for package://
    bool floating;     // the root of a URDF file floats
} cli_allow;

/// Features that a scene asks for and that are neither simulated nor allowed.
typedef struct cli_missing {
    char name[16][64];
    int count;
    char message[2048]; // about the first
} cli_missing;

/// Read `path`. @return what went wrong; the words are in dp_last_error().
dp_status cli_scene_load(cli_scene *out, const char *path, const cli_allow *allow);
/// The same, and go on without what is missing; `missing` tells what that is. The report is the one
/// of the file as it stands.
dp_status cli_scene_load_anyway(cli_scene *out, cli_missing *missing, const char *path,
                                const cli_allow *allow);
void cli_scene_destroy(cli_scene *scene);

/// What became of the pieces of the file, grouped by verdict, equal ones together.
void cli_print_report(const dp_import_report *report);
void cli_json_report(cli_json *json, const dp_import_report *report);

/// The name of an element, or its number written to `number` when it has none.
const char *cli_label(char number[16], const char *name, int index);

const char *cli_integrator_name(dp_integrator integrator);

#endif
