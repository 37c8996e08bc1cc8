// Two cylinders, by a list.
//
// In the frame of A let a₀ = e_z and a₁ be the axes, p the middle of B, and n a unit vector from A
// to B. The gap is the greatest
//
//     g(n) = n·p − Σ (rₖ |n × aₖ| + hₖ |n·aₖ|).                                         (1)
//
// What may be in touch: a cap, n = ±aₖ; both sides, n across both axes; a side and a rim, n across
// aₖ, which is the distance of a point from an ellipse in the shadow along aₖ; and two rims, by
// Newton's method.
//
// The likely ones are looked at first. The best of them is the answer where the two are apart and
// the features face each other, and where they overlap by less than the radius of a ball that
// touches the set of differences there from within: all else is further away, then. Where they
// overlap for sure the list is made complete, with the rims where their circles are nearest to each
// other (rims.c), and the best is the answer: a ball about the origin that touches the boundary of
// the set of differences does so where that has one normal. dp_convex_distance has the rest.
#include "collide/exact/circle_circle.h"
#include "collide/exact/ellipse.h"
#include "collide/exact/penetration_candidates.h"
#include "collide/pairs/closed_forms.h"

enum { MOST_STEPS = 16, MOST_VALLEYS = 4 };

// Points whose heights differ by no more, relative to the size of both, are level.
static const double LEVEL = 1e-13;
// Deeper than this, relative to the size, balls are seldom large enough to be worth the search.
static const double DEEP = 0.02, TOO_DEEP = 0.1;

// Axes that make a lesser angle (its sine) are left to others: circles whose planes are nearly
// parallel are near to each other all around.
static const double NEARLY_PARALLEL = 1e-3;

// i of a way: whose cap or side. Of a side and a rim, n in the shadow along the axis of the side.
typedef enum kind { CAP, SIDES, SIDE_RIM, RIMS } kind;

typedef struct pair {
    dp_v3 p;
    dp_v3 axis[2];
    dp_v3 shadow[2]; // of the other axis along this one, unit: axis[1 − k] = cosine axis[k] + sine
                     // shadow[k]
    dp_v3 u; // across both
    double sine, cosine;
    double r[2], h[2];
    dp_ways ways;
    int steps;
} pair;

