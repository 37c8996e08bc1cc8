#include "record/replay/json_page.h"

#include "base/output.h"
#include "base/text/utf8.h"

#include <math.h>
#include <string.h>

static void put(dp_json_page *j, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count && j->status == DP_OK; ++i) {
        j->status = dp_grow(&j->out.byte, &j->out.capacity, j->out.count, 1, &j->out.allocator);
        if (j->status == DP_OK) {
            j->out.byte[j->out.count++] = (unsigned char)bytes[i];
        }
    }
}

static void put_text(dp_json_page *j, const char *text)
{
    put(j, text, strlen(text));
}

// Nothing in the text can end the script element or begin a comment: < > & are never there.
static void put_string(dp_json_page *j, const char *text)
{
    put(j, "\"", 1);
    while (*text != '\0') {
        const size_t length = dp_utf8_length(text);
        const char c = *text;
        const unsigned control = dp_utf8_control(text);
        if (length == 0) {
            put_text(j, "\\ufffd");
        } else if (c == '"' || c == '\\') {
            put(j, "\\", 1);
            put(j, &c, 1);
        } else if (c == '<' || c == '>' || c == '&' || control != 0) {
            char escaped[8];
            snprintf(escaped, sizeof escaped, "\\u%04x",
                     control != 0 ? control & 0xffffu : (unsigned)c & 0xffu);
            put_text(j, escaped);
        } else {
            put(j, text, length);
        }
        text += length > 0 ? length : 1;
    }
    put(j, "\"", 1);
}

static void begin(dp_json_page *j, const char *key)
{
    if (j->filled) {
        put(j, ",", 1);
    }
    j->filled = true;
    if (key) {
        put_string(j, key);
        put(j, ":", 1);
    }
}

void dp_json_open(dp_json_page *j, const char *key, char bracket)
{
    begin(j, key);
    put(j, &bracket, 1);
    j->filled = false;
}

void dp_json_close(dp_json_page *j, char bracket)
{
    put(j, &bracket, 1);
    j->filled = true;
}

void dp_json_text(dp_json_page *j, const char *key, const char *text)
{
    begin(j, key);
    put_string(j, text);
}

void dp_json_number(dp_json_page *j, const char *key, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.7g", x);
    dp_plain_number(text);
    begin(j, key);
    put_text(j, isfinite(x) ? text : "null");
}

void dp_json_numbers(dp_json_page *j, const char *key, const double *x, int count)
{
    dp_json_open(j, key, '[');
    for (int i = 0; i < count; ++i) {
        dp_json_number(j, NULL, x[i]);
    }
    dp_json_close(j, ']');
}

void dp_json_count(dp_json_page *j, const char *key, long long n)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", n);
    begin(j, key);
    put_text(j, text);
}

void dp_json_bool(dp_json_page *j, const char *key, bool b)
{
    begin(j, key);
    put_text(j, b ? "true" : "false");
}

static void put_base64(dp_json_page *j, const unsigned char *x, size_t count)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned b = left > 1 ? x[i + 1] : 0, c = left > 2 ? x[i + 2] : 0;
        const unsigned bits = (unsigned)x[i] << 16 | b << 8 | c;
        const char four[4] = {digit[bits >> 18], digit[bits >> 12 & 63],
                              left > 1 ? digit[bits >> 6 & 63] : '=',
                              left > 2 ? digit[bits & 63] : '='};
        put(j, four, 4);
    }
}

void dp_json_bytes(dp_json_page *j, const char *key, const unsigned char *bytes, size_t count)
{
    dp_byte_buffer packed = {.allocator = j->out.allocator};
    if (j->status == DP_OK) {
        j->status = dp_deflate(&packed, bytes, count);
    }
    begin(j, key);
    put(j, "\"", 1);
    put_base64(j, packed.byte, j->status == DP_OK ? packed.count : 0);
    put(j, "\"", 1);
    dp_byte_buffer_release(&packed);
}
