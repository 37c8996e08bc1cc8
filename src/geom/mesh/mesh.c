// Signed tetrahedra. A closed surface of triangles (a, b, c), counterclockwise from outside,
// encloses the sum of the tetrahedra that the triangles span with any one point; those that face
// the point count negative. With the point as origin, d = a · (b × c) and s = a + b + c,
//
//     ∫ dV = Σ d/6,  ∫ x dV = Σ d/24 s,  ∫ x xᵀ dV = Σ d/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ)  (MESH 1)
//
// and for the surface itself, with the areas A = |(b − a) × (c − a)|/2,
//
//     ∫ dA = Σ A,    ∫ x dA = Σ A/3 s,   ∫ x xᵀ dA = Σ A/12 (a aᵀ + b bᵀ + c cᵀ + s sᵀ)   (MESH 2)
//
// Both follow from the integrals of products of barycentric coordinates over a simplex.
#include "geom/mesh/mesh.h"

#include "geom/hull.h"
#include "geom/mass.h"

#include <stdarg.h>
#include <stdio.h>

dp_status dp_mesh_fail(dp_status status, const dp_mesh *m, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return m->name ? dp_fail(status, "mesh '%s': %s", m->name, message)
                   : dp_fail(status, "mesh: %s", message);
}

dp_status dp_mesh_check(const dp_mesh *m)
{
    if (m->nvertex < 1 || m->nvertex > DP_MESH_MAX || m->nface < 0 || m->nface > DP_MESH_MAX) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "found %d vertices and %d faces (expected at least one vertex, and at "
                            "most %d of each)",
                            m->nvertex, m->nface, DP_MESH_MAX);
    }
    for (int i = 0; i < m->nvertex; ++i) {
        if (!dp_v3_finite(dp_mesh_vertex(m, i))) {
            return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                                "vertex %d is not finite (expected three numbers)", i);
        }
    }
    for (int k = 0; k < 3 * m->nface; ++k) {
        if (m->face[k] < 0 || m->face[k] >= m->nvertex) {
            return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                                "face %d refers to vertex %d (expected 0 … %d)", k / 3, m->face[k],
                                m->nvertex - 1);
        }
    }
    return DP_OK;
}

void dp_mesh_bounds(dp_v3 *low, dp_v3 *high, const dp_mesh *m)
{
    *low = *high = dp_mesh_vertex(m, 0);
    for (int i = 1; i < m->nvertex; ++i) {
        const dp_v3 x = dp_mesh_vertex(m, i);
        *low = (dp_v3){fmin(low->x, x.x), fmin(low->y, x.y), fmin(low->z, x.z)};
        *high = (dp_v3){fmax(high->x, x.x), fmax(high->y, x.y), fmax(high->z, x.z)};
    }
}

dp_status dp_mesh_transform(dp_mesh *out, dp_pool *pool, const dp_mesh *m, const dp_m3 *A, dp_v3 t)
{
    const dp_v3 column[3] = {dp_m3_column(A, 0), dp_m3_column(A, 1), dp_m3_column(A, 2)};
    const double determinant = dp_v3_dot(column[0], dp_v3_cross(column[1], column[2]));
    if (!(fabs(determinant) > 0.0) || !isfinite(determinant)) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "its scale has the determinant %g (expected one that is finite and "
                            "not zero)",
                            determinant);
    }
    dp_mesh moved = *m;
    double *vertex;
    DP_TRY(dp_pool_take(&vertex, pool, (size_t)m->nvertex, 3 * sizeof *vertex));
    for (int i = 0; i < m->nvertex; ++i) {
        const dp_v3 x = dp_v3_add(dp_m3_apply(A, dp_mesh_vertex(m, i)), t);
        if (!dp_v3_finite(x)) {
            return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                                "vertex %d is beyond the range of numbers when it is scaled", i);
        }
        dp_v3_store(vertex + 3 * (size_t)i, x);
    }
    moved.vertex = vertex;

    if (determinant < 0.0) {
        int *face;
        DP_TRY(dp_pool_take(&face, pool, (size_t)m->nface, 3 * sizeof *face));
        for (int f = 0; f < m->nface; ++f) {
            face[3 * f] = m->face[3 * f];
            face[3 * f + 1] = m->face[3 * f + 2];
            face[3 * f + 2] = m->face[3 * f + 1];
        }
        moved.face = face;
    }
    *out = moved;
    return DP_OK;
}

// --- equal vertices

// A vertex and the number it has had.
typedef struct placed {
    dp_v3 x;
    int number;
} placed;

