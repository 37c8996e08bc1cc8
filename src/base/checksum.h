// Checksums of files: what zip and PNG put behind their bytes.
#ifndef DP_BASE_CHECKSUM_H
#define DP_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/// The checksum of zip and PNG (CRC-32, reflected polynomial 0xEDB88320). Start with 0; feed pieces
/// in order.
uint32_t dp_crc32(uint32_t crc, const void *bytes, size_t count);

/// The checksum of zlib (Adler-32, RFC 1950). Start with 1; feed pieces in order.
uint32_t dp_adler32(uint32_t adler, const void *bytes, size_t count);

#endif
