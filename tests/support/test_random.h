// More to draw from a random_source (near.h).
#ifndef DP_TESTS_TEST_RANDOM_H
#define DP_TESTS_TEST_RANDOM_H

#include "near.h"

#include <stdbool.h>

/// One of 0 … n−1.
int random_below(random_source *r, int n);

/// True with this probability.
bool random_chance(random_source *r, double probability);

/// A unit vector of `n` components, uniform on the sphere.
void random_direction(double *x, int n, random_source *r);

#endif
