// Which two shapes are they? Pairs are put in the order of their kinds, answered, and turned around
// again where they were not: swapping A and B mirrors the answer to the last bit. Two shapes of one
// kind are put in order by their sizes and places. (A shape and itself in the same place have no
// order; there the normal is arbitrary as well.)
#include "collide/pair.h"

#include "base/error.h"
#include "collide/pairs/closed_forms.h"
#include "geom/hull_shape.h"
#include "geom/mass.h"
#include "geom/shape_check.h"

static int compare(const double *x, const double *y, int count)
{
    for (int i = 0; i < count; ++i) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_hulls(const dp_hull *g, const dp_hull *h)
{
    if (g->nvertex != h->nvertex) {
        return g->nvertex < h->nvertex ? -1 : 1;
    }
    return compare(g->vertex, h->vertex, 3 * g->nvertex);
}

// The order of two shapes of one kind: by size, then by place along a direction that is across
// nothing in particular (boxes in a stack, of equal size, must not change their order by a hair's
// breadth), then by whatever tells them apart.
static int compare_placed(const dp_placed *a, const dp_placed *b)
{
    const dp_shape *s = a->shape, *t = b->shape;
    int order = compare(s->size, t->size, dp_shape_size_count(s->kind));
    if (order) {
        return order;
    }
    const dp_v3 d = dp_v3_sub(b->p, a->p);
    const double along = 0.31 * d.x + 0.47 * d.y + 0.83 * d.z;
    if (along != 0.0) {
        return along > 0.0 ? -1 : 1;
    }
    const double p[3] = {d.x, d.y, d.z}, zero[3] = {0.0, 0.0, 0.0};
    order = compare(zero, p, 3);
    for (int i = 0; i < 3 && !order; ++i) {
        order = compare(a->R.m[i], b->R.m[i], 3);
    }
    if (!order && s->kind == DP_GEOM_MESH && s->hull && t->hull) {
        order = compare_hulls(s->hull, t->hull);
    }
    return order;
}

// Does B come first?
static bool is_swapped(const dp_placed *a, const dp_placed *b)
{
    const dp_shape *s = a->shape, *t = b->shape;
    if (s->kind != t->kind) {
        return s->kind > t->kind;
    }
    if (s->kind == DP_GEOM_MESH && !s->surface != !t->surface) {
        return s->surface != NULL; // hulls before surfaces
    }
    return compare_placed(a, b) > 0;
}

static bool put_in_order(const dp_placed **a, const dp_placed **b)
{
    const bool swapped = is_swapped(*a, *b);
    if (swapped) {
        const dp_placed *first = *a;
        *a = *b;
        *b = first;
    }
    return swapped;
}

#define PAIR(first, second) ((first)*8 + (second))

// The distance of a pair in order, if it has a closed form.
static bool closed_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                            dp_pair_memory *memory)
{
    if (a->shape->kind == DP_GEOM_PLANE) {
        dp_plane_convex(out, a, b, memory);
        return true;
    }
    switch (PAIR(a->shape->kind, b->shape->kind)) {
    case PAIR(DP_GEOM_SPHERE, DP_GEOM_SPHERE):
        dp_sphere_sphere(out, a, b);
        return true;
    case PAIR(DP_GEOM_SPHERE, DP_GEOM_CAPSULE):
        dp_sphere_capsule(out, a, b);
        return true;
    case PAIR(DP_GEOM_SPHERE, DP_GEOM_CYLINDER):
        dp_sphere_cylinder(out, a, b);
        return true;
    case PAIR(DP_GEOM_SPHERE, DP_GEOM_ELLIPSOID):
        dp_sphere_ellipsoid(out, a, b);
        return true;
    case PAIR(DP_GEOM_SPHERE, DP_GEOM_BOX):
        dp_sphere_box(out, a, b);
        return true;
    case PAIR(DP_GEOM_CAPSULE, DP_GEOM_CAPSULE):
        dp_capsule_capsule(out, a, b);
        return true;
    case PAIR(DP_GEOM_CAPSULE, DP_GEOM_BOX):
        dp_capsule_box(out, a, b);
        return true;
    case PAIR(DP_GEOM_CYLINDER, DP_GEOM_CYLINDER):
        return dp_cylinder_cylinder(out, a, b, limit, memory);
    case PAIR(DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID):
        return dp_cylinder_ellipsoid(out, a, b, memory);
    case PAIR(DP_GEOM_CYLINDER, DP_GEOM_BOX):
        return dp_cylinder_box(out, a, b, limit);
    case PAIR(DP_GEOM_ELLIPSOID, DP_GEOM_BOX):
        return dp_ellipsoid_box(out, a, b);
    case PAIR(DP_GEOM_BOX, DP_GEOM_BOX):
        dp_box_box(out, a, b, limit);
        return true;
    default:
        return false;
    }
}

