// Surfaces of triangles for queries: welded, put in the order of a tree, with neighbours.
//
// Triangles in one plane get one plane: a region grows from its largest triangle over edges while
// corners stay in its plane, as far as round-off of their coordinates. So slivers, whose own normal
// says little, have the normal of the floor that they are part of, and the edges between them are
// flat without a tolerance on angles.
#include "geom/mesh/surface.h"

#include "geom/mesh/triangle.h"

#include <float.h>

// Corners this near to a plane belong to it, relative to the largest coordinate: vertices that were
// computed, say by turning a floor, are off by some roundings.
static const double COPLANAR = 64.0 * DBL_EPSILON;

// A triangle this much lower than long has no direction of its own.
static const double NO_AREA = 8.0 * DBL_EPSILON;

// The middle of an edge this near to another face, relative to its length, lies on it: meshes whose
// triangles do not share all their corners.
static const double ON_FACE = 1e-9;

// Faces around one edge, at most, that are distinguished.
enum { FAN = 16 };

// A surface on its way.
typedef struct maker {
    dp_pool *pool, *scratch;
    dp_mesh mesh;
    double reach; // the largest coordinate
    double *plane, *area;
    int *neighbour;
    unsigned char *edge, *sharp;
    dp_mesh_side *side;
    size_t nside;
    dp_box_tree tree;
} maker;

static dp_v3 area_of(const dp_mesh *m, int f)
{
    const dp_v3 a = dp_mesh_corner(m, f, 0), b = dp_mesh_corner(m, f, 1);
    const dp_v3 c = dp_mesh_corner(m, f, 2);
    return dp_v3_cross(dp_v3_sub(b, a), dp_v3_sub(c, a));
}

// --- which triangles count

static bool has_area(const dp_mesh *m, int f)
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        const dp_v3 side = dp_v3_sub(dp_mesh_corner(m, f, (k + 1) % 3), dp_mesh_corner(m, f, k));
        longest = fmax(longest, dp_v3_norm(side));
    }
    return dp_v3_norm(area_of(m, f)) > NO_AREA * longest * longest;
}

static void copy_face(int *to, const int *from)
{
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
}

// Leave out the triangles without area.
static void drop_flat(dp_mesh *m, int *face)
{
    int kept = 0;
    for (int f = 0; f < m->nface; ++f) {
        if (has_area(m, f)) {
            copy_face(face + 3 * (size_t)kept++, m->face + 3 * (size_t)f);
        }
    }
    m->face = face;
    m->nface = kept;
}

static bool same_edge(const dp_mesh_side *a, const dp_mesh_side *b)
{
    return a->low == b->low && a->high == b->high;
}

// Leave out triangles that have the corners of another in the same sense. Sides of both lie next to
// each other; the one with the least number stays.
static dp_status drop_repeated(maker *k, int *face)
{
    dp_mesh *m = &k->mesh;
    bool *again;
    DP_TRY(dp_pool_take(&again, k->scratch, (size_t)m->nface, sizeof *again));
    DP_TRY(dp_mesh_sides(k->side, &k->nside, m, &k->scratch->allocator));
    for (size_t i = 0, end; i < k->nside; i = end) {
        int seen[2] = {0, 0}; // against and along the edge
        for (end = i; end < k->nside && same_edge(&k->side[end], &k->side[i]) &&
                      k->side[end].third == k->side[i].third;
             ++end) {
            if (seen[k->side[end].sense > 0]++ > 0) {
                again[k->side[end].number / 3] = true;
            }
        }
    }
    int kept = 0;
    for (int f = 0; f < m->nface; ++f) {
        if (!again[f]) {
            copy_face(face + 3 * (size_t)kept++, m->face + 3 * (size_t)f);
        }
    }
    m->nface = kept;
    return DP_OK;
}

