// An axis of a plot, linear or logarithmic.
#ifndef DP_RECORD_SCALE_H
#define DP_RECORD_SCALE_H

#include "record/plot/axis.h"

#include <stdbool.h>
#include <stdio.h>

/// Logarithmic: shows 10^lo to 10^hi, with ticks at 10^(k·stride).
typedef struct dp_scale {
    bool log;
    dp_axis axis; // linear
    double lo, hi;
    int stride;
    int64_t first, last; // ticks k
} dp_scale;

/// A scale for values from `lo` to `hi` (finite, lo ≤ hi, positive for a logarithmic one) with at
/// most `ticks` intervals; `margin` is left free at both ends, as a part of the range. Without a
/// margin, what is shown is this range; with one, a short logarithmic range grows to whole decades.
dp_scale dp_scale_fit(bool log, double lo, double hi, int ticks, double margin);

/// Where `x` lies: 0 at the lower end, 1 at the upper. Not finite for what has no place.
double dp_scale_place(const dp_scale *scale, double x);

double dp_scale_tick(const dp_scale *scale, int64_t k); ///< the value of a tick
void dp_scale_put_label(FILE *file, const dp_scale *scale, int64_t k);

/// Whether fine lines at 2, 3 … 9 times each tick make sense.
bool dp_scale_has_minor(const dp_scale *scale);

#endif