static bool is_before(const placed *a, const placed *b)
{
    if (a->x.x != b->x.x) {
        return a->x.x < b->x.x;
    }
    if (a->x.y != b->x.y) {
        return a->x.y < b->x.y;
    }
    if (a->x.z != b->x.z) {
        return a->x.z < b->x.z;
    }
    return a->number < b->number;
}

static bool is_same_place(const placed *a, const placed *b)
{
    return a->x.x == b->x.x && a->x.y == b->x.y && a->x.z == b->x.z;
}

// Merge sort, bottom up. The result is in `list` or in `spare`; tells which.
static placed *sort_places(placed *list, placed *spare, size_t n)
{
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t start = 0; start < n; start += 2 * run) {
            const size_t middle = start + run < n ? start + run : n;
            const size_t end = middle + run < n ? middle + run : n;
            size_t a = start, b = middle;
            for (size_t k = start; k < end; ++k) {
                const bool left = b >= end || (a < middle && !is_before(&list[b], &list[a]));
                spare[k] = left ? list[a++] : list[b++];
            }
        }
        placed *sorted = spare;
        spare = list;
        list = sorted;
    }
    return list;
}

// first[i] ← the lowest number of a vertex in the place of vertex i
static dp_status find_first(int *first, const dp_mesh *m, const dp_allocator *a)
{
    const size_t n = (size_t)m->nvertex;
    placed *list;
    DP_TRY(dp_allocate(&list, a, 2 * n, sizeof *list));
    for (size_t i = 0; i < n; ++i) {
        list[i] = (placed){dp_mesh_vertex(m, (int)i), (int)i};
    }
    const placed *sorted = sort_places(list, list + n, n);
    for (size_t i = 0; i < n; ++i) {
        const bool again = i > 0 && is_same_place(&sorted[i - 1], &sorted[i]);
        first[sorted[i].number] = again ? first[sorted[i - 1].number] : sorted[i].number;
    }
    dp_release(a, list, 2 * n, sizeof *list);
    return DP_OK;
}

dp_status dp_mesh_weld(dp_mesh *out, dp_mesh_welded *counts, dp_pool *pool, const dp_mesh *m)
{
    dp_mesh welded = {.name = m->name};
    double *vertex;
    int *face, *number; // number: what a vertex is called from now on
    DP_TRY(dp_pool_take(&vertex, pool, (size_t)m->nvertex, 3 * sizeof *vertex));
    DP_TRY(dp_pool_take(&face, pool, (size_t)m->nface, 3 * sizeof *face));
    DP_TRY(dp_allocate(&number, &pool->allocator, (size_t)m->nvertex, sizeof *number));
    const dp_status status = find_first(number, m, &pool->allocator);
    if (status != DP_OK) {
        dp_release(&pool->allocator, number, (size_t)m->nvertex, sizeof *number);
        return status;
    }

    for (int i = 0; i < m->nvertex; ++i) {
        if (number[i] < i) {
            number[i] = number[number[i]]; // of an earlier vertex, which has its new number
            continue;
        }
        number[i] = welded.nvertex++;
        const dp_v3 x = dp_mesh_vertex(m, i);
        dp_v3_store(vertex + 3 * (size_t)number[i], (dp_v3){x.x + 0.0, x.y + 0.0, x.z + 0.0});
    }
    for (int f = 0; f < m->nface; ++f) {
        const int a = number[m->face[3 * f]], b = number[m->face[3 * f + 1]],
                  c = number[m->face[3 * f + 2]];
        if (a != b && b != c && c != a) {
            int *corner = face + 3 * (size_t)welded.nface++;
            corner[0] = a;
            corner[1] = b;
            corner[2] = c;
        }
    }
    dp_release(&pool->allocator, number, (size_t)m->nvertex, sizeof *number);
    if (counts) {
        *counts = (dp_mesh_welded){m->nvertex - welded.nvertex, m->nface - welded.nface};
    }
    welded.vertex = vertex;
    welded.face = face;
    *out = welded;
    return DP_OK;
}

// --- edges

typedef dp_mesh_side side;

// Which vertex sides are sorted by.
typedef enum side_key { BY_LOW, BY_HIGH, BY_THIRD } side_key;

static int key_of(const side *s, side_key key)
{
    return key == BY_LOW ? s->low : (key == BY_HIGH ? s->high : s->third);
}

