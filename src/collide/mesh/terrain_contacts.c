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
// apart, the shortest separating direction where it is not. So a shape on a flat floor sees the
// normal of the floor, however it is cut into triangles, and edges that do not stand out touch
// nothing.
//
// For a face φ is greatest at its own normal n when the lowest point of A lies over it. The face of
// A that looks along −n is cut by the triangle, and each corner of what is left is a point, with
// its height over the triangle as gap. For an edge the greatest φ is found in the plane across it.
// The face of A is then cut along that m instead, by the triangles on both sides.
//
// Points whose normals are within 0.02 rad of each other share one patch, each with its own normal
// and gap: triangles of one plane always do, and a floor that is nearly flat is no stiffer than one
// that is flat. Of all points of a patch the corners of their convex outline stay.
//
// Points below the surface are true overlaps, but not all are on a separating direction: the side
// of a table is cut by what lies on its top. A point is left out when A can be moved out along the
// normal of another, shorter, and would no longer reach it then: it lies behind the plane there.
//
// How deep: a surface pushes as long as some part of A is in front of the triangle, so up to the
// width of A along its normal. Terrain pushes until A is below the base.
#include "base/interrupt.h"
#include "collide/mesh/terrain_hull.h"
#include "collide/mesh/terrain_query.h"
#include "geom/bounds.h"
#include "geom/mesh/triangle.h"

// Round-off of lengths, relative to the lengths that went in.
static const double TINY = 0x1p-44;

// Triangles between two polls, and what one takes [multiplications].
enum { POLL = 32, TRIANGLE_WORK = 500 };

static double shape_reach(const dp_shape *s)
{
    const double *z = s->size;
    switch (s->kind) {
    case DP_GEOM_SPHERE:
        return z[0];
    case DP_GEOM_CAPSULE:
        return z[0] + z[1];
    case DP_GEOM_CYLINDER:
        return sqrt(z[0] * z[0] + z[1] * z[1]);
    case DP_GEOM_ELLIPSOID:
        return fmax(z[0], fmax(z[1], z[2]));
    case DP_GEOM_BOX:
        return dp_v3_norm(dp_v3_load(z));
    case DP_GEOM_MESH:
        return s->hull->size + dp_v3_norm(s->hull->centre);
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
        break;
    }
    return 0.0;
}

static void begin(dp_ground_query *q, const dp_placed *a, const dp_placed *b, double margin)
{
    const dp_m3 back = dp_m3_transpose(&b->R);
    q->ground = b->shape;
    q->a = (dp_placed){a->shape, dp_m3_mul(&back, &a->R), {0.0, 0.0, 0.0}};
    q->p = dp_m3_apply(&back, dp_v3_sub(a->p, b->p));
    q->radius = dp_core_radius_of(a->shape);
    q->reach = shape_reach(a->shape);
    q->margin = margin;
    q->tiny = TINY * (q->reach + fmax(fabs(q->p.x), fmax(fabs(q->p.y), fabs(q->p.z))));
    q->round = a->shape->kind == DP_GEOM_SPHERE || a->shape->kind == DP_GEOM_ELLIPSOID;
    q->polyhedron = a->shape->kind == DP_GEOM_BOX || a->shape->kind == DP_GEOM_MESH;
    q->hint = -1;
    q->count = q->nlanding = 0;
    q->near = q->cuts = q->full = false;
    q->box = dp_placed_bounds(&q->a);
    const double wide = margin + 2.0 * q->tiny;
    const dp_v3 w = {wide, wide, wide};
    q->box = (dp_bounds){dp_v3_sub(q->box.low, w), dp_v3_add(q->box.high, w)};
    const dp_m3 identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    const dp_placed upright = {a->shape, identity, {0.0, 0.0, 0.0}};
    q->own = dp_placed_bounds(&upright);
    q->own = (dp_bounds){dp_v3_sub(q->own.low, w), dp_v3_add(q->own.high, w)};
}

static void collect(dp_ground_query *q)
{
    dp_bounds box = {dp_v3_add(q->box.low, q->p), dp_v3_add(q->box.high, q->p)};
    if (q->ground->kind == DP_GEOM_HFIELD) {
        if (box.high.z < -q->ground->terrain->depth) {
            return; // below the base
        }
        box.high.z = q->box.high.z = INFINITY; // solid down to there
    }
    dp_ground_walk walk;
    dp_ground_walk_begin(&walk, q->ground);
    int count = 0;
    for (int number; dp_ground_next_in_box(&number, &walk, &box); ++count) {
        dp_query_meet(q, number);
        if (count % POLL == 0 && dp_interrupted(POLL * TRIANGLE_WORK)) {
            return;
        }
    }
}

