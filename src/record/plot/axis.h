// The scale of a plot: which range to show, where the ticks stand and how they are labelled.
#ifndef DP_RECORD_AXIS_H
#define DP_RECORD_AXIS_H

#include <stddef.h>
#include <stdint.h>

/// Shows `offset + lo` to `offset + hi`. Tick k stands at offset + k·step, labelled with
/// k·step/10^exponent.
typedef struct dp_axis {
    double offset; // ≠ 0 when the values differ by little compared to their size
    double lo, hi;
    double step;
    int64_t first, last; // ticks k
    int exponent;        // a multiple of 3
    int decimals;        // of the labels
} dp_axis;

/// An axis for values from `lo` to `hi` (both finite, lo ≤ hi) with at most `ticks` intervals;
/// `margin` is left free at both ends, as a part of the range.
dp_axis dp_axis_fit(double lo, double hi, int ticks, double margin);

/// Where `x` lies: 0 at the lower end, 1 at the upper.
double dp_axis_place(const dp_axis *axis, double x);

/// The label of tick k, with a proper minus sign.
void dp_axis_label(char *out, size_t size, const dp_axis *axis, int64_t k);

#endif
