#include "replay_text.h"

#include "near.h"
#include "text_file.h"

#include "io/codec/zlib_stream.h"

#include <stdlib.h>
#include <string.h>

const char *replay_json(const char *path)
{
    static char text[MOST_TEXT];
    static const char opening[] = "<script id=\"run\" type=\"application/json\">";
    read_text(text, path);
    char *json = strstr(text, opening);
    assert_non_null(json);
    json += strlen(opening);
    char *end = strstr(json, "</script>");
    assert_non_null(end);
    *end = '\0';
    return json;
}

static unsigned digit_of(char c)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c == '=' ? digit : strchr(digit, c); // what pads counts as nothing
    assert_non_null(at);
    return (unsigned)(at - digit);
}

void replay_bytes(unsigned char *out, size_t count, const char *value)
{
    assert_int_equal(*value, '"');
    const char *text = value + 1;
    const size_t length = strcspn(text, "\"");
    assert_int_equal(length % 4, 0);
    unsigned char *packed = malloc(length + 1);
    assert_non_null(packed);
    size_t n = 0;
    for (size_t i = 0; i < length; i += 4) {
        const unsigned bits = digit_of(text[i]) << 18 | digit_of(text[i + 1]) << 12 |
                              digit_of(text[i + 2]) << 6 | digit_of(text[i + 3]);
        packed[n++] = (unsigned char)(bits >> 16 & 255u);
        packed[n++] = (unsigned char)(bits >> 8 & 255u);
        packed[n++] = (unsigned char)(bits & 255u);
    }
    const dp_status status = dp_inflate(out, count, &(dp_packed_bytes){packed, n, "value"}, NULL);
    free(packed);
    assert_int_equal(status, DP_OK);
}

void replay_floats(float *out, size_t count, const char *value)
{
    unsigned char *bytes = malloc(4 * count + 1);
    assert_non_null(bytes);
    replay_bytes(bytes, 4 * count, value);
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; ++k) {
            bits |= (uint32_t)bytes[k * count + i] << (8 * k);
        }
        memcpy(&out[i], &bits, sizeof bits);
    }
    free(bytes);
}

void replay_series(uint16_t *out, size_t count, size_t length, const char *value)
{
    unsigned char *bytes = malloc(2 * count + 1);
    assert_non_null(bytes);
    replay_bytes(bytes, 2 * count, value);
    for (size_t i = 0; i < count; ++i) {
        const unsigned folded = (unsigned)bytes[i] | (unsigned)bytes[count + i] << 8;
        const unsigned change = folded & 1u ? ~(folded >> 1) : folded >> 1;
        const unsigned before = i % length == 0 ? 0u : out[i - 1];
        out[i] = (uint16_t)((before + change) & 0xffffu);
    }
    free(bytes);
}
