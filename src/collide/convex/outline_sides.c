// The sides of capsules and cylinders: lines on round surfaces, over polygons and over each other.
#include "collide/convex/outline.h"

// A side that runs beyond an edge belongs to it up to the first of these shares of its radius, and
// no longer from the second on.
#define BESIDE 0.02
#define ASIDE 0.2

// Where an edge is met by the flank of a side rather than by its top, in the same way.
#define TOP 0.5
#define FLANK 0.9

// The least cosine of a side and an edge that matters beside it, fully from twice as much on.
#define ACROSS 0.1

// A side of which less than this share is met is held by the nearest point, and one that stands up
// more steeply than from the first to the second of these sines: at 45° a cylinder shows its cap.
#define SCANTY 0.05
#define RISING 0.55
#define UPRIGHT 0.7

// A side over a polygon, seen with the side along the first axis: t from 0 to 1 on it, u across it.
// Cut across the side, it is a circle over a line of the polygon: from u_low to u_high, that is,
// where the polygon is. Circle and line are nearest in one place, which moves smoothly with all
// else, be it on the face or on an edge. A capsule that rolls over the edge of a box is held along
// all of the edge, even if it is not quite parallel.
typedef struct over_polygon {
    const dp_outline *s, *polygon;
    bool first; // the side belongs to A
    double radius;
    double length, sx, sy;                         // of the side, and its direction
    double t[DP_FACE_CORNERS], u[DP_FACE_CORNERS]; // corners of the polygon
} over_polygon;

static void look_along(over_polygon *o)
{
    const dp_outline *s = o->s, *polygon = o->polygon;
    const double by = 1.0 / o->length;
    for (int i = 0; i < polygon->count; ++i) {
        const double x = polygon->x[i] - s->x[0], y = polygon->y[i] - s->y[0];
        o->t[i] = (o->sx * x + o->sy * y) * by;
        o->u[i] = o->sx * y - o->sy * x;
    }
}

// Half the width of a round surface falls by this much, √ taken so that nothing cancels.
static double drop(double radius, double aside)
{
    return aside * aside / (radius + sqrt(radius * radius - aside * aside));
}

// Where the polygon is at t. What an edge that runs across the side cuts off there depends on its
// direction by a hair's breadth: the more it does so, the less is made of it.
static void reach_at(double *low, double *high, const over_polygon *o, double t)
{
    *low = -INFINITY;
    *high = INFINITY;
    for (int i = 0; i < o->polygon->count; ++i) {
        const int k = i + 1 < o->polygon->count ? i + 1 : 0;
        const double dt = o->t[k] - o->t[i], du = o->u[k] - o->u[i];
        const double along = fabs(dt) * o->length, along2 = along * along;
        const double edge2 = along2 + du * du;
        if (!(along2 > ACROSS * ACROSS * edge2)) {
            continue;
        }
        double u = o->u[i] + (t - o->t[i]) / dt * du, slack = 0.0;
        if (along2 < 4.0 * ACROSS * ACROSS * edge2) {
            slack = o->radius * (1.0 - dp_rise(along / sqrt(edge2), ACROSS, 2.0 * ACROSS));
        }
        if (dt > 0.0) {
            u -= slack;
            *low = u > *low ? u : *low;
        } else {
            u += slack;
            *high = u < *high ? u : *high;
        }
    }
}

// How much of a piece that runs beyond an edge counts: `far` is how far beyond it its end is. A
// little askew, all of it; across the edge, nothing.
static double beyond_counts(double far, double radius)
{
    return 1.0 - dp_rise(far, BESIDE * radius, ASIDE * radius);
}