// The points of a cluster as a patch with weights. Returns the share of the lowest point.
static double make_patch(dp_patch *p, const dp_ground_query *q, dp_cluster *c)
{
    dp_cluster_outline(c, q->tiny);
    p->count = 0;
    p->shared = p->splits = false;
    p->missing = q->round ? 0.0 : c->missed;
    p->size = 0.0; // seen from the lowest point
    p->slope2 = INFINITY;
    double deepest = INFINITY;
    const double x = dp_v3_dot(c->t1, c->lowest.at), y = dp_v3_dot(c->t2, c->lowest.at);
    bool disc = q->a.shape->kind == DP_GEOM_CYLINDER && c->count == 12;
    for (int i = 0; i < c->count; ++i) {
        disc = disc && c->spot[i].feature >> 32 <= 24; // corners of a cap, and none that was cut
    }
    for (int i = 0; i < c->count; ++i) {
        const dp_spot *s = &c->spot[i];
        // Of a whole disc every second corner will do: six, fixed in the shape.
        if (disc && (s->feature >> 32) % 2 == 0) {
            continue;
        }
        deepest = fmin(deepest, s->gap);
        p->size = fmax(p->size, fmax(fabs(s->x - x), fabs(s->y - y)));
        p->corner[p->count++] =
            (dp_corner){.x = s->x, .y = s->y, .gap = s->gap, .a = (int8_t)i, .b = -1};
    }
    dp_patch_weigh(p, q->margin);
    const double gap = deepest <= c->lowest.gap + q->tiny ? deepest : c->lowest.gap;
    const double by_lowest = dp_patch_share_of_nearest(p, gap, q->margin);
    p->count = by_lowest < 1.0 ? p->count : 0;
    dp_patch_thin_out(p, DP_PATCH_POINTS - (by_lowest > 0.0), 1.0);
    return by_lowest;
}

static dp_contact_point point_of(const dp_placed *a, const dp_placed *b, const dp_spot *s,
                                 double weight, int patch)
{
    const dp_v3 x = dp_v3_madd(s->at, 0.5 * s->gap, s->normal);
    return (dp_contact_point){.point = dp_v3_add(a->p, dp_m3_apply(&b->R, x)),
                              .normal = dp_v3_negative(dp_m3_apply(&b->R, s->normal)),
                              .gap = s->gap,
                              .weight = weight,
                              .patch = patch,
                              .feature = s->feature};
}

// --- distance

// The distance of A and a triangle on its own.
static void triangle_distance(dp_distance *out, const dp_ground_query *q,
                              const dp_ground_triangle *t, double limit)
{
    if (q->a.shape->kind == DP_GEOM_SPHERE) {
        const dp_v3 nearest = dp_triangle_nearest(t->corner, (dp_v3){0.0, 0.0, 0.0});
        const double distance = dp_v3_norm(nearest);
        const dp_v3 n = distance > 0.0 ? dp_v3_over(nearest, distance) : dp_v3_negative(t->normal);
        dp_distance_set(out, distance - q->radius, n, dp_v3_scale(n, q->radius), false);
        return;
    }
    dp_triangle_hull flat;
    dp_triangle_hull_flat(&flat, t);
    dp_convex_distance(out, &q->a, &flat.placed, limit, NULL);
}

static dp_bounds triangle_box(const dp_ground_triangle *t)
{
    const dp_bounds a = {t->corner[0], t->corner[0]}, b = {t->corner[1], t->corner[1]};
    return dp_bounds_join(dp_bounds_join(a, b), (dp_bounds){t->corner[2], t->corner[2]});
}

// Normals that look at the back of a triangle by less than this do so by round-off.
static const double EDGE_ON = 1e-9;

// The nearest triangle that shows A its front, nearer than the gap in `best`.
static bool find_nearest(dp_distance *best, dp_ground_query *q)
{
    bool found = false;
    const dp_bounds box = {dp_v3_add(q->box.low, q->p), dp_v3_add(q->box.high, q->p)};
    dp_ground_walk walk;
    dp_ground_walk_begin(&walk, q->ground);
    int count = 0;
    for (int number; best->gap > 0.0 && dp_ground_next_near(&number, &walk, &box, best->gap);) {
        if (++count % POLL == 0 && dp_interrupted(POLL * TRIANGLE_WORK)) {
            return found;
        }
        dp_ground_triangle t;
        dp_ground_triangle_get(&t, q->ground, number);
        dp_ground_shift(&t, q->p);
        const dp_bounds around = triangle_box(&t);
        if (!(dp_bounds_distance2(&around, &q->box) < best->gap * best->gap)) {
            continue;
        }
        dp_distance d;
        triangle_distance(&d, q, &t, best->gap);
        q->cuts |= d.outcome != DP_QUERY_OUTCOME_BEYOND && d.gap <= 0.0;
        if (d.outcome != DP_QUERY_OUTCOME_BEYOND && d.gap < best->gap &&
            dp_v3_dot(d.normal, t.normal) <= EDGE_ON) {
            *best = d;
            found = true;
        }
    }
    return found;
}

