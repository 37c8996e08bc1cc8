// What the corners of a simplex lie on, or what looks along a direction.
#include "collide/exact/feature_pair.h"

// Edges of hulls that rise by less (a sine) may be level.
static const double NEARLY_ACROSS = 0.005;

// Points of a cylinder at both ends: its side. At one end and far from each other: its cap. Neither
// is likely when it looks another way.
static void cylinder_feature(dp_feature *f, const dp_shape *s, const dp_v3 *x, int count, dp_v3 n)
{
    const double up = fabs(n.z);
    const double r = s->size[0], h = s->size[1];
    bool top = false, bottom = false, spread = false;
    for (int i = 0; i < count; ++i) {
        top = top || x[i].z > 0.0;
        bottom = bottom || x[i].z < 0.0;
        for (int k = 0; k < i; ++k) {
            const double dx = x[i].x - x[k].x, dy = x[i].y - x[k].y;
            spread = spread || dx * dx + dy * dy > 0.25 * r * r;
        }
    }
    f->kind = top && bottom && up < 0.5 ? DP_FEATURE_EDGE
                                        : (spread && up > 0.9 ? DP_FEATURE_FACE : DP_FEATURE_POINT);
    f->z = f->kind == DP_FEATURE_EDGE ? 0.0 : (n.z >= 0.0 ? h : -h);
    f->axis = (dp_v3){0.0, 0.0, n.z >= 0.0 ? 1.0 : -1.0};
}

static void box_face(dp_feature *f, const dp_shape *s, dp_v3 n)
{
    const double size[3] = {s->size[0], s->size[1], s->size[2]}, along[3] = {n.x, n.y, n.z};
    int k = 0;
    for (int i = 1; i < 3; ++i) {
        k = fabs(along[i]) > fabs(along[k]) ? i : k;
    }
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double side = along[k] >= 0.0 ? 1.0 : -1.0;
    f->axis = (dp_v3){k == 0 ? side : 0.0, k == 1 ? side : 0.0, k == 2 ? side : 0.0};
    f->count = 4;
    for (int c = 0; c < 4; ++c) {
        double x[3];
        x[k] = side * size[k];
        x[i] = c == 0 || c == 3 ? size[i] : -size[i];
        x[j] = c < 2 ? size[j] : -size[j];
        f->point[c] = dp_v3_load(x);
        f->vertex[c] = (x[0] >= 0.0) | (x[1] >= 0.0) << 1 | (x[2] >= 0.0) << 2;
    }
}

// The face at one of the vertices that looks along n most.
static void hull_face(dp_feature *f, const dp_shape *s, dp_v3 n)
{
    const dp_hull *h = s->hull;
    int best = -1;
    double most = -INFINITY;
    for (int i = 0; i < f->count; ++i) {
        const int v = f->vertex[i];
        for (int k = h->vertex_face_start[v]; k < h->vertex_face_start[v + 1]; ++k) {
            const double along = dp_v3_dot(n, dp_v3_load(h->face_plane + 4 * h->vertex_face[k]));
            if (along > most) {
                most = along;
                best = h->vertex_face[k];
            }
        }
    }
    f->axis = dp_v3_load(h->face_plane + 4 * best);
    const int first = h->face_start[best], ncorner = h->face_start[best + 1] - first;
    if (ncorner <= DP_FEATURE_POINTS) { // else the vertices of the simplex have to do
        f->count = ncorner;
        for (int k = 0; k < ncorner; ++k) {
            f->vertex[k] = h->face_vertex[first + k];
            f->point[k] = dp_v3_load(h->vertex + 3 * f->vertex[k]);
        }
    }
}

// What the corners of a polyhedron that are in f span.
void dp_feature_span(dp_feature *f, const dp_shape *s, dp_v3 n)
{
    f->kind =
        f->count == 1 ? DP_FEATURE_POINT : (f->count == 2 ? DP_FEATURE_EDGE : DP_FEATURE_FACE);
    if (f->kind == DP_FEATURE_EDGE) {
        f->axis = dp_v3_unit(dp_v3_sub(f->point[1], f->point[0]));
    } else if (f->kind == DP_FEATURE_FACE) {
        if (s->kind == DP_GEOM_BOX) {
            box_face(f, s, n);
        } else {
            hull_face(f, s, n);
        }
    }
}

