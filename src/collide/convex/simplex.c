// The point of a simplex next to the origin.
//
// Barycentric coordinates are volumes, areas and lengths that have the origin for a corner: their
// signs tell which corners to drop. Where the origin is outside of several faces the nearest of
// their nearest points is taken, which needs no Voronoi regions and cannot contradict itself.
#include "collide/convex/minkowski.h"

// A part of a simplex: corners by number.
typedef struct part {
    int count;
    int corner[3];
    double weight[3];
    dp_v3 v;
    double vv;
} part;

// Each of these takes the nearest point of a part in place of *best, if it is nearer.

static void try_vertex(part *best, const dp_corner *c, int i)
{
    const dp_v3 w = c[i].w;
    const double vv = dp_v3_dot(w, w);
    if (vv < best->vv) {
        *best = (part){1, {i}, {1.0}, w, vv};
    }
}

static void try_segment(part *best, const dp_corner *c, int i, int j)
{
    const dp_v3 d = dp_v3_sub(c[j].w, c[i].w);
    const double to_i = -dp_v3_dot(c[i].w, d), to_j = dp_v3_dot(c[j].w, d);
    if (to_i <= 0.0) {
        try_vertex(best, c, i);
        return;
    }
    if (to_j <= 0.0) {
        try_vertex(best, c, j);
        return;
    }
    const double by = 1.0 / dp_v3_dot(d, d), at_i = to_j * by, at_j = to_i * by;
    // From the end that is nearer: less is taken away from less.
    const dp_v3 v = to_i <= to_j ? dp_v3_madd(c[i].w, at_j, d) : dp_v3_madd(c[j].w, -at_i, d);
    const double vv = dp_v3_dot(v, v);
    if (vv < best->vv) {
        *best = (part){2, {i, j}, {at_i, at_j}, v, vv};
    }
}

static void try_triangle(part *best, const dp_corner *c, int i, int j, int k)
{
    const dp_v3 a = c[i].w, b = c[j].w, e = c[k].w;
    const dp_v3 ab = dp_v3_sub(b, a), ae = dp_v3_sub(e, a), be = dp_v3_sub(e, b);
    const dp_v3 n = dp_v3_cross(ab, ae);
    // Twice the areas seen along n, with the origin in place of a corner.
    const double at_a = dp_v3_dot(n, dp_v3_cross(b, be));
    const double at_b = -dp_v3_dot(n, dp_v3_cross(a, ae));
    const double at_e = dp_v3_dot(n, dp_v3_cross(a, ab));
    if (at_a > 0.0 && at_b > 0.0 && at_e > 0.0) {
        const dp_v3 middle = dp_v3_scale(dp_v3_add(dp_v3_add(a, b), e), 1.0 / 3.0);
        const dp_v3 v = dp_v3_scale(n, dp_v3_dot(n, middle) / dp_v3_dot(n, n));
        const double vv = dp_v3_dot(v, v), by = 1.0 / (at_a + at_b + at_e);
        if (vv < best->vv) {
            *best = (part){3, {i, j, k}, {at_a * by, at_b * by, at_e * by}, v, vv};
        }
        return;
    }
    if (!(at_a > 0.0)) {
        try_segment(best, c, j, k);
    }
    if (!(at_b > 0.0)) {
        try_segment(best, c, i, k);
    }
    if (!(at_e > 0.0)) {
        try_segment(best, c, i, j);
    }
}

// Is the origin on the other side of the face i, j, k than the corner l, or the tetrahedron flat?
static bool is_outside(const dp_corner *c, int i, int j, int k, int l)
{
    const dp_v3 a = c[i].w;
    const dp_v3 n = dp_v3_cross(dp_v3_sub(c[j].w, a), dp_v3_sub(c[k].w, a));
    const double height = dp_v3_dot(n, dp_v3_sub(c[l].w, a)), origin = -dp_v3_dot(n, a);
    return height > 0.0 ? origin < 0.0 : (height < 0.0 ? origin > 0.0 : true);
}

static void keep(dp_simplex *s, const part *p)
{
    // Corners ascend in a part, so that none is overwritten before it is read.
    for (int i = 0; i < p->count && p->count < 4; ++i) {
        if (p->corner[i] != i) {
            s->corner[i] = s->corner[p->corner[i]];
        }
        s->weight[i] = p->weight[i];
    }
    s->count = p->count;
    s->v = p->v;
    s->vv = p->vv;
}

static void try_tetrahedron(part *best, const dp_corner *c)
{
    // The origin is not beyond the face without the newest corner: that face was nearest before.
    static const int face[3][4] = {{0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    bool outside = false;
    for (int f = 0; f < 3; ++f) {
        const int *i = face[f];
        if (is_outside(c, i[0], i[1], i[2], i[3])) {
            outside = true;
            try_triangle(best, c, i[0], i[1], i[2]);
        }
    }
    if (!outside) {
        *best = (part){.count = 4};
    }
}

static part nearest(const dp_simplex *s)
{
    // The first corner, should squares have left the range of numbers.
    part best = {1, {0}, {1.0}, s->corner[0].w, INFINITY};
    switch (s->count) {
    case 4:
        try_tetrahedron(&best, s->corner);
        break;
    case 3:
        try_triangle(&best, s->corner, 0, 1, 2);
        break;
    case 2:
        try_segment(&best, s->corner, 0, 1);
        break;
    default:
        try_vertex(&best, s->corner, 0);
        break;
    }
    return best;
}

void dp_simplex_reduce(dp_simplex *s)
{
    const part p = nearest(s);
    keep(s, &p);
}

bool dp_simplex_improve(dp_simplex *s)
{
    const part p = nearest(s);
    if (p.vv < s->vv) {
        keep(s, &p);
        return true;
    }
    --s->count;
    return false;
}
