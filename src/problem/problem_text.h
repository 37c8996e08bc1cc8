// The words of a problem file, shared by its reader and its writer. docs/problem-file.md.
#ifndef DP_PROBLEM_PROBLEM_TEXT_H
#define DP_PROBLEM_PROBLEM_TEXT_H

#include <stdbool.h>

#define DP_PROBLEM_MAGIC "dashpot-problem"
#define DP_PROBLEM_VERSION "1"

/// Names of dp_row_state, in its order.
extern const char *const dp_row_state_word[4];

/// Whether a name or value is a word that a line can hold: no space, no control character. NULL and
/// "" are none.
bool dp_problem_is_word(const char *text);

#endif
