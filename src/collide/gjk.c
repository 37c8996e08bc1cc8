// The nearest point of two convex sets by Gilbert, Johnson and Keerthi [GilbertJohnsonKeerthi1988].
//
// Departures. The simplex is reduced by signed volumes in coordinates, not by Johnson's recursion
// over dot products. Nothing is stopped by a tolerance on v: polyhedra end when the next corner is
// one of the simplex, or when the distance stops falling, which is where round-off ends it.
#include "collide/minkowski.h"

enum { MOST_ITERATIONS = 128 };

// Nearer than this, relative to the size of both, v is made of round-off and the origin is inside.
static const double NOWHERE = 1e-15;

// A curved set has no last corner: it is near enough when the bounds are, relative to the size.
static const double CURVED_BOUND = 1e-14;

// Bounds that are this near, relative to the size, are good enough a guess to polish. After every
// failure it must be that much better.
static const double WORTH_POLISHING = 0.05, BETTER = 1e-2;

static bool has_corner(const dp_simplex *s, dp_v3 w)
{
    for (int i = 0; i < s->count; ++i) {
        if (dp_v3_same(s->corner[i].w, w)) {
            return true;
        }
    }
    return false;
}

void dp_gjk(dp_gjk_result *r, dp_simplex *s, dp_difference *m, double limit, double enough)
{
    r->outcome = DP_GJK_CAPPED;
    r->lower = -INFINITY;
    r->overlap = false;
    const double nowhere = fmax(NOWHERE * m->size, enough), near_enough = nowhere * nowhere;
    double worth = m->curved ? WORTH_POLISHING * m->size : -1.0;
    if (s->count == 0) {
        dp_difference_support(&s->corner[0], m, dp_v3_back(s->v));
        s->count = 1;
    }
    dp_simplex_reduce(s);
    for (r->iterations = 1; r->iterations <= MOST_ITERATIONS; ++r->iterations) {
        if (s->count == 4 || s->vv <= near_enough) {
            r->outcome = DP_GJK_INSIDE;
            return;
        }
        dp_corner *next = &s->corner[s->count];
        dp_difference_support(next, m, dp_v3_back(s->v));
        const double length = sqrt(s->vv), lower = dp_v3_dot(s->v, next->w) / length;
        r->lower = fmax(r->lower, lower);
        if (lower > limit) {
            r->outcome = DP_GJK_BEYOND;
            return;
        }
        if (has_corner(s, next->w) || (m->curved && length - lower <= CURVED_BOUND * m->size)) {
            r->outcome = DP_GJK_APART;
            return;
        }
        if (length - lower <= worth) {
            // The greatest thereabouts is the greatest of all when apart, where s is concave, and
            // no deeper than a ball that rolls inside: that ball keeps all else further away.
            r->overlap = dp_polish(&r->polished, m, s, dp_v3_scale(s->v, 1.0 / length));
            if (r->overlap && r->polished.gap >= -m->rolling) {
                r->outcome = DP_GJK_PROVED;
                return;
            }
            worth = r->overlap ? -1.0 : BETTER * fmin(worth, length - lower);
        }
        ++s->count;
        if (!dp_simplex_improve(s)) {
            r->outcome = DP_GJK_APART;
            return;
        }
    }
}
