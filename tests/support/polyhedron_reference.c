// Polyhedra by trying everything.
#include "polyhedron_reference.h"

#include <assert.h>
#include <math.h>

static wide_v3 add(wide_v3 a, long double s, wide_v3 b)
{
    return (wide_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static wide_v3 turned(dp_quat q, const double *x)
{
    const long double s = 1.0L / sqrtl((long double)q.w * q.w + (long double)q.x * q.x +
                                       (long double)q.y * q.y + (long double)q.z * q.z);
    const wide_v3 u = {q.x * s, q.y * s, q.z * s}, v = {x[0], x[1], x[2]};
    const wide_v3 t = wide_scale(wide_cross(u, v), 2.0L);
    return add(add(v, q.w * s, t), 1.0L, wide_cross(u, t));
}

static void add_edge(polyhedron *p, int u, int v)
{
    if (u < v) { // the neighbour has it the other way
        assert(p->nedge < POLYHEDRON_EDGES);
        p->edge[p->nedge][0] = u;
        p->edge[p->nedge++][1] = v;
    }
}

polyhedron polyhedron_place(const dp_mesh *m, dp_pose X_WM)
{
    polyhedron p = {.nvertex = m->nvertex, .ntriangle = m->nface};
    assert(m->nvertex <= POLYHEDRON_VERTICES && m->nface <= POLYHEDRON_TRIANGLES);
    for (int i = 0; i < m->nvertex; ++i) {
        p.vertex[i] = add(turned(X_WM.q, m->vertex + 3 * i), 1.0L, wide_from(X_WM.p));
    }
    for (int f = 0; f < m->nface; ++f) {
        const int *corner = m->face + 3 * f;
        for (int k = 0; k < 3; ++k) {
            p.triangle[f][k] = corner[k];
            add_edge(&p, corner[k], corner[(k + 1) % 3]);
        }
    }
    return p;
}

long double polyhedron_gap_along(const polyhedron *a, const polyhedron *b, wide_v3 n)
{
    long double most = -INFINITY, least = INFINITY;
    for (int i = 0; i < a->nvertex; ++i) {
        most = fmaxl(most, wide_dot(n, a->vertex[i]));
    }
    for (int i = 0; i < b->nvertex; ++i) {
        least = fminl(least, wide_dot(n, b->vertex[i]));
    }
    return least - most;
}

static long double try_axis(const polyhedron *a, const polyhedron *b, wide_v3 n, long double best)
{
    const long double length = wide_norm(n);
    if (!(length > 0.0L)) {
        return best;
    }
    n = wide_scale(n, 1.0L / length);
    const long double there = polyhedron_gap_along(a, b, n);
    const long double back = polyhedron_gap_along(a, b, wide_scale(n, -1.0L));
    return fmaxl(best, fmaxl(there, back));
}

static wide_v3 face_normal(const polyhedron *p, int f)
{
    const wide_v3 a = p->vertex[p->triangle[f][0]];
    return wide_cross(wide_sub(p->vertex[p->triangle[f][1]], a),
                      wide_sub(p->vertex[p->triangle[f][2]], a));
}

static wide_v3 edge_vector(const polyhedron *p, int e)
{
    return wide_sub(p->vertex[p->edge[e][1]], p->vertex[p->edge[e][0]]);
}

static long double best_axis(const polyhedron *a, const polyhedron *b)
{
    long double best = -INFINITY;
    for (int f = 0; f < a->ntriangle; ++f) {
        best = try_axis(a, b, face_normal(a, f), best);
    }
    for (int f = 0; f < b->ntriangle; ++f) {
        best = try_axis(a, b, face_normal(b, f), best);
    }
    for (int i = 0; i < a->nedge; ++i) {
        for (int j = 0; j < b->nedge; ++j) {
            best = try_axis(a, b, wide_cross(edge_vector(a, i), edge_vector(b, j)), best);
        }
    }
    return best;
}

static long double clamp(long double t)
{
    return fminl(fmaxl(t, 0.0L), 1.0L);
}

static long double from_segment(wide_v3 p, wide_v3 q, wide_v3 x)
{
    const wide_v3 d = wide_sub(q, p);
    const long double t = clamp(wide_dot(wide_sub(x, p), d) / wide_dot(d, d));
    return wide_norm(wide_sub(x, add(p, t, d)));
}

// Distance of x from the inside of a triangle; infinite where it is beside it: edges will do.
static long double from_triangle(const polyhedron *p, int f, wide_v3 x)
{
    const wide_v3 n = face_normal(p, f);
    const long double nn = wide_dot(n, n);
    for (int k = 0; k < 3; ++k) {
        const wide_v3 a = p->vertex[p->triangle[f][k]], b = p->vertex[p->triangle[f][(k + 1) % 3]];
        if (wide_dot(wide_cross(n, wide_sub(b, a)), wide_sub(x, a)) < 0.0L) {
            return INFINITY;
        }
    }
    return fabsl(wide_dot(n, wide_sub(x, p->vertex[p->triangle[f][0]]))) / sqrtl(nn);
}

static long double between_segments(wide_v3 a, wide_v3 b, wide_v3 c, wide_v3 d)
{
    long double best = fminl(fminl(from_segment(a, b, c), from_segment(a, b, d)),
                             fminl(from_segment(c, d, a), from_segment(c, d, b)));
    const wide_v3 u = wide_sub(b, a), v = wide_sub(d, c), n = wide_cross(u, v), w = wide_sub(c, a);
    const long double nn = wide_dot(n, n);
    if (nn > 0.0L) { // the lines are nearest at a + s u, c + t v
        const long double s = wide_dot(wide_cross(w, v), n) / nn;
        const long double t = wide_dot(wide_cross(w, u), n) / nn;
        if (s >= 0.0L && s <= 1.0L && t >= 0.0L && t <= 1.0L) {
            best = fminl(best, fabsl(wide_dot(w, n)) / sqrtl(nn));
        }
    }
    return best;
}

static long double nearest_features(const polyhedron *a, const polyhedron *b)
{
    long double best = INFINITY;
    for (int f = 0; f < a->ntriangle; ++f) {
        for (int i = 0; i < b->nvertex; ++i) {
            best = fminl(best, from_triangle(a, f, b->vertex[i]));
        }
    }
    for (int f = 0; f < b->ntriangle; ++f) {
        for (int i = 0; i < a->nvertex; ++i) {
            best = fminl(best, from_triangle(b, f, a->vertex[i]));
        }
    }
    for (int i = 0; i < a->nedge; ++i) {
        for (int j = 0; j < b->nedge; ++j) {
            best =
                fminl(best, between_segments(a->vertex[a->edge[i][0]], a->vertex[a->edge[i][1]],
                                             b->vertex[b->edge[j][0]], b->vertex[b->edge[j][1]]));
        }
    }
    return best;
}

long double polyhedron_gap(const polyhedron *a, const polyhedron *b)
{
    const long double axis = best_axis(a, b);
    return axis < 0.0L ? axis : nearest_features(a, b);
}
