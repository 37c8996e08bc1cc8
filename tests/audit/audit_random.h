// Random numbers of the auditor: the same from the same seed, everywhere.
#ifndef AUDIT_RANDOM_H
#define AUDIT_RANDOM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct audit_random {
    uint64_t state;
} audit_random;

static inline uint64_t audit_bits(audit_random *r) // splitmix64
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static inline audit_random audit_random_of(uint64_t seed)
{
    audit_random r = {seed * UINT64_C(0xd1342543de82ef95) + 1};
    (void)audit_bits(&r);
    return r;
}
static inline double audit_unit(audit_random *r) // 0 ≤ x < 1
{
    return (double)(audit_bits(r) >> 11) * 0x1p-53;
}
static inline double audit_between(audit_random *r, double low, double high)
{
    return low + (high - low) * audit_unit(r);
}
static inline double audit_power(audit_random *r, double low, double high) // of ten
{
    return pow(10.0, audit_between(r, low, high));
}
static inline bool audit_chance(audit_random *r, double p)
{
    return audit_unit(r) < p;
}
static inline int audit_pick(audit_random *r, int n) // 0 … n − 1
{
    return (int)(audit_bits(r) % (uint64_t)n);
}

#endif
