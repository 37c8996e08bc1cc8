// Decompression, PNG images and terrain files.
#include "counting_allocator.h"
#include "near.h"
#include "png_writer.h"
#include "test_random.h"

#include "io/codec/png.h"
#include "io/codec/zlib_stream.h"
#include "io/mesh/hfield_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_pool(void **state)
{
    static dp_pool pool;
    dp_pool_init(&pool, NULL);
    *state = &pool;
    return 0;
}

static int close_pool(void **state)
{
    dp_pool_destroy(*state);
    return 0;
}

// --- decompression

static dp_status unpack(unsigned char *out, size_t count, const unsigned char *in, size_t nin)
{
    return dp_inflate(out, count, &(dp_packed_bytes){in, nin, "z"}, NULL);
}

// 500 random letters of eight, then a run.
static void make_content(unsigned char content[600])
{
    uint32_t x = 1;
    for (int i = 0; i < 600; ++i) {
        x = (x * 1103515245u + 12345u) & 0x7FFFFFFFu;
        content[i] = i < 500 ? (unsigned char)(x >> 24 & 7u) : 42;
    }
}

// The last 200 bytes of it by zlib with the codes that every reader knows, and all of it with codes
// of its own.
static const unsigned char fixed_stream[] = {
    0x78, 0x01, 0x63, 0x67, 0x66, 0x62, 0x62, 0x62, 0x66, 0x62, 0x65, 0x64, 0x64, 0x65, 0x67,
    0x63, 0x61, 0x61, 0x62, 0x60, 0x66, 0x61, 0x67, 0x67, 0x64, 0x61, 0x61, 0x60, 0x63, 0x66,
    0x62, 0x67, 0x60, 0x64, 0x61, 0x62, 0x02, 0x72, 0xD8, 0xD9, 0x98, 0x80, 0x12, 0x4C, 0xCC,
    0xCC, 0x8C, 0x8C, 0x0C, 0x6C, 0x2C, 0x40, 0x9A, 0x85, 0x99, 0x9D, 0x9D, 0x81, 0x99, 0x81,
    0x85, 0x91, 0x15, 0x28, 0xCB, 0xC6, 0xCA, 0x08, 0x94, 0x61, 0x62, 0x60, 0x67, 0x00, 0x6A,
    0x65, 0x67, 0x64, 0x64, 0x67, 0x01, 0x02, 0x26, 0x16, 0x46, 0x26, 0x26, 0x36, 0x76, 0x66,
    0x16, 0x16, 0x56, 0x16, 0x2D, 0x3A, 0x00, 0x00, 0x00, 0xD5, 0x11, 0xB8};
static const unsigned char dynamic_stream[] = {
    0x78, 0xDA, 0xBD, 0x91, 0x81, 0x91, 0xC4, 0x30, 0x08, 0x03, 0x91, 0x10, 0xD0, 0xCB, 0xF5, 0x5F,
    0xE0, 0xAF, 0x53, 0xC4, 0x67, 0x26, 0x19, 0x62, 0x40, 0x88, 0xB5, 0xF6, 0xA2, 0x51, 0xEE, 0xAC,
    0xBE, 0x89, 0xED, 0x56, 0x57, 0x65, 0xDC, 0xC3, 0xE9, 0xAE, 0x4C, 0x5E, 0xD3, 0x53, 0xED, 0x4D,
    0xCB, 0x64, 0xAF, 0xC7, 0x75, 0x35, 0x3A, 0xE2, 0x9D, 0xE6, 0x2D, 0x7A, 0x95, 0x36, 0x29, 0x7A,
    0xD2, 0xFD, 0x8E, 0xBA, 0x49, 0x1D, 0x4D, 0x5B, 0xA8, 0x6C, 0xEA, 0x45, 0x57, 0xEB, 0xF1, 0x95,
    0x77, 0xA9, 0x25, 0x4C, 0x73, 0xB4, 0xB3, 0x08, 0x76, 0x12, 0x37, 0x43, 0xD2, 0xBB, 0xE8, 0xD5,
    0xE6, 0xD0, 0x61, 0xCC, 0xCE, 0x3C, 0x57, 0x08, 0x05, 0xE5, 0x64, 0xF7, 0xE6, 0x1C, 0x67, 0xA6,
    0x4B, 0xF3, 0x0A, 0x5A, 0x22, 0x55, 0xA8, 0x9C, 0x67, 0x2E, 0xDB, 0x66, 0xA6, 0x84, 0x08, 0xC1,
    0x04, 0x71, 0x9B, 0x26, 0x0A, 0xD3, 0x98, 0x40, 0x77, 0x3C, 0xD9, 0xEC, 0x2D, 0x9D, 0xEB, 0xD3,
    0x06, 0xBD, 0xF4, 0x1C, 0xBE, 0x9A, 0xD5, 0xF0, 0x20, 0x97, 0xDF, 0x72, 0xC3, 0xE6, 0xA2, 0xFA,
    0x81, 0x40, 0x2C, 0xF7, 0x50, 0xA0, 0x0B, 0x38, 0xF0, 0xE8, 0xAD, 0xB5, 0x6F, 0x3C, 0x9F, 0xE3,
    0x5C, 0x63, 0x12, 0x53, 0x6A, 0xE8, 0x8E, 0x97, 0xE6, 0x42, 0x48, 0x8D, 0xE7, 0x3A, 0x9D, 0x98,
    0xFB, 0x76, 0xBC, 0x47, 0xFD, 0xBE, 0xC8, 0x2A, 0xA2, 0x77, 0x03, 0x7E, 0xC4, 0x0F, 0x33, 0xAE,
    0xE6, 0x12, 0x14, 0x40, 0x80, 0xB6, 0xC4, 0x02, 0xFC, 0xE0, 0x8E, 0xC4, 0xE3, 0xF4, 0xED, 0xD6,
    0x0D, 0xC1, 0xAB, 0xAE, 0xEF, 0x26, 0xC1, 0xA3, 0x47, 0x10, 0x43, 0xB4, 0x9E, 0x74, 0x79, 0x50,
    0x23, 0x7B, 0x0F, 0x04, 0x93, 0xDF, 0x3F, 0x3C, 0x7F, 0xB2, 0x87, 0x17, 0x43};

