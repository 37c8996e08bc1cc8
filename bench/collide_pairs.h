// Queries between two shapes by pairs: all placements together.
//
// A pair is asked the same questions in each placement: apart, touching, resting and deep, each in
// random poses and along slow motions, equally many of each. The time of a pair is the mean over
// these. A peer that does not answer in a placement (a distance where it only says "apart") is
// compared over the others, and so is Dashpot.
#ifndef BENCH_COLLIDE_PAIRS_H
#define BENCH_COLLIDE_PAIRS_H

#include "bench_clock.h"
#include "bench_rows.h"

#include <stdio.h>

enum { BENCH_COLLIDE_ENGINES = 5 }; // Dashpot is the first

/// Sums over the placements that an engine answers, repetition by repetition [ns].
typedef struct bench_pair_total {
    char pair[40];
    const char *task;
    bool hull;
    int placements; ///< of Dashpot
    struct {
        char name[32];
        int placements;
        bench_sample ns, dashpot_ns; ///< its own, and Dashpot's in the same placements
        double error;                ///< [m] the worst
    } engine[BENCH_COLLIDE_ENGINES];
} bench_pair_total;

/// Add a placement. An engine whose sample is empty has not answered.
void bench_pair_add(bench_pair_total *total, char name[][32], const bench_sample *ns,
                    const double *error);

/// A table of all of them, and in how many Dashpot is ahead (of hulls: within 1.3) of the fastest
/// peer, and of the fastest whose worst error is at most `right` [m].
void bench_pairs_print(const bench_pair_total *total, int n, double right);
void bench_pairs_write(FILE *file, const bench_pair_total *total, int n,
                       const bench_results *facts);

#endif
