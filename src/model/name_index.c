#include "model/name_index.h"

#include <limits.h>
#include <string.h>

const char *dp_name_at(dp_name_list list, int i)
{
    const char *name;
    memcpy(&name, (const char *)list.first + (size_t)i * list.stride, sizeof name);
    return name ? name : "";
}

// FNV-1a
static uint64_t hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; ++text) {
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return h;
}

size_t dp_name_slots(int count)
{
    size_t n = 16;
    while (n < 2 * (size_t)count) {
        n *= 2;
    }
    return n;
}

void dp_name_insert(dp_name_index *index, dp_name_list list, int i)
{
    const char *name = dp_name_at(list, i);
    if (!*name) {
        return;
    }
    size_t at = (size_t)hash(name) & (index->nslot - 1);
    while (index->slot[at]) {
        at = (at + 1) & (index->nslot - 1);
    }
    index->slot[at] = i + 1;
    ++index->used;
}

int dp_name_find(const dp_name_index *index, dp_name_list list, const char *name)
{
    if (index->nslot == 0 || !name || !*name) {
        return -1;
    }
    size_t at = (size_t)hash(name) & (index->nslot - 1);
    for (; index->slot[at]; at = (at + 1) & (index->nslot - 1)) {
        const int i = index->slot[at] - 1;
        if (strcmp(dp_name_at(list, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

enum { LONGEST_COMPARED = 63 };

// How many letters must be inserted, deleted, replaced or (if neighbours) swapped to turn a into b.
static int edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    int row[3][LONGEST_COMPARED + 1];
    int *before = row[0], *above = row[1], *current = row[2];
    for (size_t j = 0; j <= nb; ++j) {
        above[j] = (int)j;
        before[j] = 0;
    }
    for (size_t i = 1; i <= na; ++i) {
        current[0] = (int)i;
        for (size_t j = 1; j <= nb; ++j) {
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = current[j - 1] + 1 < best ? current[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
            }
            current[j] = best;
        }
        int *oldest = before;
        before = above;
        above = current;
        current = oldest;
    }
    return above[nb];
}

// The element whose name is nearest, −1 when there are no names to compare.
static int nearest_name(int *distance, dp_name_list list, const char *name)
{
    int nearest = -1;
    *distance = INT_MAX;
    const size_t n = strlen(name);
    for (int i = 0; i < list.count && n <= LONGEST_COMPARED; ++i) {
        const char *other = dp_name_at(list, i);
        const size_t nother = strlen(other);
        const size_t gap = n > nother ? n - nother : nother - n; // a lower bound of the distance
        if (nother == 0 || nother > LONGEST_COMPARED || (nearest >= 0 && (int)gap >= *distance)) {
            continue;
        }
        const int d = edit_distance(name, n, other, nother);
        if (d < *distance) {
            *distance = d;
            nearest = i;
        }
    }
    return nearest;
}

dp_status dp_name_fail(dp_name_list list, const char *kind, const char *name)
{
    if (!name || !*name) {
        return dp_fail(DP_ERROR_ARGUMENT, "the name of a %s is missing", kind);
    }
    int distance;
    const int nearest = nearest_name(&distance, list, name);
    if (nearest < 0) {
        return dp_fail(DP_ERROR_ARGUMENT, "no %s '%s' (no %s has a name like it)", kind, name,
                       kind);
    }
    if (2 * (size_t)distance > strlen(name)) { // more than every second letter: no misprint
        return dp_fail(DP_ERROR_ARGUMENT, "no %s '%s' (the nearest name is '%s')", kind, name,
                       dp_name_at(list, nearest));
    }
    return dp_fail(DP_ERROR_ARGUMENT, "no %s '%s' (did you mean '%s'?)", kind, name,
                   dp_name_at(list, nearest));
}
