// The contact points of two convex shapes that are near each other: the corners of the common part
// of the two faces that look at each other.
//
// With n the normal of the pair, both faces are projected onto the plane across n and the two
// polygons intersected. At a corner of the intersection the gap is the difference of the heights of
// the two faces along n. Neither face is a reference: vertices on faces and crossing edges come out
// as they are, and so do points that are apart.
//
// Weights. A corner has the share (A_left + A_right)/2A of the area, where A_left and A_right are
// the triangles that its edges span with the centroid: the mean of the corners is then the
// centroid, and a corner that splits shares its weight. Thin areas are measured by length instead.
// The share is multiplied by a taper that falls to zero
//   - towards the margin, so that corners come and go without a jump, and
//   - for corners from which the gap falls steeply to another corner: what rises at more than 20°
//     takes no part. So nothing is left of a face when a shape turns on to the next one.
//
// The nearest points are the deepest, and usually a corner. Where no corner is as deep - on the
// round rim of a cap, and where two cylinders cross - they are a point of their own, whose weight
// grows with what the corners miss.
#include "base/error.h"
#include "collide/closed_forms.h"
#include "geom/support.h"

enum { ROOM = 2 * DP_FACE_CORNERS + 2 };

// Slopes (as sines) where the taper begins and where it ends: 6° and 20°.
#define FLAT 0.1
#define STEEP 0.35

// Areas by their share of the squared perimeter (1/16 for squares): below the first they are
// measured by their length, above the second by their area.
#define THIN 1e-6
#define WIDE 1e-4

// What the corners may miss of the depth, as a share of the length of the patch, before the nearest
// point takes all the weight.
#define MISSED 0.005

// Of the lengths: closer than this to an edge is on it.
#define ON_EDGE 0x1p-30

// A corner of the common area, in the plane across n.
typedef struct corner {
    double x, y;
    double low, high; // heights of A and of B
    double gap;
    double weight;
    int edge;         // that leaves it: of A, or −1 − edge of B
    uint64_t feature; // 0: not known yet
    int a, b;         // the vertices of A and of B that it is; −1: none
} corner;

// A face in the plane across n.
typedef struct outline {
    int count;
    double x[DP_FACE_CORNERS], y[DP_FACE_CORNERS], z[DP_FACE_CORNERS];
    int from[DP_FACE_CORNERS]; // number of the corner in the face
    double slope_x, slope_y;   // of the height
    double extent;
    const dp_face *face;
} outline;

typedef struct patch {
    int count;
    corner corner[ROOM];
    double size;    // of the faces [m]
    double missing; // weight that the nearest point takes whatever the corners say, 0 … 1
} patch;

// 0 below `from`, 1 above `to`, smooth in between.
static double rise(double x, double from, double to)
{
    const double t = (x - from) / (to - from);
    return t <= 0.0 ? 0.0 : t >= 1.0 ? 1.0 : t * t * (3.0 - 2.0 * t);
}

// Features name the part of A in their upper and that of B in their lower half.
enum { PART_VERTEX = 1, PART_EDGE = 2, PART_FACE = 3 };

static uint64_t part(int kind, const dp_face *f, int corner_number)
{
    const uint32_t number = kind == PART_VERTEX ? f->id[corner_number]
                            : kind == PART_EDGE
                                ? f->face * DP_FACE_CORNERS + (uint32_t)corner_number
                                : f->face;
    return (uint64_t)kind << 30 | (number & 0x3fffffffu);
}

static uint64_t feature_of(uint64_t part_of_a, uint64_t part_of_b)
{
    return part_of_a << 32 | part_of_b;
}

// --- Outlines

// Project a face; `turn` reverses the order, which is clockwise for B.
static void project(outline *out, const dp_face *f, dp_v3 t1, dp_v3 t2, dp_v3 n, bool turn)
{
    out->face = f;
    out->count = f->count;
    double extent = 0.0;
    for (int i = 0; i < f->count; ++i) {
        const int k = turn ? f->count - 1 - i : i;
        out->from[i] = k;
        out->x[i] = dp_v3_dot(t1, f->corner[k]);
        out->y[i] = dp_v3_dot(t2, f->corner[k]);
        out->z[i] = dp_v3_dot(n, f->corner[k]);
        extent = fmax(extent, fmax(fabs(out->x[i]), fabs(out->y[i])));
    }
    out->extent = extent;
    const double up = dp_v3_dot(n, f->normal);
    out->slope_x = -dp_v3_dot(t1, f->normal) / up;
    out->slope_y = -dp_v3_dot(t2, f->normal) / up;
}

