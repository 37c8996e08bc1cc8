// Fields of option structs by name: what a value may be, and how it is read from text and written.
#ifndef DP_BASE_SETTING_H
#define DP_BASE_SETTING_H

#include <dashpot/base.h>

#include <stddef.h>

typedef enum dp_setting_kind {
    DP_SETTING_POSITIVE,      ///< double
    DP_SETTING_NOT_NEGATIVE,  ///< double
    DP_SETTING_FRACTION,      ///< double between 0 and 1, both excluded
    DP_SETTING_COUNT_ABOVE_0, ///< int
    DP_SETTING_COUNT,         ///< int ≥ 0
    DP_SETTING_SEED,          ///< uint64_t: a whole number ≥ 0
    DP_SETTING_VECTOR,        ///< dp_v3: "x,y,z" or "x y z"
    DP_SETTING_SWITCH,        ///< bool: "true", "1", "false" or "0"
} dp_setting_kind;

typedef struct dp_setting {
    const char *name;
    dp_setting_kind kind;
    size_t offset; ///< of the field in its struct
} dp_setting;

/// Read `text` into the field at `target`. `name` is for the message, as the user spelled it.
/// @return DP_ERROR_ARGUMENT for a value that it cannot have; nothing is changed
dp_status dp_setting_read(void *target, dp_setting_kind kind, const char *name, const char *text);

/// The place of `text` among `count` words, −1: none of them.
int dp_word_find(const char *const *word, int count, const char *text);

#endif