// Two convex shapes in order.
static void ordered_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                             dp_pair_memory *memory)
{
    if (!closed_distance(out, a, b, limit, memory)) {
        dp_convex_distance(out, a, b, limit, memory);
    }
}

void dp_pair_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                      dp_pair_memory *memory)
{
    const bool swapped = put_in_order(&a, &b);
    if (!dp_shape_is_convex(b->shape)) {
        dp_terrain_distance(out, a, b, limit, memory);
    } else {
        ordered_distance(out, a, b, limit, memory);
    }
    if (out->gap > limit) {
        out->outcome = DP_QUERY_OUTCOME_BEYOND;
    }
    if (swapped) {
        dp_distance_mirror(out);
    }
}

// A feature names a vertex or edge of A in its upper half, of B in its lower half.
static void mirror_points(dp_contact_point *point, int count)
{
    for (int i = 0; i < count; ++i) {
        const dp_v3 n = point[i].normal;
        point[i].normal = (dp_v3){-n.x, -n.y, -n.z};
        point[i].feature = point[i].feature << 32 | point[i].feature >> 32;
    }
}

// Two convex shapes in order.
static dp_status ordered_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                                  double margin, dp_pair_memory *memory)
{
    switch (PAIR(a->shape->kind, b->shape->kind)) {
    case PAIR(DP_GEOM_PLANE, DP_GEOM_SPHERE):
        return dp_plane_sphere_contacts(out, a, b, margin);
    case PAIR(DP_GEOM_PLANE, DP_GEOM_CYLINDER):
        return dp_plane_cylinder_contacts(out, a, b, margin);
    case PAIR(DP_GEOM_PLANE, DP_GEOM_BOX):
        return dp_plane_box_contacts(out, a, b, margin);
    case PAIR(DP_GEOM_PLANE, DP_GEOM_MESH):
        return dp_plane_hull_contacts(out, a, b, margin, memory);
    case PAIR(DP_GEOM_SPHERE, DP_GEOM_CYLINDER):
        return dp_sphere_cylinder_contacts(out, a, b, margin);
    case PAIR(DP_GEOM_BOX, DP_GEOM_BOX):
        return dp_box_contacts(out, a, b, margin);
    default:
        break;
    }
    dp_distance nearest;
    if (a->shape->kind == DP_GEOM_CAPSULE && b->shape->kind == DP_GEOM_CAPSULE) {
        dp_capsule_capsule(&nearest, a, b);
    } else {
        ordered_distance(&nearest, a, b, margin, memory);
    }
    return dp_convex_contacts(out, a, b, &nearest, margin);
}

dp_status dp_pair_contacts(dp_contact_buffer *out, const dp_placed *a, const dp_placed *b,
                           double margin, dp_pair_memory *memory)
{
    if (b->shape->kind == DP_GEOM_SPHERE) {
        if (a->shape->kind == DP_GEOM_SPHERE) {
            return dp_sphere_contacts(out, a, b, margin);
        }
        if (a->shape->kind == DP_GEOM_PLANE) {
            return dp_plane_sphere_contacts(out, a, b, margin);
        }
    }
    const bool swapped = put_in_order(&a, &b);
    const int before = out->count;
    if (!dp_shape_is_convex(b->shape)) {
        DP_TRY(dp_terrain_contacts(out, a, b, margin, memory));
    } else {
        DP_TRY(ordered_contacts(out, a, b, margin, memory));
    }
    if (swapped) {
        mirror_points(out->point + before, out->count - before);
    }
    return DP_OK;
}

