// A convex shape A on a surface or terrain: contact points and distance.
//
// A triangle and the edges around it have normals: its own; at a ridge all directions between its
// own and that of its neighbour; at a vertex those in which the vertex is above all its neighbours.
// At flat edges and in furrows there are none but those of the faces. Along a normal m of a feature
// the gap is
//
//     φ(m) = min over x in A of m·x − m·(the feature)                               (TERRAIN 1)
//
// and the contacts are the greatest φ among the normals of a place: the nearest points where A is
// apart, the shortest way out where it is not. So a shape on a flat floor sees the normal of the
// floor, however it is cut into triangles, and edges that do not stand out touch nothing.
//
// For a face φ is greatest at its own normal n when the lowest point of A lies over it. The face of
// A that looks along −n is cut by the triangle, and each corner of what is left is a point, with
// its height over the triangle as gap. For an edge the greatest φ is found in the plane across it.
// The face of A is then cut along that m instead, by the triangles on both sides.
//
// Points whose normals are within CLUSTER of each other share one patch, each with its own normal
// and gap: triangles of one plane always do, and a floor that is nearly flat is no stiffer than one
// that is flat. Of all points of a patch the corners of their convex outline stay.
//
// Points below the surface are true overlaps, but not all are on a way out: the side of a table is
// cut by what lies on its top. A point is left out when A can be moved out along the normal of
// another, shorter, and would no longer reach it then: it lies behind the plane there.
//
// How deep: a surface pushes as long as some part of A is in front of the triangle, so up to the
// width of A along its normal. Terrain pushes until A is below the base.
#include "base/error.h"
#include "collide/closed_forms.h"
#include "collide/patch.h"
#include "geom/bounds.h"
#include "geom/core.h"
#include "geom/ground.h"
#include "geom/triangle.h"

enum {
    PATCHES = 16, // clusters at once; where there are more, the deepest stay
    SPOTS = 48,   // points of a cluster, before it is reduced to its outline
    CUTS = 64,    // steps in search of the normal of an edge
    PARTS = 8,    // of the normals of an edge, each searched on its own
    CORNERS = DP_FACE_CORNERS + 4,
};

// The cosine of 0.02 rad.
static const double CLUSTER = 0.9998;

// Round-off of lengths, relative to the lengths that went in.
static const double TINY = 0x1p-44;

// Points nearer to each other than this, relative to the size of A, are one.
static const double SAME = 1e-9;

// What the corners may miss of the depth, as a share of the size of A, before the lowest point
// takes all the weight.
static const double MISSED = 0.005;

// A place where A may touch. All vectors in the axes of the ground, from the place of A.
typedef struct spot {
    dp_v3 at;     // on the ground
    dp_v3 normal; // m, towards A
    double gap;
    double x, y; // in the plane of the cluster
    uint64_t feature;
} spot;

// Where A could be moved out.
typedef struct way_out {
    dp_v3 m;
    double phi;   // of all of A
    double level; // of the ground along m
} way_out;

typedef struct cluster {
    dp_v3 normal, t1, t2;
    int count;
    spot spot[SPOTS];
    spot lowest;   // the lowest point of A over the ground here
    bool sound;    // is there one?
    way_out out;   // the shortest
    double least;  // gap
    double missed; // share of the weight that the lowest point takes whatever the corners say
} cluster;

typedef struct query {
    const dp_shape *ground;
    dp_placed a; // in the axes of the ground, at their origin
    dp_v3 p;     // where it is
    double radius, reach, margin, tiny;
    bool round;      // does it touch in single points?
    bool polyhedron; // are its ways out through faces and edges?
    dp_bounds box;   // around A, with the margin
    int hint;
    int count;
    bool near; // is A below the margin over the plane of a triangle?
    bool cuts; // does A share a point with a triangle?
    bool full; // was a cluster left out?
    cluster cluster[PATCHES];
} query;

static dp_v3 negative(dp_v3 v)
{
    return (dp_v3){-v.x, -v.y, -v.z};
}

// The point of the core of A furthest along d.
static dp_v3 core_along(query *q, dp_v3 d)
{
    const dp_v3 local = dp_m3_apply_transposed(&q->a.R, d);
    return dp_m3_apply(&q->a.R, dp_core_support_of(q->a.shape, local, &q->hint));
}

// --- clusters

static cluster *cluster_of(query *q, dp_v3 m, double gap)
{
    for (int i = 0; i < q->count; ++i) {
        if (dp_v3_dot(q->cluster[i].normal, m) >= CLUSTER) {
            return &q->cluster[i];
        }
    }
    cluster *c = NULL;
    if (q->count < PATCHES) {
        c = &q->cluster[q->count++];
    } else {
        q->full = true;
        c = &q->cluster[0];
        for (int i = 1; i < PATCHES; ++i) {
            c = q->cluster[i].least > c->least ? &q->cluster[i] : c;
        }
        if (!(gap < c->least)) {
            return NULL;
        }
    }
    c->normal = m;
    c->t1 = dp_v3_across(m);
    c->t2 = dp_v3_cross(m, c->t1);
    c->count = 0;
    c->sound = false;
    c->least = INFINITY;
    c->out.phi = -INFINITY;
    c->missed = 0.0;
    return c;
}

