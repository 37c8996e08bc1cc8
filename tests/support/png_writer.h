// PNG files in memory, written without the code that reads them, and not compressed.
#ifndef DP_TESTS_PNG_WRITER_H
#define DP_TESTS_PNG_WRITER_H

#include "mesh_writer.h"

typedef struct png_layout {
    int width, height;
    int depth;  ///< bits per sample
    int colour; ///< 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
    bool interlaced;
    int filter; ///< of all rows, 0 … 4; 5: each in turn
    int pieces; ///< IDAT chunks
    /// Channel `c` of pixel (x, y), 0 … 2^depth − 1.
    int (*sample)(int x, int y, int c);
    const unsigned char *palette; ///< 3·npalette
    int npalette;
} png_layout;

test_file write_png(const png_layout *layout);

/// The signature; a chunk with its checksum; the checksum of a zlib stream, Adler-32; such a stream
/// of stored blocks.
void put_png_signature(test_file *f);
void put_png_chunk(test_file *f, const char *type, const void *data, size_t count);
void put_adler(test_file *f, const void *content, size_t count);
void put_zlib_stored(test_file *f, const unsigned char *bytes, size_t count);

/// Give every chunk the checksum that its content demands, as far as chunks can be distinguished.
void repair_png(unsigned char *bytes, size_t count);

#endif