// The corner at t. `vertex` ≥ 0: the corner of the polygon that is there, `cut` ≥ 0: the edge that
// the side crosses. The weight is 1, or less where the side is met by its flank; without any, the
// gap is infinite.
static dp_corner side_corner(const over_polygon *o, double t, int vertex, int cut)
{
    const dp_outline *s = o->s, *polygon = o->polygon;
    const double sign = o->first ? 1.0 : -1.0, radius = o->radius;
    const double x = s->x[0] + t * (s->x[1] - s->x[0]), y = s->y[0] + t * (s->y[1] - s->y[0]);
    const double lean = 1.0 / sqrt(1.0 - s->tilt * s->tilt);
    const double slope = o->sx * polygon->slope_y - o->sy * polygon->slope_x; // along u
    double low, high;
    reach_at(&low, &high, o, t);
    const double v = -sign * slope / lean;
    double u = radius * v / sqrt(1.0 + v * v);
    u = low > high ? 0.5 * (low + high) : u < low ? low : u > high ? high : u;
    dp_corner c = {.x = x - u * o->sy, .y = y + u * o->sx, .gap = INFINITY};
    if (fabs(u) < radius) {
        const double theirs = dp_outline_height(polygon, c.x, c.y);
        const double mine = s->z[0] + t * (s->z[1] - s->z[0]) - sign * drop(radius, u) * lean;
        c.low = o->first ? mine : theirs;
        c.high = o->first ? theirs : mine;
        c.gap = c.high - c.low;
        c.weight = 1.0 - dp_rise(fabs(u), TOP * radius, FLANK * radius);
    }
    const int8_t end = t <= 0.0 ? 0 : t >= 1.0 ? 1 : -1, line = end >= 0 ? -1 : 0;
    c.a = o->first ? end : (int8_t)vertex;
    c.b = o->first ? (int8_t)vertex : end;
    c.cut = o->first ? line : (int8_t)cut;
    c.by = o->first ? (int8_t)cut : line;
    return c;
}

// How much is left of a piece for the gap at its end e, c being its beginning.
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

// Ranges of t.
typedef struct ranges {
    double all[2];    // where there is both side and polygon
    int vertex[2];    // of the polygon, where it ends there; −1: the side does
    double within[2]; // where the side is over the polygon; else the place next to it
    int cut[2];       // the edges that it crosses there, −1: none
    double beside;    // how far it is from the polygon there
    double far[2];    // and at the ends of `all`
} ranges;

// Where the line of the side is over the polygon. Is it anywhere?
static bool find_within(ranges *r, const over_polygon *o, double on)
{
    r->within[0] = r->all[0];
    r->within[1] = r->all[1];
    r->cut[0] = r->cut[1] = -1;
    for (int i = 0; i < o->polygon->count; ++i) {
        const int k = i + 1 < o->polygon->count ? i + 1 : 0;
        const double dt = o->t[k] - o->t[i], du = o->u[k] - o->u[i];
        // Signed distance inside, at both ends of the side, times the length of the edge.
        const double length = fabs(dt) * o->length + fabs(du);
        double d0 = (o->t[i] * du - o->u[i] * dt) * o->length, d1 = d0 - du * o->length;
        d0 = fabs(d0) <= on * length ? 0.0 : d0;
        d1 = fabs(d1) <= on * length ? 0.0 : d1;
        if (!(length > on) || (d0 >= 0.0 && d1 >= 0.0)) {
            continue;
        }
        if (d0 <= 0.0 && d1 <= 0.0) {
            return false;
        }
        const double t = d0 / (d0 - d1);
        const int end = d0 < 0.0 ? 0 : 1;
        if (end == 0 ? t > r->within[0] : t < r->within[1]) {
            r->within[end] = t;
            r->cut[end] = i;
        }
    }
    return r->within[0] <= r->within[1];
}

