#include "view/server/websocket.h"

#include <stdio.h>
#include <string.h>

// --- the handshake

static uint32_t rotate(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}

// One block of 64 bytes of SHA-1 (RFC 3174), which here proves nothing but that the other side
// speaks WebSocket.
static void add_block(uint32_t h[5], const unsigned char *block)
{
    uint32_t w[80];
    for (int i = 0; i < 16; ++i) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < 80; ++i) {
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; ++i) {
        static const uint32_t k[4] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
        const uint32_t f = i < 20              ? (b & c) | (~b & d)
                           : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
                                               : b ^ c ^ d;
        const uint32_t next = rotate(a, 5) + f + e + k[i / 20] + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool websocket_is_key(const char *key)
{
    return strlen(key) == WEBSOCKET_KEY && strspn(key, letters) == WEBSOCKET_KEY - 2 &&
           strcmp(key + WEBSOCKET_KEY - 2, "==") == 0;
}

void websocket_accept(char out[WEBSOCKET_ACCEPT + 1], const char *key)
{
    enum { BLOCKS = 2, DIGEST = 20 };
    unsigned char text[64 * BLOCKS] = {0};
    const int n = snprintf((char *)text, 64, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    text[n] = 0x80;
    text[sizeof text - 2] = (unsigned char)(8 * n >> 8);
    text[sizeof text - 1] = (unsigned char)(8 * n & 0xff);
    uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    for (int i = 0; i < BLOCKS; ++i) {
        add_block(h, text + 64 * i);
    }
    unsigned char digest[DIGEST + 1] = {0};
    for (int i = 0; i < DIGEST; ++i) {
        digest[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)) & 0xff);
    }
    for (int i = 0; i < DIGEST + 1; i += 3) {
        const uint32_t three =
            (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | digest[i + 2];
        for (int k = 0; k < 4; ++k) {
            out[i / 3 * 4 + k] = letters[three >> (18 - 6 * k) & 63];
        }
    }
    out[WEBSOCKET_ACCEPT - 1] = '=';
    out[WEBSOCKET_ACCEPT] = '\0';
}

// --- frames

enum { LAST = 0x80, RESERVED = 0x70, OPCODE = 0x0f, MASKED = 0x80, LENGTH = 0x7f, CONTROL = 0x08 };

static size_t length_bytes(unsigned char second)
{
    return (second & LENGTH) == 126 ? 2 : (second & LENGTH) == 127 ? 8 : 0;
}

size_t websocket_head_bytes(const unsigned char first[2])
{
    const int opcode = first[0] & OPCODE;
    const bool control = (opcode & CONTROL) != 0;
    const bool known =
        opcode <= WEBSOCKET_BINARY || (opcode >= WEBSOCKET_CLOSE && opcode <= WEBSOCKET_PONG);
    if (!known || (first[0] & RESERVED) != 0 || (first[1] & MASKED) == 0 ||
        (control && ((first[0] & LAST) == 0 || (first[1] & LENGTH) > 125))) {
        return 0;
    }
    return 2 + length_bytes(first[1]) + 4;
}

bool websocket_read_head(websocket_head *out, const unsigned char *bytes)
{
    const size_t longer = length_bytes(bytes[1]);
    uint64_t n = longer == 0 ? bytes[1] & LENGTH : 0;
    for (size_t i = 0; i < longer; ++i) {
        n = n << 8 | bytes[2 + i];
    }
    *out =
        (websocket_head){.last = (bytes[0] & LAST) != 0, .opcode = bytes[0] & OPCODE, .bytes = n};
    memcpy(out->mask, bytes + 2 + longer, sizeof out->mask);
    return longer == 0 ? true : longer == 2 ? n > 125 : n > 65535 && n >> 63 == 0;
}

size_t websocket_write_head(unsigned char out[WEBSOCKET_HEAD], int opcode, size_t bytes)
{
    const size_t longer = bytes < 126 ? 0 : bytes < 65536 ? 2 : 8;
    out[0] = (unsigned char)(LAST | opcode);
    out[1] = (unsigned char)(longer == 0 ? bytes : longer == 2 ? 126 : 127);
    for (size_t i = 0; i < longer; ++i) {
        out[2 + i] = (unsigned char)((uint64_t)bytes >> (8 * (longer - 1 - i)) & 0xff);
    }
    return 2 + longer;
}
