// Numbers in binary files, from any address and on any machine.
#ifndef DP_FORMAT_BYTES_H
#define DP_FORMAT_BYTES_H

#include <stdint.h>
#include <string.h>

/// Four bytes, the lowest first.
static inline uint32_t dp_little_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/// The same as a signed number.
static inline int64_t dp_little_i32(const unsigned char *at)
{
    const int64_t value = dp_little_u32(at);
    return value < INT64_C(0x80000000) ? value : value - INT64_C(0x100000000);
}

/// The same as an IEEE 754 single.
static inline double dp_little_f32(const unsigned char *at)
{
    const uint32_t bits = dp_little_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/// Four bytes, the highest first.
static inline uint32_t dp_big_u32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

#endif
