// The broad phase beside Bullet's dynamic tree: boxes that move, pairs that overlap.
#ifndef BENCH_BROAD_H
#define BENCH_BROAD_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A broad phase under test. Boxes are six numbers, low and then high.
typedef struct bench_boxes {
    void *self; ///< NULL: not installed
    /// Put all boxes where they are now. @return the pairs that it then knows
    long long (*update)(void *self, const double *box);
    /// Make of these the list of pairs whose boxes overlap now, ascending. @return how many
    long long (*answer)(void *self);
    /// The k-th of them.
    void (*pair)(int *a, int *b, void *self, long long k);
    void (*destroy)(void *self);
} bench_boxes;

/// `n` boxes, the first `nmoving` of which move.
typedef void bench_boxes_create(bench_boxes *out, const double *box, int n, int nmoving);

/// Time both on a gas and a heap, and how the cost grows with the number of boxes.
bool bench_measure_broad(FILE *file, bool quick, bool json);

#ifdef __cplusplus
}
#endif
#endif