// Twice the area to the left of the way from a over b to c.
static double turn(const spot *a, const spot *b, const spot *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static bool is_before(const spot *a, const spot *b)
{
    return a->x < b->x || (a->x == b->x && a->y < b->y);
}

// Is b needed between its neighbours a and c of the outline? Where it stands out, or lies deeper
// than the line between them.
static bool stands_out(const spot *a, const spot *b, const spot *c, double tiny)
{
    const double dx = c->x - a->x, dy = c->y - a->y, length = sqrt(dx * dx + dy * dy);
    const double out = turn(a, b, c);
    if (out > tiny * length) {
        return true;
    }
    if (out < -tiny * length || !(length > 0.0)) {
        return false;
    }
    const double t = ((b->x - a->x) * dx + (b->y - a->y) * dy) / (length * length);
    return b->gap < a->gap + t * (c->gap - a->gap) - tiny;
}

// Replace the points by the corners of their convex outline, counterclockwise (Andrew's chain).
static void take_outline(cluster *c, double tiny)
{
    if (c->count < 3) {
        return;
    }
    for (int i = 1; i < c->count; ++i) { // insertion: few points, nearly in order
        const spot s = c->spot[i];
        int k = i;
        for (; k > 0 && is_before(&s, &c->spot[k - 1]); --k) {
            c->spot[k] = c->spot[k - 1];
        }
        c->spot[k] = s;
    }
    spot chain[2 * SPOTS];
    int n = 0;
    for (int i = 0; i < c->count; ++i) {
        while (n >= 2 && !stands_out(&chain[n - 2], &chain[n - 1], &c->spot[i], tiny)) {
            --n;
        }
        chain[n++] = c->spot[i];
    }
    const int lower = n + 1;
    for (int i = c->count - 2; i >= 0; --i) {
        while (n >= lower && !stands_out(&chain[n - 2], &chain[n - 1], &c->spot[i], tiny)) {
            --n;
        }
        chain[n++] = c->spot[i];
    }
    --n; // the first again
    n = n < SPOTS ? n : SPOTS;
    for (int i = 0; i < n; ++i) {
        c->spot[i] = chain[i];
    }
    c->count = n;
}

// Leave out the corner that takes the least area with it.
static void drop_least(cluster *c)
{
    int least = 0;
    double least_area = INFINITY;
    for (int i = 0; i < c->count; ++i) {
        const double area = fabs(turn(&c->spot[(i + c->count - 1) % c->count], &c->spot[i],
                                      &c->spot[(i + 1) % c->count]));
        if (area < least_area) {
            least_area = area;
            least = i;
        }
    }
    for (int i = least + 1; i < c->count; ++i) {
        c->spot[i - 1] = c->spot[i];
    }
    --c->count;
}

static void add_spot(query *q, cluster *c, const spot *s)
{
    spot placed = *s;
    placed.x = dp_v3_dot(c->t1, s->at);
    placed.y = dp_v3_dot(c->t2, s->at);
    c->least = fmin(c->least, s->gap);
    for (int i = 0; i < c->count; ++i) {
        spot *other = &c->spot[i];
        if (fabs(other->x - placed.x) <= SAME * q->reach &&
            fabs(other->y - placed.y) <= SAME * q->reach) {
            if (placed.gap < other->gap) {
                *other = placed;
            }
            return;
        }
    }
    if (c->count == SPOTS) {
        take_outline(c, q->tiny);
        while (c->count > SPOTS / 2) {
            drop_least(c);
        }
    }
    c->spot[c->count++] = placed;
}

// Would A, moved out that way, no longer reach the place `at`?
static bool leaves(const query *q, const way_out *out, const spot *s)
{
    return out->phi > s->gap + q->tiny && dp_v3_dot(out->m, s->at) <= out->level + q->tiny;
}

// The cluster has a point of its own, not only part of a face: A touches here.
static void add_lowest(query *q, cluster *c, const spot *s, way_out out)
{
    if (q->round) {
        add_spot(q, c, s);
    }
    if (c->sound && leaves(q, &c->out, s)) {
        return;
    }
    c->least = fmin(c->least, s->gap);
    if (!c->sound || s->gap < c->lowest.gap || leaves(q, &out, &c->lowest)) {
        c->lowest = *s;
    }
    if (!c->sound || out.phi > c->out.phi) {
        c->out = out;
    }
    c->sound = true;
}

// --- the face of A over a triangle

// A face of A, cut.
typedef struct outline {
    int count;
    dp_v3 corner[CORNERS];
    uint64_t part[CORNERS]; // of A; 0: cut from an edge
} outline;

// Keep what is in front of the plane w·(x − at) = 0. Within `on` of it is on it.
static void cut(outline *o, dp_v3 w, dp_v3 at, double on)
{
    double d[CORNERS];
    bool all = true;
    for (int i = 0; i < o->count; ++i) {
        d[i] = dp_v3_dot(w, dp_v3_sub(o->corner[i], at));
        d[i] = fabs(d[i]) <= on ? 0.0 : d[i];
        all = all && d[i] >= 0.0;
    }
    if (all) {
        return;
    }
    outline kept;
    kept.count = 0;
    const int edges = o->count == 2 ? 1 : o->count;
    for (int i = 0; i < o->count; ++i) {
        const int k = i + 1 < o->count ? i + 1 : 0;
        if (d[i] >= 0.0 && kept.count < CORNERS) {
            kept.part[kept.count] = o->part[i];
            kept.corner[kept.count++] = o->corner[i];
        }
        if (i < edges && ((d[i] > 0.0 && d[k] < 0.0) || (d[i] < 0.0 && d[k] > 0.0)) &&
            kept.count < CORNERS) {
            const double t = d[i] / (d[i] - d[k]);
            kept.part[kept.count] = 0;
            kept.corner[kept.count++] =
                dp_v3_madd(o->corner[i], t, dp_v3_sub(o->corner[k], o->corner[i]));
        }
    }
    *o = kept;
}

// A number for a normal, so that a vertex that touches two walls has two features.
static uint64_t facing(dp_v3 m)
{
    const double part[3] = {m.x, m.y, m.z};
    uint64_t number = 0;
    for (int k = 0; k < 3; ++k) {
        number = number << 6 | (uint64_t)(32.0 + 31.0 * part[k]);
    }
    return number;
}

// The part of the face of A along −m that lies over the triangle, seen along m.
static void cut_face(outline *o, double *missed, query *q, const dp_ground_triangle *t, dp_v3 m)
{
    dp_face face;
    dp_placed_face(&face, &q->a, (dp_v3){0.0, 0.0, 0.0}, negative(m));
    o->count = face.count;
    for (int i = 0; i < face.count; ++i) {
        o->corner[i] = face.corner[i];
        o->part[i] = (uint64_t)face.id[i] + 1;
    }
    *missed = face.count > 2 ? dp_face_missed(&q->a, &face, m) : 0.0; // a side ends in its corners
    for (int k = 0; k < 3 && o->count > 0; ++k) {
        const dp_v3 side = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], t->corner[k]);
        const dp_v3 w = dp_v3_cross(m, side);
        cut(o, w, t->corner[k], q->tiny * dp_v3_norm(w));
    }
}

