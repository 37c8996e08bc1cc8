#include "view/server/view_request.h"

#include <string.h>
#include <strings.h>

size_t view_request_bytes(const char *bytes, size_t count)
{
    for (size_t i = 3; i < count; ++i) {
        if (memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0) {
            return i + 1;
        }
    }
    return 0;
}

// "GET /path?query HTTP/1.1"
static bool read_line(view_request *out, char *line)
{
    char *target = strchr(line, ' '), *protocol = target ? strchr(target + 1, ' ') : NULL;
    if (!protocol || target == line ||
        (strcmp(protocol + 1, "HTTP/1.1") != 0 && strcmp(protocol + 1, "HTTP/1.0") != 0)) {
        return false;
    }
    *target = *protocol = '\0';
    out->method = line;
    out->path = target + 1;
    char *query = strchr(target + 1, '?');
    if (query) {
        *query = '\0';
        out->query = query + 1;
    }
    return true;
}

// "Name: value", one of those that are asked for or any other.
static bool read_field(view_request *out, char *line)
{
    const struct {
        const char *name;
        const char **value;
    } field[] = {{"Host", &out->host},
                 {"Origin", &out->origin},
                 {"Upgrade", &out->upgrade},
                 {"Connection", &out->connection},
                 {"Sec-WebSocket-Key", &out->key},
                 {"Sec-WebSocket-Version", &out->version}};
    char *colon = strchr(line, ':');
    if (!colon || colon == line || strcspn(line, " \t") < (size_t)(colon - line)) {
        return false;
    }
    *colon = '\0';
    char *value = colon + 1 + strspn(colon + 1, " \t"), *end = value + strlen(value);
    while (end > value && (end[-1] == ' ' || end[-1] == '\t')) {
        *--end = '\0';
    }
    for (size_t i = 0; i < sizeof field / sizeof *field; ++i) {
        if (strcasecmp(line, field[i].name) == 0) {
            if ((*field[i].value)[0] != '\0') {
                return false;
            }
            *field[i].value = value;
        }
    }
    return true;
}

bool view_request_read(view_request *out, char *head, size_t bytes)
{
    *out = (view_request){"", "", "", "", "", "", "", "", ""};
    for (size_t i = 0; i < bytes; ++i) { // nothing but text, and line ends that are whole
        const unsigned char c = (unsigned char)head[i];
        if ((c < 0x20 && c != '\t' && c != '\r' && c != '\n') || c == 0x7F ||
            (c == '\r' && (i + 1 == bytes || head[i + 1] != '\n')) ||
            (c == '\n' && (i == 0 || head[i - 1] != '\r'))) {
            return false;
        }
    }
    char *line = head;
    for (bool first = true; line[0] != '\r'; first = false) {
        char *end = strchr(line, '\r'); // there is one: the head ends with an empty line
        *end = '\0';
        if (first ? !read_line(out, line) : !read_field(out, line)) {
            return false;
        }
        line = end + 2;
    }
    return out->method[0] != '\0';
}

bool view_request_lists(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; *at != '\0';) {
        at += strspn(at, ", \t");
        const size_t length = strcspn(at, ", \t");
        if (length == n && strncasecmp(at, word, n) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}
