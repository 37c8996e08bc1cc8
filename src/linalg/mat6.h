// Blocks of six, as free bodies have them: with lengths that the compiler knows, in pairs of
// numbers. Sums run in the same order on every machine.
#ifndef DP_LINALG_SIX_H
#define DP_LINALG_SIX_H

#include "math/f64x2.h"

#include <stdbool.h>

enum { DP_SIX = 6 };

/// A ← A⁻¹, symmetric and positive definite, by rows: Gauss and Jordan without row exchanges.
/// @return false: it is not, and A is of no use
bool dp_mat6_invert(double *A);

static inline void dp_mat6_copy(double *to, const double *from)
{
    dp_f64x2 x[3];
    dp_f64x2_load_six(x, from);
    dp_f64x2_store(to, x[0]);
    dp_f64x2_store(to + 2, x[1]);
    dp_f64x2_store(to + 4, x[2]);
}

/// y += x
static inline void dp_mat6_add(double *y, const double *x)
{
    for (int k = 0; k < DP_SIX; k += 2) {
        dp_f64x2_store(y + k, dp_f64x2_add(dp_f64x2_load(y + k), dp_f64x2_load(x + k)));
    }
}

/// y −= Aᵀ x, A by rows
static inline void dp_mat6_subtract(double *y, const double *A, int stride, const double *x)
{
    dp_f64x2 sum[3];
    dp_f64x2_load_six(sum, y);
    for (int i = 0; i < DP_SIX; ++i, A += stride) {
        const dp_f64x2 x_i = dp_f64x2_both(x[i]);
        sum[0] = dp_f64x2_msub(sum[0], dp_f64x2_load(A), x_i);
        sum[1] = dp_f64x2_msub(sum[1], dp_f64x2_load(A + 2), x_i);
        sum[2] = dp_f64x2_msub(sum[2], dp_f64x2_load(A + 4), x_i);
    }
    dp_f64x2_store(y, sum[0]);
    dp_f64x2_store(y + 2, sum[1]);
    dp_f64x2_store(y + 4, sum[2]);
}

/// y = A x, A by rows
static inline void dp_mat6_apply(double y[DP_SIX], const double *A, int stride, const double *x)
{
    dp_f64x2 at[3];
    dp_f64x2_load_six(at, x);
    for (int i = 0; i < DP_SIX; i += 2, A += 2 * stride) {
        dp_f64x2 row[2];
        for (int k = 0; k < 2; ++k) {
            const double *a = A + k * stride;
            row[k] = dp_f64x2_mul(dp_f64x2_load(a), at[0]);
            row[k] = dp_f64x2_madd(row[k], dp_f64x2_load(a + 2), at[1]);
            row[k] = dp_f64x2_madd(row[k], dp_f64x2_load(a + 4), at[2]);
        }
        dp_f64x2_store(
            y + i, dp_f64x2_add(dp_f64x2_firsts(row[0], row[1]), dp_f64x2_seconds(row[0], row[1])));
    }
}

#endif
