// Options of a contact law by name: --law and --set of `solve`, and what a problem file says.
#ifndef DASHPOT_CLI_LAW_SETTINGS_H
#define DASHPOT_CLI_LAW_SETTINGS_H

#include <dashpot/law.h>

/// Whether one of `count` options has this name, with or without what stands before its dot.
/// Complains and returns false. @param name_of the full name of each
bool cli_is_option(const char *where, const char *name, const char *(*name_of)(int), int count);

/// "name=value" of --set: the name, and the value as the result. Complains and returns NULL.
enum { CLI_NAME_BYTES = 64 };
const char *cli_split_assignment(char name[CLI_NAME_BYTES], const char *assignment);

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