// The least gap of a cut face.
static double least_gap(int *which, const outline *o, const dp_ground_triangle *t, dp_v3 m)
{
    const double slope = 1.0 / dp_v3_dot(t->normal, m);
    double least = INFINITY;
    for (int i = 0; i < o->count; ++i) {
        const double gap = slope * dp_v3_dot(t->normal, dp_v3_sub(o->corner[i], t->corner[0]));
        if (gap < least) {
            least = gap;
            *which = i;
        }
    }
    return least;
}

static void add_face(query *q, cluster *c, const outline *o, const dp_ground_triangle *t, dp_v3 m)
{
    const double slope = 1.0 / dp_v3_dot(t->normal, m);
    for (int i = 0; i < o->count; ++i) {
        const double gap = slope * dp_v3_dot(t->normal, dp_v3_sub(o->corner[i], t->corner[0]));
        const spot s = {.at = dp_v3_madd(o->corner[i], -gap, m),
                        .normal = m,
                        .gap = gap,
                        .feature = o->part[i] << 32 | facing(m)};
        add_spot(q, c, &s);
    }
}

// --- edges and vertices

// A normal of an edge or vertex at which φ is greatest.
typedef struct peak {
    dp_v3 m;
    double gap;
    dp_v3 at;     // on the ground
    bool reached; // does the feature itself lie under A there?
} peak;

// Vectors in the plane across an edge: along the normal of the triangle, and away from it.
typedef struct flat {
    double n, t;
} flat;

static double flat_dot(flat a, flat b)
{
    return a.n * b.n + a.t * b.t;
}

// > 0: b is further from the normal of the triangle than a
static double flat_cross(flat a, flat b)
{
    return a.n * b.t - a.t * b.n;
}

static bool is_between(flat m, flat from, flat to)
{
    return flat_cross(from, m) >= 0.0 && flat_cross(m, to) >= 0.0;
}

static bool unit_between(flat *m, flat v, flat from, flat to)
{
    const double length = sqrt(flat_dot(v, v));
    if (!(length > 0.0)) {
        return false;
    }
    *m = (flat){v.n / length, v.t / length};
    return is_between(*m, from, to);
}

// An edge with the plane across it.
typedef struct edge_frame {
    dp_v3 n, t; // the normal of the triangle, and the direction away from it
    dp_v3 along;
    dp_v3 origin;
    double length;
} edge_frame;

static flat flat_of(const edge_frame *s, dp_v3 x)
{
    const dp_v3 d = dp_v3_sub(x, s->origin);
    return (flat){dp_v3_dot(s->n, d), dp_v3_dot(s->t, d)};
}

// The lowest point of the core along m.
static dp_v3 core_against(query *q, const edge_frame *e, flat m)
{
    return core_along(q, dp_v3_madd(dp_v3_scale(e->n, -m.n), -m.t, e->t));
}

// The direction between `from` and `to` where the lesser of m·x0 and m·x1 is greatest. @return
// false where that is none: half way then
static bool next_direction(flat *m, flat x0, flat x1, flat from, flat to)
{
    if (unit_between(m, x0, from, to) && flat_dot(x1, *m) >= flat_dot(x0, *m)) {
        return true;
    }
    if (unit_between(m, x1, from, to) && flat_dot(x0, *m) >= flat_dot(x1, *m)) {
        return true;
    }
    const flat d = {x1.n - x0.n, x1.t - x0.t};
    if (unit_between(m, (flat){-d.t, d.n}, from, to) ||
        unit_between(m, (flat){d.t, -d.n}, from, to)) {
        return true;
    }
    const flat sum = {from.n + to.n, from.t + to.t};
    if (!unit_between(m, sum, from, to)) {
        *m = (flat){0.0, 1.0}; // half a turn apart
    }
    return false;
}

// A part of the normals of an edge, with the lowest points of the core at both ends.
typedef struct arc {
    flat from, to, x0, x1;
    dp_v3 p0, p1;
} arc;

// Where an arc has its greatest φ, if the lowest points on both sides of it are x0 and x1.
static void set_peak(peak *out, const query *q, const edge_frame *e, const arc *c, flat m)
{
    const double before = flat_cross(m, c->x0), behind = flat_cross(m, c->x1);
    const double share =
        before - behind > 0.0 ? fmin(fmax(before / (before - behind), 0.0), 1.0) : 0.0;
    const dp_v3 lowest = dp_v3_madd(c->p0, share, dp_v3_sub(c->p1, c->p0));
    const double y = dp_v3_dot(e->along, dp_v3_sub(lowest, e->origin));
    out->m = dp_v3_madd(dp_v3_scale(e->n, m.n), m.t, e->t);
    out->gap = dp_v3_dot(out->m, dp_v3_sub(lowest, e->origin)) - q->radius;
    out->at = dp_v3_madd(e->origin, fmin(fmax(y, 0.0), e->length), e->along);
    out->reached = y >= -q->tiny && y <= e->length + q->tiny;
}

// Close in on a maximum between two directions, where φ rises from the first and falls to the
// second.
static void close_in(peak *out, query *q, const edge_frame *e, arc c)
{
    flat m = c.from;
    const double at_from = flat_dot(c.from, c.x0), at_to = flat_dot(c.to, c.x1);
    for (int i = 0; i < CUTS; ++i) {
        const bool best = next_direction(&m, c.x0, c.x1, c.from, c.to);
        const dp_v3 p = core_against(q, e, m);
        const flat x = flat_of(e, p);
        const double slope = flat_cross(m, x);
        if (fabs(slope) <= q->tiny) {
            c.x0 = c.x1 = x;
            c.p0 = c.p1 = p;
            break;
        }
        if (best && flat_dot(m, x) >= fmin(flat_dot(m, c.x0), flat_dot(m, c.x1)) - q->tiny) {
            break;
        }
        // Where φ < 0 the slope says nothing if φ > 0 elsewhere: the maximum is on that side.
        const bool sinks = flat_dot(m, x) < 0.0 && (at_from >= 0.0 || at_to >= 0.0);
        if (sinks ? at_from < at_to : slope > 0.0) {
            c.from = m;
            c.x0 = x;
            c.p0 = p;
        } else {
            c.to = m;
            c.x1 = x;
            c.p1 = p;
        }
    }
    set_peak(out, q, e, &c, m);
}

