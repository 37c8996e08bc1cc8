// The options of laws by name. Those of one law are in its file; a list ends with a name of NULL.
#ifndef DP_SOLVE_LAW_OPTION_H
#define DP_SOLVE_LAW_OPTION_H

#include "base/setting.h"

#include <dashpot/advanced/law.h>

enum { DP_MOST_WORDS = 3 };
typedef const char *const dp_option_words[DP_MOST_WORDS]; // by the number of the enumerator

/// The word of an enumerator, never NULL.
const char *dp_option_word(dp_option_words of, int i);

/// An option that has an effect under its own law, and under every law with one of the traits.
typedef struct dp_law_option {
    const char *name;
    size_t offset;           // in dp_law_options
    dp_setting_kind setting; // of its field, an enumeration is kept as an int
    dp_option_words *words;  // of an enumeration; NULL: a number or a switch
    const char *left_to_law; // the word for a double below 0; NULL: there is none
    dp_status (*check)(const void *field, const char *name); // what `setting` does not; NULL: all
    unsigned traits;                                         // of other laws that have it
} dp_law_option;

/// An option of that name, kept in that field of dp_law_options; then what else it has.
#define DP_LAW_OPTION(name_, field, ...)                                                           \
    {                                                                                              \
        .name = name_, .offset = offsetof(dp_law_options, field), __VA_ARGS__                      \
    }
#define DP_LAST_OPTION                                                                             \
    {                                                                                              \
        .name = NULL                                                                               \
    }

extern const dp_law_option dp_lcp_law_options[], dp_rigid_law_options[], dp_vi_law_options[],
    dp_tamsi_law_options[];

#endif