/// A stream that was written by somebody else, and what is in it.
typedef struct known_stream {
    const unsigned char *in;
    size_t nin;
    unsigned char content[600];
    size_t ncontent;
} known_stream;

enum { STREAMS = 3 };

static void make_streams(known_stream s[STREAMS], test_file *stored)
{
    unsigned char content[600];
    make_content(content);
    *stored = (test_file){0};
    put_zlib_stored(stored, content, sizeof content);
    s[0] = (known_stream){.in = stored->bytes, .nin = stored->count, .ncontent = 600};
    s[1] = (known_stream){.in = fixed_stream, .nin = sizeof fixed_stream, .ncontent = 200};
    s[2] = (known_stream){.in = dynamic_stream, .nin = sizeof dynamic_stream, .ncontent = 600};
    for (int i = 0; i < STREAMS; ++i) {
        memcpy(s[i].content, content + 600 - s[i].ncontent, s[i].ncontent);
    }
}

static void streams_of_zlib_decompress_to_their_content(void **state)
{
    (void)state;
    known_stream s[STREAMS];
    test_file stored;
    make_streams(s, &stored);
    for (int i = 0; i < STREAMS; ++i) {
        unsigned char out[600];
        assert_int_equal(unpack(out, s[i].ncontent, s[i].in, s[i].nin), DP_OK);
        assert_memory_equal(out, s[i].content, s[i].ncontent);
        // One byte more or less is refused; and nothing is written beyond the end.
        unsigned char *exact = malloc(s[i].ncontent - 1);
        assert_int_equal(unpack(exact, s[i].ncontent - 1, s[i].in, s[i].nin), DP_ERROR_PARSE);
        assert_non_null(strstr(dp_last_error(), "z: found compressed data for more than"));
        free(exact);
        unsigned char more[601];
        assert_int_equal(unpack(more, s[i].ncontent + 1, s[i].in, s[i].nin), DP_ERROR_PARSE);
    }
    free(stored.bytes);
}

static void streams_that_end_early_are_refused_wherever_they_end(void **state)
{
    (void)state;
    known_stream s[STREAMS];
    test_file stored;
    make_streams(s, &stored);
    for (int i = 0; i < STREAMS; ++i) {
        for (size_t n = 0; n < s[i].nin; ++n) {
            unsigned char out[600], *in = malloc(n + 1);
            memcpy(in, s[i].in, n);
            unsigned char *exact = realloc(in, n > 0 ? n : 1); // nothing to read behind it
            assert_int_equal(unpack(out, s[i].ncontent, exact, n), DP_ERROR_PARSE);
            free(exact);
        }
    }
    free(stored.bytes);
}

// Bits between the last block and the checksum, and behind a stored block's header, mean nothing.
static void each_flipped_bit_is_noticed_or_changes_nothing(void **state)
{
    (void)state;
    known_stream s[STREAMS];
    test_file stored;
    make_streams(s, &stored);
    int unnoticed = 0;
    for (int i = 0; i < STREAMS; ++i) {
        for (size_t bit = 0; bit < 8 * s[i].nin; ++bit) {
            unsigned char in[700], out[600];
            memcpy(in, s[i].in, s[i].nin);
            in[bit / 8] = (unsigned char)(in[bit / 8] ^ 1 << bit % 8);
            if (unpack(out, s[i].ncontent, in, s[i].nin) == DP_OK) {
                assert_memory_equal(out, s[i].content, s[i].ncontent);
                ++unnoticed;
            }
        }
    }
    assert_true(unnoticed <= 7 * STREAMS);
    free(stored.bytes);
}

