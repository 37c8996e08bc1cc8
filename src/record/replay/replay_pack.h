// Numbers of a replay in few bytes: integers of 16 bits that change little from frame to frame.
#ifndef DP_RECORD_REPLAY_PACK_H
#define DP_RECORD_REPLAY_PACK_H

#include "record/replay/json_page.h"

/// Series of 16-bit numbers. Each number becomes its difference to the one before in its series,
/// folded so that small ones of either sign are small; low bytes and high bytes are kept apart,
/// which compresses well.
typedef struct dp_series_pack {
    unsigned char *low, *high; // `count` each
    size_t count, at;
} dp_series_pack;

DP_NODISCARD dp_status dp_series_begin(dp_series_pack *pack, size_t count,
                                       const dp_allocator *allocator);
void dp_series_add(dp_series_pack *pack, uint16_t value, uint16_t before);
/// Write low bytes, then high bytes, and release.
void dp_series_end(dp_series_pack *pack, dp_json_page *j, const char *key,
                   const dp_allocator *allocator);

/// The number nearest to x among 65536 from low to low + span.
uint16_t dp_quantise(double x, double low, double span);
/// The upper half of a float: 8 bits of precision at any size.
uint16_t dp_half_of(float x);

#endif