static double height(const outline *o, double x, double y)
{
    return o->z[0] + o->slope_x * (x - o->x[0]) + o->slope_y * (y - o->y[0]);
}

// The number of the edge between corners i and i + 1 of an outline in its face.
static int edge_number(const outline *o, int i)
{
    const int next = i + 1 < o->count ? i + 1 : 0;
    const int a = o->from[i], b = o->from[next];
    return a + 1 == b || (b == 0 && a == o->count - 1) ? a : b; // turned around: where it starts
}

// --- Polygons

// The vertex of B between two of its edges, −1 when they are no neighbours.
static int between(const outline *b, int edge, int other)
{
    const int after = edge + 1 < b->count ? edge + 1 : 0;
    if (after == other) {
        return other;
    }
    const int after_other = other + 1 < b->count ? other + 1 : 0;
    return after_other == edge ? edge : -1;
}

// Where the polygon, leaving corner p for q, crosses edge j of B; dp and dq are their distances.
static corner crossing(const corner *p, const corner *q, double dp, double dq, const outline *b,
                       int j, int edge)
{
    corner c = {.edge = edge, .a = -1, .b = -1};
    if (p->edge < 0) {
        c.b = between(b, -1 - p->edge, j);
        if (c.b >= 0) {
            c.x = b->x[c.b];
            c.y = b->y[c.b];
            return c;
        }
    } else {
        c.feature = (uint64_t)p->edge << 32 | (uint64_t)j; // completed later
    }
    const double t = dp / (dp - dq);
    c.x = p->x + t * (q->x - p->x);
    c.y = p->y + t * (q->y - p->y);
    return c;
}

// Keep what lies to the left of edge j of B. Corners within `on` of it are on it, and stay.
static int clip(corner *out, const corner *in, int count, const outline *b, int j, double on)
{
    const int next = j + 1 < b->count ? j + 1 : 0;
    double ex = b->x[next] - b->x[j], ey = b->y[next] - b->y[j];
    const double length = sqrt(ex * ex + ey * ey);
    if (!(length > on)) {
        return -1; // no edge to speak of
    }
    ex /= length;
    ey /= length;
    double distance[ROOM];
    bool all_in = true;
    for (int i = 0; i < count; ++i) {
        const double d = ex * (in[i].y - b->y[j]) - ey * (in[i].x - b->x[j]);
        distance[i] = fabs(d) <= on ? 0.0 : d;
        all_in = all_in && distance[i] >= 0.0;
    }
    if (all_in) {
        return -1;
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        const double di = distance[i], dk = distance[k];
        if (di >= 0.0 && kept < ROOM) {
            out[kept] = in[i];
            if (di == 0.0 && dk < 0.0) {
                out[kept].edge = -1 - j;
            }
            kept++;
        }
        if (di > 0.0 && dk < 0.0 && kept < ROOM) {
            out[kept++] = crossing(&in[i], &in[k], di, dk, b, j, -1 - j);
        } else if (di < 0.0 && dk > 0.0 && kept < ROOM) {
            out[kept++] = crossing(&in[i], &in[k], di, dk, b, j, in[i].edge);
        }
    }
    return kept;
}

// Heights and features of corners whose places are known.
static void complete(patch *p, const outline *a, const outline *b)
{
    for (int i = 0; i < p->count; ++i) {
        corner *c = &p->corner[i];
        c->low = c->a >= 0 ? a->z[c->a] : height(a, c->x, c->y);
        c->high = c->b >= 0 ? b->z[c->b] : height(b, c->x, c->y);
        c->gap = c->high - c->low;
        if (c->a >= 0) {
            c->feature =
                feature_of(part(PART_VERTEX, a->face, a->from[c->a]), part(PART_FACE, b->face, 0));
        } else if (c->b >= 0) {
            c->feature =
                feature_of(part(PART_FACE, a->face, 0), part(PART_VERTEX, b->face, b->from[c->b]));
        } else {
            const int i_a = (int)(c->feature >> 32), i_b = (int)(c->feature & 0xffffffffu);
            c->feature = feature_of(part(PART_EDGE, a->face, edge_number(a, i_a)),
                                    part(PART_EDGE, b->face, edge_number(b, i_b)));
        }
    }
}

