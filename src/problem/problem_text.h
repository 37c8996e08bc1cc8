// The words of a problem file, shared by its reader and its writer. docs/problem-file.md.
#ifndef DP_PROBLEM_PROBLEM_TEXT_H
#define DP_PROBLEM_PROBLEM_TEXT_H

#define DP_PROBLEM_MAGIC "dashpot-problem"
#define DP_PROBLEM_VERSION "1"

/// Names of dp_row_state, in its order.
extern const char *const dp_row_state_word[4];

#endif
