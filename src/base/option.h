// Options of one struct as a table: found by name, read from text.
#ifndef DP_BASE_OPTION_H
#define DP_BASE_OPTION_H

#include "base/setting.h"

#include <stdbool.h>

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

/// Is an option "group.option" meant by `name`, the whole or what follows the dot?
bool dp_option_is_called(const char *own, const char *name);

enum { DP_LIST_BYTES = 512 };
/// Append the i-th of `count` words to a list: "a, b or c".
void dp_word_append(char list[DP_LIST_BYTES], const char *word, int i, int count);

/// Read the word of an enumerator into `field`, an int. @param name for the message
/// @return DP_ERROR_ARGUMENT for none of them
dp_status dp_word_read(void *field, const char *const *word, int count, const char *name,
                       const char *value);

/// The word of an enumerator, "unknown" where there is none.
static inline const char *dp_word_of(const char *const *word, int count, int i)
{
    return i >= 0 && i < count ? word[i] : "unknown";
}

#endif
