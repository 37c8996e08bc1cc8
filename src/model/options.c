// Settings by name: one table for files, for the command line and for programs.
#include "base/error.h"
#include "base/number.h"
#include "model/name_index.h"

#include <dashpot/spec.h>

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef enum setting_kind {
    POSITIVE,
    NOT_NEGATIVE,
    VECTOR,
    COUNT_ABOVE_0,
    COUNT,
    SWITCH,
    INTEGRATOR,
    LAW,
    VARIANT,
} setting_kind;

typedef struct setting {
    const char *name;
    setting_kind kind;
    size_t offset; // in dp_options
} setting;

#define FIELD(member) offsetof(dp_options, member)

static const setting settings[] = {
    {"step", POSITIVE, FIELD(step)},
    {"gravity", VECTOR, FIELD(gravity)},
    {"magnetic", VECTOR, FIELD(magnetic)},
    {"integrator", INTEGRATOR, FIELD(integrator)},
    {"relative_tolerance", POSITIVE, FIELD(relative_tolerance)},
    {"absolute_tolerance", POSITIVE, FIELD(absolute_tolerance)},
    {"max_substeps", COUNT_ABOVE_0, FIELD(max_substeps)},
    {"large_rotation", NOT_NEGATIVE, FIELD(large_rotation)},
    {"law", LAW, FIELD(law.law)},
    {"law.tolerance", POSITIVE, FIELD(law.tolerance)},
    {"law.max_factorizations", COUNT_ABOVE_0, FIELD(law.max_factorizations)},
    {"compliant.variant", VARIANT, FIELD(law.variant)},
    {"gap_tolerance", POSITIVE, FIELD(gap_tolerance)},
    {"max_passes", COUNT_ABOVE_0, FIELD(max_passes)},
    {"max_halvings", COUNT, FIELD(max_halvings)},
    {"accuracy", NOT_NEGATIVE, FIELD(accuracy)},
    {"ledger", SWITCH, FIELD(ledger)},
    {"disable_gravity", SWITCH, FIELD(disable_gravity)},
    {"disable_contact", SWITCH, FIELD(disable_contact)},
    {"disable_limits", SWITCH, FIELD(disable_limits)},
    {"disable_equality", SWITCH, FIELD(disable_equality)},
    {"disable_springs", SWITCH, FIELD(disable_springs)},
    {"disable_dampers", SWITCH, FIELD(disable_dampers)},
    {"disable_actuation", SWITCH, FIELD(disable_actuation)},
    {"disable_clamp_control", SWITCH, FIELD(disable_clamp_control)},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

int dp_options_name_count(void)
{
    return SETTINGS;
}

const char *dp_options_name(int index)
{
    return index >= 0 && index < SETTINGS ? settings[index].name : "";
}

// A number that is all of the text; whole numbers within those of an int where `whole`.
static bool read_number(double *out, const char *text, bool whole)
{
    const char *at = text;
    double x;
    if (*text == ' ' || dp_number_read(&x, &at) != DP_NUMBER_OK || *at != '\0' ||
        (whole && !(x == floor(x) && fabs(x) <= INT_MAX))) {
        return false;
    }
    *out = x;
    return true;
}

// "x,y,z" or "x y z"
static bool read_vector(dp_v3 *out, const char *text)
{
    char copy[256];
    const size_t length = strlen(text);
    if (length >= sizeof copy) {
        return false;
    }
    for (size_t i = 0; i <= length; ++i) {
        copy[i] = text[i];
        if (text[i] == ',') {
            const size_t next = i + 1 + strspn(text + i + 1, " ");
            if (text[next] == ',' || text[next] == '\0') {
                return false;
            }
            copy[i] = ' ';
        }
    }
    double x[3];
    const char *at = copy;
    for (int i = 0; i < 3; ++i) {
        if (dp_number_read(&x[i], &at) != DP_NUMBER_OK) {
            return false;
        }
    }
    if (at[strspn(at, " ")] != '\0') {
        return false;
    }
    *out = (dp_v3){x[0], x[1], x[2]};
    return true;
}

static bool read_switch(bool *out, const char *text)
{
    const bool on = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    if (!on && strcmp(text, "false") != 0 && strcmp(text, "0") != 0) {
        return false;
    }
    *out = on;
    return true;
}

static bool read_word(int *out, const char *const *word, int count, const char *text)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(text, word[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static dp_status set_integrator(dp_integrator *out, const char *value)
{
    static const char *const word[] = {"semi-implicit", "rk4", "rk45"}; // as they are numbered
    int i;
    if (!read_word(&i, word, 3, value)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "unknown integrator '%.100s' (expected semi-implicit, rk4 or rk45)", value);
    }
    *out = (dp_integrator)i;
    return DP_OK;
}

static dp_status set_variant(dp_compliant_variant *out, const char *value)
{
    static const char *const word[] = {"exact", "published"};
    int i;
    if (!read_word(&i, word, 2, value)) {
        return dp_fail(
            DP_ERROR_ARGUMENT,
            "unknown variant '%.100s' of the compliant law (expected exact or published)", value);
    }
    *out = (dp_compliant_variant)i;
    return DP_OK;
}

static dp_status set_number(void *target, const setting *s, const char *value)
{
    const bool whole = s->kind == COUNT || s->kind == COUNT_ABOVE_0;
    const bool zero = s->kind == COUNT || s->kind == NOT_NEGATIVE;
    double x;
    if (!read_number(&x, value, whole) || !(zero ? x >= 0.0 : x > 0.0)) {
        const char *expected = !whole ? zero ? "a number of 0 or more" : "a positive number"
                               : zero ? "a whole number of 0 or more"
                                      : "a whole number above 0";
        return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is not %s", s->name, value, expected);
    }
    if (whole) {
        *(int *)target = (int)x;
    } else {
        *(double *)target = x;
    }
    return DP_OK;
}

dp_status dp_options_set(dp_options *options, const char *name, const char *value)
{
    const setting *s = NULL;
    for (int i = 0; i < SETTINGS; ++i) {
        s = strcmp(settings[i].name, name) == 0 ? &settings[i] : s;
    }
    if (!s) {
        const dp_name_list names = {&settings[0].name, sizeof settings[0], SETTINGS};
        return dp_name_fail(names, "option", name);
    }
    void *target = (char *)options + s->offset;
    switch (s->kind) {
    case VECTOR:
        return read_vector(target, value)
                   ? DP_OK
                   : dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is not a vector (expected x,y,z)",
                             name, value);
    case SWITCH:
        return read_switch(target, value)
                   ? DP_OK
                   : dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is neither true nor false", name,
                             value);
    case INTEGRATOR:
        return set_integrator(target, value);
    case LAW:
        return dp_law_find(target, value);
    case VARIANT:
        return set_variant(target, value);
    case POSITIVE:
    case NOT_NEGATIVE:
    case COUNT_ABOVE_0:
    case COUNT:
        break;
    }
    return set_number(target, s, value);
}
