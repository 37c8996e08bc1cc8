#include "record/plot/axis.h"

#include "base/output.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

// 10ⁿ without the rounding of pow for the n that matter.
static double power_of_ten(int n)
{
    double p = 1.0;
    for (int i = n < 0 ? -n : n; i > 0; --i) {
        p *= 10.0;
    }
    return n < 0 ? 1.0 / p : p;
}

static int decade(double x)
{
    return (int)floor(log10(x));
}

// The smallest of 1, 2, 5 times a power of ten that is not below `raw`.
static double round_step(double raw)
{
    const double p = power_of_ten(decade(raw));
    const double f = raw / p;
    return p * (f <= 1.0 ? 1.0 : f <= 2.0 ? 2.0 : f <= 5.0 ? 5.0 : 10.0);
}

dp_axis dp_axis_fit(double lo, double hi, int ticks, double margin)
{
    const double largest = 1e300,
                 smallest = 1e-290; // beyond, differences and steps leave the range of double
    const double round_off =
        1e-12; // values that differ by less, relative to their size, are one value
    const double use_offset = 1e-4;             // labels would need more than four equal digits
    const double use_exponent[2] = {1e-3, 1e5}; // labels outside get too long

    dp_axis axis = {0};
    lo = fmax(-largest, fmin(lo, largest));
    hi = fmax(-largest, fmin(hi, largest));
    double size = fmax(fabs(lo), fabs(hi));
    if (size < smallest) {
        lo = -1.0; // all zero
        hi = 1.0;
    } else if (hi - lo <= round_off * size) {
        const double middle = lo + 0.5 * (hi - lo);
        lo = middle - 0.1 * size;
        hi = middle + 0.1 * size;
    } else {
        if (hi - lo < use_offset * size) {
            const double grain = power_of_ten(decade(hi - lo) + 1);
            axis.offset = grain * round((lo + 0.5 * (hi - lo)) / grain);
            lo -= axis.offset;
            hi -= axis.offset;
        }
        const double free_space = margin * (hi - lo);
        lo -= free_space;
        hi += free_space;
    }
    size = fmax(fabs(lo), fabs(hi));
    if (size < use_exponent[0] || size >= use_exponent[1]) {
        axis.exponent = 3 * (int)floor(decade(size) / 3.0);
    }
    axis.lo = lo;
    axis.hi = hi;
    axis.step = round_step((hi - lo) / ticks);
    const double slack = 1e-9; // a tick at the very end counts in spite of round-off
    axis.first = (int64_t)ceil(lo / axis.step - slack);
    axis.last = (int64_t)floor(hi / axis.step + slack);
    const int step_decade = decade(axis.step * (1.0 + slack)) - axis.exponent;
    axis.decimals = step_decade < 0 ? -step_decade : 0;
    return axis;
}

double dp_axis_place(const dp_axis *axis, double x)
{
    return ((x - axis->offset) - axis->lo) / (axis->hi - axis->lo);
}

void dp_axis_label(char *out, size_t size, const dp_axis *axis, int64_t k)
{
    const double value = (double)k * axis->step / power_of_ten(axis->exponent);
    char digits[400];
    snprintf(digits, sizeof digits, "%.*f", axis->decimals, fabs(value));
    dp_plain_number(digits);
    snprintf(out, size, "%s%s", k < 0 ? "−" : "", digits);
}