static bool find_ranges(ranges *r, const over_polygon *o, double on)
{
    const int count = o->polygon->count;
    int least = 0, most = 0;
    for (int i = 1; i < count; ++i) {
        least = o->t[i] < o->t[least] ? i : least;
        most = o->t[i] > o->t[most] ? i : most;
    }
    r->vertex[0] = o->t[least] > 0.0 ? least : -1;
    r->vertex[1] = o->t[most] < 1.0 ? most : -1;
    r->all[0] = r->vertex[0] >= 0 ? o->t[least] : 0.0;
    r->all[1] = r->vertex[1] >= 0 ? o->t[most] : 1.0;
    if (!(r->all[0] < r->all[1])) {
        return false;
    }
    const bool over = find_within(r, o, on);
    double nearest = INFINITY, place = r->all[0];
    r->far[0] = r->far[1] = INFINITY;
    for (int i = 0; i < count; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        const double dt = o->t[k] - o->t[i];
        const int lower = dt > 0.0 ? i : k, upper = dt > 0.0 ? k : i;
        if (!(o->t[upper] >= r->all[0] && o->t[lower] <= r->all[1])) {
            continue;
        }
        for (int e = 0; e < 2; ++e) {
            const int near = e == 0 ? lower : upper;
            double t = o->t[near], u = o->u[near];
            if (e == 0 ? t <= r->all[0] : t >= r->all[1]) {
                if (t != r->all[e]) {
                    t = r->all[e];
                    u = o->u[i] + (t - o->t[i]) / dt * (o->u[k] - o->u[i]);
                }
                r->far[e] = fabs(u) < r->far[e] ? fabs(u) : r->far[e];
            }
            if (fabs(u) < nearest) {
                nearest = fabs(u);
                place = t;
            }
        }
    }
    r->beside = over ? 0.0 : nearest;
    if (!over) {
        r->within[0] = r->within[1] = place;
        r->cut[0] = r->cut[1] = -1;
    }
    return true;
}

void dp_patch_of_side(dp_patch *p, const dp_outline *side, const dp_outline *polygon, bool first,
                      double radius, double margin)
{
    over_polygon over = {.s = side, .polygon = polygon, .first = first, .radius = radius};
    const over_polygon *o = &over;
    const double on = dp_on_edge(side, polygon);
    p->size = side->size < polygon->size ? side->size : polygon->size;
    p->rim = true;
    p->splits = false;
    p->slope2 = INFINITY;
    p->shared = true;
    p->missing = polygon->disc ? dp_rise(polygon->tilt, DP_FLAT, DP_STEEP) : 0.0;
    p->count = 0;
    const double sx = side->x[1] - side->x[0], sy = side->y[1] - side->y[0];
    over.length = sqrt(sx * sx + sy * sy);
    const double upright = dp_rise(side->tilt, RISING, UPRIGHT);
    if (!(over.length > on && upright < 1.0)) {
        return;
    }
    over.sx = sx / over.length;
    over.sy = sy / over.length;
    look_along(&over);
    ranges r;
    if (!find_ranges(&r, o, on)) {
        return;
    }
    const double half = 0.5 * (r.within[1] - r.within[0]);
    double met = 2.0 * half, weight[2] = {half, half};
    dp_corner c[2];
    for (int k = 0; k < 2; ++k) {
        const bool whole = r.within[k] == r.all[k];
        c[k] = side_corner(o, r.within[k], whole ? r.vertex[k] : -1, r.cut[k]);
    }
    for (int k = 0; k < 2; ++k) {
        const double piece = 0.5 * fabs(r.all[k] - r.within[k]);
        if (piece * over.length <= on) {
            continue;
        }
        const double beside = beyond_counts(r.far[k] - r.beside, radius);
        if (!(beside > 0.0)) {
            continue;
        }
        dp_corner e = side_corner(o, r.all[k], r.vertex[k], -1);
        const double counts = beside * end_counts(&c[k], &e, margin);
        weight[k] += piece * counts;
        met += 2.0 * piece * counts;
        e.weight *= piece * beside;
        if (counts > 0.0) {
            p->corner[p->count++] = e;
        }
    }
    if (half * over.length <= on) { // both are one
        weight[0] += weight[1];
        weight[1] = 0.0;
    }
    for (int k = 0; k < 2; ++k) {
        c[k].weight *= weight[k];
        if (c[k].weight > 0.0 && c[k].gap < margin) {
            p->corner[p->count++] = c[k];
        }
    }
    const double scanty = 1.0 - dp_rise(met, 0.0, SCANTY);
    p->missing = 1.0 - (1.0 - p->missing) * (1.0 - scanty) * (1.0 - upright);
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
    p->size = a->size < b->size ? a->size : b->size;
    p->rim = true;
    p->splits = false;
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