// `x`: points of the core in its frame, `n`: the direction it looks.
void dp_feature_find(dp_feature *f, const dp_shape *s, const dp_v3 *x, const int *vertex, int count,
                     dp_v3 n)
{
    f->kind = DP_FEATURE_POINT;
    f->count = 0;
    f->z = 0.0;
    f->axis = (dp_v3){0.0, 0.0, 1.0};
    if (s->kind == DP_GEOM_CYLINDER) {
        cylinder_feature(f, s, x, count, n);
        return;
    }
    if (s->kind == DP_GEOM_ELLIPSOID) {
        return;
    }
    if (s->kind == DP_GEOM_SPHERE) {
        f->vertex[0] = 0;
        f->point[f->count++] = (dp_v3){0.0, 0.0, 0.0};
        return;
    }
    for (int i = 0; i < count; ++i) {
        bool known = false;
        for (int k = 0; k < f->count; ++k) {
            known = known || dp_v3_same(f->point[k], x[i]);
        }
        if (!known) {
            f->vertex[f->count] = vertex[i];
            f->point[f->count++] = x[i];
        }
    }
    dp_feature_span(f, s, n);
}

// Neighbours of a vertex of a hull that are as high, but for a slope of NEARLY_ACROSS: none, that
// of an edge, or two of a face. Returns the number of points, with the vertex.
static int add_level_neighbours(dp_v3 *point, int *number, const dp_hull *h, dp_v3 n)
{
    double least[2] = {NEARLY_ACROSS * NEARLY_ACROSS, NEARLY_ACROSS * NEARLY_ACROSS};
    int count = 1;
    for (int k = h->neighbour_start[number[0]]; k < h->neighbour_start[number[0] + 1]; ++k) {
        const dp_v3 x = dp_v3_load(h->vertex + 3 * (size_t)h->neighbour[k]);
        const dp_v3 e = dp_v3_sub(x, point[0]);
        const double fall = dp_v3_dot(n, e), slope2 = fall * fall / dp_v3_dot(e, e);
        if (slope2 < least[1]) {
            const int at = slope2 < least[0] ? 1 : 2;
            least[1] = at == 1 ? least[0] : slope2;
            least[0] = at == 1 ? slope2 : least[0];
            number[2] = at == 1 ? number[1] : number[2];
            point[2] = at == 1 ? point[1] : point[2];
            number[at] = h->neighbour[k];
            point[at] = x;
            count = count < 3 ? count + 1 : 3;
        }
    }
    return count;
}

// The feature that looks along n, or so nearly that the heights of its points differ by no more
// than `level`.
void dp_feature_guess(dp_feature *f, const dp_shape *s, dp_v3 n, double level)
{
    int vertex = -1;
    const dp_v3 x = dp_core_support_of(s, n, &vertex);
    if (s->kind == DP_GEOM_CYLINDER) {
        const double across = 2.0 * s->size[0] * sqrt(n.x * n.x + n.y * n.y);
        const bool side = 2.0 * s->size[1] * fabs(n.z) < level;
        f->count = 0;
        f->kind = side ? DP_FEATURE_EDGE : (across < level ? DP_FEATURE_FACE : DP_FEATURE_POINT);
        f->z = side ? 0.0 : x.z;
        f->axis = (dp_v3){0.0, 0.0, n.z >= 0.0 ? 1.0 : -1.0};
        return;
    }
    dp_v3 point[4] = {x};
    int number[4] = {vertex}, count = 1;
    if (s->kind != DP_GEOM_BOX && s->kind != DP_GEOM_CAPSULE) {
        if (s->kind == DP_GEOM_MESH) {
            count = add_level_neighbours(point, number, s->hull, n);
        }
        dp_feature_find(f, s, point, number, count, n);
        return;
    }
    const bool box = s->kind == DP_GEOM_BOX;
    const double height[3] = {box ? s->size[0] * fabs(n.x) : INFINITY,
                              box ? s->size[1] * fabs(n.y) : INFINITY,
                              box ? s->size[2] * fabs(n.z) : s->size[1] * fabs(n.z)};
    for (int k = 0; k < 3 && count < 4; ++k) {
        if (2.0 * height[k] < level) {
            for (int i = 0, had = count; i < had; ++i) {
                number[count] = number[i] ^ (box ? 1 << k : 1);
                point[count] = dp_core_vertex(s, number[count]);
                ++count;
            }
        }
    }
    dp_feature_find(f, s, point, number, count, n);
}

// A number that tells features of one shape apart. The first two corners of a face are an edge,
// which no other face has the same way around.
uint64_t dp_feature_key(const dp_feature *f, const dp_shape *s)
{
    const uint64_t kind = (uint64_t)f->kind << 62;
    if (dp_core_is_curved(s)) {
        return kind | (f->z > 0.0);
    }
    const uint64_t u = (uint64_t)f->vertex[0],
                   v = f->kind == DP_FEATURE_POINT ? u : (uint64_t)f->vertex[1];
    return kind | (f->kind == DP_FEATURE_EDGE && u > v ? v << 31 | u : u << 31 | v);
}
