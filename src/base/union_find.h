// Which things belong together: each points to a lower one of the same set, the lowest to itself.
#ifndef DP_BASE_UNION_FIND_H
#define DP_BASE_UNION_FIND_H

/// The lowest of the set that `i` is in. Ways become shorter.
static inline int dp_union_lowest(int *lower, int i)
{
    while (lower[i] != i) {
        lower[i] = lower[lower[i]];
        i = lower[i];
    }
    return i;
}

/// The sets of two are one.
static inline void dp_union_join(int *lower, int one, int two)
{
    const int a = dp_union_lowest(lower, one), b = dp_union_lowest(lower, two);
    lower[a < b ? b : a] = a < b ? a : b;
}

#endif
