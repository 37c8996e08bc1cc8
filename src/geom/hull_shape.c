// Convex polyhedra for queries. Triangles in one plane become one polygon: a region grows from the
// largest triangle over edges while corners stay in its plane, then its border is walked.
#include "geom/hull_shape.h"

#include "geom/core.h"
#include "geom/hull.h"

// Corners this near to the plane of a face, relative to the size of the hull, belong to it. Corners
// of a flat face are off by a few roundings; what is visibly bent stays two faces.
static const double COPLANAR = 1e-13;

// Triangles and who is next to whom. Side k of triangle f is from its corner k to the next, with
// the number 3 f + k.
typedef struct sides {
    const dp_mesh *mesh;
    int *start;  // nvertex + 1, into side
    int *side;   // those that begin at a vertex
    int *twin;   // the side that runs the other way
    int *region; // of each triangle, −1: none yet
    int *queue;  // triangles, for growing
    int *order;  // triangles, largest first
    double *area;
} sides;

static int next_side(int s)
{
    return s % 3 == 2 ? s - 2 : s + 1;
}

static int side_begin(const sides *t, int s)
{
    return t->mesh->face[s];
}

static int side_end(const sides *t, int s)
{
    return t->mesh->face[next_side(s)];
}

// The side from u to v, −1: there is none. Looks among those of the vertex with fewer sides: as
// many begin as end at a vertex, so the sides that end at v are one behind those that begin there.
static int find_side(const sides *t, int u, int v)
{
    const bool from_u = t->start[u + 1] - t->start[u] <= t->start[v + 1] - t->start[v];
    const int at = from_u ? u : v;
    for (int k = t->start[at]; k < t->start[at + 1]; ++k) {
        const int s = from_u ? t->side[k] : next_side(next_side(t->side[k]));
        if (side_begin(t, s) == u && side_end(t, s) == v) {
            return s;
        }
    }
    return -1;
}

// Twice the area of the triangle abc along its normal, from its two shorter sides: the sides of a
// needle are almost parallel, and the cross product of the long ones would keep few digits.
static dp_v3 twice_area(dp_v3 a, dp_v3 b, dp_v3 c)
{
    const dp_v3 ab = dp_v3_sub(b, a), bc = dp_v3_sub(c, b), ca = dp_v3_sub(a, c);
    const double x = dp_v3_dot(ab, ab), y = dp_v3_dot(bc, bc), z = dp_v3_dot(ca, ca);
    if (x >= y && x >= z) {
        return dp_v3_cross(bc, ca);
    }
    return y >= z ? dp_v3_cross(ca, ab) : dp_v3_cross(ab, bc);
}

static dp_v3 area_vector(const dp_mesh *m, int f)
{
    return twice_area(dp_mesh_corner(m, f, 0), dp_mesh_corner(m, f, 1), dp_mesh_corner(m, f, 2));
}

static void sift_down(int *order, const double *area, int root, int count)
{
    for (;;) {
        int least = root;
        for (int child = 2 * root + 1; child <= 2 * root + 2 && child < count; ++child) {
            const double x = area[order[child]], y = area[order[least]];
            if (x < y || (x == y && order[child] > order[least])) {
                least = child;
            }
        }
        if (least == root) {
            return;
        }
        const int swap = order[root];
        order[root] = order[least];
        order[least] = swap;
        root = least;
    }
}

// Largest first, equal ones by number: a heap with the least on top, taken down from the end.
void dp_hull_sort_by_area(int *order, const double *area, int count)
{
    for (int i = 0; i < count; ++i) {
        order[i] = i;
    }
    for (int i = count / 2 - 1; i >= 0; --i) {
        sift_down(order, area, i, count);
    }
    for (int last = count - 1; last > 0; --last) {
        const int swap = order[0];
        order[0] = order[last];
        order[last] = swap;
        sift_down(order, area, 0, last);
    }
}