// Bits of a stream, lowest first; codes have their first bit lowest.
typedef struct bit_writer {
    test_file file;
    int used; // bits of the last byte
} bit_writer;

static void put_bits(bit_writer *w, unsigned value, int n)
{
    for (int i = 0; i < n; ++i) {
        if (w->used % 8 == 0) {
            put_bytes(&w->file, "", 1);
        }
        unsigned char *last = &w->file.bytes[w->file.count - 1];
        *last = (unsigned char)(*last | (value >> i & 1u) << w->used % 8);
        ++w->used;
    }
}

static void put_code(bit_writer *w, unsigned code, int n)
{
    for (int i = n - 1; i >= 0; --i) {
        put_bits(w, code >> i & 1u, 1);
    }
}

static bit_writer begin_stream(void)
{
    bit_writer w = {0};
    put_bytes(&w.file, "\x78\x01", 2);
    return w;
}

static void references_reach_back_32768_bytes_and_no_farther(void **state)
{
    (void)state;
    enum { BACK = 32768, LONGEST = 258 };
    unsigned char *content = malloc(BACK + LONGEST);
    random_source r = {1};
    for (int i = 0; i < BACK; ++i) {
        content[i] = (unsigned char)random_bits(&r);
    }
    memcpy(content + BACK, content, LONGEST);
    bit_writer w = begin_stream();
    put_bits(&w, 0, 8); // a stored block that is not the last
    put_bits(&w, BACK, 16);
    put_bits(&w, (unsigned)~BACK & 0xFFFFu, 16);
    put_bytes(&w.file, content, BACK);
    put_bits(&w, 1, 1);
    put_bits(&w, 1, 2);        // known codes
    put_code(&w, 0xC0 + 5, 8); // symbol 285: length 258
    put_code(&w, 29, 5);       // from 24577 on, 13 bits more
    put_bits(&w, BACK - 24577, 13);
    put_code(&w, 0, 7); // the end
    put_adler(&w.file, content, BACK + LONGEST);
    unsigned char *out = malloc(BACK + LONGEST);
    assert_int_equal(unpack(out, BACK + LONGEST, w.file.bytes, w.file.count), DP_OK);
    assert_memory_equal(out, content, BACK + LONGEST);

    // One byte less in front of the same reference
    memmove(w.file.bytes + 7, w.file.bytes + 8, w.file.count - 8);
    w.file.bytes[3] = 0xFF;
    w.file.bytes[4] = 0x7F;
    w.file.bytes[5] = 0x00;
    w.file.bytes[6] = 0x80;
    assert_int_equal(unpack(out, BACK + LONGEST - 1, w.file.bytes, w.file.count - 1),
                     DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(),
                        "z: found compressed data without a meaning: invalid distance too far back "
                        "(expected a zlib stream)");
    free(w.file.bytes);
    free(content);
    free(out);
}

static void a_run_of_one_byte_refers_to_itself(void **state)
{
    (void)state;
    bit_writer w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 1, 2);
    put_code(&w, 0x30 + 'x', 8);
    put_code(&w, 0xC0 + 5, 8); // 258 times
    put_code(&w, 0, 5);        // what is one byte back
    put_code(&w, 0, 7);
    unsigned char out[259], expected[259];
    memset(expected, 'x', sizeof expected);
    put_adler(&w.file, expected, sizeof expected);
    assert_int_equal(unpack(out, sizeof out, w.file.bytes, w.file.count), DP_OK);
    assert_memory_equal(out, expected, sizeof out);
    free(w.file.bytes);
}

static void assert_stream_refused(bit_writer w, const char *found)
{
    unsigned char out[10];
    put_bytes(&w.file, "\0\0\0\0\0\0\0\0", 8);
    assert_int_equal(unpack(out, sizeof out, w.file.bytes, w.file.count), DP_ERROR_PARSE);
    if (!strstr(dp_last_error(), found)) {
        fail_msg("'%s' does not contain '%s'", dp_last_error(), found);
    }
    free(w.file.bytes);
}

/// Start a block with codes of its own; the code of lengths has the symbols 0 and 1, one bit each.
static bit_writer begin_codes(unsigned nliteral, unsigned ndistance)
{
    bit_writer w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 2, 2);
    put_bits(&w, nliteral - 257, 5);
    put_bits(&w, ndistance - 1, 5);
    put_bits(&w, 18 - 4, 4); // lengths of 16 17 18 0 8 7 9 6 10 5 11 4 12 3 13 2 14 1
    for (int i = 0; i < 18; ++i) {
        put_bits(&w, i == 3 || i == 17, 3);
    }
    return w;
}

