// Lines of words and numbers, as problem files have them: what their readers share.
#ifndef DP_PROBLEM_TEXT_LINE_H
#define DP_PROBLEM_TEXT_LINE_H

#include "base/memory.h"

#include <dashpot/advanced/problem.h>

#include <stdbool.h>

/// Where a reader is.
typedef struct dp_text_place {
    const char *label;
    int line; // from 1
} dp_text_place;

/// "label:line: found … (expected …)" with the word that stands at `at`, shortened.
dp_status dp_text_found(dp_text_place place, const char *at, const char *expected);
/// Nothing but space may be left.
dp_status dp_text_end(dp_text_place place, const char *at);

/// Is the word at `at` this one?
bool dp_text_is(const char *at, const char *word);

/// A number, inf or -inf at *cursor, which then stands behind it.
bool dp_text_real(double *out, const char **cursor);
/// A whole number from −INT_MAX to INT_MAX.
bool dp_text_integer(int *out, const char **cursor);

/// The next word, kept in the pool. @param expected what it is called in the message
dp_status dp_text_word(const char **out, dp_pool *pool, dp_text_place place, const char **cursor,
                       const char *expected);

/// How many values follow, and that the line is long enough for them. @param name of the array
dp_status dp_text_count(size_t *out, dp_text_place place, const char **cursor, const char *name);

/// Options "option NAME VALUE" in order.
typedef struct dp_text_options {
    dp_problem_option *option;
    size_t capacity;
    int count;
} dp_text_options;
dp_status dp_text_option(dp_text_options *options, dp_pool *pool, dp_text_place place,
                         const char *at);
/// Hand them over into the pool, and release what grew.
dp_status dp_text_options_keep(dp_problem_notes *notes, dp_text_options *options, dp_pool *pool);

/// Make an object of a text of `bytes` characters and a zero behind them, which it may take apart.
/// `out` is the address of a pointer to the object, which is NULL before and after a failure.
typedef dp_status (*dp_text_build)(void *out, char *text, size_t bytes, const char *label,
                                   const dp_allocator *a);
/// From a copy of the text, or from a file. @param allocator NULL: malloc
dp_status dp_text_parse(void *out, dp_text_build build, const char *text, size_t bytes,
                        const char *label, const dp_allocator *allocator);
dp_status dp_text_load(void *out, dp_text_build build, const char *path,
                       const dp_allocator *allocator);

/// The first line: this word and this version.
dp_status dp_text_magic(dp_text_place place, const char *at, const char *magic,
                        const char *version);

/// Call `line` for each line of a text of `bytes` characters and a zero behind them; line ends
/// become zeros. place->line counts.
typedef dp_status (*dp_text_reader)(void *context, const char *line);
dp_status dp_text_lines(dp_text_place *place, char *text, size_t bytes, dp_text_reader read,
                        void *context);

#endif
