// A cylinder and an ellipsoid that overlap.
//
// With n from the cylinder to the ellipsoid, p its middle in the frame of the cylinder and |M u|
// its support function, the depth is the least
//
//     g(n) = r |n_xy| + h |n_z| + |M n| − n·p.                                          (1)
//
// Likely normals are those across a cap and across the side (the distance of a point from an
// ellipse), and between these two, where a rim is. The best of them is polished, and mostly the
// proof that this gives leaves no other. Else all other normals are swept for a better one
// (sweep.c), which is tried in turn.
#include "collide/convex/minkowski.h"
#include "collide/exact/ellipse.h"
#include "collide/exact/local_minima.h"
#include "collide/pairs/closed_forms.h"

enum { MOST_WAYS = 4 };

// How far a normal is turned from a cap or the side to a rim, at least, relative to the size over
// the extent of the border, and at most; and what is left of a bend that is spent by the depth.
static const double TILT = 0.0125, MOST_TURN = 1.0, STIFF = 0.3;

typedef struct guess {
    dp_v3 n;
    double depth;
} guess;

static double sign_of(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

static guess guess_cap(const dp_swept *t)
{
    return (guess){{0.0, 0.0, sign_of(t->p.z)}, t->h + dp_v3_norm(t->row[2]) - fabs(t->p.z)};
}

// Along the axis the ellipsoid is an ellipse. The point of it that is next to the axis is on the
// same side of its long axis as its middle.
static guess guess_side(int *steps, const dp_swept *t)
{
    const dp_half_axes s = dp_half_axes_of(t->row[0], t->row[1]);
    const dp_flat p = {t->p.x, t->p.y};
    const double side = sign_of(dp_flat_dot(p, s.v));
    const dp_flat v = {side * s.v.x, side * s.v.y};
    const dp_ellipse e = {s.r, s.q, {dp_flat_dot(p, s.u), dp_flat_dot(p, v)}};
    dp_flat n;
    if (dp_ellipse_top(&n, steps, &e, (dp_flat){1.0, 0.0}, (dp_flat){-1.0, 0.0},
                       (dp_flat){e.c.x * (s.q * s.q), e.c.y * (s.r * s.r)}) != DP_TOP_FOUND) {
        n = (dp_flat){0.0, 1.0};
    }
    return (guess){{n.x * s.u.x + n.y * v.x, n.x * s.u.y + n.y * v.y, 0.0},
                   t->r - dp_ellipse_height(&e, n)};
}

// The depth along any normal across the axis is no less.
static double least_of_side(const dp_swept *t, const dp_shape *ellipsoid)
{
    const double *e = ellipsoid->size;
    return t->r + fmin(e[0], fmin(e[1], e[2])) - sqrt(t->p.x * t->p.x + t->p.y * t->p.y);
}

// A guess that is a cap or the side is the best of those around it only if the point of the
// ellipsoid that is furthest in lies over it. If that is `beyond` the border then a rim is in
// touch, and the normal is turned toward `e`, by a step of Newton's method. It must be enough to be
// a rim: `extent` is how far the border is from the middle of the cap or side.
static void turn_to_rim(guess *g, const dp_swept *t, dp_v3 e, double beyond, double extent)
{
    if (!(beyond > 0.0)) {
        return;
    }
    const dp_v3 Mn = dp_swept_stretched(t, g->n), Me = dp_swept_stretched(t, e);
    const double by = 1.0 / dp_v3_norm(Mn), along = by * dp_v3_dot(Mn, Me);
    const double bend = by * (dp_v3_dot(Me, Me) - along * along), least = TILT * t->size / extent;
    const double turn = beyond / fmax(bend - g->depth, STIFF * bend);
    g->n = dp_v3_unit(dp_v3_madd(g->n, fmin(fmax(turn, least), MOST_TURN), e));
    g->depth = dp_swept_depth(t, g->n);
}

static void turn_cap(guess *g, const dp_swept *t)
{
    const double by = g->n.z / dp_v3_norm(t->row[2]);
    const dp_v3 over = {t->p.x - by * dp_v3_dot(t->row[0], t->row[2]),
                        t->p.y - by * dp_v3_dot(t->row[1], t->row[2]), 0.0};
    const double length = dp_v3_norm(over);
    if (length > t->r) {
        turn_to_rim(g, t, dp_v3_scale(over, 1.0 / length), length - t->r, t->r);
    }
}

static void turn_side(guess *g, const dp_swept *t)
{
    const dp_v3 Mn = dp_swept_stretched(t, g->n);
    const double over = t->p.z - dp_v3_dot(t->row[2], Mn) / dp_v3_norm(Mn);
    turn_to_rim(g, t, (dp_v3){0.0, 0.0, sign_of(over)}, fabs(over) - t->h, t->h);
}

static bool polish(dp_refined_normal *way, dp_difference *m, dp_v3 n)
{
    const dp_simplex none = {.count = 0};
    return dp_newton_refine(way, m, &none, n);
}

// A proved normal that is no worse than the guesses. `known`: there is one already.
static bool find_way(dp_refined_normal *way, bool known, int *steps, const dp_swept *t,
                     dp_difference *m)
{
    guess best = guess_cap(t);
    double least = best.depth;
    turn_cap(&best, t);
    if (least > least_of_side(t, m->b)) {
        guess side = guess_side(steps, t);
        least = fmin(least, side.depth);
        turn_side(&side, t);
        best = side.depth < best.depth ? side : best;
    }
    const double enough = fmin(least, best.depth) + DP_DIFFERENCE_TIE * m->size;
    return (known && -way->gap <= enough) || (polish(way, m, best.n) && -way->gap <= enough);
}

// From a proved normal to one that is the best of all. False: it was not found.
static bool make_sure(dp_refined_normal *way, int *steps, const dp_swept *t, dp_difference *m)
{
    for (int k = 0; k < MOST_WAYS && !way->only; ++k) {
        dp_v3 suspect;
        const dp_local_minima verdict = dp_local_minima_around(&suspect, steps, t, way);
        if (verdict != DP_SWEEP_ANOTHER) {
            return verdict == DP_SWEEP_SHORTEST;
        }
        const double before = way->gap;
        if (!polish(way, m, dp_v3_unit(suspect)) ||
            !(way->gap > before + DP_DIFFERENCE_TIE * m->size)) {
            return false;
        }
    }
    return way->only;
}

// The depth along a direction of the frame of A, without more ado.
static double depth_along(const dp_placed *a, const dp_placed *b, dp_v3 n)
{
    const double *e = b->shape->size;
    const dp_v3 out = dp_m3_apply(&a->R, n), own = dp_m3_apply_transposed(&b->R, out);
    return a->shape->size[0] * sqrt(n.x * n.x + n.y * n.y) + a->shape->size[1] * fabs(n.z) +
           dp_v3_norm((dp_v3){e[0] * own.x, e[1] * own.y, e[2] * own.z}) -
           dp_v3_dot(out, dp_v3_sub(b->p, a->p));
}

static bool do_overlap(const dp_placed *a, const dp_placed *b)
{
    bool overlap;
    return dp_cylinder_ellipsoid_decide(&overlap, a, b) && overlap;
}

bool dp_cylinder_ellipsoid(dp_distance *out, const dp_placed *a, const dp_placed *b,
                           dp_pair_memory *memory)
{
    const dp_v3 last = memory ? memory->direction : (dp_v3){0.0, 0.0, 0.0};
    const bool recalled = fabs(dp_v3_dot(last, last) - 1.0) < 1e-6;
    // What is remembered may be of another place.
    if (recalled ? depth_along(a, b, last) < 0.0 || dp_overlap_test(a, b) == DP_VERDICT_APART
                 : !do_overlap(a, b)) {
        return false;
    }
    dp_difference m = dp_difference_of(a, b);
    int steps = 1;
    dp_refined_normal way;
    const bool known = recalled && polish(&way, &m, last);
    if (!(known && way.only)) {
        const dp_swept t = dp_swept_of(&m);
        if ((recalled && !do_overlap(a, b)) || !find_way(&way, known, &steps, &t, &m) ||
            !make_sure(&way, &steps, &t, &m)) {
            return false;
        }
    }
    if (!(way.gap <= 0.0)) {
        return false;
    }
    const dp_v3 middle = dp_v3_scale(dp_v3_add(way.point[0], way.point[1]), 0.5);
    const dp_v3 on_a = dp_v3_madd(middle, -0.5 * way.gap, way.normal);
    dp_distance_set(out, way.gap, dp_m3_apply(&a->R, way.normal),
                    dp_v3_add(a->p, dp_m3_apply(&a->R, on_a)), false);
    out->iterations = steps;
    if (memory) {
        memory->direction = way.normal;
        memory->count = 0;
    }
    return true;
}