static void streams_without_sense_are_refused_in_words(void **state)
{
    (void)state;
    bit_writer w = {0};
    put_bytes(&w.file, "\x78\x02", 2);
    assert_stream_refused(w, "found compressed data without a meaning: incorrect header check");
    w = (bit_writer){0};
    put_bytes(&w.file, "\x78\x20", 2); // with a dictionary
    assert_stream_refused(w, "they need a dictionary");

    w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 3, 2);
    assert_stream_refused(w, "invalid block type");

    w = begin_stream();
    put_bits(&w, 1, 8);
    put_bits(&w, 3, 16);
    put_bits(&w, 3, 16);
    assert_stream_refused(w, "invalid stored block lengths");

    w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 1, 2);
    put_code(&w, 0xC0 + 6, 8); // symbol 286
    assert_stream_refused(w, "invalid literal/length code");

    w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 1, 2);
    put_code(&w, 0x30, 8);
    put_code(&w, 1, 7); // length 3
    put_code(&w, 30, 5);
    assert_stream_refused(w, "invalid distance code");

    w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 2, 2);
    put_bits(&w, 31, 5);
    put_bits(&w, 0, 5);
    put_bits(&w, 0, 4);
    assert_stream_refused(w, "too many length or distance symbols");

    w = begin_codes(257, 1);
    for (int i = 0; i < 258; ++i) { // no symbol has a code
        put_code(&w, 0, 1);
    }
    assert_stream_refused(w, "missing end-of-block");

    w = begin_codes(257, 1);
    for (int i = 0; i < 258; ++i) { // three symbols of one bit
        put_code(&w, i > 253 && i < 257, 1);
    }
    assert_stream_refused(w, "invalid literal/lengths set");

    w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 2, 2);
    put_bits(&w, 0, 14); // 257 and 1 symbols, 4 lengths: of 16, 17, 18 and 0
    for (int i = 0; i < 4; ++i) {
        put_bits(&w, 2, 3);
    }
    put_code(&w, 1, 2); // symbol 16, before any length
    assert_stream_refused(w, "invalid bit length repeat");

    w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 2, 2);
    put_bits(&w, 0, 14);
    for (int i = 0; i < 4; ++i) {
        put_bits(&w, 2, 3);
    }
    for (int i = 0; i < 2; ++i) { // 2 · 138 zeros
        put_code(&w, 3, 2);
        put_bits(&w, 127, 7);
    }
    assert_stream_refused(w, "invalid bit length repeat");

    w = begin_stream();
    put_bits(&w, 1, 1);
    put_bits(&w, 2, 2);
    put_bits(&w, 0, 14);
    for (int i = 0; i < 4; ++i) {
        put_bits(&w, 3, 3); // four codes of three bits: half of the patterns mean nothing
    }
    assert_stream_refused(w, "invalid code lengths set");
}

// A block in which no byte is repeated needs no code for distances, or one of one bit.
static void a_block_may_do_without_distances(void **state)
{
    (void)state;
    for (unsigned one = 0; one < 2; ++one) {
        bit_writer w = begin_codes(257, 1);
        for (int i = 0; i < 257; ++i) { // 'x' and the end have one bit each
            put_code(&w, i == 'x' || i == 256, 1);
        }
        put_code(&w, one, 1);
        put_code(&w, 0, 1);
        put_code(&w, 0, 1);
        put_code(&w, 1, 1);
        put_adler(&w.file, "xx", 2);
        unsigned char out[2];
        assert_int_equal(unpack(out, 2, w.file.bytes, w.file.count), DP_OK);
        assert_memory_equal(out, "xx", 2);
        free(w.file.bytes);
    }
}

// --- images

static int pattern(int x, int y, int c)
{
    return (x * 7 + y * 13 + c * 29 + x * y * 3) & 255;
}

static int depth_of_pattern; // how many bits of the pattern count

static int samples(int x, int y, int c)
{
    const int d = depth_of_pattern;
    return d == 16 ? 256 * pattern(x, y, c) + pattern(y, x, c) : pattern(x, y, c) >> (8 - d);
}

