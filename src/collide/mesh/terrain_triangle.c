// What A shares with one triangle: its face over it, or a point over its edges and corners.
#include "collide/mesh/terrain_hull.h"
#include "collide/mesh/terrain_query.h"
#include "geom/mesh/triangle.h"

enum { CORNERS = DP_FACE_CORNERS + 4 };

// A face of A, cut.
typedef struct outline {
    int count;
    dp_v3 corner[CORNERS];
    uint64_t part[CORNERS]; // of A: a corner, or where an edge was cut
} outline;

// A number for where an edge of A is cut, from those of its ends; corners of A have small numbers.
static uint64_t edge_between(uint64_t a, uint64_t b)
{
    return 0x80000000u | ((a * 2654435761u + b * 40503u) & 0x7fffffffu);
}

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
            kept.part[kept.count] = edge_between(o->part[i], o->part[k]);
            kept.corner[kept.count++] =
                dp_v3_madd(o->corner[i], t, dp_v3_sub(o->corner[k], o->corner[i]));
        }
    }
    *o = kept;
}

// The part of the face of A along −m that lies over the triangle, seen along m.
static void cut_face(outline *o, double *missed, dp_ground_query *q, const dp_ground_triangle *t,
                     dp_v3 m)
{
    dp_face face;
    dp_placed_face(&face, &q->a, (dp_v3){0.0, 0.0, 0.0}, dp_v3_negative(m));
    o->count = face.count;
    for (int i = 0; i < face.count; ++i) {
        o->corner[i] = face.corner[i];
        o->part[i] = (uint64_t)face.id[i] + 1;
    }
    // Flat faces and sides end in their corners, but a tilted rim is met by its lowest point only.
    const bool rim = q->a.shape->kind == DP_GEOM_CYLINDER && face.count > 2;
    *missed = rim ? dp_rise(dp_v3_norm(dp_v3_cross(face.normal, m)), DP_FLAT, DP_STEEP) : 0.0;
    for (int k = 0; k < 3 && o->count > 0; ++k) {
        const dp_v3 side = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], t->corner[k]);
        const dp_v3 w = dp_v3_cross(m, side);
        cut(o, w, t->corner[k], q->tiny * dp_v3_norm(w));
    }
    // What is higher than the margin takes no part, not even in the area that the others share: the
    // triangles under it are not all looked at.
    const dp_v3 top = dp_v3_madd(t->corner[0], q->margin, m);
    if (o->count > 2 && isfinite(q->margin)) {
        cut(o, dp_v3_negative(t->normal), top, q->tiny);
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

static void add_face(dp_ground_query *q, dp_cluster *c, const outline *o,
                     const dp_ground_triangle *t, dp_v3 m)
{
    const double slope = 1.0 / dp_v3_dot(t->normal, m);
    for (int i = 0; i < o->count; ++i) {
        const double gap = slope * dp_v3_dot(t->normal, dp_v3_sub(o->corner[i], t->corner[0]));
        // Where the face was cut at the margin, round-off must not bring a point below it.
        const bool at_margin = gap > q->margin - 8.0 * q->tiny;
        const dp_spot s = {.at = dp_v3_madd(o->corner[i], -gap, m),
                           .normal = m,
                           .gap = at_margin ? fmax(gap, q->margin) : gap,
                           .feature = o->part[i] << 32 | dp_feature_pair(m)};
        dp_cluster_add(q, c, &s);
    }
}

static void add_peak(dp_ground_query *q, const dp_ground_triangle *t, const dp_peak *p)
{
    outline o = {.count = 0};
    double least = INFINITY, missed = 1.0;
    int which = 0;
    // A triangle that the normal hardly looks at has nothing to add but the edge.
    if (dp_v3_dot(p->m, t->normal) > DP_FLAT) {
        cut_face(&o, &missed, q, t, p->m);
        least = least_gap(&which, &o, t, p->m);
    }
    if (!p->reached && !(least <= p->gap + q->tiny)) {
        return;
    }
    dp_cluster *c = dp_cluster_of(q, p->m, p->gap);
    if (!c) {
        return;
    }
    const dp_spot s = {.at = p->reached ? p->at : dp_v3_madd(o.corner[which], -least, p->m),
                       .normal = p->m,
                       .gap = p->gap,
                       .feature = dp_feature_pair(p->m)};
    const dp_way_out out = {p->m, p->gap, dp_v3_dot(p->m, p->at)};
    c->missed = fmax(c->missed, o.count > 0 ? missed : 0.0);
    dp_query_land(q, c, &s, out);
    if (!q->round) {
        add_face(q, c, &o, t, p->m);
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

// Is a point of the plane on an edge of the triangle that stands out?
static bool is_on_ridge(const dp_ground_query *q, const dp_ground_triangle *t,
                        const dp_ground_edge *edge, dp_v3 x)
{
    for (int k = 0; k < 3; ++k) {
        if (!dp_is_ridge(&edge[k])) {
            continue;
        }
        const dp_v3 side = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], t->corner[k]);
        const dp_v3 w = dp_v3_cross(t->normal, side);
        if (dp_v3_dot(w, dp_v3_sub(x, t->corner[k])) <= DP_SAME_PLACE * q->reach * dp_v3_norm(w)) {
            return true;
        }
    }
    return false;
}

// Does A overlap the ground at a triangle?
typedef enum overlap { OVERLAP_UNKNOWN, OVERLAP_NONE, OVERLAP_SOME } overlap;

// Behind the plane of an edge or corner is not yet in the ground: A may be beside it, as far as the
// margin reaches.
static bool is_sound(overlap *known, const dp_ground_query *q, const dp_ground_triangle *t,
                     const dp_peak *p)
{
    if (p->gap < 0.0 && *known == OVERLAP_UNKNOWN) {
        *known = dp_ground_overlaps(q, t) ? OVERLAP_SOME : OVERLAP_NONE;
    }
    return !(p->gap < 0.0) || *known == OVERLAP_SOME;
}

static bool meet_edge(dp_ground_query *q, const dp_ground_triangle *t, int k,
                      const dp_ground_edge *edge, overlap *known)
{
    dp_peak p;
    if (!dp_edge_peak(&p, q, t, k, edge->beyond) || !is_sound(known, q, t, &p)) {
        return false;
    }
    add_peak(q, t, &p);
    return true;
}

static bool meet_corner(dp_ground_query *q, const dp_ground_triangle *t, int k, double phi,
                        overlap *known)
{
    dp_peak p;
    if (!dp_corner_peak(&p, q, t, k, phi) || !is_sound(known, q, t, &p)) {
        return false;
    }
    add_peak(q, t, &p);
    return true;
}

// Below a face, at the place `at` of it: may the separating direction over an edge or a corner be
// shorter? Turning the normal by an angle θ to that of the edge takes |φ| (1 − cos θ) off the depth
// and adds the distance of the edge times sin θ.
static void look_around(dp_ground_query *q, const dp_ground_triangle *t, dp_v3 at, double phi)
{
    if (!(phi + q->radius < 0.0)) {
        return; // the core is in front: there is no other separating direction
    }
    overlap below = OVERLAP_SOME;
    for (int k = 0; k < 3; ++k) {
        const dp_v3 side = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], t->corner[k]);
        const dp_v3 w = dp_v3_cross(t->normal, side), away = dp_v3_sub(at, t->corner[k]);
        dp_ground_edge edge;
        dp_ground_edge_get(&edge, q->ground, t, k);
        const double to =
            1.0 + dp_v3_dot(t->normal, edge.beyond); // 1 + cos θ, sin θ = √((2 − to) to)
        const double distance = dp_v3_dot(w, away) / dp_v3_norm(w);
        if (dp_is_ridge(&edge) && distance * sqrt(to) < -phi * sqrt(fmax(2.0 - to, 0.0))) {
            (void)meet_edge(q, t, k, &edge, &below);
        }
        if (dp_v3_norm(away) < -2.0 * phi) {
            (void)meet_corner(q, t, k, phi, &below);
        }
    }
}

