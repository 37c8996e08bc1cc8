// Convex hulls by qhull [BarberDobkinHuhdanpaa1996], reentrant library.
//
// Hulls do not care for shifts and stretches, but qhull's tolerances do: it works on coordinates
// that are shifted to the middle and stretched, axis by axis, by powers of two to about [−1, 1].
// What is flat is found before qhull sees it. qhull's polygons are put in an order of our own, so
// that it does not show through.
//
// qhull reports errors by a message and a long jump. The messages go to a stream in memory, and
// both calls that may jump do so within a setjmp (qh_new_qhull has its own).
#include "geom/hull.h"

#include <libqhull_r/qhull_ra.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

// Thinner than this, relative to their extent, points are in one plane: an atom for each metre, and
// far more than what round-off makes of a plane.
static const double FLAT = 1e-10;

static dp_status refuse_flat(const dp_mesh *m, const char *where)
{
    return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                        "all %d vertices %s (expected four that span a volume)", m->nvertex, where);
}

// x ← the vertices, shifted and scaled alike to about [−1, 1]; stretch ← the powers of two that
// take each axis there by itself.
static dp_status normalise(double *x, int stretch[3], const dp_mesh *m)
{
    dp_v3 lowest, highest;
    dp_mesh_bounds(&lowest, &highest, m);
    double low[3], high[3], half[3];
    dp_v3_store(low, lowest);
    dp_v3_store(high, highest);
    double extent = 0.0, reach = 0.0; // of the widest axis; of the greatest coordinate
    for (int k = 0; k < 3; ++k) {
        half[k] = 0.5 * high[k] - 0.5 * low[k];
        extent = fmax(extent, half[k]);
        reach = fmax(reach, fmax(fabs(low[k]), fabs(high[k])));
    }
    if (!(extent > FLAT * reach)) {
        return refuse_flat(m, "are at one point");
    }
    int widest;
    frexp(extent, &widest);
    for (int k = 0; k < 3; ++k) {
        if (!(half[k] > FLAT * extent)) {
            return refuse_flat(m, "lie in one plane");
        }
        int exponent;
        frexp(half[k], &exponent);
        stretch[k] = widest - exponent;
        const double middle = 0.5 * low[k] + 0.5 * high[k];
        for (size_t i = 0; i < (size_t)m->nvertex; ++i) {
            x[3 * i + (size_t)k] = ldexp(m->vertex[3 * i + (size_t)k] - middle, -widest);
        }
    }
    return DP_OK;
}

// The distance of point p from the point a (n = 0), from the line through a along the unit vector u
// (n = 1), or from the plane through a with the unit normal u (n = 2).
static double distance(int n, dp_v3 a, dp_v3 u, dp_v3 p)
{
    const dp_v3 d = dp_v3_sub(p, a);
    if (n == 0) {
        return dp_v3_norm(d);
    }
    return n == 1 ? dp_v3_norm(dp_v3_cross(u, d)) : fabs(dp_v3_dot(u, d));
}

static dp_v3 farthest(double *how_far, const double *x, int count, int n, dp_v3 a, dp_v3 u)
{
    dp_v3 best = a;
    *how_far = 0.0;
    for (size_t i = 0; i < (size_t)count; ++i) {
        const dp_v3 p = dp_v3_load(x + 3 * i);
        const double d = distance(n, a, u, p);
        if (d > *how_far) {
            *how_far = d;
            best = p;
        }
    }
    return best;
}

// Grow a point to a line, to a plane, to a tetrahedron, each time by the farthest point. What has
// some thickness has as much or more when it is stretched.
static dp_status check_flatness(const double *x, const dp_mesh *m)
{
    const dp_v3 none = {0.0, 0.0, 0.0}, a = dp_v3_load(x);
    double far;
    const dp_v3 b = farthest(&far, x, m->nvertex, 0, a, none); // at least 1/2: half an extent
    const dp_v3 along = dp_v3_scale(dp_v3_sub(b, a), 1.0 / far);
    const dp_v3 c = farthest(&far, x, m->nvertex, 1, a, along);
    if (!(far > FLAT)) {
        return refuse_flat(m, "lie on one line");
    }
    const dp_v3 n = dp_v3_cross(along, dp_v3_sub(c, a));
    farthest(&far, x, m->nvertex, 2, a, dp_v3_scale(n, 1.0 / dp_v3_norm(n)));
    if (!(far > FLAT)) {
        return refuse_flat(m, "lie in one plane");
    }
    return DP_OK;
}

