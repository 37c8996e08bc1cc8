// zlib on the user's memory, in pieces that its counters can hold and that a user can interrupt.
#include "io/codec/zlib_stream.h"

#include "base/interrupt.h"

#define ZLIB_CONST
#include <zlib.h>

enum { PIECE = 1 << 16 };

static uInt piece(size_t left)
{
    return left < PIECE ? (uInt)left : PIECE;
}

// A stream takes its memory from a pool, and leaves it there.
static void *take(void *pool, uInt count, uInt size)
{
    void *memory;
    return dp_pool_take(&memory, pool, count, size) == DP_OK ? memory : NULL;
}

static void leave(void *pool, void *memory)
{
    (void)pool;
    (void)memory;
}

static z_stream stream_in(dp_pool *pool)
{
    return (z_stream){.zalloc = take, .zfree = leave, .opaque = pool};
}

// ---- compression

static dp_status pack(dp_byte_buffer *out, z_stream *z, const unsigned char *in, size_t count)
{
    size_t left = count;
    int flag = Z_OK;
    z->next_in = in;
    while (flag != Z_STREAM_END) {
        DP_TRY(dp_grow(&out->byte, &out->capacity, out->count, 1, &out->allocator));
        const uInt room = piece(out->capacity - out->count), given = piece(left);
        z->next_out = out->byte + out->count;
        z->avail_out = room;
        z->avail_in = given;
        flag = deflate(z, given == left ? Z_FINISH : Z_NO_FLUSH);
        out->count += room - z->avail_out;
        left -= given - z->avail_in;
    }
    return DP_OK;
}

// Numbers repeat less than text does: Z_FILTERED leaves more of them to the codes.
static bool begin_packing(z_stream *z)
{
    return deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL,
                        Z_FILTERED) == Z_OK;
}

dp_status dp_deflate(dp_byte_buffer *out, const unsigned char *in, size_t count)
{
    dp_pool pool;
    dp_pool_init(&pool, &out->allocator);
    z_stream z = stream_in(&pool);
    const dp_status status =
        begin_packing(&z) ? pack(out, &z, in, count) : DP_ERROR_MEMORY; // as the pool has said
    dp_pool_destroy(&pool);
    return status;
}

void dp_byte_buffer_release(dp_byte_buffer *buffer)
{
    dp_release(&buffer->allocator, buffer->byte, buffer->capacity, 1);
    buffer->byte = NULL;
    buffer->count = buffer->capacity = 0;
}

// ---- decompression

static dp_status refuse(const dp_packed_bytes *in, int flag, const char *reason)
{
    if (flag == Z_MEM_ERROR) {
        return DP_ERROR_MEMORY; // as the pool has said
    }
    return dp_fail(DP_ERROR_PARSE,
                   "%s: found compressed data without a meaning: %s (expected a zlib stream)",
                   in->file,
                   flag == Z_BUF_ERROR   ? "they end too early"
                   : flag == Z_NEED_DICT ? "they need a dictionary"
                                         : reason);
}

static dp_status unpack(unsigned char *out, size_t count, z_stream *z, const dp_packed_bytes *in)
{
    unsigned char beyond = 0; // what is written here is too much
    size_t left = in->count, made = 0;
    int flag = Z_OK;
    z->next_in = in->byte;
    while (flag == Z_OK && made <= count) {
        const uInt room = made < count ? piece(count - made) : 1, given = piece(left);
        z->next_out = made < count ? out + made : &beyond;
        z->avail_out = room;
        z->avail_in = given;
        flag = inflate(z, Z_NO_FLUSH);
        made += room - z->avail_out;
        left -= given - z->avail_in;
        DP_TRY(dp_interrupt_check(PIECE));
    }
    if (made > count) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: found compressed data for more than %zu bytes (expected %zu)", in->file,
                       count, count);
    }
    if (flag != Z_STREAM_END) {
        return refuse(in, flag, z->msg);
    }
    return made < count
               ? dp_fail(DP_ERROR_PARSE, "%s: found compressed data for %zu bytes (expected %zu)",
                         in->file, made, count)
               : DP_OK;
}

dp_status dp_inflate(unsigned char *out, size_t count, const dp_packed_bytes *in,
                     const dp_allocator *a)
{
    dp_pool pool;
    dp_pool_init(&pool, a);
    z_stream z = stream_in(&pool);
    const dp_status status = inflateInit(&z) == Z_OK ? unpack(out, count, &z, in) : DP_ERROR_MEMORY;
    dp_pool_destroy(&pool);
    return status;
}

uint32_t dp_crc32(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(crc, bytes, count);
}
