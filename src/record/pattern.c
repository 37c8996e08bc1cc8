#include "record/pattern.h"

#include <stddef.h>
#include <string.h>

// The byte behind one character of UTF-8.
static const char *next_character(const char *text)
{
    ++text;
    while (((unsigned char)*text & 0xC0u) == 0x80u) {
        ++text;
    }
    return text;
}

bool dp_pattern_matches(const char *pattern, const char *text)
{
    // Only the last star ever has to be tried again: an earlier one may keep its shortest match.
    const char *star = NULL, *star_text = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
            continue;
        }
        if (*pattern == '?') {
            ++pattern;
            text = next_character(text);
            continue;
        }
        const char *literal = pattern[0] == '\\' && pattern[1] != '\0' ? pattern + 1 : pattern;
        if (*literal == *text) {
            pattern = literal + 1;
            ++text;
            continue;
        }
        if (!star) {
            return false;
        }
        pattern = star;
        text = ++star_text;
    }
    while (*pattern == '*') {
        ++pattern;
    }
    return *pattern == '\0';
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int dp_text_distance(const char *a, const char *b)
{
    enum { LONGEST = 256 };
    const size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST) {
        return DP_TEXT_UNLIKE;
    }
    // Row i holds the distances of the first i characters of a to every beginning of b.
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; ++j) {
        last[j] = (int)j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= na; ++i) {
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = smaller(replaced, smaller(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], before[j - 2] + 1);
            }
        }
        int *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[nb];
}
