// The JSON of `dashpot compare`: numbers of its runs.
#ifndef DP_TESTS_COMPARED_ROWS_H
#define DP_TESTS_COMPARED_ROWS_H

/// The run of a law with the n-th of its steps, from 0; NULL: there is none.
const char *compared_run(const char *json, const char *law, int n);
/// A measure of the first run of a law, which must be there.
double compared(const char *json, const char *law, const char *measure);

#endif
