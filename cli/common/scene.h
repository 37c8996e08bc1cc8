// A model file, read and compiled.
#ifndef DASHPOT_CLI_SCENE_H
#define DASHPOT_CLI_SCENE_H

#include "common/arguments.h"

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

/// The options of a command that reads a scene, but for --allow itself, whose words differ.
#define CLI_ALLOW_FILES(allow)                                                                     \
    {"--allow-outside", 0,    CLI_FLAG,                                                            \
     &(allow)->outside, NULL, "let the scene include files from outside its folder"},              \
        {"--package",                                                                              \
         0,                                                                                        \
         CLI_LIST,                                                                                 \
         &(allow)->packages,                                                                       \
         "DIR",                                                                                    \
         "look for package://NAME/… of a URDF file in DIR/NAME; may be\n"                        \
         "repeated"},                                                                              \
    {                                                                                              \
        "--floating", 0, CLI_FLAG, &(allow)->floating, NULL,                                       \
            "let the root of a URDF file float instead of fixing it"                               \
    }
/// With --allow for commands that simulate.
#define CLI_ALLOW(allow)                                                                           \
    {"--allow",                                                                                    \
     0,                                                                                            \
     CLI_WORDS,                                                                                    \
     &(allow)->features,                                                                           \
     "FEATURE",                                                                                    \
     "go on without a feature that is not simulated, e.g. fluid;\n"                                \
     "may be repeated or list several: sensor,fluid"},                                             \
        CLI_ALLOW_FILES(allow)

/// A feature that a scene asks for and that is neither simulated nor allowed.
typedef struct cli_missing_feature {
    char feature[64];
    char message[1024]; // where it is asked for first
} cli_missing_feature;

enum { CLI_MOST_MISSING = 64 }; // as many as there are, dp_feature_count()

typedef struct cli_missing {
    cli_missing_feature item[CLI_MOST_MISSING];
    int count;
    char complaint[2048]; // of the first failure
} cli_missing;

/// Read `path`. @return what went wrong; the words are in dp_last_error().
dp_status cli_scene_load(cli_scene *out, const char *path, const cli_allow *allow);
/// The same from memory; files that it names are looked up beside `name`.
dp_status cli_scene_parse(cli_scene *out, const char *text, size_t bytes, const char *name,
                          const cli_allow *allow);
/// Read the file, and go on without what is missing; `missing` tells what that is.
dp_status cli_scene_load_anyway(cli_scene *out, cli_missing *missing, const char *path,
                                const cli_allow *allow);
/// Complain with the words of the library about a file that could not be read, and tell the options
/// that help. `feature` is that of the failure, "" for none.
void cli_complain_of_file(const char *message, const char *feature);
/// The same after cli_scene_load_anyway, which knows all that is missing; `status` is what it
/// returned.
void cli_complain_of_missing(const cli_missing *missing, dp_status status);
void cli_scene_destroy(cli_scene *scene);

/// Whether the user named a feature in --allow.
bool cli_allowed(const cli_allow *allow, const char *name);
/// Whether everything named in --allow is a feature or one of the other words, and every --package
/// a folder. Complains and returns false.
bool cli_allow_check(const cli_allow *allow, const char *const *others, int nother);
/// Whether options for URDF files were given with one; `report` is that of the file. Complains and
/// returns false.
bool cli_allow_fits(const cli_allow *allow, const char *path, const dp_import_report *report);

/// Are errors of steps estimated and kept within tolerances?
bool cli_has_error_control(const dp_options *options);

#endif
