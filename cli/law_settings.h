// Options of a contact law by name: --law and --set of `solve`, and what a problem file says.
#ifndef DASHPOT_CLI_LAW_SETTINGS_H
#define DASHPOT_CLI_LAW_SETTINGS_H

#include <dashpot/law.h>

/// Set one option, e.g. "law.tolerance" or "tolerance" to "1e-12". `where` begins the complaint:
/// "--set", a file.
/// Complains and returns false.
bool cli_set_law_option(dp_law_options *options, const char *where, const char *name,
                        const char *value);

/// "law.tolerance=1e-12". Complains and returns false.
bool cli_set_law(dp_law_options *options, const char *assignment);

/// The law of that name. Complains and returns false.
bool cli_choose_law(dp_law_options *options, const char *where, const char *name);

#endif
