// Two convex shapes along the line through their middles.
//
// With d from the middle of A to that of B, the shapes are apart when d·d > h_A(d) + h_B(−d), where
// the support functions h are taken about the middles. They share a point when the parts of the
// line that are in A and in B meet. Between the two it takes more than a line to tell.
#include "collide/convex/minkowski.h"

// Hulls with more faces are not asked where a line leaves them.
enum { FEW_FACES = 64 };

// Of the lengths that went in.
#define ROUND_OFF 0x1p-46

static dp_v3 middle_of(const dp_placed *s)
{
    return s->shape->kind == DP_GEOM_MESH
               ? dp_v3_add(s->p, dp_m3_apply(&s->R, s->shape->hull->centre))
               : s->p;
}

// h(u) about the middle, u in the frame of the shape; of hulls also the vertex.
DP_INLINE double reach(const dp_shape *s, dp_v3 u, int *vertex)
{
    const double *size = s->size;
    switch (s->kind) {
    case DP_GEOM_SPHERE:
        return size[0] * dp_v3_norm(u);
    case DP_GEOM_CAPSULE:
        return size[0] * dp_v3_norm(u) + size[1] * fabs(u.z);
    case DP_GEOM_CYLINDER:
        return size[0] * sqrt(u.x * u.x + u.y * u.y) + size[1] * fabs(u.z);
    case DP_GEOM_ELLIPSOID:
        return dp_v3_norm((dp_v3){size[0] * u.x, size[1] * u.y, size[2] * u.z});
    case DP_GEOM_BOX:
        return size[0] * fabs(u.x) + size[1] * fabs(u.y) + size[2] * fabs(u.z);
    case DP_GEOM_MESH:
        return dp_v3_dot(u, dp_v3_sub(dp_core_support_of(s, u, vertex), s->hull->centre));
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
        break;
    }
    return INFINITY;
}

static double leave_capsule(const double *size, dp_v3 u)
{
    const double side = size[0] / sqrt(u.x * u.x + u.y * u.y);
    if (side * fabs(u.z) <= size[1]) {
        return side;
    }
    const double uu = dp_v3_dot(u, u), along = size[1] * fabs(u.z);
    return (along + sqrt(along * along - uu * (size[1] * size[1] - size[0] * size[0]))) / uu;
}

// How far does the line from the middle along u stay inside? In lengths of u. Not for hulls.
DP_INLINE double leave(const dp_shape *s, dp_v3 u)
{
    const double *size = s->size;
    switch (s->kind) {
    case DP_GEOM_SPHERE:
        return size[0] / dp_v3_norm(u);
    case DP_GEOM_CAPSULE:
        return leave_capsule(size, u);
    case DP_GEOM_CYLINDER:
        return fmin(size[0] / sqrt(u.x * u.x + u.y * u.y), size[1] / fabs(u.z));
    case DP_GEOM_ELLIPSOID:
        return 1.0 / dp_v3_norm((dp_v3){u.x / size[0], u.y / size[1], u.z / size[2]});
    case DP_GEOM_BOX:
        return fmin(fmin(size[0] / fabs(u.x), size[1] / fabs(u.y)), size[2] / fabs(u.z));
    case DP_GEOM_MESH:
    case DP_GEOM_PLANE:
    case DP_GEOM_HFIELD:
        break;
    }
    return 0.0;
}

// The face at `vertex` that x, relative to the middle, is furthest beyond. −1: none.
static int face_before(const dp_hull *h, dp_v3 x, int vertex)
{
    x = dp_v3_add(x, h->centre);
    int face = -1;
    double most = 0.0;
    for (int k = h->vertex_face_start[vertex]; k < h->vertex_face_start[vertex + 1]; ++k) {
        const double *plane = h->face_plane + 4 * (size_t)h->vertex_face[k];
        const double beyond = dp_v3_dot(dp_v3_load(plane), x) - plane[3];
        if (beyond > most) {
            most = beyond;
            face = h->vertex_face[k];
        }
    }
    return face;
}