// Faces in the order of the tree, and only the vertices that they use.
static dp_status put_in_order(maker *k)
{
    dp_mesh *m = &k->mesh;
    dp_bounds *box;
    int *order, *face, *number;
    double *vertex;
    DP_TRY(dp_pool_take(&box, k->scratch, (size_t)m->nface, sizeof *box));
    DP_TRY(dp_pool_take(&order, k->scratch, (size_t)m->nface, sizeof *order));
    DP_TRY(dp_pool_take(&number, k->scratch, (size_t)m->nvertex, sizeof *number));
    DP_TRY(dp_pool_take(&face, k->pool, (size_t)m->nface, 3 * sizeof *face));
    for (int f = 0; f < m->nface; ++f) {
        const dp_v3 a = dp_mesh_corner(m, f, 0), b = dp_mesh_corner(m, f, 1);
        const dp_v3 c = dp_mesh_corner(m, f, 2);
        box[f] =
            dp_bounds_join(dp_bounds_join((dp_bounds){a, a}, (dp_bounds){b, b}), (dp_bounds){c, c});
    }
    DP_TRY(dp_box_tree_build(&k->tree, order, k->pool, box, m->nface));
    int nvertex = 0;
    for (int f = 0; f < m->nface; ++f) {
        for (int j = 0; j < 3; ++j) {
            const int v = m->face[3 * (size_t)order[f] + (size_t)j];
            number[v] = number[v] > 0 ? number[v] : ++nvertex; // from 1
            face[3 * (size_t)f + (size_t)j] = number[v] - 1;
        }
    }
    DP_TRY(dp_pool_take(&vertex, k->pool, (size_t)nvertex, 3 * sizeof *vertex));
    for (int v = 0; v < m->nvertex; ++v) {
        if (number[v] > 0) {
            const dp_v3 x = dp_mesh_vertex(m, v);
            dp_v3_store(vertex + 3 * (size_t)(number[v] - 1), x);
            k->reach = fmax(k->reach, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
        }
    }
    *m = (dp_mesh){m->name, vertex, nvertex, face, m->nface};
    return DP_OK;
}

// --- who is next to whom

static dp_v3 normal_of(const maker *k, int f)
{
    return dp_v3_load(k->plane + 4 * (size_t)f);
}

static double height_over(const maker *k, int f, dp_v3 x)
{
    const dp_v3 n = normal_of(k, f);
    return dp_v3_dot(n, dp_v3_sub(x, dp_mesh_corner(&k->mesh, f, 0)));
}

// How much of a turn is free from face f over its front to face g across the same edge: a number
// that grows with the angle, 0 for none to 4 for all of it.
static double free_turn(const maker *k, int f, int g, dp_v3 along)
{
    const dp_v3 n = normal_of(k, f), t = dp_v3_cross(n, along); // t points into f
    const dp_v3 into = dp_v3_cross(along, normal_of(k, g));     // into g, which runs the other way
    const double c = dp_v3_dot(into, t), s = dp_v3_dot(into, n);
    if (c > 0.0 && fabs(s) <= DBL_EPSILON) {
        return 4.0; // back to back: a sheet, rather than a crack of no width
    }
    return s >= 0.0 ? 1.0 - c : 3.0 + c;
}

// Of the faces at an edge, join each with the one that is first met from its front.
static void join_edge(maker *k, const dp_mesh_side *s, int count)
{
    for (int i = 0; i < count && count <= FAN; ++i) {
        const dp_v3 low = dp_mesh_vertex(&k->mesh, s->low),
                    high = dp_mesh_vertex(&k->mesh, s->high);
        const dp_v3 d = dp_v3_scale(dp_v3_sub(high, low), s[i].sense);
        const dp_v3 along = dp_v3_scale(d, 1.0 / dp_v3_norm(d));
        double least = INFINITY;
        for (int j = 0; j < count; ++j) {
            if (s[j].sense == s[i].sense) {
                continue;
            }
            const double turn = free_turn(k, s[i].number / 3, s[j].number / 3, along);
            if (turn < least) {
                least = turn;
                k->neighbour[s[i].number] = s[j].number / 3;
            }
        }
    }
}

static dp_status join_faces(maker *k)
{
    const dp_mesh *m = &k->mesh;
    const size_t n = (size_t)m->nface;
    DP_TRY(dp_pool_take(&k->plane, k->pool, n, 4 * sizeof *k->plane));
    DP_TRY(dp_pool_take(&k->area, k->scratch, n, sizeof *k->area));
    DP_TRY(dp_pool_take(&k->neighbour, k->pool, n, 3 * sizeof *k->neighbour));
    for (int f = 0; f < m->nface; ++f) {
        const dp_v3 area = area_of(m, f);
        k->area[f] = dp_v3_norm(area);
        dp_v3_store(k->plane + 4 * (size_t)f, dp_v3_scale(area, 1.0 / k->area[f]));
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        k->neighbour[i] = -1;
    }
    DP_TRY(dp_mesh_sides(k->side, &k->nside, m, &k->scratch->allocator));
    for (size_t i = 0, end; i < k->nside; i = end) {
        for (end = i + 1; end < k->nside && same_edge(&k->side[end], &k->side[i]); ++end) {
        }
        join_edge(k, &k->side[i], (int)(end - i));
    }
    return DP_OK;
}

// --- flat regions

// Is face g in the plane of face f?
static bool is_coplanar(const maker *k, int f, int g)
{
    for (int j = 0; j < 3; ++j) {
        if (fabs(height_over(k, f, dp_mesh_corner(&k->mesh, g, j))) > COPLANAR * k->reach) {
            return false;
        }
    }
    return dp_v3_dot(normal_of(k, f), normal_of(k, g)) > 0.0;
}

// Faces by falling area, equal ones by number: merge sort, bottom up. The result is in one of the
// two.
static int *sort_by_area(int *list, int *spare, const double *area, int n)
{
    for (int i = 0; i < n; ++i) {
        list[i] = i;
    }
    for (long long run = 1; run < n; run *= 2) {
        for (long long start = 0; start < n; start += 2 * run) {
            const long long middle = start + run < n ? start + run : n;
            const long long end = middle + run < n ? middle + run : n;
            long long a = start, b = middle;
            for (long long i = start; i < end; ++i) {
                const bool left = b >= end || (a < middle && area[list[a]] >= area[list[b]]);
                spare[i] = left ? list[a++] : list[b++];
            }
        }
        int *sorted = spare;
        spare = list;
        list = sorted;
    }
    return list;
}

// Grow a region from each face that is in none yet; its faces take the plane of the first.
static dp_status find_regions(int **region, maker *k)
{
    const int n = k->mesh.nface;
    int *list, *spare, *queue;
    DP_TRY(dp_pool_take(&list, k->scratch, (size_t)n, sizeof *list));
    DP_TRY(dp_pool_take(&spare, k->scratch, (size_t)n, sizeof *spare));
    DP_TRY(dp_pool_take(&queue, k->scratch, (size_t)n, sizeof *queue));
    DP_TRY(dp_pool_take(region, k->scratch, (size_t)n, sizeof **region));
    const int *order = sort_by_area(list, spare, k->area, n);
    for (int i = 0; i < n; ++i) {
        const int seed = order[i];
        if ((*region)[seed] > 0) {
            continue;
        }
        int count = 1;
        queue[0] = seed;
        (*region)[seed] = i + 1; // from 1
        for (int q = 0; q < count; ++q) {
            for (int j = 0; j < 3; ++j) {
                const int next = k->neighbour[3 * (size_t)queue[q] + (size_t)j];
                if (next >= 0 && (*region)[next] == 0 && is_coplanar(k, seed, next)) {
                    (*region)[next] = i + 1;
                    queue[count++] = next;
                }
            }
        }
        for (int q = 1; q < count; ++q) {
            dp_v3_store(k->plane + 4 * (size_t)queue[q], normal_of(k, seed));
        }
        for (int q = 0; q < count; ++q) {
            double *plane = k->plane + 4 * (size_t)queue[q];
            plane[3] = dp_v3_dot(normal_of(k, seed), dp_mesh_corner(&k->mesh, seed, 0));
        }
    }
    return DP_OK;
}

// --- edges

// How face g goes on from face f across an edge of f with the unit direction `along`. Leaning less
// than `flat` (the sine of the angle) is none.
static dp_edge_kind kind_between(const maker *k, int f, dp_v3 along, int g, double flat)
{
    const dp_v3 n1 = normal_of(k, f), n2 = normal_of(k, g);
    const double lean = dp_v3_dot(n2, dp_v3_cross(along, n1)); // > 0: g falls away from the edge
    if (fabs(lean) <= flat) {
        return dp_v3_dot(n1, n2) > 0.0 ? DP_EDGE_FLAT : DP_EDGE_CONVEX; // convex: folded back
    }
    return lean > 0.0 ? DP_EDGE_CONVEX : DP_EDGE_CONCAVE;
}

static void corners_of(dp_v3 out[3], const dp_mesh *m, int f)
{
    for (int j = 0; j < 3; ++j) {
        out[j] = dp_mesh_corner(m, f, j);
    }
}

// A face, other than f, that the point x lies on; −1: none. Of several the first that does not fold
// back on f.
static int face_at(const maker *k, int f, dp_v3 x, double tolerance)
{
    const dp_v3 t = {tolerance, tolerance, tolerance};
    const dp_bounds box = {dp_v3_sub(x, t), dp_v3_add(x, t)};
    int found = -1;
    dp_tree_walk walk;
    dp_tree_walk_begin(&walk, &k->tree);
    for (const dp_box_node *leaf; (leaf = dp_tree_next_in_box(&walk, &box));) {
        for (int g = leaf->first; g < leaf->first + leaf->count; ++g) {
            dp_v3 corner[3];
            corners_of(corner, &k->mesh, g);
            const dp_v3 off = dp_v3_sub(dp_triangle_nearest(corner, x), x);
            if (g == f || dp_v3_norm(off) > tolerance) {
                continue;
            }
            if (dp_v3_dot(normal_of(k, f), normal_of(k, g)) > -0.5) {
                return g;
            }
            found = g;
        }
    }
    return found;
}

static dp_status sort_edges(maker *k, const int *region)
{
    const dp_mesh *m = &k->mesh;
    const size_t n = 3 * (size_t)m->nface;
    int *beside; // faces that go on behind an edge without sharing its corners
    DP_TRY(dp_pool_take(&beside, k->scratch, n, sizeof *beside));
    DP_TRY(dp_pool_take(&k->edge, k->pool, n, sizeof *k->edge));
    DP_TRY(dp_pool_take(&k->sharp, k->pool, (size_t)m->nvertex, sizeof *k->sharp));
    for (size_t i = 0; i < n; ++i) {
        const int f = (int)(i / 3), j = (int)(i % 3), next = (j + 1) % 3;
        const dp_v3 a = dp_mesh_corner(m, f, j), d = dp_v3_sub(dp_mesh_corner(m, f, next), a);
        const double length = dp_v3_norm(d);
        const dp_v3 along = dp_v3_scale(d, 1.0 / length);
        const int g = k->neighbour[i];
        dp_edge_kind kind = DP_EDGE_OPEN;
        beside[i] = g;
        if (g >= 0) {
            kind =
                region[f] == region[g] ? DP_EDGE_FLAT : kind_between(k, f, along, g, DBL_EPSILON);
        } else {
            beside[i] =
                face_at(k, f, dp_v3_madd(a, 0.5, d), ON_FACE * length + COPLANAR * k->reach);
            kind = beside[i] >= 0 ? kind_between(k, f, along, beside[i], ON_FACE) : DP_EDGE_OPEN;
        }
        k->edge[i] = (unsigned char)kind;
        if (kind == DP_EDGE_CONVEX || kind == DP_EDGE_OPEN) {
            k->sharp[m->face[i]] = k->sharp[m->face[3 * (size_t)f + (size_t)next]] = 1;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        k->neighbour[i] = beside[i];
    }
    return DP_OK;
}

// --- vertices

// The vertices joined with each by an edge. Edges come sorted by low and high.
static dp_status join_vertices(dp_surface *out, maker *k)
{
    const size_t n = (size_t)k->mesh.nvertex;
    int *start, *neighbour;
    DP_TRY(dp_pool_take(&start, k->pool, n + 2, sizeof *start));
    size_t nedge = 0;
    for (size_t i = 0; i < k->nside; ++i) {
        if (i == 0 || !same_edge(&k->side[i], &k->side[i - 1])) {
            ++start[k->side[i].low + 2];
            ++start[k->side[i].high + 2];
            ++nedge;
        }
    }
    DP_TRY(dp_pool_take(&neighbour, k->pool, 2 * nedge, sizeof *neighbour));
    for (size_t v = 0; v < n; ++v) {
        start[v + 2] += start[v + 1];
    }
    for (size_t i = 0; i < k->nside; ++i) {
        const dp_mesh_side *s = &k->side[i];
        if (i == 0 || !same_edge(s, s - 1)) {
            neighbour[start[s->low + 1]++] = s->high;
            neighbour[start[s->high + 1]++] = s->low;
        }
    }
    out->neighbour_start = start;
    out->vertex_neighbour = neighbour;
    return DP_OK;
}

// --- all of it

static dp_status make(dp_surface *out, maker *k, const dp_mesh *m)
{
    int *face;
    DP_TRY(dp_mesh_weld(&k->mesh, NULL, k->scratch, m));
    DP_TRY(dp_pool_take(&face, k->scratch, (size_t)k->mesh.nface, 3 * sizeof *face));
    DP_TRY(dp_pool_take(&k->side, k->scratch, (size_t)k->mesh.nface, 3 * sizeof *k->side));
    drop_flat(&k->mesh, face);
    DP_TRY(drop_repeated(k, face));
    if (k->mesh.nface == 0) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "none of its %d triangles has an area (expected a surface)", m->nface);
    }
    DP_TRY(put_in_order(k));
    DP_TRY(join_faces(k));
    int *region;
    DP_TRY(find_regions(&region, k));
    DP_TRY(sort_edges(k, region));
    DP_TRY(join_vertices(out, k));
    out->nvertex = k->mesh.nvertex;
    out->nface = k->mesh.nface;
    out->vertex = k->mesh.vertex;
    out->face = k->mesh.face;
    out->plane = k->plane;
    out->neighbour = k->neighbour;
    out->edge = k->edge;
    out->sharp = k->sharp;
    out->tree = k->tree;
    dp_mesh_bounds(&out->low, &out->high, &k->mesh);
    return DP_OK;
}