static void land(dp_ground_query *q, dp_v3 at, dp_v3 m, double gap)
{
    dp_cluster *c = gap < q->margin ? dp_cluster_of(q, m, gap) : NULL;
    if (c) {
        const dp_spot s = {.at = at, .normal = m, .gap = gap, .feature = dp_feature_pair(m)};
        dp_query_land(q, c, &s, (dp_way_out){m, gap, dp_v3_dot(m, at)});
    }
}

// A ball whose middle is not over the triangle: on an edge, or a corner. All relative to its
// middle.
static void meet_rim(dp_ground_query *q, const dp_ground_triangle *t)
{
    for (int k = 0; k < 3; ++k) {
        const dp_v3 a = t->corner[k], d = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], a);
        const double along = -dp_v3_dot(a, d), length2 = dp_v3_dot(d, d);
        const dp_v3 at = along > 0.0 && along < length2 ? dp_v3_madd(a, along / length2, d) : a;
        const double distance2 = dp_v3_dot(at, at), distance = sqrt(distance2);
        if (!(distance > 0.0) || !(distance - q->radius < q->margin)) {
            continue;
        }
        const dp_v3 m = dp_v3_scale(at, -1.0 / distance);
        if (along > 0.0 && along < length2) {
            dp_ground_edge edge;
            dp_ground_edge_get(&edge, q->ground, t, k);
            const dp_v3 away = dp_v3_cross(d, t->normal);
            // Between both normals: away from this face, and not beyond the other normal.
            if (dp_is_ridge(&edge) && dp_v3_dot(m, away) >= 0.0 &&
                dp_v3_dot(dp_v3_cross(m, edge.beyond), d) >= 0.0) {
                land(q, at, m, distance - q->radius);
            }
        } else if (!(along > 0.0) && dp_ground_is_sharp(q->ground, t, k) &&
                   dp_ground_is_top(q->ground, t, k, m)) {
            land(q, a, m, distance - q->radius);
        }
    }
}

