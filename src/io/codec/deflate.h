// Compression to zlib streams, which browsers read.
#ifndef DP_RECORD_DEFLATE_H
#define DP_RECORD_DEFLATE_H

#include "base/memory.h"

/// Bytes that grow.
typedef struct dp_byte_buffer {
    unsigned char *byte;
    size_t count, capacity;
    dp_allocator allocator;
} dp_byte_buffer;

void dp_byte_buffer_release(dp_byte_buffer *buffer); // all zeros are allowed, but the allocator

/// Compress `in` and append the zlib stream to `out`. The same bytes give the same stream.
/// @return DP_ERROR_MEMORY; `out` then has a part of it
DP_NODISCARD dp_status dp_deflate(dp_byte_buffer *out, const unsigned char *in, size_t count);

#endif
