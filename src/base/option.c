#include "base/option.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

void dp_word_append(char list[DP_LIST_BYTES], const char *word, int i, int count)
{
    const size_t used = strlen(list);
    const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
    snprintf(list + used, DP_LIST_BYTES - used, "%s%s", before, word);
}

dp_status dp_word_read(void *field, const char *const *word, int count, const char *name,
                       const char *value)
{
    const int found = dp_word_find(word, count, value);
    if (found < 0) {
        char list[DP_LIST_BYTES] = "";
        for (int i = 0; i < count; ++i) {
            dp_word_append(list, word[i], i, count);
        }
        return dp_fail(DP_ERROR_ARGUMENT, "%s: '%.100s' is unknown (expected %s)", name, value,
                       list);
    }
    memcpy(field, &found, sizeof found);
    return DP_OK;
}

bool dp_option_is_called(const char *own, const char *name)
{
    return strcmp(name, own) == 0 || strcmp(name, strchr(own, '.') + 1) == 0;
}

dp_status dp_option_set(void *target, const dp_option *table, int count, const char *name,
                        const char *value)
{
    char list[DP_LIST_BYTES] = "";
    for (int i = 0; i < count; ++i) {
        const dp_option *o = &table[i];
        if (dp_option_is_called(o->name, name)) {
            void *field = (char *)target + o->offset;
            return o->word ? dp_word_read(field, o->word, o->words, name, value)
                           : dp_setting_read(field, o->setting, name, value);
        }
        dp_word_append(list, o->name, i, count);
    }
    return dp_fail(DP_ERROR_ARGUMENT, "unknown option '%.100s' (expected %s)", name, list);
}

static dp_status check(const void *field, const dp_option *o, const char *name)
{
    if (o->setting == DP_SETTING_FRACTION && !o->word) {
        double x;
        memcpy(&x, field, sizeof x);
        return x > 0.0 && x < 1.0
                   ? DP_OK
                   : dp_fail(DP_ERROR_ARGUMENT, "%s is %g (expected a number between 0 and 1)",
                             name, x);
    }
    int x;
    memcpy(&x, field, sizeof x);
    if (!o->word) {
        return x >= 0 ? DP_OK
                      : dp_fail(DP_ERROR_ARGUMENT, "%s is %d (expected 0 or more)", name, x);
    }
    return x >= 0 && x < o->words
               ? DP_OK
               : dp_fail(DP_ERROR_ARGUMENT, "%s is %d (expected 0 to %d)", name, x, o->words - 1);
}

dp_status dp_option_check(const void *options, const dp_option *table, int count)
{
    for (int i = 0; i < count; ++i) {
        const dp_option *o = &table[i];
        DP_ASSERT(o->word || o->setting == DP_SETTING_FRACTION || o->setting == DP_SETTING_COUNT ||
                  o->setting == DP_SETTING_SEED);
        if (o->word || o->setting != DP_SETTING_SEED) {
            DP_TRY(check((const char *)options + o->offset, o, strchr(o->name, '.') + 1));
        }
    }
    return DP_OK;
}
