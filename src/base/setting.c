#include "base/setting.h"

#include "base/error.h"
#include "base/text/number.h"

#include <dashpot/types.h>

#include <limits.h>
#include <math.h>
#include <string.h>

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

static dp_status read_size(void *target, dp_setting_kind kind, const char *name, const char *text)
{
    const bool seed = kind == DP_SETTING_SEED;
    const bool whole = seed || kind == DP_SETTING_COUNT || kind == DP_SETTING_COUNT_ABOVE_0;
    const bool zero = seed || kind == DP_SETTING_COUNT || kind == DP_SETTING_NOT_NEGATIVE;
    double x;
    if (!read_number(&x, text, whole) || !(zero ? x >= 0.0 : x > 0.0)) {
        const char *expected = !whole ? zero ? "a number of 0 or more" : "a positive number"
                               : zero ? "a whole number of 0 or more"
                                      : "a whole number above 0";
        return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is not %s", name, text, expected);
    }
    if (kind == DP_SETTING_FRACTION && !(x < 1.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is too large (expected less than 1)", name,
                       text);
    }
    if (seed) {
        *(uint64_t *)target = (uint64_t)x;
    } else if (whole) {
        *(int *)target = (int)x;
    } else {
        *(double *)target = x;
    }
    return DP_OK;
}

dp_status dp_setting_read(void *target, dp_setting_kind kind, const char *name, const char *text)
{
    switch (kind) {
    case DP_SETTING_VECTOR:
        return read_vector(target, text)
                   ? DP_OK
                   : dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is not a vector (expected x,y,z)",
                             name, text);
    case DP_SETTING_SWITCH:
        return read_switch(target, text)
                   ? DP_OK
                   : dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is neither true nor false", name,
                             text);
    case DP_SETTING_POSITIVE:
    case DP_SETTING_NOT_NEGATIVE:
    case DP_SETTING_COUNT_ABOVE_0:
    case DP_SETTING_COUNT:
    case DP_SETTING_FRACTION:
    case DP_SETTING_SEED:
        break;
    }
    return read_size(target, kind, name, text);
}

int dp_word_find(const char *const *word, int count, const char *text)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(text, word[i]) == 0) {
            return i;
        }
    }
    return -1;
}
