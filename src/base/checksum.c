#include "base/checksum.h"

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
