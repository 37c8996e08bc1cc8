// The sides of capsules and cylinders: lines on round surfaces, over polygons and over each other.
#include "collide/outline.h"

// A side that runs beyond an edge belongs to it up to the first of these shares of its radius, and
// no longer from the second on.
#define BESIDE 0.02
#define ASIDE 0.2

// Where an edge is met by the flank of a side rather than by its top, in the same way.
#define TOP 0.5
#define FLANK 0.9

// The least cosine of an edge and a side that run along each other.
#define ACROSS 0.1

// Of the length of a side: round-off at its ends.
#define END 1e-9

// A side of which less than this share is met is held by the nearest point.
#define SCANTY 0.05

// A side over a polygon. Where the side runs beyond an edge, or along it, the gap is that of the
// edge and the circle there: a capsule that rolls over the edge of a box is held along all of the
// edge, even if it is not quite parallel.
typedef struct over_polygon {
    const dp_outline *s, *polygon;
    bool first; // the side belongs to A
    double radius;
} over_polygon;

// Signed distance of (x, y) from edge j of a polygon, positive inside.
static double inside_edge(const dp_outline *o, int j, double x, double y)
{
    const int next = j + 1 < o->count ? j + 1 : 0;
    const double ex = o->x[next] - o->x[j], ey = o->y[next] - o->y[j];
    return (ex * (y - o->y[j]) - ey * (x - o->x[j])) / sqrt(ex * ex + ey * ey);
}

// Half the width of a round surface falls by this much, √ taken so that nothing cancels.
static double drop(double radius, double aside)
{
    return aside * aside / (radius + sqrt(radius * radius - aside * aside));
}

// A place on edge j, the one next to (x, y), and how the side passes over it: its height, or
// −INFINITY where it does not.
typedef struct on_edge {
    double x, y, z; // of the edge
    double side_z;  // height of the side over it
    double counts;  // 1, or less where it is met by the flank of the side
} on_edge;

static on_edge next_on_edge(const over_polygon *o, int j, double x, double y)
{
    const dp_outline *polygon = o->polygon, *s = o->s;
    const int next = j + 1 < polygon->count ? j + 1 : 0;
    const double ex = polygon->x[next] - polygon->x[j], ey = polygon->y[next] - polygon->y[j];
    const double sx = s->x[1] - s->x[0], sy = s->y[1] - s->y[0], ss = sx * sx + sy * sy;
    const double sign = o->first ? 1.0 : -1.0;
    on_edge e = {.side_z = -sign * INFINITY};
    // Straight across the side to the edge; never, if the edge runs that way too.
    const double along = ex * sx + ey * sy;
    if (!(along * along > ACROSS * ACROSS * ss * (ex * ex + ey * ey))) {
        return e;
    }
    double t = ((x - polygon->x[j]) * sx + (y - polygon->y[j]) * sy) / along;
    t = t > 0.0 ? t < 1.0 ? t : 1.0 : 0.0;
    e.x = polygon->x[j] + t * ex;
    e.y = polygon->y[j] + t * ey;
    e.z = polygon->z[j] + t * (polygon->z[next] - polygon->z[j]);
    // From there back to the side, and down its round surface. Beyond its ends there is none.
    const double q = ((e.x - s->x[0]) * sx + (e.y - s->y[0]) * sy) / ss;
    const double away = fabs((e.x - s->x[0]) * sy - (e.y - s->y[0]) * sx) / sqrt(ss);
    if (q >= -END && q <= 1.0 + END && away < o->radius) {
        e.counts = 1.0 - dp_rise(away, TOP * o->radius, FLANK * o->radius);
        e.side_z = s->z[0] + q * (s->z[1] - s->z[0]) -
                   sign * drop(o->radius, away) / sqrt(1.0 - s->tilt * s->tilt);
    }
    return e;
}

// How much of a piece that runs beyond an edge counts: `far` is how far beyond it its end is. A
// little askew, all of it; across the edge, nothing.
static double beyond_counts(double far, double radius)
{
    return 1.0 - dp_rise(far, BESIDE * radius, ASIDE * radius);
}

