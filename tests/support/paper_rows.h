// Rows of `dashpot paper`.
#ifndef DP_TEST_PAPER_ROWS_H
#define DP_TEST_PAPER_ROWS_H

#include <stdbool.h>

/// What `dashpot paper ID --quick --json` prints. Lives until the program is run again.
const char *paper_json(const char *id);
/// Is the value of the key of an object this text?
bool json_is_text(const char *element, const char *key, const char *value);
/// Our number, and the paper's, in the row of this case and quantity; it must be there.
double paper_ours(const char *json, const char *of, const char *quantity);
double paper_theirs(const char *json, const char *of, const char *quantity);
/// Is that row there with null in the place of our number?
bool paper_gives_none(const char *json, const char *of, const char *quantity);

#endif
