#include "linalg/mat6.h"

#include "base/simd_dispatch.h"

#include <math.h>

// One pivot of Gauss and Jordan, in place.
DP_INLINE bool take_pivot(double *restrict A, const int c)
{
    double *own = A + DP_SIX * c;
    const double pivot = own[c];
    const double over = 1.0 / pivot;
    if (!(pivot > 0.0) || !isfinite(pivot) || !isfinite(over)) {
        return false;
    }
    const dp_f64x2 inverse = dp_f64x2_both(over);
    dp_f64x2 row[3];
    own[c] = 1.0;
    dp_f64x2_load_six(row, own);
    for (int k = 0; k < 3; ++k) {
        row[k] = dp_f64x2_mul(row[k], inverse);
        dp_f64x2_store(own + 2 * k, row[k]);
    }
    for (int r = 0; r < DP_SIX; ++r) {
        double *a = A + DP_SIX * r;
        const dp_f64x2 factor = dp_f64x2_both(a[c]);
        if (r == c) {
            continue;
        }
        a[c] = 0.0;
        for (int k = 0; k < 3; ++k) {
            dp_f64x2_store(a + 2 * k, dp_f64x2_msub(dp_f64x2_load(a + 2 * k), factor, row[k]));
        }
    }
    return true;
}

bool dp_mat6_invert(double *A)
{
    return take_pivot(A, 0) && take_pivot(A, 1) && take_pivot(A, 2) && take_pivot(A, 3) &&
           take_pivot(A, 4) && take_pivot(A, 5);
}