static dp_status join_sides(sides *t, dp_pool *scratch, const dp_mesh *m)
{
    const size_t nside = 3 * (size_t)m->nface;
    t->mesh = m;
    DP_TRY(dp_pool_take(&t->start, scratch, (size_t)m->nvertex + 2, sizeof *t->start));
    DP_TRY(dp_pool_take(&t->side, scratch, nside, sizeof *t->side));
    DP_TRY(dp_pool_take(&t->twin, scratch, nside, sizeof *t->twin));
    DP_TRY(dp_pool_take(&t->region, scratch, (size_t)m->nface, sizeof *t->region));
    DP_TRY(dp_pool_take(&t->queue, scratch, (size_t)m->nface, sizeof *t->queue));
    DP_TRY(dp_pool_take(&t->order, scratch, (size_t)m->nface, sizeof *t->order));
    DP_TRY(dp_pool_take(&t->area, scratch, (size_t)m->nface, sizeof *t->area));
    for (size_t s = 0; s < nside; ++s) {
        ++t->start[m->face[s] + 2];
    }
    for (int v = 0; v < m->nvertex; ++v) {
        t->start[v + 2] += t->start[v + 1];
    }
    for (size_t s = 0; s < nside; ++s) {
        t->side[t->start[m->face[s] + 1]++] = (int)s;
    }
    for (size_t s = 0; s < nside; ++s) {
        t->twin[s] = find_side(t, side_end(t, (int)s), side_begin(t, (int)s));
        if (t->twin[s] < 0) {
            return dp_mesh_fail(DP_ERROR_NUMERIC, m, "its convex hull does not close");
        }
    }
    for (int f = 0; f < m->nface; ++f) {
        t->region[f] = -1;
        t->area[f] = dp_v3_norm(area_vector(m, f));
    }
    dp_hull_sort_by_area(t->order, t->area, m->nface);
    return DP_OK;
}

// Is the border of a region of `ntriangle` one loop that passes each of its vertices once? Then the
// region is a polygon. Counting is enough: a disc of t triangles without inner vertices has t + 2
// sides on its border.
static bool is_polygon(const sides *t, const int *triangle, int ntriangle, int *seen)
{
    int border = 0, first = -1;
    for (int i = 0; i < ntriangle; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int s = 3 * triangle[i] + k;
            if (t->region[t->twin[s] / 3] != t->region[triangle[i]]) {
                ++border;
                first = s;
            }
        }
    }
    if (border != ntriangle + 2) {
        return false;
    }
    int walked = 0;
    bool simple = true;
    for (int s = first; simple && walked < border;) {
        simple = seen[side_begin(t, s)] == 0;
        seen[side_begin(t, s)] = 1;
        ++walked;
        s = next_side(s);
        while (t->region[t->twin[s] / 3] == t->region[first / 3]) { // turn about its beginning
            s = next_side(t->twin[s]);
        }
        if (s == first) {
            break;
        }
    }
    for (int i = 0; i < ntriangle; ++i) {
        for (int k = 0; k < 3; ++k) {
            seen[t->mesh->face[3 * triangle[i] + k]] = 0;
        }
    }
    return simple && walked == border;
}

// Grow region `id` from the triangle `seed`. Returns how many triangles it has, in t->queue.
static int grow_region(sides *t, int id, int seed, double reach)
{
    const dp_mesh *m = t->mesh;
    const dp_v3 a = dp_mesh_corner(m, seed, 0), n = area_vector(m, seed);
    const double tolerance = reach * t->area[seed];
    int count = 0;
    t->queue[count++] = seed;
    t->region[seed] = id;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int s = t->twin[3 * t->queue[i] + k], f = s / 3;
            const dp_v3 apex = dp_mesh_vertex(m, side_begin(t, next_side(next_side(s))));
            if (t->region[f] < 0 && fabs(dp_v3_dot(n, dp_v3_sub(apex, a))) <= tolerance &&
                dp_v3_dot(n, area_vector(m, f)) >= 0.0) {
                t->region[f] = id;
                t->queue[count++] = f;
            }
        }
    }
    return count;
}

