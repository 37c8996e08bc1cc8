// Random numbers for tests: the same on every machine, one stream per seed (splitmix64, by S.
// Vigna).
#ifndef DP_TEST_RANDOM_H
#define DP_TEST_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct test_random {
    uint64_t state;
} test_random;

static inline test_random test_random_seed(uint64_t seed)
{
    return (test_random){seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du};
}

static inline uint64_t random_bits(test_random *r)
{
    r->state += 0x9E3779B97F4A7C15u;
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// Uniform in [lo, hi).
static inline double random_between(test_random *r, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(random_bits(r) >> 11) * 0x1p-53);
}

/// One of 0 … n−1.
static inline int random_below(test_random *r, int n)
{
    return (int)(random_bits(r) % (uint64_t)n);
}

/// True with this probability.
static inline bool random_chance(test_random *r, double probability)
{
    return random_between(r, 0.0, 1.0) < probability;
}

/// A direction, uniform on the sphere of `n` dimensions (n ≤ 4): a point of the ball, pushed out.
static inline void random_direction(double *x, int n, test_random *r)
{
    double s;
    do {
        s = 0.0;
        for (int i = 0; i < n; ++i) {
            x[i] = random_between(r, -1.0, 1.0);
            s += x[i] * x[i];
        }
    } while (s > 1.0 || s < 0.01);
    for (int i = 0; i < n; ++i) {
        x[i] /= sqrt(s);
    }
}

#endif
