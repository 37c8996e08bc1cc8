#include "law_settings.h"

#include "program.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

// Complains of a name that no option has, with or without what stands before its dot.
static bool is_known(const char *where, const char *name)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    for (int i = 0; i < dp_law_options_name_count() && count + 2 <= MOST; ++i) {
        names[count++] = dp_law_options_name(i);
        names[count++] = strchr(dp_law_options_name(i), '.') + 1;
    }
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    const char *near = cli_nearest(name, names, count);
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
    if (!is_known(where, name)) {
        return false;
    }
    if (dp_law_options_set(options, name, value) != DP_OK) {
        cli_complain("%s %s", where, dp_last_error());
        return false;
    }
    return true;
}

bool cli_set_law(dp_law_options *options, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals) {
        cli_complain("--set: '%s' has no value (expected option=value)", assignment);
        return false;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    return cli_set_law_option(options, "--set", name, equals + 1);
}

bool cli_choose_law(dp_law_options *options, const char *where, const char *name)
{
    if (dp_law_find(&options->law, name) != DP_OK) {
        cli_complain("%s: %s", where, dp_last_error());
        return false;
    }
    return true;
}
