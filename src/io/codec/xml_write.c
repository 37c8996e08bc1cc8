#include "io/codec/xml_write.h"

#include "base/text/number.h"
#include "base/text/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Lines end at this column where they can: between attributes, and inside of lists that are long.
// Elements below this depth are no further indented, so that the text of a chain grows with its
// length and not with the square of it.
enum { LAST_COLUMN = 100, LONG_LIST = 8, DEEPEST_INDENT = 16 };

void dp_xml_writer_init(dp_xml_writer *w, const dp_allocator *allocator)
{
    *w = (dp_xml_writer){.allocator = dp_allocator_or_default(allocator)};
}

void dp_xml_writer_release(dp_xml_writer *w)
{
    dp_release(&w->allocator, w->text, w->capacity, 1);
    w->text = NULL;
    w->used = w->capacity = 0;
}

dp_status dp_xml_writer_finish(char **out, size_t *bytes, dp_xml_writer *w)
{
    *out = NULL;
    *bytes = 0;
    dp_status status = w->status;
    if (status == DP_OK) {
        status = dp_allocate(out, &w->allocator, w->used + 1, 1);
    }
    if (status == DP_OK && w->used > 0) {
        memcpy(*out, w->text, w->used);
        *bytes = w->used;
    }
    dp_xml_writer_release(w);
    return status;
}

// ---- characters

static bool make_room(dp_xml_writer *w, size_t count)
{
    enum { FIRST = 4096 };
    if (w->status != DP_OK || count <= w->capacity - w->used) {
        return w->status == DP_OK;
    }
    size_t capacity = w->capacity > 0 ? w->capacity : FIRST;
    while (capacity - w->used < count) {
        if (capacity > SIZE_MAX / 2) {
            w->status = dp_fail(DP_ERROR_MEMORY, "out of memory: more than %zu bytes", capacity);
            return false;
        }
        capacity *= 2;
    }
    char *grown;
    w->status = dp_allocate(&grown, &w->allocator, capacity, 1);
    if (w->status != DP_OK) {
        return false;
    }
    if (w->used > 0) {
        memcpy(grown, w->text, w->used);
    }
    dp_release(&w->allocator, w->text, w->capacity, 1);
    w->text = grown;
    w->capacity = capacity;
    return true;
}

static void put(dp_xml_writer *w, const char *text, size_t count)
{
    if (make_room(w, count)) {
        memcpy(w->text + w->used, text, count);
        w->used += count;
    }
}

static void put_word(dp_xml_writer *w, const char *text)
{
    put(w, text, strlen(text));
}

static const char new_line[] = "\n                                        ";
_Static_assert(sizeof new_line > 2 * DEEPEST_INDENT + 1, "blanks for the deepest indentation");

// How much of `new_line` begins a line at this depth.
static size_t line_start(int depth)
{
    return 1 + 2 * (size_t)(depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT);
}

static void start_line(dp_xml_writer *w, int depth)
{
    if (w->used == 0) {
        return; // the first
    }
    put(w, new_line, line_start(depth));
    w->line = w->used - line_start(depth) + 1;
}

// ---- elements

static void close_tag(dp_xml_writer *w)
{
    if (w->in_tag) {
        put(w, ">", 1);
        w->in_tag = false;
    }
}

void dp_xml_begin(dp_xml_writer *w, const char *element)
{
    close_tag(w);
    start_line(w, w->depth);
    put(w, "<", 1);
    put_word(w, element);
    w->in_tag = true;
    w->declares = false;
    ++w->depth;
}

void dp_xml_end(dp_xml_writer *w, const char *element)
{
    --w->depth;
    if (w->in_tag) {
        put(w, "/>", 2);
        w->in_tag = false;
    } else {
        start_line(w, w->depth);
        put(w, "</", 2);
        put_word(w, element);
        put(w, ">", 1);
    }
    if (w->depth == 0) {
        put(w, "\n", 1);
    }
}

// ---- attributes

static void begin_attribute(dp_xml_writer *w, const char *attribute)
{
    DP_ASSERT(w->in_tag);
    w->attribute = w->used;
    put(w, " ", 1);
    put_word(w, attribute);
    put(w, "=\"", 2);
}

// Whether the present line would be too long with so many characters more.
static bool is_full(const dp_xml_writer *w, size_t more)
{
    return w->used - w->line + more > LAST_COLUMN;
}

// Move the present attribute to a line of its own, unless it began one or has several.
static void move_attribute(dp_xml_writer *w)
{
    const size_t more = line_start(w->depth + 1) - 1; // the blank is there
    if (w->line > w->attribute || !make_room(w, more)) {
        return;
    }
    char *at = w->text + w->attribute;
    memmove(at + more, at, w->used - w->attribute);
    memcpy(at, new_line, more + 1);
    w->used += more;
    w->line = w->attribute + 1;
}

