// RFC 1950 and RFC 1951. Repeated bytes become references to where they stood before, found through
// chains of places that begin with the same three bytes; then each block has its own codes.
#include "io/codec/deflate.h"

#include "base/checksum.h"

#include <string.h>

enum {
    LONGEST = 15,          // bits of a code
    LONGEST_OF_LENGTH = 7, // bits of the codes of code lengths
    LITERALS = 286,
    DISTANCES = 30,
    LENGTH_CODES = 19,
    END_OF_BLOCK = 256,
    WINDOW = 32768,
    HASHES = 1 << 15,
    LEAST_MATCH = 3,
    MOST_MATCH = 258,
    PATIENCE = 32,   // places of a chain that are looked at
    BLOCK = 1 << 15, // symbols
};

// A literal byte (distance 0), or a length and a distance.
typedef struct symbol {
    uint16_t value, distance;
} symbol;

typedef struct writer {
    dp_byte_buffer *out;
    uint64_t bits; // not written yet, the first lowest
    int nbits;
    dp_status status;
} writer;

typedef struct code {
    uint16_t bits[LITERALS]; // reversed: the first bit lowest
    uint8_t length[LITERALS];
} code;

typedef struct packer {
    writer w;
    const unsigned char *in;
    size_t count;
    size_t head[HASHES];   // last place + 1 with that hash; 0: none
    size_t before[WINDOW]; // the place + 1 before a place, modulo WINDOW
    symbol symbols[BLOCK];
    int nsymbol;
    uint32_t literal_count[LITERALS], distance_count[DISTANCES];
} packer;

void dp_byte_buffer_release(dp_byte_buffer *buffer)
{
    dp_release(&buffer->allocator, buffer->byte, buffer->capacity, 1);
    buffer->byte = NULL;
    buffer->count = buffer->capacity = 0;
}

static void put_byte(writer *w, unsigned char byte)
{
    if (w->status == DP_OK) {
        w->status = dp_grow(&w->out->byte, &w->out->capacity, w->out->count, 1, &w->out->allocator);
    }
    if (w->status == DP_OK) {
        w->out->byte[w->out->count++] = byte;
    }
}

// n ≤ 32 bits, the lowest first.
static void put_bits(writer *w, uint32_t bits, int n)
{
    w->bits |= (uint64_t)bits << w->nbits;
    w->nbits += n;
    while (w->nbits >= 8) {
        put_byte(w, (unsigned char)(w->bits & 0xff));
        w->bits >>= 8;
        w->nbits -= 8;
    }
}

// --- codes

typedef struct leaf {
    uint32_t count;
    int symbol;
} leaf;

static void sort_leaves(leaf *list, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < n; ++i) {
            const leaf one = list[i];
            int at = i;
            for (; at >= gap &&
                   (list[at - gap].count > one.count ||
                    (list[at - gap].count == one.count && list[at - gap].symbol > one.symbol));
                 at -= gap) {
                list[at] = list[at - gap];
            }
            list[at] = one;
        }
    }
}

// Depths of the leaves of a Huffman tree; the list ascends by count.
static void find_depths(int *depth, const leaf *list, int n)
{
    int parent[2 * LITERALS] = {0};
    uint32_t weight[2 * LITERALS];
    int next_leaf = 0, next_node = n, end = n;
    for (int i = 0; i < n; ++i) {
        weight[i] = list[i].count;
    }
    while (end < 2 * n - 1) {
        weight[end] = 0;
        for (int k = 0; k < 2; ++k) {
            const bool use_leaf =
                next_leaf < n && (next_node >= end || weight[next_leaf] <= weight[next_node]);
            const int least = use_leaf ? next_leaf++ : next_node++;
            weight[end] += weight[least];
            parent[least] = end;
        }
        ++end;
    }
    int node_depth[2 * LITERALS];
    node_depth[end - 1] = 0;
    for (int i = end - 2; i >= 0; --i) {
        node_depth[i] = node_depth[parent[i]] + 1;
    }
    memcpy(depth, node_depth, (size_t)n * sizeof *depth);
}

// How many codes there are of each length, none longer than `longest`: codes that are too long are
// cut, and what that costs is taken from the longest of the others.
static void limit_lengths(int *of_length, const int *depth, int n, int longest)
{
    memset(of_length, 0, (LONGEST + 1) * sizeof *of_length);
    for (int i = 0; i < n; ++i) {
        of_length[depth[i] < longest ? depth[i] : longest]++;
    }
    uint32_t used = 0; // of 2^longest
    for (int k = 1; k <= longest; ++k) {
        used += (uint32_t)of_length[k] << (longest - k);
    }
    while (used > 1u << longest) {
        int k = longest - 1;
        while (of_length[k] == 0) {
            --k;
        }
        of_length[k]--; // one code becomes longer and takes one of the longest beside it
        of_length[k + 1] += 2;
        of_length[longest]--;
        --used;
    }
}

