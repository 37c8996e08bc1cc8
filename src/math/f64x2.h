// Two numbers at once: on every machine the operations of each are those of one, in the same order.
#ifndef DP_MATH_PAIR2_H
#define DP_MATH_PAIR2_H

#if defined(__SSE2__)

#include <emmintrin.h>

typedef __m128d dp_f64x2;

static inline dp_f64x2 dp_f64x2_load(const double *x)
{
    return _mm_loadu_pd(x);
}

static inline void dp_f64x2_store(double *x, dp_f64x2 a)
{
    _mm_storeu_pd(x, a);
}

static inline dp_f64x2 dp_f64x2_both(double x)
{
    return _mm_set1_pd(x);
}

static inline dp_f64x2 dp_f64x2_of(double x, double y)
{
    return _mm_setr_pd(x, y);
}

static inline dp_f64x2 dp_f64x2_add(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_add_pd(a, b);
}

static inline dp_f64x2 dp_f64x2_sub(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_sub_pd(a, b);
}

static inline dp_f64x2 dp_f64x2_mul(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_mul_pd(a, b);
}

static inline dp_f64x2 dp_f64x2_div(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_div_pd(a, b);
}

static inline dp_f64x2 dp_f64x2_sqrt(dp_f64x2 a)
{
    return _mm_sqrt_pd(a);
}

/// The first of each.
static inline dp_f64x2 dp_f64x2_firsts(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_unpacklo_pd(a, b);
}

/// The second of each.
static inline dp_f64x2 dp_f64x2_seconds(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_unpackhi_pd(a, b);
}

static inline double dp_f64x2_first(dp_f64x2 a)
{
    return _mm_cvtsd_f64(a);
}

static inline double dp_f64x2_second(dp_f64x2 a)
{
    return _mm_cvtsd_f64(_mm_unpackhi_pd(a, a));
}

static inline dp_f64x2 dp_f64x2_abs(dp_f64x2 a)
{
    return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}

/// a > b ? a : b of each: b where a is no number.
static inline dp_f64x2 dp_f64x2_max(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_max_pd(a, b);
}

/// a < b ? a : b of each: b where a is no number.
static inline dp_f64x2 dp_f64x2_min(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_min_pd(a, b);
}

/// Which are equal? Bit 0: the first, bit 1: the second.
static inline int dp_f64x2_equal(dp_f64x2 a, dp_f64x2 b)
{
    return _mm_movemask_pd(_mm_cmpeq_pd(a, b));
}

/// Each where it is beyond ±limit, else 0.
static inline dp_f64x2 dp_f64x2_beyond(dp_f64x2 a, dp_f64x2 limit)
{
    return _mm_and_pd(a, _mm_cmpgt_pd(dp_f64x2_abs(a), limit));
}

#else

#include <math.h>

typedef struct dp_f64x2 {
    double x, y;
} dp_f64x2;

static inline dp_f64x2 dp_f64x2_load(const double *x)
{
    return (dp_f64x2){x[0], x[1]};
}

static inline void dp_f64x2_store(double *x, dp_f64x2 a)
{
    x[0] = a.x;
    x[1] = a.y;
}

static inline dp_f64x2 dp_f64x2_both(double x)
{
    return (dp_f64x2){x, x};
}

static inline dp_f64x2 dp_f64x2_of(double x, double y)
{
    return (dp_f64x2){x, y};
}

static inline dp_f64x2 dp_f64x2_add(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.x + b.x, a.y + b.y};
}

static inline dp_f64x2 dp_f64x2_sub(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.x - b.x, a.y - b.y};
}

static inline dp_f64x2 dp_f64x2_mul(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.x * b.x, a.y * b.y};
}

static inline dp_f64x2 dp_f64x2_div(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.x / b.x, a.y / b.y};
}

static inline dp_f64x2 dp_f64x2_sqrt(dp_f64x2 a)
{
    return (dp_f64x2){sqrt(a.x), sqrt(a.y)};
}

/// The first of each.
static inline dp_f64x2 dp_f64x2_firsts(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.x, b.x};
}

/// The second of each.
static inline dp_f64x2 dp_f64x2_seconds(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.y, b.y};
}

static inline double dp_f64x2_first(dp_f64x2 a)
{
    return a.x;
}

static inline double dp_f64x2_second(dp_f64x2 a)
{
    return a.y;
}

static inline dp_f64x2 dp_f64x2_abs(dp_f64x2 a)
{
    return (dp_f64x2){fabs(a.x), fabs(a.y)};
}

/// a > b ? a : b of each: b where a is no number.
static inline dp_f64x2 dp_f64x2_max(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y};
}

/// a < b ? a : b of each: b where a is no number.
static inline dp_f64x2 dp_f64x2_min(dp_f64x2 a, dp_f64x2 b)
{
    return (dp_f64x2){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y};
}

/// Which are equal? Bit 0: the first, bit 1: the second.
static inline int dp_f64x2_equal(dp_f64x2 a, dp_f64x2 b)
{
    return (a.x == b.x) | (a.y == b.y) << 1;
}

/// Each where it is beyond ±limit, else 0.
static inline dp_f64x2 dp_f64x2_beyond(dp_f64x2 a, dp_f64x2 limit)
{
    return (dp_f64x2){fabs(a.x) > limit.x ? a.x : 0.0, fabs(a.y) > limit.y ? a.y : 0.0};
}

#endif

static inline dp_f64x2 dp_f64x2_zero(void)
{
    return dp_f64x2_both(0.0);
}

/// a + b c
static inline dp_f64x2 dp_f64x2_madd(dp_f64x2 a, dp_f64x2 b, dp_f64x2 c)
{
    return dp_f64x2_add(a, dp_f64x2_mul(b, c));
}

/// a − b c
static inline dp_f64x2 dp_f64x2_msub(dp_f64x2 a, dp_f64x2 b, dp_f64x2 c)
{
    return dp_f64x2_sub(a, dp_f64x2_mul(b, c));
}

/// Six numbers in a row.
static inline void dp_f64x2_load_six(dp_f64x2 out[3], const double *x)
{
    out[0] = dp_f64x2_load(x);
    out[1] = dp_f64x2_load(x + 2);
    out[2] = dp_f64x2_load(x + 4);
}

/// The larger of both.
static inline double dp_f64x2_larger(dp_f64x2 a)
{
    return dp_f64x2_first(dp_f64x2_max(a, dp_f64x2_seconds(a, a)));
}

/// The first and the second.
static inline double dp_f64x2_sum(dp_f64x2 a)
{
    return dp_f64x2_first(dp_f64x2_add(a, dp_f64x2_seconds(a, a)));
}

#endif
