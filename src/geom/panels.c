// Faces of hulls that lie in one plane but for the rounding of single precision, as meshes in files
// have it, made one panel: what rests on such a face touches with all of it, not with one of the
// triangles that rounding has made of it. A panel is the convex outline, in its plane, of all the
// vertices of its faces.
#include "geom/hull_shape.h"

#include <string.h>

// Corners this near to the plane of the largest face, relative to the size of the hull, are in it:
// some units in the last place of single precision.
static const double IN_PLANE = 1e-6;

typedef struct panels {
    const dp_hull *hull;
    int *of_face; // nface; −1: none yet
    int *queue;   // nface: the faces of one panel
    int *stamp;   // nvertex: the last panel that has seen it, + 1
    int *vertex;  // nvertex: those of one panel
    int *chain;   // 2·nvertex: corners of its outline
    double *x, *y;
} panels;

static dp_v3 vertex_of(const dp_hull *h, int i)
{
    return dp_v3_load(h->vertex + 3 * (size_t)i);
}

static dp_v3 normal_of(const dp_hull *h, int face)
{
    return dp_v3_load(h->face_plane + 4 * (size_t)face);
}

static dp_v3 area_of(const dp_hull *h, int face)
{
    const int first = h->face_start[face], end = h->face_start[face + 1];
    const dp_v3 p = vertex_of(h, h->face_vertex[first]);
    dp_v3 twice = {0.0, 0.0, 0.0};
    for (int i = first + 1; i + 1 < end; ++i) {
        twice = dp_v3_add(twice, dp_v3_cross(dp_v3_sub(vertex_of(h, h->face_vertex[i]), p),
                                             dp_v3_sub(vertex_of(h, h->face_vertex[i + 1]), p)));
    }
    return twice;
}

static bool is_in_plane(const dp_hull *h, int face, dp_v3 n, dp_v3 p)
{
    bool within = dp_v3_dot(normal_of(h, face), n) >= 0.0;
    for (int i = h->face_start[face]; within && i < h->face_start[face + 1]; ++i) {
        const dp_v3 d = dp_v3_sub(vertex_of(h, h->face_vertex[i]), p);
        within = fabs(dp_v3_dot(n, d)) <= IN_PLANE * h->size;
    }
    return within;
}

// Faces at the corners of those that belong to the panel, as long as they are in the plane of the
// first. Returns their number, in queue.
static int grow(panels *s, int number, int seed)
{
    const dp_hull *h = s->hull;
    const dp_v3 n = normal_of(h, seed), p = vertex_of(h, h->face_vertex[h->face_start[seed]]);
    int count = 0;
    s->queue[count++] = seed;
    s->of_face[seed] = number;
    for (int at = 0; at < count; ++at) {
        const int face = s->queue[at];
        for (int i = h->face_start[face]; i < h->face_start[face + 1]; ++i) {
            const int v = h->face_vertex[i];
            for (int k = h->vertex_face_start[v]; k < h->vertex_face_start[v + 1]; ++k) {
                const int other = h->vertex_face[k];
                if (s->of_face[other] < 0 && is_in_plane(h, other, n, p)) {
                    s->of_face[other] = number;
                    s->queue[count++] = other;
                }
            }
        }
    }
    return count;
}

// --- the outline

// Is c to the left of the line from a to b?
static double turn(const panels *s, int a, int b, int c)
{
    return (s->x[b] - s->x[a]) * (s->y[c] - s->y[a]) - (s->y[b] - s->y[a]) * (s->x[c] - s->x[a]);
}

