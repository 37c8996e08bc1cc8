// PNG, third edition. A file is a signature and chunks: length, type, data, CRC. The data of all
// IDAT chunks together are one zlib stream of rows, each with a filter in front; an interlaced
// image is seven smaller ones, one after the other (Adam7).
#include "io/codec/png.h"

#include "base/interrupt.h"
#include "io/codec/bytes.h"
#include "io/codec/zlib_stream.h"

#include <stdlib.h>

static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

typedef enum colour {
    GREY = 0,
    RGB = 2,
    PALETTE = 3,
    GREY_ALPHA = 4,
    RGB_ALPHA = 6,
} colour;

typedef struct image {
    const unsigned char *bytes; // of the file
    size_t count;
    const char *file;
    uint32_t width, height;
    int depth, channels;
    colour colour;
    bool interlaced, transparent;
    const unsigned char *palette; // 3 bytes each
    uint32_t npalette;
    size_t data, ndata; // where the first IDAT chunk is, and how long all of them are
} image;

static uint32_t chunk_name(const char *name)
{
    return dp_big_u32((const unsigned char *)name);
}

// --- chunks

// A chunk at `at`: its length, after a look at its bounds and its checksum.
static dp_status open_chunk(uint32_t *length, const image *png, size_t at)
{
    if (png->count - at < 12) {
        return dp_fail(DP_ERROR_PARSE, "%s: byte %zu: found the end of the file (expected a chunk)",
                       png->file, png->count);
    }
    *length = dp_big_u32(png->bytes + at);
    if (*length > png->count - at - 12) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte %zu: found a chunk of %lu bytes (expected %zu at most, which is "
                       "what the file has left)",
                       png->file, at, (unsigned long)*length, png->count - at - 12);
    }
    const uint32_t crc = dp_crc32(0, png->bytes + at + 4, (size_t)*length + 4);
    const uint32_t stored = dp_big_u32(png->bytes + at + 8 + *length);
    if (crc != stored) {
        return dp_fail(
            DP_ERROR_PARSE,
            "%s: byte %zu: found the checksum %08lx (expected %08lx: the file is damaged)",
            png->file, at + 8 + *length, (unsigned long)stored, (unsigned long)crc);
    }
    return DP_OK;
}

static bool is_depth_of(colour kind, int depth)
{
    const bool deep = depth == 8 || depth == 16;
    switch (kind) {
    case GREY:
        return deep || depth == 1 || depth == 2 || depth == 4;
    case PALETTE:
        return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case RGB:
    case GREY_ALPHA:
    case RGB_ALPHA:
        return deep;
    }
    return false;
}

static dp_status read_header(image *png, const unsigned char *data, uint32_t length)
{
    if (length != 13) {
        return dp_fail(DP_ERROR_PARSE, "%s: byte 8: found a header of %lu bytes (expected 13)",
                       png->file, (unsigned long)length);
    }
    png->width = dp_big_u32(data);
    png->height = dp_big_u32(data + 4);
    if (png->width == 0 || png->height == 0 || (uint64_t)png->width * png->height > DP_PNG_PIXELS) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte 16: found %lu by %lu pixels (expected at least 1, and %d at most)",
                       png->file, (unsigned long)png->width, (unsigned long)png->height,
                       DP_PNG_PIXELS);
    }
    png->depth = data[8];
    png->colour = (colour)data[9];
    if (!is_depth_of(png->colour, png->depth)) {
        return dp_fail(
            DP_ERROR_PARSE,
            "%s: byte 24: found %d bits of colour type %d (expected 1 … 16 bits of grey, "
            "8 or 16 of colours, 1 … 8 of a palette)",
            png->file, png->depth, data[9]);
    }
    png->channels = png->colour == RGB          ? 3
                    : png->colour == RGB_ALPHA  ? 4
                    : png->colour == GREY_ALPHA ? 2
                                                : 1;
    if (data[10] != 0 || data[11] != 0 || data[12] > 1) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte 26: found compression %d, filter %d, interlace %d (expected 0, 0, "
                       "and 0 or 1)",
                       png->file, data[10], data[11], data[12]);
    }
    png->interlaced = data[12] == 1;
    return DP_OK;
}

static dp_status read_palette(image *png, size_t at, uint32_t length)
{
    if (png->palette || png->ndata > 0 || length == 0 || length % 3 != 0 || length > 768) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte %zu: found a palette of %lu bytes (expected one, in front of the "
                       "pixels, of 1 … 256 colours)",
                       png->file, at, (unsigned long)length);
    }
    png->palette = png->bytes + at + 8;
    png->npalette = length / 3;
    return DP_OK;
}

