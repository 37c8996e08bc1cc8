// The nearest point of two convex sets by Gilbert, Johnson and Keerthi [GilbertJohnsonKeerthi1988].
//
// Departures. The simplex is reduced by signed volumes in coordinates, not by Johnson's recursion
// over dot products. Nothing is stopped by a tolerance on v: polyhedra end when the next corner is
// one of the simplex, or when the distance stops falling, which is where round-off ends it.
#include "collide/convex/minkowski.h"

enum { MOST_ITERATIONS = 128 };

// Nearer than this, relative to the size of both, v is made of round-off and the origin is inside.
static const double NOWHERE = 1e-15;

// A curved set has no last corner: it is near enough when the bounds are, relative to the size.
static const double CURVED_BOUND = 1e-14;

// Bounds that are this near, relative to the size, are good enough a guess to polish. After every
// failure it must be that much better.
static const double WORTH_POLISHING = 0.05, BETTER = 1e-2;
static const double WORTH_POLISHING_TO_DECIDE = 1e-6;

static bool has_corner(const dp_simplex *s, dp_v3 w)
{
    for (int i = 0; i < s->count; ++i) {
        if (dp_v3_same(s->corner[i].w, w)) {
            return true;
        }
    }
    return false;
}

// Is s greater along a normal of one of the flat faces of a shape, given by its axes? Then that is
// the better guess.
static void take_better_face(dp_v3 *best, double *most, dp_difference *m, const dp_shape *shape,
                             const dp_m3 *R)
{
    const int first = shape->kind == DP_GEOM_BOX ? 0 : (shape->kind == DP_GEOM_CYLINDER ? 2 : 3);
    for (int k = first; k < 3; ++k) {
        for (int side = 0; side < 2; ++side) {
            const dp_v3 axis = {R->m[0][k], R->m[1][k], R->m[2][k]};
            const dp_v3 n = side == 0 ? axis : dp_v3_back(axis);
            dp_corner c;
            dp_difference_support(&c, m, dp_v3_back(n));
            const double along = dp_v3_dot(n, c.w);
            if (along > *most) {
                *most = along;
                *best = n;
            }
        }
    }
}

// The origin is inside: find a separating direction that is perhaps the shortest, from the best
// direction seen.
static void find_way_out(dp_gjk_result *r, const dp_simplex *s, dp_difference *m, dp_v3 best,
                         double deepest)
{
    static const dp_m3 one = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    const dp_simplex none = {.count = 0};
    double most = r->lower;
    const dp_v3 seen = best;
    take_better_face(&best, &most, m, m->a, &one);
    take_better_face(&best, &most, m, m->b, &m->R);
    if (!(most > deepest)) {
        return;
    }
    r->overlap = dp_newton_refine(&r->polished, m, dp_v3_same(best, seen) ? s : &none, best);
    if (r->overlap && r->polished.only) {
        r->outcome = DP_GJK_PROVED;
    }
}

// What is asked.
typedef struct question {
    double limit;  // what is further is beyond
    double enough; // what is nearer is inside
    double worth;  // bounds that are this near are worth polishing, relative to the size
    bool depth;    // will the depth be asked for?
    double known;  // s(n) of a separating direction
} question;

static void walk(dp_gjk_result *r, dp_simplex *s, dp_difference *m, question q)
{
    r->outcome = DP_GJK_CAPPED;
    r->lower = r->along = -INFINITY;
    r->overlap = false;
    const double nowhere = fmax(NOWHERE * m->size, q.enough), near_enough = nowhere * nowhere;
    double worth = m->curved ? q.worth * m->size : -1.0;
    if (s->count == 0) {
        dp_difference_support(&s->corner[0], m, dp_v3_back(s->v));
        s->count = 1;
        const double along = dp_v3_dot(s->v, s->corner[0].w);
        const double vv = dp_v3_dot(s->v, s->v);
        if (along > 0.0 && along * along > q.limit * q.limit * vv) {
            r->outcome = DP_GJK_BEYOND;
            r->lower = r->along = along / sqrt(vv);
            r->iterations = 1;
            s->vv = vv;
            s->weight[0] = 1.0;
            return;
        }
    }
    dp_v3 best = {0.0, 0.0, 0.0};
    dp_simplex_reduce(s);
    for (r->iterations = 1; r->iterations <= MOST_ITERATIONS; ++r->iterations) {
        if (s->count == 4 || s->vv <= near_enough) {
            r->outcome = DP_GJK_INSIDE;
            if (q.depth && worth > 0.0 && r->lower > -INFINITY) {
                find_way_out(r, s, m, best, q.known);
            }
            return;
        }
        dp_corner *next = &s->corner[s->count];
        dp_difference_support(next, m, dp_v3_back(s->v));
        const double length = sqrt(s->vv), lower = dp_v3_dot(s->v, next->w) / length;
        if (lower > r->lower) {
            r->lower = lower;
            best = dp_v3_scale(s->v, 1.0 / length);
        }
        r->along = lower;
        if (lower > q.limit) {
            r->outcome = DP_GJK_BEYOND;
            return;
        }
        if (has_corner(s, next->w) || (m->curved && length - lower <= CURVED_BOUND * m->size)) {
            r->outcome = DP_GJK_APART;
            return;
        }
        if (length - lower <= worth && lower > q.known) {
            r->overlap = dp_newton_refine(&r->polished, m, s, dp_v3_scale(s->v, 1.0 / length));
            if (r->overlap && r->polished.only) {
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

void dp_gjk(dp_gjk_result *r, dp_simplex *s, dp_difference *m, double limit, double deepest)
{
    walk(r, s, m, (question){limit, 0.0, WORTH_POLISHING, true, deepest});
}

void dp_gjk_decide(dp_gjk_result *r, dp_simplex *s, dp_difference *m, double enough)
{
    walk(r, s, m, (question){enough, enough, WORTH_POLISHING_TO_DECIDE, false, -INFINITY});
}