// Of two maxima that one counts which lies over the edge itself, or else the greater.
static void keep_better(peak *out, bool *found, const peak *p)
{
    if (!*found || p->reached > out->reached || (p->reached == out->reached && p->gap > out->gap)) {
        *out = *p;
        *found = true;
    }
}

// All maxima of a polyhedron: its section has corners, and between two of them that are neighbours
// φ is least convex, so maxima are where neighbours are equally low.
static bool visit_corners(peak *out, query *q, const edge_frame *e, arc whole)
{
    arc waiting[CUTS];
    waiting[0] = whole;
    bool found = false;
    for (int i = 0, n = 1; i < CUTS && n > 0; ++i) {
        const arc c = waiting[--n];
        flat m;
        const bool best = next_direction(&m, c.x0, c.x1, c.from, c.to);
        const dp_v3 p = core_against(q, e, m);
        const flat x = flat_of(e, p);
        if (best && flat_dot(m, x) >= fmin(flat_dot(m, c.x0), flat_dot(m, c.x1)) - q->tiny) {
            if (flat_cross(m, c.x0) >= -q->tiny && flat_cross(m, c.x1) <= q->tiny) {
                peak here;
                set_peak(&here, q, e, &c, m);
                keep_better(out, &found, &here);
            }
        } else if (n + 2 <= CUTS) {
            waiting[n++] = (arc){m, c.to, x, c.x1, p, c.p1};
            waiting[n++] = (arc){c.from, m, c.x0, x, c.p0, p};
        }
    }
    return found;
}

static bool has_maximum(const query *q, const arc *c)
{
    return flat_cross(c->from, c->x0) > q->tiny && flat_cross(c->to, c->x1) < -q->tiny;
}

// All maxima of a round shape, unless two of them are in one eighth of the turn.
static bool visit_parts(peak *out, query *q, const edge_frame *e, arc whole)
{
    bool found = false;
    arc c = whole;
    for (int i = 1; i <= PARTS; ++i) {
        const double part = (double)i / PARTS;
        flat m = {(1.0 - part) * whole.from.n + part * whole.to.n,
                  (1.0 - part) * whole.from.t + part * whole.to.t};
        const double length = sqrt(flat_dot(m, m));
        if (i < PARTS && length > 0.0) {
            c.to = (flat){m.n / length, m.t / length};
            c.p1 = core_against(q, e, c.to);
            c.x1 = flat_of(e, c.p1);
        } else {
            c.to = whole.to;
            c.p1 = whole.p1;
            c.x1 = whole.x1;
        }
        if (has_maximum(q, &c)) {
            peak here;
            close_in(&here, q, e, c);
            keep_better(out, &found, &here);
        }
        c.from = c.to;
        c.p0 = c.p1;
        c.x0 = c.x1;
    }
    return found;
}

// The greatest φ at edge k strictly between the normals on both sides. @return false: at one of
// them
//
// Where A is apart along one of the normals there is one maximum at most. Where it is not, each
// corner of the section of A may be one, and that which lies over the edge itself is preferred.
static bool edge_peak(peak *out, query *q, const dp_ground_triangle *t, int k, dp_v3 beyond)
{
    const dp_v3 a = t->corner[k], b = t->corner[k == 2 ? 0 : k + 1], d = dp_v3_sub(b, a);
    const dp_v3 near = dp_segment_nearest(a, b, (dp_v3){0.0, 0.0, 0.0});
    if (dp_v3_norm(near) > q->reach + q->margin) {
        return false;
    }
    const double length = dp_v3_norm(d);
    const dp_v3 along = dp_v3_over(d, length);
    const edge_frame e = {t->normal, dp_v3_cross(along, t->normal), along, a, length};
    arc whole = {.from = {1.0, 0.0},
                 .to = {dp_v3_dot(t->normal, beyond), fmax(dp_v3_dot(e.t, beyond), 0.0)},
                 .p0 = core_along(q, negative(t->normal)),
                 .p1 = core_along(q, negative(beyond))};
    whole.x0 = flat_of(&e, whole.p0);
    whole.x1 = flat_of(&e, whole.p1);
    bool found = false;
    if (fmax(whole.x0.n, flat_dot(whole.to, whole.x1)) >= 0.0) {
        // An end with φ < 0 is no maximum, whatever the slope there.
        const bool rises = flat_cross(whole.from, whole.x0) > q->tiny;
        const bool falls = flat_cross(whole.to, whole.x1) < -q->tiny;
        found = (rises || whole.x0.n < 0.0) && (falls || flat_dot(whole.to, whole.x1) < 0.0);
        if (found) {
            close_in(out, q, &e, whole);
        }
    } else {
        found = q->polyhedron ? visit_corners(out, q, &e, whole) : visit_parts(out, q, &e, whole);
    }
    return found && out->gap < q->margin;
}

// Take m instead if it is a normal of the corner and the gap along it is greater.
static void try_normal(peak *out, bool *found, query *q, const dp_ground_triangle *t, int k,
                       dp_v3 m)
{
    const dp_v3 lowest = core_along(q, negative(m));
    const double gap = dp_v3_dot(m, dp_v3_sub(lowest, t->corner[k])) - q->radius;
    if ((!*found || gap > out->gap) && dp_ground_is_top(q->ground, t, k, m)) {
        *found = true;
        out->m = m;
        out->gap = gap;
    }
}