static dp_png read_png(dp_pool *pool, test_file f)
{
    unsigned char *exact = realloc(f.bytes, f.count); // nothing to read behind it
    dp_png png = {0};
    if (dp_png_parse(&png, pool, exact, f.count, "image.png") != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    free(exact);
    return png;
}

static void every_kind_of_image_gives_its_grey_values(void **state)
{
    static const int kind[][2] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
                                  {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
    static const int size[][2] = {{1, 1}, {3, 2}, {7, 9}, {8, 8}, {33, 5}};
    unsigned char palette[768];
    for (int i = 0; i < 768; ++i) {
        palette[i] = (unsigned char)(255 - i / 3); // grey, the other way round
    }
    for (size_t k = 0; k < sizeof kind / sizeof *kind; ++k) {
        for (size_t s = 0; s < sizeof size / sizeof *size; ++s) {
            for (int interlaced = 0; interlaced < 2; ++interlaced) {
                const int depth = depth_of_pattern = kind[k][1], colour = kind[k][0];
                const png_layout layout = {.width = size[s][0],
                                           .height = size[s][1],
                                           .depth = depth,
                                           .colour = colour,
                                           .interlaced = interlaced,
                                           .filter = 5,
                                           .pieces = 1 + (int)s,
                                           .sample = samples,
                                           .palette = palette,
                                           .npalette = colour == 3 ? 1 << depth : 0};
                const dp_png png = read_png(*state, write_png(&layout));
                assert_int_equal(png.width, layout.width);
                assert_int_equal(png.height, layout.height);
                assert_int_equal(png.depth, depth);
                for (int i = 0; i < png.width * png.height; ++i) {
                    const int value = samples(i % png.width, i / png.width, 0);
                    const double grey =
                        colour == 3 ? (255 - value) / 255.0 : value / (double)((1 << depth) - 1);
                    assert_true(png.grey[i] == grey);
                }
            }
        }
    }
}

static void every_filter_is_undone(void **state)
{
    depth_of_pattern = 8;
    for (int colour = 0; colour <= 6; colour += 2) {
        for (int filter = 0; filter < 5; ++filter) {
            const png_layout layout = {.width = 21,
                                       .height = 10,
                                       .depth = 8,
                                       .colour = colour,
                                       .filter = filter,
                                       .sample = samples};
            const dp_png png = read_png(*state, write_png(&layout));
            for (int i = 0; i < 210; ++i) {
                assert_true(png.grey[i] == samples(i % 21, i / 21, 0) / 255.0);
            }
        }
    }
}

static int grey_and_opaque(int x, int y, int c)
{
    return c == 3 ? 255 : pattern(x, y, 0);
}

static int nearly_opaque(int x, int y, int c)
{
    return c == 3 ? (x == 2 && y == 1 ? 254 : 255) : 100;
}

static int two_bits(int x, int y, int c)
{
    return (x + y + c) & 3;
}

static int nearly_grey(int x, int y, int c)
{
    return c == 3 ? 255 : 100 + (x == 1 && y == 2 && c == 2);
}

static void what_is_lost_of_colours_and_alpha_is_told(void **state)
{
    png_layout layout = {
        .width = 4, .height = 4, .depth = 8, .colour = 6, .sample = grey_and_opaque};
    dp_png png = read_png(*state, write_png(&layout));
    assert_false(png.coloured || png.transparent);
    layout.sample = nearly_opaque;
    png = read_png(*state, write_png(&layout));
    assert_true(png.transparent && !png.coloured);
    layout.sample = nearly_grey;
    png = read_png(*state, write_png(&layout));
    assert_true(png.coloured && !png.transparent);
    const unsigned char palette[12] = {9, 9, 9, 8, 8, 8, 7, 7, 7, 6, 6, 5};
    layout = (png_layout){.width = 4,
                          .height = 4,
                          .depth = 2,
                          .colour = 3,
                          .sample = two_bits,
                          .palette = palette,
                          .npalette = 4};
    png = read_png(*state, write_png(&layout));
    assert_true(png.coloured);
}

// --- what is refused

static void assert_png_refused(test_file f, dp_status expected, const char *message)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &allocator);
    dp_png png;
    unsigned char *exact = realloc(f.bytes, f.count);
    assert_int_equal(dp_png_parse(&png, &pool, exact, f.count, "p.png"), expected);
    assert_null(png.grey);
    if (!strstr(dp_last_error(), message)) {
        fail_msg("'%s' does not contain '%s'", dp_last_error(), message);
    }
    free(exact);
    dp_pool_destroy(&pool);
    assert_int_equal(counts.blocks, 0);
}

static test_file small_png(void)
{
    depth_of_pattern = 8;
    const png_layout layout = {.width = 5, .height = 4, .depth = 8, .filter = 5, .sample = samples};
    return write_png(&layout); // IHDR at byte 8, gAMA at 33, IDAT at 49
}

/// The same with other bytes in its header, from byte 16 on: width, height, depth, colour …
static test_file other_header(size_t at, const char *bytes, size_t count)
{
    const test_file f = small_png();
    memcpy(f.bytes + 16 + at, bytes, count);
    repair_png(f.bytes, f.count);
    return f;
}

