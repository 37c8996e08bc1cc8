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

/// Read `path`. @return an exit code; what went wrong is dp_last_error().
int cli_scene_load(cli_scene *out, const char *path, const cli_list *allow);
void cli_scene_destroy(cli_scene *scene);

/// What became of the pieces of the file, grouped by verdict, equal ones together.
void cli_print_report(const dp_import_report *report);
void cli_json_report(cli_json *json, const dp_import_report *report);

/// The name of an element, or its number written to `number` when it has none.
const char *cli_label(char number[16], const char *name, int index);

const char *cli_integrator_name(dp_integrator integrator);

#endif
