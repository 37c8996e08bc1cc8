// The table as NumPy's npz: a zip archive with one array per channel, each an npy file
// (format 1.0): magic, version, length of the header, a Python dictionary padded so that the
// numbers start on a multiple of 64 bytes, then the numbers, little-endian.
#include "base/output.h"
#include "io/codec/zip.h"
#include "record/recorder.h"

#include <string.h>

enum { NPY_HEADER = 128, NPY_PREFIX = 10, NUMBER = 8 };

static void npy_header(char header[NPY_HEADER], size_t rows)
{
    static const char prefix[NPY_PREFIX] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, NPY_HEADER - NPY_PREFIX, 0};
    char text[NPY_HEADER];
    const int n = snprintf(text, sizeof text,
                           "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }", rows);
    memset(header, ' ', NPY_HEADER);
    memcpy(header, prefix, NPY_PREFIX);
    memcpy(header + NPY_PREFIX, text, (size_t)n);
    header[NPY_HEADER - 1] = '\n';
}

static void little_endian(unsigned char out[NUMBER], double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < NUMBER; ++i) {
        out[i] = (unsigned char)(bits >> (8 * i));
    }
}

// One column, to the file or (file == NULL) only to the checksum.
static uint32_t pass_column(FILE *file, const dp_recorder *r, size_t column)
{
    char header[NPY_HEADER];
    npy_header(header, r->rows);
    uint32_t crc = dp_crc32(0, header, sizeof header);
    if (file) {
        fwrite(header, 1, sizeof header, file);
    }
    for (size_t row = 0; row < r->rows; ++row) {
        unsigned char bytes[NUMBER];
        little_endian(bytes, r->values[row * r->columns + column]);
        if (file) {
            fwrite(bytes, 1, sizeof bytes, file);
        } else {
            crc = dp_crc32(crc, bytes, sizeof bytes);
        }
    }
    return crc;
}

// NAME.npy. The bytes of the name pass as they are, so that a key is the channel.
static void member_name(char name[DP_CHANNEL_NAME + 4], const dp_recorder *r, size_t column)
{
    snprintf(name, DP_CHANNEL_NAME + 4, "%s.npy", r->column[column].name);
}

static dp_status check_size(const dp_recorder *r, const char *path)
{
    char name[DP_CHANNEL_NAME + 4];
    double bytes = DP_ZIP_END_BYTES;
    for (size_t i = 0; i < r->columns; ++i) {
        member_name(name, r, i);
        bytes += DP_ZIP_BEGIN_BYTES + DP_ZIP_ENTRY_BYTES + 2.0 * (double)strlen(name) + NPY_HEADER +
                 (double)NUMBER * (double)r->rows;
    }
    if (bytes > DP_ZIP_BYTES || r->columns > DP_ZIP_MEMBERS) {
        return dp_fail(DP_ERROR_CAPACITY,
                       "%s: %zu channels with %zu samples need %.3g GB "
                       "(npz holds 4 GiB in 65535 channels; sample less often or fewer channels)",
                       path, r->columns, r->rows, bytes / 1e9);
    }
    return DP_OK;
}

static void write_archive(FILE *file, const dp_recorder *r, dp_zip_member *member)
{
    char name[DP_CHANNEL_NAME + 4];
    uint32_t at = 0;
    for (size_t i = 0; i < r->columns && !ferror(file); ++i) {
        member[i] = (dp_zip_member){.crc = pass_column(NULL, r, i),
                                    .bytes = (uint32_t)(NPY_HEADER + NUMBER * r->rows),
                                    .offset = at};
        member_name(name, r, i);
        at += dp_zip_begin(file, &member[i], name) + member[i].bytes;
        pass_column(file, r, i);
    }
    uint32_t directory = 0;
    for (size_t i = 0; i < r->columns; ++i) {
        member_name(name, r, i);
        directory += dp_zip_entry(file, &member[i], name);
    }
    dp_zip_end(file, (int)r->columns, directory, at);
}

dp_status dp_recorder_write_npz(const dp_recorder *r, const char *path)
{
    const dp_allocator *a = &r->pool.allocator;
    DP_TRY(check_size(r, path));
    dp_zip_member *member;
    DP_TRY(dp_allocate(&member, a, r->columns, sizeof *member));
    dp_output out;
    dp_status status = dp_output_open(&out, path, a);
    if (status == DP_OK) {
        write_archive(out.file, r, member);
        status = dp_output_close(&out);
    }
    dp_release(a, member, r->columns, sizeof *member);
    return status;
}
