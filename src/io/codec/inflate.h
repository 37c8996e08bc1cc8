// Decompression of zlib streams.
#ifndef DP_FORMAT_INFLATE_H
#define DP_FORMAT_INFLATE_H

#include "base/error.h"

/// No stream of n bytes decompresses to more than n times this: 258 bytes for two bits.
enum { DP_INFLATE_RATIO = 1032 };

/// Decompress the zlib stream `in` to exactly `out_bytes` bytes, and check its checksum. Bytes
/// behind the stream are not looked at. Takes no memory. `file` stands in messages.
/// @return DP_ERROR_PARSE for anything else; `out` then holds the start of it.
dp_status dp_inflate(unsigned char *out, size_t out_bytes, const unsigned char *in, size_t in_bytes,
                     const char *file);

#endif
