#include "base/memory.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

static void *allocate_with_malloc(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void release_with_free(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

dp_allocator dp_allocator_default(void)
{
    return (dp_allocator){NULL, allocate_with_malloc, release_with_free};
}

dp_allocator dp_allocator_or_default(const dp_allocator *allocator)
{
    return allocator ? *allocator : dp_allocator_default();
}

// Write a pointer of any type through `out`, without breaking the aliasing rules.
static void store_pointer(void *out, void *pointer)
{
    memcpy(out, &pointer, sizeof pointer);
}

dp_status dp_allocate_unset(void *out, const dp_allocator *a, size_t count, size_t size)
{
    store_pointer(out, NULL);
    if (count == 0) {
        return DP_OK;
    }
    if (size > SIZE_MAX / count) {
        return dp_fail(DP_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", count, size);
    }
    void *memory = a->allocate(a->context, count * size);
    if (!memory) {
        return dp_fail(DP_ERROR_MEMORY, "out of memory: %zu bytes", count * size);
    }
    store_pointer(out, memory);
    return DP_OK;
}

dp_status dp_allocate(void *out, const dp_allocator *a, size_t count, size_t size)
{
    DP_TRY(dp_allocate_unset(out, a, count, size));
    void *memory;
    memcpy(&memory, out, sizeof memory);
    if (memory) {
        memset(memory, 0, count * size);
    }
    return DP_OK;
}

void dp_release(const dp_allocator *a, void *memory, size_t count, size_t size)
{
    if (memory) {
        a->release(a->context, memory, count * size);
    }
}

dp_status dp_grow(void *array, size_t *capacity, size_t count, size_t size, const dp_allocator *a)
{
    if (count < *capacity) {
        return DP_OK;
    }
    if (*capacity > SIZE_MAX / 2) { // its next size could not be counted
        return dp_fail(DP_ERROR_MEMORY, "out of memory: more than %zu elements", *capacity);
    }
    const size_t more = *capacity + *capacity / 2 + 8;
    void *grown;
    DP_TRY(dp_allocate(&grown, a, more, size));
    void *old;
    memcpy(&old, array, sizeof old);
    if (old) {
        memcpy(grown, old, count * size);
        dp_release(a, old, *capacity, size);
    }
    store_pointer(array, grown);
    *capacity = more;
    return DP_OK;
}

struct dp_pool_block {
    dp_pool_block *previous;
    size_t bytes, used; // of the payload behind this header
};

enum { POOL_ALIGNMENT = alignof(max_align_t), POOL_BLOCK_BYTES = 4096 };

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static char *payload(dp_pool_block *block)
{
    return (char *)block + round_up(sizeof *block, POOL_ALIGNMENT);
}

void dp_pool_init(dp_pool *pool, const dp_allocator *allocator)
{
    *pool = (dp_pool){.allocator = dp_allocator_or_default(allocator)};
}

void dp_pool_destroy(dp_pool *pool)
{
    dp_pool_block *block = pool->last;
    while (block) {
        dp_pool_block *previous = block->previous;
        dp_release(&pool->allocator, block, 1,
                   round_up(sizeof *block, POOL_ALIGNMENT) + block->bytes);
        block = previous;
    }
    pool->last = NULL;
}

dp_status dp_pool_take(void *out, dp_pool *pool, size_t count, size_t size)
{
    store_pointer(out, NULL);
    if (size > 0 && count > (SIZE_MAX / 2) / size) {
        return dp_fail(DP_ERROR_MEMORY, "out of memory: %zu elements of %zu bytes", count, size);
    }
    const size_t bytes = round_up(count * size, POOL_ALIGNMENT);
    if (!pool->last || pool->last->bytes - pool->last->used < bytes) {
        const size_t room = bytes > POOL_BLOCK_BYTES ? bytes : POOL_BLOCK_BYTES;
        dp_pool_block *block;
        DP_TRY(dp_allocate(&block, &pool->allocator, 1,
                           round_up(sizeof *block, POOL_ALIGNMENT) + room));
        block->previous = pool->last;
        block->bytes = room;
        pool->last = block;
    }
    store_pointer(out, payload(pool->last) + pool->last->used);
    pool->last->used += bytes;
    return DP_OK;
}

dp_status dp_pool_text(const char **out, dp_pool *pool, const char *text)
{
    *out = NULL;
    if (!text) {
        return DP_OK;
    }
    const size_t bytes = strlen(text) + 1;
    char *copy;
    DP_TRY(dp_pool_take(&copy, pool, bytes, 1));
    memcpy(copy, text, bytes);
    *out = copy;
    return DP_OK;
}

dp_carver dp_carve_in(void *block, size_t in_use)
{
    const size_t past = (uintptr_t)block % DP_CARVE_ALIGNMENT;
    return (dp_carver){(char *)block + (past ? DP_CARVE_ALIGNMENT - past : 0), in_use};
}

void *dp_carve(dp_carver *c, size_t count, size_t size)
{
    c->used = round_up(c->used, DP_CARVE_ALIGNMENT);
    void *at = c->base ? c->base + c->used : NULL;
    c->used += count * size;
    return at;
}

void dp_carve_doubles(dp_carver *c, size_t n, double **const *list)
{
    for (; *list; ++list) {
        **list = dp_carve(c, n, sizeof(double));
    }
}