static void files_that_are_cut_off_or_damaged_are_refused(void **state)
{
    (void)state;
    test_file whole = small_png();
    for (size_t n = 0; n < whole.count; ++n) {
        test_file cut = {0};
        put_bytes(&cut, whole.bytes, n);
        put_bytes(&cut, "", 1); // so that there is a block to free
        cut.count = n > 0 ? n : 1;
        assert_png_refused(cut, DP_ERROR_PARSE, "p.png: byte");
    }
    for (size_t bit = 0; bit < 8 * whole.count; ++bit) {
        test_file flipped = {0};
        put_bytes(&flipped, whole.bytes, whole.count);
        flipped.bytes[bit / 8] = (unsigned char)(flipped.bytes[bit / 8] ^ 1 << bit % 8);
        assert_png_refused(flipped, DP_ERROR_PARSE, "p.png: ");
    }
    free(whole.bytes);
    test_file f = small_png();
    f.bytes[40] ^= 1;
    assert_png_refused(f, DP_ERROR_PARSE, "p.png: byte 45: found the checksum 0bfc6105 (expected ");
    f = small_png();
    put_bytes(&f, "anything behind the end", 23); // belongs to somebody else
    dp_pool pool;
    dp_pool_init(&pool, NULL);
    assert_int_equal(read_png(&pool, f).width, 5);
    dp_pool_destroy(&pool);
}

static void headers_without_sense_are_refused(void **state)
{
    (void)state;
    assert_png_refused(other_header(0, "\0\0\0\0", 4), DP_ERROR_PARSE,
                       "p.png: byte 16: found 0 by 4 pixels (expected at least 1, and 67108864 at "
                       "most)");
    assert_png_refused(other_header(0, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8), DP_ERROR_PARSE,
                       "found 4294967295 by 4294967295 pixels");
    assert_png_refused(other_header(8, "\x03", 1), DP_ERROR_PARSE,
                       "p.png: byte 24: found 3 bits of colour type 0");
    assert_png_refused(other_header(8, "\x10\x03", 2), DP_ERROR_PARSE,
                       "found 16 bits of colour type 3");
    assert_png_refused(other_header(8, "\x04\x02", 2), DP_ERROR_PARSE,
                       "found 4 bits of colour type 2");
    assert_png_refused(other_header(9, "\x05", 1), DP_ERROR_PARSE, "of colour type 5");
    assert_png_refused(other_header(10, "\x01", 1), DP_ERROR_PARSE,
                       "p.png: byte 26: found compression 1, filter 0, interlace 0");
    assert_png_refused(other_header(11, "\x01", 1), DP_ERROR_PARSE, "filter 1");
    assert_png_refused(other_header(12, "\x02", 1), DP_ERROR_PARSE, "interlace 2");
    assert_png_refused(other_header(9, "\x03", 1), DP_ERROR_PARSE, "found no palette");
    assert_png_refused(other_header(0, "\0\0\0\x06", 4), DP_ERROR_PARSE,
                       "p.png: found compressed data for 24 bytes (expected 28)");
}

static void a_small_file_for_a_huge_image_is_refused_before_memory_is_taken(void **state)
{
    (void)state;
    const test_file f = other_header(0, "\0\0\x20\0\0\0\x20\0", 8); // 8192 by 8192
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_pool pool;
    dp_pool_init(&pool, &allocator);
    dp_png png;
    assert_int_equal(dp_png_parse(&png, &pool, f.bytes, f.count, "p.png"), DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(),
                        "p.png: byte 49: found 35 bytes for 67117056 bytes of pixels (expected at "
                        "least one for each 1032)");
    assert_int_equal(counts.calls, 0);
    dp_pool_destroy(&pool);
    free(f.bytes);
}

