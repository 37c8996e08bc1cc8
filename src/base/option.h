// Options of one struct as a table: found by name, read from text.
#ifndef DP_BASE_OPTION_H
#define DP_BASE_OPTION_H

#include "base/setting.h"

typedef struct dp_option {
    const char *name;        // "group.option", found by either the whole or what follows the dot
    size_t offset;           // of the field in its struct
    dp_setting_kind setting; // of a number
    const char *const *word; // of an enumeration, by the number of the enumerator; NULL: a number
    int words;
} dp_option;

/// Set the option called `name` in the struct at `target`.
/// @return DP_ERROR_ARGUMENT for an unknown name or value; nothing is changed
dp_status dp_option_set(void *target, const dp_option *table, int count, const char *name,
                        const char *value);

/// Are the values in the struct at `options` such as dp_option_set takes? Seeds always are.
/// @return DP_ERROR_ARGUMENT, naming the field
dp_status dp_option_check(const void *options, const dp_option *table, int count);

/// The word of an enumerator, "unknown" where there is none.
static inline const char *dp_word_of(const char *const *word, int count, int i)
{
    return i >= 0 && i < count ? word[i] : "unknown";
}

#endif