// A corner in or beside A has a way out through each face of A. The shortest may be no normal of
// the corner, but another one.
static bool inner_peak(peak *out, query *q, const dp_ground_triangle *t, int k)
{
    const dp_shape *s = q->a.shape;
    bool found = false;
    if (s->kind == DP_BOX || s->kind == DP_CYLINDER) {
        for (int i = s->kind == DP_BOX ? 0 : 4; i < 6; ++i) {
            const dp_v3 axis = dp_m3_column(&q->a.R, i / 2);
            try_normal(out, &found, q, t, k, i % 2 ? negative(axis) : axis);
        }
    } else if (s->kind == DP_MESH) {
        for (int i = 0; i < s->hull->nface; ++i) {
            const dp_v3 n = dp_v3_load(s->hull->face_plane + 4 * (size_t)i);
            try_normal(out, &found, q, t, k, negative(dp_m3_apply(&q->a.R, n)));
        }
    }
    if (s->kind == DP_CYLINDER) {
        const dp_v3 axis = dp_m3_column(&q->a.R, 2), v = t->corner[k];
        const dp_v3 across = dp_v3_madd(v, -dp_v3_dot(v, axis), axis);
        const double length = dp_v3_norm(across);
        if (length > 0.0) {
            try_normal(out, &found, q, t, k, dp_v3_scale(across, -1.0 / length));
        }
    }
    return found;
}

static bool corner_peak(peak *out, query *q, const dp_ground_triangle *t, int k, double phi)
{
    const dp_v3 v = t->corner[k];
    if (dp_v3_norm(v) > q->reach + q->margin || !dp_ground_is_sharp(q->ground, t, k)) {
        return false;
    }
    const dp_shape point = {.kind = DP_SPHERE};
    const dp_placed at = {&point, q->a.R, v};
    dp_distance d;
    dp_pair_distance(&d, &q->a, &at, q->margin, NULL);
    out->m = negative(d.normal);
    out->gap = d.gap;
    out->at = v;
    out->reached = true;
    if (dp_ground_is_top(q->ground, t, k, out->m)) {
        return d.gap < q->margin;
    }
    // Not the nearest way, but perhaps the shortest way out for all of A: the corner may even be
    // beside A, if the face that it passes reaches over it.
    out->reached = d.gap < 0.0;
    return d.gap < -phi && inner_peak(out, q, t, k);
}

static void add_peak(query *q, const dp_ground_triangle *t, const peak *p)
{
    outline o = {.count = 0};
    double least = INFINITY, missed = 1.0;
    int which = 0;
    // A triangle that the normal hardly looks at has nothing to add but the edge.
    if (dp_v3_dot(p->m, t->normal) > DP_PATCH_FLAT) {
        cut_face(&o, &missed, q, t, p->m);
        least = least_gap(&which, &o, t, p->m);
    }
    if (!p->reached && !(least <= p->gap + q->tiny)) {
        return;
    }
    cluster *c = cluster_of(q, p->m, p->gap);
    if (!c) {
        return;
    }
    const spot s = {.at = p->reached ? p->at : dp_v3_madd(o.corner[which], -least, p->m),
                    .normal = p->m,
                    .gap = p->gap,
                    .feature = facing(p->m)};
    const way_out out = {p->m, p->gap, dp_v3_dot(p->m, p->at)};
    c->missed = fmax(c->missed, o.count > 0 ? missed : 0.0);
    add_lowest(q, c, &s, out);
    if (!q->round) {
        add_face(q, c, &o, t, p->m);
    }
}

// --- one triangle

static void relative_to(dp_ground_triangle *t, dp_v3 p)
{
    for (int k = 0; k < 3; ++k) {
        t->corner[k] = dp_v3_sub(t->corner[k], p);
    }
}

static bool is_in_box(const dp_ground_triangle *t, const dp_bounds *box)
{
    const dp_v3 *c = t->corner;
    return fmin(c[0].x, fmin(c[1].x, c[2].x)) <= box->high.x &&
           fmax(c[0].x, fmax(c[1].x, c[2].x)) >= box->low.x &&
           fmin(c[0].y, fmin(c[1].y, c[2].y)) <= box->high.y &&
           fmax(c[0].y, fmax(c[1].y, c[2].y)) >= box->low.y &&
           fmin(c[0].z, fmin(c[1].z, c[2].z)) <= box->high.z &&
           fmax(c[0].z, fmax(c[1].z, c[2].z)) >= box->low.z;
}

static bool is_ridge(const dp_ground_edge *edge)
{
    return edge->kind == DP_EDGE_CONVEX || edge->kind == DP_EDGE_OPEN;
}

// Is a point of the plane on an edge of the triangle that stands out?
static bool is_on_ridge(const query *q, const dp_ground_triangle *t, const dp_ground_edge *edge,
                        dp_v3 x)
{
    for (int k = 0; k < 3; ++k) {
        if (!is_ridge(&edge[k])) {
            continue;
        }
        const dp_v3 side = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], t->corner[k]);
        const dp_v3 w = dp_v3_cross(t->normal, side);
        if (dp_v3_dot(w, dp_v3_sub(x, t->corner[k])) <= SAME * q->reach * dp_v3_norm(w)) {
            return true;
        }
    }
    return false;
}

static bool meet_edge(query *q, const dp_ground_triangle *t, int k, const dp_ground_edge *edge)
{
    peak p;
    if (!edge_peak(&p, q, t, k, edge->beyond)) {
        return false;
    }
    add_peak(q, t, &p);
    return true;
}

static bool meet_corner(query *q, const dp_ground_triangle *t, int k, double phi)
{
    peak p;
    if (!corner_peak(&p, q, t, k, phi)) {
        return false;
    }
    add_peak(q, t, &p);
    return true;
}

// Below a face, at the place `at` of it: may the way out over an edge or a corner be shorter?
// Turning the normal by an angle θ to that of the edge takes |φ| (1 − cos θ) off the depth and adds
// the distance of the edge times sin θ.
static void look_around(query *q, const dp_ground_triangle *t, dp_v3 at, double phi)
{
    if (!(phi + q->radius < 0.0)) {
        return; // the core is in front: there is no other way out
    }
    for (int k = 0; k < 3; ++k) {
        const dp_v3 side = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], t->corner[k]);
        const dp_v3 w = dp_v3_cross(t->normal, side), away = dp_v3_sub(at, t->corner[k]);
        dp_ground_edge edge;
        dp_ground_edge_get(&edge, q->ground, t, k);
        const double to =
            1.0 + dp_v3_dot(t->normal, edge.beyond); // 1 + cos θ, sin θ = √((2 − to) to)
        const double distance = dp_v3_dot(w, away) / dp_v3_norm(w);
        if (is_ridge(&edge) && distance * sqrt(to) < -phi * sqrt(fmax(2.0 - to, 0.0))) {
            (void)meet_edge(q, t, k, &edge);
        }
        if (dp_v3_norm(away) < -2.0 * phi) {
            (void)meet_corner(q, t, k, phi);
        }
    }
}