static void end_attribute(dp_xml_writer *w)
{
    put(w, "\"", 1);
    if (is_full(w, 0)) {
        move_attribute(w);
    }
}

// The next word of a list.
static void put_item(dp_xml_writer *w, size_t index, size_t count, const char *word, size_t length)
{
    if (is_full(w, length + 2)) {
        move_attribute(w);
    }
    if (index > 0 && count > LONG_LIST && is_full(w, length + 2)) {
        start_line(w, w->depth + 1);
    } else if (index > 0) {
        put(w, " ", 1);
    }
    put(w, word, length);
}

static void fail(dp_xml_writer *w, dp_status status)
{
    if (w->status == DP_OK) {
        w->status = status;
    }
}

// The length of the character at `c` and its number; 0: no UTF-8 (RFC 3629).
static int decode(unsigned *number, const unsigned char *c)
{
    static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const int length = c[0] < 0x80             ? 1
                       : (c[0] & 0xe0) == 0xc0 ? 2
                       : (c[0] & 0xf0) == 0xe0 ? 3
                       : (c[0] & 0xf8) == 0xf0 ? 4
                                               : 0;
    if (length < 2) {
        *number = c[0];
        return length;
    }
    *number = c[0] & (0x7fu >> length);
    for (int i = 1; i < length; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
        *number = *number << 6 | (c[i] & 0x3fu);
    }
    const bool surrogate = *number >= 0xd800 && *number <= 0xdfff;
    return *number < smallest[length] || *number > 0x10ffff || surrogate ? 0 : length;
}

// "Char" of XML 1.0 [https://www.w3.org/TR/xml/#charsets].
static bool is_xml(unsigned number)
{
    return number >= 0x20 ? number != 0xfffe && number != 0xffff
                          : number == '\t' || number == '\n' || number == '\r';
}

// What must not stand in an attribute as it is: markup, and white space that a reader would turn
// into blanks. NULL: nothing of the kind.
static const char *escaped(unsigned number)
{
    switch (number) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

void dp_xml_put_text(dp_xml_writer *w, const char *attribute, const char *value)
{
    if (!value || !*value || w->status != DP_OK) {
        return;
    }
    begin_attribute(w, attribute);
    for (const char *c = value; *c != '\0';) {
        unsigned number;
        const int length = decode(&number, (const unsigned char *)c);
        if (length == 0) {
            fail(w, dp_fail(DP_ERROR_UNSUPPORTED,
                            "has the byte 0x%02x at place %td of its %s, which is not UTF-8 "
                            "(expected text that a file can hold)",
                            (unsigned)(unsigned char)*c, c - value + 1, attribute));
            return;
        }
        if (!is_xml(number)) {
            fail(w, dp_fail(DP_ERROR_UNSUPPORTED,
                            "has the character U+%04X at place %td of its %s, which XML cannot "
                            "hold (expected none of its kind)",
                            number, c - value + 1, attribute));
            return;
        }
        const char *instead = escaped(number);
        char reference[16];
        if (!instead && dp_utf8_control(c) != 0) { // the file may be printed: convert to stdout
            snprintf(reference, sizeof reference, "&#x%x;", number);
            instead = reference;
        }
        put(w, instead ? instead : c, instead ? strlen(instead) : (size_t)length);
        c += length;
    }
    end_attribute(w);
}

static void fail_not_finite(dp_xml_writer *w, const char *attribute, double x)
{
    fail(w, dp_fail(DP_ERROR_ARGUMENT, "has %g in its %s (expected finite numbers)", x, attribute));
}

void dp_xml_put_numbers(dp_xml_writer *w, const char *attribute, const double *x, size_t count)
{
    begin_attribute(w, attribute);
    for (size_t i = 0; i < count && w->status == DP_OK; ++i) {
        if (!isfinite(x[i])) {
            fail_not_finite(w, attribute, x[i]);
            return;
        }
        char number[DP_NUMBER_BYTES];
        const int length = dp_number_text(number, x[i]);
        put_item(w, i, count, number, (size_t)length);
    }
    end_attribute(w);
}

void dp_xml_put_floats(dp_xml_writer *w, const char *attribute, const float *x, size_t count)
{
    begin_attribute(w, attribute);
    for (size_t i = 0; i < count && w->status == DP_OK; ++i) {
        if (!isfinite(x[i])) {
            fail_not_finite(w, attribute, (double)x[i]);
            return;
        }
        char number[DP_NUMBER_BYTES];
        const int length = dp_float_text(number, x[i]);
        put_item(w, i, count, number, (size_t)length);
    }
    end_attribute(w);
}

void dp_xml_put_integers(dp_xml_writer *w, const char *attribute, const int *x, size_t count)
{
    begin_attribute(w, attribute);
    for (size_t i = 0; i < count && w->status == DP_OK; ++i) {
        char number[16];
        const int length = snprintf(number, sizeof number, "%d", x[i]);
        put_item(w, i, count, number, (size_t)length);
    }
    end_attribute(w);
}
