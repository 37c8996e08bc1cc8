#include "io/problem/text_line.h"

#include "base/text/number.h"
#include "io/problem/problem_text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

dp_status dp_text_found(dp_text_place place, const char *at, const char *expected)
{
    enum { SHOWN = 40 };
    const int length = dp_word_length(at);
    if (length == 0) {
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found the end of the line (expected %s)",
                       place.label, place.line, expected);
    }
    return dp_fail(DP_ERROR_PARSE, "%s:%d: found '%.*s%s' (expected %s)", place.label, place.line,
                   length < SHOWN ? length : SHOWN, at, length < SHOWN ? "" : "…", expected);
}

dp_status dp_text_end(dp_text_place place, const char *at)
{
    at = dp_skip_space(at);
    return *at == '\0' ? DP_OK : dp_text_found(place, at, "the end of the line");
}

bool dp_text_is(const char *at, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && dp_word_length(at) == (int)n;
}

bool dp_text_real(double *out, const char **cursor)
{
    if (dp_text_is(*cursor, "inf") || dp_text_is(*cursor, "-inf")) {
        *out = **cursor == '-' ? -(double)INFINITY : (double)INFINITY;
        *cursor += dp_word_length(*cursor);
        return true;
    }
    return dp_number_read(out, cursor) == DP_NUMBER_OK;
}

bool dp_text_integer(int *out, const char **cursor)
{
    const char *at = *cursor;
    const bool negative = *at == '-';
    at += negative;
    const int length = dp_word_length(at);
    if (length < 1 || length > 10) {
        return false;
    }
    long long value = 0;
    for (int i = 0; i < length; ++i, ++at) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        value = 10 * value + (*at - '0');
    }
    if (value > INT_MAX) {
        return false;
    }
    *out = (int)(negative ? -value : value);
    *cursor = at;
    return true;
}

dp_status dp_text_word(const char **out, dp_pool *pool, dp_text_place place, const char **cursor,
                       const char *expected)
{
    const char *at = dp_skip_space(*cursor);
    const int length = dp_word_length(at);
    if (length == 0) {
        return dp_text_found(place, at, expected);
    }
    char *word;
    DP_TRY(dp_pool_take(&word, pool, (size_t)length + 1, 1));
    memcpy(word, at, (size_t)length);
    if (!dp_problem_is_word(word)) {
        return dp_text_found(place, at, "no control characters");
    }
    *out = word;
    *cursor = at + length;
    return DP_OK;
}

dp_status dp_text_count(size_t *out, dp_text_place place, const char **cursor, const char *name)
{
    const char *at = dp_skip_space(*cursor);
    const char *const number = at;
    int count;
    if (!dp_text_integer(&count, &at) || count < 0) {
        return dp_text_found(place, number, "how many values follow");
    }
    if ((size_t)count > strlen(at) / 2) { // a space and a digit each
        return dp_fail(DP_ERROR_PARSE, "%s:%d: found less than %d values of %s (expected %d)",
                       place.label, place.line, count, name, count);
    }
    *out = (size_t)count;
    *cursor = at;
    return DP_OK;
}

dp_status dp_text_option(dp_text_options *options, dp_pool *pool, dp_text_place place,
                         const char *at)
{
    DP_TRY(dp_grow(&options->option, &options->capacity, (size_t)options->count,
                   sizeof *options->option, &pool->allocator));
    dp_problem_option *option = &options->option[options->count++];
    DP_TRY(dp_text_word(&option->name, pool, place, &at, "the name of an option"));
    DP_TRY(dp_text_word(&option->value, pool, place, &at, "the value of the option"));
    return dp_text_end(place, at);
}

dp_status dp_text_options_keep(dp_problem_notes *notes, dp_text_options *options, dp_pool *pool)
{
    dp_problem_option *option;
    DP_TRY(dp_pool_take(&option, pool, (size_t)options->count, sizeof *option));
    for (int i = 0; i < options->count; ++i) {
        option[i] = options->option[i];
    }
    notes->option = option;
    notes->noption = options->count;
    return DP_OK;
}

dp_status dp_text_parse(void *out, dp_text_build build, const char *text, size_t bytes,
                        const char *label, const dp_allocator *allocator)
{
    const dp_allocator a = dp_allocator_or_default(allocator);
    char *copy;
    DP_TRY(dp_allocate(&copy, &a, bytes + 1, 1));
    if (bytes > 0) {
        memcpy(copy, text, bytes);
    }
    const dp_status status = build(out, copy, bytes, label, &a);
    dp_release(&a, copy, bytes + 1, 1);
    return status;
}

dp_status dp_text_load(void *out, dp_text_build build, const char *path,
                       const dp_allocator *allocator)
{
    const dp_allocator a = dp_allocator_or_default(allocator);
    char *text;
    size_t bytes;
    DP_TRY(dp_file_read(&text, &bytes, path, &a));
    const dp_status status = build(out, text, bytes, path, &a);
    dp_release(&a, text, bytes + 1, 1);
    return status;
}

dp_status dp_text_magic(dp_text_place place, const char *at, const char *magic, const char *version)
{
    char expected[64];
    if (!dp_text_is(at, magic)) {
        snprintf(expected, sizeof expected, "%.40s %.10s", magic, version);
        return dp_text_found(place, at, expected);
    }
    at = dp_skip_space(at + strlen(magic));
    if (!dp_text_is(at, version)) {
        snprintf(expected, sizeof expected, "version %.10s", version);
        return dp_text_found(place, at, expected);
    }
    return dp_text_end(place, at + strlen(version));
}

dp_status dp_text_lines(dp_text_place *place, char *text, size_t bytes, dp_text_reader read,
                        void *context)
{
    char *line = text, *const end = text + bytes;
    do {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        *stop = '\0';
        place->line += 1;
        if (strlen(line) < (size_t)(stop - line)) {
            return dp_fail(DP_ERROR_PARSE, "%s:%d: found a byte 0 (expected text)", place->label,
                           place->line);
        }
        DP_TRY(read(context, line));
        line = stop + 1;
    } while (line < end && place->line < INT_MAX);
    return DP_OK;
}
