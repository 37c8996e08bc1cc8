// Ranges that follow one another: range i is start[i] … start[i + 1] − 1.
#ifndef DP_BASE_SPAN_H
#define DP_BASE_SPAN_H

/// The range that `at` is in, one of `count`; of empty ones before it, none.
static inline int dp_span_of(const int *start, int count, int at)
{
    int low = 0, high = count - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (start[middle] <= at) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

#endif