// The deepest of the places where A overlaps the ground.
static bool find_deepest(dp_distance *out, const dp_ground_query *q)
{
    const dp_cluster *deepest = NULL;
    for (int i = 0; i < q->count; ++i) {
        const dp_cluster *c = &q->cluster[i];
        if (!deepest || c->lowest.gap < deepest->lowest.gap) {
            deepest = c;
        }
    }
    if (!deepest) {
        return false;
    }
    bool ambiguous = false;
    for (int i = 0; i < q->count; ++i) {
        const dp_cluster *c = &q->cluster[i];
        ambiguous |= c != deepest && c->lowest.gap <= deepest->lowest.gap + q->tiny;
    }
    const dp_spot *s = &deepest->lowest;
    dp_distance_set(out, s->gap, dp_v3_negative(s->normal), dp_v3_madd(s->at, s->gap, s->normal),
                    ambiguous);
    out->outcome = q->full ? DP_QUERY_OUTCOME_CAPPED : DP_QUERY_OUTCOME_EXACT;
    return true;
}

// The normals of corners are searched at the faces of A, which a round shape that overlaps one does
// not have: what slips through is caught here, as the nearest triangle has it.
static void catch_nearest(dp_ground_query *q)
{
    dp_distance d = {.gap = q->margin};
    if (!find_nearest(&d, q)) {
        return;
    }
    const dp_v3 m = dp_v3_negative(d.normal);
    q->nlanding = 0; // none of them was sound
    dp_cluster *c = dp_cluster_of(q, m, d.gap);
    if (c) {
        const dp_spot s = {
            .at = d.point[1], .normal = m, .gap = d.gap, .feature = dp_feature_pair(m)};
        dp_query_land(q, c, &s, (dp_way_out){m, d.gap, dp_v3_dot(m, s.at)});
        dp_query_settle(q);
    }
}

dp_status dp_terrain_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                              double margin, dp_pair_memory *memory)
{
    (void)memory;
    dp_ground_query q;
    begin(&q, a, b, margin);
    collect(&q);
    dp_query_settle(&q);
    if (q.count == 0 && q.near) {
        catch_nearest(&q);
    }
    DP_TRY(dp_interrupt_status());
    int count = 0;
    dp_contact_point point[DP_QUERY_PATCHES * DP_PATCH_POINTS];
    for (int i = 0; i < q.count; ++i) {
        dp_patch p;
        const double by_lowest = make_patch(&p, &q, &q.cluster[i]);
        for (int k = 0; k < p.count; ++k) {
            const double weight = (1.0 - by_lowest) * p.corner[k].weight;
            point[count++] = point_of(a, b, &q.cluster[i].spot[p.corner[k].a], weight, i);
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
    if (q.full && out->outcome < DP_QUERY_OUTCOME_CAPPED) {
        out->outcome = DP_QUERY_OUTCOME_CAPPED;
    }
    return DP_OK;
}

void dp_terrain_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                         dp_pair_memory *memory)
{
    (void)memory;
    dp_ground_query q;
    begin(&q, a, b, 0.0);
    // Beyond the limit by a hair, so that what is as far as that is found.
    const double beyond = limit + DP_ROUND_OFF * (limit + q.reach);
    dp_distance_set(out, beyond, (dp_v3){0.0, 0.0, -1.0}, (dp_v3){0.0, 0.0, 0.0}, false);
    const bool found = find_nearest(out, &q);
    if (!found || q.cuts) {
        collect(&q);
        dp_query_settle(&q);
        if (!find_deepest(out, &q) && !found) {
            out->outcome = DP_QUERY_OUTCOME_BEYOND;
            out->point[1] = out->point[0]; // no point of the ground is known
        }
    }
    out->normal = dp_m3_apply(&b->R, out->normal);
    for (int k = 0; k < 2; ++k) {
        out->point[k] = dp_v3_add(a->p, dp_m3_apply(&b->R, out->point[k]));
    }
}
