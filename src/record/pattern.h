// Names asked for by pattern, and the nearest name where one is mistyped.
#ifndef DP_RECORD_PATTERN_H
#define DP_RECORD_PATTERN_H

#include <stdbool.h>

/// Whether all of `text` fits `pattern`: `*` stands for any characters, `?` for one, and a
/// backslash takes its special meaning from the character behind it.
bool dp_pattern_matches(const char *pattern, const char *text);

/// How many characters must be inserted, removed, replaced or swapped with their neighbour to turn
/// one text into the other; DP_TEXT_UNLIKE for texts too long to be compared.
int dp_text_distance(const char *a, const char *b);
enum { DP_TEXT_UNLIKE = 1 << 20 };

#endif