// --- qhull

// The hull as qhull has it: polygons with vertices of the input, clockwise seen from outside.
typedef struct polygons {
    int count, ncorner;
    int *start;  // count + 1: polygon i has the corners start[i] … start[i + 1] − 1
    int *corner; // ncorner
} polygons;

static void count_polygons(polygons *out, qhT *qh)
{
    facetT *facet;
    FORALLfacets
    {
        ++out->count;
        out->ncorner += qh_setsize(qh, facet->vertices);
    }
}

static void fill_polygons(polygons *out, qhT *qh)
{
    int polygon = 0, n = 0;
    facetT *facet;
    FORALLfacets
    {
        setT *cycle = qh_facet3vertex(qh, facet);
        vertexT *vertex, **vertexp;
        FOREACHvertex_(cycle)
        {
            const int id = qh_pointid(qh, vertex->point);
            if (id >= 0 && id < qh->num_points && n < out->ncorner) {
                out->corner[n++] = id;
            }
        }
        qh_settempfree(qh, &cycle);
        out->start[++polygon] = n;
    }
}

// Run a walk over qhull's facets. False: it found them broken.
static bool walk(polygons *out, qhT *qh, void (*visit)(polygons *out, qhT *qh))
{
    qh->NOerrexit = False;
    if (setjmp(qh->errexit) != 0) {
        qh->NOerrexit = True;
        return false;
    }
    visit(out, qh);
    qh->NOerrexit = True;
    return true;
}

static dp_status take_polygons(polygons *out, dp_pool *scratch, qhT *qh, const dp_mesh *m)
{
    bool whole = walk(out, qh, count_polygons);
    if (whole) {
        DP_TRY(dp_pool_take(&out->start, scratch, (size_t)out->count + 1, sizeof *out->start));
        DP_TRY(dp_pool_take(&out->corner, scratch, (size_t)out->ncorner, sizeof *out->corner));
        whole = walk(out, qh, fill_polygons);
    }
    return whole ? DP_OK
                 : dp_mesh_fail(DP_ERROR_NUMERIC, m,
                                "its convex hull cannot be found: qhull's facets do not connect");
}

static dp_status refuse_code(const dp_mesh *m, int code, const char *log)
{
    switch (code) {
    case qh_ERRmem:
        return dp_mesh_fail(DP_ERROR_MEMORY, m, "out of memory while its convex hull is sought");
    case qh_ERRsingular:
        return refuse_flat(m, "lie in one plane, to round-off");
    default:
        return dp_mesh_fail(DP_ERROR_NUMERIC, m,
                            "its convex hull cannot be found: qhull stops with code %d, %.6s", code,
                            log);
    }
}

// qhull begins with a simplex of four and can be asked to end after so many more.
static dp_status run_qhull(polygons *out, dp_pool *scratch, double *x, const dp_mesh *m, int most)
{
    char log[256] = "";
    FILE *messages = fmemopen(log, sizeof log - 1, "w");
    if (!messages) {
        return dp_mesh_fail(DP_ERROR_MEMORY, m, "out of memory while its convex hull is sought");
    }
    setvbuf(messages, NULL, _IONBF, 0);
    qhT *qh;
    dp_status status = dp_pool_take(&qh, scratch, 1, sizeof *qh);
    if (status == DP_OK) {
        char command[40] = "qhull Pp"; // convex hull; no warnings
        if (most > 0) {
            snprintf(command, sizeof command, "qhull Pp TA%d", most - 4);
        }
        const boolT keep_points = False;
        qh_zero(qh, messages);
        const int code = qh_new_qhull(qh, 3, m->nvertex, x, keep_points, command, NULL, messages);
        status = code == 0 ? take_polygons(out, scratch, qh, m) : refuse_code(m, code, log);
        int blocks, bytes;
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &blocks, &bytes);
    }
    fclose(messages);
    return status;
}

// --- our own order

// number[i] ← what vertex i of the input is called in the hull, −1: it is no corner
static int number_vertices(int *number, int n, const polygons *p)
{
    for (int i = 0; i < n; ++i) {
        number[i] = -1;
    }
    for (int k = 0; k < p->ncorner; ++k) {
        number[p->corner[k]] = 0;
    }
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (number[i] == 0) {
            number[i] = count++;
        }
    }
    return count;
}

