// Two numbers at once: on every machine the operations of each are those of one, in the same order.
#ifndef DP_MATH_PAIR2_H
#define DP_MATH_PAIR2_H

#if defined(__SSE2__)

#include <emmintrin.h>

typedef __m128d dp_pair2;

static inline dp_pair2 dp_pair2_load(const double *x)
{
    return _mm_loadu_pd(x);
}

static inline void dp_pair2_store(double *x, dp_pair2 a)
{
    _mm_storeu_pd(x, a);
}

static inline dp_pair2 dp_pair2_both(double x)
{
    return _mm_set1_pd(x);
}

static inline dp_pair2 dp_pair2_of(double x, double y)
{
    return _mm_setr_pd(x, y);
}

static inline dp_pair2 dp_pair2_add(dp_pair2 a, dp_pair2 b)
{
    return _mm_add_pd(a, b);
}

static inline dp_pair2 dp_pair2_sub(dp_pair2 a, dp_pair2 b)
{
    return _mm_sub_pd(a, b);
}

static inline dp_pair2 dp_pair2_mul(dp_pair2 a, dp_pair2 b)
{
    return _mm_mul_pd(a, b);
}

static inline dp_pair2 dp_pair2_div(dp_pair2 a, dp_pair2 b)
{
    return _mm_div_pd(a, b);
}

static inline dp_pair2 dp_pair2_sqrt(dp_pair2 a)
{
    return _mm_sqrt_pd(a);
}

/// The first of each.
static inline dp_pair2 dp_pair2_firsts(dp_pair2 a, dp_pair2 b)
{
    return _mm_unpacklo_pd(a, b);
}

/// The second of each.
static inline dp_pair2 dp_pair2_seconds(dp_pair2 a, dp_pair2 b)
{
    return _mm_unpackhi_pd(a, b);
}

static inline double dp_pair2_first(dp_pair2 a)
{
    return _mm_cvtsd_f64(a);
}

static inline double dp_pair2_second(dp_pair2 a)
{
    return _mm_cvtsd_f64(_mm_unpackhi_pd(a, a));
}

static inline dp_pair2 dp_pair2_abs(dp_pair2 a)
{
    return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}

/// a > b ? a : b of each: b where a is no number.
static inline dp_pair2 dp_pair2_max(dp_pair2 a, dp_pair2 b)
{
    return _mm_max_pd(a, b);
}

/// a < b ? a : b of each: b where a is no number.
static inline dp_pair2 dp_pair2_min(dp_pair2 a, dp_pair2 b)
{
    return _mm_min_pd(a, b);
}

/// Which are equal? Bit 0: the first, bit 1: the second.
static inline int dp_pair2_equal(dp_pair2 a, dp_pair2 b)
{
    return _mm_movemask_pd(_mm_cmpeq_pd(a, b));
}

/// Each where it is beyond ±limit, else 0.
static inline dp_pair2 dp_pair2_beyond(dp_pair2 a, dp_pair2 limit)
{
    return _mm_and_pd(a, _mm_cmpgt_pd(dp_pair2_abs(a), limit));
}

#else

#include <math.h>

typedef struct dp_pair2 {
    double x, y;
} dp_pair2;

static inline dp_pair2 dp_pair2_load(const double *x)
{
    return (dp_pair2){x[0], x[1]};
}

static inline void dp_pair2_store(double *x, dp_pair2 a)
{
    x[0] = a.x;
    x[1] = a.y;
}

static inline dp_pair2 dp_pair2_both(double x)
{
    return (dp_pair2){x, x};
}

static inline dp_pair2 dp_pair2_of(double x, double y)
{
    return (dp_pair2){x, y};
}

static inline dp_pair2 dp_pair2_add(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.x + b.x, a.y + b.y};
}

static inline dp_pair2 dp_pair2_sub(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.x - b.x, a.y - b.y};
}

static inline dp_pair2 dp_pair2_mul(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.x * b.x, a.y * b.y};
}

static inline dp_pair2 dp_pair2_div(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.x / b.x, a.y / b.y};
}

static inline dp_pair2 dp_pair2_sqrt(dp_pair2 a)
{
    return (dp_pair2){sqrt(a.x), sqrt(a.y)};
}

/// The first of each.
static inline dp_pair2 dp_pair2_firsts(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.x, b.x};
}

/// The second of each.
static inline dp_pair2 dp_pair2_seconds(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.y, b.y};
}

static inline double dp_pair2_first(dp_pair2 a)
{
    return a.x;
}

static inline double dp_pair2_second(dp_pair2 a)
{
    return a.y;
}

static inline dp_pair2 dp_pair2_abs(dp_pair2 a)
{
    return (dp_pair2){fabs(a.x), fabs(a.y)};
}

/// a > b ? a : b of each: b where a is no number.
static inline dp_pair2 dp_pair2_max(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y};
}

/// a < b ? a : b of each: b where a is no number.
static inline dp_pair2 dp_pair2_min(dp_pair2 a, dp_pair2 b)
{
    return (dp_pair2){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y};
}

/// Which are equal? Bit 0: the first, bit 1: the second.
static inline int dp_pair2_equal(dp_pair2 a, dp_pair2 b)
{
    return (a.x == b.x) | (a.y == b.y) << 1;
}

/// Each where it is beyond ±limit, else 0.
static inline dp_pair2 dp_pair2_beyond(dp_pair2 a, dp_pair2 limit)
{
    return (dp_pair2){fabs(a.x) > limit.x ? a.x : 0.0, fabs(a.y) > limit.y ? a.y : 0.0};
}

#endif

static inline dp_pair2 dp_pair2_zero(void)
{
    return dp_pair2_both(0.0);
}

/// a + b c
static inline dp_pair2 dp_pair2_madd(dp_pair2 a, dp_pair2 b, dp_pair2 c)
{
    return dp_pair2_add(a, dp_pair2_mul(b, c));
}

/// a − b c
static inline dp_pair2 dp_pair2_msub(dp_pair2 a, dp_pair2 b, dp_pair2 c)
{
    return dp_pair2_sub(a, dp_pair2_mul(b, c));
}

/// Six numbers in a row.
static inline void dp_pair2_load_six(dp_pair2 out[3], const double *x)
{
    out[0] = dp_pair2_load(x);
    out[1] = dp_pair2_load(x + 2);
    out[2] = dp_pair2_load(x + 4);
}

/// The larger of both.
static inline double dp_pair2_larger(dp_pair2 a)
{
    return dp_pair2_first(dp_pair2_max(a, dp_pair2_seconds(a, a)));
}

/// The first and the second.
static inline double dp_pair2_sum(dp_pair2 a)
{
    return dp_pair2_first(dp_pair2_add(a, dp_pair2_seconds(a, a)));
}

#endif