static void make_code(code *c, const uint32_t *count, int nsymbol, int longest)
{
    leaf list[LITERALS];
    int n = 0, depth[LITERALS], of_length[LONGEST + 1];
    memset(c, 0, sizeof *c);
    for (int i = 0; i < nsymbol; ++i) {
        if (count[i] > 0) {
            list[n++] = (leaf){count[i], i};
        }
    }
    for (int i = 0; n < 2 && i < nsymbol; ++i) { // a code has two symbols at least
        if (count[i] == 0) {
            list[n++] = (leaf){1, i};
        }
    }
    sort_leaves(list, n);
    find_depths(depth, list, n);
    limit_lengths(of_length, depth, n, longest);
    int at = 0;
    for (int k = longest; k > 0; --k) { // the rarest get the longest
        for (int i = 0; i < of_length[k]; ++i) {
            c->length[list[at++].symbol] = (uint8_t)k;
        }
    }
    uint32_t next = 0;
    for (int k = 1; k <= longest; ++k) {
        next <<= 1;
        for (int i = 0; i < nsymbol; ++i) {
            if (c->length[i] == k) {
                uint32_t reversed = 0;
                for (int bit = 0; bit < k; ++bit) {
                    reversed |= (next >> bit & 1u) << (k - 1 - bit);
                }
                c->bits[i] = (uint16_t)reversed;
                ++next;
            }
        }
    }
}

static void put_code(writer *w, const code *c, int s)
{
    put_bits(w, c->bits[s], c->length[s]);
}

// --- lengths and distances as a symbol and more bits

typedef struct parted {
    int symbol, nbits;
    uint32_t bits;
} parted;

static parted part_length(int length)
{
    if (length == MOST_MATCH) {
        return (parted){285, 0, 0};
    }
    const int x = length - LEAST_MATCH;
    if (x < 8) {
        return (parted){257 + x, 0, 0};
    }
    int nbits = 0;
    while (x >> (nbits + 3) > 0) {
        ++nbits;
    }
    return (parted){257 + 4 * nbits + (x >> nbits), nbits, (uint32_t)x & ((1u << nbits) - 1u)};
}

static parted part_distance(int distance)
{
    const int x = distance - 1;
    if (x < 4) {
        return (parted){x, 0, 0};
    }
    int nbits = 0;
    while (x >> (nbits + 2) > 0) {
        ++nbits;
    }
    return (parted){2 * nbits + (x >> nbits), nbits, (uint32_t)x & ((1u << nbits) - 1u)};
}

// --- blocks

// The lengths of two codes in a row, repeats shortened. @return how many entries; the high byte of
// an entry is what stands behind a repeat
static int shorten(uint16_t *out, const uint8_t *length, int n)
{
    int count = 0;
    for (int i = 0, run; i < n; i += run) {
        run = 1;
        while (i + run < n && length[i + run] == length[i]) {
            ++run;
        }
        if (length[i] == 0 && run >= 3) {
            run = run < 138 ? run : 138;
            out[count++] = (uint16_t)(run < 11 ? 17 | (run - 3) << 8 : 18 | (run - 11) << 8);
        } else if (run >= 4) {
            run = run < 7 ? run : 7;
            out[count++] = length[i];
            out[count++] = (uint16_t)(16 | (run - 4) << 8);
        } else {
            run = 1;
            out[count++] = length[i];
        }
    }
    return count;
}

static void put_codes(writer *w, const code *literal, const code *distance)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t both[LITERALS + DISTANCES];
    memcpy(both, literal->length, LITERALS);
    memcpy(both + LITERALS, distance->length, DISTANCES);
    uint16_t entry[LITERALS + DISTANCES];
    const int n = shorten(entry, both, LITERALS + DISTANCES);
    uint32_t count[LENGTH_CODES] = {0};
    for (int i = 0; i < n; ++i) {
        count[entry[i] & 0xff]++;
    }
    code lengths;
    make_code(&lengths, count, LENGTH_CODES, LONGEST_OF_LENGTH);
    int last = LENGTH_CODES;
    while (last > 4 && lengths.length[order[last - 1]] == 0) {
        --last;
    }
    put_bits(w, LITERALS - 257, 5);
    put_bits(w, DISTANCES - 1, 5);
    put_bits(w, (uint32_t)(last - 4), 4);
    for (int i = 0; i < last; ++i) {
        put_bits(w, lengths.length[order[i]], 3);
    }
    for (int i = 0; i < n; ++i) {
        const int s = entry[i] & 0xff;
        put_code(w, &lengths, s);
        if (s >= 16) {
            put_bits(w, entry[i] >> 8, s == 16 ? 2 : (s == 17 ? 3 : 7));
        }
    }
}

