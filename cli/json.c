#include "json.h"

#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_string(const char *text)
{
    putchar('"');
    while (*text != '\0') {
        const size_t length = cli_character(text);
        const unsigned char c = (unsigned char)*text;
        if (length == 0) {
            fputs("\\ufffd", stdout);
        } else if (c == '"' || c == '\\') {
            printf("\\%c", c);
        } else if (c < 0x20 || c == 0x7F) {
            printf("\\u%04x", c);
        } else {
            fwrite(text, 1, length, stdout);
        }
        text += length > 0 ? length : 1;
    }
    putchar('"');
}

// The comma behind the element before, the line, and the key.
static void begin(cli_json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->filled[json->depth]) {
            putchar(',');
        }
        json->filled[json->depth] = true;
        printf("\n%*s", 2 * json->depth, "");
    }
    if (key) {
        put_string(key);
        fputs(": ", stdout);
    }
}

static void put_number(double x)
{
    if (isfinite(x)) {
        printf("%.17g", x);
    } else {
        fputs("null", stdout);
    }
}

static void open_with(cli_json *json, const char *key, char bracket)
{
    begin(json, key);
    putchar(bracket);
    ++json->depth;
    json->filled[json->depth] = false;
}

static void close_with(cli_json *json, char bracket)
{
    const bool filled = json->filled[json->depth];
    --json->depth;
    if (filled) {
        printf("\n%*s", 2 * json->depth, "");
    }
    putchar(bracket);
    if (json->depth == 0) {
        putchar('\n');
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
    begin(json, key);
    put_string(text);
}

void cli_json_number(cli_json *json, const char *key, double x)
{
    begin(json, key);
    put_number(x);
}

void cli_json_count(cli_json *json, const char *key, long long n)
{
    begin(json, key);
    printf("%lld", n);
}

void cli_json_bool(cli_json *json, const char *key, bool b)
{
    begin(json, key);
    fputs(b ? "true" : "false", stdout);
}

void cli_json_null(cli_json *json, const char *key)
{
    begin(json, key);
    fputs("null", stdout);
}

void cli_json_numbers(cli_json *json, const char *key, const double *x, int count)
{
    begin(json, key);
    putchar('[');
    for (int i = 0; i < count; ++i) {
        fputs(i > 0 ? ", " : "", stdout);
        put_number(x[i]);
    }
    putchar(']');
}
