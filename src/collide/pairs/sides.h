// A box by its six sides, all looking the same way: low x, −high x, low y, −high y, low z, −high z.
// The box around two boxes is then the lesser of each number, a box lies in another if no number is
// less, and two boxes overlap if no number of the one exceeds the reach of the other: each is one
// comparison of six numbers, without a branch.
#ifndef DP_COLLIDE_SIDES_H
#define DP_COLLIDE_SIDES_H

#include <dashpot/advanced/collide.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct dp_sides {
    double side[6];
} dp_sides;

static inline dp_sides dp_sides_of(const dp_bounds *b)
{
#if defined(__SSE2__) // whole pairs are stored, since whole pairs are read
    dp_sides s;
    _mm_storeu_pd(s.side, _mm_setr_pd(b->low.x, -b->high.x));
    _mm_storeu_pd(s.side + 2, _mm_setr_pd(b->low.y, -b->high.y));
    _mm_storeu_pd(s.side + 4, _mm_setr_pd(b->low.z, -b->high.z));
    return s;
#else
    return (dp_sides){{b->low.x, -b->high.x, b->low.y, -b->high.y, b->low.z, -b->high.z}};
#endif
}

static inline dp_bounds dp_sides_bounds(const dp_sides *s)
{
    return (dp_bounds){{s->side[0], s->side[2], s->side[4]},
                       {-s->side[1], -s->side[3], -s->side[5]}};
}

/// No side of `a` exceeds that of `b`.
static inline bool dp_sides_within(const dp_sides *a, const dp_sides *b)
{
#if defined(__SSE2__)
    const __m128d x = _mm_cmple_pd(_mm_loadu_pd(a->side), _mm_loadu_pd(b->side));
    const __m128d y = _mm_cmple_pd(_mm_loadu_pd(a->side + 2), _mm_loadu_pd(b->side + 2));
    const __m128d z = _mm_cmple_pd(_mm_loadu_pd(a->side + 4), _mm_loadu_pd(b->side + 4));
    return _mm_movemask_pd(_mm_and_pd(_mm_and_pd(x, y), z)) == 3;
#else
    return (a->side[0] <= b->side[0]) & (a->side[1] <= b->side[1]) & (a->side[2] <= b->side[2]) &
           (a->side[3] <= b->side[3]) & (a->side[4] <= b->side[4]) & (a->side[5] <= b->side[5]);
#endif
}

/// Is every point of `inner` one of `outer`?
static inline bool dp_sides_contain(const dp_sides *outer, const dp_sides *inner)
{
    return dp_sides_within(outer, inner);
}

/// What a box must stay within to overlap `s`. Boxes that share a side overlap.
static inline dp_sides dp_sides_reach(const dp_sides *s)
{
    dp_sides reach;
#if defined(__SSE2__)
    const __m128d sign = _mm_set1_pd(-0.0);
    for (int k = 0; k < 6; k += 2) {
        const __m128d pair = _mm_loadu_pd(s->side + k);
        _mm_storeu_pd(reach.side + k, _mm_xor_pd(_mm_shuffle_pd(pair, pair, 1), sign));
    }
#else
    for (int k = 0; k < 6; ++k) {
        reach.side[k] = -s->side[k ^ 1];
    }
#endif
    return reach;
}

static inline bool dp_sides_meet(const dp_sides *s, const dp_sides *reach)
{
    return dp_sides_within(s, reach);
}

static inline bool dp_sides_overlap(const dp_sides *a, const dp_sides *b)
{
    const dp_sides reach = dp_sides_reach(b);
    return dp_sides_meet(a, &reach);
}

/// The box around both.
static inline dp_sides dp_sides_join(const dp_sides *a, const dp_sides *b)
{
    dp_sides both;
#if defined(__SSE2__)
    for (int k = 0; k < 6; k += 2) {
        _mm_storeu_pd(both.side + k,
                      _mm_min_pd(_mm_loadu_pd(a->side + k), _mm_loadu_pd(b->side + k)));
    }
#else
    for (int k = 0; k < 6; ++k) {
        both.side[k] = a->side[k] < b->side[k] ? a->side[k] : b->side[k];
    }
#endif
    return both;
}

/// Half of its surface: the chance that something small and random meets it.
static inline double dp_sides_surface(const dp_sides *s)
{
    const double x = s->side[0] + s->side[1], y = s->side[2] + s->side[3];
    const double z = s->side[4] + s->side[5];
    return x * y + y * z + z * x; // lengths with the wrong sign
}

/// Wider by so much on all sides.
static inline dp_sides dp_sides_grown(const dp_sides *s, double by)
{
    dp_sides wide;
#if defined(__SSE2__)
    for (int k = 0; k < 6; k += 2) {
        _mm_storeu_pd(wide.side + k, _mm_sub_pd(_mm_loadu_pd(s->side + k), _mm_set1_pd(by)));
    }
#else
    for (int k = 0; k < 6; ++k) {
        wide.side[k] = s->side[k] - by;
    }
#endif
    return wide;
}

#endif
