// Terrain files: PNG images, and MuJoCo's own binary format.
#ifndef DP_FORMAT_HFIELD_FILE_H
#define DP_FORMAT_HFIELD_FILE_H

#include "base/memory.h"

/// Heights on a grid.
typedef struct dp_hfield_data {
    int nrow, ncol;
    const double *elevation; // nrow·ncol by rows, the one with the lowest y first: 0 … 1
    double low, high;        // what 0 and 1 are in the file; of a PNG image, 0 black … 1 white
    bool coloured;           // a PNG image in colours, of which the red counts
    bool transparent;        // a PNG image with transparent pixels, which does not count
} dp_hfield_data;

/// Read terrain from memory into `pool`: a PNG image (its bottom row has the lowest y), or two
/// counts (rows, columns) and as many singles, little-endian. Heights are shifted and stretched to
/// 0 … 1, as in MuJoCo; flat terrain becomes 0.
/// @return DP_ERROR_PARSE with "file: byte N: found, expected".
dp_status dp_hfield_parse(dp_hfield_data *out, dp_pool *pool, const void *bytes, size_t count,
                          const char *file);
/// The same from a file.
dp_status dp_hfield_load(dp_hfield_data *out, dp_pool *pool, const char *path);

/// Shift and stretch n numbers to 0 … 1, and tell what those were. Equal numbers become 0.
void dp_hfield_scale(double *low, double *high, double *x, size_t n);

#endif