// Every triangle gets the number of its polygon. Where a region is no polygon its triangles stay
// alone. Returns how many polygons there are.
static int find_regions(sides *t, int *seen, double size)
{
    int nregion = 0;
    for (int i = 0; i < t->mesh->nface; ++i) {
        const int seed = t->order[i];
        if (t->region[seed] >= 0) {
            continue;
        }
        const int count = grow_region(t, nregion, seed, COPLANAR * size);
        if (count > 1 && !is_polygon(t, t->queue, count, seen)) {
            for (int k = 1; k < count; ++k) {
                t->region[t->queue[k]] = nregion + k;
            }
            nregion += count;
        } else {
            ++nregion;
        }
    }
    return nregion;
}

// Polygons in the order of their lowest triangles, corners from the lowest vertex.
static dp_status walk_faces(dp_hull *out, dp_pool *pool, dp_pool *scratch, const sides *t,
                            int nregion)
{
    const dp_mesh *m = t->mesh;
    int *start, *corner, *done;
    const int ncorner = m->nface + 2 * nregion; // a polygon of t triangles has t + 2
    DP_TRY(dp_pool_take(&start, pool, (size_t)nregion + 1, sizeof *start));
    DP_TRY(dp_pool_take(&corner, pool, (size_t)ncorner, sizeof *corner));
    DP_TRY(dp_pool_take(&done, scratch, (size_t)nregion, sizeof *done));
    int n = 0, nface = 0;
    for (int side = 0; side < 3 * m->nface; ++side) {
        const int region = t->region[side / 3];
        if (done[region] || t->region[t->twin[side] / 3] == region) {
            continue;
        }
        done[region] = 1;
        int lowest = side;
        int s = side;
        do { // the border once around, for its lowest vertex
            lowest = side_begin(t, s) < side_begin(t, lowest) ? s : lowest;
            s = next_side(s);
            while (t->region[t->twin[s] / 3] == region) {
                s = next_side(t->twin[s]);
            }
        } while (s != side);
        s = lowest;
        do {
            corner[n++] = side_begin(t, s);
            s = next_side(s);
            while (t->region[t->twin[s] / 3] == region) {
                s = next_side(t->twin[s]);
            }
        } while (s != lowest);
        start[++nface] = n;
    }
    DP_ASSERT(n == ncorner && nface == nregion);
    out->nface = nface;
    out->nedge = n / 2;
    out->face_start = start;
    out->face_vertex = corner;
    return DP_OK;
}

static void sort_ascending(int *x, int count)
{
    for (int i = 1; i < count; ++i) { // few, or nearly in order
        const int value = x[i];
        int k = i;
        for (; k > 0 && x[k - 1] > value; --k) {
            x[k] = x[k - 1];
        }
        x[k] = value;
    }
}

