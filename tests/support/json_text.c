#include "json_text.h"

#include "near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_value(const char *c);

static const char *skip_space(const char *c)
{
    return c + strspn(c, " \t\r\n");
}

static const char *skip_string(const char *c)
{
    if (*c++ != '"') {
        return NULL;
    }
    while (*c != '"') {
        if ((unsigned char)*c < 0x20) {
            return NULL;
        }
        if (*c == '\\') {
            ++c;
            if (*c == 'u') {
                for (int i = 0; i < 4; ++i) {
                    if (!isxdigit((unsigned char)*++c)) {
                        return NULL;
                    }
                }
            } else if (*c == '\0' || !strchr("\"\\/bfnrt", *c)) {
                return NULL;
            }
        }
        ++c;
    }
    return c + 1;
}

static const char *skip_number(const char *c)
{
    c += *c == '-' ? 1 : 0;
    if (!isdigit((unsigned char)*c) || (*c == '0' && isdigit((unsigned char)c[1]))) {
        return NULL;
    }
    c += strspn(c, "0123456789");
    if (*c == '.') {
        const size_t digits = strspn(++c, "0123456789");
        if (digits == 0) {
            return NULL;
        }
        c += digits;
    }
    if (*c == 'e' || *c == 'E') {
        c += c[1] == '+' || c[1] == '-' ? 2 : 1;
        const size_t digits = strspn(c, "0123456789");
        if (digits == 0) {
            return NULL;
        }
        c += digits;
    }
    return c;
}

static const char *skip_members(const char *c, char close, bool keys)
{
    c = skip_space(c + 1);
    if (*c == close) {
        return c + 1;
    }
    for (;;) {
        if (keys) {
            c = skip_string(skip_space(c));
            c = c ? skip_space(c) : NULL;
            if (!c || *c++ != ':') {
                return NULL;
            }
        }
        c = skip_value(c);
        c = c ? skip_space(c) : NULL;
        if (!c || (*c != ',' && *c != close)) {
            return NULL;
        }
        if (*c++ == close) {
            return c;
        }
    }
}

static const char *skip_value(const char *c)
{
    c = skip_space(c);
    if (*c == '{') {
        return skip_members(c, '}', true);
    }
    if (*c == '[') {
        return skip_members(c, ']', false);
    }
    if (*c == '"') {
        return skip_string(c);
    }
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; ++i) {
        if (strncmp(c, words[i], strlen(words[i])) == 0) {
            return c + strlen(words[i]);
        }
    }
    return skip_number(c);
}

void assert_one_json_object(const char *text)
{
    const char *end = text[0] == '{' ? skip_value(text) : NULL;
    if (!end || *skip_space(end) != '\0') {
        fail_msg("not one JSON object: %.2000s", text);
    }
}

// Behind `"key":` and blanks; NULL when there is none.
static const char *find_key(const char *json, const char *key)
{
    char quoted[64];
    const int length = snprintf(quoted, sizeof quoted, "\"%s\":", key);
    json = strstr(json, quoted);
    return json ? skip_space(json + length) : NULL;
}

// The value of a key, optionally inside the object of another key.
const char *json_at(const char *json, const char *outer, const char *key)
{
    if (outer) {
        json = find_key(json, outer);
        while (json && *json != '{') { // the same word elsewhere
            json = find_key(json, outer);
        }
        assert_non_null(json);
    }
    json = find_key(json, key);
    if (!json) {
        fail_msg("no key %s", key);
        return "";
    }
    return json;
}

double json_number(const char *json, const char *outer, const char *key)
{
    return strtod(json_at(json, outer, key), NULL);
}

const char *json_skip(const char *text)
{
    return skip_value(text);
}

const char *json_first(const char *json, const char *key)
{
    const char *at = json_at(json, NULL, key);
    assert_int_equal(*at, '[');
    at = skip_space(at + 1);
    return *at == ']' ? NULL : at;
}

const char *json_next(const char *element)
{
    const char *at = skip_space(skip_value(element));
    return *at == ',' ? skip_space(at + 1) : NULL;
}

const char *json_find(const char *json, const char *array, const char *key, const char *value)
{
    char quoted[200];
    snprintf(quoted, sizeof quoted, "\"%s\"", value);
    for (const char *e = json_first(json, array); e; e = json_next(e)) {
        if (strncmp(json_at(e, NULL, key), quoted, strlen(quoted)) == 0) {
            return e;
        }
    }
    return NULL;
}

void json_numbers(double *out, int count, const char *array)
{
    assert_int_equal(*array, '[');
    const char *at = array + 1;
    for (int i = 0; i < count; ++i) {
        char *end;
        out[i] = strtod(at, &end);
        assert_true(end > at);
        at = skip_space(end);
        assert_int_equal(*at, i < count - 1 ? ',' : ']');
        ++at;
    }
}
