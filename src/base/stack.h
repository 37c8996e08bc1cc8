// A block of memory as an allocator: for code that takes memory as it goes, within a step that must
// not. What is released at the top of the stack, one by one or in groups of any order, is used
// again.
#ifndef DP_BASE_STACK_H
#define DP_BASE_STACK_H

#include "base/error.h"

typedef struct dp_stack {
    char *base; // aligned to DP_STACK_ALIGNMENT
    size_t capacity, used;
    size_t top; // where the head of the last piece begins; no piece: SIZE_MAX
} dp_stack;

enum { DP_STACK_ALIGNMENT = 64 };

/// The bytes that one piece takes, for adding up what a task needs.
size_t dp_stack_bytes(size_t count, size_t size);

/// A stack in `memory`, which stays the caller's. Up to DP_STACK_ALIGNMENT bytes may be lost.
void dp_stack_init(dp_stack *stack, void *memory, size_t bytes);

/// An allocator on `stack`, which must stay where it is. NULL when the block is full.
dp_allocator dp_stack_allocator(dp_stack *stack);

#endif
