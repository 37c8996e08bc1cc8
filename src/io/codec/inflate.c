// RFC 1950 (the wrapper: two bytes in front, a checksum behind) and RFC 1951 (what is in it).
//
// Codes are canonical: of one length they are consecutive numbers, and they grow with the length.
// So the next 15 bits, read as a number with the first bit highest, tell the length by comparison
// with one limit per length.
#include "io/codec/inflate.h"

#include "base/checksum.h"
#include "base/interrupt.h"
#include "io/codec/bytes.h"

enum { LONGEST = 15, LITERALS = 288, DISTANCES = 32, LENGTH_CODES = 19, END_OF_BLOCK = 256 };

typedef struct code {
    int limit[LONGEST + 1];  // codes of that length, filled up to 15 bits, are below it
    int offset[LONGEST + 1]; // what to add to a code of that length for its place in `symbol`
    int symbol[LITERALS];    // in the order of their codes
} code;

typedef struct stream {
    const unsigned char *at, *end;
    uint32_t bits; // read ahead, the next one lowest
    int nbits;
    unsigned char *out;
    size_t used, size;
    const char *file;
    bool fixed_known;
    code literal, distance;             // of the present block
    code fixed_literal, fixed_distance; // of every block that brings none
} stream;

static dp_status refuse(const stream *s, const char *found, const char *expected)
{
    return dp_fail(DP_ERROR_PARSE, "%s: found %s in compressed data (expected %s)", s->file, found,
                   expected);
}

static dp_status refuse_end(const stream *s)
{
    return refuse(s, "the end", "more of it");
}

// --- bits

// Have at least n ≤ 24 bits, if there are as many.
static void look_ahead(stream *s, int n)
{
    while (s->nbits < n && s->at < s->end) {
        s->bits |= (uint32_t)*s->at++ << s->nbits;
        s->nbits += 8;
    }
}

static void drop(stream *s, int n)
{
    s->bits >>= n;
    s->nbits -= n;
}

// A number of n ≤ 16 bits, lowest first.
static dp_status take(int *out, stream *s, int n)
{
    look_ahead(s, n);
    if (s->nbits < n) {
        return refuse_end(s);
    }
    *out = (int)(s->bits & ((1u << n) - 1u));
    drop(s, n);
    return DP_OK;
}

// The lowest 15 bits, in reverse.
static int reverse(uint32_t bits)
{
    bits = (bits & 0x5555u) << 1 | (bits >> 1 & 0x5555u);
    bits = (bits & 0x3333u) << 2 | (bits >> 2 & 0x3333u);
    bits = (bits & 0x0F0Fu) << 4 | (bits >> 4 & 0x0F0Fu);
    bits = (bits & 0x00FFu) << 8 | (bits >> 8 & 0x00FFu);
    return (int)(bits >> 1);
}

// --- codes

// Make the code in which symbol i has length[i] bits; 0: it does not occur.
static dp_status make_code(code *c, const unsigned char *length, int n, const stream *s)
{
    int count[LONGEST + 1] = {0}, place[LONGEST + 2] = {0};
    for (int i = 0; i < n; ++i) {
        ++count[length[i]];
    }
    const int used = n - count[0];
    int next = 0; // the first code of the present length
    for (int bits = 1; bits <= LONGEST; ++bits) {
        c->offset[bits] = place[bits] - next;
        place[bits + 1] = place[bits] + count[bits];
        next += count[bits];
        if (next > 1 << bits) {
            return refuse(s, "a code with more symbols than its bits can tell apart", "fewer");
        }
        c->limit[bits] = next << (LONGEST - bits);
        next *= 2;
    }
    // A code may leave bit patterns without a symbol only when it has no more than one symbol.
    if (c->limit[LONGEST] != 1 << LONGEST && !(used == 0 || (used == 1 && count[1] == 1))) {
        return refuse(s, "a code with bits that mean nothing", "a complete code");
    }
    for (int i = 0; i < n; ++i) {
        if (length[i] > 0) {
            c->symbol[place[length[i]]++] = i;
        }
    }
    return DP_OK;
}