// Leave out corners in the place of the one before.
static void merge_equal(patch *p, double on)
{
    int kept = 0;
    for (int i = 0; i < p->count; ++i) {
        const corner *c = &p->corner[i];
        const corner *last = kept > 0 ? &p->corner[kept - 1] : NULL;
        const bool same = last && fabs(c->x - last->x) <= on && fabs(c->y - last->y) <= on;
        if (!same) {
            p->corner[kept++] = *c;
        }
    }
    if (kept > 1) {
        const corner *first = &p->corner[0], *last = &p->corner[kept - 1];
        if (fabs(first->x - last->x) <= on && fabs(first->y - last->y) <= on) {
            kept--;
        }
    }
    p->count = kept;
}

static void intersect_polygons(patch *p, const outline *a, const outline *b, double on)
{
    corner other[ROOM];
    corner *from = p->corner, *to = other;
    int count = a->count;
    for (int i = 0; i < count; ++i) {
        from[i] = (corner){.x = a->x[i], .y = a->y[i], .edge = i, .a = i, .b = -1};
    }
    for (int j = 0; j < b->count && count > 0; ++j) {
        const int kept = clip(to, from, count, b, j, on);
        if (kept >= 0) {
            corner *swap = from;
            from = to;
            to = swap;
            count = kept;
        }
    }
    if (from != p->corner) {
        for (int i = 0; i < count; ++i) {
            p->corner[i] = from[i];
        }
    }
    p->count = count;
    merge_equal(p, on);
    complete(p, a, b);
}

// A whole disc, of the cap of A or B? Every second corner will do: six, equally spread.
static void halve_disc(patch *p, const dp_placed *a, const dp_placed *b)
{
    if (p->count != 12) {
        return;
    }
    bool of_a = a->shape->kind == DP_CYLINDER, of_b = b->shape->kind == DP_CYLINDER;
    for (int i = 0; i < 12; ++i) {
        of_a = of_a && p->corner[i].a >= 0;
        of_b = of_b && p->corner[i].b >= 0;
    }
    if (of_a || of_b) {
        for (int i = 0; i < 6; ++i) {
            p->corner[i] = p->corner[2 * i];
        }
        p->count = 6;
    }
}

// All corners of an outline over a plane at height `low`.
static void take_all(patch *p, const outline *b, double low)
{
    p->count = 0;
    for (int i = 0; i < b->count; ++i) {
        const dp_face *f = b->face;
        p->corner[p->count++] = (corner){
            .x = b->x[i],
            .y = b->y[i],
            .low = low,
            .high = b->z[i],
            .gap = b->z[i] - low,
            .a = -1,
            .b = i,
            .feature = feature_of((uint64_t)PART_FACE << 30, part(PART_VERTEX, f, b->from[i])),
        };
    }
}

// --- Segments

// A side over a polygon. Where the side runs beyond an edge, or along it, the gap is that of the
// edge and the circle there: a capsule that rolls over the edge of a box is held along all of the
// edge, even if it is not quite parallel.
typedef struct over_polygon {
    const outline *s, *polygon;
    bool first; // the side belongs to A
    double radius;
} over_polygon;

// Signed distance of (x, y) from edge j of a polygon, positive inside.
static double inside_edge(const outline *o, int j, double x, double y)
{
    const int next = j + 1 < o->count ? j + 1 : 0;
    const double ex = o->x[next] - o->x[j], ey = o->y[next] - o->y[j];
    return (ex * (y - o->y[j]) - ey * (x - o->x[j])) / sqrt(ex * ex + ey * ey);
}

// The point of edge j next to (x, y): its height, and how far it is.
static double edge_height(double *aside, const outline *o, int j, double x, double y)
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
static corner side_corner(const over_polygon *o, double t, int edge, int cut, int end)
{
    const outline *s = o->s, *polygon = o->polygon;
    corner c = {.a = -1, .b = -1};
    c.x = s->x[0] + t * (s->x[1] - s->x[0]);
    c.y = s->y[0] + t * (s->y[1] - s->y[0]);
    const double z = s->z[0] + t * (s->z[1] - s->z[0]);
    const double sign = o->first ? 1.0 : -1.0;
    const bool outside = edge >= 0 && inside_edge(polygon, edge, c.x, c.y) < 0.0;
    double other = height(polygon, c.x, c.y);
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
    const uint64_t mine =
        part(end >= 0 ? PART_VERTEX : PART_EDGE, s->face, end >= 0 ? s->from[end] : 0);
    const uint64_t theirs = cut >= 0 ? part(PART_EDGE, polygon->face, edge_number(polygon, cut))
                                     : part(PART_FACE, polygon->face, 0);
    c.feature = o->first ? feature_of(mine, theirs) : feature_of(theirs, mine);
    return c;
}