static void chunks_without_sense_are_refused(void **state)
{
    (void)state;
    const test_file whole = small_png();
    const unsigned char *header = whole.bytes + 16;
    test_file f = {0};
    put_bytes(&f, "GIF89a..", 8);
    assert_png_refused(f, DP_ERROR_PARSE, "p.png: byte 0: found no signature of PNG");

    f = (test_file){0};
    put_png_signature(&f);
    put_png_chunk(&f, "gAMA", "abcd", 4);
    assert_png_refused(f, DP_ERROR_PARSE, "p.png: byte 8: found no header");

    f = (test_file){0};
    put_png_signature(&f);
    put_png_chunk(&f, "IHDR", header, 13);
    put_png_chunk(&f, "IHDR", header, 13);
    assert_png_refused(f, DP_ERROR_PARSE, "p.png: byte 33: found another header");

    f = (test_file){0};
    put_png_signature(&f);
    put_png_chunk(&f, "IHDR", header, 12);
    assert_png_refused(f, DP_ERROR_PARSE, "p.png: byte 8: found a header of 12 bytes");

    f = (test_file){0};
    put_png_signature(&f);
    put_png_chunk(&f, "IHDR", header, 13);
    put_png_chunk(&f, "IEND", NULL, 0);
    assert_png_refused(f, DP_ERROR_PARSE, "found the end of the image (expected pixels)");

    f = (test_file){0};
    put_png_signature(&f);
    put_png_chunk(&f, "IHDR", header, 13);
    put_png_chunk(&f, "PLTE", "abcd", 4);
    assert_png_refused(f, DP_ERROR_PARSE, "p.png: byte 33: found a palette of 4 bytes");

    f = (test_file){0};
    put_png_signature(&f);
    put_png_chunk(&f, "IHDR", header, 13);
    put_png_chunk(&f, "ABCD", "", 0);
    assert_png_refused(f, DP_ERROR_UNSUPPORTED, "p.png: byte 33: found a chunk that is none of");

    f = (test_file){0};
    put_png_signature(&f);
    put_png_chunk(&f, "IHDR", header, 13);
    put_png_chunk(&f, "IDAT", "a", 1);
    put_png_chunk(&f, "tEXt", "b", 1);
    put_png_chunk(&f, "IDAT", "c", 1);
    assert_png_refused(f, DP_ERROR_PARSE,
                       "p.png: byte 59: found pixels (expected them all in a row)");

    f = small_png();
    memcpy(f.bytes + 33, "\x7F\xFF\xFF\xFF", 4);
    assert_png_refused(f, DP_ERROR_PARSE,
                       "p.png: byte 33: found a chunk of 2147483647 bytes (expected 63 at most");
    free(whole.bytes);
}

static void rows_without_sense_are_refused(void **state)
{
    (void)state;
    static const unsigned char rows[4] = {0, 0, 5, 0}, header[13] = {0, 0, 0, 1, 0, 0, 0, 2, 8};
    test_file f = {0}, data = {0};
    put_zlib_stored(&data, rows, 4);
    put_png_signature(&f);
    put_png_chunk(&f, "IHDR", header, 13);
    put_png_chunk(&f, "IDAT", data.bytes, data.count);
    put_png_chunk(&f, "IEND", NULL, 0);
    free(data.bytes);
    assert_png_refused(f, DP_ERROR_PARSE, "p.png: row 1: found filter 5 (expected 0 … 4)");

    const unsigned char palette[6] = {0};
    const png_layout layout = {.width = 5,
                               .height = 4,
                               .depth = 2,
                               .colour = 3,
                               .sample = two_bits,
                               .palette = palette,
                               .npalette = 2};
    assert_png_refused(write_png(&layout), DP_ERROR_PARSE,
                       "found a colour that the palette does not have (expected 0 … 1)");
}

// --- terrain

