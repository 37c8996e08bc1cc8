#include "view/server/view_message.h"

#include "common/text.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- JSON, as far as messages have it: no arrays or objects but those that are known.

typedef struct reader {
    const char *at, *end;
    const char *start;
    char *complaint;
} reader;

static bool no(int length)
{
    (void)length;
    return false;
}

// Say what is wrong, and be false.
#define fail(r, ...) no(snprintf((r)->complaint, VIEW_COMPLAINT, __VA_ARGS__))

static void skip_space(reader *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        ++r->at;
    }
}

static bool next_is(reader *r, char c)
{
    skip_space(r);
    return r->at < r->end && *r->at == c;
}

static bool take(reader *r, char c)
{
    if (!next_is(r, c)) {
        return false;
    }
    ++r->at;
    return true;
}

static bool expect(reader *r, char c)
{
    return take(r, c) ||
           fail(r, "at byte %zu of the message: expected '%c'", (size_t)(r->at - r->start), c);
}

static bool read_hex(unsigned *out, const char *at, const char *end)
{
    *out = 0;
    if (end - at < 4) {
        return false;
    }
    for (int i = 0; i < 4; ++i) {
        const char c = at[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return false;
        }
        *out = 16 * *out + (unsigned)digit;
    }
    return true;
}

static char *put_utf8(char *out, unsigned c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xC0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *out++ = (char)(0xE0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    } else {
        *out++ = (char)(0xF0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3F));
        *out++ = (char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (char)(0x80 | (c & 0x3F));
    }
    return out;
}

// \uXXXX, or two of them that are one character. `at` is behind the u.
static bool read_escaped_code(char **out, const char **at, const char *end)
{
    unsigned c, low;
    if (!read_hex(&c, *at, end)) {
        return false;
    }
    *at += 4;
    if (c >= 0xD800 && c < 0xDC00) {
        if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u' || !read_hex(&low, *at + 2, end) ||
            low < 0xDC00 || low > 0xDFFF) {
            return false;
        }
        *at += 6;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    } else if (c == 0 || (c >= 0xDC00 && c < 0xE000)) {
        return false;
    }
    *out = put_utf8(*out, c);
    return true;
}

