#include "damage.h"

#include <string.h>

static size_t below(random_source *r, size_t n)
{
    return n ? (size_t)(random_bits(r) % n) : 0;
}

static void cut(damaged_text *t, size_t from, size_t count)
{
    count = from + count > t->count ? t->count - from : count;
    memmove(t->at + from, t->at + from + count, t->count - from - count);
    t->count -= count;
}

static void insert(damaged_text *t, size_t from, const char *piece, size_t count)
{
    if (t->count + count > t->capacity) {
        return;
    }
    memmove(t->at + from + count, t->at + from, t->count - from);
    memcpy(t->at + from, piece, count);
    t->count += count;
}

static void repeat(damaged_text *t, size_t from, random_source *r)
{
    char piece[400];
    size_t count = 1 + below(r, sizeof piece);
    count = from + count > t->count ? t->count - from : count;
    memcpy(piece, t->at + from, count);
    insert(t, below(r, t->count), piece, count);
}

static void change_digit(damaged_text *t, size_t from, random_source *r)
{
    for (size_t i = from; i < t->count; ++i) {
        if (t->at[i] >= '0' && t->at[i] <= '9') {
            t->at[i] = (char)('0' + below(r, 10));
            return;
        }
    }
}

void damage_text(damaged_text *t, const char *const *word, int nword, random_source *r)
{
    if (t->count == 0) {
        return;
    }
    const size_t from = below(r, t->count);
    switch (below(r, 7)) {
    case 0:
        t->at[from] = (char)(t->at[from] ^ (1 << below(r, 8)));
        break;
    case 1:
        t->at[from] = (char)below(r, 256);
        break;
    case 2:
        cut(t, from, 1 + below(r, 30));
        break;
    case 3:
        t->count = from;
        break;
    case 4: {
        const char *w = word[below(r, (size_t)nword)];
        insert(t, from, w, strlen(w));
        break;
    }
    case 5:
        repeat(t, from, r);
        break;
    default:
        change_digit(t, from, r);
        break;
    }
}

void damage_value(damaged_text *t, char quote, const char *const *value, int nvalue,
                  random_source *r)
{
    size_t from = below(r, t->count);
    while (from < t->count && t->at[from] != quote) {
        ++from;
    }
    size_t to = from + 1;
    while (to < t->count && t->at[to] != quote) {
        ++to;
    }
    if (to >= t->count) {
        return;
    }
    cut(t, from + 1, to - from - 1);
    const char *v = value[below(r, (size_t)nvalue)];
    insert(t, from + 1, v, strlen(v));
}
