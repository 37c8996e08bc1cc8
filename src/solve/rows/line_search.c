#include "solve/rows/line_search.h"

#include "solve/rows/row_constants.h"

#include <math.h>

double dp_line_search(dp_line_derivative derivative, const void *context, double longest)
{
    double slope, low = 0.0, high = longest, t = 1.0;
    if (!(derivative(&slope, context, 0.0) < 0.0)) {
        return t; // the step is in the last digits
    }
    for (int k = 0; k < DP_LINE_STEPS; ++k) { // Newton's method within an interval that shrinks
        const double d = derivative(&slope, context, t), next = t - d / slope;
        if (d == 0.0 || next == t || (d < 0.0 && t >= longest)) {
            break;
        }
        if (d < 0.0) {
            low = t;
        } else {
            high = t;
        }
        const double middle = isinf(high) ? 2.0 * low : 0.5 * (low + high);
        t = next > low && next < high ? next : middle;
        if (!(t > low && t < high)) {
            break;
        }
    }
    return t;
}