static void put_block(packer *p, bool last)
{
    writer *w = &p->w;
    code literal, distance;
    p->literal_count[END_OF_BLOCK]++;
    make_code(&literal, p->literal_count, LITERALS, LONGEST);
    make_code(&distance, p->distance_count, DISTANCES, LONGEST);
    put_bits(w, last ? 1 : 0, 1);
    put_bits(w, 2, 2); // with codes of its own
    put_codes(w, &literal, &distance);
    for (int i = 0; i < p->nsymbol; ++i) {
        const symbol s = p->symbols[i];
        if (s.distance == 0) {
            put_code(w, &literal, s.value);
            continue;
        }
        const parted length = part_length(s.value), far = part_distance(s.distance);
        put_code(w, &literal, length.symbol);
        put_bits(w, length.bits, length.nbits);
        put_code(w, &distance, far.symbol);
        put_bits(w, far.bits, far.nbits);
    }
    put_code(w, &literal, END_OF_BLOCK);
    p->nsymbol = 0;
    memset(p->literal_count, 0, sizeof p->literal_count);
    memset(p->distance_count, 0, sizeof p->distance_count);
}

// --- repeats

static uint32_t hash_at(const unsigned char *x)
{
    const uint32_t three = x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16;
    return three * 2654435761u >> 17;
}

static void remember(packer *p, size_t at)
{
    if (at + LEAST_MATCH <= p->count) {
        const uint32_t h = hash_at(p->in + at);
        p->before[at % WINDOW] = p->head[h];
        p->head[h] = at + 1;
    }
}

// Is a reference likely to take fewer bits than the bytes themselves? What is compressed here has
// about five bits a byte to say.
static bool saves(int length, int distance)
{
    int bits = 7;
    for (; distance > 1; distance >>= 1) {
        ++bits;
    }
    return 5 * length > bits;
}

// The longest repeat at a place. @return its length, 0: none
static int find_repeat(int *distance, const packer *p, size_t at)
{
    if (at + LEAST_MATCH > p->count) {
        return 0;
    }
    const size_t left = p->count - at;
    const int most = left < MOST_MATCH ? (int)left : MOST_MATCH;
    int best = LEAST_MATCH - 1;
    size_t place = p->head[hash_at(p->in + at)];
    for (int k = 0; k < PATIENCE && place > 0 && at - (place - 1) < WINDOW; ++k) {
        const unsigned char *a = p->in + place - 1, *b = p->in + at;
        int n = 0;
        while (n < most && a[n] == b[n]) {
            ++n;
        }
        if (n > best) {
            best = n;
            *distance = (int)(at - (place - 1));
        }
        const size_t older = p->before[(place - 1) % WINDOW];
        place = older < place ? older : 0;
    }
    return best >= LEAST_MATCH && saves(best, *distance) ? best : 0;
}

static void add_symbol(packer *p, symbol s)
{
    p->symbols[p->nsymbol++] = s;
    p->literal_count[s.distance == 0 ? s.value : part_length(s.value).symbol]++;
    if (s.distance > 0) {
        p->distance_count[part_distance(s.distance).symbol]++;
    }
}

static void pack(packer *p)
{
    for (size_t at = 0; at < p->count;) {
        int distance = 0;
        int n = find_repeat(&distance, p, at);
        if (n > 0) {
            add_symbol(p, (symbol){(uint16_t)n, (uint16_t)distance});
        } else {
            add_symbol(p, (symbol){p->in[at], 0});
            n = 1;
        }
        for (int i = 0; i < n; ++i) {
            remember(p, at++);
        }
        if (p->nsymbol == BLOCK) {
            put_block(p, false);
        }
    }
    put_block(p, true);
}

dp_status dp_deflate(dp_byte_buffer *out, const unsigned char *in, size_t count)
{
    packer *p;
    DP_TRY(dp_allocate(&p, &out->allocator, 1, sizeof *p));
    p->w = (writer){.out = out, .status = DP_OK};
    p->in = in;
    p->count = count;
    put_byte(&p->w, 0x78); // a window of 32 KiB
    put_byte(&p->w, 0x9c);
    pack(p);
    put_bits(&p->w, 0, (8 - p->w.nbits) % 8);
    const uint32_t sum = dp_adler32(1, in, count);
    for (int k = 3; k >= 0; --k) {
        put_byte(&p->w, (unsigned char)(sum >> (8 * k) & 0xff));
    }
    const dp_status status = p->w.status;
    dp_release(&out->allocator, p, 1, sizeof *p);
    return status;
}