static dp_status take_symbol(int *out, stream *s, const code *c)
{
    look_ahead(s, LONGEST);
    const int bits = reverse(s->bits & 0x7FFFu);
    int length = 1;
    while (length <= LONGEST && bits >= c->limit[length]) {
        ++length;
    }
    if (length > LONGEST) {
        return refuse(s, "bits without a meaning", "a code");
    }
    if (length > s->nbits) {
        return refuse_end(s);
    }
    *out = c->symbol[c->offset[length] + (bits >> (LONGEST - length))];
    drop(s, length);
    return DP_OK;
}

static dp_status make_fixed_codes(stream *s)
{
    if (s->fixed_known) {
        return DP_OK;
    }
    unsigned char length[LITERALS];
    for (int i = 0; i < LITERALS; ++i) {
        length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    }
    DP_TRY(make_code(&s->fixed_literal, length, LITERALS, s));
    memset(length, 5, DISTANCES);
    DP_TRY(make_code(&s->fixed_distance, length, DISTANCES, s));
    s->fixed_known = true;
    return DP_OK;
}

// The lengths of the two codes, themselves in a code; 16, 17 and 18 stand for repetitions.
static dp_status take_lengths(unsigned char *length, int n, stream *s, const code *c)
{
    int i = 0;
    while (i < n) {
        int symbol = 0, more = 0, repeat = 1, value = 0;
        DP_TRY(take_symbol(&symbol, s, c));
        if (symbol < 16) {
            value = symbol;
        } else if (symbol == 16) {
            if (i == 0) {
                return refuse(s, "a repetition of nothing", "a length first");
            }
            DP_TRY(take(&more, s, 2));
            repeat = 3 + more;
            value = length[i - 1];
        } else {
            DP_TRY(take(&more, s, symbol == 17 ? 3 : 7));
            repeat = (symbol == 17 ? 3 : 11) + more;
        }
        if (repeat > n - i) {
            return refuse(s, "more lengths than symbols", "as many");
        }
        memset(length + i, value, (size_t)repeat);
        i += repeat;
    }
    return DP_OK;
}

static dp_status take_codes(stream *s)
{
    static const unsigned char order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    int nliteral = 0, ndistance = 0, nlength = 0;
    DP_TRY(take(&nliteral, s, 5));
    DP_TRY(take(&ndistance, s, 5));
    DP_TRY(take(&nlength, s, 4));
    nliteral += 257;
    ndistance += 1;
    nlength += 4;
    if (nliteral > 286 || ndistance > 30) {
        return refuse(s, "codes for more symbols than there are", "286 and 30 at most");
    }
    unsigned char length[LITERALS + DISTANCES] = {0};
    for (int i = 0; i < nlength; ++i) {
        int bits = 0;
        DP_TRY(take(&bits, s, 3));
        length[order[i]] = (unsigned char)bits;
    }
    DP_TRY(make_code(&s->literal, length, LENGTH_CODES, s)); // for now, the code of the lengths
    const code lengths = s->literal;
    DP_TRY(take_lengths(length, nliteral + ndistance, s, &lengths));
    if (length[END_OF_BLOCK] == 0) {
        return refuse(s, "a block that cannot end", "a code for its end");
    }
    DP_TRY(make_code(&s->literal, length, nliteral, s));
    return make_code(&s->distance, length + nliteral, ndistance, s);
}

// --- blocks

static dp_status refuse_size(const stream *s)
{
    return dp_fail(DP_ERROR_PARSE,
                   "%s: found compressed data for more than %zu bytes (expected %zu)", s->file,
                   s->size, s->size);
}

static dp_status copy_stored(stream *s)
{
    drop(s, s->nbits % 8); // what follows begins with a whole byte
    int length = 0, complement = 0;
    DP_TRY(take(&length, s, 16));
    DP_TRY(take(&complement, s, 16));
    if ((length ^ complement) != 0xFFFF) {
        return refuse(s, "a stored block whose two lengths disagree",
                      "one the complement of the other");
    }
    for (; length > 0 && s->nbits > 0; --length) { // bytes that were read ahead
        if (s->used == s->size) {
            return refuse_size(s);
        }
        s->out[s->used++] = (unsigned char)(s->bits & 0xFFu);
        drop(s, 8);
    }
    const size_t rest = (size_t)length;
    if (rest > (size_t)(s->end - s->at)) {
        return refuse_end(s);
    }
    if (rest > s->size - s->used) {
        return refuse_size(s);
    }
    memcpy(s->out + s->used, s->at, rest);
    s->used += rest;
    s->at += rest;
    return DP_OK;
}

