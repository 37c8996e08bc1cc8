// Comparisons of numbers for cmocka, with messages that show them.
#ifndef DP_TESTS_NEAR_H
#define DP_TESTS_NEAR_H

// cmocka wants these four in front of it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/// |actual − expected| ≤ tolerance. Not a number is never near.
#define assert_near(actual, expected, tolerance)                                                   \
    assert_near_at((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

/// |actual − expected| ≤ tolerance · max(1, |expected|).
#define assert_close(actual, expected, tolerance)                                                  \
    assert_close_at((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)

void assert_near_at(double actual, double expected, double tolerance, const char *what,
                    const char *file, int line);
void assert_close_at(double actual, double expected, double tolerance, const char *what,
                     const char *file, int line);

/// |x − reference| in units in the last place of x.
double ulps_between(double x, long double reference);

/// A reproducible sequence: SplitMix64 from a seed.
typedef struct random_source {
    uint64_t state;
} random_source;
uint64_t random_bits(random_source *r);
double random_between(random_source *r, double low, double high);

#endif
