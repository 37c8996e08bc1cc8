#include "base/arena.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define DP_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DP_POISON 1
#endif
#endif

#ifdef DP_POISON
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = DP_ARENA_ALIGNMENT }; // between two pieces, never to be touched
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
enum { RED_ZONE = 0 };
#endif

static size_t round_up(size_t bytes)
{
    return (bytes + DP_ARENA_ALIGNMENT - 1) / DP_ARENA_ALIGNMENT * DP_ARENA_ALIGNMENT;
}

size_t dp_arena_bytes(size_t count, size_t size)
{
    return round_up(count * size) + RED_ZONE;
}

void dp_arena_init(dp_arena *arena, void *memory, size_t bytes)
{
    *arena = (dp_arena){.base = NULL};
    const size_t skip =
        (DP_ARENA_ALIGNMENT - (uintptr_t)memory % DP_ARENA_ALIGNMENT) % DP_ARENA_ALIGNMENT;
    if (memory && skip <= bytes) {
        arena->base = (char *)memory + skip;
        arena->capacity = bytes - skip;
        ASAN_POISON_MEMORY_REGION(arena->base, arena->capacity);
    }
}

void dp_arena_end(dp_arena *arena)
{
    ASAN_UNPOISON_MEMORY_REGION(arena->base, arena->capacity);
    *arena = (dp_arena){.base = NULL};
}

// needed = max(needed, end), whoever else does the same.
static void note_need(dp_arena *arena, size_t end)
{
    size_t known = arena->needed;
    while (known < end && !atomic_compare_exchange_weak(&arena->needed, &known, end)) {
    }
}

dp_status dp_arena_take(void *out, dp_arena *arena, size_t count, size_t size)
{
    void *piece = NULL;
    size_t begin = arena->used, end;
    do {
        end = begin + dp_arena_bytes(count, size);
    } while (end <= arena->capacity && !atomic_compare_exchange_weak(&arena->used, &begin, end));
    note_need(arena, end);
    if (end <= arena->capacity) {
        piece = arena->base + begin;
        ASAN_UNPOISON_MEMORY_REGION(piece, count * size);
    }
    memcpy(out, &piece, sizeof piece);
    if (end > arena->capacity) {
        return dp_fail(DP_ERROR_CAPACITY, "the memory of a step is %zu bytes (expected %zu)",
                       arena->capacity, end);
    }
    return DP_OK;
}

size_t dp_arena_mark(const dp_arena *arena)
{
    return arena->used;
}

void dp_arena_rewind(dp_arena *arena, size_t mark)
{
    DP_ASSERT(mark <= arena->used);
    ASAN_POISON_MEMORY_REGION(arena->base + mark, arena->used - mark);
    arena->used = mark;
}
