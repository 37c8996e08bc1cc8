#include "png_writer.h"

#include "near.h"

#include <stdlib.h>
#include <string.h>

// Bit by bit, as the definition has it.
static uint32_t slow_crc(const unsigned char *bytes, size_t count)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc & 1u ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        }
    }
    return ~crc;
}

void put_png_signature(test_file *f)
{
    put_bytes(f, "\x89PNG\r\n\x1A\n", 8);
}

void put_png_chunk(test_file *f, const char *type, const void *data, size_t count)
{
    put_big32(f, (uint32_t)count);
    const size_t start = f->count;
    put_bytes(f, type, 4);
    put_bytes(f, count > 0 ? data : "", count);
    put_big32(f, slow_crc(f->bytes + start, count + 4));
}

void put_adler(test_file *f, const void *content, size_t count)
{
    const unsigned char *bytes = content;
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; ++i) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    put_big32(f, b << 16 | a);
}

void put_zlib_stored(test_file *f, const unsigned char *bytes, size_t count)
{
    put_bytes(f, "\x78\x01", 2);
    size_t done = 0;
    do {
        const size_t n = count - done < 1000 ? count - done : 1000;
        const unsigned char start[5] = {done + n == count, (unsigned char)n,
                                        (unsigned char)(n >> 8), (unsigned char)~n,
                                        (unsigned char)(~n >> 8)};
        put_bytes(f, start, 5);
        put_bytes(f, bytes + done, n);
        done += n;
    } while (done < count);
    put_adler(f, bytes, count);
}

static int channels_of(int colour)
{
    return colour == 2 ? 3 : colour == 6 ? 4 : colour == 4 ? 2 : 1;
}

static int predict(int filter, int left, int above, int corner)
{
    const int estimate = left + above - corner;
    const int l = abs(estimate - left), u = abs(estimate - above), c = abs(estimate - corner);
    switch (filter) {
    case 1:
        return left;
    case 2:
        return above;
    case 3:
        return (left + above) / 2;
    case 4:
        return l <= u && l <= c ? left : u <= c ? above : corner;
    default:
        return 0;
    }
}

// The rows of the pixels x0 + i dx, y0 + j dy, filtered.
static void put_rows(test_file *raw, const png_layout *p, int x0, int y0, int dx, int dy)
{
    const int channels = channels_of(p->colour), bits = channels * p->depth;
    const int ncolumn = (p->width - x0 + dx - 1) / dx;
    if (ncolumn <= 0) {
        return;
    }
    const int bytes = (ncolumn * bits + 7) / 8, step = bits < 8 ? 1 : bits / 8;
    unsigned char *above = calloc((size_t)bytes, 1);
    for (int y = y0, j = 0; y < p->height; y += dy, ++j) {
        unsigned char *row = calloc((size_t)bytes, 1);
        for (int k = 0; k < ncolumn * channels; ++k) {
            const int value = p->sample(x0 + k / channels * dx, y, k % channels);
            for (int bit = 0; bit < p->depth; ++bit) { // the highest first
                const int at = k * p->depth + bit;
                row[at / 8] = (unsigned char)(row[at / 8] | (value >> (p->depth - 1 - bit) & 1)
                                                                << (7 - at % 8));
            }
        }
        const int filter = p->filter < 5 ? p->filter : j % 5;
        put_text(raw, "%c", 1); // the filter; %c of 0 would be no text
        raw->bytes[raw->count - 1] = (unsigned char)filter;
        for (int i = 0; i < bytes; ++i) {
            const int left = i >= step ? row[i - step] : 0,
                      corner = i >= step ? above[i - step] : 0;
            const unsigned char byte =
                (unsigned char)(row[i] - predict(filter, left, above[i], corner));
            put_bytes(raw, &byte, 1);
        }
        free(above);
        above = row;
    }
    free(above);
}

test_file write_png(const png_layout *p)
{
    static const int adam7[7][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                    {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    test_file raw = {0}, data = {0}, header = {0}, f = {0};
    for (int k = 0; p->interlaced && k < 7; ++k) {
        put_rows(&raw, p, adam7[k][0], adam7[k][1], adam7[k][2], adam7[k][3]);
    }
    if (!p->interlaced) {
        put_rows(&raw, p, 0, 0, 1, 1);
    }
    put_zlib_stored(&data, raw.bytes, raw.count);

    put_png_signature(&f);
    put_big32(&header, (uint32_t)p->width);
    put_big32(&header, (uint32_t)p->height);
    const unsigned char kind[5] = {(unsigned char)p->depth, (unsigned char)p->colour, 0, 0,
                                   p->interlaced};
    put_bytes(&header, kind, 5);
    put_png_chunk(&f, "IHDR", header.bytes, header.count);
    put_png_chunk(&f, "gAMA", "\0\0\xB1\x8F", 4);
    if (p->npalette > 0) {
        put_png_chunk(&f, "PLTE", p->palette, 3 * (size_t)p->npalette);
    }
    const size_t pieces = p->pieces > 0 ? (size_t)p->pieces : 1;
    for (size_t i = 0; i < pieces; ++i) {
        const size_t from = data.count * i / pieces, to = data.count * (i + 1) / pieces;
        put_png_chunk(&f, "IDAT", data.bytes + from, to - from);
    }
    put_png_chunk(&f, "IEND", NULL, 0);
    free(raw.bytes);
    free(data.bytes);
    free(header.bytes);
    return f;
}

void repair_png(unsigned char *bytes, size_t count)
{
    for (size_t at = 8; at < count && count - at >= 12;) {
        const size_t n = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                         (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (n > count - at - 12) {
            return;
        }
        const uint32_t crc = slow_crc(bytes + at + 4, n + 4);
        for (size_t k = 0; k < 4; ++k) {
            bytes[at + 8 + n + k] = (unsigned char)(crc >> (24 - 8 * k));
        }
        at += 12 + n;
    }
}
