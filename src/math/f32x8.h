// Eight numbers of single precision at once: as two times four, and as one register where the
// processor has such (base/simd_dispatch.h). On every machine the operations of each are those of
// one, in the same order.
#ifndef DP_MATH_EIGHT_H
#define DP_MATH_EIGHT_H

#include "base/simd_dispatch.h"
#include "math/f32x4.h"

typedef struct dp_f32x8 {
    dp_f32x4 low, high;
} dp_f32x8;

DP_INLINE dp_f32x8 dp_f32x8_load(const float *x)
{
    return (dp_f32x8){dp_f32x4_load(x), dp_f32x4_load(x + 4)};
}

DP_INLINE void dp_f32x8_store(float *x, dp_f32x8 a)
{
    dp_f32x4_store(x, a.low);
    dp_f32x4_store(x + 4, a.high);
}

/// Four from each of two places.
DP_INLINE dp_f32x8 dp_f32x8_load_fours(const float *x, const float *y)
{
    return (dp_f32x8){dp_f32x4_load(x), dp_f32x4_load(y)};
}

/// Four to each of two places.
DP_INLINE void dp_f32x8_store_fours(float *x, float *y, dp_f32x8 a)
{
    dp_f32x4_store(x, a.low);
    dp_f32x4_store(y, a.high);
}

/// Two from each of four places.
DP_INLINE dp_f32x8 dp_f32x8_load_twos(const float *x, const float *y, const float *z,
                                      const float *w)
{
    return (dp_f32x8){dp_f32x4_load_twos(x, y), dp_f32x4_load_twos(z, w)};
}

/// Two to each of four places.
DP_INLINE void dp_f32x8_store_twos(float *x, float *y, float *z, float *w, dp_f32x8 a)
{
    dp_f32x4_store_twos(x, y, a.low);
    dp_f32x4_store_twos(z, w, a.high);
}

DP_INLINE dp_f32x8 dp_f32x8_all(float x)
{
    return (dp_f32x8){dp_f32x4_all(x), dp_f32x4_all(x)};
}

DP_INLINE dp_f32x8 dp_f32x8_add(dp_f32x8 a, dp_f32x8 b)
{
    return (dp_f32x8){dp_f32x4_add(a.low, b.low), dp_f32x4_add(a.high, b.high)};
}

DP_INLINE dp_f32x8 dp_f32x8_sub(dp_f32x8 a, dp_f32x8 b)
{
    return (dp_f32x8){dp_f32x4_sub(a.low, b.low), dp_f32x4_sub(a.high, b.high)};
}

DP_INLINE dp_f32x8 dp_f32x8_mul(dp_f32x8 a, dp_f32x8 b)
{
    return (dp_f32x8){dp_f32x4_mul(a.low, b.low), dp_f32x4_mul(a.high, b.high)};
}

DP_INLINE dp_f32x8 dp_f32x8_div(dp_f32x8 a, dp_f32x8 b)
{
    return (dp_f32x8){dp_f32x4_div(a.low, b.low), dp_f32x4_div(a.high, b.high)};
}

DP_INLINE dp_f32x8 dp_f32x8_max(dp_f32x8 a, dp_f32x8 b)
{
    return (dp_f32x8){dp_f32x4_max(a.low, b.low), dp_f32x4_max(a.high, b.high)};
}

DP_INLINE dp_f32x8 dp_f32x8_min(dp_f32x8 a, dp_f32x8 b)
{
    return (dp_f32x8){dp_f32x4_min(a.low, b.low), dp_f32x4_min(a.high, b.high)};
}

DP_INLINE dp_f32x8 dp_f32x8_sqrt(dp_f32x8 a)
{
    return (dp_f32x8){dp_f32x4_sqrt(a.low), dp_f32x4_sqrt(a.high)};
}

/// a + b c
DP_INLINE dp_f32x8 dp_f32x8_madd(dp_f32x8 a, dp_f32x8 b, dp_f32x8 c)
{
    return dp_f32x8_add(a, dp_f32x8_mul(b, c));
}

/// a ≤ b ? yes : no of each.
DP_INLINE dp_f32x8 dp_f32x8_where(dp_f32x8 a, dp_f32x8 b, dp_f32x8 yes, dp_f32x8 no)
{
    return (dp_f32x8){dp_f32x4_where(a.low, b.low, yes.low, no.low),
                      dp_f32x4_where(a.high, b.high, yes.high, no.high)};
}

/// a ≤ b, each?
DP_INLINE bool dp_f32x8_are_within(dp_f32x8 a, dp_f32x8 b)
{
    return dp_f32x4_are_within(a.low, b.low) && dp_f32x4_are_within(a.high, b.high);
}

/// Rows to columns, of both fours.
DP_INLINE void dp_f32x8_transpose(dp_f32x8 a[4])
{
    dp_f32x4 low[4] = {a[0].low, a[1].low, a[2].low, a[3].low};
    dp_f32x4 high[4] = {a[0].high, a[1].high, a[2].high, a[3].high};
    dp_f32x4_transpose(low);
    dp_f32x4_transpose(high);
    for (int k = 0; k < 4; ++k) {
        a[k] = (dp_f32x8){low[k], high[k]};
    }
}

