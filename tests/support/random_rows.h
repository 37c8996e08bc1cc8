// Random mechanisms with rows of every kind: loops, limits, drives, dry friction, with any
// stiffness and damping, some twice, some in contradiction to each other. Equal seeds give equal
// mechanisms.
#ifndef DP_TESTS_RANDOM_ROWS_H
#define DP_TESTS_RANDOM_ROWS_H

#include "random_spec.h"

typedef struct random_rows_options {
    uint64_t seed;
    int max_bodies;
    bool open; // start anywhere, so that loops are open
} random_rows_options;

/// A spec the caller owns, with a step of 1e-5 to 0.2 s.
dp_spec *random_rows(const random_rows_options *options);

#endif