static void meet_triangle(query *q, int number)
{
    dp_ground_triangle t;
    dp_ground_triangle_get(&t, q->ground, number);
    relative_to(&t, q->p);
    if (!is_in_box(&t, &q->box)) {
        return;
    }
    const dp_v3 n = t.normal;
    const double level = dp_v3_dot(n, t.corner[0]);
    const dp_v3 lowest = dp_v3_madd(core_along(q, negative(n)), -q->radius, n);
    const double phi = dp_v3_dot(n, lowest) - level;
    if (!(phi < q->margin)) {
        return;
    }
    q->near = true;
    if (q->ground->kind != DP_HFIELD && dp_v3_dot(n, core_along(q, n)) + q->radius < level) {
        return; // all of A is behind
    }
    outline o;
    double missed;
    cut_face(&o, &missed, q, &t, n);
    int which = 0;
    const double least = least_gap(&which, &o, &t, n);
    const bool is_over = dp_triangle_is_over(t.corner, n, lowest);
    if (is_over || least <= phi + q->tiny) {
        cluster *c = cluster_of(q, n, phi);
        if (c) {
            const dp_v3 x = least <= phi + q->tiny ? o.corner[which] : lowest;
            const spot s = {
                .at = dp_v3_madd(x, -phi, n), .normal = n, .gap = phi, .feature = facing(n)};
            c->missed = fmax(c->missed, missed);
            add_lowest(q, c, &s, (way_out){n, phi, level});
            if (!q->round) {
                add_face(q, c, &o, &t, n);
            }
            look_around(q, &t, s.at, phi);
        }
        return;
    }
    // The lowest point of A is elsewhere: what of the edges and corners?
    dp_ground_edge edge[3];
    bool found = false, sharp = false;
    for (int k = 0; k < 3; ++k) {
        dp_ground_edge_get(&edge[k], q->ground, &t, k);
        if (is_ridge(&edge[k])) {
            sharp = true;
            found |= meet_edge(q, &t, k, &edge[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        found |= meet_corner(q, &t, k, phi);
    }
    // Part of a face that is lowest over another triangle.
    if (!found && !q->round && o.count > 0 &&
        !(sharp && is_on_ridge(q, &t, edge, o.corner[which]))) {
        cluster *c = cluster_of(q, n, least);
        if (c) {
            add_face(q, c, &o, &t, n);
        }
    }
}

// --- all of them

static double shape_reach(const dp_shape *s)
{
    const double *z = s->size;
    switch (s->kind) {
    case DP_SPHERE:
        return z[0];
    case DP_CAPSULE:
        return z[0] + z[1];
    case DP_CYLINDER:
        return sqrt(z[0] * z[0] + z[1] * z[1]);
    case DP_ELLIPSOID:
        return fmax(z[0], fmax(z[1], z[2]));
    case DP_BOX:
        return dp_v3_norm(dp_v3_load(z));
    case DP_MESH:
        return s->hull->size + dp_v3_norm(s->hull->centre);
    case DP_PLANE:
    case DP_HFIELD:
        break;
    }
    return 0.0;
}

static void begin(query *q, const dp_placed *a, const dp_placed *b, double margin)
{
    const dp_m3 back = dp_m3_transpose(&b->R);
    q->ground = b->shape;
    q->a = (dp_placed){a->shape, dp_m3_mul(&back, &a->R), {0.0, 0.0, 0.0}};
    q->p = dp_m3_apply(&back, dp_v3_sub(a->p, b->p));
    q->radius = dp_core_radius_of(a->shape);
    q->reach = shape_reach(a->shape);
    q->margin = margin;
    q->tiny = TINY * (q->reach + fmax(fabs(q->p.x), fmax(fabs(q->p.y), fabs(q->p.z))));
    q->round = a->shape->kind == DP_SPHERE || a->shape->kind == DP_ELLIPSOID;
    q->polyhedron = a->shape->kind == DP_BOX || a->shape->kind == DP_MESH;
    q->hint = -1;
    q->count = 0;
    q->near = q->cuts = q->full = false;
    q->box = dp_placed_bounds(&q->a);
    const double wide = margin + 2.0 * q->tiny;
    const dp_v3 w = {wide, wide, wide};
    q->box = (dp_bounds){dp_v3_sub(q->box.low, w), dp_v3_add(q->box.high, w)};
}

static void collect(query *q)
{
    dp_bounds box = {dp_v3_add(q->box.low, q->p), dp_v3_add(q->box.high, q->p)};
    if (q->ground->kind == DP_HFIELD) {
        if (box.high.z < -q->ground->terrain->depth) {
            return; // below the base
        }
        box.high.z = q->box.high.z = INFINITY; // solid down to there
    }
    dp_ground_walk walk;
    dp_ground_walk_begin(&walk, q->ground);
    for (int number; dp_ground_next_in_box(&number, &walk, &box);) {
        meet_triangle(q, number);
    }
}

// Can A be moved out along another normal, shorter, past this point?
static bool is_passed(const query *q, const spot *s)
{
    for (int i = 0; i < q->count && s->gap < 0.0; ++i) {
        const cluster *c = &q->cluster[i];
        if (c->sound && leaves(q, &c->out, s) && dp_v3_dot(c->out.m, s->normal) < CLUSTER) {
            return true;
        }
    }
    return false;
}

// Is there, between a deep point of A and the ground above it, another face that A is less deep
// behind? Then A is on the other side of what it seems to be in.
static bool is_beyond(query *q, const spot *s)
{
    if (q->ground->kind == DP_HFIELD || !(s->gap < -q->margin)) {
        return false;
    }
    const dp_v3 from = dp_v3_madd(s->at, s->gap, s->normal);
    const dp_tree_ray ray = dp_tree_ray_make(dp_v3_add(q->p, from), s->normal);
    dp_ground_walk walk;
    dp_ground_walk_begin(&walk, q->ground);
    for (int number; dp_ground_next_on_ray(&number, &walk, &ray, -s->gap);) {
        dp_ground_triangle t;
        dp_ground_triangle_get(&t, q->ground, number);
        relative_to(&t, q->p);
        const double against = -dp_v3_dot(t.normal, s->normal);
        const double depth = -dp_v3_dot(t.normal, dp_v3_sub(from, t.corner[0]));
        if (!(against > 0.0) || depth > 0.0 || -depth > -s->gap * against) {
            continue;
        }
        const dp_v3 x = dp_v3_madd(from, -depth / against, s->normal);
        const dp_v3 lowest = dp_v3_madd(core_along(q, negative(t.normal)), -q->radius, t.normal);
        if (dp_triangle_is_over(t.corner, t.normal, x) &&
            dp_v3_dot(t.normal, dp_v3_sub(lowest, t.corner[0])) > s->gap) {
            return true;
        }
    }
    return false;
}

// Leave out clusters that are only parts of faces, and points that are passed on another way out.
static void keep_sound(query *q)
{
    bool gone[PATCHES];
    for (int i = 0; i < q->count; ++i) {
        const cluster *c = &q->cluster[i];
        gone[i] = !c->sound || is_passed(q, &c->lowest) || is_beyond(q, &c->lowest);
    }
    int kept = 0;
    for (int i = 0; i < q->count; ++i) {
        if (!gone[i]) {
            if (kept != i) {
                q->cluster[kept] = q->cluster[i];
            }
            ++kept;
        }
    }
    q->count = kept;
}

// The points of a cluster as a patch with weights; `by_lowest` is the share of the lowest point.
static double make_patch(dp_patch *p, double *by_lowest, query *q, cluster *c)
{
    take_outline(c, q->tiny);
    while (c->count > DP_PATCH_ROOM) {
        drop_least(c);
    }
    p->count = 0;
    const bool disc = q->a.shape->kind == DP_CYLINDER && c->count == 12;
    for (int i = 0; i < c->count; ++i) {
        // Of a whole disc every second corner will do: six, fixed in the shape.
        if (disc && (c->spot[i].feature >> 32) % 2 == 0) {
            continue;
        }
        p->corner[p->count++] = (dp_patch_corner){
            .x = c->spot[i].x, .y = c->spot[i].y, .gap = c->spot[i].gap, .from = i};
    }
    dp_patch_share(p);
    const double sum = dp_patch_taper(p, q->margin);
    *by_lowest = 1.0;
    if (p->count > 0) {
        double deepest = INFINITY;
        for (int i = 0; i < p->count; ++i) {
            deepest = fmin(deepest, p->corner[i].gap);
        }
        const double missing = deepest - c->lowest.gap;
        *by_lowest = q->round ? 0.0 : c->missed;
        if (missing > q->tiny) {
            const double share = fmax(dp_rise(missing, 0.0, q->margin - c->lowest.gap),
                                      dp_rise(missing, 0.0, MISSED * q->reach));
            *by_lowest = 1.0 - (1.0 - share) * (1.0 - *by_lowest);
        }
        if (*by_lowest >= 1.0) {
            p->count = 0;
        }
        dp_patch_thin_out(p, DP_PATCH_POINTS - (*by_lowest > 0.0));
    }
    return sum;
}

static dp_contact_point point_of(const dp_placed *a, const dp_placed *b, const spot *s,
                                 double weight, int patch)
{
    const dp_v3 x = dp_v3_madd(s->at, 0.5 * s->gap, s->normal);
    return (dp_contact_point){.point = dp_v3_add(a->p, dp_m3_apply(&b->R, x)),
                              .normal = negative(dp_m3_apply(&b->R, s->normal)),
                              .gap = s->gap,
                              .weight = weight,
                              .patch = patch,
                              .feature = s->feature};
}

// --- distance

// A triangle as a hull without inside: two faces, back to back.
typedef struct flat_hull {
    dp_hull hull;
    double vertex[9], plane[8];
} flat_hull;

static void make_flat_hull(flat_hull *out, const dp_ground_triangle *t)
{
    static const int pair[4] = {0, 2, 4, 6}, neighbour[6] = {1, 2, 0, 2, 0, 1};
    static const int three[3] = {0, 3, 6}, corner[6] = {0, 1, 2, 0, 2, 1};
    static const int face[6] = {0, 1, 0, 1, 0, 1};
    out->hull = (dp_hull){.nvertex = 3,
                          .nface = 2,
                          .nedge = 3,
                          .vertex = out->vertex,
                          .neighbour_start = pair,
                          .neighbour = neighbour,
                          .face_start = three,
                          .face_vertex = corner,
                          .face_plane = out->plane,
                          .vertex_face_start = pair,
                          .vertex_face = face};
    const dp_v3 sum = dp_v3_add(dp_v3_add(t->corner[0], t->corner[1]), t->corner[2]);
    out->hull.centre = dp_v3_scale(sum, 1.0 / 3.0);
    for (int k = 0; k < 3; ++k) {
        const dp_v3 arm = dp_v3_sub(t->corner[k], out->hull.centre);
        out->hull.size = fmax(out->hull.size, dp_v3_norm(arm));
        dp_v3_store(out->vertex + 3 * k, t->corner[k]);
    }
    dp_v3_store(out->plane, t->normal);
    dp_v3_store(out->plane + 4, negative(t->normal));
    out->plane[3] = dp_v3_dot(t->normal, t->corner[0]);
    out->plane[7] = -out->plane[3];
}

// The distance of A and a triangle on its own.
static void triangle_distance(dp_distance *out, const query *q, const dp_ground_triangle *t,
                              double limit)
{
    if (q->a.shape->kind == DP_SPHERE) {
        const dp_v3 nearest = dp_triangle_nearest(t->corner, (dp_v3){0.0, 0.0, 0.0});
        const double distance = dp_v3_norm(nearest);
        const dp_v3 n = distance > 0.0 ? dp_v3_over(nearest, distance) : negative(t->normal);
        dp_distance_set(out, distance - q->radius, n, dp_v3_scale(n, q->radius), false);
        return;
    }
    // Around its own middle: coordinates of a triangle far away would cost the hull its precision.
    dp_ground_triangle centred = *t;
    const dp_v3 middle = t->corner[0];
    relative_to(&centred, middle);
    flat_hull flat_one;
    make_flat_hull(&flat_one, &centred);
    const dp_shape shape = {.kind = DP_MESH, .hull = &flat_one.hull};
    const dp_m3 identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    const dp_placed placed = {&shape, identity, middle};
    dp_convex_distance(out, &q->a, &placed, limit, NULL);
}

static dp_bounds triangle_box(const dp_ground_triangle *t)
{
    const dp_bounds a = {t->corner[0], t->corner[0]}, b = {t->corner[1], t->corner[1]};
    return dp_bounds_join(dp_bounds_join(a, b), (dp_bounds){t->corner[2], t->corner[2]});
}

// Normals that look at the back of a triangle by less than this do so by round-off.
static const double EDGE_ON = 1e-9;

// The nearest triangle that shows A its front, nearer than the gap in `best`.
static bool find_nearest(dp_distance *best, query *q)
{
    bool found = false;
    const dp_bounds box = {dp_v3_add(q->box.low, q->p), dp_v3_add(q->box.high, q->p)};
    dp_ground_walk walk;
    dp_ground_walk_begin(&walk, q->ground);
    for (int number; best->gap > 0.0 && dp_ground_next_near(&number, &walk, &box, best->gap);) {
        dp_ground_triangle t;
        dp_ground_triangle_get(&t, q->ground, number);
        relative_to(&t, q->p);
        const dp_bounds around = triangle_box(&t);
        if (!(dp_bounds_distance2(&around, &q->box) < best->gap * best->gap)) {
            continue;
        }
        dp_distance d;
        triangle_distance(&d, q, &t, best->gap);
        q->cuts |= d.outcome != DP_QUERY_BEYOND && d.gap <= 0.0;
        if (d.outcome != DP_QUERY_BEYOND && d.gap < best->gap &&
            dp_v3_dot(d.normal, t.normal) <= EDGE_ON) {
            *best = d;
            found = true;
        }
    }
    return found;
}

// The deepest of the places where A overlaps the ground.
static bool find_deepest(dp_distance *out, const query *q)
{
    const cluster *deepest = NULL;
    for (int i = 0; i < q->count; ++i) {
        const cluster *c = &q->cluster[i];
        if (!deepest || c->lowest.gap < deepest->lowest.gap) {
            deepest = c;
        }
    }
    if (!deepest) {
        return false;
    }
    bool ambiguous = false;
    for (int i = 0; i < q->count; ++i) {
        const cluster *c = &q->cluster[i];
        ambiguous |= c != deepest && c->lowest.gap <= deepest->lowest.gap + q->tiny;
    }
    const spot *s = &deepest->lowest;
    dp_distance_set(out, s->gap, negative(s->normal), dp_v3_madd(s->at, s->gap, s->normal),
                    ambiguous);
    out->outcome = q->full ? DP_QUERY_CAPPED : DP_QUERY_EXACT;
    return true;
}

// The normals of corners are searched at the faces of A, which a round shape that overlaps one does
// not have: what slips through is caught here, as the nearest triangle has it.
static void catch_nearest(query *q)
{
    dp_distance d = {.gap = q->margin};
    if (!find_nearest(&d, q)) {
        return;
    }
    const dp_v3 m = negative(d.normal);
    cluster *c = cluster_of(q, m, d.gap);
    if (c) {
        const spot s = {.at = d.point[1], .normal = m, .gap = d.gap, .feature = facing(m)};
        add_lowest(q, c, &s, (way_out){m, d.gap, dp_v3_dot(m, s.at)});
    }
}

dp_status dp_terrain_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                              double margin, dp_pair_memory *memory)
{
    (void)memory;
    query q;
    begin(&q, a, b, margin);
    collect(&q);
    keep_sound(&q);
    if (q.count == 0 && q.near) {
        catch_nearest(&q);
    }
    int count = 0;
    dp_contact_point point[PATCHES * DP_PATCH_POINTS];
    for (int i = 0; i < q.count; ++i) {
        dp_patch p;
        double by_lowest;
        const double sum = make_patch(&p, &by_lowest, &q, &q.cluster[i]);
        for (int k = 0; k < p.count; ++k) {
            const double weight = (1.0 - by_lowest) * p.corner[k].weight / sum;
            point[count++] = point_of(a, b, &q.cluster[i].spot[p.corner[k].from], weight, i);
        }
        if (by_lowest > 0.0) {
            point[count++] = point_of(a, b, &q.cluster[i].lowest, by_lowest, i);
        }
    }
    if (out->capacity - out->count < count) {
        return dp_fail(DP_ERROR_CAPACITY, "the buffer has room for %d contact points (needed: %d)",
                       out->capacity, out->count + count);
    }
    for (int i = 0; i < count; ++i) {
        out->point[out->count++] = point[i];
    }
    if (q.full && out->outcome < DP_QUERY_CAPPED) {
        out->outcome = DP_QUERY_CAPPED;
    }
    return DP_OK;
}

void dp_terrain_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                         dp_pair_memory *memory)
{
    (void)memory;
    query q;
    begin(&q, a, b, 0.0);
    // Beyond the limit by a hair, so that what is as far as that is found.
    const double beyond = limit + DP_ROUND_OFF * (limit + q.reach);
    dp_distance_set(out, beyond, (dp_v3){0.0, 0.0, -1.0}, (dp_v3){0.0, 0.0, 0.0}, false);
    const bool found = find_nearest(out, &q);
    if (!found || q.cuts) {
        collect(&q);
        keep_sound(&q);
        if (!find_deepest(out, &q) && !found) {
            out->outcome = DP_QUERY_BEYOND;
            out->point[1] = out->point[0]; // no point of the ground is known
        }
    }
    out->normal = dp_m3_apply(&b->R, out->normal);
    for (int k = 0; k < 2; ++k) {
        out->point[k] = dp_v3_add(a->p, dp_m3_apply(&b->R, out->point[k]));
    }
}
