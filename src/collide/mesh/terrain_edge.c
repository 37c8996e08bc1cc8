// The normals of edges and corners at which A is highest over them (TERRAIN 1).
#include "collide/mesh/terrain_query.h"

enum {
    CUTS = 64, // steps in search of the normal of an edge
    PARTS = 8, // of the normals of an edge, each searched on its own
};

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
static dp_v3 core_against(dp_ground_query *q, const edge_frame *e, flat m)
{
    return dp_core_along(q, dp_v3_madd(dp_v3_scale(e->n, -m.n), -m.t, e->t));
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
static void set_peak(dp_peak *out, const dp_ground_query *q, const edge_frame *e, const arc *c,
                     flat m)
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
static void close_in(dp_peak *out, dp_ground_query *q, const edge_frame *e, arc c)
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
static void keep_better(dp_peak *out, bool *found, const dp_peak *p)
{
    if (!*found || p->reached > out->reached || (p->reached == out->reached && p->gap > out->gap)) {
        *out = *p;
        *found = true;
    }
}

// All maxima of a polyhedron: its section has corners, and between two of them that are neighbours
// φ is least convex, so maxima are where neighbours are equally low.
static bool visit_corners(dp_peak *out, dp_ground_query *q, const edge_frame *e, arc whole)
{
    arc waiting[CUTS];
    waiting[0] = whole;
    bool found = false;
    for (int i = 0, n = 1; i < CUTS && n > 0; ++i) {
        const arc c = waiting[--n];
        flat m;
        if (!next_direction(&m, c.x0, c.x1, c.from, c.to)) {
            continue; // the same corner at both ends
        }
        const dp_v3 p = core_against(q, e, m);
        const flat x = flat_of(e, p);
        if (flat_dot(m, x) >= fmin(flat_dot(m, c.x0), flat_dot(m, c.x1)) - q->tiny) {
            if (flat_cross(m, c.x0) >= -q->tiny && flat_cross(m, c.x1) <= q->tiny) {
                dp_peak here;
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

static bool has_maximum(const dp_ground_query *q, const arc *c)
{
    return flat_cross(c->from, c->x0) > q->tiny && flat_cross(c->to, c->x1) < -q->tiny;
}

// All maxima of a round shape, unless two of them are in one eighth of the turn.
static bool visit_parts(dp_peak *out, dp_ground_query *q, const edge_frame *e, arc whole)
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
            dp_peak here;
            close_in(&here, q, e, c);
            keep_better(out, &found, &here);
        }
        c.from = c.to;
        c.p0 = c.p1;
        c.x0 = c.x1;
    }
    return found;
}

// Is the box around A, along its own axes, beside the segment from a to b?
static bool is_apart(const dp_ground_query *q, dp_v3 a, dp_v3 b)
{
    const dp_v3 x = dp_m3_apply_transposed(&q->a.R, a), y = dp_m3_apply_transposed(&q->a.R, b);
    const dp_bounds around = dp_bounds_join((dp_bounds){x, x}, (dp_bounds){y, y});
    return !dp_bounds_meet(&around, &q->own);
}

// The greatest φ at edge k strictly between the normals on both sides. @return false: at one of
// them
//
// Where A is apart along one of the normals there is one maximum at most. Where it is not, each
// corner of the section of A may be one, and that which lies over the edge itself is preferred.
bool dp_edge_peak(dp_peak *out, dp_ground_query *q, const dp_ground_triangle *t, int k,
                  dp_v3 beyond)
{
    const dp_v3 a = t->corner[k], b = t->corner[k == 2 ? 0 : k + 1], d = dp_v3_sub(b, a);
    if (is_apart(q, a, b)) {
        return false;
    }
    const double length = dp_v3_norm(d);
    const dp_v3 along = dp_v3_over(d, length);
    const edge_frame e = {t->normal, dp_v3_cross(along, t->normal), along, a, length};
    arc whole = {.from = {1.0, 0.0},
                 .to = {dp_v3_dot(t->normal, beyond), fmax(dp_v3_dot(e.t, beyond), 0.0)},
                 .p0 = dp_core_along(q, dp_v3_negative(t->normal)),
                 .p1 = dp_core_along(q, dp_v3_negative(beyond))};
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
static void try_normal(dp_peak *out, bool *found, dp_ground_query *q, const dp_ground_triangle *t,
                       int k, dp_v3 m)
{
    const dp_v3 lowest = dp_core_along(q, dp_v3_negative(m));
    const double gap = dp_v3_dot(m, dp_v3_sub(lowest, t->corner[k])) - q->radius;
    if ((!*found || gap > out->gap) && dp_ground_is_top(q->ground, t, k, m)) {
        *found = true;
        out->m = m;
        out->gap = gap;
    }
}

// A corner in or beside A has a separating direction through each face of A. The shortest may be no
// normal of the corner, but another one.
static bool inner_peak(dp_peak *out, dp_ground_query *q, const dp_ground_triangle *t, int k)
{
    const dp_shape *s = q->a.shape;
    bool found = false;
    if (s->kind == DP_GEOM_BOX || s->kind == DP_GEOM_CYLINDER) {
        for (int i = s->kind == DP_GEOM_BOX ? 0 : 4; i < 6; ++i) {
            const dp_v3 axis = dp_m3_column(&q->a.R, i / 2);
            try_normal(out, &found, q, t, k, i % 2 ? dp_v3_negative(axis) : axis);
        }
    } else if (s->kind == DP_GEOM_MESH) {
        for (int i = 0; i < s->hull->nface; ++i) {
            const dp_v3 n = dp_v3_load(s->hull->face_plane + 4 * (size_t)i);
            try_normal(out, &found, q, t, k, dp_v3_negative(dp_m3_apply(&q->a.R, n)));
        }
    }
    if (s->kind == DP_GEOM_CYLINDER) {
        const dp_v3 axis = dp_m3_column(&q->a.R, 2), v = t->corner[k];
        const dp_v3 across = dp_v3_madd(v, -dp_v3_dot(v, axis), axis);
        const double length = dp_v3_norm(across);
        if (length > 0.0) {
            try_normal(out, &found, q, t, k, dp_v3_scale(across, -1.0 / length));
        }
    }
    return found;
}

bool dp_corner_peak(dp_peak *out, dp_ground_query *q, const dp_ground_triangle *t, int k,
                    double phi)
{
    const dp_v3 v = t->corner[k];
    if (is_apart(q, v, v) || !dp_ground_is_sharp(q->ground, t, k)) {
        return false;
    }
    const dp_shape point = {.kind = DP_GEOM_SPHERE};
    const dp_placed at = {&point, q->a.R, v};
    dp_distance d;
    dp_pair_distance(&d, &q->a, &at, q->margin, NULL);
    out->m = dp_v3_negative(d.normal);
    out->gap = d.gap;
    out->at = v;
    out->reached = true;
    if (dp_ground_is_top(q->ground, t, k, out->m)) {
        return d.gap < q->margin;
    }
    // Not the nearest way, but perhaps the shortest separating direction for all of A: the corner
    // may even be beside A, if the face that it passes reaches over it.
    out->reached = d.gap < 0.0;
    return d.gap < -phi && inner_peak(out, q, t, k);
}