static bool overlap(const dp_placed *a, const dp_placed *b)
{
    (void)put_in_order(&a, &b);
    if (a->shape->kind == DP_GEOM_BOX && b->shape->kind == DP_GEOM_BOX) {
        return dp_boxes_overlap(a, b);
    }
    bool share;
    if (PAIR(a->shape->kind, b->shape->kind) == PAIR(DP_GEOM_CYLINDER, DP_GEOM_BOX) &&
        dp_cylinder_box_decide(&share, a, b)) {
        return share;
    }
    if (PAIR(a->shape->kind, b->shape->kind) == PAIR(DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID) &&
        dp_cylinder_ellipsoid_decide(&share, a, b)) {
        return share;
    }
    dp_distance nearest;
    if (!dp_shape_is_convex(b->shape)) {
        dp_terrain_distance(&nearest, a, b, 0.0, NULL);
    } else if (PAIR(a->shape->kind, b->shape->kind) == PAIR(DP_GEOM_SPHERE, DP_GEOM_ELLIPSOID) ||
               PAIR(a->shape->kind, b->shape->kind) == PAIR(DP_GEOM_CYLINDER, DP_GEOM_CYLINDER) ||
               PAIR(a->shape->kind, b->shape->kind) == PAIR(DP_GEOM_CYLINDER, DP_GEOM_ELLIPSOID) ||
               PAIR(a->shape->kind, b->shape->kind) == PAIR(DP_GEOM_ELLIPSOID, DP_GEOM_BOX) ||
               !closed_distance(&nearest, a, b, 0.0, NULL)) {
        return dp_convex_overlap(a, b, NULL);
    }
    return nearest.gap <= 0.0;
}

// Arguments of the public queries

static const char *kind_name(const dp_shape *s)
{
    switch (s->kind) {
    case DP_GEOM_PLANE:
        return "plane";
    case DP_GEOM_SPHERE:
        return "sphere";
    case DP_GEOM_CAPSULE:
        return "capsule";
    case DP_GEOM_CYLINDER:
        return "cylinder";
    case DP_GEOM_ELLIPSOID:
        return "ellipsoid";
    case DP_GEOM_BOX:
        return "box";
    case DP_GEOM_MESH:
        return s->surface ? "surface" : "hull";
    case DP_GEOM_HFIELD:
        return "terrain";
    }
    return "shape of no kind";
}

static bool is_static(const dp_shape *s)
{
    return s->kind == DP_GEOM_PLANE || !dp_shape_is_convex(s);
}

// Can both be placed, and do they make a pair?
static dp_status check_pair(const char *where, const dp_shape *a, const dp_pose *X_WA,
                            const dp_shape *b, const dp_pose *X_WB)
{
    DP_TRY(dp_check_placed(where, "A", a, X_WA));
    DP_TRY(dp_check_placed(where, "B", b, X_WB));
    if (is_static(a) && is_static(b)) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "%s: A is a %s and B a %s, which have no distance (expected at most one of "
                       "plane, surface and terrain)",
                       where, kind_name(a), kind_name(b));
    }
    return DP_OK;
}

// Two shapes that were found good at a glance, and how far they reach together, as balls.
typedef struct glance {
    bool plain;
    double reach;
} glance;

static inline glance look_at(const dp_shape *a, const dp_pose *X_WA, const dp_shape *b,
                             const dp_pose *X_WB)
{
    if (!a || !b || (a->kind == DP_GEOM_PLANE && b->kind == DP_GEOM_PLANE)) {
        return (glance){false, 0.0};
    }
    const double ball_a = dp_ball_of_plain(a, X_WA), ball_b = dp_ball_of_plain(b, X_WB);
    return (glance){ball_a > 0.0 && ball_b > 0.0, ball_a + ball_b};
}

// Half the length of the core of a capsule, of others 0.
static inline double half_of_core(const dp_shape *s)
{
    return s->kind == DP_GEOM_CAPSULE ? s->size[1] : 0.0;
}

