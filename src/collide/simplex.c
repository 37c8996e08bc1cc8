// The point of a simplex next to the origin.
//
// Barycentric coordinates are volumes, areas and lengths that have the origin for a corner: their
// signs tell which corners to drop. Where the origin is outside of several faces the nearest of
// their nearest points is taken, which needs no Voronoi regions and cannot contradict itself.
#include "collide/minkowski.h"

// A part of a simplex: corners by number.
typedef struct part {
    int count;
    int corner[3];
    double weight[3];
    dp_v3 v;
    double vv;
} part;

static part nearest_vertex(const dp_corner *c, int i)
{
    return (part){1, {i}, {1.0}, c[i].w, dp_v3_dot(c[i].w, c[i].w)};
}

static part nearest_on_segment(const dp_corner *c, int i, int j)
{
    const dp_v3 d = dp_v3_sub(c[j].w, c[i].w);
    const double to_i = -dp_v3_dot(c[i].w, d), to_j = dp_v3_dot(c[j].w, d);
    if (to_i <= 0.0) {
        return nearest_vertex(c, i);
    }
    if (to_j <= 0.0) {
        return nearest_vertex(c, j);
    }
    const double dd = dp_v3_dot(d, d);
    part p = {2, {i, j}, {to_j / dd, to_i / dd}, {0.0, 0.0, 0.0}, 0.0};
    // From the end that is nearer: less is taken away from less.
    p.v = to_i <= to_j ? dp_v3_madd(c[i].w, p.weight[1], d) : dp_v3_madd(c[j].w, -p.weight[0], d);
    p.vv = dp_v3_dot(p.v, p.v);
    return p;
}

static part nearer(part p, part q)
{
    return q.vv < p.vv ? q : p;
}

static part nearest_on_triangle(const dp_corner *c, int i, int j, int k)
{
    const dp_v3 a = c[i].w, b = c[j].w, e = c[k].w;
    const dp_v3 ab = dp_v3_sub(b, a), ae = dp_v3_sub(e, a), be = dp_v3_sub(e, b);
    const dp_v3 n = dp_v3_cross(ab, ae);
    const double nn = dp_v3_dot(n, n);
    // Twice the areas seen along n, with the origin in place of a corner.
    const double at_a = dp_v3_dot(n, dp_v3_cross(b, be));
    const double at_b = -dp_v3_dot(n, dp_v3_cross(a, ae));
    const double at_e = dp_v3_dot(n, dp_v3_cross(a, ab));
    if (at_a > 0.0 && at_b > 0.0 && at_e > 0.0) {
        const double sum = at_a + at_b + at_e;
        part p = {3, {i, j, k}, {at_a / sum, at_b / sum, at_e / sum}, {0.0, 0.0, 0.0}, 0.0};
        const dp_v3 middle = dp_v3_scale(dp_v3_add(dp_v3_add(a, b), e), 1.0 / 3.0);
        p.v = dp_v3_scale(n, dp_v3_dot(n, middle) / nn);
        p.vv = dp_v3_dot(p.v, p.v);
        return p;
    }
    part best = {.vv = INFINITY};
    if (!(at_a > 0.0)) {
        best = nearest_on_segment(c, j, k);
    }
    if (!(at_b > 0.0)) {
        best = nearer(nearest_on_segment(c, i, k), best);
    }
    if (!(at_e > 0.0)) {
        best = nearer(nearest_on_segment(c, i, j), best);
    }
    return best;
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

static part nearest_on_tetrahedron(const dp_corner *c)
{
    // The origin is not beyond the face without the newest corner: that face was nearest before.
    static const int face[3][4] = {{0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    part best = {.vv = INFINITY};
    bool outside = false;
    for (int f = 0; f < 3; ++f) {
        const int *i = face[f];
        if (is_outside(c, i[0], i[1], i[2], i[3])) {
            outside = true;
            best = nearer(nearest_on_triangle(c, i[0], i[1], i[2]), best);
        }
    }
    if (!outside) {
        best = (part){.count = 4};
    }
    return best;
}

static part nearest(const dp_simplex *s)
{
    switch (s->count) {
    case 4:
        return nearest_on_tetrahedron(s->corner);
    case 3:
        return nearest_on_triangle(s->corner, 0, 1, 2);
    case 2:
        return nearest_on_segment(s->corner, 0, 1);
    default:
        return nearest_vertex(s->corner, 0);
    }
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
