// From an unordered pair of numbers to a number: open addressing, at most half full.
#ifndef DP_MODEL_PAIR_MAP_H
#define DP_MODEL_PAIR_MAP_H

#include "base/memory.h"

typedef struct dp_pair_map {
    uint64_t *key; // 0: free
    int *value;
    size_t nslot; // a power of two, or 0: empty
    int count;    // of pairs in it
} dp_pair_map;

/// Room for `count` pairs of numbers ≥ 0.
dp_status dp_pair_map_take(dp_pair_map *map, int count, dp_pool *pool);

/// Enter a pair, in either order. False, and nothing changes, when it was there already.
bool dp_pair_map_add(dp_pair_map *map, int a, int b, int value);

/// The value of a pair, in either order; −1 where there is none.
int dp_pair_map_look(const dp_pair_map *map, int a, int b);
static inline int dp_pair_map_find(const dp_pair_map *map, int a, int b)
{
    return map->count > 0 ? dp_pair_map_look(map, a, b) : -1; // most are empty
}

#endif