static dp_hfield_data read_terrain(dp_pool *pool, test_file f)
{
    dp_hfield_data field = {0};
    if (dp_hfield_parse(&field, pool, f.bytes, f.count, "t.bin") != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    free(f.bytes);
    return field;
}

static test_file write_terrain(int nrow, int ncol, const double *height)
{
    test_file f = {0};
    put_little32(&f, (uint32_t)nrow);
    put_little32(&f, (uint32_t)ncol);
    for (int i = 0; i < nrow * ncol; ++i) {
        put_single(&f, height[i]);
    }
    return f;
}

static void binary_terrain_is_shifted_and_stretched_to_0_and_1(void **state)
{
    const double height[6] = {-2.0, 0.0, 6.0, 1.0, -1.0, 2.0};
    const dp_hfield_data field = read_terrain(*state, write_terrain(2, 3, height));
    assert_int_equal(field.nrow, 2);
    assert_int_equal(field.ncol, 3);
    assert_true(field.low == -2.0 && field.high == 6.0);
    for (int i = 0; i < 6; ++i) {
        assert_true(field.elevation[i] == (height[i] + 2.0) / 8.0);
    }
    const double flat[4] = {3.5, 3.5, 3.5, 3.5};
    const dp_hfield_data plain = read_terrain(*state, write_terrain(2, 2, flat));
    for (int i = 0; i < 4; ++i) {
        assert_true(plain.elevation[i] == 0.0);
    }
    const double extreme[2] = {-3.4e38, 3.4e38};
    const dp_hfield_data steep = read_terrain(*state, write_terrain(1, 2, extreme));
    assert_true(steep.elevation[0] == 0.0 && steep.elevation[1] == 1.0);
}

static void scaling_does_not_overflow(void **state)
{
    (void)state;
    double x[3] = {-1.7e308, 0.0, 1.7e308}, low, high;
    dp_hfield_scale(&low, &high, x, 3);
    assert_true(low == -1.7e308 && high == 1.7e308);
    assert_true(x[0] == 0.0 && x[1] == 0.5 && x[2] == 1.0);
}

static void the_bottom_row_of_an_image_comes_first(void **state)
{
    depth_of_pattern = 8;
    const png_layout layout = {.width = 3, .height = 4, .depth = 8, .sample = samples};
    const dp_hfield_data field = read_terrain(*state, write_png(&layout));
    assert_int_equal(field.nrow, 4);
    assert_int_equal(field.ncol, 3);
    const double range = field.high - field.low;
    for (int i = 0; i < 12; ++i) {
        const double grey = samples(i % 3, 3 - i / 3, 0) / 255.0;
        assert_near(field.elevation[i], (grey - field.low) / range, 1e-15);
    }
}

static void terrain_without_sense_is_refused(void **state)
{
    const double height[6] = {0.0, 1.0, 2.0, 3.0, 4.0, INFINITY};
    const struct {
        int nrow, ncol;
        size_t cut;
        const char *message;
    } bad[] = {
        {2, 3, 0, "t.bin: byte 28: found a height that is not finite (expected a number)"},
        {2, 3, 1,
         "t.bin: byte 0: found 2 rows and 3 columns in a file of 31 bytes (expected a PNG image, "
         "or "
         "the numbers of rows and columns, 8 bytes, and 4 bytes for each point)"},
        {2, 3, 30,
         "t.bin: byte 2: found the end of the file (expected a PNG image, or the numbers of rows "
         "and columns)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const test_file f = write_terrain(bad[i].nrow, bad[i].ncol, height);
        dp_hfield_data field;
        assert_int_equal(dp_hfield_parse(&field, *state, f.bytes, f.count - bad[i].cut, "t.bin"),
                         DP_ERROR_PARSE);
        assert_string_equal(dp_last_error(), bad[i].message);
        assert_null(field.elevation);
        free(f.bytes);
    }
    static const uint32_t count[][2] = {{0, 5}, {0xFFFFFFFFu, 1}, {0x7FFFFFFFu, 0x7FFFFFFFu}};
    for (size_t i = 0; i < 3; ++i) {
        test_file f = {0};
        put_little32(&f, count[i][0]);
        put_little32(&f, count[i][1]);
        dp_hfield_data field;
        assert_int_equal(dp_hfield_parse(&field, *state, f.bytes, f.count, "t.bin"),
                         DP_ERROR_PARSE);
        free(f.bytes);
    }
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    depth_of_pattern = 8;
    const png_layout layout = {.width = 60, .height = 50, .depth = 8, .sample = samples};
    const char *path = DP_SCRATCH "/test_png_terrain.png";
    const test_file f = write_png(&layout);
    save_file(&f, path);
    free(f.bytes);
    counting_allocator counts;
    const dp_allocator allocator = counting_allocator_for(&counts);
    size_t calls = 1;
    for (size_t k = 0; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k}; // 0: none fails
        dp_pool pool;
        dp_pool_init(&pool, &allocator);
        dp_hfield_data field;
        assert_int_equal(dp_hfield_load(&field, &pool, path), k > 0 ? DP_ERROR_MEMORY : DP_OK);
        calls = k > 0 ? calls : counts.calls;
        dp_pool_destroy(&pool);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
    assert_true(calls >= 6);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_zlib_decompress_to_their_content),
        cmocka_unit_test(streams_that_end_early_are_refused_wherever_they_end),
        cmocka_unit_test(each_flipped_bit_is_noticed_or_changes_nothing),
        cmocka_unit_test(references_reach_back_32768_bytes_and_no_farther),
        cmocka_unit_test(a_run_of_one_byte_refers_to_itself),
        cmocka_unit_test(streams_without_sense_are_refused_in_words),
        cmocka_unit_test(a_block_may_do_without_distances),
        cmocka_unit_test(every_kind_of_image_gives_its_grey_values),
        cmocka_unit_test(every_filter_is_undone),
        cmocka_unit_test(what_is_lost_of_colours_and_alpha_is_told),
        cmocka_unit_test(files_that_are_cut_off_or_damaged_are_refused),
        cmocka_unit_test(headers_without_sense_are_refused),
        cmocka_unit_test(a_small_file_for_a_huge_image_is_refused_before_memory_is_taken),
        cmocka_unit_test(chunks_without_sense_are_refused),
        cmocka_unit_test(rows_without_sense_are_refused),
        cmocka_unit_test(binary_terrain_is_shifted_and_stretched_to_0_and_1),
        cmocka_unit_test(scaling_does_not_overflow),
        cmocka_unit_test(the_bottom_row_of_an_image_comes_first),
        cmocka_unit_test(terrain_without_sense_is_refused),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