// The place of w among the neighbours of v.
static int find_neighbour(const dp_hull *h, int v, int w)
{
    int low = h->neighbour_start[v], high = h->neighbour_start[v + 1];
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (h->neighbour[middle] <= w) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// What is at each edge: its faces and its length.
static dp_status join_edges(dp_hull *out, dp_pool *pool)
{
    int *face;
    double *over;
    const int ncorner = out->face_start[out->nface];
    DP_TRY(dp_pool_take(&face, pool, 2 * (size_t)ncorner, sizeof *face));
    DP_TRY(dp_pool_take(&over, pool, (size_t)ncorner, sizeof *over));
    for (int i = 0; i < 2 * ncorner; ++i) {
        face[i] = -1;
    }
    for (int f = 0; f < out->nface; ++f) {
        const int first = out->face_start[f], last = out->face_start[f + 1];
        for (int k = first; k < last; ++k) {
            const int v = out->face_vertex[k], w = out->face_vertex[k + 1 < last ? k + 1 : first];
            const int end[2] = {find_neighbour(out, v, w), find_neighbour(out, w, v)};
            const dp_v3 x = dp_v3_load(out->vertex + 3 * (size_t)v);
            const double length = dp_v3_norm(dp_v3_sub(dp_v3_load(out->vertex + 3 * (size_t)w), x));
            for (int i = 0; i < 2; ++i) {
                int *here = face + 2 * (size_t)end[i];
                here[here[0] < 0 ? 0 : 1] = f;
                over[end[i]] = 1.0 / length;
            }
        }
    }
    out->neighbour_face = face;
    out->neighbour_over = over;
    return DP_OK;
}

// What is at each vertex: faces and the other ends of edges. As many of these as of those.
static dp_status join_vertices(dp_hull *out, dp_pool *pool)
{
    int *start, *face, *neighbour;
    const int ncorner = out->face_start[out->nface];
    DP_TRY(dp_pool_take(&start, pool, (size_t)out->nvertex + 2, sizeof *start));
    DP_TRY(dp_pool_take(&face, pool, (size_t)ncorner, sizeof *face));
    DP_TRY(dp_pool_take(&neighbour, pool, (size_t)ncorner, sizeof *neighbour));
    for (int k = 0; k < ncorner; ++k) {
        ++start[out->face_vertex[k] + 2];
    }
    for (int v = 0; v < out->nvertex; ++v) {
        start[v + 2] += start[v + 1];
    }
    for (int f = 0; f < out->nface; ++f) {
        const int first = out->face_start[f], last = out->face_start[f + 1];
        for (int k = first; k < last; ++k) {
            const int v = out->face_vertex[k];
            neighbour[start[v + 1]] = out->face_vertex[k + 1 < last ? k + 1 : first];
            face[start[v + 1]++] = f;
        }
    }
    for (int v = 0; v < out->nvertex; ++v) {
        sort_ascending(neighbour + start[v], start[v + 1] - start[v]);
    }
    out->neighbour_start = start;
    out->vertex_face_start = start;
    out->neighbour = neighbour;
    out->vertex_face = face;
    return DP_OK;
}

// How far the hull reaches along a normal of one of its faces, from the corners of that face and
// from their neighbours.
static double height_above(const dp_hull *h, dp_v3 normal, const int *corner, int ncorner)
{
    const int top = dp_hull_walk(h, normal, corner[0]);
    double most = dp_v3_dot(normal, dp_v3_load(h->vertex + 3 * (size_t)top));
    for (int k = 0; k < ncorner; ++k) {
        const int v = corner[k];
        most = fmax(most, dp_v3_dot(normal, dp_v3_load(h->vertex + 3 * (size_t)v)));
        for (int i = h->neighbour_start[v]; i < h->neighbour_start[v + 1]; ++i) {
            const double *x = h->vertex + 3 * (size_t)h->neighbour[i];
            most = fmax(most, dp_v3_dot(normal, dp_v3_load(x)));
        }
    }
    return most;
}

// The planes of faces. The whole hull is below each: where a face is as small as round-off, the
// plane through its corners may look anywhere and would cut the hull.
static dp_status find_planes(dp_hull *out, dp_pool *pool, const dp_mesh *m)
{
    double *plane;
    DP_TRY(dp_pool_take(&plane, pool, (size_t)out->nface, 4 * sizeof *plane));
    for (int f = 0; f < out->nface; ++f) {
        const int *corner = out->face_vertex + out->face_start[f];
        const int ncorner = out->face_start[f + 1] - out->face_start[f];
        const dp_v3 origin = dp_mesh_vertex(m, corner[0]);
        dp_v3 normal = {0.0, 0.0, 0.0};
        for (int k = 1; k + 1 < ncorner; ++k) {
            const dp_v3 u = dp_mesh_vertex(m, corner[k]), v = dp_mesh_vertex(m, corner[k + 1]);
            normal = dp_v3_add(normal, twice_area(origin, u, v));
        }
        const double length = dp_v3_norm(normal);
        if (!(length > 0.0)) {
            return dp_mesh_fail(DP_ERROR_NUMERIC, m, "its convex hull has a face without area");
        }
        normal = dp_v3_scale(normal, 1.0 / length);
        dp_v3_store(plane + 4 * (size_t)f, normal);
        plane[4 * (size_t)f + 3] = height_above(out, normal, corner, ncorner);
    }
    out->face_plane = plane;
    return DP_OK;
}

// How nearly in one plane each face is with another one at its corners.
static dp_status find_cosines(dp_hull *out, dp_pool *pool)
{
    double *cosine;
    DP_TRY(dp_pool_take(&cosine, pool, (size_t)out->nface, sizeof *cosine));
    for (int f = 0; f < out->nface; ++f) {
        const dp_v3 normal = dp_v3_load(out->face_plane + 4 * (size_t)f);
        cosine[f] = -1.0;
        for (int i = out->face_start[f]; i < out->face_start[f + 1]; ++i) {
            const int v = out->face_vertex[i];
            for (int k = out->vertex_face_start[v]; k < out->vertex_face_start[v + 1]; ++k) {
                const int other = out->vertex_face[k];
                const double here =
                    dp_v3_dot(normal, dp_v3_load(out->face_plane + 4 * (size_t)other));
                cosine[f] = other != f && here > cosine[f] ? here : cosine[f];
            }
        }
    }
    out->face_cosine = cosine;
    return DP_OK;
}

static void measure(dp_hull *out, const dp_mesh *m)
{
    dp_mesh_bounds(&out->low, &out->high, m);
    const dp_v3 middle = dp_v3_madd(dp_v3_scale(out->low, 0.5), 0.5, out->high);
    dp_v3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < m->nvertex; ++i) {
        const dp_v3 x = dp_mesh_vertex(m, i);
        sum = dp_v3_add(sum, dp_v3_sub(x, middle));
        const double along[6] = {x.x, -x.x, x.y, -x.y, x.z, -x.z};
        for (int k = 0; k < 6; ++k) {
            const double *best = m->vertex + 3 * (size_t)out->extreme[k];
            const double value = k % 2 == 0 ? best[k / 2] : -best[k / 2];
            out->extreme[k] = along[k] > value ? i : out->extreme[k];
        }
    }
    out->centre = dp_v3_madd(middle, 1.0 / m->nvertex, sum);
    for (int i = 0; i < m->nvertex; ++i) {
        out->size = fmax(out->size, dp_v3_norm(dp_v3_sub(dp_mesh_vertex(m, i), out->centre)));
    }
}

