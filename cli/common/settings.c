#include "common/settings.h"

#include "common/program.h"
#include "common/text.h"

#include <stdio.h>
#include <string.h>

bool cli_set_word(dp_options *options, const char *setting, const char *where, const char *value)
{
    if (dp_options_set(options, setting, value) == DP_OK) {
        return true;
    }
    cli_complain("%s: %s", where, dp_last_error());
    return false;
}

static bool is_known(const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    const int count = dp_options_name_count() < MOST ? dp_options_name_count() : MOST;
    for (int i = 0; i < count; ++i) {
        names[i] = dp_options_name(i);
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    const char *near = cli_nearest(name, names, (size_t)count);
    cli_complain("--set: unknown option '%s' (%s%s%s)", name, near ? "did you mean '" : "",
                 near ? near : "'dashpot help run' lists them", near ? "'?" : "");
    return false;
}

bool cli_set(dp_options *options, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals) {
        cli_complain("--set: '%s' has no value (expected option=value)", assignment);
        return false;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    if (!is_known(name)) {
        return false;
    }
    if (dp_options_set(options, name, equals + 1) != DP_OK) {
        cli_complain("--set %s", dp_last_error());
        return false;
    }
    return true;
}

static bool is_same_setting(const char *a, const char *b)
{
    const size_t length = strcspn(a, "=");
    return strcspn(b, "=") == length && strncmp(a, b, length) == 0;
}

static bool is_repeated(const cli_list *settings, int i, const cli_twin *twins)
{
    const char *assignment = settings->item[i];
    for (int k = 0; k < i; ++k) {
        if (is_same_setting(settings->item[k], assignment)) {
            cli_complain("--set %.*s is given twice", (int)strcspn(assignment, "="), assignment);
            return true;
        }
    }
    for (const cli_twin *twin = twins; twin && twin->setting; ++twin) {
        if (twin->given && is_same_setting(twin->setting, assignment)) {
            const bool instead = twin->given == CLI_TWIN_INSTEAD;
            cli_complain(instead ? "--set %s: use %s" : "--set %s and %s exclude each other",
                         assignment, twin->option);
            return true;
        }
    }
    return false;
}

bool cli_set_all(dp_options *options, const cli_list *settings, const cli_twin *twins)
{
    for (int i = 0; i < settings->count; ++i) {
        if (is_repeated(settings, i, twins) || !cli_set(options, settings->item[i])) {
            return false;
        }
    }
    return true;
}
