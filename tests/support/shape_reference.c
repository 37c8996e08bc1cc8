#include "shape_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

wide_v3 wide_from(dp_v3 v)
{
    return (wide_v3){v.x, v.y, v.z};
}

long double wide_dot(wide_v3 a, wide_v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

wide_v3 wide_sub(wide_v3 a, wide_v3 b)
{
    return (wide_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

wide_v3 wide_cross(wide_v3 a, wide_v3 b)
{
    return (wide_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

wide_v3 wide_scale(wide_v3 a, long double s)
{
    return (wide_v3){a.x * s, a.y * s, a.z * s};
}

long double wide_norm(wide_v3 a)
{
    return sqrtl(wide_dot(a, a));
}

// The matrix of a quaternion of any length: that of the unit quaternion beside it.
static void rotation(long double R[3][3], dp_quat q)
{
    const long double w = q.w, x = q.x, y = q.y, z = q.z;
    const long double s = 2.0L / (w * w + x * x + y * y + z * z);
    R[0][0] = 1.0L - s * (y * y + z * z);
    R[0][1] = s * (x * y - w * z);
    R[0][2] = s * (x * z + w * y);
    R[1][0] = s * (x * y + w * z);
    R[1][1] = 1.0L - s * (x * x + z * z);
    R[1][2] = s * (y * z - w * x);
    R[2][0] = s * (x * z - w * y);
    R[2][1] = s * (y * z + w * x);
    R[2][2] = 1.0L - s * (x * x + y * y);
}

reference_body reference_place(const dp_shape *shape, const double *vertex, int nvertex,
                               dp_pose X_WS)
{
    reference_body s = {.kind = shape->kind,
                        .size = {shape->size[0], shape->size[1], shape->size[2]},
                        .vertex = vertex,
                        .nvertex = nvertex,
                        .p = wide_from(X_WS.p)};
    rotation(s.R, X_WS.q);
    return s;
}

static wide_v3 to_world(const reference_body *s, wide_v3 x)
{
    return (wide_v3){s->R[0][0] * x.x + s->R[0][1] * x.y + s->R[0][2] * x.z,
                     s->R[1][0] * x.x + s->R[1][1] * x.y + s->R[1][2] * x.z,
                     s->R[2][0] * x.x + s->R[2][1] * x.y + s->R[2][2] * x.z};
}

static wide_v3 to_shape(const reference_body *s, wide_v3 x)
{
    return (wide_v3){s->R[0][0] * x.x + s->R[1][0] * x.y + s->R[2][0] * x.z,
                     s->R[0][1] * x.x + s->R[1][1] * x.y + s->R[2][1] * x.z,
                     s->R[0][2] * x.x + s->R[1][2] * x.y + s->R[2][2] * x.z};
}

// Furthest along n in the frame of the shape.
static wide_v3 local_support(const reference_body *s, wide_v3 n)
{
    const long double *size = s->size;
    switch (s->kind) {
    case DP_GEOM_SPHERE:
        return wide_scale(n, size[0] / wide_norm(n));
    case DP_GEOM_CAPSULE: {
        wide_v3 x = wide_scale(n, size[0] / wide_norm(n));
        x.z += copysignl(size[1], n.z);
        return x;
    }
    case DP_GEOM_CYLINDER: {
        const long double across = sqrtl(n.x * n.x + n.y * n.y);
        const long double r = across > 0.0L ? size[0] / across : 0.0L;
        return (wide_v3){r * n.x, r * n.y, copysignl(size[1], n.z)};
    }
    case DP_GEOM_ELLIPSOID: {
        const wide_v3 m = {size[0] * n.x, size[1] * n.y, size[2] * n.z};
        const long double length = wide_norm(m);
        return (wide_v3){size[0] * m.x / length, size[1] * m.y / length, size[2] * m.z / length};
    }
    case DP_GEOM_BOX:
        return (wide_v3){copysignl(size[0], n.x), copysignl(size[1], n.y), copysignl(size[2], n.z)};
    default: {
        int best = 0;
        long double most = -INFINITY;
        for (int i = 0; i < s->nvertex; ++i) {
            const double *v = s->vertex + 3 * i;
            const long double along = v[0] * n.x + v[1] * n.y + v[2] * n.z;
            if (along > most) {
                most = along;
                best = i;
            }
        }
        const double *v = s->vertex + 3 * best;
        return (wide_v3){v[0], v[1], v[2]};
    }
    }
}

wide_v3 reference_support(const reference_body *s, wide_v3 n)
{
    return to_world(s, local_support(s, to_shape(s, n)));
}

long double reference_radius(const reference_body *s)
{
    const long double *size = s->size;
    switch (s->kind) {
    case DP_GEOM_PLANE:
        return 0.0L;
    case DP_GEOM_SPHERE:
        return size[0];
    case DP_GEOM_CAPSULE:
        return size[0] + size[1];
    case DP_GEOM_CYLINDER:
        return hypotl(size[0], size[1]);
    case DP_GEOM_ELLIPSOID:
        return fmaxl(size[0], fmaxl(size[1], size[2]));
    case DP_GEOM_BOX:
        return sqrtl(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    default: {
        long double most = 0.0L;
        for (int i = 0; i < s->nvertex; ++i) {
            const double *v = s->vertex + 3 * i;
            most = fmaxl(most, wide_norm((wide_v3){v[0], v[1], v[2]}));
        }
        return most;
    }
    }
}

// The point of A − B furthest along n: −f(n) is its height.
static wide_v3 support(const reference_body *a, const reference_body *b, wide_v3 n)
{
    const wide_v3 from_a = reference_support(a, n);
    const wide_v3 from_b = reference_support(b, wide_scale(n, -1.0L));
    const wide_v3 apart = wide_sub(a->p, b->p);
    return wide_sub((wide_v3){from_a.x + apart.x, from_a.y + apart.y, from_a.z + apart.z}, from_b);
}

long double reference_gap_along(const reference_body *a, const reference_body *b, wide_v3 n)
{
    if (a->kind == DP_GEOM_PLANE ||
        b->kind == DP_GEOM_PLANE) { // half-spaces reach infinitely far elsewhere
        const reference_body *plane = a->kind == DP_GEOM_PLANE ? a : b;
        const reference_body *other = a->kind == DP_GEOM_PLANE ? b : a;
        const wide_v3 up = {plane->R[0][2], plane->R[1][2], plane->R[2][2]};
        const wide_v3 lowest = reference_support(other, wide_scale(up, -1.0L));
        return wide_dot(up, wide_sub(other->p, plane->p)) + wide_dot(up, lowest);
    }
    return -wide_dot(n, support(a, b, n));
}

long double reference_outside(const reference_body *s, wide_v3 x)
{
    const wide_v3 y = to_shape(s, wide_sub(x, s->p));
    const long double *size = s->size;
    long double distance = 0.0L;
    switch (s->kind) {
    case DP_GEOM_SPHERE:
        distance = wide_norm(y) - size[0];
        break;
    case DP_GEOM_CAPSULE: {
        const long double z = fmaxl(-size[1], fminl(y.z, size[1]));
        distance = wide_norm((wide_v3){y.x, y.y, y.z - z}) - size[0];
        break;
    }
    case DP_GEOM_CYLINDER:
        distance =
            hypotl(fmaxl(hypotl(y.x, y.y) - size[0], 0.0L), fmaxl(fabsl(y.z) - size[1], 0.0L));
        break;
    case DP_GEOM_ELLIPSOID: { // along the ray from the centre
        const long double stretch =
            wide_norm((wide_v3){y.x / size[0], y.y / size[1], y.z / size[2]});
        distance = stretch > 1.0L ? wide_norm(y) * (1.0L - 1.0L / stretch) : 0.0L;
        break;
    }
    default:
        distance = wide_norm((wide_v3){fmaxl(fabsl(y.x) - size[0], 0.0L),
                                       fmaxl(fabsl(y.y) - size[1], 0.0L),
                                       fmaxl(fabsl(y.z) - size[2], 0.0L)});
        break;
    }
    return fmaxl(distance, 0.0L);
}

// The search. `height` is −f: it is to be made small.

typedef struct sphere_node {
    wide_v3 n, s; // direction, and the point furthest along it
    long double height;
} sphere_node;

typedef struct sphere_triangle {
    sphere_node corner[3];
    long double least; // no height in it is less
} sphere_triangle;

typedef struct sphere_heap {
    sphere_triangle *item;
    int count, capacity;
} sphere_heap;

static void heap_push(sphere_heap *heap, const sphere_triangle *t)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity ? 2 * heap->capacity : 256;
        heap->item = realloc(heap->item, (size_t)heap->capacity * sizeof *heap->item);
        if (!heap->item) {
            abort();
        }
    }
    int i = heap->count++;
    while (i > 0 && heap->item[(i - 1) / 2].least > t->least) {
        heap->item[i] = heap->item[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->item[i] = *t;
}

static sphere_triangle heap_pop(sphere_heap *heap)
{
    const sphere_triangle top = heap->item[0];
    const sphere_triangle last = heap->item[--heap->count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= heap->count) {
            break;
        }
        if (child + 1 < heap->count && heap->item[child + 1].least < heap->item[child].least) {
            ++child;
        }
        if (heap->item[child].least >= last.least) {
            break;
        }
        heap->item[i] = heap->item[child];
        i = child;
    }
    heap->item[i] = last;
    return top;
}

static long double least_column(long double G[3][3], const long double mu[3])
{
    long double least = INFINITY;
    for (int j = 0; j < 3; ++j) {
        least = fminl(least, mu[0] * G[0][j] + mu[1] * G[1][j] + mu[2] * G[2][j]);
    }
    return least;
}

// A lower bound of the height in a triangle with corners n_j and points s_i. For w = Σ λ_j n_j the
// height of w is at least Σ μ_i s_i·w ≥ min_j Σ μ_i s_i·n_j for any weights μ; good ones make the
// columns equal. The height of the unit vector along w is that over |w|, where
// 1 − e²/3 ≤ |w|² ≤ 1 for edges no longer than e.
static long double least_height(const sphere_node corner[3])
{
    long double G[3][3], best = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            G[i][j] = wide_dot(corner[i].s, corner[j].n);
        }
    }
    for (int i = 0; i < 3; ++i) { // one point, or two of them
        const int k = (i + 1) % 3;
        for (int j = 0; j < 3; ++j) {
            const int l = (j + 1) % 3;
            const long double at_i = G[i][j] - G[i][l], at_k = G[k][j] - G[k][l];
            long double t = at_i != at_k ? at_i / (at_i - at_k) : 0.0L;
            t = t > 0.0L ? fminl(t, 1.0L) : 0.0L;
            long double mu[3] = {0.0L, 0.0L, 0.0L};
            mu[i] = 1.0L - t;
            mu[k] = t;
            best = fmaxl(best, least_column(G, mu));
        }
    }
    const wide_v3 d1 = {G[0][0] - G[0][1], G[1][0] - G[1][1], G[2][0] - G[2][1]};
    const wide_v3 d2 = {G[0][0] - G[0][2], G[1][0] - G[1][2], G[2][0] - G[2][2]};
    const wide_v3 mu = wide_cross(d1, d2);
    const long double sum = mu.x + mu.y + mu.z;
    if (sum != 0.0L && mu.x / sum >= 0.0L && mu.y / sum >= 0.0L && mu.z / sum >= 0.0L) {
        best = fmaxl(best,
                     least_column(G, (const long double[3]){mu.x / sum, mu.y / sum, mu.z / sum}));
    }
    if (best < 0.0L) {
        long double edge2 = 0.0L;
        for (int i = 0; i < 3; ++i) {
            const wide_v3 edge = wide_sub(corner[i].n, corner[(i + 1) % 3].n);
            edge2 = fmaxl(edge2, wide_dot(edge, edge));
        }
        best /= sqrtl(1.0L - edge2 / 3.0L);
    }
    return best;
}

typedef struct sphere_search {
    const reference_body *a, *b;
    const reference_search *how;
    reference_answer *best;
    sphere_heap heap;
} sphere_search;

static sphere_node look(sphere_search *s, wide_v3 n)
{
    n = wide_scale(n, 1.0L / wide_norm(n));
    sphere_node node = {.n = n, .s = support(s->a, s->b, n)};
    node.height = wide_dot(n, node.s);
    ++s->best->evaluations;
    if (-node.height > s->best->gap && wide_dot(n, s->how->apart_from) <= s->how->cos_angle) {
        s->best->gap = -node.height;
        s->best->normal = n;
    }
    return node;
}

// Is all of it within the directions to leave out? A cap narrower than a half-sphere is convex.
static bool left_out(const sphere_search *s, const sphere_node corner[3])
{
    for (int i = 0; i < 3; ++i) {
        if (wide_dot(corner[i].n, s->how->apart_from) <= s->how->cos_angle) {
            return false;
        }
    }
    return true;
}

static void consider(sphere_search *s, sphere_node c0, sphere_node c1, sphere_node c2)
{
    const sphere_triangle t = {{c0, c1, c2}, 0.0L};
    if (left_out(s, t.corner)) {
        return;
    }
    sphere_triangle bounded = t;
    bounded.least = least_height(t.corner);
    if (-bounded.least > s->best->gap + s->how->tolerance) {
        heap_push(&s->heap, &bounded);
    } else {
        s->best->bound = fmaxl(s->best->bound, fmaxl(s->best->gap, -bounded.least));
    }
}

static wide_v3 middle(const sphere_node *a, const sphere_node *b)
{
    return (wide_v3){a->n.x + b->n.x, a->n.y + b->n.y, a->n.z + b->n.z};
}

// The direction in which three points are equally high: the normal of a face, once they belong to
// one.
static void try_equal_heights(sphere_search *s, const sphere_node corner[3])
{
    wide_v3 n = wide_cross(wide_sub(corner[1].s, corner[0].s), wide_sub(corner[2].s, corner[0].s));
    if (wide_norm(n) > 0.0L) {
        look(s, wide_dot(n, corner[0].n) < 0.0L ? wide_scale(n, -1.0L) : n);
    }
}

static void begin(sphere_search *s)
{
    const long double g = (1.0L + sqrtl(5.0L)) / 2.0L; // an icosahedron
    static const int face[20][3] = {{0, 2, 8},  {0, 8, 4},  {0, 4, 6},  {0, 6, 9},  {0, 9, 2},
                                    {3, 1, 10}, {3, 10, 5}, {3, 5, 7},  {3, 7, 11}, {3, 11, 1},
                                    {2, 9, 7},  {2, 7, 5},  {2, 5, 8},  {8, 5, 10}, {8, 10, 4},
                                    {4, 10, 1}, {4, 1, 6},  {6, 1, 11}, {6, 11, 9}, {9, 11, 7}};
    const wide_v3 corner[12] = {{0, 1, g}, {0, 1, -g}, {0, -1, g}, {0, -1, -g},
                                {1, g, 0}, {1, -g, 0}, {-1, g, 0}, {-1, -g, 0},
                                {g, 0, 1}, {-g, 0, 1}, {g, 0, -1}, {-g, 0, -1}};
    // Turned, so that no axis of a shape lies on an edge of it by chance.
    const long double turn[3][3] = {{2.0L / 7, 3.0L / 7, 6.0L / 7},
                                    {6.0L / 7, 2.0L / 7, -3.0L / 7},
                                    {-3.0L / 7, 6.0L / 7, -2.0L / 7}};
    sphere_node node[12];
    for (int i = 0; i < 12; ++i) {
        const wide_v3 c = corner[i];
        node[i] = look(s, (wide_v3){turn[0][0] * c.x + turn[0][1] * c.y + turn[0][2] * c.z,
                                    turn[1][0] * c.x + turn[1][1] * c.y + turn[1][2] * c.z,
                                    turn[2][0] * c.x + turn[2][1] * c.y + turn[2][2] * c.z});
    }
    for (int i = 0; i < 20; ++i) {
        consider(s, node[face[i][0]], node[face[i][1]], node[face[i][2]]);
    }
}

reference_search reference_search_default(const reference_body *a, const reference_body *b)
{
    const long double scale =
        reference_radius(a) + reference_radius(b) + wide_norm(wide_sub(a->p, b->p));
    return (reference_search){.tolerance = 1e-14L * scale,
                              .known = -INFINITY,
                              .cos_angle = 2.0,
                              .most_evaluations = 400000};
}

reference_answer reference_gap(const reference_body *a, const reference_body *b,
                               const reference_search *search)
{
    reference_answer best = {.gap = search->known, .bound = -INFINITY};
    if (a->kind == DP_GEOM_PLANE || b->kind == DP_GEOM_PLANE) {
        const reference_body *plane = a->kind == DP_GEOM_PLANE ? a : b;
        const wide_v3 up = {plane->R[0][2], plane->R[1][2], plane->R[2][2]};
        best.normal = a->kind == DP_GEOM_PLANE ? up : wide_scale(up, -1.0L);
        best.gap = reference_gap_along(a, b, best.normal);
        best.bound = best.gap;
        return best;
    }
    sphere_search s = {.a = a, .b = b, .how = search, .best = &best};
    begin(&s);
    while (s.heap.count > 0) {
        const sphere_triangle t = heap_pop(&s.heap);
        if (-t.least <= best.gap + search->tolerance ||
            best.evaluations >= search->most_evaluations) {
            best.bound = fmaxl(best.bound, fmaxl(best.gap, -t.least));
            break;
        }
        const sphere_node m01 = look(&s, middle(&t.corner[0], &t.corner[1]));
        const sphere_node m12 = look(&s, middle(&t.corner[1], &t.corner[2]));
        const sphere_node m20 = look(&s, middle(&t.corner[2], &t.corner[0]));
        try_equal_heights(&s, t.corner);
        consider(&s, t.corner[0], m01, m20);
        consider(&s, t.corner[1], m12, m01);
        consider(&s, t.corner[2], m20, m12);
        consider(&s, m01, m12, m20);
    }
    free(s.heap.item);
    best.bound = fmaxl(best.bound, best.gap);
    return best;
}