// The bytes from `distance` back, which may reach into what they become.
static dp_status copy_back(stream *s, size_t length, size_t distance)
{
    if (distance > s->used) {
        return refuse(s, "a reference to before the start", "a shorter distance");
    }
    if (length > s->size - s->used) {
        return refuse_size(s);
    }
    for (; length > 0; --length, ++s->used) {
        s->out[s->used] = s->out[s->used - distance];
    }
    return DP_OK;
}

// Lengths and distances: symbol k covers 2^more values from base on.
static dp_status take_match(stream *s, int symbol, const code *distance)
{
    static const short length_base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                          15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                          67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const short distance_base[30] = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    const int k = symbol - END_OF_BLOCK - 1;
    if (k >= 29) {
        return refuse(s, "a length without a meaning", "a symbol below 286");
    }
    int more = 0, d = 0, farther = 0;
    DP_TRY(take(&more, s, k < 8 || k == 28 ? 0 : (k - 4) / 4));
    DP_TRY(take_symbol(&d, s, distance));
    if (d >= 30) {
        return refuse(s, "a distance without a meaning", "a symbol below 30");
    }
    DP_TRY(take(&farther, s, d < 4 ? 0 : (d - 2) / 2));
    return copy_back(s, (size_t)length_base[k] + (size_t)more,
                     (size_t)distance_base[d] + (size_t)farther);
}

static dp_status decode_block(stream *s, const code *literal, const code *distance)
{
    for (;;) {
        int symbol = 0;
        DP_TRY(take_symbol(&symbol, s, literal));
        if (symbol == END_OF_BLOCK) {
            return DP_OK;
        }
        if (symbol > END_OF_BLOCK) {
            DP_TRY(dp_interrupt_check(20));
            DP_TRY(take_match(s, symbol, distance));
            continue;
        }
        if (s->used == s->size) {
            return refuse_size(s);
        }
        s->out[s->used++] = (unsigned char)symbol;
    }
}

static dp_status read_blocks(stream *s)
{
    int last = 0, kind = 0;
    while (!last) {
        DP_TRY(take(&last, s, 1));
        DP_TRY(take(&kind, s, 2));
        switch (kind) {
        case 0:
            DP_TRY(copy_stored(s));
            break;
        case 1:
            DP_TRY(make_fixed_codes(s));
            DP_TRY(decode_block(s, &s->fixed_literal, &s->fixed_distance));
            break;
        case 2:
            DP_TRY(take_codes(s));
            DP_TRY(decode_block(s, &s->literal, &s->distance));
            break;
        default:
            return refuse(s, "a block of kind 3", "0, 1 or 2");
        }
    }
    return DP_OK;
}

static dp_status check_sum(stream *s)
{
    drop(s, s->nbits % 8);
    uint32_t stored = 0;
    for (int i = 0; i < 4; ++i) {
        int byte = 0;
        DP_TRY(take(&byte, s, 8));
        stored = stored << 8 | (uint32_t)byte;
    }
    const uint32_t sum = dp_adler32(1, s->out, s->used);
    if (stored != sum) {
        return dp_fail(DP_ERROR_PARSE,
                       "%s: found the checksum %08lx behind compressed data (expected %08lx)",
                       s->file, (unsigned long)stored, (unsigned long)sum);
    }
    return DP_OK;
}

dp_status dp_inflate(unsigned char *out, size_t out_bytes, const unsigned char *in, size_t in_bytes,
                     const char *file)
{
    stream s = {.at = in, .end = in + in_bytes, .out = out, .size = out_bytes, .file = file};
    int method = 0, flags = 0;
    DP_TRY(take(&method, &s, 8));
    DP_TRY(take(&flags, &s, 8));
    if ((method & 15) != 8 || method >> 4 > 7 || (256 * method + flags) % 31 != 0 || flags & 32) {
        return refuse(&s, "an unknown start", "a zlib stream without a dictionary");
    }
    DP_TRY(read_blocks(&s));
    if (s.used != s.size) {
        return dp_fail(DP_ERROR_PARSE, "%s: found compressed data for %zu bytes (expected %zu)",
                       file, s.used, s.size);
    }
    return check_sum(&s);
}
