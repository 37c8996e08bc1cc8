// PNG images as grey values, for terrain.
#ifndef DP_FORMAT_PNG_H
#define DP_FORMAT_PNG_H

#include "base/memory.h"

/// No image has more pixels than this.
enum { DP_PNG_PIXELS = 1 << 26 };

typedef struct dp_png {
    int width, height;
    const double *grey; // height·width by rows, the top one first: 0 black … 1 white
    int depth;          // bits per sample in the file
    bool coloured;      // some pixel is not grey; `grey` is then its red
    bool transparent;   // some pixel is not opaque; `grey` is then what it would be
} dp_png;

/// Whether bytes begin like a PNG file.
bool dp_png_is(const void *bytes, size_t count);

/// Read an image of any kind that the format has (1 … 16 bits, grey, coloured or by palette, with
/// or without alpha, interlaced or not) into `pool`. Checksums are checked; colour spaces are
/// ignored.
/// @return DP_ERROR_PARSE with "file: byte N: found, expected"; DP_ERROR_UNSUPPORTED for extensions
///         that claim to be essential.
dp_status dp_png_parse(dp_png *out, dp_pool *pool, const void *bytes, size_t count,
                       const char *file);

#endif
