// Streams of zlib, and the checksum of zip and PNG.
#ifndef DP_IO_ZLIB_STREAM_H
#define DP_IO_ZLIB_STREAM_H

#include "base/memory.h"

/// Bytes that grow.
typedef struct dp_byte_buffer {
    unsigned char *byte;
    size_t count, capacity;
    dp_allocator allocator;
} dp_byte_buffer;

void dp_byte_buffer_release(dp_byte_buffer *buffer); // all zeros are allowed, but the allocator

/// Compress `in` and append the stream to `out`. The same bytes give the same stream, by one
/// version of zlib.
/// @return DP_ERROR_MEMORY; `out` then has a part of it
DP_NODISCARD dp_status dp_deflate(dp_byte_buffer *out, const unsigned char *in, size_t count);

/// No stream of n bytes decompresses to more than n times this: 258 bytes for two bits.
enum { DP_INFLATE_RATIO = 1032 };

/// What is to be decompressed.
typedef struct dp_packed_bytes {
    const unsigned char *byte;
    size_t count;
    const char *file; ///< for messages
} dp_packed_bytes;

/// Decompress a stream to exactly `count` bytes, and check its checksum. Bytes behind the stream
/// are not looked at. @param a NULL: malloc and free
/// @return DP_ERROR_PARSE for anything else; `out` then holds the start of it; DP_ERROR_MEMORY
DP_NODISCARD dp_status dp_inflate(unsigned char *out, size_t count, const dp_packed_bytes *in,
                                  const dp_allocator *a);

/// CRC-32. Start with 0; feed pieces in order.
uint32_t dp_crc32(uint32_t crc, const void *bytes, size_t count);

#endif
