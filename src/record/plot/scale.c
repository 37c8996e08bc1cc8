#include "record/plot/scale.h"

#include "record/plot/svg_text.h"

#include <math.h>

static dp_scale fit_decades(double lo, double hi, int ticks, double margin)
{
    dp_scale s = {.log = true, .lo = log10(lo), .hi = log10(hi)};
    const double free_space = margin * (s.hi - s.lo);
    s.lo -= free_space;
    s.hi += free_space;
    const double slack = 1e-9; // an end at a power of ten stays there in spite of round-off
    if (margin > 0.0 && s.hi - s.lo < 2.0) { // whole decades, so that there are two labels
        s.lo = floor(s.lo + slack);
        s.hi = fmax(ceil(s.hi - slack), s.lo + 1.0);
    }
    s.stride = 1;
    while ((s.hi - s.lo) / s.stride > ticks) {
        ++s.stride;
    }
    s.first = (int64_t)ceil(s.lo / s.stride - slack);
    s.last = (int64_t)floor(s.hi / s.stride + slack);
    return s;
}

dp_scale dp_scale_fit(bool log, double lo, double hi, int ticks, double margin)
{
    if (log) {
        return fit_decades(lo, hi, ticks, margin);
    }
    const dp_axis axis = dp_axis_fit(lo, hi, ticks, margin);
    return (dp_scale){.axis = axis, .first = axis.first, .last = axis.last};
}

double dp_scale_place(const dp_scale *scale, double x)
{
    if (!scale->log) {
        return dp_axis_place(&scale->axis, x);
    }
    return x > 0.0 ? (log10(x) - scale->lo) / (scale->hi - scale->lo) : NAN;
}

double dp_scale_tick(const dp_scale *scale, int64_t k)
{
    return scale->log ? pow(10.0, (double)(k * scale->stride))
                      : scale->axis.offset + (double)k * scale->axis.step;
}

void dp_scale_put_label(FILE *file, const dp_scale *scale, int64_t k)
{
    if (!scale->log) {
        char label[400];
        dp_axis_label(label, sizeof label, &scale->axis, k);
        fputs(label, file);
        return;
    }
    const int power = (int)k * scale->stride;
    if (power == 0 || power == 1) {
        fputs(power == 0 ? "1" : "10", file);
        return;
    }
    fputs("10", file);
    dp_svg_superscript(file, power);
}

bool dp_scale_has_minor(const dp_scale *scale)
{
    return scale->log && scale->stride == 1 && scale->last - scale->first <= 5;
}
