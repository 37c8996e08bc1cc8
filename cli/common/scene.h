// A model file, read and compiled.
#ifndef DASHPOT_CLI_SCENE_H
#define DASHPOT_CLI_SCENE_H

#include "common/arguments.h"

#include <dashpot/format.h>

enum { CLI_MOST_ADDED = 16 }; // files of --add

typedef struct cli_scene {
    dp_spec *spec;
    dp_import_report *report;                // NULL when the file could not be read at all
    dp_import_report *added[CLI_MOST_ADDED]; // of files of --add, in their order
    int nadded;
    char note[400]; // what --ground did; "": nothing
    dp_model *model;
} cli_scene;

/// How a scene is read: what it may do without, where its files may be, and what is added to it.
typedef struct cli_allow {
    cli_list features;
    bool confined;              // includes and meshes stay in the folder tree of the file
    cli_list packages;          // folders that hold packages, for package://
    bool floating;              // the root of a URDF file floats
    const char *self_collision; // which of its links may touch: auto, all or none. NULL: auto
    bool visuals;               // meshes that are only seen are read, too: for pages
    bool ground;                // a plane is added below it
    cli_list added;             // FILE@POSE: files that are put into the scene
} cli_allow;

/// The options of a command that reads a scene, but for --allow itself, whose words differ.
#define CLI_ALLOW_FILES(allow)                                                                     \
    {"--confined",       0,    CLI_FLAG,                                                           \
     &(allow)->confined, NULL, "read only files in the folder tree of the scene"},                 \
        {"--package",                                                                              \
         0,                                                                                        \
         CLI_LIST,                                                                                 \
         &(allow)->packages,                                                                       \
         "DIR",                                                                                    \
         "look for package://NAME/… of a URDF file in DIR/NAME; may be\n"                        \
         "repeated"},                                                                              \
        {"--self-collision",                                                                       \
         0,                                                                                        \
         CLI_TEXT,                                                                                 \
         &(allow)->self_collision,                                                                 \
         "RULE",                                                                                   \
         "which links of a URDF file may touch each other, if no joint\n"                          \
         "connects them: auto (those that do not overlap with all joints\n"                        \
         "at zero), all or none; default auto"},                                                   \
        {"--floating",       0,    CLI_FLAG,                                                       \
         &(allow)->floating, NULL, "let the root of a URDF file float instead of fixing it"},      \
        {"--ground",                                                                               \
         0,                                                                                        \
         CLI_FLAG,                                                                                 \
         &(allow)->ground,                                                                         \
         NULL,                                                                                     \
         "add a plane at z = 0 where the scene has no floor, and place what\n"                     \
         "floats on it"},                                                                          \
    {                                                                                              \
        "--add", 0, CLI_LIST, &(allow)->added, "FILE@x,y,z",                                       \
            "put another model into the scene; roll,pitch,yaw [rad] may follow,\n"                 \
            "then floating; may be repeated"                                                       \
    }
/// With --allow for commands that simulate.
#define CLI_ALLOW(allow)                                                                           \
    {"--allow",                                                                                    \
     0,                                                                                            \
     CLI_WORDS,                                                                                    \
     &(allow)->features,                                                                           \
     "FEATURE",                                                                                    \
     "go on without a feature that is not simulated, e.g. flex;\n"                                 \
     "may be repeated or list several: sensor,flex"},                                              \
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

/// Read `path` and compile nothing: out->model is NULL.
dp_status cli_scene_read(cli_scene *out, const char *path, const cli_allow *allow);
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
/// What the library is asked for; `features` are the names to allow.
dp_import_options cli_import_options(const char *const *features, int count,
                                     const cli_allow *allow);
/// Whether options for URDF files were given with one; `report` is that of the file. Complains and
/// returns false.
bool cli_allow_fits(const cli_allow *allow, const char *path, const dp_import_report *report);
void cli_allow_free(cli_allow *allow);

/// Are errors of steps estimated and kept within tolerances?
bool cli_has_error_control(const dp_options *options);

#endif
