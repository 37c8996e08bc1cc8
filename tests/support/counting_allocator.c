#include "counting_allocator.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

// In front of each block stands the size that was asked for.
enum { FRONT = alignof(max_align_t) };

static void *allocate(void *context, size_t bytes)
{
    counting_allocator *counts = context;
    counts->calls += 1;
    if (counts->calls == counts->fail_at) {
        return NULL;
    }
    unsigned char *block = malloc(FRONT + bytes);
    if (!block) {
        return NULL;
    }
    memcpy(block, &bytes, sizeof bytes);
    memset(block + FRONT, 0xa5, bytes); // nobody may count on zeros
    counts->blocks += 1;
    counts->bytes += bytes;
    counts->most_bytes = counts->bytes > counts->most_bytes ? counts->bytes : counts->most_bytes;
    return block + FRONT;
}

static void release(void *context, void *memory, size_t bytes)
{
    counting_allocator *counts = context;
    unsigned char *block = (unsigned char *)memory - FRONT;
    size_t asked;
    memcpy(&asked, block, sizeof asked);
    counts->wrong_sizes += asked != bytes;
    counts->blocks -= 1;
    counts->bytes -= asked;
    free(block);
}

dp_allocator counting_allocator_for(counting_allocator *counts)
{
    return (dp_allocator){counts, allocate, release};
}
