#include "settings.h"

#include "law_settings.h"
#include "program.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef enum setting_kind {
    POSITIVE,
    VECTOR,
    COUNT,
    COUNT_ABOVE_0,
    SWITCH,
    INTEGRATOR
} setting_kind;

typedef struct setting {
    const char *name;
    setting_kind kind;
    size_t offset; // in dp_options
} setting;

static const setting settings[] = {
    {"step", POSITIVE, offsetof(dp_options, step)},
    {"gravity", VECTOR, offsetof(dp_options, gravity)},
    {"magnetic", VECTOR, offsetof(dp_options, magnetic)},
    {"integrator", INTEGRATOR, offsetof(dp_options, integrator)},
    {"relative_tolerance", POSITIVE, offsetof(dp_options, relative_tolerance)},
    {"absolute_tolerance", POSITIVE, offsetof(dp_options, absolute_tolerance)},
    {"max_substeps", COUNT_ABOVE_0, offsetof(dp_options, max_substeps)},
    {"large_rotation", POSITIVE, offsetof(dp_options, large_rotation)},
    {"accuracy", POSITIVE, offsetof(dp_options, accuracy)},
    {"gap_tolerance", POSITIVE, offsetof(dp_options, gap_tolerance)},
    {"max_passes", COUNT_ABOVE_0, offsetof(dp_options, max_passes)},
    {"max_halvings", COUNT, offsetof(dp_options, max_halvings)},
    {"disable_gravity", SWITCH, offsetof(dp_options, disable_gravity)},
    {"disable_contact", SWITCH, offsetof(dp_options, disable_contact)},
    {"disable_limits", SWITCH, offsetof(dp_options, disable_limits)},
    {"disable_equality", SWITCH, offsetof(dp_options, disable_equality)},
    {"disable_springs", SWITCH, offsetof(dp_options, disable_springs)},
    {"disable_dampers", SWITCH, offsetof(dp_options, disable_dampers)},
    {"disable_actuation", SWITCH, offsetof(dp_options, disable_actuation)},
    {"disable_clamp_control", SWITCH, offsetof(dp_options, disable_clamp_control)},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

bool cli_set_integrator(dp_options *options, const char *name)
{
    static const char *const names[] = {"semi-implicit", "rk4", "rk45"};
    static const dp_integrator value[] = {DP_SEMI_IMPLICIT, DP_RK4, DP_RK45};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(name, names[i]) == 0) {
            options->integrator = value[i];
            return true;
        }
    }
    cli_complain("unknown integrator '%s' (expected semi-implicit, rk4 or rk45)", name);
    return false;
}

static bool read_vector(dp_v3 *out, const char *text)
{
    double x[3];
    char piece[64];
    for (int i = 0; i < 3; ++i) {
        const size_t length = strcspn(text, ",");
        if (length >= sizeof piece || (text[length] == ',') != (i < 2)) {
            return false;
        }
        memcpy(piece, text, length);
        piece[length] = '\0';
        if (!cli_read_number(&x[i], piece)) {
            return false;
        }
        text += length + 1;
    }
    *out = (dp_v3){x[0], x[1], x[2]};
    return true;
}

static bool read_switch(bool *out, const char *text)
{
    *out = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *out || strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
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
    const char *value = equals + 1;
    for (int i = 0; i < 2; ++i) { // options of laws
        static const char *const owner[] = {"law.", "compliant."};
        const size_t skip = strlen(owner[i]);
        if (strncmp(name, owner[i], skip) == 0) {
            return cli_set_law_option(&options->law, "--set", name + skip, value);
        }
    }
    const setting *found = NULL;
    const char *names[SETTINGS];
    for (int i = 0; i < SETTINGS; ++i) {
        names[i] = settings[i].name;
        if (strcmp(settings[i].name, name) == 0) {
            found = &settings[i];
        }
    }
    if (!found) {
        const char *near = cli_nearest(name, names, SETTINGS);
        cli_complain("--set: unknown option '%s' (%s%s%s)", name, near ? "did you mean '" : "",
                     near ? near : "'dashpot help run' lists them", near ? "'?" : "");
        return false;
    }
    void *target = (char *)options + found->offset;
    double x;
    long long n;
    switch (found->kind) {
    case POSITIVE:
        if (!cli_read_number(&x, value) || !(x > 0.0)) {
            cli_complain("--set %s: '%s' is not a positive number", name, value);
            return false;
        }
        *(double *)target = x;
        return true;
    case VECTOR:
        if (!read_vector(target, value)) {
            cli_complain("--set %s: '%s' is not a vector (expected x,y,z)", name, value);
            return false;
        }
        return true;
    case COUNT:
    case COUNT_ABOVE_0:
        if (!cli_read_count(&n, value) || n < (found->kind == COUNT ? 0 : 1) || n > INT_MAX) {
            cli_complain("--set %s: '%s' is not a whole number%s", name, value,
                         found->kind == COUNT ? "" : " above 0");
            return false;
        }
        *(int *)target = (int)n;
        return true;
    case SWITCH:
        if (!read_switch(target, value)) {
            cli_complain("--set %s: '%s' is neither true nor false", name, value);
            return false;
        }
        return true;
    case INTEGRATOR:
        break;
    }
    return cli_set_integrator(options, value);
}
