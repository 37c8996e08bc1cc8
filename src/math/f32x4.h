// Four numbers of single precision at once: on every machine the operations of each are those of
// one, in the same order.
#ifndef DP_MATH_FOUR_H
#define DP_MATH_FOUR_H

#include <stdbool.h>

#if defined(__SSE2__)

#include <emmintrin.h>

typedef __m128 dp_f32x4;

static inline dp_f32x4 dp_f32x4_load(const float *x)
{
    return _mm_loadu_ps(x);
}

static inline void dp_f32x4_store(float *x, dp_f32x4 a)
{
    _mm_storeu_ps(x, a);
}

/// Two from each of two places.
static inline dp_f32x4 dp_f32x4_load_twos(const float *x, const float *y)
{
    const __m128 first = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)x));
    return _mm_loadh_pi(first, (const __m64 *)(const void *)y);
}

/// Two to each of two places.
static inline void dp_f32x4_store_twos(float *x, float *y, dp_f32x4 a)
{
    _mm_storel_pi((__m64 *)(void *)x, a);
    _mm_storeh_pi((__m64 *)(void *)y, a);
}

static inline dp_f32x4 dp_f32x4_all(float x)
{
    return _mm_set1_ps(x);
}

static inline dp_f32x4 dp_f32x4_add(dp_f32x4 a, dp_f32x4 b)
{
    return _mm_add_ps(a, b);
}

static inline dp_f32x4 dp_f32x4_sub(dp_f32x4 a, dp_f32x4 b)
{
    return _mm_sub_ps(a, b);
}

static inline dp_f32x4 dp_f32x4_mul(dp_f32x4 a, dp_f32x4 b)
{
    return _mm_mul_ps(a, b);
}

static inline dp_f32x4 dp_f32x4_div(dp_f32x4 a, dp_f32x4 b)
{
    return _mm_div_ps(a, b);
}

static inline dp_f32x4 dp_f32x4_sqrt(dp_f32x4 a)
{
    return _mm_sqrt_ps(a);
}

/// a > b ? a : b of each: b where a is no number.
static inline dp_f32x4 dp_f32x4_max(dp_f32x4 a, dp_f32x4 b)
{
    return _mm_max_ps(a, b);
}

/// a < b ? a : b of each: b where a is no number.
static inline dp_f32x4 dp_f32x4_min(dp_f32x4 a, dp_f32x4 b)
{
    return _mm_min_ps(a, b);
}

/// a ≤ b ? yes : no of each.
static inline dp_f32x4 dp_f32x4_where(dp_f32x4 a, dp_f32x4 b, dp_f32x4 yes, dp_f32x4 no)
{
    const __m128 is = _mm_cmple_ps(a, b);
    return _mm_or_ps(_mm_and_ps(is, yes), _mm_andnot_ps(is, no));
}

/// a ≤ b, each?
static inline bool dp_f32x4_are_within(dp_f32x4 a, dp_f32x4 b)
{
    return _mm_movemask_ps(_mm_cmple_ps(a, b)) == 15;
}

/// Rows to columns.
static inline void dp_f32x4_transpose(dp_f32x4 a[4])
{
    const __m128 low01 = _mm_unpacklo_ps(a[0], a[1]), high01 = _mm_unpackhi_ps(a[0], a[1]);
    const __m128 low23 = _mm_unpacklo_ps(a[2], a[3]), high23 = _mm_unpackhi_ps(a[2], a[3]);
    a[0] = _mm_movelh_ps(low01, low23);
    a[1] = _mm_movehl_ps(low23, low01);
    a[2] = _mm_movelh_ps(high01, high23);
    a[3] = _mm_movehl_ps(high23, high01);
}

/// Four pairs to those that are first in them and those that are second.
static inline void dp_f32x4_split(dp_f32x4 a[2])
{
    const __m128 first = _mm_shuffle_ps(a[0], a[1], _MM_SHUFFLE(2, 0, 2, 0));
    a[1] = _mm_shuffle_ps(a[0], a[1], _MM_SHUFFLE(3, 1, 3, 1));
    a[0] = first;
}

/// And back.
static inline void dp_f32x4_join(dp_f32x4 a[2])
{
    const __m128 first = _mm_unpacklo_ps(a[0], a[1]);
    a[1] = _mm_unpackhi_ps(a[0], a[1]);
    a[0] = first;
}