// The corner at parameter t of the side. `edge` ≥ 0: that it may be beyond; `cut` ≥ 0: that cuts
// it, `end` ≥ 0: the end that it is. The gap is infinite where there is none.
static dp_corner side_corner(const over_polygon *o, double t, int edge, int cut, int end)
{
    const dp_outline *s = o->s, *polygon = o->polygon;
    const double x = s->x[0] + t * (s->x[1] - s->x[0]), y = s->y[0] + t * (s->y[1] - s->y[0]);
    const double sign = o->first ? 1.0 : -1.0;
    const bool outside = edge >= 0 && inside_edge(polygon, edge, x, y) < 0.0;
    dp_corner c = {.x = x, .y = y};
    double mine = s->z[0] + t * (s->z[1] - s->z[0]), other = dp_outline_height(polygon, x, y);
    c.gap = outside ? INFINITY : sign * (other - mine);
    c.weight = 1.0;
    // Beyond an edge, or over a face that slopes away from it, the edge is met.
    const int first = outside ? edge : 0, last = outside ? edge : polygon->count - 1;
    for (int j = first; j <= last; ++j) {
        const on_edge e = next_on_edge(o, j, x, y);
        const double gap = sign * (e.z - e.side_z);
        if (gap < c.gap) {
            c.gap = gap;
            c.weight = e.counts;
            c.x = e.x;
            c.y = e.y;
            mine = e.side_z;
            other = e.z;
        }
    }
    c.low = o->first ? mine : other;
    c.high = o->first ? other : mine;
    const int8_t vertex = (int8_t)end, line = (int8_t)(end >= 0 ? -1 : 0), theirs = (int8_t)cut;
    c.a = o->first ? vertex : -1;
    c.b = o->first ? -1 : vertex;
    c.cut = o->first ? line : theirs;
    c.by = o->first ? theirs : line;
    return c;
}

// How much is left of it for the gap at its end e, c being its beginning.
static double end_counts(const dp_corner *c, const dp_corner *e, double margin)
{
    if (!(e->gap < margin)) {
        return 0.0;
    }
    const double fall = e->gap - c->gap;
    const double across = dp_square(e->x - c->x) + dp_square(e->y - c->y);
    const double sine = fall > 0.0 ? fall / sqrt(across + fall * fall) : 0.0;
    return e->weight * dp_margin_taper(e->gap, margin) * (1.0 - dp_rise(sine, DP_FLAT, DP_STEEP));
}