static bool read_escape(char **out, const char **at, const char *end)
{
    static const char letter[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    if (*at == end) {
        return false;
    }
    const char c = *(*at)++;
    if (c == 'u') {
        return read_escaped_code(out, at, end);
    }
    const char *found = c != '\0' ? strchr(letter, c) : NULL;
    if (!found) {
        return false;
    }
    *(*out)++ = means[found - letter];
    return true;
}

// Where a text ends: its closing quote. NULL: nowhere.
static const char *find_quote(const char *at, const char *end)
{
    for (; at < end && *at != '"'; ++at) {
        if (*at == '\\' && ++at == end) {
            return NULL;
        }
    }
    return at < end ? at : NULL;
}

// The bytes of a text; no escape makes it longer.
static bool decode(char *out, size_t *bytes, const char *at, const char *end)
{
    char *to = out;
    while (at < end) {
        if (*at == '\\') {
            ++at;
            if (!read_escape(&to, &at, end)) {
                return false;
            }
            continue;
        }
        // The quote behind the text ends what is no whole character.
        const size_t length = cli_character(at);
        if (length == 0 || length > (size_t)(end - at) || (unsigned char)*at < 0x20) {
            return false;
        }
        memcpy(to, at, length);
        to += length;
        at += length;
    }
    *to = '\0';
    *bytes = (size_t)(to - out);
    return true;
}

static bool read_text(char **out, size_t *bytes, reader *r)
{
    *out = NULL;
    if (!expect(r, '"')) {
        return false;
    }
    const char *end = find_quote(r->at, r->end);
    if (!end) {
        return fail(r, "a text in the message does not end");
    }
    char *text = malloc((size_t)(end - r->at) + 1);
    if (!text) {
        return fail(r, "out of memory");
    }
    if (!decode(text, bytes, r->at, end)) {
        free(text);
        return fail(r, "a text in the message is not valid (expected UTF-8 and JSON's escapes)");
    }
    *out = text;
    r->at = end + 1;
    return true;
}

// JSON's numbers are those of cli_read_number that begin and end with a digit.
static bool read_number(double *out, reader *r)
{
    skip_space(r);
    char text[64];
    size_t n = 0;
    while (r->at + n < r->end && n + 1 < sizeof text && r->at[n] != '\0' &&
           strchr("+-.0123456789eE", r->at[n])) {
        text[n] = r->at[n];
        ++n;
    }
    text[n] = '\0';
    if (n == 0 || text[0] == '+' || !cli_read_number(out, text)) {
        return fail(r, "at byte %zu of the message: expected a finite number",
                    (size_t)(r->at - r->start));
    }
    r->at += n;
    return true;
}

static bool read_point(double out[3], reader *r)
{
    return expect(r, '[') && read_number(&out[0], r) && expect(r, ',') && read_number(&out[1], r) &&
           expect(r, ',') && read_number(&out[2], r) && expect(r, ']');
}

static bool read_index(int *out, reader *r, const char *key)
{
    double x;
    if (!read_number(&x, r)) {
        return false;
    }
    if (!(x >= 0.0 && x < (double)INT_MAX) || x != (double)(int)x) {
        return fail(r, "%s is %g (expected a whole number ≥ 0)", key, x);
    }
    *out = (int)x;
    return true;
}

static bool read_bool(bool *out, reader *r)
{
    skip_space(r);
    static const char *const word[] = {"false", "true"};
    for (int i = 0; i < 2; ++i) {
        const size_t n = strlen(word[i]);
        if ((size_t)(r->end - r->at) >= n && memcmp(r->at, word[i], n) == 0) {
            r->at += n;
            *out = i == 1;
            return true;
        }
    }
    return fail(r, "at byte %zu of the message: expected true or false",
                (size_t)(r->at - r->start));
}

// --- files

static int sextet(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

// Base64 in place: what it says takes less room than it does.
static bool decode_base64(unsigned char *bytes, size_t *count, size_t length)
{
    if (length % 4 != 0) {
        return false;
    }
    size_t out = 0;
    for (size_t i = 0; i < length; i += 4) {
        uint32_t word = 0;
        int pad = 0;
        for (size_t k = 0; k < 4; ++k) {
            const char c = (char)bytes[i + k];
            const bool may_pad = i + 4 == length && k >= 2;
            const int six = sextet(c);
            if (c == '=' && may_pad) {
                ++pad;
            } else if (six < 0 || pad > 0) {
                return false;
            }
            word = word << 6 | (six < 0 ? 0u : (uint32_t)six);
        }
        for (int k = 0; k < 3 - pad; ++k) {
            bytes[out++] = (unsigned char)(word >> (16 - 8 * k) & 0xff);
        }
    }
    *count = out;
    return true;
}

static bool read_file(view_message *m, reader *r)
{
    if (m->nfile == VIEW_MOST_FILES) {
        return fail(r, "more than %d files come with the scene", VIEW_MOST_FILES);
    }
    if (!m->file) {
        m->file = calloc(VIEW_MOST_FILES, sizeof *m->file);
        if (!m->file) {
            return fail(r, "out of memory");
        }
    }
    view_file *file = &m->file[m->nfile++]; // freed with the message, however far it came
    char *data = NULL;
    size_t length;
    if (!read_text(&file->name, &length, r) || !expect(r, ':') || !read_text(&data, &length, r)) {
        return false;
    }
    file->byte = (unsigned char *)data;
    return decode_base64(file->byte, &file->bytes, length) ||
           fail(r, "the file '%.60s' is not in base64", file->name);
}

// {"wheel.stl": "base64", …}
static bool read_files(view_message *m, reader *r)
{
    if (!expect(r, '{')) {
        return false;
    }
    if (take(r, '}')) {
        return true;
    }
    do {
        if (!read_file(m, r)) {
            return false;
        }
    } while (take(r, ','));
    return expect(r, '}');
}

// --- messages

enum {
    HAS_DO = 1 << 0,
    HAS_NUMBER = 1 << 1, // value
    HAS_WORD = 1 << 2,   // value, too
    HAS_NAME = 1 << 3,
    HAS_KEY = 1 << 4,
    HAS_ACTUATOR = 1 << 5,
    HAS_BODY = 1 << 6,
    HAS_AT = 1 << 7,
    HAS_TO = 1 << 8,
    HAS_TEXT = 1 << 9,
    HAS_ON = 1 << 10,
    HAS_FILES = 1 << 11,
};

static const struct {
    const char *key;
    unsigned has;
} fields[] = {{"do", HAS_DO},
              {"value", HAS_NUMBER | HAS_WORD},
              {"name", HAS_NAME},
              {"key", HAS_KEY},
              {"actuator", HAS_ACTUATOR},
              {"body", HAS_BODY},
              {"at", HAS_AT},
              {"to", HAS_TO},
              {"text", HAS_TEXT},
              {"on", HAS_ON},
              {"files", HAS_FILES}};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static const struct {
    const char *name;
    unsigned needs, takes;
} verbs[] = {
    [VIEW_RUN] = {"run", 0, 0},
    [VIEW_PAUSE] = {"pause", 0, 0},
    [VIEW_STEP] = {"step", 0, 0},
    [VIEW_RESET] = {"reset", 0, HAS_KEY},
    [VIEW_SPEED] = {"speed", HAS_NUMBER, 0},
    [VIEW_LAW] = {"law", HAS_WORD, 0},
    [VIEW_SET] = {"set", HAS_NAME | HAS_NUMBER, 0},
    [VIEW_CONTROL] = {"control", HAS_ACTUATOR | HAS_NUMBER, 0},
    [VIEW_GRAB] = {"grab", HAS_BODY | HAS_AT, 0},
    [VIEW_PULL] = {"pull", HAS_TO, 0},
    [VIEW_RELEASE] = {"release", 0, 0},
    [VIEW_SCENE] = {"scene", HAS_NAME | HAS_TEXT, HAS_FILES},
    [VIEW_RECORD] = {"record", HAS_ON, 0},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static bool find_verb(view_message *out, const reader *r, const char *name)
{
    for (int i = 0; i < VERBS; ++i) {
        if (strcmp(verbs[i].name, name) == 0) {
            out->verb = (view_verb)i;
            return true;
        }
    }
    return fail(r, "unknown command '%.60s'", name);
}

static bool read_verb(view_message *out, reader *r)
{
    char *name;
    size_t bytes;
    if (!read_text(&name, &bytes, r)) {
        return false;
    }
    const bool known = find_verb(out, r, name);
    free(name);
    return known;
}

static bool read_value(view_message *out, unsigned has, reader *r)
{
    size_t bytes;
    switch (has) {
    case HAS_DO:
        return read_verb(out, r);
    case HAS_NUMBER:
        return read_number(&out->value, r);
    case HAS_WORD:
        return read_text(&out->word, &bytes, r);
    case HAS_NAME:
        return read_text(&out->name, &bytes, r);
    case HAS_KEY:
        return read_text(&out->key, &bytes, r);
    case HAS_ACTUATOR:
        return read_index(&out->actuator, r, "actuator");
    case HAS_BODY:
        return read_index(&out->body, r, "body");
    case HAS_AT:
        return read_point(out->at, r);
    case HAS_TO:
        return read_point(out->to, r);
    case HAS_TEXT:
        return read_text(&out->text, &out->text_bytes, r);
    case HAS_ON:
        return read_bool(&out->on, r);
    default:
        return read_files(out, r);
    }
}

static bool find_field(unsigned *has, const reader *r, const char *key)
{
    for (int i = 0; i < FIELDS; ++i) {
        if (strcmp(fields[i].key, key) == 0) {
            *has = fields[i].has;
            return true;
        }
    }
    return fail(r, "unknown field '%.60s'", key);
}

static bool read_field(view_message *out, unsigned *seen, reader *r)
{
    char *key;
    size_t bytes;
    unsigned has = 0;
    if (!read_text(&key, &bytes, r)) {
        return false;
    }
    const bool known = find_field(&has, r, key);
    if (known && (*seen & has) != 0) {
        fail(r, "the field '%.60s' is there twice", key);
    }
    free(key);
    if (!known || (*seen & has) != 0 || !expect(r, ':')) {
        return false;
    }
    if (has == (HAS_NUMBER | HAS_WORD)) {
        has = next_is(r, '"') ? HAS_WORD : HAS_NUMBER;
    }
    *seen |= has;
    return read_value(out, has, r);
}

static bool check_fields(const view_message *m, const reader *r, unsigned seen)
{
    if (!(seen & HAS_DO)) {
        return fail(r, "the message has no field 'do'");
    }
    const char *name = verbs[m->verb].name;
    const unsigned needs = verbs[m->verb].needs | HAS_DO;
    for (int i = 0; i < FIELDS; ++i) {
        const unsigned missing = needs & ~seen & fields[i].has;
        const unsigned extra = seen & ~needs & ~verbs[m->verb].takes & fields[i].has;
        if (missing) {
            return fail(r, "%s: no %s%s", name, fields[i].key,
                        missing == HAS_NUMBER ? " that is a number"
                        : missing == HAS_WORD ? " that is a text"
                                              : "");
        }
        if (extra) {
            return fail(r, "%s takes no %s", name, fields[i].key);
        }
    }
    return true;
}

static bool read_all(view_message *out, reader *r)
{
    unsigned seen = 0;
    if (!expect(r, '{')) {
        return false;
    }
    if (!next_is(r, '}')) {
        do {
            if (!read_field(out, &seen, r)) {
                return false;
            }
        } while (take(r, ','));
    }
    if (!expect(r, '}')) {
        return false;
    }
    skip_space(r);
    if (r->at != r->end) {
        return fail(r, "the message goes on behind its object");
    }
    return check_fields(out, r, seen);
}

bool view_message_read(view_message *out, const char *text, size_t bytes,
                       char complaint[VIEW_COMPLAINT])
{
    *out = (view_message){0};
    reader r = {text, text + bytes, text, complaint};
    if (read_all(out, &r)) {
        return true;
    }
    view_message_free(out);
    *out = (view_message){0};
    return false;
}

void view_message_free(view_message *message)
{
    free(message->word);
    free(message->name);
    free(message->key);
    free(message->text);
    for (int i = 0; i < message->nfile; ++i) {
        free(message->file[i].name);
        free(message->file[i].byte);
    }
    free(message->file);
}
