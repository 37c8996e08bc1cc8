// Memory of objects: blocks from the user's allocator, arrays that grow, pools of strings.
#ifndef DP_BASE_MEMORY_H
#define DP_BASE_MEMORY_H

#include "base/error.h"

/// The allocator to use for a pointer that may be NULL.
dp_allocator dp_allocator_or_default(const dp_allocator *allocator);

// `out` and `array` below are addresses of pointers: T **.

/// Zeroed memory for `count` elements of `size` bytes. *out is NULL (and DP_OK) for count 0.
dp_status dp_allocate(void *out, const dp_allocator *a, size_t count, size_t size);
/// The same, with whatever was there before: for what is large and written before it is read.
dp_status dp_allocate_unset(void *out, const dp_allocator *a, size_t count, size_t size);
/// Give back what dp_allocate gave. NULL is allowed.
void dp_release(const dp_allocator *a, void *memory, size_t count, size_t size);

/// Make room for one more element in a growing array: *array has *capacity elements of `size`
/// bytes, `count` of them in use. Grows by half at least; new memory is zeroed.
dp_status dp_grow(void *array, size_t *capacity, size_t count, size_t size, const dp_allocator *a);

/// Many small pieces that live and die together: the strings and arrays of a spec or a report.
typedef struct dp_pool_block dp_pool_block;
typedef struct dp_pool {
    dp_allocator allocator;
    dp_pool_block *last;
} dp_pool;

void dp_pool_init(dp_pool *pool, const dp_allocator *allocator);
void dp_pool_destroy(dp_pool *pool);
/// Zeroed memory, aligned for any type, until the pool is destroyed.
dp_status dp_pool_take(void *out, dp_pool *pool, size_t count, size_t size);
/// A copy of `text`; NULL stays NULL.
dp_status dp_pool_text(const char **out, dp_pool *pool, const char *text);

/// One block carved into arrays: first measured with base == NULL, then laid out. See dp_carve.
typedef struct dp_carver {
    char *base;
    size_t used;
} dp_carver;
/// Arrays begin on such boundaries of a block, wherever the allocator puts it.
enum { DP_CARVE_ALIGNMENT = 64 };
/// The bytes of a block for what took so many while measuring.
static inline size_t dp_carve_room(size_t measured)
{
    return measured + DP_CARVE_ALIGNMENT;
}
/// To lay out a block of dp_carve_room bytes, of which the first `in_use` are taken already.
dp_carver dp_carve_in(void *block, size_t in_use);
/// The next `count` elements of `size` bytes on a boundary. Returns NULL while measuring.
void *dp_carve(dp_carver *c, size_t count, size_t size);
/// The next arrays of n doubles each. @param list where their addresses go, then NULL
void dp_carve_doubles(dp_carver *c, size_t n, double **const *list);

#endif
