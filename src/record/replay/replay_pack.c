#include "record/replay/replay_pack.h"

#include <math.h>
#include <string.h>

dp_status dp_series_begin(dp_series_pack *pack, size_t count, const dp_allocator *allocator)
{
    *pack = (dp_series_pack){.count = count};
    DP_TRY(dp_allocate(&pack->low, allocator, count, 2));
    pack->high = pack->low + count;
    return DP_OK;
}

void dp_series_add(dp_series_pack *pack, uint16_t value, uint16_t before)
{
    const unsigned change = (unsigned)(value - before) & 0xffffu;
    const unsigned folded = change & 0x8000u ? (0xffffu - change) << 1 | 1u : change << 1;
    pack->low[pack->at] = (unsigned char)(folded & 0xff);
    pack->high[pack->at++] = (unsigned char)(folded >> 8);
}

void dp_series_end(dp_series_pack *pack, dp_json_page *j, const char *key,
                   const dp_allocator *allocator)
{
    DP_ASSERT(pack->at == pack->count);
    dp_json_bytes(j, key, pack->low, 2 * pack->count);
    dp_release(allocator, pack->low, pack->count, 2);
    *pack = (dp_series_pack){.count = 0};
}

uint16_t dp_quantise(double x, double low, double span)
{
    const double steps = 65535.0;
    const double at = span > 0.0 ? (x - low) / span * steps : 0.0;
    return (uint16_t)(fmin(fmax(at, 0.0), steps) + 0.5);
}

uint16_t dp_half_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t rounded = bits + 0x8000u; // into the exponent, if it must be
    return (uint16_t)((isfinite(x) ? rounded : bits) >> 16);
}
