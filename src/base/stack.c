#include "base/stack.h"

#include <stdint.h>
#include <string.h>

// In front of every piece, on a boundary of its own.
typedef struct head {
    size_t below; // the head of the piece below; SIZE_MAX: none
    bool released;
} head;

static size_t round_up(size_t bytes)
{
    return (bytes + DP_STACK_ALIGNMENT - 1) / DP_STACK_ALIGNMENT * DP_STACK_ALIGNMENT;
}

size_t dp_stack_bytes(size_t count, size_t size)
{
    return DP_STACK_ALIGNMENT + round_up(count * size);
}

void dp_stack_init(dp_stack *stack, void *memory, size_t bytes)
{
    const size_t skip =
        (DP_STACK_ALIGNMENT - (uintptr_t)memory % DP_STACK_ALIGNMENT) % DP_STACK_ALIGNMENT;
    const bool any = memory && skip <= bytes;
    *stack = (dp_stack){.base = any ? (char *)memory + skip : NULL,
                        .capacity = any ? bytes - skip : 0,
                        .top = SIZE_MAX};
}

static void *take(void *context, size_t bytes)
{
    dp_stack *stack = context;
    if (bytes > stack->capacity || dp_stack_bytes(bytes, 1) > stack->capacity - stack->used) {
        return NULL;
    }
    const head mine = {.below = stack->top};
    memcpy(stack->base + stack->used, &mine, sizeof mine);
    stack->top = stack->used;
    stack->used += dp_stack_bytes(bytes, 1);
    return stack->base + stack->top + DP_STACK_ALIGNMENT;
}

static void give_back(void *context, void *memory, size_t bytes)
{
    dp_stack *stack = context;
    (void)bytes;
    char *const at = (char *)memory - DP_STACK_ALIGNMENT;
    head mine;
    memcpy(&mine, at, sizeof mine);
    mine.released = true;
    memcpy(at, &mine, sizeof mine);
    while (stack->top != SIZE_MAX) {
        memcpy(&mine, stack->base + stack->top, sizeof mine);
        if (!mine.released) {
            break;
        }
        stack->used = stack->top;
        stack->top = mine.below;
    }
}

dp_allocator dp_stack_allocator(dp_stack *stack)
{
    return (dp_allocator){stack, take, give_back};
}