#else

#include <math.h>

typedef struct dp_f32x4 {
    float of[4];
} dp_f32x4;

static inline dp_f32x4 dp_f32x4_load(const float *x)
{
    return (dp_f32x4){{x[0], x[1], x[2], x[3]}};
}

static inline void dp_f32x4_store(float *x, dp_f32x4 a)
{
    for (int k = 0; k < 4; ++k) {
        x[k] = a.of[k];
    }
}

/// Two from each of two places.
static inline dp_f32x4 dp_f32x4_load_twos(const float *x, const float *y)
{
    return (dp_f32x4){{x[0], x[1], y[0], y[1]}};
}

/// Two to each of two places.
static inline void dp_f32x4_store_twos(float *x, float *y, dp_f32x4 a)
{
    x[0] = a.of[0];
    x[1] = a.of[1];
    y[0] = a.of[2];
    y[1] = a.of[3];
}

static inline dp_f32x4 dp_f32x4_all(float x)
{
    return (dp_f32x4){{x, x, x, x}};
}

static inline dp_f32x4 dp_f32x4_add(dp_f32x4 a, dp_f32x4 b)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] += b.of[k];
    }
    return a;
}

static inline dp_f32x4 dp_f32x4_sub(dp_f32x4 a, dp_f32x4 b)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] -= b.of[k];
    }
    return a;
}

static inline dp_f32x4 dp_f32x4_mul(dp_f32x4 a, dp_f32x4 b)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] *= b.of[k];
    }
    return a;
}

static inline dp_f32x4 dp_f32x4_div(dp_f32x4 a, dp_f32x4 b)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] /= b.of[k];
    }
    return a;
}

static inline dp_f32x4 dp_f32x4_sqrt(dp_f32x4 a)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] = sqrtf(a.of[k]);
    }
    return a;
}

/// a > b ? a : b of each: b where a is no number.
static inline dp_f32x4 dp_f32x4_max(dp_f32x4 a, dp_f32x4 b)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] = a.of[k] > b.of[k] ? a.of[k] : b.of[k];
    }
    return a;
}

/// a < b ? a : b of each: b where a is no number.
static inline dp_f32x4 dp_f32x4_min(dp_f32x4 a, dp_f32x4 b)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] = a.of[k] < b.of[k] ? a.of[k] : b.of[k];
    }
    return a;
}

/// a ≤ b ? yes : no of each.
static inline dp_f32x4 dp_f32x4_where(dp_f32x4 a, dp_f32x4 b, dp_f32x4 yes, dp_f32x4 no)
{
    for (int k = 0; k < 4; ++k) {
        a.of[k] = a.of[k] <= b.of[k] ? yes.of[k] : no.of[k];
    }
    return a;
}

/// a ≤ b, each?
static inline bool dp_f32x4_are_within(dp_f32x4 a, dp_f32x4 b)
{
    return a.of[0] <= b.of[0] && a.of[1] <= b.of[1] && a.of[2] <= b.of[2] && a.of[3] <= b.of[3];
}

/// Rows to columns.
static inline void dp_f32x4_transpose(dp_f32x4 a[4])
{
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < i; ++k) {
            const float other = a[i].of[k];
            a[i].of[k] = a[k].of[i];
            a[k].of[i] = other;
        }
    }
}

/// Four pairs to those that are first in them and those that are second.
static inline void dp_f32x4_split(dp_f32x4 a[2])
{
    const dp_f32x4 p = a[0], q = a[1];
    a[0] = (dp_f32x4){{p.of[0], p.of[2], q.of[0], q.of[2]}};
    a[1] = (dp_f32x4){{p.of[1], p.of[3], q.of[1], q.of[3]}};
}

/// And back.
static inline void dp_f32x4_join(dp_f32x4 a[2])
{
    const dp_f32x4 p = a[0], q = a[1];
    a[0] = (dp_f32x4){{p.of[0], q.of[0], p.of[1], q.of[1]}};
    a[1] = (dp_f32x4){{p.of[2], q.of[2], p.of[3], q.of[3]}};
}

#endif

/// a + b c
static inline dp_f32x4 dp_f32x4_madd(dp_f32x4 a, dp_f32x4 b, dp_f32x4 c)
{
    return dp_f32x4_add(a, dp_f32x4_mul(b, c));
}

#endif