void dp_patch_of_side(dp_patch *p, const dp_outline *side, const dp_outline *polygon, bool first,
                      double radius, double margin)
{
    const over_polygon over = {side, polygon, first, radius}, *o = &over;
    const dp_outline *s = side;
    const double on = dp_on_edge(side, polygon);
    p->size = side->extent < polygon->extent ? side->extent : polygon->extent;
    p->slope2 = INFINITY;
    p->shared = true;
    p->missing = polygon->disc ? dp_rise(polygon->tilt, DP_FLAT, DP_STEEP) : 0.0;
    double t[2] = {0.0, 1.0};
    int edge[2] = {-1, -1}; // where the side was cut at each end
    int beyond = -1;        // the edge that all of the side is beyond
    p->count = 0;
    for (int j = 0; j < polygon->count; ++j) {
        const int next = j + 1 < polygon->count ? j + 1 : 0;
        if (dp_square(polygon->x[next] - polygon->x[j]) +
                dp_square(polygon->y[next] - polygon->y[j]) <=
            on * on) {
            continue; // no edge to speak of
        }
        double d[2];
        for (int k = 0; k < 2; ++k) {
            d[k] = inside_edge(polygon, j, s->x[k], s->y[k]);
            d[k] = fabs(d[k]) <= on ? 0.0 : d[k];
        }
        if (d[0] >= 0.0 && d[1] >= 0.0) {
            continue;
        }
        if (d[0] <= 0.0 && d[1] <= 0.0) {
            if (beyond >= 0) {
                return; // beyond a corner
            }
            beyond = j;
            continue;
        }
        const double cut = d[0] / (d[0] - d[1]);
        const int k = d[0] < 0.0 ? 0 : 1;
        if (k == 0 ? cut > t[0] : cut < t[1]) {
            t[k] = cut;
            edge[k] = j;
        }
    }
    if (t[0] > t[1]) {
        return;
    }
    const double half = 0.5 * (t[1] - t[0]);
    dp_corner c[2];
    double met = 2.0 * half; // share of the side
    for (int k = 0; k < 2; ++k) {
        c[k] = side_corner(o, t[k], beyond, edge[k], edge[k] < 0 ? k : -1);
    }
    if (beyond >= 0) { // a piece that begins at the end next to the edge
        double far[2];
        for (int k = 0; k < 2; ++k) {
            far[k] = -inside_edge(polygon, beyond, s->x[0] + t[k] * (s->x[1] - s->x[0]),
                                  s->y[0] + t[k] * (s->y[1] - s->y[0]));
        }
        const int first_end = far[0] <= far[1] ? 0 : 1;
        dp_corner *begin = &c[first_end], *end = &c[1 - first_end];
        const double beside = beyond_counts(far[1 - first_end] - far[first_end], radius);
        const double counts = beside * end_counts(begin, end, margin);
        begin->weight *= half * counts;
        end->weight *= half * beside;
        met *= counts;
    } else {
        // Cut at both ends, next to a corner of the polygon, it has nothing to run along.
        const double fair = edge[0] >= 0 && edge[1] >= 0 ? dp_rise(2.0 * half, 0.0, SCANTY) : 1.0;
        for (int k = 0; k < 2; ++k) {
            c[k].weight *= half;
            if (edge[k] >= 0) {
                const double piece = 0.5 * (k == 0 ? t[0] : 1.0 - t[1]);
                const double far = -inside_edge(polygon, edge[k], s->x[k], s->y[k]);
                const double beside = fair * beyond_counts(far, radius);
                dp_corner e = side_corner(o, k, edge[k], -1, k);
                const double counts = beside * end_counts(&c[k], &e, margin);
                c[k].weight += piece * counts;
                e.weight *= piece * beside;
                met += 2.0 * piece * counts;
                if (counts > 0.0) {
                    p->corner[p->count++] = e;
                }
            }
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (c[k].gap < margin) {
            p->corner[p->count++] = c[k];
        }
    }
    const double scanty = 1.0 - dp_rise(met, 0.0, SCANTY);
    p->missing = p->missing + scanty - p->missing * scanty;
}

// The ends of the common part of two sides that are nearly parallel. Each side is a line on a round
// surface; where the lines run beside each other, the gap is that of the two circles there, whose
// radii together are `radius`.
void dp_patch_of_sides(dp_patch *p, const dp_outline *a, const dp_outline *b, double radius_a,
                       double radius_b)
{
    const double tilt_a = dp_rise(a->tilt, DP_FLAT, DP_STEEP);
    const double tilt_b = dp_rise(b->tilt, DP_FLAT, DP_STEEP);
    p->missing = tilt_a + tilt_b - tilt_a * tilt_b;
    p->size = a->extent < b->extent ? a->extent : b->extent;
    p->slope2 = INFINITY;
    p->shared = true;
    p->count = 0;
    const double ax = a->x[1] - a->x[0], ay = a->y[1] - a->y[0];
    const double bx = b->x[1] - b->x[0], by = b->y[1] - b->y[0];
    const double la = sqrt(ax * ax + ay * ay), lb = sqrt(bx * bx + by * by);
    if (!(la > 0.0 && lb > 0.0)) {
        p->missing = 1.0;
        return;
    }
    const double cosine = (ax * bx + ay * by) / (la * lb);
    const double sine = fabs(ax * by - ay * bx) / (la * lb);
    const double askew = dp_rise(sine, DP_FLAT, DP_STEEP);
    p->missing = p->missing + askew - p->missing * askew;
    if (p->missing >= 1.0) {
        return;
    }
    // The direction between the two.
    const double sign = cosine < 0.0 ? -1.0 : 1.0;
    double ux = ax / la + sign * bx / lb, uy = ay / la + sign * by / lb;
    const double lu = sqrt(ux * ux + uy * uy);
    ux /= lu;
    uy /= lu;
    double sa[2], sb[2];
    for (int k = 0; k < 2; ++k) {
        sa[k] = ux * a->x[k] + uy * a->y[k];
        sb[k] = ux * b->x[k] + uy * b->y[k];
    }
    const int b_low = sb[0] <= sb[1] ? 0 : 1;
    const double end[2] = {fmax(sa[0], sb[b_low]), fmin(sa[1], sb[1 - b_low])};
    if (!(end[0] <= end[1])) {
        return;
    }
    for (int k = 0; k < 2; ++k) {
        const double ta = (end[k] - sa[0]) / (sa[1] - sa[0]);
        const double tb = (end[k] - sb[0]) / (sb[1] - sb[0]);
        const double xa = a->x[0] + ta * ax, ya = a->y[0] + ta * ay;
        const double xb = b->x[0] + tb * bx, yb = b->y[0] + tb * by;
        const double aside = ux * (yb - ya) - uy * (xb - xa);
        if (!(fabs(aside) < radius_a + radius_b)) {
            continue;
        }
        const int ia = k, ib = k == 0 ? b_low : 1 - b_low;
        const bool end_of_a = sa[ia] == end[k];
        dp_corner *c = &p->corner[p->count++];
        // Aside of both lines, on both surfaces.
        const double share = radius_a / (radius_a + radius_b);
        *c = (dp_corner){.x = xa + share * (xb - xa), .y = ya + share * (yb - ya)};
        c->low = a->z[0] + ta * (a->z[1] - a->z[0]) - drop(radius_a, share * aside);
        c->high = b->z[0] + tb * (b->z[1] - b->z[0]) + drop(radius_b, (1.0 - share) * aside);
        c->gap = c->high - c->low;
        c->weight = 0.5;
        c->a = (int8_t)(end_of_a ? ia : -1);
        c->b = (int8_t)(end_of_a ? -1 : ib);
        c->cut = c->by = 0;
    }
}
