#include "base/utf8.h"

#include <stdbool.h>
#include <stdint.h>

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