void dp_hull_pack(double *packed, const double *vertex, int nvertex)
{
    for (size_t i = 0; 3 * i < dp_hull_packed_size(nvertex); ++i) {
        const size_t from = i < (size_t)nvertex ? i : (size_t)nvertex - 1;
        for (size_t k = 0; k < 3; ++k) {
            packed[i / 2 * 6 + 2 * k + i % 2] = vertex[3 * from + k];
        }
    }
}

static dp_status pack_vertices(dp_hull *out, dp_pool *pool)
{
    if (out->nvertex > DP_HULL_SCAN) {
        return DP_OK;
    }
    double *packed;
    DP_TRY(dp_pool_take(&packed, pool, dp_hull_packed_size(out->nvertex), sizeof *packed));
    dp_hull_pack(packed, out->vertex, out->nvertex);
    out->packed = packed;
    return DP_OK;
}

// Where walks begin, cell by cell: each from where the last one ended.
static dp_status fill_starts(dp_hull *out, dp_pool *pool)
{
    enum { N = DP_HULL_CELLS };
    if (out->nvertex <= DP_HULL_SCAN) {
        return DP_OK;
    }
    int *start, at = out->extreme[0];
    DP_TRY(dp_pool_take(&start, pool, 6 * (size_t)N * (size_t)N, sizeof *start));
    for (int side = 0; side < 6; ++side) {
        for (int cell = 0; cell < N * N; ++cell) {
            const double along = side % 2 == 0 ? 1.0 : -1.0;
            const int row = cell / N, column = cell % N;
            const double u = (2 * row + 1) / (double)N - 1.0;
            const double v = (2 * column + 1) / (double)N - 1.0;
            const dp_v3 d = side / 2 == 0   ? (dp_v3){along, u, v}
                            : side / 2 == 1 ? (dp_v3){v, along, u}
                                            : (dp_v3){u, v, along};
            at = dp_hull_walk(out, d, at);
            DP_ASSERT(dp_hull_cell(d) == side * N * N + cell);
            start[side * N * N + cell] = at;
        }
    }
    out->start = start;
    return DP_OK;
}

