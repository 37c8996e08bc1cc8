#include "common/text.h"

#include "common/program.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_read_number(double *out, const char *text)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') {
        return false;
    }
    char *end;
    const double value = strtod(text, &end);
    if (*end != '\0' || end == text || !isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

bool cli_read_count(long long *out, const char *text)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return false;
    }
    errno = 0;
    const long long value = strtoll(text, NULL, 10);
    if (errno != 0) {
        return false;
    }
    *out = value;
    return true;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Insertions, removals, replacements and swaps of neighbours that turn `a` into `b`.
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 80 };
    const size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST) {
        return LONGEST;
    }
    int row[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= na; ++i) {
        for (size_t j = 0; j <= nb; ++j) {
            if (i == 0 || j == 0) {
                row[i][j] = (int)(i + j);
                continue;
            }
            const int replaced = row[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[i][j] = smaller(replaced, smaller(row[i - 1][j], row[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[i][j] = smaller(row[i][j], row[i - 2][j - 2] + 1);
            }
        }
    }
    return row[na][nb];
}

// The word that begins with `text`, if it is the only one.
static const char *only_beginning(const char *text, const char *const *words, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; i < count; ++i) {
        if (strncmp(words[i], text, strlen(text)) == 0) {
            if (found) {
                return NULL;
            }
            found = words[i];
        }
    }
    return found;
}

const char *cli_nearest(const char *text, const char *const *words, size_t count)
{
    const size_t dashes = strspn(text, "-"), length = strlen(text + dashes);
    const char *nearest = only_beginning(text, words, count);
    if (nearest && length >= 2) {
        return nearest;
    }
    nearest = NULL;
    // More than about a third of the letters changed is another word.
    const int most = length < 6 ? 1 : smaller(3, (int)length / 3);
    int least = most + 1;
    for (size_t i = 0; i < count; ++i) {
        const int d = distance(text, words[i]);
        if (d < least) {
            least = d;
            nearest = words[i];
        }
    }
    return nearest;
}

size_t cli_character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) {
        return c[0] == '\0' ? 0 : 1;
    }
    if (c[0] < 0xC2 || c[0] > 0xF4) {
        return 0;
    }
    const size_t n = c[0] >= 0xF0 ? 4 : c[0] >= 0xE0 ? 3 : 2;
    uint32_t code = c[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; ++i) {
        if ((c[i] & 0xC0u) != 0x80u) {
            return 0;
        }
        code = code << 6 | (c[i] & 0x3Fu);
    }
    static const uint32_t first[5] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= first[n] && code <= 0x10FFFF && !surrogate ? n : 0;
}

int cli_width(const char *text)
{
    int n = 0;
    while (*text != '\0') {
        const size_t length = cli_character(text);
        text += length > 0 ? length : 1;
        ++n;
    }
    return n;
}

// "1.200e-05" → "1.2e-05"
static void drop_zeros(char *text)
{
    char *e = strchr(text, 'e'), *end = e;
    if (!strchr(text, '.')) {
        return;
    }
    while (end[-1] == '0') {
        --end;
    }
    end -= end[-1] == '.' ? 1 : 0;
    memmove(end, e, strlen(e) + 1);
}

cli_number cli_short(int digits, double x)
{
    cli_number out;
    snprintf(out.text, sizeof out.text, "%.*g", digits, x);
    if (x != 0.0 && fabs(x) < 1e-3) { // %g begins a decade later, with more zeros than digits
        snprintf(out.text, sizeof out.text, "%.*e", digits - 1, x);
        drop_zeros(out.text);
    }
    char *to = strchr(out.text, 'e');
    if (to) {
        const char *from = to + 1;
        to += 1;
        if (*from == '-') {
            *to++ = *from;
        }
        from += strspn(from, "+-0");
        memmove(to, from, strlen(from) + 1);
    }
    return out;
}

// The text with `mark` instead of the line ends of the format.
static char *format_marked(const char *format, char mark, va_list arguments)
{
    char *marked = strdup(format);
    if (!marked) {
        return NULL;
    }
    for (char *c = strchr(marked, '\n'); c; c = strchr(c, '\n')) {
        *c = mark;
    }
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, marked, again);
    va_end(again);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text) {
        vsnprintf(text, (size_t)length + 1, marked, arguments);
    }
    free(marked);
    return text;
}

// Where two texts with different marks differ, there is a line end of the format; all other
// characters are made printable.
char *cli_format(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    char *one = format_marked(format, '\x01', arguments);
    char *two = format_marked(format, '\x02', again);
    va_end(again);
    char *out = one && two ? malloc(6 * strlen(one) + 1) : NULL; // "\\u202e" is the longest escape
    size_t used = 0;
    for (size_t from = 0, to; out; from = to + 1) {
        for (to = from; one[to] != '\0' && one[to] == two[to]; ++to) {
        }
        const bool line_end = one[to] != '\0';
        one[to] = '\0';
        used += dp_text_printable(out + used, 6 * (to - from) + 1, one + from);
        if (!line_end) {
            break;
        }
        out[used++] = '\n';
        out[used] = '\0';
    }
    free(one);
    free(two);
    return out;
}

void cli_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = cli_format(format, arguments);
    va_end(arguments);
    fputs(text ? text : "", stdout);
    free(text);
}

void cli_print_sentence(int hang, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = cli_format(format, arguments);
    va_end(arguments);
    if (!text) {
        return;
    }
    int column = 0;
    for (char *word = text; *word != '\0';) {
        const size_t space = strspn(word, " "), length = strcspn(word + space, " ");
        const char end = word[space + length];
        word[space + length] = '\0';
        if (column > hang && column + cli_width(word) > CLI_PAGE) {
            cli_print("\n%*s%s", hang, "", word + space);
            column = hang + cli_width(word + space);
        } else {
            fputs(word, stdout);
            column += cli_width(word);
        }
        word[space + length] = end;
        word += space + length;
    }
    putchar('\n');
    free(text);
}
