#include "io/mesh/mesh_text.h"

#include "base/interrupt.h"
#include "base/text/number.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

// How many bytes end the line here: "\n", "\r\n" or "\r"; 0: it goes on.
static size_t line_end(const dp_mesh_text *t, const char *at)
{
    if (at == t->end || (*at != '\n' && *at != '\r')) {
        return 0;
    }
    return *at == '\r' && at + 1 < t->end && at[1] == '\n' ? 2 : 1;
}

static void pass_line_end(dp_mesh_text *t)
{
    t->at += line_end(t, t->at);
    t->line += t->line < INT_MAX;
}

// A backslash as the last character of a line, which goes on in the next.
static bool is_joint(const dp_mesh_text *t, const char *at)
{
    return t->has_comments && *at == '\\' && line_end(t, at + 1) > 0;
}

static void skip_blanks(dp_mesh_text *t)
{
    while (t->at < t->end) {
        if (is_joint(t, t->at)) {
            ++t->at;
            pass_line_end(t);
        } else if (is_blank(*t->at)) {
            ++t->at;
        } else {
            return;
        }
    }
}

dp_word dp_mesh_word(dp_mesh_text *t)
{
    skip_blanks(t);
    dp_word word = {t->at, 0};
    if (t->at < t->end && t->has_comments && *t->at == '#') {
        return word;
    }
    while (t->at < t->end && !is_blank(*t->at) && line_end(t, t->at) == 0 && !is_joint(t, t->at)) {
        ++t->at;
    }
    word.length = (size_t)(t->at - word.at);
    return word;
}

bool dp_mesh_next_line(dp_mesh_text *t)
{
    while (t->at < t->end && line_end(t, t->at) == 0) {
        ++t->at;
    }
    if (t->at == t->end || dp_interrupted(100)) {
        return false;
    }
    pass_line_end(t);
    return true;
}

dp_word dp_mesh_word_anywhere(dp_mesh_text *t)
{
    dp_word word = dp_mesh_word(t);
    while (word.length == 0 && dp_mesh_next_line(t)) {
        word = dp_mesh_word(t);
    }
    return word;
}

bool dp_word_is(dp_word word, const char *text)
{
    for (size_t i = 0; i < word.length; ++i) {
        const char c = word.at[i];
        if (text[i] == '\0' || (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != text[i]) {
            return false;
        }
    }
    return text[word.length] == '\0';
}

dp_quoted dp_quote(dp_word word)
{
    enum { LONGEST = 40 };
    dp_quoted out;
    size_t n = 0;
    for (; n < word.length && n < LONGEST; ++n) {
        out.text[n] = word.at[n] >= ' ' && word.at[n] <= '~' ? word.at[n] : '?';
    }
    memcpy(out.text + n, word.length > LONGEST ? "..." : "", word.length > LONGEST ? 4 : 1);
    return out;
}

dp_status dp_mesh_text_fail(const dp_mesh_text *t, dp_word found, const char *expected)
{
    if (found.length == 0) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found the end of the %s (expected %s)", t->file,
                       t->line, t->at == t->end ? "file" : "line", expected);
    }
    return dp_fail(DP_ERROR_PARSE, "%s:%d: found '%s' (expected %s)", t->file, t->line,
                   dp_quote(found).text, expected);
}

dp_status dp_mesh_number(double *out, const dp_mesh_text *t, dp_word word, const char *expected)
{
    char buffer[400]; // longer than any number that is written with a purpose
    if (word.length == 0 || word.length >= sizeof buffer || memchr(word.at, '\0', word.length)) {
        return dp_mesh_text_fail(t, word, expected);
    }
    memcpy(buffer, word.at, word.length);
    buffer[word.length] = '\0';
    const char *cursor = buffer;
    switch (dp_number_read(out, &cursor)) {
    case DP_NUMBER_OK:
        return DP_OK;
    case DP_NUMBER_TOO_LARGE:
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found '%s', which is not finite (expected %s)",
                       t->file, t->line, dp_quote(word).text, expected);
    default:
        return dp_mesh_text_fail(t, word, expected);
    }
}