static double margin_taper(double gap, double margin)
{
    return gap <= 0.0 ? 1.0 : gap < margin ? 1.0 - rise(gap, 0.0, margin) : 0.0;
}

// How much of a piece that runs beyond an edge counts, from the crossing c to the end e.
static double beyond_counts(const corner *c, const corner *e, double margin)
{
    const double fall = e->gap - c->gap;
    const double across = dp_square(e->x - c->x) + dp_square(e->y - c->y);
    const double sine = fall > 0.0 ? fall / sqrt(across + fall * fall) : 0.0;
    return margin_taper(e->gap, margin) * (1.0 - rise(sine, FLAT, STEEP));
}

static void clip_side(patch *p, const over_polygon *o, double on, double margin)
{
    const outline *s = o->s, *polygon = o->polygon;
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
        corner c = side_corner(o, t[k], beyond, edge[k], edge[k] < 0 ? k : -1);
        c.weight = half;
        if (edge[k] >= 0 && beyond < 0) {
            const double piece = 0.5 * (k == 0 ? t[0] : 1.0 - t[1]);
            corner e = side_corner(o, k, edge[k], -1, k);
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
static void intersect_segments(patch *p, const outline *a, const outline *b, double radius)
{
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
    p->missing = 1.0 - (1.0 - p->missing) * (1.0 - rise(sine, FLAT, STEEP));
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
        corner *c = &p->corner[p->count++];
        *c = (corner){.x = 0.5 * (xa + xb), .y = 0.5 * (ya + yb)};
        c->low = a->z[0] + ta * (a->z[1] - a->z[0]);
        c->high = b->z[0] + tb * (b->z[1] - b->z[0]);
        c->gap = gap_aside(radius, c->high - c->low, aside);
        c->weight = 0.5;
        c->feature =
            end_of_a
                ? feature_of(part(PART_VERTEX, a->face, a->from[ia]), part(PART_EDGE, b->face, 0))
                : feature_of(part(PART_EDGE, a->face, 0), part(PART_VERTEX, b->face, b->from[ib]));
    }
}

// --- Weights

// The share of each corner in the area, in corner.weight.
static void share_area(patch *p)
{
    corner *c = p->corner;
    const int count = p->count;
    if (count < 3) {
        for (int i = 0; i < count; ++i) {
            c[i].weight = 1.0 / count;
        }
        return;
    }
    // Area and centroid about the first corner.
    double area = 0.0, cx = 0.0, cy = 0.0, perimeter = 0.0;
    double length[ROOM];
    for (int i = 0; i < count; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        const double x = c[i].x - c[0].x, y = c[i].y - c[0].y;
        const double x1 = c[k].x - c[0].x, y1 = c[k].y - c[0].y;
        const double twice = x * y1 - y * x1;
        area += twice;
        cx += twice * (x + x1);
        cy += twice * (y + y1);
        length[i] = sqrt(dp_square(x1 - x) + dp_square(y1 - y));
        perimeter += length[i];
    }
    const double by_area =
        rise(0.5 * area, THIN * perimeter * perimeter, WIDE * perimeter * perimeter);
    if (by_area > 0.0) {
        cx /= 3.0 * area;
        cy /= 3.0 * area;
    }
    for (int i = 0; i < count; ++i) {
        c[i].weight = 0.0;
    }
    for (int i = 0; i < count; ++i) {
        const int k = i + 1 < count ? i + 1 : 0;
        double half = (1.0 - by_area) * 0.5 * length[i] / perimeter;
        if (by_area > 0.0) {
            const double x = c[i].x - c[0].x - cx, y = c[i].y - c[0].y - cy;
            const double x1 = c[k].x - c[0].x - cx, y1 = c[k].y - c[0].y - cy;
            half += by_area * 0.5 * fmax(x * y1 - y * x1, 0.0) / area;
        }
        c[i].weight += half;
        c[k].weight += half;
    }
}

// How steeply the gap falls from corner i to another one: the greatest sine, squared.
static double steepest_fall(const patch *p, int i)
{
    const corner *c = &p->corner[i];
    double most = 0.0;
    for (int k = 0; k < p->count; ++k) {
        const double fall = c->gap - p->corner[k].gap;
        if (fall > 0.0) {
            const double across =
                dp_square(c->x - p->corner[k].x) + dp_square(c->y - p->corner[k].y);
            most = fmax(most, fall * fall / (across + fall * fall));
        }
    }
    return most;
}

// Taper the shares, leave out corners of no weight. Returns the sum of the weights.
static double taper(patch *p, double margin, bool level)
{
    double factor[ROOM], sum = 0.0;
    for (int i = 0; i < p->count; ++i) {
        const double gap = p->corner[i].gap;
        factor[i] = margin_taper(gap, margin);
        if (!level && factor[i] > 0.0) {
            factor[i] *= 1.0 - rise(sqrt(steepest_fall(p, i)), FLAT, STEEP);
        }
    }
    int kept = 0;
    for (int i = 0; i < p->count; ++i) {
        if (factor[i] > 0.0 && p->corner[i].weight > 0.0) {
            p->corner[kept] = p->corner[i];
            p->corner[kept].weight *= factor[i];
            sum += p->corner[kept].weight;
            kept++;
        }
    }
    p->count = kept;
    return sum;
}

// Leave out the corner whose absence takes the least area away, but not the deepest, until there
// are no more than `most`. Its weight goes to its neighbours, by their distance along the line
// between them. Corners whose areas differ by less than a millionth are alike: then the first one
// goes.
static void thin_out(patch *p, int most)
{
    while (p->count > most) {
        int deepest = 0, least = 0;
        for (int i = 1; i < p->count; ++i) {
            deepest = p->corner[i].gap < p->corner[deepest].gap ? i : deepest;
        }
        double least_area = INFINITY;
        for (int i = 0; i < p->count; ++i) {
            const corner *a = &p->corner[(i + p->count - 1) % p->count], *c = &p->corner[i];
            const corner *b = &p->corner[(i + 1) % p->count];
            const double area = fabs((c->x - a->x) * (b->y - a->y) - (c->y - a->y) * (b->x - a->x));
            if (i != deepest && area < least_area * (1.0 - 1e-6)) {
                least_area = area;
                least = i;
            }
        }
        corner *a = &p->corner[(least + p->count - 1) % p->count];
        corner *b = &p->corner[(least + 1) % p->count];
        const corner *c = &p->corner[least];
        const double ex = b->x - a->x, ey = b->y - a->y, ee = ex * ex + ey * ey;
        double t = ee > 0.0 ? ((c->x - a->x) * ex + (c->y - a->y) * ey) / ee : 0.5;
        t = fmin(fmax(t, 0.0), 1.0);
        a->weight += (1.0 - t) * c->weight;
        b->weight += t * c->weight;
        for (int i = least + 1; i < p->count; ++i) {
            p->corner[i - 1] = p->corner[i];
        }
        p->count--;
    }
}

// --- The whole

static bool is_round(const dp_shape *s)
{
    return s->kind == DP_SPHERE || s->kind == DP_ELLIPSOID;
}

// How much of the weight a shape leaves to the nearest point for the slope of its face: flat faces
// meet in corners, but the rim of a cap and the end of a side are only met by the nearest point.
static double missing_of(const dp_shape *s, const dp_face *f, const dp_placed *placed, dp_v3 n)
{
    if (s->kind == DP_CYLINDER && f->count > 2) {
        return rise(dp_v3_norm(dp_v3_cross(f->normal, n)), FLAT, STEEP);
    }
    if (f->count == 2) {
        return rise(fabs(dp_v3_dot(dp_m3_column(&placed->R, 2), n)), FLAT, STEEP);
    }
    return 0.0;
}

static dp_status no_room(const dp_contact_buffer *out, int count)
{
    return dp_fail(DP_ERROR_CAPACITY, "the buffer has room for %d contact points (needed: %d)",
                   out->capacity, out->count + count);
}

// The patch of corners; origin: the middle of the nearest points.
static void find_corners(patch *p, const dp_placed *a, const dp_placed *b, dp_v3 origin, dp_v3 n,
                         dp_v3 t1, dp_v3 t2, double margin)
{
    dp_face fa, fb;
    outline oa, ob;
    dp_placed_face(&fb, b, origin, (dp_v3){-n.x, -n.y, -n.z});
    project(&ob, &fb, t1, t2, n, true);
    if (a->shape->kind == DP_PLANE) {
        p->missing = fb.count > 2 ? missing_of(b->shape, &fb, b, n) : 0.0;
        p->size = ob.extent;
        take_all(p, &ob, dp_v3_dot(n, dp_v3_sub(a->p, origin)));
        halve_disc(p, a, b);
        share_area(p);
        return;
    }
    dp_placed_face(&fa, a, origin, n);
    project(&oa, &fa, t1, t2, n, false);
    p->size = fmin(oa.extent, ob.extent);
    const double on = ON_EDGE * p->size + 0x1p-44 * fmax(oa.extent, ob.extent);
    p->missing = 0.0;
    if (fa.count > 2 && fb.count > 2) {
        p->missing =
            1.0 - (1.0 - missing_of(a->shape, &fa, a, n)) * (1.0 - missing_of(b->shape, &fb, b, n));
        intersect_polygons(p, &oa, &ob, on);
        halve_disc(p, a, b);
        share_area(p);
    } else if (fa.count > 2) {
        p->missing = missing_of(a->shape, &fa, a, n);
        clip_side(p, &(over_polygon){&ob, &oa, false, b->shape->size[0]}, on, margin);
    } else if (fb.count > 2) {
        p->missing = missing_of(b->shape, &fb, b, n);
        clip_side(p, &(over_polygon){&oa, &ob, true, a->shape->size[0]}, on, margin);
    } else {
        p->missing =
            1.0 - (1.0 - missing_of(a->shape, &fa, a, n)) * (1.0 - missing_of(b->shape, &fb, b, n));
        intersect_segments(p, &oa, &ob, a->shape->size[0] + b->shape->size[0]);
    }
}

dp_status dp_convex_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                             const dp_distance *nearest, double margin)
{
    if (!(nearest->gap < margin)) {
        return DP_OK;
    }
    const dp_v3 n = nearest->normal;
    const dp_v3 origin =
        dp_v3_madd(nearest->point[0], 0.5, dp_v3_sub(nearest->point[1], nearest->point[0]));
    const dp_v3 t1 = dp_v3_across(n), t2 = dp_v3_cross(n, t1);
    patch p = {.count = 0};
    double by_nearest = 1.0, sum = 0.0; // shares of the nearest point, and weights of the corners
    if (!is_round(a->shape) && !is_round(b->shape)) {
        find_corners(&p, a, b, origin, n, t1, t2, margin);
        for (int i = 0; i < p.count; ++i) { // what is on an edge may be beyond it, by a little
            p.corner[i].gap = fmax(p.corner[i].gap, nearest->gap);
        }
        sum = taper(&p, margin, false);
    }
    if (p.count > 0) {
        double deepest = INFINITY;
        for (int i = 0; i < p.count; ++i) {
            deepest = fmin(deepest, p.corner[i].gap);
        }
        const double missed = deepest - nearest->gap;
        const double round_off = 0x1p-44 * (p.size + fabs(nearest->gap));
        by_nearest = p.missing;
        if (missed > round_off) {
            const double share =
                fmax(rise(missed, 0.0, margin - nearest->gap), rise(missed, 0.0, MISSED * p.size));
            by_nearest = share + p.missing - share * p.missing; // 1 − (1 − share)(1 − missing)
        }
        if (by_nearest >= 1.0) {
            p.count = 0;
        }
        thin_out(&p, DP_PATCH_POINTS - (by_nearest > 0.0));
    }
    const int count = p.count + (by_nearest > 0.0);
    if (out->capacity - out->count < count) {
        return no_room(out, count);
    }
    for (int i = 0; i < p.count; ++i) {
        const corner *c = &p.corner[i];
        dp_v3 x = dp_v3_madd(origin, c->x, t1);
        x = dp_v3_madd(x, c->y, t2);
        x = dp_v3_madd(x, 0.5 * (c->low + c->high), n);
        out->point[out->count++] = (dp_contact_point){
            .point = x,
            .normal = n,
            .gap = c->gap,
            .weight = (1.0 - by_nearest) * c->weight / sum,
            .feature = c->feature,
        };
    }
    if (by_nearest > 0.0) {
        out->point[out->count++] = (dp_contact_point){
            .point = origin, .normal = n, .gap = nearest->gap, .weight = by_nearest};
    }
    if (nearest->outcome > out->outcome) {
        out->outcome = nearest->outcome;
    }
    return DP_OK;
}
