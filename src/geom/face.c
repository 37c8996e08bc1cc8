// The face, edge or point of a convex shape that looks along a direction.
//
// Polyhedra: from the furthest vertex, the flattest edge, and of the two faces at that edge the one
// that looks along the direction the most. A body that lies on an edge keeps both ends of it, even
// if another face at one of the ends is less steep than the two at the edge.
//
// Discs are polygons of twelve corners, fixed in the shape. Beyond 45° from the axis a cylinder
// shows its side, the line that is furthest along the direction; a capsule always does, and its
// ends are those of that line. Who asks must see to it that corners far behind the furthest one
// lose their meaning before the choice changes: collide/manifold.c does.
#include "geom/core.h"

static dp_v3 at(const dp_placed *s, dp_v3 offset, dp_v3 x)
{
    return dp_v3_add(offset, dp_m3_apply(&s->R, x));
}

static void point_face(dp_face *out, dp_v3 x)
{
    out->count = 1;
    out->corner[0] = x;
    out->id[0] = 0;
    out->face = 0;
}

static void box_face(dp_face *out, const dp_placed *s, dp_v3 offset, const double m[3])
{
    const double x = fabs(m[0]), y = fabs(m[1]), z = fabs(m[2]);
    const int k = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double *h = s->shape->size;
    const double sign = m[k] < 0.0 ? -1.0 : 1.0;
    const dp_v3 axis = dp_m3_column(&s->R, k);
    const dp_v3 middle = dp_v3_madd(offset, sign * h[k], axis);
    // Seen from outside, e_i and sign·e_j turn counterclockwise.
    const dp_v3 u = dp_v3_scale(dp_m3_column(&s->R, i), h[i]);
    const dp_v3 v = dp_v3_scale(dp_m3_column(&s->R, j), sign * h[j]);
    const dp_v3 sum = dp_v3_add(u, v), difference = dp_v3_sub(u, v);
    out->count = 4;
    out->corner[0] = dp_v3_add(middle, sum);
    out->corner[1] = dp_v3_sub(middle, difference);
    out->corner[2] = dp_v3_sub(middle, sum);
    out->corner[3] = dp_v3_add(middle, difference);
    // A vertex has a bit for each axis on whose positive side it is.
    const uint32_t bi = 1u << i, bj = 1u << j, up = sign > 0.0 ? 1u << k : 0u;
    const uint32_t plus = sign > 0.0 ? bj : 0u, minus = sign > 0.0 ? 0u : bj;
    out->id[0] = up | bi | plus;
    out->id[1] = up | plus;
    out->id[2] = up | minus;
    out->id[3] = up | bi | minus;
    out->normal = dp_v3_scale(axis, sign);
    out->face = (uint32_t)(2 * k) + (sign > 0.0 ? 1u : 0u);
}

static void cap_face(dp_face *out, const dp_placed *s, dp_v3 offset, bool upper)
{
    static const double sine[12] = {
        0.0, 0.5,  0.86602540378443864676,  1.0,  0.86602540378443864676,  0.5,
        0.0, -0.5, -0.86602540378443864676, -1.0, -0.86602540378443864676, -0.5};
    const double sign = upper ? 1.0 : -1.0;
    const dp_v3 axis = dp_m3_column(&s->R, 2);
    const dp_v3 middle = dp_v3_madd(offset, sign * s->shape->size[1], axis);
    const dp_v3 u = dp_v3_scale(dp_m3_column(&s->R, 0), s->shape->size[0]);
    const dp_v3 v = dp_v3_scale(dp_m3_column(&s->R, 1), sign * s->shape->size[0]);
    out->count = 12;
    for (int i = 0; i < 12; ++i) {
        const dp_v3 x = dp_v3_madd(middle, sine[(i + 3) % 12], u);
        out->corner[i] = dp_v3_madd(x, sine[i], v);
        out->id[i] = (uint32_t)(upper ? 12 + i : i);
    }
    out->normal = dp_v3_scale(axis, sign);
    out->face = upper ? 1u : 0u;
}

// The line on a side whose middle is at `middle`.
static void side_face(dp_face *out, const dp_placed *s, dp_v3 middle)
{
    const dp_v3 axis = dp_v3_scale(dp_m3_column(&s->R, 2), s->shape->size[1]);
    out->count = 2;
    out->corner[0] = dp_v3_sub(middle, axis);
    out->corner[1] = dp_v3_add(middle, axis);
    out->id[0] = 0;
    out->id[1] = 1;
    out->face = 2;
}

