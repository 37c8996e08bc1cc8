// An allocator that counts, knows what is still out, and fails when told to.
#ifndef DP_TESTS_COUNTING_ALLOCATOR_H
#define DP_TESTS_COUNTING_ALLOCATOR_H

#include <dashpot/base.h>

typedef struct counting_allocator {
    size_t calls;       // of allocate so far
    size_t fail_at;     // this call (1, 2, …) returns NULL; 0: none does
    size_t blocks;      // not released yet
    size_t bytes;       // not released yet
    size_t most_bytes;  // the largest that `bytes` ever was
    size_t wrong_sizes; // releases that named another size than was asked for
} counting_allocator;

/// An allocator that counts in `*counts`, which must outlive it.
dp_allocator counting_allocator_for(counting_allocator *counts);

#endif
