// Memory that lives for one step: a block that is filled from the front and emptied at once.
// Several threads may take pieces at the same time.
#ifndef DP_BASE_ARENA_H
#define DP_BASE_ARENA_H

#include "base/error.h"

#include <stdatomic.h>

typedef struct dp_arena {
    char *base; // aligned to DP_ARENA_ALIGNMENT
    size_t capacity;
    atomic_size_t used;
    atomic_size_t needed; // largest `used` that was asked for since the arena was made
} dp_arena;

enum { DP_ARENA_ALIGNMENT = 64 };

/// The bytes that one piece takes of an arena, for adding up what a task needs.
size_t dp_arena_bytes(size_t count, size_t size);

/// An arena in `memory`, which stays the caller's.
void dp_arena_init(dp_arena *arena, void *memory, size_t bytes);

/// Leave the memory as it was before dp_arena_init: to be called before it is used otherwise. An
/// arena of zeros is allowed.
void dp_arena_end(dp_arena *arena);

/// Room for `count` elements of `size` bytes, not cleared. `out` is the address of a pointer: T **.
/// @return DP_ERROR_CAPACITY with the number of bytes needed; *out is then NULL
DP_NODISCARD dp_status dp_arena_take(void *out, dp_arena *arena, size_t count, size_t size);

/// Where the arena stands, and back to there: what was taken since is gone, by whomever. Not while
/// other threads may take pieces.
size_t dp_arena_mark(const dp_arena *arena);
void dp_arena_rewind(dp_arena *arena, size_t mark);

#endif
