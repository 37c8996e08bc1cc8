#include "io/mesh/hfield_file.h"

#include "io/codec/bytes.h"
#include "io/codec/png.h"
#include "io/codec/xml.h"

#include <limits.h>
#include <math.h>

enum { HEADER = 8 }; // bytes of the binary format

// A smaller range of heights is round-off, as in MuJoCo.
static const double FLAT = 1e-15;

void dp_hfield_scale(double *low, double *high, double *x, size_t n)
{
    *low = *high = n > 0 ? x[0] : 0.0;
    for (size_t i = 1; i < n; ++i) {
        *low = fmin(*low, x[i]);
        *high = fmax(*high, x[i]);
    }
    const double range = 0.5 * *high - 0.5 * *low; // half of it: the whole may overflow
    for (size_t i = 0; i < n; ++i) {
        x[i] = 2.0 * range > FLAT ? (0.5 * x[i] - 0.5 * *low) / range : 0.0;
    }
}

static dp_status turn_image(dp_hfield_data *out, dp_pool *pool, const dp_png *png)
{
    const size_t nrow = (size_t)png->height, ncol = (size_t)png->width;
    double *elevation;
    DP_TRY(dp_pool_take(&elevation, pool, nrow * ncol, sizeof *elevation));
    for (size_t row = 0; row < nrow; ++row) {
        memcpy(elevation + row * ncol, png->grey + (nrow - 1 - row) * ncol,
               ncol * sizeof *elevation);
    }
    dp_hfield_data field = {.nrow = png->height,
                            .ncol = png->width,
                            .elevation = elevation,
                            .coloured = png->coloured,
                            .transparent = png->transparent};
    dp_hfield_scale(&field.low, &field.high, elevation, nrow * ncol);
    *out = field;
    return DP_OK;
}

static dp_status read_image(dp_hfield_data *out, dp_pool *pool, const void *bytes, size_t count,
                            const char *file)
{
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    dp_png png;
    dp_status status = dp_png_parse(&png, &scratch, bytes, count, file);
    if (status == DP_OK) {
        status = turn_image(out, pool, &png);
    }
    dp_pool_destroy(&scratch);
    return status;
}

static dp_status read_binary(dp_hfield_data *out, dp_pool *pool, const unsigned char *bytes,
                             size_t count, const char *file)
{
    if (count < HEADER) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte %zu: found the end of the file (expected a PNG image, or the "
                       "numbers of rows and columns)",
                       file, count);
    }
    const int64_t nrow = dp_little_i32(bytes), ncol = dp_little_i32(bytes + 4);
    if (nrow < 1 || ncol < 1 || nrow > INT_MAX / ncol ||
        HEADER + 4 * (uint64_t)(nrow * ncol) != count) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte 0: found %lld rows and %lld columns in a file of %zu bytes "
                       "(expected a PNG image, or the numbers of rows and columns, %d bytes, and 4 "
                       "bytes for each point)",
                       file, (long long)nrow, (long long)ncol, count, HEADER);
    }
    const size_t n = (size_t)(nrow * ncol);
    double *elevation;
    DP_TRY(dp_pool_take(&elevation, pool, n, sizeof *elevation));
    for (size_t i = 0; i < n; ++i) {
        elevation[i] = dp_little_f32(bytes + HEADER + 4 * i);
        if (!isfinite(elevation[i])) {
            return dp_fail(DP_ERROR_PARSE,
                           "%s: byte %zu: found a height that is not finite (expected a number)",
                           file, HEADER + 4 * i);
        }
    }
    dp_hfield_data field = {.nrow = (int)nrow, .ncol = (int)ncol, .elevation = elevation};
    dp_hfield_scale(&field.low, &field.high, elevation, n);
    *out = field;
    return DP_OK;
}

dp_status dp_hfield_parse(dp_hfield_data *out, dp_pool *pool, const void *bytes, size_t count,
                          const char *file)
{
    *out = (dp_hfield_data){0};
    return dp_png_is(bytes, count) ? read_image(out, pool, bytes, count, file)
                                   : read_binary(out, pool, bytes, count, file);
}

dp_status dp_hfield_load(dp_hfield_data *out, dp_pool *pool, const char *path)
{
    *out = (dp_hfield_data){0};
    char *bytes;
    size_t count;
    DP_TRY(dp_file_read(&bytes, &count, path, &pool->allocator));
    const dp_status status = dp_hfield_parse(out, pool, bytes, count, path);
    dp_release(&pool->allocator, bytes, count + 1, 1);
    return status;
}