static dp_status read_chunk(image *png, size_t at, uint32_t name, uint32_t length, uint32_t last)
{
    if ((name == chunk_name("IHDR")) != (at == sizeof signature)) {
        return dp_fail(DP_ERROR_PARSE, "%s: byte %zu: found %s header (expected one, first of all)",
                       png->file, at, name == chunk_name("IHDR") ? "another" : "no");
    }
    if (name == chunk_name("IHDR")) {
        return read_header(png, png->bytes + at + 8, length);
    }
    if (name == chunk_name("PLTE")) {
        return read_palette(png, at, length);
    }
    if (name == chunk_name("IDAT")) {
        if (png->data > 0 && last != name) {
            return dp_fail(DP_ERROR_PARSE,
                           "%s: byte %zu: found pixels (expected them all in a row)", png->file,
                           at);
        }
        png->data = png->data > 0 ? png->data : at;
        png->ndata += length;
        return DP_OK;
    }
    png->transparent = png->transparent || name == chunk_name("tRNS");
    const bool essential = (name & 0x20000000u) == 0; // its first letter is a capital
    if (essential && name != chunk_name("IEND")) {
        return dp_fail(DP_ERROR_UNSUPPORTED,
                       "%s: byte %zu: found a chunk that is none of IHDR, PLTE, IDAT and IEND and "
                       "says that it is essential (expected a plain PNG image)",
                       png->file, at);
    }
    return DP_OK;
}

static dp_status read_chunks(image *png)
{
    size_t at = sizeof signature;
    uint32_t name = 0;
    while (name != chunk_name("IEND")) {
        uint32_t length = 0;
        DP_TRY(open_chunk(&length, png, at));
        const uint32_t last = name;
        name = dp_big_u32(png->bytes + at + 4);
        DP_TRY(read_chunk(png, at, name, length, last));
        at += 12 + (size_t)length;
    }
    if (png->ndata == 0) {
        return dp_fail(DP_ERROR_PARSE, "%s: byte %zu: found the end of the image (expected pixels)",
                       png->file, at);
    }
    if (png->colour == PALETTE && !png->palette) {
        return dp_fail(DP_ERROR_PARSE, "%s: byte %zu: found no palette (expected one)", png->file,
                       png->data);
    }
    return DP_OK;
}

// --- pixels

// A smaller image within the image: pixels x0 + i dx, y0 + j dy.
typedef struct pass {
    uint32_t x0, y0, dx, dy;
} pass;

enum { PASSES = 7 };