// Sort sides by one of their vertices, stably, with one counter per vertex.
static void sort_sides(side *out, const side *in, size_t n, side_key key, size_t *start,
                       size_t nvertex)
{
    for (size_t v = 0; v <= nvertex; ++v) {
        start[v] = 0;
    }
    for (size_t i = 0; i < n; ++i) {
        ++start[key_of(&in[i], key) + 1];
    }
    for (size_t v = 0; v < nvertex; ++v) {
        start[v + 1] += start[v];
    }
    for (size_t i = 0; i < n; ++i) {
        out[start[key_of(&in[i], key)]++] = in[i];
    }
}

static bool is_sliver(const int *corner)
{
    return corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
}

static size_t list_sides(side *out, const dp_mesh *m)
{
    size_t n = 0;
    for (int f = 0; f < m->nface; ++f) {
        const int *corner = m->face + 3 * (size_t)f;
        if (is_sliver(corner)) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const int from = corner[k], to = corner[(k + 1) % 3], third = corner[(k + 2) % 3];
            const bool up = from < to;
            out[n++] = (side){up ? from : to, up ? to : from, third, up ? 1 : -1, 3 * f + k};
        }
    }
    return n;
}

// Enter the edge that the sides s[0 … n − 1] lie on.
static void count_edge(dp_mesh_topology *t, const side *s, size_t n)
{
    int balance = 0;
    for (size_t i = 0; i < n; ++i) {
        balance += s[i].sense;
    }
    ++t->nedge;
    t->nbranch += n > 2;
    int *first = NULL;
    if (n % 2 == 1) {
        first = t->nopen++ == 0 ? t->open : NULL;
    } else if (balance != 0) {
        first = t->nturned++ == 0 ? t->turned : NULL;
    }
    if (first) {
        first[0] = s->low;
        first[1] = s->high;
    }
}

dp_status dp_mesh_sides(dp_mesh_side *out, size_t *count, const dp_mesh *m,
                        const dp_allocator *scratch)
{
    const dp_allocator a = dp_allocator_or_default(scratch);
    const size_t nside = 3 * (size_t)m->nface, nvertex = (size_t)m->nvertex;
    side *spare;
    DP_TRY(dp_allocate(&spare, &a, nside, sizeof *spare));
    size_t *start;
    const dp_status status = dp_allocate(&start, &a, nvertex + 1, sizeof *start);
    if (status == DP_OK) {
        const size_t n = list_sides(spare, m);
        sort_sides(out, spare, n, BY_THIRD, start, nvertex);
        sort_sides(spare, out, n, BY_HIGH, start, nvertex);
        sort_sides(out, spare, n, BY_LOW, start, nvertex);
        *count = n;
        dp_release(&a, start, nvertex + 1, sizeof *start);
    }
    dp_release(&a, spare, nside, sizeof *spare);
    return status;
}

dp_status dp_mesh_edges(dp_mesh_topology *out, const dp_mesh *m, const dp_allocator *scratch)
{
    const dp_allocator a = dp_allocator_or_default(scratch);
    const size_t nside = 3 * (size_t)m->nface, nvertex = (size_t)m->nvertex;
    *out = (dp_mesh_topology){.open = {-1, -1}, .turned = {-1, -1}};

    if (nside == 0) {
        return DP_OK;
    }
    side *list;
    DP_TRY(dp_allocate(&list, &a, nside, sizeof *list));
    bool *used = NULL;
    size_t n = 0;
    dp_status status = dp_mesh_sides(list, &n, m, &a);
    if (status == DP_OK) {
        status = dp_allocate(&used, &a, nvertex, sizeof *used);
    }
    if (status != DP_OK) {
        dp_release(&a, list, nside, sizeof *list);
        return status;
    }
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && list[end].low == list[i].low && list[end].high == list[i].high;
             ++end) {
        }
        count_edge(out, &list[i], end - i);
    }

    int nused = 0;
    for (size_t i = 0; i < n; ++i) {
        nused += !used[list[i].low] + !used[list[i].high];
        used[list[i].low] = used[list[i].high] = true;
    }
    out->euler = nused - out->nedge + (int)(n / 3);
    dp_release(&a, used, nvertex, sizeof *used);
    dp_release(&a, list, nside, sizeof *list);
    return DP_OK;
}

// --- moments

// ∫1, ∫x, ∫x xᵀ over a body, and the sum of the magnitudes of all products in the first.
typedef struct sums {
    double measure, magnitude;
    dp_v3 first;
    dp_sym3 second;
} sums;

