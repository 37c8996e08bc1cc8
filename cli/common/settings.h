// Settings of a run by name: --set option=value, --law and --integrator.
#ifndef DASHPOT_CLI_SETTINGS_H
#define DASHPOT_CLI_SETTINGS_H

#include "common/arguments.h"

#include <dashpot/spec.h>

/// Change one setting: "gravity=0,0,-1.62", "disable_dampers=true". Complains and returns false.
bool cli_set(dp_options *options, const char *assignment);

/// An option that says what a setting says, too.
typedef struct cli_twin {
    const char *setting, *option;
    int given; // whether the option is; CLI_TWIN_INSTEAD: the command takes no such setting
} cli_twin;
enum { CLI_TWIN_INSTEAD = 2 };

/// All of --set. Complains, also of a setting that is given twice or has a twin that is given, and
/// returns false. @param twins the last has no name; NULL: none
bool cli_set_all(dp_options *options, const cli_list *settings, const cli_twin *twins);

/// One setting that has an option of its own, `where`. Complains and returns false.
bool cli_set_word(dp_options *options, const char *setting, const char *where, const char *value);

#endif