/// Pairs to those that are first in them and those that are second, of both fours.
DP_INLINE void dp_f32x8_split(dp_f32x8 a[2])
{
    dp_f32x4 low[2] = {a[0].low, a[1].low}, high[2] = {a[0].high, a[1].high};
    dp_f32x4_split(low);
    dp_f32x4_split(high);
    a[0] = (dp_f32x8){low[0], high[0]};
    a[1] = (dp_f32x8){low[1], high[1]};
}

/// And back.
DP_INLINE void dp_f32x8_join(dp_f32x8 a[2])
{
    dp_f32x4 low[2] = {a[0].low, a[1].low}, high[2] = {a[0].high, a[1].high};
    dp_f32x4_join(low);
    dp_f32x4_join(high);
    a[0] = (dp_f32x8){low[0], high[0]};
    a[1] = (dp_f32x8){low[1], high[1]};
}

// ---- the same in one register

#ifdef DP_AVX2

#include <immintrin.h>

typedef __m256 dp_wide;

DP_AVX2 DP_INLINE dp_wide dp_wide_load(const float *x)
{
    return _mm256_loadu_ps(x);
}

DP_AVX2 DP_INLINE void dp_wide_store(float *x, dp_wide a)
{
    _mm256_storeu_ps(x, a);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_load_fours(const float *x, const float *y)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x)), _mm_loadu_ps(y), 1);
}

DP_AVX2 DP_INLINE void dp_wide_store_fours(float *x, float *y, dp_wide a)
{
    _mm_storeu_ps(x, _mm256_castps256_ps128(a));
    _mm_storeu_ps(y, _mm256_extractf128_ps(a, 1));
}

DP_AVX2 DP_INLINE dp_wide dp_wide_load_twos(const float *x, const float *y, const float *z,
                                            const float *w)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(dp_f32x4_load_twos(x, y)),
                                dp_f32x4_load_twos(z, w), 1);
}

DP_AVX2 DP_INLINE void dp_wide_store_twos(float *x, float *y, float *z, float *w, dp_wide a)
{
    dp_f32x4_store_twos(x, y, _mm256_castps256_ps128(a));
    dp_f32x4_store_twos(z, w, _mm256_extractf128_ps(a, 1));
}

DP_AVX2 DP_INLINE dp_wide dp_wide_all(float x)
{
    return _mm256_set1_ps(x);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_add(dp_wide a, dp_wide b)
{
    return _mm256_add_ps(a, b);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_sub(dp_wide a, dp_wide b)
{
    return _mm256_sub_ps(a, b);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_mul(dp_wide a, dp_wide b)
{
    return _mm256_mul_ps(a, b);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_div(dp_wide a, dp_wide b)
{
    return _mm256_div_ps(a, b);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_max(dp_wide a, dp_wide b)
{
    return _mm256_max_ps(a, b);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_min(dp_wide a, dp_wide b)
{
    return _mm256_min_ps(a, b);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_sqrt(dp_wide a)
{
    return _mm256_sqrt_ps(a);
}

DP_AVX2 DP_INLINE dp_wide dp_wide_madd(dp_wide a, dp_wide b, dp_wide c)
{
    return dp_wide_add(a, dp_wide_mul(b, c));
}

DP_AVX2 DP_INLINE dp_wide dp_wide_where(dp_wide a, dp_wide b, dp_wide yes, dp_wide no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LE_OQ));
}

DP_AVX2 DP_INLINE bool dp_wide_are_within(dp_wide a, dp_wide b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)) == 255;
}

DP_AVX2 DP_INLINE void dp_wide_transpose(dp_wide a[4])
{
    const __m256 low01 = _mm256_unpacklo_ps(a[0], a[1]), high01 = _mm256_unpackhi_ps(a[0], a[1]);
    const __m256 low23 = _mm256_unpacklo_ps(a[2], a[3]), high23 = _mm256_unpackhi_ps(a[2], a[3]);
    a[0] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0));
    a[1] = _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2));
    a[2] = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0));
    a[3] = _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(3, 2, 3, 2));
}

DP_AVX2 DP_INLINE void dp_wide_split(dp_wide a[2])
{
    const __m256 first = _mm256_shuffle_ps(a[0], a[1], _MM_SHUFFLE(2, 0, 2, 0));
    a[1] = _mm256_shuffle_ps(a[0], a[1], _MM_SHUFFLE(3, 1, 3, 1));
    a[0] = first;
}

DP_AVX2 DP_INLINE void dp_wide_join(dp_wide a[2])
{
    const __m256 first = _mm256_unpacklo_ps(a[0], a[1]);
    a[1] = _mm256_unpackhi_ps(a[0], a[1]);
    a[0] = first;
}

#endif

#endif