// Is the point x, relative to the middle, in a hull? False also where there is much to look at.
static bool holds(const dp_hull *h, dp_v3 x)
{
    if (h->nface > FEW_FACES) {
        return false;
    }
    x = dp_v3_add(x, h->centre);
    const double *plane = h->face_plane;
    for (int f = 0; f < h->nface; ++f, plane += 4) {
        if (dp_v3_dot(dp_v3_load(plane), x) > plane[3]) {
            return false;
        }
    }
    return true;
}

// Is all of t beyond this face of a hull s, round-off or not? `vertex` of t looks toward s.
static bool is_beyond(const dp_placed *s, int face, const dp_placed *t, int vertex)
{
    const dp_hull *h = s->shape->hull;
    const double *plane = h->face_plane + 4 * (size_t)face;
    const dp_v3 n = dp_m3_apply(&s->R, dp_v3_load(plane)), d = dp_v3_sub(middle_of(t), s->p);
    const dp_v3 back = dp_m3_apply_transposed(&t->R, dp_v3_back(n));
    const double along = dp_v3_dot(n, d);
    if (t->shape->kind == DP_GEOM_MESH) {
        const dp_v3 x = dp_v3_sub(dp_core_vertex(t->shape, vertex), t->shape->hull->centre);
        if (along - dp_v3_dot(back, x) <= plane[3]) {
            return false;
        }
    }
    const double near = reach(t->shape, back, &vertex);
    return along - near - plane[3] > ROUND_OFF * (fabs(along) + near + fabs(plane[3]));
}

// Do the parts of the line in A and in B meet? Of hulls one point is looked at: where the line
// leaves the other or, of two hulls, where it is divided as their sizes are. If it is not in the
// hull, that is most likely because of a face at the vertex that looks that way, and all of the
// other shape may be beyond that face.
static dp_verdict meet(const dp_placed *a, dp_v3 of_a, int vertex_a, const dp_placed *b, dp_v3 of_b,
                       int vertex_b)
{
    const dp_hull *g = a->shape->kind == DP_GEOM_MESH ? a->shape->hull : NULL;
    const dp_hull *h = b->shape->kind == DP_GEOM_MESH ? b->shape->hull : NULL;
    double share_a, share_b;
    if (g && h) {
        share_a = g->size / (g->size + h->size);
        share_b = h->size / (g->size + h->size);
    } else {
        share_a = share_b = 1.0 - leave(a->shape, of_a) - leave(b->shape, of_b);
        if (share_a <= 0.0) {
            return DP_VERDICT_SHARED;
        }
    }
    const dp_v3 in_a = dp_v3_scale(of_a, share_a), in_b = dp_v3_scale(of_b, share_b);
    const int face_a = g ? face_before(g, in_a, vertex_a) : -1;
    const int face_b = h ? face_before(h, in_b, vertex_b) : -1;
    if (face_a >= 0 || face_b >= 0) {
        return (face_a >= 0 && is_beyond(a, face_a, b, vertex_b)) ||
                       (face_b >= 0 && is_beyond(b, face_b, a, vertex_a))
                   ? DP_VERDICT_APART
                   : DP_VERDICT_NONE;
    }
    const bool shared = (g || h) && (!g || holds(g, in_a)) && (!h || holds(h, in_b));
    return shared ? DP_VERDICT_SHARED : DP_VERDICT_NONE;
}

dp_verdict dp_overlap_test(const dp_placed *a, const dp_placed *b)
{
    const dp_v3 d = dp_v3_sub(middle_of(b), middle_of(a));
    const dp_v3 of_a = dp_m3_apply_transposed(&a->R, d);
    const dp_v3 of_b = dp_m3_apply_transposed(&b->R, (dp_v3){-d.x, -d.y, -d.z});
    int vertex_a = -1, vertex_b = -1;
    if (dp_v3_dot(d, d) > reach(a->shape, of_a, &vertex_a) + reach(b->shape, of_b, &vertex_b)) {
        return DP_VERDICT_APART;
    }
    return meet(a, of_a, vertex_a, b, of_b, vertex_b);
}