static void meet_ball(dp_ground_query *q, const dp_ground_triangle *t)
{
    const double height = -dp_v3_dot(t->normal, t->corner[0]);
    if (!(height - q->radius < q->margin)) {
        return;
    }
    q->near = true;
    if (q->ground->kind != DP_GEOM_HFIELD && height + q->radius < 0.0) {
        return; // all of it is behind
    }
    for (int k = 0; k < 3; ++k) {
        const dp_v3 side = dp_v3_sub(t->corner[k == 2 ? 0 : k + 1], t->corner[k]);
        const dp_v3 w = dp_v3_cross(t->normal, side);
        const double inside = -dp_v3_dot(w, t->corner[k]);
        if (inside < 0.0 && inside * inside > q->tiny * q->tiny * dp_v3_dot(w, w)) {
            meet_rim(q, t);
            return;
        }
    }
    land(q, dp_v3_scale(t->normal, -height), t->normal, height - q->radius);
}

void dp_query_meet(dp_ground_query *q, int number)
{
    dp_ground_triangle t;
    dp_ground_triangle_get(&t, q->ground, number);
    dp_ground_shift(&t, q->p);
    if (!is_in_box(&t, &q->box)) {
        return;
    }
    if (q->a.shape->kind == DP_GEOM_SPHERE) {
        meet_ball(q, &t);
        return;
    }
    const dp_v3 n = t.normal;
    const double level = dp_v3_dot(n, t.corner[0]);
    const dp_v3 lowest = dp_v3_madd(dp_core_along(q, dp_v3_negative(n)), -q->radius, n);
    const double phi = dp_v3_dot(n, lowest) - level;
    if (!(phi < q->margin)) {
        return;
    }
    q->near = true;
    if (q->ground->kind != DP_GEOM_HFIELD &&
        dp_v3_dot(n, dp_core_along(q, n)) + q->radius < level) {
        return; // all of A is behind
    }
    outline o;
    double missed;
    cut_face(&o, &missed, q, &t, n);
    int which = 0;
    const double least = least_gap(&which, &o, &t, n);
    const bool is_over = dp_triangle_is_over(t.corner, n, lowest);
    if (is_over || least <= phi + q->tiny) {
        dp_cluster *c = dp_cluster_of(q, n, phi);
        if (c) {
            const dp_v3 x = least <= phi + q->tiny ? o.corner[which] : lowest;
            const dp_spot s = {.at = dp_v3_madd(x, -phi, n),
                               .normal = n,
                               .gap = phi,
                               .feature = dp_feature_pair(n)};
            c->missed = fmax(c->missed, missed);
            dp_query_land(q, c, &s, (dp_way_out){n, phi, level});
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
    overlap known = OVERLAP_UNKNOWN;
    for (int k = 0; k < 3; ++k) {
        dp_ground_edge_get(&edge[k], q->ground, &t, k);
        if (dp_is_ridge(&edge[k])) {
            sharp = true;
            found |= meet_edge(q, &t, k, &edge[k], &known);
        }
    }
    for (int k = 0; k < 3; ++k) {
        found |= meet_corner(q, &t, k, phi, &known);
    }
    // Part of a face that is lowest over another triangle.
    if (!found && !q->round && o.count > 0 &&
        !(sharp && is_on_ridge(q, &t, edge, o.corner[which]))) {
        dp_cluster *c = dp_cluster_of(q, n, least);
        if (c) {
            add_face(q, c, &o, &t, n);
        }
    }
}
