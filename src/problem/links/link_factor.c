#include "problem/links/link_factor.h"

#include "math/f64x2.h"

#include <math.h>
#include <string.h>

static const double LOST = 1e-14; // of what its terms add up to: no digit of a pivot is right

dp_status dp_link_factor_take(dp_link_factor *out, const dp_links *l, double *inertia,
                              dp_arena *scratch)
{
    const size_t nv = (size_t)l->first[l->n];
    *out = (dp_link_factor){.inertia = inertia};
    DP_TRY(dp_arena_take(&out->diagonal, scratch, nv, sizeof(double)));
    DP_TRY(dp_arena_take(&out->U, scratch, nv, sizeof *out->U));
    DP_TRY(dp_arena_take(&out->W, scratch, nv, sizeof *out->W));
    return dp_arena_take(&out->inverse, scratch, nv, sizeof(double));
}

// t = I ω + h × v, f = m v − h × ω
static void load_inertia(double *restrict A, const double *restrict I)
{
    memset(A, 0, DP_LINK_SQUARE * sizeof *A);
    A[0] = I[4];
    A[7] = I[5];
    A[14] = I[6];
    A[1] = A[6] = I[7];
    A[2] = A[12] = I[8];
    A[8] = A[13] = I[9];
    A[21] = A[28] = A[35] = I[0];
    A[11] = A[31] = -I[1];
    A[16] = A[26] = I[1];
    A[15] = A[20] = -I[2];
    A[5] = A[30] = I[2];
    A[4] = A[24] = -I[3];
    A[9] = A[19] = I[3];
}

void dp_link_factor_begin(dp_link_factor *A, const dp_links *l)
{
    for (int i = 0; i < l->n; ++i) {
        load_inertia(A->inertia + (ptrdiff_t)DP_LINK_SQUARE * i, l->inertia + 10 * (ptrdiff_t)i);
    }
    memcpy(A->diagonal, l->diagonal, (size_t)l->first[l->n] * sizeof *A->diagonal);
}

static void store_six(double x[DP_LINK], dp_v3 a, dp_v3 b)
{
    dp_v3_store(x, a);
    dp_v3_store(x + 3, b);
}

// Eliminate velocity k. @return whether its pivot is good
static bool eliminate(dp_link_factor *A, double *restrict I, dp_twist motion, int k)
{
    double S[DP_LINK], U[DP_LINK];
    store_six(S, motion.w, motion.v);
    dp_f64x2 W[3] = {dp_f64x2_zero(), dp_f64x2_zero(), dp_f64x2_zero()};
    const dp_f64x2 S01 = dp_f64x2_load(S), S23 = dp_f64x2_load(S + 2), S45 = dp_f64x2_load(S + 4);
    double pivot = A->diagonal[k], size = fabs(pivot);
    for (int i = 0; i < DP_LINK; ++i) {
        const double *row = I + (ptrdiff_t)DP_LINK * i;
        const dp_f64x2 a = dp_f64x2_load(row), b = dp_f64x2_load(row + 2),
                       c = dp_f64x2_load(row + 4), s = dp_f64x2_both(S[i]);
        const dp_f64x2 sum = dp_f64x2_madd(dp_f64x2_madd(dp_f64x2_mul(a, S01), b, S23), c, S45);
        U[i] = dp_f64x2_sum(sum);
        W[0] = dp_f64x2_madd(W[0], a, s);
        W[1] = dp_f64x2_madd(W[1], b, s);
        W[2] = dp_f64x2_madd(W[2], c, s);
        pivot += S[i] * U[i];
        size += fabs(S[i] * U[i]);
    }
    const bool good = fabs(pivot) > LOST * size && isfinite(pivot);
    const double inverse = 1.0 / pivot;
    for (int i = 0; i < DP_LINK; ++i) {
        double *row = I + (ptrdiff_t)DP_LINK * i;
        const dp_f64x2 u = dp_f64x2_both(U[i] * inverse);
        dp_f64x2_store(row, dp_f64x2_msub(dp_f64x2_load(row), u, W[0]));
        dp_f64x2_store(row + 2, dp_f64x2_msub(dp_f64x2_load(row + 2), u, W[1]));
        dp_f64x2_store(row + 4, dp_f64x2_msub(dp_f64x2_load(row + 4), u, W[2]));
    }
    double feels[DP_LINK];
    dp_f64x2_store(feels, W[0]);
    dp_f64x2_store(feels + 2, W[1]);
    dp_f64x2_store(feels + 4, W[2]);
    A->U[k] = (dp_wrench){dp_v3_load(U), dp_v3_load(U + 3)};
    A->W[k] = (dp_wrench){dp_v3_load(feels), dp_v3_load(feels + 3)};
    A->inverse[k] = inverse;
    return good;
}

