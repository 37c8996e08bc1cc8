// Points of segments and triangles.
#ifndef DP_GEOM_TRIANGLE_H
#define DP_GEOM_TRIANGLE_H

#include "math/v3.h"

/// The point of the segment from a to b next to x.
static inline dp_v3 dp_segment_nearest(dp_v3 a, dp_v3 b, dp_v3 x)
{
    const dp_v3 d = dp_v3_sub(b, a);
    const double along = dp_v3_dot(d, dp_v3_sub(x, a)), length2 = dp_v3_dot(d, d);
    if (!(along > 0.0)) {
        return a;
    }
    if (along >= length2) {
        return b;
    }
    return dp_v3_madd(a, along / length2, d);
}

/// Is x over the triangle with corners c and a normal n, of any length? Edges belong to it.
static inline bool dp_triangle_is_over(const dp_v3 c[3], dp_v3 n, dp_v3 x)
{
    for (int k = 0; k < 3; ++k) {
        const dp_v3 side = dp_v3_sub(c[k == 2 ? 0 : k + 1], c[k]);
        if (dp_v3_dot(dp_v3_cross(n, side), dp_v3_sub(x, c[k])) < 0.0) {
            return false;
        }
    }
    return true;
}

/// The point of a triangle next to x.
static inline dp_v3 dp_triangle_nearest(const dp_v3 c[3], dp_v3 x)
{
    const dp_v3 n = dp_v3_cross(dp_v3_sub(c[1], c[0]), dp_v3_sub(c[2], c[0]));
    const double n2 = dp_v3_dot(n, n);
    if (n2 > 0.0 && dp_triangle_is_over(c, n, x)) {
        return dp_v3_madd(x, -dp_v3_dot(n, dp_v3_sub(x, c[0])) / n2, n);
    }
    dp_v3 best = c[0];
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const dp_v3 p = dp_segment_nearest(c[k], c[k == 2 ? 0 : k + 1], x);
        const dp_v3 d = dp_v3_sub(x, p);
        const double distance2 = dp_v3_dot(d, d);
        if (distance2 < least) {
            least = distance2;
            best = p;
        }
    }
    return best;
}

#endif