// How far the core of a capsule reaches along d, times the length of d.
static inline double core_along(const dp_shape *s, const dp_pose *X, dp_v3 d)
{
    const dp_quat q = X->q;
    const dp_v3 axis = {2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
                        1.0 - 2.0 * (q.x * q.x + q.y * q.y)};
    return half_of_core(s) * fabs(dp_v3_dot(axis, d));
}

// Are they further apart than `limit` as balls, or where they are capsules along the line between
// their places? Beyond doubt: round-off is far less than what is added here.
static inline bool are_far(glance seen, const dp_shape *a, const dp_pose *X_WA, const dp_shape *b,
                           const dp_pose *X_WB, double limit)
{
    const double least = seen.reach + limit, reach = least + 0x1p-40 * least;
    const dp_v3 d = dp_v3_sub(X_WB->p, X_WA->p);
    const double square = dp_v3_dot(d, d);
    if (square > reach * reach) {
        return seen.plain;
    }
    if (!seen.plain || (a->kind != DP_GEOM_CAPSULE && b->kind != DP_GEOM_CAPSULE)) {
        return false;
    }
    const double round = reach - (half_of_core(a) + half_of_core(b));
    if (square <= round * round) {
        return false; // nor are they far in any direction
    }
    const double left = square - (core_along(a, X_WA, d) + core_along(b, X_WB, d));
    return left > 0.0 && left * left > round * round * square;
}

static inline void place_pair(dp_placed placed[2], bool plain, const dp_shape *a,
                              const dp_pose *X_WA, const dp_shape *b, const dp_pose *X_WB)
{
    dp_place_unit(&placed[0], a, X_WA, plain);
    dp_place_unit(&placed[1], b, X_WB, plain);
}

static dp_status check_length(const char *where, const char *name, double length)
{
    if (!(length >= 0.0)) {
        return dp_fail(DP_ERROR_ARGUMENT, "%s: the %s is %g (expected ≥ 0)", where, name, length);
    }
    return DP_OK;
}

dp_status dp_shapes_distance(dp_distance *out, const dp_shape *a, dp_pose X_WA, const dp_shape *b,
                             dp_pose X_WB, double limit, dp_pair_memory *memory)
{
    const glance seen = look_at(a, &X_WA, b, &X_WB);
    if (!seen.plain) {
        DP_TRY(check_pair("dp_shapes_distance", a, &X_WA, b, &X_WB));
    }
    DP_TRY(check_length("dp_shapes_distance", "limit", limit));
    dp_placed placed[2];
    place_pair(placed, seen.plain, a, &X_WA, b, &X_WB);
    dp_pair_distance(out, &placed[0], &placed[1], limit, memory);
    return DP_OK;
}

dp_status dp_shapes_overlap(bool *out, const dp_shape *a, dp_pose X_WA, const dp_shape *b,
                            dp_pose X_WB)
{
    const glance seen = look_at(a, &X_WA, b, &X_WB);
    if (!seen.plain) {
        DP_TRY(check_pair("dp_shapes_overlap", a, &X_WA, b, &X_WB));
    }
    if (are_far(seen, a, &X_WA, b, &X_WB, 0.0)) {
        *out = false;
        return DP_OK;
    }
    dp_placed placed[2];
    place_pair(placed, seen.plain, a, &X_WA, b, &X_WB);
    *out = overlap(&placed[0], &placed[1]);
    return DP_OK;
}

dp_status dp_shapes_contacts(dp_contact_buffer *out, const dp_shape *a, dp_pose X_WA,
                             const dp_shape *b, dp_pose X_WB, double margin, dp_pair_memory *memory)
{
    const glance seen = look_at(a, &X_WA, b, &X_WB);
    if (!seen.plain) {
        DP_TRY(check_pair("dp_shapes_contacts", a, &X_WA, b, &X_WB));
    }
    DP_TRY(check_length("dp_shapes_contacts", "margin", margin));
    if (are_far(seen, a, &X_WA, b, &X_WB, margin)) {
        return DP_OK;
    }
    dp_placed placed[2];
    place_pair(placed, seen.plain, a, &X_WA, b, &X_WB);
    return dp_pair_contacts(out, &placed[0], &placed[1], margin, memory);
}