// Add `I` to that of the parent, from whose point its own lies at r: its motion is v + ω × r, and
// its force turns the parent by r × f.
static void pass_on(double *restrict to, const double *restrict I, dp_v3 r)
{
    double at[DP_LINK_SQUARE];
    for (int i = 0; i < DP_LINK; ++i) { // columns: those of ω get r × those of v
        const double *row = I + (ptrdiff_t)DP_LINK * i;
        double *out = at + (ptrdiff_t)DP_LINK * i;
        out[0] = row[0] + (r.y * row[5] - r.z * row[4]);
        out[1] = row[1] + (r.z * row[3] - r.x * row[5]);
        out[2] = row[2] + (r.x * row[4] - r.y * row[3]);
        out[3] = row[3];
        out[4] = row[4];
        out[5] = row[5];
    }
    const double *f = at + 3 * (ptrdiff_t)DP_LINK;
    for (int j = 0; j < DP_LINK; ++j) { // rows: those of t get r × those of f
        const double x = f[j], y = f[DP_LINK + j], z = f[2 * DP_LINK + j];
        to[j] += at[j] + (r.y * z - r.z * y);
        to[DP_LINK + j] += at[DP_LINK + j] + (r.z * x - r.x * z);
        to[2 * DP_LINK + j] += at[2 * DP_LINK + j] + (r.x * y - r.y * x);
        to[3 * DP_LINK + j] += x;
        to[4 * DP_LINK + j] += y;
        to[5 * DP_LINK + j] += z;
    }
}

int dp_link_factor_make(dp_link_factor *A, const dp_links *l)
{
    for (int i = l->n - 1; i >= 0; --i) {
        double *I = A->inertia + (ptrdiff_t)DP_LINK_SQUARE * i;
        for (int k = l->first[i + 1] - 1; k >= l->first[i]; --k) {
            if (!eliminate(A, I, l->motion[k], k)) {
                return k;
            }
        }
        if (l->parent[i] >= 0) {
            pass_on(A->inertia + (ptrdiff_t)DP_LINK_SQUARE * l->parent[i], I, l->offset[i]);
        }
    }
    return -1;
}

void dp_link_factor_solve(double *x, const dp_link_factor *A, const dp_links *l, const double *b,
                          dp_twist *V, dp_wrench *F)
{
    const dp_twist still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = l->n - 1; i >= 0; --i) {
        dp_wrench p = F[i];
        for (int k = l->first[i + 1] - 1; k >= l->first[i]; --k) {
            x[k] = ((b ? b[k] : 0.0) - dp_power(l->motion[k], p)) * A->inverse[k];
            p = dp_wrench_madd(p, x[k], A->U[k]);
        }
        if (l->parent[i] >= 0) {
            F[l->parent[i]] = dp_wrench_add(F[l->parent[i]], dp_wrench_shift(p, l->offset[i]));
        }
    }
    for (int i = 0; i < l->n; ++i) {
        dp_twist a = l->parent[i] < 0 ? still : dp_twist_shift(V[l->parent[i]], l->offset[i]);
        for (int k = l->first[i]; k < l->first[i + 1]; ++k) {
            x[k] -= dp_power(a, A->W[k]) * A->inverse[k];
            a = dp_twist_madd(a, x[k], l->motion[k]);
        }
        V[i] = a;
    }
}