static pass pass_of(const image *png, int k)
{
    static const pass adam7[PASSES] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                       {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    return png->interlaced ? adam7[k] : (pass){0, 0, 1, 1};
}

static uint32_t columns(const image *png, pass p)
{
    return png->width > p.x0 ? (png->width - p.x0 + p.dx - 1) / p.dx : 0;
}

static uint32_t rows(const image *png, pass p)
{
    return png->height > p.y0 ? (png->height - p.y0 + p.dy - 1) / p.dy : 0;
}

static size_t row_bytes(const image *png, uint32_t ncolumn)
{
    return ((size_t)ncolumn * (size_t)png->depth * (size_t)png->channels + 7) / 8;
}

// All rows of all passes, with their filters in front.
static size_t raw_bytes(const image *png)
{
    size_t total = 0;
    for (int k = 0; k < (png->interlaced ? PASSES : 1); ++k) {
        const pass p = pass_of(png, k);
        if (columns(png, p) > 0) {
            total += (1 + row_bytes(png, columns(png, p))) * rows(png, p);
        }
    }
    return total;
}

// Of left, above and above left, the one nearest to left + above − above left.
static int paeth(int left, int above, int corner)
{
    const int to_left = abs(above - corner), to_above = abs(left - corner);
    const int to_corner = abs(left + above - 2 * corner);
    if (to_left <= to_above && to_left <= to_corner) {
        return left;
    }
    return to_above <= to_corner ? above : corner;
}

// Undo a row's filter, which predicts each byte from those `step` before and in the row above.
static bool unfilter(unsigned char *row, const unsigned char *above, size_t n, size_t step,
                     int filter)
{
    for (size_t i = 0; i < n; ++i) {
        const int a = i >= step ? row[i - step] : 0, b = above ? above[i] : 0;
        const int c = i >= step && above ? above[i - step] : 0;
        int prediction;
        switch (filter) {
        case 0:
            return true;
        case 1:
            prediction = a;
            break;
        case 2:
            prediction = b;
            break;
        case 3:
            prediction = (a + b) / 2;
            break;
        case 4:
            prediction = paeth(a, b, c);
            break;
        default:
            return false;
        }
        row[i] = (unsigned char)(row[i] + prediction);
    }
    return true;
}

static int sample(const image *png, const unsigned char *row, size_t k)
{
    if (png->depth == 16) {
        return 256 * row[2 * k] + row[2 * k + 1];
    }
    const size_t bit = k * (size_t)png->depth;
    return row[bit / 8] >> (8 - png->depth - (int)(bit % 8)) & ((1 << png->depth) - 1);
}

// The grey of pixel i of a row, and what was lost by it.
static bool read_pixel(double *grey, dp_png *out, const image *png, const unsigned char *row,
                       uint32_t i)
{
    const int largest = (1 << png->depth) - 1;
    const size_t first = (size_t)i * (size_t)png->channels;
    const int value = sample(png, row, first);
    if (png->colour == PALETTE) {
        if ((uint32_t)value >= png->npalette) {
            return false;
        }
        const unsigned char *rgb = png->palette + 3 * value;
        out->coloured = out->coloured || rgb[0] != rgb[1] || rgb[0] != rgb[2];
        *grey = rgb[0] / 255.0;
        return true;
    }
    if (png->channels >= 3) {
        out->coloured = out->coloured || sample(png, row, first + 1) != value ||
                        sample(png, row, first + 2) != value;
    }
    if (png->channels % 2 == 0) {
        const int alpha = sample(png, row, first + (size_t)png->channels - 1);
        out->transparent = out->transparent || alpha != largest;
    }
    *grey = (double)value / largest;
    return true;
}

static dp_status read_pass(double *grey, dp_png *out, const image *png, pass p, unsigned char *raw)
{
    const uint32_t ncolumn = columns(png, p), nrow = rows(png, p);
    const size_t bytes = row_bytes(png, ncolumn);
    const size_t bits = (size_t)png->depth * (size_t)png->channels;
    unsigned char *above = NULL;
    for (uint32_t j = 0; j < nrow; ++j, raw += bytes + 1) {
        unsigned char *row = raw + 1;
        DP_TRY(dp_interrupt_check(20 * bytes));
        const uint32_t y = p.y0 + j * p.dy;
        if (!unfilter(row, above, bytes, bits < 8 ? 1 : bits / 8, raw[0])) {
            return dp_fail(DP_ERROR_PARSE, "%s: row %lu: found filter %d (expected 0 … 4)",
                           png->file, (unsigned long)y, raw[0]);
        }
        for (uint32_t i = 0; i < ncolumn; ++i) {
            const size_t pixel = (size_t)y * png->width + p.x0 + (size_t)i * p.dx;
            if (!read_pixel(&grey[pixel], out, png, row, i)) {
                return dp_fail(DP_ERROR_PARSE,
                               "%s: row %lu: found a colour that the palette does not have "
                               "(expected 0 … %lu)",
                               png->file, (unsigned long)y, (unsigned long)png->npalette - 1);
            }
        }
        above = row;
    }
    return DP_OK;
}

static dp_status read_pixels(double *grey, dp_png *out, const image *png, unsigned char *raw)
{
    for (int k = 0; k < (png->interlaced ? PASSES : 1); ++k) {
        const pass p = pass_of(png, k);
        if (columns(png, p) > 0) {
            DP_TRY(read_pass(grey, out, png, p, raw));
            raw += (1 + row_bytes(png, columns(png, p))) * rows(png, p);
        }
    }
    return DP_OK;
}

// The data of all IDAT chunks, one behind the other.
static dp_status gather_data(unsigned char **out, dp_pool *scratch, const image *png)
{
    DP_TRY(dp_pool_take(out, scratch, png->ndata, 1));
    size_t used = 0;
    for (size_t at = png->data; used < png->ndata;) {
        const uint32_t length = dp_big_u32(png->bytes + at);
        memcpy(*out + used, png->bytes + at + 8, length);
        used += length;
        at += 12 + (size_t)length;
    }
    return DP_OK;
}

static dp_status decode(dp_png *out, dp_pool *pool, dp_pool *scratch, const image *png)
{
    const size_t nraw = raw_bytes(png);
    if (nraw / DP_INFLATE_RATIO > png->ndata) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: byte %zu: found %zu bytes for %zu bytes of pixels (expected at least "
                       "one for each %d)",
                       png->file, png->data, png->ndata, nraw, DP_INFLATE_RATIO);
    }
    unsigned char *data = NULL, *raw;
    DP_TRY(gather_data(&data, scratch, png));
    DP_TRY(dp_pool_take(&raw, scratch, nraw, 1));
    const dp_packed_bytes packed = {data, png->ndata, png->file};
    DP_TRY(dp_inflate(raw, nraw, &packed, &scratch->allocator));

    double *grey;
    DP_TRY(dp_pool_take(&grey, pool, (size_t)png->width * png->height, sizeof *grey));
    dp_png result = {.width = (int)png->width,
                     .height = (int)png->height,
                     .grey = grey,
                     .depth = png->depth,
                     .transparent = png->transparent};
    DP_TRY(read_pixels(grey, &result, png, raw));
    *out = result;
    return DP_OK;
}

bool dp_png_is(const void *bytes, size_t count)
{
    return count >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}

dp_status dp_png_parse(dp_png *out, dp_pool *pool, const void *bytes, size_t count,
                       const char *file)
{
    *out = (dp_png){0};
    if (!dp_png_is(bytes, count)) {
        return dp_fail(DP_ERROR_PARSE, "%s: byte 0: found no signature of PNG (expected one)",
                       file);
    }
    image png = {.bytes = bytes, .count = count, .file = file};
    DP_TRY(read_chunks(&png));
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    const dp_status status = decode(out, pool, &scratch, &png);
    dp_pool_destroy(&scratch);
    return status;
}