// The vertices of the faces, once each, by x and then y in the plane across n.
static int gather(panels *s, int number, int count, dp_v3 n)
{
    const dp_hull *h = s->hull;
    const double sign = n.z < 0.0 ? -1.0 : 1.0, a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    const dp_v3 u = {1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    const dp_v3 w = {b, sign + n.y * n.y * a, -n.y};
    int found = 0;
    for (int f = 0; f < count; ++f) {
        for (int i = h->face_start[s->queue[f]]; i < h->face_start[s->queue[f] + 1]; ++i) {
            const int v = h->face_vertex[i];
            if (s->stamp[v] == number + 1) {
                continue;
            }
            s->stamp[v] = number + 1;
            s->x[v] = dp_v3_dot(u, vertex_of(h, v));
            s->y[v] = dp_v3_dot(w, vertex_of(h, v));
            int at = found++;
            for (; at > 0 &&
                   (s->x[s->vertex[at - 1]] > s->x[v] ||
                    (s->x[s->vertex[at - 1]] == s->x[v] && s->y[s->vertex[at - 1]] > s->y[v]));
                 --at) {
                s->vertex[at] = s->vertex[at - 1];
            }
            s->vertex[at] = v;
        }
    }
    return found;
}

// Push a vertex on a chain that turns left, of which `least` corners stay.
static int push(int *chain, int n, int least, const panels *s, int v)
{
    while (n >= least && turn(s, chain[n - 2], chain[n - 1], v) <= 0.0) {
        --n;
    }
    chain[n] = v;
    return n + 1;
}

// The convex outline of sorted vertices, counterclockwise: its lower half, then its upper half.
// Returns its number of corners.
static int outline(int *corner, const panels *s, int count)
{
    int *chain = s->chain, n = 0;
    for (int i = 0; i < count; ++i) {
        n = push(chain, n, 2, s, s->vertex[i]);
    }
    const int lower = n + 1;
    for (int i = count - 2; i >= 0; --i) {
        n = push(chain, n, lower, s, s->vertex[i]);
    }
    for (int i = 0; i + 1 < n; ++i) { // the first is the last as well
        corner[i] = chain[i];
    }
    return n - 1;
}

// --- all of them

static dp_status take_scratch(panels *s, int **order, dp_pool *scratch)
{
    const dp_hull *h = s->hull;
    const size_t nface = (size_t)h->nface, nvertex = (size_t)h->nvertex;
    double *area;
    DP_TRY(dp_pool_take(order, scratch, nface, sizeof **order));
    DP_TRY(dp_pool_take(&area, scratch, nface, sizeof *area));
    DP_TRY(dp_pool_take(&s->of_face, scratch, nface, sizeof *s->of_face));
    DP_TRY(dp_pool_take(&s->queue, scratch, nface, sizeof *s->queue));
    DP_TRY(dp_pool_take(&s->stamp, scratch, nvertex, sizeof *s->stamp));
    DP_TRY(dp_pool_take(&s->vertex, scratch, nvertex, sizeof *s->vertex));
    DP_TRY(dp_pool_take(&s->chain, scratch, 2 * nvertex, sizeof *s->chain));
    DP_TRY(dp_pool_take(&s->x, scratch, nvertex, sizeof *s->x));
    DP_TRY(dp_pool_take(&s->y, scratch, nvertex, sizeof *s->y));
    for (int f = 0; f < h->nface; ++f) {
        area[f] = dp_v3_norm(area_of(h, f));
        s->of_face[f] = -1;
    }
    dp_hull_sort_by_area(*order, area, h->nface);
    return DP_OK;
}

// A face by itself keeps its corners as they are.
static int add_panel(int *corner, dp_v3 *normal, panels *s, int number, int count)
{
    const dp_hull *h = s->hull;
    if (count == 1) {
        const int first = h->face_start[s->queue[0]];
        const int n = h->face_start[s->queue[0] + 1] - first;
        for (int i = 0; i < n; ++i) {
            corner[i] = h->face_vertex[first + i];
        }
        *normal = normal_of(h, s->queue[0]);
        return n;
    }
    dp_v3 sum = {0.0, 0.0, 0.0};
    for (int f = 0; f < count; ++f) {
        sum = dp_v3_add(sum, area_of(h, s->queue[f]));
    }
    *normal = dp_v3_scale(sum, 1.0 / dp_v3_norm(sum));
    return outline(corner, s, gather(s, number, count, *normal));
}

// @param out a pointer, which is set
static dp_status copy(void *out, dp_pool *pool, const void *from, size_t bytes)
{
    void *made;
    DP_TRY(dp_pool_take(&made, pool, bytes, 1));
    memcpy(made, from, bytes);
    memcpy(out, &made, sizeof made);
    return DP_OK;
}

static dp_status find_panels(dp_hull *h, dp_pool *pool, dp_pool *scratch)
{
    panels s = {.hull = h};
    int *order, *start, *corner;
    double *normal;
    const size_t nface = (size_t)h->nface, ncorner = (size_t)h->face_start[h->nface];
    DP_TRY(take_scratch(&s, &order, scratch));
    DP_TRY(dp_pool_take(&start, scratch, nface + 1, sizeof *start));
    DP_TRY(dp_pool_take(&corner, scratch, ncorner + 1, sizeof *corner));
    DP_TRY(dp_pool_take(&normal, scratch, nface, 3 * sizeof *normal));
    int npanel = 0;
    for (int i = 0; i < h->nface; ++i) {
        if (s.of_face[order[i]] < 0) {
            dp_v3 n;
            const int count = grow(&s, npanel, order[i]);
            start[npanel + 1] =
                start[npanel] + add_panel(corner + start[npanel], &n, &s, npanel, count);
            dp_v3_store(normal + 3 * (size_t)npanel++, n);
        }
    }
    if (npanel == h->nface) {
        return DP_OK;
    }
    const size_t n = (size_t)npanel, m = (size_t)start[npanel];
    DP_TRY(copy(&h->panel, pool, s.of_face, nface * sizeof *s.of_face));
    DP_TRY(copy(&h->panel_start, pool, start, (n + 1) * sizeof *start));
    DP_TRY(copy(&h->panel_vertex, pool, corner, m * sizeof *corner));
    return copy(&h->panel_normal, pool, normal, 3 * n * sizeof *normal);
}

dp_status dp_hull_find_panels(dp_hull *h, dp_pool *pool)
{
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    const dp_status status = find_panels(h, pool, &scratch);
    dp_pool_destroy(&scratch);
    return status;
}
