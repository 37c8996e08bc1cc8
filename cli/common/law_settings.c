#include "common/law_settings.h"

#include "common/program.h"
#include "common/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool cli_is_option(const char *where, const char *name, const char *(*name_of)(int), int count)
{
    enum { MOST = 128 };
    const char *names[MOST];
    size_t nname = 0;
    assert(2 * count <= MOST);
    for (int i = 0; i < count; ++i) {
        names[nname++] = name_of(i);
        names[nname++] = strchr(name_of(i), '.') + 1;
    }
    for (size_t i = 0; i < nname; ++i) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    const char *near = cli_nearest(name, names, nname);
    if (near) {
        cli_complain("%s: unknown option '%s' (did you mean '%s'?)", where, name, near);
    } else {
        cli_complain("%s: unknown option '%s' ('dashpot help solve' lists them)", where, name);
    }
    return false;
}

bool cli_set_law_option(dp_law_options *options, const char *where, const char *name,
                        const char *value)
{
    if (!cli_is_option(where, name, dp_law_options_name, dp_law_options_name_count())) {
        return false;
    }
    if (dp_law_options_set(options, name, value) != DP_OK) {
        cli_complain("%s %s", where, dp_last_error());
        return false;
    }
    return true;
}

const char *cli_split_assignment(char name[CLI_NAME_BYTES], const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals) {
        cli_complain("--set: '%s' has no value (expected option=value)", assignment);
        return NULL;
    }
    snprintf(name, CLI_NAME_BYTES, "%.*s", (int)(equals - assignment), assignment);
    return equals + 1;
}

bool cli_set_law(dp_law_options *options, const char *assignment)
{
    char name[CLI_NAME_BYTES];
    const char *value = cli_split_assignment(name, assignment);
    return value && cli_set_law_option(options, "--set", name, value);
}

bool cli_choose_law(dp_law_options *options, const char *where, const char *name)
{
    if (dp_law_find(&options->law, name) != DP_OK) {
        cli_complain("%s: %s", where, dp_last_error());
        return false;
    }
    return true;
}