dp_status dp_hull_build(dp_hull *out, dp_pool *pool, const dp_mesh *hull)
{
    dp_hull made = {.nvertex = hull->nvertex, .vertex = hull->vertex};
    measure(&made, hull);
    sides t = {0};
    int *seen;
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    dp_status status = join_sides(&t, &scratch, hull);
    if (status == DP_OK) {
        status = dp_pool_take(&seen, &scratch, (size_t)hull->nvertex, sizeof *seen);
    }
    if (status == DP_OK) {
        const int nregion = find_regions(&t, seen, made.size);
        status = walk_faces(&made, pool, &scratch, &t, nregion);
    }
    if (status == DP_OK) {
        status = join_vertices(&made, pool);
    }
    if (status == DP_OK) {
        status = join_edges(&made, pool);
    }
    if (status == DP_OK) {
        status = find_planes(&made, pool, hull);
    }
    if (status == DP_OK) {
        status = find_cosines(&made, pool);
    }
    if (status == DP_OK) {
        status = dp_hull_find_panels(&made, pool);
    }
    if (status == DP_OK) {
        status = pack_vertices(&made, pool);
    }
    if (status == DP_OK) {
        status = fill_starts(&made, pool);
    }
    dp_pool_destroy(&scratch);
    if (status == DP_OK) {
        *out = made;
    }
    return status;
}

// A hull of its own, with the pool that all its arrays are in.
typedef struct owned_hull {
    dp_hull hull;
    dp_pool pool;
} owned_hull;

static dp_status fill_owned(owned_hull *owned, const dp_mesh *points)
{
    dp_mesh hull;
    DP_TRY(dp_mesh_check(points));
    DP_TRY(dp_mesh_hull(&hull, &owned->pool, points, 0));
    return dp_hull_build(&owned->hull, &owned->pool, &hull);
}

dp_status dp_hull_create(dp_hull **out, const double *vertex, int nvertex,
                         const dp_allocator *allocator)
{
    if (!out) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_hull_create: out is NULL");
    }
    *out = NULL;
    if (!vertex || nvertex < 4 || nvertex > DP_MESH_MAX) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_hull_create: found %d points%s (expected at least 4, at most %d)",
                       nvertex, vertex ? "" : " at NULL", DP_MESH_MAX);
    }
    const dp_allocator a = dp_allocator_or_default(allocator);
    owned_hull *owned;
    DP_TRY(dp_allocate(&owned, &a, 1, sizeof *owned));
    dp_pool_init(&owned->pool, &a);
    const dp_mesh points = {.vertex = vertex, .nvertex = nvertex};
    const dp_status status = fill_owned(owned, &points);
    if (status != DP_OK) {
        dp_pool_destroy(&owned->pool);
        dp_release(&a, owned, 1, sizeof *owned);
        return status;
    }
    owned->hull.allocator = a;
    owned->hull.memory = owned;
    *out = &owned->hull;
    return DP_OK;
}

void dp_hull_destroy(dp_hull *hull)
{
    if (hull) {
        owned_hull *owned = hull->memory;
        const dp_allocator a = hull->allocator;
        dp_pool_destroy(&owned->pool);
        dp_release(&a, owned, 1, sizeof *owned);
    }
}