dp_status dp_surface_build(dp_surface *out, dp_pool *pool, const dp_mesh *m)
{
    DP_TRY(dp_mesh_check(m));
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    maker k = {.pool = pool, .scratch = &scratch};
    dp_surface made = {0};
    const dp_status status = make(&made, &k, m);
    dp_pool_destroy(&scratch);
    if (status == DP_OK) {
        *out = made;
    }
    return status;
}

// A surface of its own, with the pool that all its arrays are in.
typedef struct owned_surface {
    dp_surface surface;
    dp_pool pool;
} owned_surface;

dp_status dp_surface_create(dp_surface **out, const double *vertex, int nvertex, const int *face,
                            int nface, const dp_allocator *allocator)
{
    if (!out) {
        return dp_fail(DP_ERROR_ARGUMENT, "dp_surface_create: out is NULL");
    }
    *out = NULL;
    if (!vertex || nvertex < 3 || nvertex > DP_MESH_MAX || !face || nface < 1 ||
        nface > DP_MESH_MAX) {
        return dp_fail(DP_ERROR_ARGUMENT,
                       "dp_surface_create: found %d vertices%s and %d triangles%s (expected at "
                       "least 3 and 1, at most %d)",
                       nvertex, vertex ? "" : " at NULL", nface, face ? "" : " at NULL",
                       DP_MESH_MAX);
    }
    const dp_allocator a = dp_allocator_or_default(allocator);
    owned_surface *owned;
    DP_TRY(dp_allocate(&owned, &a, 1, sizeof *owned));
    dp_pool_init(&owned->pool, &a);
    const dp_mesh m = {.vertex = vertex, .nvertex = nvertex, .face = face, .nface = nface};
    const dp_status status = dp_surface_build(&owned->surface, &owned->pool, &m);
    if (status != DP_OK) {
        dp_pool_destroy(&owned->pool);
        dp_release(&a, owned, 1, sizeof *owned);
        return status;
    }
    owned->surface.allocator = a;
    owned->surface.memory = owned;
    *out = &owned->surface;
    return DP_OK;
}

void dp_surface_destroy(dp_surface *surface)
{
    if (surface) {
        owned_surface *owned = surface->memory;
        const dp_allocator a = surface->allocator;
        dp_pool_destroy(&owned->pool);
        dp_release(&a, owned, 1, sizeof *owned);
    }
}
