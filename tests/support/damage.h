// Damage to text, reproducible, for readers that must survive it.
#ifndef DP_TESTS_DAMAGE_H
#define DP_TESTS_DAMAGE_H

#include "near.h"

/// Text that can grow up to its capacity.
typedef struct damaged_text {
    char *at;
    size_t count, capacity;
} damaged_text;

/// Flip a bit, change, cut, repeat or insert something, anywhere. `word`: what to insert, `nword`
/// pieces that mean something to the reader.
void damage_text(damaged_text *text, const char *const *word, int nword, random_source *r);

/// Replace what stands between two quotes by one of `value`: markup stays sound, values do not.
void damage_value(damaged_text *text, char quote, const char *const *value, int nvalue,
                  random_source *r);

#endif
