// Settings of a run by name: --set option=value and --integrator.
#ifndef DASHPOT_CLI_SETTINGS_H
#define DASHPOT_CLI_SETTINGS_H

#include "arguments.h"

#include <dashpot/spec.h>

/// Change one setting: "gravity=0,0,-1.62", "disable_dampers=true". Complains and returns false.
bool cli_set(dp_options *options, const char *assignment);

/// All of --set. Complains, also of a setting that is given twice, and returns false.
bool cli_set_all(dp_options *options, const cli_list *settings);

/// "semi-implicit", "rk4" or "rk45". Complains and returns false.
bool cli_set_integrator(dp_options *options, const char *name);

#endif
