// What is likely to go wrong with a mechanism, found without running it.
#ifndef DASHPOT_CLI_WARNINGS_H
#define DASHPOT_CLI_WARNINGS_H

#include <dashpot/sim.h>

/// Call `tell` for every warning, one sentence each. `spec` is the one that `m` was compiled from;
/// `d` is at the configuration to look at.
void cli_warnings(dp_spec *spec, const dp_model *m, dp_data *d,
                  void (*tell)(void *context, const char *warning), void *context);

#endif