// Add a simplex of that measure with weights w1, w2 of its first and second moments: (MESH 1, 2)
static void add_simplex(sums *I, double measure, double w1, double w2, dp_v3 a, dp_v3 b, dp_v3 c)
{
    const dp_v3 s = dp_v3_add(dp_v3_add(a, b), c);
    const double k = w2 * measure;
    I->measure += measure;
    I->first = dp_v3_madd(I->first, w1 * measure, s);
    I->second.xx += k * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
    I->second.yy += k * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
    I->second.zz += k * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
    I->second.xy += k * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
    I->second.xz += k * (a.x * a.z + b.x * b.z + c.x * c.z + s.x * s.z);
    I->second.yz += k * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
}

// |a| · (|b| × |c|) with all signs positive: what a · (b × c) is rounded relative to.
static double permanent(dp_v3 a, dp_v3 b, dp_v3 c)
{
    return fabs(a.x) * (fabs(b.y * c.z) + fabs(b.z * c.y)) +
           fabs(a.y) * (fabs(b.z * c.x) + fabs(b.x * c.z)) +
           fabs(a.z) * (fabs(b.x * c.y) + fabs(b.y * c.x));
}

static sums integrate_about(dp_v3 origin, const dp_mesh *m, bool shell)
{
    sums I = {.measure = 0.0};
    for (int f = 0; f < m->nface; ++f) {
        const dp_v3 a = dp_v3_sub(dp_mesh_corner(m, f, 0), origin);
        const dp_v3 b = dp_v3_sub(dp_mesh_corner(m, f, 1), origin);
        const dp_v3 c = dp_v3_sub(dp_mesh_corner(m, f, 2), origin);
        if (shell) {
            const dp_v3 normal = dp_v3_cross(dp_v3_sub(b, a), dp_v3_sub(c, a));
            add_simplex(&I, 0.5 * dp_v3_norm(normal), 1.0 / 3.0, 1.0 / 12.0, a, b, c);
            I.magnitude = I.measure; // areas do not cancel
        } else {
            add_simplex(&I, dp_v3_dot(a, dp_v3_cross(b, c)) / 6.0, 1.0 / 4.0, 1.0 / 20.0, a, b, c);
            I.magnitude += permanent(a, b, c) / 6.0;
        }
    }
    return I;
}

// Inertia of 1 kg about the centre of mass, which lies at d from the origin of the sums.
static dp_sym3 inertia_about_centre(const sums *I, dp_v3 d)
{
    const double w = 1.0 / I->measure;
    const double xx = w * I->second.xx - d.x * d.x, yy = w * I->second.yy - d.y * d.y,
                 zz = w * I->second.zz - d.z * d.z;
    return (dp_sym3){.xx = yy + zz,
                     .yy = xx + zz,
                     .zz = xx + yy,
                     .xy = d.x * d.y - w * I->second.xy,
                     .xz = d.x * d.z - w * I->second.xz,
                     .yz = d.y * d.z - w * I->second.yz};
}

static dp_status refuse_edges(const dp_mesh *m, const dp_mesh_topology *t)
{
    if (t->nopen > 0) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "found %d edges where the surface ends, the first between vertices %d "
                            "and %d (expected a closed surface; its convex hull and its shell need "
                            "none)",
                            t->nopen, t->open[0], t->open[1]);
    }
    if (t->nturned > 0) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "found %d edges where one face is turned inside out, the first between "
                            "vertices %d and %d (expected all faces counterclockwise from outside)",
                            t->nturned, t->turned[0], t->turned[1]);
    }
    return DP_OK;
}

// No body has moments that break the triangle inequality: parts of the surface count negative.
// Round-off may break it by a little, relative to the largest moment, and more for thin bodies.
static bool is_possible(dp_sym3 inertia, const sums *I)
{
    const double slack = 1e-9 + 1e-14 * I->magnitude / I->measure;
    dp_v3 moment;
    dp_quat axes;
    dp_principal_axes(&moment, &axes, inertia);
    return moment.z >= -slack * moment.x && moment.y + moment.z >= (1.0 - slack) * moment.x;
}

// What is measured lies above the round-off of its parts?
static dp_status check_measure(const dp_mesh *m, const sums *I, bool shell)
{
    const double round_off = 1e-13; // of all that was added and subtracted; below it is nothing
    const char *what = shell ? "area" : "volume", *unit = shell ? "m²" : "m³";
    if (!isfinite(I->measure) || !isfinite(I->second.xx + I->second.yy + I->second.zz)) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "its moments are beyond the range of numbers (expected sizes in m)");
    }
    if (I->measure < -round_off * I->magnitude) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "found the %s %g %s (expected a positive one: faces counterclockwise "
                            "from outside)",
                            what, I->measure, unit);
    }
    if (!(I->measure > round_off * I->magnitude) || !(I->measure > 0.0)) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m, "found no %s (expected more than 0 %s)", what,
                            unit);
    }
    return DP_OK;
}

