// The words of problem files, shared by their readers and their writer. docs/problem-file.md,
// docs/lcp-file.md.
#ifndef DP_PROBLEM_PROBLEM_TEXT_H
#define DP_PROBLEM_PROBLEM_TEXT_H

#include <dashpot/advanced/problem.h>
#include <dashpot/row.h>

#include <stdbool.h>

#define DP_PROBLEM_MAGIC "dashpot-problem"
#define DP_PROBLEM_VERSION "1"
#define DP_LCP_MAGIC "dashpot-lcp"
#define DP_LCP_VERSION "1"

/// Names of dp_row_state, in its order.
enum { DP_ROW_STATES = DP_ROW_STATE_SLIP + 1 };
extern const char *const dp_row_state_word[DP_ROW_STATES];

/// Whether a name or value is a word that a line can hold: no space, no control character. NULL and
/// "" are none.
bool dp_problem_is_word(const char *text);

#endif
