#include "model/pair_map.h"

#include "model/name_index.h"

dp_status dp_pair_map_take(dp_pair_map *map, int count, dp_pool *pool)
{
    map->nslot = dp_name_slots(count);
    DP_TRY(dp_pool_take(&map->value, pool, map->nslot, sizeof *map->value));
    return dp_pool_take(&map->key, pool, map->nslot, sizeof *map->key);
}

// Where a pair is, or would be.
static size_t find_slot(const dp_pair_map *map, int a, int b, uint64_t *key)
{
    const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    *key = (high << 32 | low) + 1;
    size_t at = (size_t)((*key * 0x9e3779b97f4a7c15u) >> 32) & (map->nslot - 1);
    while (map->key[at] != 0 && map->key[at] != *key) {
        at = (at + 1) & (map->nslot - 1);
    }
    return at;
}

bool dp_pair_map_add(dp_pair_map *map, int a, int b, int value)
{
    uint64_t key;
    const size_t at = find_slot(map, a, b, &key);
    if (map->key[at] != 0) {
        return false;
    }
    map->key[at] = key;
    map->value[at] = value;
    ++map->count;
    return true;
}

int dp_pair_map_look(const dp_pair_map *map, int a, int b)
{
    uint64_t key;
    const size_t at = find_slot(map, a, b, &key);
    return map->key[at] != 0 ? map->value[at] : -1;
}
