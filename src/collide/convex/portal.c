// Do two convex sets share a point? By a portal that moves outward [Snethen2008].
//
// From a point v₀ inside of M the ray through the origin leaves M somewhere. A portal is a triangle
// of points of M that the ray passes. Is the origin on the inner side of it, then it is in M; else
// the portal is moved outward, to the corner of M furthest along its normal. Whenever that corner
// is short of the origin, the normal separates the two.
//
// Departure. Nothing is decided by a tolerance: an answer holds to round-off or there is none.
#include "collide/convex/minkowski.h"

enum { MOST_ITERATIONS = 40 };

// Volumes with a corner in the origin are right to this, relative to the cube of the size.
static const double CERTAIN = 1e-14;

// The point of M furthest along d. False: it is short of the origin.
static bool look(dp_v3 *w, dp_difference *m, dp_v3 d)
{
    dp_corner c;
    dp_difference_support(&c, m, d);
    *w = c.w;
    return !(dp_v3_dot(*w, d) < 0.0);
}

static dp_v3 normal_of(dp_v3 a, dp_v3 b, dp_v3 c)
{
    return dp_v3_cross(dp_v3_sub(b, a), dp_v3_sub(c, a));
}

static double volume(dp_v3 a, dp_v3 b, dp_v3 c)
{
    return dp_v3_dot(dp_v3_cross(a, b), c);
}

// Is the origin within the tetrahedron of the portal and v₀, round-off or not?
static bool is_inside(dp_v3 v0, const dp_v3 v[3], double size)
{
    const double least = CERTAIN * size * size * size;
    return volume(v[0], v[1], v[2]) > least && volume(v[1], v[0], v0) > least &&
           volume(v[2], v[1], v0) > least && volume(v[0], v[2], v0) > least;
}

// The first portal, counterclockwise seen from outside. False: there is none, and *verdict tells
// why.
static bool find_portal(dp_v3 v[3], dp_verdict *verdict, dp_difference *m, dp_v3 v0)
{
    *verdict = DP_VERDICT_APART;
    if (!look(&v[0], m, dp_v3_back(v0))) {
        return false;
    }
    dp_v3 d = dp_v3_cross(v[0], v0);
    if (!look(&v[1], m, d)) {
        return false;
    }
    d = normal_of(v0, v[0], v[1]);
    if (dp_v3_dot(d, v0) > 0.0) { // the third is looked for on the side of the origin
        const dp_v3 first = v[0];
        v[0] = v[1];
        v[1] = first;
        d = dp_v3_back(d);
    }
    for (int k = 0; k < MOST_ITERATIONS; ++k) {
        if (!look(&v[2], m, d)) {
            return false;
        }
        if (volume(v[0], v[2], v0) < 0.0) {
            v[1] = v[2];
        } else if (volume(v[2], v[1], v0) < 0.0) {
            v[0] = v[2];
        } else {
            return true;
        }
        d = normal_of(v0, v[0], v[1]);
    }
    *verdict = DP_VERDICT_NONE;
    return false;
}

dp_verdict dp_portal_decide(dp_difference *m, dp_v3 v0)
{
    dp_v3 v[3];
    dp_verdict verdict;
    if (!find_portal(v, &verdict, m, v0)) {
        return verdict;
    }
    for (int k = 0; k < MOST_ITERATIONS; ++k) {
        const dp_v3 n = normal_of(v[0], v[1], v[2]);
        if (dp_v3_dot(n, v[0]) >= 0.0) {
            return is_inside(v0, v, m->size) ? DP_VERDICT_SHARED : DP_VERDICT_NONE;
        }
        dp_v3 w;
        if (!look(&w, m, n)) {
            return DP_VERDICT_APART;
        }
        // The new corner takes the place of that one without which the ray still passes.
        const dp_v3 c = dp_v3_cross(w, v0);
        if (dp_v3_dot(v[0], c) >= 0.0) {
            v[dp_v3_dot(v[1], c) >= 0.0 ? 0 : 2] = w;
        } else {
            v[dp_v3_dot(v[2], c) >= 0.0 ? 1 : 0] = w;
        }
    }
    return DP_VERDICT_NONE;
}
