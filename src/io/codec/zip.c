// The records of a zip archive, field by field as in PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12
// and 4.3.16. All numbers are little-endian.
#include "io/codec/zip.h"

#include <string.h>

static void put(FILE *file, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; ++i) {
        fputc((int)((value >> (8 * i)) & 0xFFu), file);
    }
}

enum { VERSION_NEEDED = 20, NAME_IS_UTF8 = 1 << 11, STORED = 0 };
enum { TIME_MIDNIGHT = 0, DATE_1980_01_01 = 0x21 }; // a fixed date: equal runs give equal files

// The fields that the record in front of a member and its directory entry share.
static void put_common(FILE *file, const dp_zip_member *member, const char *name)
{
    put(file, VERSION_NEEDED, 2);
    put(file, NAME_IS_UTF8, 2);
    put(file, STORED, 2);
    put(file, TIME_MIDNIGHT, 2);
    put(file, DATE_1980_01_01, 2);
    put(file, member->crc, 4);
    put(file, member->bytes, 4); // compressed
    put(file, member->bytes, 4); // and not
    put(file, (uint32_t)strlen(name), 2);
    put(file, 0, 2); // no extra field
}

uint32_t dp_zip_begin(FILE *file, const dp_zip_member *member, const char *name)
{
    put(file, 0x04034B50u, 4);
    put_common(file, member, name);
    fputs(name, file);
    return DP_ZIP_BEGIN_BYTES + (uint32_t)strlen(name);
}

uint32_t dp_zip_entry(FILE *file, const dp_zip_member *member, const char *name)
{
    put(file, 0x02014B50u, 4);
    put(file, VERSION_NEEDED, 2); // made by
    put_common(file, member, name);
    put(file, 0, 2); // no comment
    put(file, 0, 2); // first disk
    put(file, 0, 2); // internal attributes
    put(file, 0, 4); // external attributes
    put(file, member->offset, 4);
    fputs(name, file);
    return DP_ZIP_ENTRY_BYTES + (uint32_t)strlen(name);
}

void dp_zip_end(FILE *file, int count, uint32_t bytes, uint32_t offset)
{
    put(file, 0x06054B50u, 4);
    put(file, 0, 2); // this disk
    put(file, 0, 2); // the directory's disk
    put(file, (uint32_t)count, 2);
    put(file, (uint32_t)count, 2);
    put(file, bytes, 4);
    put(file, offset, 4);
    put(file, 0, 2); // no comment
}