static dp_status integrate(dp_mesh_moments *out, const dp_mesh *m, bool shell)
{
    dp_v3 low, high;
    dp_mesh_bounds(&low, &high, m);
    const dp_v3 middle = dp_v3_madd(dp_v3_scale(low, 0.5), 0.5, high);
    const sums I = integrate_about(middle, m, shell);
    DP_TRY(check_measure(m, &I, shell));

    const dp_v3 d = dp_v3_scale(I.first, 1.0 / I.measure);
    const dp_mesh_moments moments = {I.measure, dp_v3_add(middle, d), inertia_about_centre(&I, d)};
    if (!is_possible(moments.inertia, &I)) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m,
                            "found moments of inertia that no body has (expected a surface that "
                            "does not cut itself, faces counterclockwise from outside)");
    }
    *out = moments;
    return DP_OK;
}

static dp_status integrate_hull(dp_mesh_moments *out, const dp_mesh *m, const dp_allocator *scratch)
{
    dp_pool pool;
    dp_pool_init(&pool, scratch);
    dp_mesh hull;
    dp_status status = dp_mesh_hull(&hull, &pool, m, 0);
    if (status == DP_OK) {
        status = integrate(out, &hull, false);
    }
    dp_pool_destroy(&pool);
    return status;
}

// The pyramids over the faces with their tips at one point. All count positive.
static sums integrate_pyramids(dp_v3 tip, const dp_mesh *m)
{
    sums I = {.measure = 0.0};
    for (int f = 0; f < m->nface; ++f) {
        const dp_v3 a = dp_v3_sub(dp_mesh_corner(m, f, 0), tip);
        const dp_v3 b = dp_v3_sub(dp_mesh_corner(m, f, 1), tip);
        const dp_v3 c = dp_v3_sub(dp_mesh_corner(m, f, 2), tip);
        const double volume = fabs(dp_v3_dot(a, dp_v3_cross(b, c))) / 6.0;
        add_simplex(&I, volume, 1.0 / 4.0, 1.0 / 20.0, a, b, c);
        I.magnitude += permanent(a, b, c) / 6.0;
    }
    return I;
}

// As MuJoCo does: pyramids from the centre of the surface give the centre of mass; pyramids from
// there give volume and inertia. Their own centre of mass may lie elsewhere and is not asked for.
static dp_status integrate_legacy(dp_mesh_moments *out, const dp_mesh *m)
{
    dp_mesh_moments shell;
    DP_TRY(integrate(&shell, m, true));
    sums I = integrate_pyramids(shell.centre, m);
    DP_TRY(check_measure(m, &I, false));
    const dp_v3 centre = dp_v3_madd(shell.centre, 1.0 / I.measure, I.first);
    I = integrate_pyramids(centre, m);
    DP_TRY(check_measure(m, &I, false));
    *out = (dp_mesh_moments){I.measure, centre, inertia_about_centre(&I, (dp_v3){0.0, 0.0, 0.0})};
    return DP_OK;
}

dp_status dp_mesh_integrate(dp_mesh_moments *out, const dp_mesh *m, dp_mesh_inertia kind,
                            const dp_allocator *scratch)
{
    if (kind == DP_MESH_INERTIA_CONVEX) {
        return integrate_hull(out, m, scratch);
    }
    if (m->nface == 0) {
        return dp_mesh_fail(DP_ERROR_ARGUMENT, m, "found no faces (expected triangles)");
    }
    if (kind == DP_MESH_INERTIA_LEGACY) {
        return integrate_legacy(out, m);
    }
    if (kind == DP_MESH_INERTIA_EXACT) {
        dp_mesh_topology t;
        DP_TRY(dp_mesh_edges(&t, m, scratch));
        DP_TRY(refuse_edges(m, &t));
    }
    return integrate(out, m, kind == DP_MESH_INERTIA_SHELL);
}

dp_inertial dp_mesh_inertial(const dp_mesh_moments *moments, double mass)
{
    dp_inertial body = {.mass = mass, .frame = DP_IDENTITY_POSE};
    body.frame.p = moments->centre;
    dp_v3 principal; // in decreasing order
    dp_principal_axes(&principal, &body.frame.q, moments->inertia);
    principal.z = fmax(principal.z, 0.0); // thin bodies: round-off must not make it impossible
    principal.x = fmin(principal.x, principal.y + principal.z);
    body.moments = dp_v3_scale(principal, mass);
    return body;
}
