// A zip archive of uncompressed members, written front to back.
#ifndef DP_RECORD_ZIP_H
#define DP_RECORD_ZIP_H

#include "io/codec/zlib_stream.h"

#include <stdint.h>
#include <stdio.h>

/// One member: its content is `count` numbers of 8 bytes behind a header.
typedef struct dp_zip_member {
    uint32_t crc, bytes, offset;
} dp_zip_member;

/// Without its 64-bit extension the format holds at most this many members and bytes.
#define DP_ZIP_MEMBERS 65535
#define DP_ZIP_BYTES 4294967295u

/// The record in front of a member's content. Its name is UTF-8. @return bytes written.
uint32_t dp_zip_begin(FILE *file, const dp_zip_member *member, const char *name);
/// The member's entry in the directory behind the last member. @return bytes written.
uint32_t dp_zip_entry(FILE *file, const dp_zip_member *member, const char *name);
/// The end: `count` entries of `bytes` in all, the first at `offset`.
void dp_zip_end(FILE *file, int count, uint32_t bytes, uint32_t offset);
/// What dp_zip_begin, dp_zip_entry and dp_zip_end write besides the name.
enum { DP_ZIP_BEGIN_BYTES = 30, DP_ZIP_ENTRY_BYTES = 46, DP_ZIP_END_BYTES = 22 };

#endif
