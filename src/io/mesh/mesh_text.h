// Text of mesh files: words on lines.
#ifndef DP_FORMAT_MESH_TEXT_H
#define DP_FORMAT_MESH_TEXT_H

#include "base/error.h"

/// Where reading stands. The text need not end with a zero and may hold any bytes.
typedef struct dp_mesh_text {
    const char *at, *end;
    const char *file;  // for messages
    int line;          // from 1
    bool has_comments; // '#' starts one, up to the end of the line; a backslash there joins lines
} dp_mesh_text;

/// A piece of it.
typedef struct dp_word {
    const char *at;
    size_t length; // 0: there is none
} dp_word;

/// The next word of this line; length 0 at its end.
dp_word dp_mesh_word(dp_mesh_text *t);
/// The next word of this line or a later one; length 0 at the end of the text.
dp_word dp_mesh_word_anywhere(dp_mesh_text *t);
/// Go to the next line. False: there is none.
bool dp_mesh_next_line(dp_mesh_text *t);

/// Whether the word is `text`, which is in lower case; the word may be in any.
bool dp_word_is(dp_word word, const char *text);

/// Read `word` as a finite decimal number.
/// @return DP_ERROR_PARSE with file, line and what was expected.
dp_status dp_mesh_number(double *out, const dp_mesh_text *t, dp_word word, const char *expected);

/// Record a failure: "file:line: found 'word' (expected …)".
dp_status dp_mesh_text_fail(const dp_mesh_text *t, dp_word found, const char *expected);

/// A word as messages show it: at most 40 characters, bytes that are not ASCII as '?'.
typedef struct dp_quoted {
    char text[44];
} dp_quoted;
dp_quoted dp_quote(dp_word word);

#endif
