#include "common/json.h"

#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static FILE *file_of(const cli_json *json)
{
    return json->file ? json->file : stdout;
}

static void put_string(FILE *file, const char *text)
{
    putc('"', file);
    while (*text != '\0') {
        const size_t length = cli_character(text);
        const unsigned char c = (unsigned char)*text;
        if (length == 0) {
            fputs("\\ufffd", file);
        } else if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20 || c == 0x7F) {
            fprintf(file, "\\u%04x", c);
        } else {
            char one[8] = "", shown[8];
            memcpy(one, text, length);
            dp_text_printable(shown, sizeof shown, one); // its \\u202e is also an escape of JSON
            fputs(shown, file);
        }
        text += length > 0 ? length : 1;
    }
    putc('"', file);
}

// The comma behind the element before, the line, and the key.
static FILE *begin(cli_json *json, const char *key)
{
    FILE *file = file_of(json);
    if (json->depth > 0) {
        if (json->filled[json->depth]) {
            putc(',', file);
        }
        json->filled[json->depth] = true;
        fprintf(file, "\n%*s", 2 * json->depth, "");
    }
    if (key) {
        put_string(file, key);
        fputs(": ", file);
    }
    return file;
}

static void put_number(FILE *file, double x)
{
    if (isfinite(x)) {
        fprintf(file, "%.17g", x);
    } else {
        fputs("null", file);
    }
}

static void open_with(cli_json *json, const char *key, char bracket)
{
    putc(bracket, begin(json, key));
    ++json->depth;
    json->filled[json->depth] = false;
}

static void close_with(cli_json *json, char bracket)
{
    FILE *file = file_of(json);
    const bool filled = json->filled[json->depth];
    --json->depth;
    if (filled) {
        fprintf(file, "\n%*s", 2 * json->depth, "");
    }
    putc(bracket, file);
    if (json->depth == 0) {
        putc('\n', file);
    }
}

void cli_json_open(cli_json *json, const char *key)
{
    open_with(json, key, '{');
}

void cli_json_close(cli_json *json)
{
    close_with(json, '}');
}

void cli_json_array(cli_json *json, const char *key)
{
    open_with(json, key, '[');
}

void cli_json_end(cli_json *json)
{
    close_with(json, ']');
}

void cli_json_text(cli_json *json, const char *key, const char *text)
{
    put_string(begin(json, key), text);
}

void cli_json_number(cli_json *json, const char *key, double x)
{
    put_number(begin(json, key), x);
}

void cli_json_count(cli_json *json, const char *key, long long n)
{
    fprintf(begin(json, key), "%lld", n);
}

void cli_json_bool(cli_json *json, const char *key, bool b)
{
    fputs(b ? "true" : "false", begin(json, key));
}

void cli_json_null(cli_json *json, const char *key)
{
    fputs("null", begin(json, key));
}

void cli_json_raw(cli_json *json, const char *key, const char *text)
{
    fputs(text, begin(json, key));
}

void cli_json_numbers(cli_json *json, const char *key, const double *x, int count)
{
    FILE *file = begin(json, key);
    putc('[', file);
    for (int i = 0; i < count; ++i) {
        fputs(i > 0 ? ", " : "", file);
        put_number(file, x[i]);
    }
    putc(']', file);
}
