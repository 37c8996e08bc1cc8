// The sides of capsules and cylinders: lines on round surfaces, over polygons and over each other.
#include "collide/outline.h"

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

// The point of edge j next to (x, y): its height, and how far it is.
static double edge_height(double *aside, const dp_outline *o, int j, double x, double y)
{
    const int next = j + 1 < o->count ? j + 1 : 0;
    const double ex = o->x[next] - o->x[j], ey = o->y[next] - o->y[j], ee = ex * ex + ey * ey;
    const double t = ((x - o->x[j]) * ex + (y - o->y[j]) * ey) / ee;
    if (t > 0.0 && t < 1.0) {
        *aside = ((y - o->y[j]) * ex - (x - o->x[j]) * ey) / sqrt(ee);
        return o->z[j] + t * (o->z[next] - o->z[j]);
    }
    const int end = t > 0.0 ? next : j; // also where the edge has no length
    *aside = sqrt(dp_square(x - o->x[end]) + dp_square(y - o->y[end]));
    return o->z[end];
}

// The gap of a round surface of this radius and a line that passes it at height h and, seen along
// the normal, `aside`: √((radius + h)² + aside²) − radius without cancellation.
static double gap_aside(double radius, double h, double aside)
{
    const double centre = radius + h, sum = sqrt(centre * centre + aside * aside) + centre;
    return sum > 0.0 ? h + aside * aside / sum : h;
}

// The corner at parameter t of the side. `edge` ≥ 0: that it may be beyond; `cut` ≥ 0: that cuts
// it, `end` ≥ 0: the end that it is.
static dp_corner side_corner(const over_polygon *o, double t, int edge, int cut, int end)
{
    const dp_outline *s = o->s, *polygon = o->polygon;
    dp_corner c = {0};
    c.x = s->x[0] + t * (s->x[1] - s->x[0]);
    c.y = s->y[0] + t * (s->y[1] - s->y[0]);
    const double z = s->z[0] + t * (s->z[1] - s->z[0]);
    const double sign = o->first ? 1.0 : -1.0;
    const bool outside = edge >= 0 && inside_edge(polygon, edge, c.x, c.y) < 0.0;
    double other = dp_outline_height(polygon, c.x, c.y);
    c.gap = outside ? INFINITY : sign * (other - z);
    // Over a face that slopes away the edges may be nearer.
    const int first = outside ? edge : 0, last = outside ? edge : polygon->count - 1;
    for (int j = first; j <= last; ++j) {
        double aside;
        const double at_edge = edge_height(&aside, polygon, j, c.x, c.y);
        const double gap = gap_aside(o->radius, sign * (at_edge - z), aside);
        if (gap < c.gap) {
            c.gap = gap;
            other = at_edge;
        }
    }
    c.low = o->first ? z : other;
    c.high = o->first ? other : z;
    const int8_t vertex = (int8_t)end, mine = (int8_t)(end >= 0 ? -1 : 0), theirs = (int8_t)cut;
    c.a = o->first ? vertex : -1;
    c.b = o->first ? -1 : vertex;
    c.cut = o->first ? mine : theirs;
    c.by = o->first ? theirs : mine;
    return c;
}

// How much of a piece that runs beyond an edge counts, from the crossing c to the end e.
static double beyond_counts(const dp_corner *c, const dp_corner *e, double margin)
{
    const double fall = e->gap - c->gap;
    const double across = dp_square(e->x - c->x) + dp_square(e->y - c->y);
    const double sine = fall > 0.0 ? fall / sqrt(across + fall * fall) : 0.0;
    return dp_margin_taper(e->gap, margin) * (1.0 - dp_rise(sine, DP_FLAT, DP_STEEP));
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
    for (int k = 0; k < 2; ++k) {
        dp_corner c = side_corner(o, t[k], beyond, edge[k], edge[k] < 0 ? k : -1);
        c.weight = half;
        if (edge[k] >= 0 && beyond < 0) {
            const double piece = 0.5 * (k == 0 ? t[0] : 1.0 - t[1]);
            dp_corner e = side_corner(o, k, edge[k], -1, k);
            e.weight = piece;
            const double counts = beyond_counts(&c, &e, margin);
            c.weight += piece * counts;
            if (counts > 0.0) {
                p->corner[p->count++] = e;
            }
        }
        p->corner[p->count++] = c;
    }
}

// The ends of the common part of two sides that are nearly parallel. Each side is a line on a round
// surface; where the lines run beside each other, the gap is that of the two circles there, whose
// radii together are `radius`.
void dp_patch_of_sides(dp_patch *p, const dp_outline *a, const dp_outline *b, double radius)
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
        const int ia = k, ib = k == 0 ? b_low : 1 - b_low;
        const bool end_of_a = sa[ia] == end[k];
        dp_corner *c = &p->corner[p->count++];
        *c = (dp_corner){.x = 0.5 * (xa + xb), .y = 0.5 * (ya + yb)};
        c->low = a->z[0] + ta * (a->z[1] - a->z[0]);
        c->high = b->z[0] + tb * (b->z[1] - b->z[0]);
        c->gap = gap_aside(radius, c->high - c->low, aside);
        c->weight = 0.5;
        c->a = (int8_t)(end_of_a ? ia : -1);
        c->b = (int8_t)(end_of_a ? -1 : ib);
        c->cut = c->by = 0;
    }
}