// Cut each polygon into a fan from its lowest vertex.
static int cut_fans(int *face, const polygons *p, const int *number)
{
    int nface = 0;
    for (int i = 0; i < p->count; ++i) {
        const int *corner = p->corner + p->start[i];
        const int n = p->start[i + 1] - p->start[i];
        int lowest = 0;
        for (int k = 1; k < n; ++k) {
            lowest = corner[k] < corner[lowest] ? k : lowest;
        }
        for (int k = n - 1; k > 1; --k) { // backwards: counterclockwise
            face[3 * nface] = number[corner[lowest]];
            face[3 * nface + 1] = number[corner[(lowest + k) % n]];
            face[3 * nface + 2] = number[corner[(lowest + k - 1) % n]];
            ++nface;
        }
    }
    return nface;
}

// Sort faces by their corner k, stably, with one counter per vertex.
static void sort_faces(int *out, const int *in, int nface, int k, int *start, int nvertex)
{
    for (int v = 0; v <= nvertex; ++v) {
        start[v] = 0;
    }
    for (int f = 0; f < nface; ++f) {
        ++start[in[3 * f + k] + 1];
    }
    for (int v = 0; v < nvertex; ++v) {
        start[v + 1] += start[v];
    }
    for (int f = 0; f < nface; ++f) {
        memcpy(out + 3 * start[in[3 * f + k]]++, in + 3 * f, 3 * sizeof *in);
    }
}

static dp_status build_mesh(dp_mesh *out, dp_pool *pool, dp_pool *scratch, const polygons *p,
                            const dp_mesh *m)
{
    int *number, *first, *second, *start;
    const size_t most = (size_t)p->ncorner; // a polygon gives fewer triangles than it has corners
    DP_TRY(dp_pool_take(&number, scratch, (size_t)m->nvertex, sizeof *number));
    DP_TRY(dp_pool_take(&start, scratch, (size_t)m->nvertex + 1, sizeof *start));
    DP_TRY(dp_pool_take(&first, scratch, most, 3 * sizeof *first));
    DP_TRY(dp_pool_take(&second, scratch, most, 3 * sizeof *second));
    dp_mesh hull = {.name = m->name};
    hull.nvertex = number_vertices(number, m->nvertex, p);
    hull.nface = cut_fans(first, p, number);

    double *vertex;
    int *face;
    DP_TRY(dp_pool_take(&vertex, pool, (size_t)hull.nvertex, 3 * sizeof *vertex));
    DP_TRY(dp_pool_take(&face, pool, (size_t)hull.nface, 3 * sizeof *face));
    sort_faces(second, first, hull.nface, 2, start, hull.nvertex);
    sort_faces(first, second, hull.nface, 1, start, hull.nvertex);
    sort_faces(face, first, hull.nface, 0, start, hull.nvertex);
    for (int i = 0; i < m->nvertex; ++i) {
        if (number[i] >= 0) {
            dp_v3_store(vertex + 3 * (size_t)number[i], dp_mesh_vertex(m, i));
        }
    }
    hull.vertex = vertex;
    hull.face = face;

    dp_mesh_topology t;
    DP_TRY(dp_mesh_edges(&t, &hull, &pool->allocator));
    if (t.nopen != 0 || t.nturned != 0 || t.nbranch != 0 || t.euler != 2) {
        return dp_mesh_fail(DP_ERROR_NUMERIC, m,
                            "its convex hull cannot be found: qhull's facets do not close");
    }
    *out = hull;
    return DP_OK;
}

static dp_status find_hull(dp_mesh *out, dp_pool *pool, dp_pool *scratch, const dp_mesh *m,
                           int most)
{
    double *x;
    int stretch[3] = {0};
    DP_TRY(dp_pool_take(&x, scratch, (size_t)m->nvertex, 3 * sizeof *x));
    DP_TRY(normalise(x, stretch, m));
    DP_TRY(check_flatness(x, m));
    for (size_t i = 0; i < 3 * (size_t)m->nvertex; ++i) {
        x[i] = ldexp(x[i], stretch[i % 3]);
    }
    polygons p = {0};
    DP_TRY(run_qhull(&p, scratch, x, m, most));
    return build_mesh(out, pool, scratch, &p, m);
}

dp_status dp_mesh_hull(dp_mesh *out, dp_pool *pool, const dp_mesh *m, int most)
{
    if (m->nvertex < 4) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "found %d vertices (expected at least 4 for a convex hull)",
                            m->nvertex);
    }
    dp_pool scratch;
    dp_pool_init(&scratch, &pool->allocator);
    const dp_status status = find_hull(out, pool, &scratch, m, most);
    dp_pool_destroy(&scratch);
    return status;
}
