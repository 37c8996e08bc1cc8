#include "base/text/utf8.h"

#include <dashpot/base.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t dp_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) {
        return c[0] >= 0x20 && c[0] != 0x7F ? 1 : 0;
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
    const bool not_a_character = code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
    const bool valid =
        c[0] >= 0xC2 && c[0] <= 0xF4 && code >= first[n] && !surrogate && !not_a_character;
    return valid ? n : 0;
}

unsigned dp_utf8_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) {
        return c[0] < 0x20 || c[0] == 0x7F ? c[0] : 0;
    }
    const size_t n = dp_utf8_length(text);
    if (n != 2 && n != 3) {
        return 0;
    }
    const unsigned code = n == 2 ? (c[0] & 0x1Fu) << 6 | (c[1] & 0x3Fu)
                                 : (c[0] & 0x0Fu) << 12 | (c[1] & 0x3Fu) << 6 | (c[2] & 0x3Fu);
    static const struct {
        unsigned first, last;
    } control[] = {
        {0x0080, 0x009F}, // C1: 8-bit terminals obey them
        {0x061C, 0x061C}, // Arabic letter mark
        {0x200B, 0x200B}, // space of no width (joiners, which scripts need, stay)
        {0x200E, 0x200F}, // left-to-right and right-to-left marks
        {0x2028, 0x202E}, // separators, embeddings and overrides
        {0x2060, 0x206F}, // isolates, invisible operators
        {0xFEFF, 0xFEFF}, // byte order mark
        {0xFFF9, 0xFFFB}, // annotations
    };
    for (size_t i = 0; i < sizeof control / sizeof *control; ++i) {
        if (code >= control[i].first && code <= control[i].last) {
            return code;
        }
    }
    return 0;
}

size_t dp_utf8_shown(char out[DP_SHOWN_BYTES], const char *text)
{
    static const char named[] = "\n\t\r", letter[] = "ntr";
    const unsigned char c = (unsigned char)*text;
    const unsigned control = dp_utf8_control(text);
    const size_t length = dp_utf8_length(text);
    out[0] = '\0';
    if (c == '\0') {
        return 0;
    }
    if (length > 0 && control == 0) {
        memcpy(out, text, length);
        out[length] = '\0';
        return length;
    }
    if (length > 0) {
        snprintf(out, DP_SHOWN_BYTES, "\\u%04x", control & 0xFFFFu);
        return length;
    }
    const char *name = strchr(named, c);
    if (name) {
        snprintf(out, DP_SHOWN_BYTES, "\\%c", letter[name - named]);
    } else {
        snprintf(out, DP_SHOWN_BYTES, "\\x%02x", c & 0xFFu);
    }
    return 1;
}

size_t dp_text_printable(char *out, size_t size, const char *text)
{
    size_t total = 0, used = 0;
    bool room = size > 0;
    char shown[DP_SHOWN_BYTES];
    for (size_t n; (n = dp_utf8_shown(shown, text)) > 0; text += n) {
        const size_t length = strlen(shown);
        room = room && used + length < size;
        if (room) {
            memcpy(out + used, shown, length);
            used += length;
        }
        total += length;
    }
    if (size > 0) {
        out[used] = '\0';
    }
    return total;
}
