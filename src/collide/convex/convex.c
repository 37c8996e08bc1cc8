// The distance of any two convex shapes.
#include "collide/convex/minkowski.h"
#include "collide/pair.h"

#include <string.h>

// --- Which of the two comes first

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_all(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; ++i) {
        const int order = compare(a[i], b[i]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static int compare_hulls(const dp_hull *a, const dp_hull *b)
{
    if (a == b) {
        return 0;
    }
    if (a->nvertex == b->nvertex &&
        memcmp(a->vertex, b->vertex, 3 * (size_t)a->nvertex * sizeof *a->vertex) == 0) {
        return 0;
    }
    return a->nvertex != b->nvertex ? (a->nvertex > b->nvertex) - (a->nvertex < b->nvertex)
                                    : compare_all(a->vertex, b->vertex, 3 * a->nvertex);
}

// Swapping A and B must not change a bit, so one of them is taken for A by what it is: by kind, by
// size, by place, by attitude. Two that are equal in everything may come in any order.
static bool comes_first(const dp_placed *a, const dp_placed *b)
{
    const dp_shape *s = a->shape, *t = b->shape;
    int order = (s->kind > t->kind) - (s->kind < t->kind);
    if (order == 0) {
        order = s->kind == DP_GEOM_MESH ? compare_hulls(s->hull, t->hull)
                                        : compare_all(s->size, t->size, 3);
    }
    if (order == 0) {
        const double p[3] = {a->p.x, a->p.y, a->p.z}, q[3] = {b->p.x, b->p.y, b->p.z};
        order = compare_all(p, q, 3);
    }
    if (order == 0) {
        order = compare_all(&a->R.m[0][0], &b->R.m[0][0], 9);
    }
    return order <= 0;
}

// --- The pair as one set

static double core_size(const dp_shape *s)
{
    switch (s->kind) {
    case DP_GEOM_CAPSULE:
        return s->size[1];
    case DP_GEOM_CYLINDER:
        return sqrt(s->size[0] * s->size[0] + s->size[1] * s->size[1]);
    case DP_GEOM_ELLIPSOID:
        return fmax(s->size[0], fmax(s->size[1], s->size[2]));
    case DP_GEOM_BOX:
        return dp_v3_norm(dp_v3_load(s->size));
    case DP_GEOM_MESH:
        return s->hull->size + dp_v3_norm(s->hull->centre);
    case DP_GEOM_SPHERE:
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
    default:
        return 0.0;
    }
}

// An ellipsoid with another, or with the point of a sphere.
static bool is_smooth(const dp_shape *a, const dp_shape *b)
{
    return (a->kind == DP_GEOM_ELLIPSOID && b->kind == DP_GEOM_ELLIPSOID) ||
           (a->kind == DP_GEOM_ELLIPSOID && b->kind == DP_GEOM_SPHERE) ||
           (a->kind == DP_GEOM_SPHERE && b->kind == DP_GEOM_ELLIPSOID);
}

dp_difference dp_difference_of(const dp_placed *a, const dp_placed *b)
{
    const dp_m3 back = dp_m3_transpose(&a->R);
    dp_difference m = {
        .a = a->shape,
        .b = b->shape,
        .R = dp_m3_mul(&back, &b->R),
        .p = dp_m3_apply(&back, dp_v3_sub(b->p, a->p)),
        .radius = dp_core_radius_of(a->shape) + dp_core_radius_of(b->shape),
        .size = core_size(a->shape) + core_size(b->shape),
        .curved = dp_core_is_curved(a->shape) || dp_core_is_curved(b->shape),
        .smooth = is_smooth(a->shape, b->shape),
        .hint = {-1, -1},
    };
    m.size += m.radius;
    return m;
}

// The direction from the middle of A to the middle of B.
static dp_v3 first_direction(const dp_difference *m)
{
    dp_v3 d = m->p;
    if (m->b->kind == DP_GEOM_MESH) {
        d = dp_v3_add(d, dp_m3_apply(&m->R, m->b->hull->centre));
    }
    if (m->a->kind == DP_GEOM_MESH) {
        d = dp_v3_sub(d, m->a->hull->centre);
    }
    return dp_v3_dot(d, d) > 0.0 ? d : (dp_v3){0.0, 0.0, 1.0};
}

// --- The answer

// Weighted points of the simplex on both cores.
static void witnesses(dp_v3 point[2], const dp_simplex *s)
{
    point[0] = point[1] = (dp_v3){0.0, 0.0, 0.0};
    for (int i = 0; i < s->count; ++i) {
        point[0] = dp_v3_madd(point[0], s->weight[i], s->corner[i].a);
        point[1] = dp_v3_madd(point[1], s->weight[i], s->corner[i].b);
    }
}

// Put skins on, make the points agree with gap and normal, and leave the frame of A.
static void finish(dp_distance *out, const dp_difference *m, const dp_placed *a, bool swapped,
                   const dp_v3 core_point[2], dp_v3 n, double core_gap)
{
    const double ra = dp_core_radius_of(m->a), rb = dp_core_radius_of(m->b);
    out->gap = core_gap - m->radius;
    const dp_v3 middle = dp_v3_scale(
        dp_v3_add(dp_v3_madd(core_point[0], ra, n), dp_v3_madd(core_point[1], -rb, n)), 0.5);
    const dp_v3 normal = dp_m3_apply(&a->R, n);
    const dp_v3 centre = dp_v3_add(a->p, dp_m3_apply(&a->R, middle));
    const double half = 0.5 * out->gap;
    out->point[swapped ? 1 : 0] = dp_v3_madd(centre, -half, normal);
    out->point[swapped ? 0 : 1] = dp_v3_madd(centre, half, normal);
    out->normal = swapped ? (dp_v3){-normal.x, -normal.y, -normal.z} : normal;
}

// n without what it has along e, which is unit: twice, so that nothing but round-off of n is left.
static dp_v3 turned_across(dp_v3 n, dp_v3 e)
{
    n = dp_v3_unit(dp_v3_madd(n, -dp_v3_dot(n, e), e));
    return dp_v3_unit(dp_v3_madd(n, -dp_v3_dot(n, e), e));
}

// Nearer than this, relative to the size of both, only features can tell.
static const double NEARLY_TOUCHING = 1e-6;
// What a normal may lack, relative to the size of both.
static const double AGREES = 4e-15, CURVED_AGREES = 2e-14;

// Turn n, the direction of v or nearly so, across the edges of the simplex and, where that lets a
// corner of M be nearer than v, across the edge to that corner. False: no such normal agrees with
// the length of v.
static bool turn_across_edges(dp_v3 *n, dp_difference *m, const dp_simplex *s, double agrees)
{
    const double length = sqrt(s->vv);
    const dp_v3 base = s->corner[0].w;
    dp_v3 first_edge = {0.0, 0.0, 0.0};
    int nedge = s->count - 1;
    if (s->count == 2) {
        first_edge = dp_v3_unit(dp_v3_sub(s->corner[1].w, base));
    }
    for (;;) {
        dp_corner c;
        dp_difference_support(&c, m, (dp_v3){-n->x, -n->y, -n->z});
        if (dp_v3_dot(*n, c.w) >= length - agrees) {
            return true;
        }
        if (nedge >= 2 || dp_v3_same(c.w, base)) {
            return false;
        }
        const dp_v3 e = dp_v3_unit(dp_v3_sub(c.w, base));
        if (++nedge == 1) {
            *n = turned_across(*n, e);
            first_edge = e;
        } else {
            dp_v3 across = dp_v3_cross(first_edge, e);
            if (!(dp_v3_dot(across, across) > 0.0)) {
                return false;
            }
            across = dp_v3_unit(across);
            *n = dp_v3_dot(across, *n) >= 0.0 ? across : dp_v3_scale(across, -1.0);
        }
    }
}

// The direction of v, in *n, without what round-off has turned it by. False: no normal agrees with
// the length of v. `along` is s(n) along v.
static bool find_normal(dp_v3 *n, dp_difference *m, const dp_simplex *s, double along)
{
    const double length = sqrt(s->vv), agrees = AGREES * (m->size + length);
    *n = dp_v3_scale(s->v, 1.0 / length);
    if (s->count == 2) {
        *n = turned_across(*n, dp_v3_unit(dp_v3_sub(s->corner[1].w, s->corner[0].w)));
    }
    if (length <= NEARLY_TOUCHING * m->size) {
        return turn_across_edges(n, m, s, agrees);
    }
    if (m->curved) {
        return along >= length - CURVED_AGREES * (m->size + length);
    }
    dp_v3 turned = *n;
    if (along < length - agrees && turn_across_edges(&turned, m, s, agrees)) {
        *n = turned;
    }
    return true;
}

// --- Memory

// Begin where the last query ended: from its direction, and from its simplex where corners have
// numbers. What does not fit the shapes is passed over. True: *last is its normal.
static bool recall(dp_v3 *last, dp_simplex *s, dp_difference *m, const dp_pair_memory *memory,
                   bool swapped)
{
    const dp_v3 d = memory->direction;
    const double dd = dp_v3_dot(d, d);
    if (!(dd > 0.5 && dd < 2.0)) {
        return false;
    }
    const dp_v3 v = swapped ? dp_v3_scale(dp_m3_apply(&m->R, d), -1.0) : d;
    *last = v;
    if (m->curved && !m->smooth) {
        dp_corner c;
        dp_difference_support(&c, m, dp_v3_scale(v, -1.0));
        if (dp_v3_dot(v, c.w) < 0.0) {
            return true; // they overlap: what is deepest is no way to begin
        }
    }
    s->v = v;
    for (int i = 0; i < memory->count && i < 3 && !m->curved; ++i) {
        const int va = memory->vertex[swapped ? 1 : 0][i], vb = memory->vertex[swapped ? 0 : 1][i];
        if (!dp_core_has_vertex(m->a, va) || !dp_core_has_vertex(m->b, vb)) {
            s->count = 0;
            return true;
        }
        dp_corner *c = &s->corner[s->count++];
        c->a = dp_core_vertex(m->a, va);
        c->b = dp_v3_add(m->p, dp_m3_apply(&m->R, dp_core_vertex(m->b, vb)));
        c->w = dp_v3_sub(c->b, c->a);
        c->vertex[0] = m->hint[0] = va;
        c->vertex[1] = m->hint[1] = vb;
    }
    return true;
}

// True: *guess may be the normal, or nearly.
static bool begin(dp_v3 *guess, dp_simplex *s, dp_difference *m, const dp_pair_memory *memory,
                  bool swapped)
{
    s->count = 0;
    *guess = s->v = first_direction(m);
    return (memory && recall(guess, s, m, memory, swapped)) || m->smooth;
}

static void remember(dp_pair_memory *memory, const dp_difference *m, const dp_simplex *s, dp_v3 n,
                     bool swapped)
{
    memory->direction = swapped ? dp_v3_scale(dp_m3_apply_transposed(&m->R, n), -1.0) : n;
    memory->count = m->curved ? 0 : s->count < 3 ? s->count : 3;
    for (int i = 0; i < memory->count; ++i) {
        memory->vertex[swapped ? 1 : 0][i] = s->corner[i].vertex[0];
        memory->vertex[swapped ? 0 : 1][i] = s->corner[i].vertex[1];
    }
}

// What was found, in the frame of A.
typedef struct found {
    dp_v3 normal;
    double gap;
    dp_v3 point[2];
    bool ambiguous;
    dp_query_outcome outcome;
    int iterations;
} found;

static void take_polished(found *out, const dp_refined_normal *p)
{
    out->normal = p->normal;
    out->gap = p->gap;
    out->point[0] = p->point[0];
    out->point[1] = p->point[1];
}

// A direction may be so near to the normal that nothing else is needed. Else *known is a separating
// direction of an overlap, if it leads to one (gap > −∞).
static bool try_normal(found *out, dp_refined_normal *known, dp_difference *m, dp_v3 n,
                       double limit)
{
    const dp_simplex none = {.count = 0};
    dp_corner c;
    dp_difference_support(&c, m, dp_v3_back(n));
    const double along = dp_v3_dot(n, c.w);
    if (along > limit + m->radius || (along > 0.0 && !m->smooth)) {
        return false; // that is known without the normal, or is found as fast from the simplex
    }
    dp_refined_normal p;
    if (!dp_newton_refine(&p, m, &none, n)) {
        return false;
    }
    if (!p.only) {
        *known = p;
        return false;
    }
    take_polished(out, &p);
    out->outcome = p.gap > limit + m->radius ? DP_QUERY_OUTCOME_BEYOND : DP_QUERY_OUTCOME_EXACT;
    out->iterations = 1;
    return true;
}

static void take_depth(found *out, dp_simplex *s, const dp_depth *depth)
{
    out->normal = depth->normal;
    out->gap = depth->gap;
    out->iterations += depth->iterations;
    out->ambiguous = depth->ambiguous;
    out->outcome = depth->capped ? DP_QUERY_OUTCOME_CAPPED : DP_QUERY_OUTCOME_EXACT;
    if (depth->proved) {
        out->point[0] = depth->point[0];
        out->point[1] = depth->point[1];
    } else {
        *s = depth->triangle;
        witnesses(out->point, s);
    }
}

// `guess`: a direction that may be the normal, or NULL. `kept`: a polytope to be left, or NULL.
static void distance_of(found *out, dp_simplex *s, dp_difference *m, double limit,
                        const dp_v3 *guess, dp_pair_polytope *kept)
{
    *out = (found){.outcome = DP_QUERY_OUTCOME_EXACT};
    dp_refined_normal known;
    known.gap = -INFINITY;
    if (m->curved && guess && try_normal(out, &known, m, dp_v3_unit(*guess), limit)) {
        return;
    }
    dp_gjk_result r;
    dp_gjk(&r, s, m, limit + m->radius, known.gap);
    out->iterations = r.iterations;
    if (r.outcome == DP_GJK_PROVED) {
        take_polished(out, &r.polished);
        return;
    }
    const bool inside = r.outcome == DP_GJK_INSIDE;
    const double length = inside ? 0.0 : sqrt(s->vv);
    dp_depth depth;
    const bool beyond = r.outcome == DP_GJK_BEYOND;
    if (beyond) {
        out->normal = dp_v3_scale(s->v, 1.0 / length);
    }
    bool apart = beyond || (!inside && find_normal(&out->normal, m, s, r.along));
    if (!apart) {
        if (r.overlap && r.polished.gap > known.gap) {
            known = r.polished;
        }
        dp_epa(&depth, m, s, known.gap > -INFINITY ? &known : NULL, kept);
        // Vertices and edges that nearly touch: no face of M is as far away as they are.
        apart = !inside && !m->curved && depth.gap < length - 4.0 * AGREES * m->size;
    }
    if (apart) {
        out->gap = beyond ? r.lower : length;
        out->outcome = beyond ? DP_QUERY_OUTCOME_BEYOND
                              : (r.outcome == DP_GJK_CAPPED ? DP_QUERY_OUTCOME_CAPPED
                                                            : DP_QUERY_OUTCOME_EXACT);
        witnesses(out->point, s);
        return;
    }
    take_depth(out, s, &depth);
}

// Polyhedra that overlapped when they were asked last most likely still do.
static bool overlap_again(found *out, dp_simplex *s, dp_difference *m, dp_pair_polytope *kept)
{
    dp_depth depth;
    if (!dp_epa_again(&depth, m, kept)) {
        kept->nface = 0; // it would most likely fail again
        return false;
    }
    *out = (found){.iterations = 0};
    take_depth(out, s, &depth);
    return true;
}

void dp_convex_distance(dp_distance *out, const dp_placed *a, const dp_placed *b, double limit,
                        dp_pair_memory *memory)
{
    const bool swapped = !comes_first(a, b);
    const dp_placed *first = swapped ? b : a, *second = swapped ? a : b;
    dp_difference m = dp_difference_of(first, second);
    dp_simplex s;
    found f;
    if (!memory || !overlap_again(&f, &s, &m, &memory->polytope)) {
        dp_v3 guess;
        const bool guessed = begin(&guess, &s, &m, memory, swapped);
        distance_of(&f, &s, &m, limit, guessed ? &guess : NULL, memory ? &memory->polytope : NULL);
    }
    if (memory) {
        remember(memory, &m, &s, f.normal, swapped);
    }
    finish(out, &m, first, swapped, f.point, f.normal, f.gap);
    out->ambiguous = f.ambiguous;
    out->outcome = f.outcome;
    out->iterations = f.iterations;
}

bool dp_convex_overlap(const dp_placed *a, const dp_placed *b, dp_pair_memory *memory)
{
    dp_verdict verdict = dp_overlap_test(a, b);
    if (verdict != DP_VERDICT_NONE) {
        return verdict == DP_VERDICT_SHARED;
    }
    const bool swapped = !comes_first(a, b);
    dp_difference m = dp_difference_of(swapped ? b : a, swapped ? a : b);
    if (!(m.radius > 0.0)) { // else cores that are near enough are found as fast below
        verdict = dp_portal_decide(&m, first_direction(&m));
    }
    if (verdict != DP_VERDICT_NONE) {
        return verdict == DP_VERDICT_SHARED;
    }
    dp_simplex s;
    dp_v3 guess;
    begin(&guess, &s, &m, memory, swapped);
    dp_gjk_result r;
    dp_gjk_decide(&r, &s, &m, m.radius);
    if (memory && s.vv > 0.0) {
        remember(memory, &m, &s, dp_v3_scale(s.v, 1.0 / sqrt(s.vv)), swapped);
    }
    if (r.outcome == DP_GJK_INSIDE || r.overlap) {
        return r.outcome == DP_GJK_INSIDE || r.polished.gap <= m.radius;
    }
    if (r.outcome != DP_GJK_BEYOND && sqrt(s.vv) - m.radius <= NEARLY_TOUCHING * m.size) {
        dp_distance d; // so near that only features can tell
        dp_convex_distance(&d, a, b, INFINITY, NULL);
        return d.gap <= 0.0;
    }
    return false;
}