// The neighbour of a vertex that is least behind it for the length of the edge.
static int flattest_neighbour(const dp_hull *h, int vertex, dp_v3 m)
{
    const dp_v3 p = dp_v3_load(h->vertex + 3 * (size_t)vertex);
    int best = -1;
    double most = -INFINITY;
    for (int k = h->neighbour_start[vertex]; k < h->neighbour_start[vertex + 1]; ++k) {
        const dp_v3 edge = dp_v3_sub(dp_v3_load(h->vertex + 3 * (size_t)h->neighbour[k]), p);
        const double rise = dp_v3_dot(m, edge) / dp_v3_norm(edge);
        if (rise > most) {
            most = rise;
            best = h->neighbour[k];
        }
    }
    return best;
}

static bool face_has(const dp_hull *h, int face, int vertex)
{
    for (int k = h->face_start[face]; k < h->face_start[face + 1]; ++k) {
        if (h->face_vertex[k] == vertex) {
            return true;
        }
    }
    return false;
}

static void hull_face(dp_face *out, const dp_placed *s, dp_v3 offset, dp_v3 m)
{
    const dp_hull *h = s->shape->hull;
    int vertex = -1;
    (void)dp_core_support_of(s->shape, m, &vertex);
    const int neighbour = flattest_neighbour(h, vertex, m);
    int best = h->vertex_face[h->vertex_face_start[vertex]];
    double most = -INFINITY;
    for (int k = h->vertex_face_start[vertex]; k < h->vertex_face_start[vertex + 1]; ++k) {
        const int face = h->vertex_face[k];
        const double cosine = dp_v3_dot(m, dp_v3_load(h->face_plane + 4 * (size_t)face));
        if (cosine > most && face_has(h, face, neighbour)) {
            most = cosine;
            best = face;
        }
    }
    // A face of more corners than there is room for keeps some of them, evenly spread.
    const int start = h->face_start[best], corners = h->face_start[best + 1] - start;
    out->count = corners < DP_FACE_CORNERS ? corners : DP_FACE_CORNERS;
    for (int i = 0; i < out->count; ++i) {
        const int v = h->face_vertex[start + (int)((int64_t)i * corners / out->count)];
        out->corner[i] = at(s, offset, dp_v3_load(h->vertex + 3 * (size_t)v));
        out->id[i] = (uint32_t)v;
    }
    out->normal = dp_m3_apply(&s->R, dp_v3_load(h->face_plane + 4 * (size_t)best));
    out->face = (uint32_t)best;
}

void dp_placed_face(dp_face *out, const dp_placed *s, dp_v3 origin, dp_v3 direction)
{
    const double *size = s->shape->size;
    const dp_v3 offset = dp_v3_sub(s->p, origin);
    const dp_v3 m = dp_m3_apply_transposed(&s->R, direction);
    out->normal = direction;
    switch (s->shape->kind) {
    case DP_CAPSULE:
        side_face(out, s, dp_v3_madd(offset, size[0], direction));
        return;
    case DP_CYLINDER: {
        const double across = sqrt(m.x * m.x + m.y * m.y);
        if (fabs(m.z) >= across) {
            cap_face(out, s, offset, m.z > 0.0);
        } else {
            const double t = size[0] / across;
            side_face(out, s, at(s, offset, (dp_v3){t * m.x, t * m.y, 0.0}));
        }
        return;
    }
    case DP_BOX:
        box_face(out, s, offset, (const double[3]){m.x, m.y, m.z});
        return;
    case DP_MESH:
        if (s->shape->hull) {
            hull_face(out, s, offset, m);
            return;
        }
        break;
    case DP_SPHERE:
        point_face(out, dp_v3_madd(offset, size[0], direction));
        return;
    case DP_ELLIPSOID:
        point_face(out, at(s, offset, dp_core_support_of(s->shape, m, NULL)));
        return;
    case DP_PLANE:
        out->normal = dp_m3_column(&s->R, 2);
        break;
    case DP_HFIELD:
        break;
    }
    out->count = 0; // a plane has no corners; surfaces and terrains are not convex
    out->face = 0;
}
