#include "base/checksum.h"

uint32_t dp_crc32(uint32_t crc, const void *bytes, size_t count)
{
    // Four bits at a time: entry i is what i in the low bits turns into.
    static const uint32_t nibble[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u,
        0x4DB26158u, 0x5005713Cu, 0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu,
        0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
    };
    const unsigned char *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < count; ++i) {
        crc ^= at[i];
        crc = (crc >> 4) ^ nibble[crc & 15u];
        crc = (crc >> 4) ^ nibble[crc & 15u];
    }
    return ~crc;
}

uint32_t dp_adler32(uint32_t adler, const void *bytes, size_t count)
{
    enum { MODULUS = 65521, PIECE = 5000 }; // the sums of a piece fit 32 bits without a remainder
    const unsigned char *at = bytes;
    uint32_t a = adler & 0xFFFFu, b = adler >> 16;
    while (count > 0) {
        const size_t n = count < PIECE ? count : PIECE;
        for (size_t i = 0; i < n; ++i) {
            a += at[i];
            b += a;
        }
        a %= MODULUS;
        b %= MODULUS;
        at += n;
        count -= n;
    }
    return b << 16 | a;
}

static uint64_t read_word(const unsigned char *at, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; ++i) {
        word |= (uint64_t)at[i] << (8 * i);
    }
    return word;
}

uint64_t dp_checksum64(const void *bytes, size_t count)
{
    const uint64_t basis = UINT64_C(14695981039346656037), prime = UINT64_C(1099511628211);
    const unsigned char *at = bytes;
    uint64_t h = basis ^ (uint64_t)count;
    while (count > 0) {
        const size_t n = count < 8 ? count : 8;
        h = (h ^ (n == 8 ? read_word(at, 8) : read_word(at, n))) * prime;
        h ^= h >> 32;
        at += n;
        count -= n;
    }
    return h;
}