static double sign_of(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

static void enter(pair *t, kind what, int k, double gap, dp_v3 n)
{
    dp_ways_enter(&t->ways, (dp_way){(int)what, k, gap, n, 0.0, 0.0});
}

// --- The list

static void list_flat(pair *t)
{
    for (int k = 0; k < 2; ++k) {
        const double up = dp_v3_dot(t->axis[k], t->p);
        enter(t, CAP, k,
              fabs(up) - t->h[k] - (t->r[1 - k] * t->sine + t->h[1 - k] * fabs(t->cosine)),
              dp_v3_scale(t->axis[k], sign_of(up)));
    }
    if (t->sine > 0.0) {
        const double along = dp_v3_dot(t->u, t->p);
        enter(t, SIDES, 0, fabs(along) - (t->r[0] + t->r[1]), dp_v3_scale(t->u, sign_of(along)));
    }
}

// Is a quarter of what list_side looks at deeper than what matters? Along N, across the points of
// disc and ellipse that look along its ends, both are no nearer than the nearer of their ends.
static bool is_deeper(const pair *t, double rk, const dp_ellipse *e, double side)
{
    const double nx = e->q + rk, ny = e->r + rk;
    const double inside =
        fmin(nx * e->r, ny * e->q) + rk * fmin(nx, ny) - (nx * side * e->c.x + ny * e->c.y);
    const double enough = DP_DIFFERENCE_TIE * t->ways.size - dp_ways_best(&t->ways)->gap;
    return inside > 0.0 && inside * inside > enough * enough * (nx * nx + ny * ny);
}

// The side of k and the rim of the other: its shadow is an ellipse at each end of a segment. False:
// it was not found whether they may touch.
static bool list_side(pair *t, int k)
{
    const double r = t->r[1 - k], q = r * fabs(t->cosine), half = t->h[1 - k] * t->sine;
    const double pu = dp_v3_dot(t->u, t->p), pv = dp_v3_dot(t->shadow[k], t->p);
    for (int end = 0; end < 2 && q > 0.0; ++end) {
        const double side = end == 0 ? 1.0 : -1.0;
        const dp_ellipse e = {r, q, {pu, side * pv - half}};
        if (!(e.c.y > 0.0) && dp_ways_best(&t->ways)->gap > 0.0) {
            continue; // apart from the ellipse, but on the other side of it
        }
        if (is_deeper(t, t->r[k], &e, 1.0) && is_deeper(t, t->r[k], &e, -1.0)) {
            continue;
        }
        dp_flat n;
        const dp_top top =
            dp_ellipse_top(&n, &t->steps, &e, (dp_flat){1.0, 0.0}, (dp_flat){-1.0, 0.0},
                           (dp_flat){e.c.x * (q * q), e.c.y * (r * r)});
        if (top == DP_TOP_LOST) {
            return false;
        }
        if (top == DP_TOP_FOUND) {
            const double nv = side * n.y;
            const dp_v3 m = dp_v3_madd(dp_v3_scale(t->u, n.x), nv, t->shadow[k]);
            dp_ways_enter(&t->ways,
                          (dp_way){SIDE_RIM, k, dp_ellipse_height(&e, n) - t->r[k], m, n.x, nv});
        }
    }
    return true;
}

// Two rims, at n.
typedef struct station {
    dp_v3 n, w;
    dp_v3 e[2];     // from the axes, unit
    double sine[2]; // of the angles between n and the axes
    double lean[2]; // their cosines
    double s;       // g(n)
} station;

static void stand(station *at, const pair *t, dp_v3 n)
{
    at->n = n;
    at->w = t->p;
    for (int k = 0; k < 2; ++k) {
        const dp_v3 a = t->axis[k];
        at->lean[k] = dp_v3_dot(n, a);
        dp_v3 beside = dp_v3_madd(n, -at->lean[k], a);
        beside = dp_v3_madd(beside, -dp_v3_dot(beside, a), a); // again: it may be short
        at->sine[k] = dp_v3_norm(beside);
        at->e[k] = dp_v3_scale(beside, 1.0 / at->sine[k]);
        at->w =
            dp_v3_madd(dp_v3_madd(at->w, -t->r[k], at->e[k]), -t->h[k] * sign_of(at->lean[k]), a);
    }
    at->s = dp_v3_dot(n, t->p) - (t->r[0] * at->sine[0] + t->h[0] * fabs(at->lean[0])) -
            (t->r[1] * at->sine[1] + t->h[1] * fabs(at->lean[1]));
}

// A step of Newton's method, across n. Where s is no hill it counts as a little of one: uphill.
static dp_v3 find_step(bool *hill, const pair *t, const station *at)
{
    const dp_v3 n = at->n;
    const double sign = n.z < 0.0 ? -1.0 : 1.0, k = -1.0 / (sign + n.z), xy = n.x * n.y * k;
    const dp_v3 t1 = {1.0 + sign * n.x * n.x * k, sign * xy, -sign * n.x};
    const dp_v3 t2 = {xy, sign + n.y * n.y * k, -n.y};
    double H11 = at->s, H12 = 0.0, H22 = at->s;
    for (int i = 0; i < 2; ++i) {
        const dp_v3 tangent = dp_v3_cross(t->axis[i], at->e[i]);
        const double c1 = dp_v3_dot(tangent, t1), c2 = dp_v3_dot(tangent, t2);
        const double bend = t->r[i] / at->sine[i];
        H11 += bend * c1 * c1;
        H12 += bend * c1 * c2;
        H22 += bend * c2 * c2;
    }
    const double mean = 0.5 * (H11 + H22), half = 0.5 * (H11 - H22);
    const double radius = sqrt(half * half + H12 * H12);
    *hill = mean > radius;
    if (!*hill) {
        const double more = 1.1 * radius - mean;
        H11 += more;
        H22 += more;
    }
    const double g1 = dp_v3_dot(at->w, t1), g2 = dp_v3_dot(at->w, t2);
    const double by = 1.0 / (H11 * H22 - H12 * H12);
    return dp_v3_madd(dp_v3_scale(t1, (g1 * H22 - g2 * H12) * by), (g2 * H11 - g1 * H12) * by, t2);
}

// A better place to begin, if n is one. There is none yet where s is −∞.
static void try_start(station *at, const pair *t, dp_v3 n)
{
    station here;
    stand(&here, t, n);
    if (here.sine[0] > 0.0 && here.sine[1] > 0.0 && here.s > at->s) {
        *at = here;
    }
}

// The best of the directions between those that are flat: two by two, and all of them.
static void start_from_flat(station *at, const pair *t)
{
    const int flat = t->sine > 0.0 ? 3 : 2;
    for (int left_out = flat == 3 ? -1 : 2; left_out < flat; ++left_out) {
        dp_v3 sum = {0.0, 0.0, 0.0};
        for (int k = 0; k < flat; ++k) {
            const double share = k == 2 && left_out == 2 ? t->sine : (k == left_out ? 0.0 : 1.0);
            sum = dp_v3_madd(sum, share,
                             t->ways.list[k].n); // of caps alone: beside what is between them
        }
        if (left_out != t->ways.best && dp_v3_dot(sum, sum) > 0.01) {
            try_start(at, t, dp_v3_unit(sum));
        }
    }
}

// The best of those between the best of the list and another.
static void start_from_best(station *at, const pair *t)
{
    for (int k = 0; k < t->ways.count; ++k) {
        const dp_v3 sum = dp_v3_add(dp_ways_best(&t->ways)->n, t->ways.list[k].n);
        if (k != t->ways.best && dp_v3_dot(sum, sum) > 0.01) {
            try_start(at, t, dp_v3_unit(sum));
        }
    }
}

static void list_rims(pair *t, station at)
{
    int valleys = 0;
    for (int k = 0; k < MOST_STEPS; ++k) {
        bool hill;
        dp_v3 step = find_step(&hill, t, &at);
        double length = dp_v3_norm(step);
        ++t->steps;
        valleys += !hill;
        if (!(length < INFINITY) || valleys > MOST_VALLEYS) {
            return;
        }
        if (length > 0.3) {
            step = dp_v3_scale(step, 0.3 / length);
            length = 0.3;
        }
        station next;
        stand(&next, t, dp_v3_unit(dp_v3_add(at.n, step)));
        // Far from the top steps must rise; near it round-off hides whether they do.
        for (int halved = 0; length > 1e-5 && !(next.s > at.s) && halved < 8; ++halved) {
            length *= 0.5;
            step = dp_v3_scale(step, 0.5);
            stand(&next, t, dp_v3_unit(dp_v3_add(at.n, step)));
        }
        const bool same = at.lean[0] * next.lean[0] > 0.0 && at.lean[1] * next.lean[1] > 0.0;
        const double thin = fmin(next.sine[0], next.sine[1]);
        at = next;
        if (!(thin > 0.0)) {
            return;
        }
        if (same && hill && length <= 1e-8 * thin) { // what is left is its square
            enter(t, RIMS, 0, at.s, at.n);
            return;
        }
    }
}

// --- All of it, where they overlap

// Two rims, each at one end of its cylinder, where the circles are nearest to each other. False:
// not all was found.
static bool list_ends(pair *t, double side_a, double side_b)
{
    const dp_v3 q =
        dp_v3_madd(dp_v3_madd(t->p, -side_a * t->h[0], t->axis[0]), -side_b * t->h[1], t->axis[1]);
    const double enough = DP_DIFFERENCE_TIE * t->ways.size - dp_ways_best(&t->ways)->gap;
    // Seen from the other one: its plane, too, must be near and on the right side.
    const double high = side_b * dp_v3_dot(q, t->axis[1]), spread = t->r[0] * t->sine;
    if (high - spread > 0.0 || high + spread < -enough) {
        return true;
    }
    const dp_circle_circle rims = {.r = {t->r[0], t->r[1]},
                                   .q = {dp_v3_dot(q, t->u), dp_v3_dot(q, t->shadow[0]), q.z},
                                   .cosine = t->cosine,
                                   .sine = t->sine,
                                   .enough = enough,
                                   .side = side_a};
    double C[DP_RIMS_MOST], S[DP_RIMS_MOST];
    const int count = dp_circle_circle_nearest(C, S, &t->steps, &rims);
    for (int i = 0; i < count; ++i) {
        const dp_v3 e = dp_v3_madd(dp_v3_scale(t->shadow[1], C[i]), S[i], t->u);
        const dp_v3 x = dp_v3_madd(q, -t->r[1], e);
        dp_v3 n = dp_v3_cross((dp_v3){-x.y, x.x, 0.0}, dp_v3_cross(t->axis[1], e));
        n = dp_v3_scale(n, sign_of(n.x * x.x + n.y * x.y) / dp_v3_norm(n));
        if (!(side_a * n.z > 0.0 && side_b * dp_v3_dot(n, t->axis[1]) > 0.0)) {
            continue; // they end before they face each other
        }
        const int before = t->ways.count;
        station at;
        stand(&at, t, n);
        if (before == DP_MOST_WAYS || !(at.sine[0] > 0.0 && at.sine[1] > 0.0)) {
            return false;
        }
        list_rims(t, at);
        if (t->ways.count == before) {
            return false;
        }
    }
    return count >= 0;
}

static bool list_all(pair *t)
{
    if (!list_side(t, 0) || !list_side(t, 1)) {
        return false;
    }
    const double near_a = sign_of(t->p.z), near_b = sign_of(dp_v3_dot(t->p, t->axis[1]));
    for (int ends = 0; ends < 4; ++ends) { // first those that look at each other
        if (!list_ends(t, ends & 1 ? -near_a : near_a, ends & 2 ? -near_b : near_b)) {
            return false;
        }
    }
    return true;
}

// --- Do the features face each other?

// How they do: points of A and of B in the frame of A, and the radius of a ball that touches K from
// within there.
typedef struct meeting {
    dp_v3 x[2];
    double ball;
    bool ambiguous;
} meeting;

static dp_v3 centre_of(const pair *t, int k)
{
    return k == 0 ? (dp_v3){0.0, 0.0, 0.0} : t->p;
}

// The other point is `gap` further along n, or back.
static void fill(meeting *m, const dp_way *e, int k, dp_v3 x)
{
    m->x[k] = x;
    m->x[1 - k] = dp_v3_madd(x, k == 0 ? e->gap : -e->gap, e->n);
}

static bool cap_meets(meeting *m, const pair *t, const dp_way *e)
{
    const int k = e->i, o = 1 - k;
    const dp_v3 w = t->axis[k], other = t->axis[o];
    const dp_v3 c = centre_of(t, k);
    // From k toward the other; how that looks along the other axis.
    const dp_v3 out = k == 0 ? e->n : dp_v3_back(e->n);
    const double side = sign_of(dp_v3_dot(out, w)), lean = side * t->cosine;
    const double level = LEVEL * t->ways.size;
    dp_v3 x = dp_v3_madd(centre_of(t, o), -t->h[o] * sign_of(lean), other);
    double ball = 0.0;
    if (2.0 * t->r[o] * t->sine <= level) { // cap on cap: the point of the other that is nearest
        const dp_v3 d = dp_v3_sub(x, c);
        const dp_v3 beside = dp_v3_madd(d, -dp_v3_dot(d, w), w);
        const double length = dp_v3_norm(beside);
        const double back = fmin(fmax(0.5 * (length + t->r[o] - t->r[k]), 0.0), length);
        if (length > t->r[0] + t->r[1]) {
            return false;
        }
        x = length > 0.0 ? dp_v3_madd(x, -back / length, beside) : x;
        ball = fmin(t->h[o], t->r[o] - back);
    } else {
        x = dp_v3_madd(x, -side * t->r[o], t->shadow[o]);
        if (2.0 * t->h[o] * fabs(t->cosine) <= level) { // the side: the middle of what is over it
            const dp_v3 d = dp_v3_sub(dp_v3_madd(x, t->h[o] * sign_of(lean), other), c);
            const dp_v3 beside = dp_v3_madd(d, -dp_v3_dot(d, w), w);
            const double along = dp_v3_dot(beside, other);
            const double root2 = t->r[k] * t->r[k] - dp_v3_dot(beside, beside) + along * along;
            if (!(root2 >= 0.0)) {
                return false;
            }
            const double from = fmax(-t->h[o], -along - sqrt(root2));
            const double to = fmin(t->h[o], -along + sqrt(root2)), at = 0.5 * (from + to);
            if (!(from <= to)) {
                return false;
            }
            x = dp_v3_madd(dp_v3_add(c, d), at, other);
            ball = fmin(t->r[o], t->h[o] - fabs(at));
        }
    }
    const dp_v3 d = dp_v3_sub(x, c);
    const dp_v3 beside = dp_v3_madd(d, -dp_v3_dot(d, w), w);
    const double inner = t->r[k] - dp_v3_norm(beside);
    fill(m, e, o, x);
    m->ball = fmin(t->h[k], inner) + ball;
    return inner >= 0.0;
}

static bool sides_meet(meeting *m, const pair *t, const dp_way *e)
{
    const double of_b = -dp_v3_dot(t->shadow[0], t->p) / t->sine;
    const double of_a = dp_v3_dot(t->axis[0], t->p) + of_b * t->cosine;
    const double left_a = t->h[0] - fabs(of_a), left_b = t->h[1] - fabs(of_b);
    fill(m, e, 0, dp_v3_madd(dp_v3_scale(e->n, t->r[0]), of_a, t->axis[0]));
    m->ball = fmin(t->r[0], left_a) + fmin(t->r[1], left_b);
    return left_a >= 0.0 && left_b >= 0.0;
}

static bool side_meets_rim(meeting *m, const pair *t, const dp_way *e)
{
    const int k = e->i, o = 1 - k;
    const double toward = k == 0 ? 1.0 : -1.0; // from k to the other
    const double mu = toward * e->along_u, mw = -t->cosine * toward * e->along_v;
    const double length = sqrt(mu * mu + mw * mw), by = t->r[o] / length;
    const double up = t->h[o] * sign_of(toward * e->along_v * t->sine);
    dp_v3 x = dp_v3_madd(centre_of(t, o), -up, t->axis[o]);
    x = dp_v3_madd(dp_v3_madd(x, -by * mu, t->u), -by * mw, t->shadow[o]);
    const double along = dp_v3_dot(t->axis[k], dp_v3_sub(x, centre_of(t, k)));
    const double left = t->h[k] - fabs(along);
    fill(m, e, o, x);
    m->ball = fmin(t->r[k], left);
    return t->sine > 0.0 && left >= 0.0;
}

// The shadow of a disc along a direction across n is an ellipse; see polish.c for the largest ball
// in the set of differences of two.
static bool rims_meet(meeting *m, const pair *t, const dp_way *e)
{
    station at;
    stand(&at, t, e->n);
    const dp_v3 x =
        dp_v3_madd(dp_v3_scale(at.e[0], t->r[0]), t->h[0] * sign_of(at.lean[0]), t->axis[0]);
    fill(m, e, 0, x);
    const double volume = t->sine * dp_v3_dot(t->u, e->n);
    const double trace = t->r[0] * at.sine[0] + t->r[1] * at.sine[1];
    const double det = t->r[0] * t->r[1] * (volume / at.sine[0]) * (volume / at.sine[1]);
    m->ball = 2.0 * det / (trace + sqrt(fmax(trace * trace - 4.0 * det, 0.0)));
    // The points are apart along n: w is s n.
    const dp_v3 off = dp_v3_madd(at.w, -at.s, e->n);
    return dp_v3_norm(off) <= LEVEL * t->ways.size;
}

static bool meet(meeting *m, const pair *t, const dp_way *e)
{
    switch (e->kind) {
    case CAP:
        return cap_meets(m, t, e);
    case SIDES:
        return sides_meet(m, t, e);
    case SIDE_RIM:
        return side_meets_rim(m, t, e);
    case RIMS:
        return rims_meet(m, t, e);
    }
    return false;
}

// --- All of it

static void place(pair *t, const dp_placed *a, const dp_placed *b)
{
    const dp_v3 axis = {b->R.m[0][2], b->R.m[1][2], b->R.m[2][2]};
    const dp_v3 z = dp_m3_apply_transposed(&a->R, axis);
    t->p = dp_m3_apply_transposed(&a->R, dp_v3_sub(b->p, a->p));
    t->axis[0] = (dp_v3){0.0, 0.0, 1.0};
    t->axis[1] = z;
    t->sine = sqrt(z.x * z.x + z.y * z.y);
    t->cosine = z.z;
    const double by = t->sine > 0.0 ? 1.0 / t->sine : 0.0;
    t->shadow[0] = t->sine > 0.0 ? (dp_v3){z.x * by, z.y * by, 0.0} : (dp_v3){1.0, 0.0, 0.0};
    const dp_v3 v = t->shadow[0];
    t->shadow[1] = (dp_v3){-z.z * v.x, -z.z * v.y, t->sine};
    t->u = (dp_v3){v.y, -v.x, 0.0};
    double both = 0.0;
    for (int k = 0; k < 2; ++k) {
        const double *size = k == 0 ? a->shape->size : b->shape->size;
        t->r[k] = size[0];
        t->h[k] = size[1];
        both += size[0] + size[1];
    }
    dp_ways_begin(&t->ways, both);
    t->steps = 0;
}

static void answer(dp_distance *out, const pair *t, const dp_placed *a, const meeting *m)
{
    const dp_way *e = dp_ways_best(&t->ways);
    dp_distance_set(out, e->gap, dp_m3_apply(&a->R, e->n),
                    dp_v3_add(a->p, dp_m3_apply(&a->R, m->x[0])), m->ambiguous);
    out->iterations = t->steps;
}

// Is the best of the list the answer?
static bool is_answer(meeting *m, const pair *t)
{
    const dp_way *e = dp_ways_best(&t->ways);
    return meet(m, t, e) && (e->gap > 0.0 || m->ball > DP_DIFFERENCE_TIE * t->ways.size - e->gap);
}

// Of two that may be apart: true: *m is how they meet, or they are further apart than `limit`.
static bool find(meeting *m, pair *t, double limit, const dp_v3 *last)
{
    if (dp_ways_best(&t->ways)->gap < -TOO_DEEP * t->ways.size) {
        return false;
    }
    station at = {.s = -INFINITY};
    if (last) {
        try_start(&at, t, *last);
        if (fmax(at.s, dp_ways_best(&t->ways)->gap) < -DEEP * t->ways.size) {
            return false;
        }
    }
    if (!(at.s > -INFINITY)) {
        start_from_flat(&at, t);
    }
    if (at.s > -INFINITY) {
        list_rims(t, at);
        if (dp_ways_best(&t->ways)->gap > limit || is_answer(m, t)) {
            return true;
        }
        if (dp_ways_best(&t->ways)->kind == RIMS) {
            return false; // the ball is too small
        }
    }
    if (dp_ways_best(&t->ways)->gap < -DEEP * t->ways.size || !list_side(t, 0) ||
        !list_side(t, 1)) {
        return false;
    }
    if (is_answer(m, t)) {
        return true;
    }
    at.s = -INFINITY;
    start_from_best(&at, t);
    if (at.s > -INFINITY) {
        list_rims(t, at);
    }
    return is_answer(m, t);
}

// The same of two that overlap.
static bool find_depth(meeting *m, pair *t)
{
    const bool found = list_all(t) && meet(m, t, dp_ways_best(&t->ways));
    m->ambiguous = found && dp_ways_tie(&t->ways, t->p);
    return found;
}

static bool share_a_point(const dp_placed *a, const dp_placed *b)
{
    dp_difference m = dp_difference_of(a, b);
    return dp_portal_decide(&m, m.p) == DP_VERDICT_SHARED;
}

bool dp_cylinder_cylinder(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                          dp_pair_memory *memory)
{
    pair t;
    place(&t, a, b);
    meeting m = {.ambiguous = false};
    list_flat(&t);
    if (!(dp_ways_best(&t.ways)->gap > limit || is_answer(&m, &t))) {
        const dp_v3 d = memory ? memory->direction : (dp_v3){0.0, 0.0, 0.0};
        const bool recalled = fabs(dp_v3_dot(d, d) - 1.0) < 1e-6;
        const bool may_overlap = dp_ways_best(&t.ways)->gap < 0.0 && t.sine > NEARLY_PARALLEL;
        const bool shared = may_overlap && dp_overlap_test(a, b) == DP_VERDICT_SHARED;
        const bool found = !shared && find(&m, &t, limit, recalled ? &d : NULL);
        // From what is remembered dp_convex_distance may be as fast as an overlap is found for
        // sure.
        const bool overlap = shared || (!found && !recalled && may_overlap && share_a_point(a, b));
        if (!found && !(overlap && find_depth(&m, &t))) {
            return false;
        }
    }
    answer(out, &t, a, &m);
    if (memory) {
        memory->direction = dp_ways_best(&t.ways)->n;
        memory->count = 0;
    }
    return true;
}
