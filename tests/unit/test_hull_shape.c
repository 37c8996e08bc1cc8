// Polyhedra made ready for queries: true faces, planes, neighbours, the furthest vertex, refusals.
#include "counting_allocator.h"
#include "mesh_shapes.h"
#include "test_random.h"

#include "geom/hull.h"
#include "geom/hull_shape.h"
#include "geom/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int open_pool(void **state)
{
    static dp_pool pool;
    dp_pool_init(&pool, NULL);
    *state = &pool;
    return 0;
}

static int close_pool(void **state)
{
    dp_pool_destroy(*state);
    return 0;
}

static dp_v3 vertex_of(const dp_hull *h, int i)
{
    return dp_v3_load(h->vertex + 3 * (size_t)i);
}

static bool are_neighbours(const dp_hull *h, int u, int v)
{
    for (int k = h->neighbour_start[u]; k < h->neighbour_start[u + 1]; ++k) {
        if (h->neighbour[k] == v) {
            return true;
        }
    }
    return false;
}

static bool has_face(const dp_hull *h, int vertex, int face)
{
    for (int k = h->vertex_face_start[vertex]; k < h->vertex_face_start[vertex + 1]; ++k) {
        if (h->vertex_face[k] == face) {
            return true;
        }
    }
    return false;
}

// Planes through the corners of a face of width w amplify the round-off of the corners by size/w;
// the faces of these tests are at most 1000 times longer than wide.
static const double ROUND_OFF = 1e-12;

// All that dp_hull_build promises.
static void assert_well_formed(const dp_hull *h)
{
    assert_int_equal(h->nvertex - h->nedge + h->nface, 2); // Euler
    assert_int_equal(h->neighbour_start[h->nvertex], 2 * h->nedge);
    for (int f = 0; f < h->nface; ++f) {
        const dp_v3 n = dp_v3_load(h->face_plane + 4 * (size_t)f);
        const double d = h->face_plane[4 * (size_t)f + 3];
        assert_near(dp_v3_norm(n), 1.0, 1e-15);
        for (int v = 0; v < h->nvertex; ++v) {
            assert_true(dp_v3_dot(n, vertex_of(h, v)) <= d + ROUND_OFF * h->size);
        }
        assert_true(dp_v3_dot(n, h->centre) < d);
        const int first = h->face_start[f], last = h->face_start[f + 1];
        assert_true(last - first >= 3);
        for (int k = first; k < last; ++k) {
            const int v = h->face_vertex[k];
            const int w = h->face_vertex[k + 1 < last ? k + 1 : first];
            assert_near(dp_v3_dot(n, vertex_of(h, v)), d, ROUND_OFF * h->size);
            assert_true(are_neighbours(h, v, w) && are_neighbours(h, w, v));
            assert_true(has_face(h, v, f));
        }
    }
    for (int v = 0; v < h->nvertex; ++v) {
        assert_true(h->neighbour_start[v + 1] - h->neighbour_start[v] >= 2);
        for (int k = h->neighbour_start[v] + 1; k < h->neighbour_start[v + 1]; ++k) {
            assert_true(h->neighbour[k - 1] < h->neighbour[k]);
        }
        assert_true(dp_v3_norm(dp_v3_sub(vertex_of(h, v), h->centre)) <= h->size);
    }
}

static dp_hull built(dp_pool *pool, const dp_mesh *points)
{
    dp_mesh hull;
    dp_hull h = {0};
    if (dp_mesh_hull(&hull, pool, points, 0) != DP_OK || dp_hull_build(&h, pool, &hull) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    assert_well_formed(&h);
    return h;
}

static dp_mesh moved(dp_pool *pool, const dp_mesh *m, random_source *r, double scale)
{
    const dp_m3 A = random_affine(r, false);
    dp_m3 B = A;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            B.m[i][j] *= scale;
        }
    }
    dp_mesh out;
    const dp_v3 t = {scale * random_between(r, -1.0, 1.0), scale * random_between(r, -1.0, 1.0),
                     scale * random_between(r, -1.0, 1.0)};
    assert_int_equal(dp_mesh_transform(&out, pool, m, &B, t), DP_OK);
    return out;
}

static void a_cube_has_six_faces_wherever_it_is(void **state)
{
    random_source r = {1};
    const dp_mesh box = box_mesh(*state, 1.0, 2.0, 3.0);
    const dp_hull h = built(*state, &box);
    assert_int_equal(h.nface, 6);
    assert_int_equal(h.nedge, 12);
    for (int k = -6; k <= 6; k += 3) {
        const dp_mesh other = moved(*state, &box, &r, pow(10.0, k));
        assert_int_equal(built(*state, &other).nface, 6);
    }
}

static void a_tetrahedron_has_four_faces_and_an_icosphere_only_triangles(void **state)
{
    const dp_v3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const dp_mesh tetrahedron = tetrahedron_mesh(*state, p);
    const dp_hull h = built(*state, &tetrahedron);
    assert_int_equal(h.nvertex, 4);
    assert_int_equal(h.nface, 4);
    const dp_mesh ball = icosphere_mesh(*state, 2.0, 3);
    const dp_hull sphere = built(*state, &ball);
    assert_int_equal(sphere.nvertex, 642);
    assert_int_equal(sphere.nface, 1280);
}

static void a_prism_keeps_its_caps_whole(void **state)
{
    random_source r = {2};
    for (int n = 3; n < 400; n = 2 * n + 1) {
        const dp_mesh prism = prism_mesh(*state, n, 1.0, 0.7);
        const dp_mesh other = moved(*state, &prism, &r, 1.0);
        const dp_hull h = built(*state, &other);
        assert_int_equal(h.nvertex, 2 * n);
        assert_int_equal(h.nface, n + 2);
    }
}

// The corners of a panel, each once, as they turn left about its normal.
static void assert_convex_panel(const dp_hull *h, int panel)
{
    const dp_v3 n = dp_hull_panel_normal(h, panel);
    const int first = h->panel_start[panel], count = h->panel_start[panel + 1] - first;
    assert_near(dp_v3_norm(n), 1.0, 1e-15);
    assert_true(count >= 3);
    for (int i = 0; i < count; ++i) {
        const dp_v3 a = vertex_of(h, h->panel_vertex[first + i]),
                    b = vertex_of(h, h->panel_vertex[first + (i + 1) % count]),
                    c = vertex_of(h, h->panel_vertex[first + (i + 2) % count]);
        assert_true(dp_v3_dot(n, dp_v3_cross(dp_v3_sub(b, a), dp_v3_sub(c, b))) > 0.0);
    }
}

static void faces_that_are_flat_to_single_precision_are_one_panel(void **state)
{
    enum { SIDES = 40 };
    random_source r = {11};
    for (int trial = 0; trial < 20; ++trial) {
        const dp_m3 A = random_affine(&r, true);
        double vertex[6 * SIDES];
        for (int i = 0; i < 2 * SIDES; ++i) {
            const double angle = 6.283185307179586 * (i / 2) / SIDES;
            const dp_v3 x = dp_m3_apply(&A, (dp_v3){cos(angle), sin(angle), i % 2 ? 0.5 : -0.5});
            dp_v3_store(vertex + 3 * (size_t)i, (dp_v3){(float)x.x, (float)x.y, (float)x.z});
        }
        const dp_mesh prism = {.name = "prism", .vertex = vertex, .nvertex = 2 * SIDES};
        const dp_hull h = built(*state, &prism);
        assert_non_null(h.panel);
        assert_true(h.nface > SIDES + 2);
        int npanel = 0;
        for (int f = 0; f < h.nface; ++f) {
            npanel = h.panel[f] >= npanel ? h.panel[f] + 1 : npanel;
        }
        assert_int_equal(npanel, SIDES + 2);
        for (int p = 0; p < npanel; ++p) {
            assert_convex_panel(&h, p);
            const int corners = h.panel_start[p + 1] - h.panel_start[p];
            assert_int_equal(corners, p < 2 ? SIDES : 4); // the largest first
        }
    }
}

static void random_hulls_are_well_formed(void **state)
{
    random_source r = {3};
    for (int trial = 0; trial < 50; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 4 + 7 * trial, &r);
        built(*state, &cloud);
    }
}

static void lattices_of_collinear_and_coplanar_points_give_their_box(void **state)
{
    double x[3 * 125];
    for (int i = 0; i < 125; ++i) {
        const int place[3] = {i % 5, i / 5 % 5, i / 25};
        for (int k = 0; k < 3; ++k) {
            x[3 * i + k] = place[k];
        }
    }
    const dp_mesh lattice = {.vertex = x, .nvertex = 125};
    const dp_hull h = built(*state, &lattice);
    assert_int_equal(h.nvertex, 8);
    assert_int_equal(h.nface, 6);
}

static void the_furthest_vertex_is_found_from_any_hint(void **state)
{
    random_source r = {4};
    const dp_mesh ball = icosphere_mesh(*state, 1.0, 3), prism = prism_mesh(*state, 100, 1.0, 2.0);
    const dp_mesh other = moved(*state, &ball, &r, 10.0);
    const dp_mesh *all[3] = {&ball, &prism, &other};
    for (int i = 0; i < 3; ++i) {
        const dp_hull h = built(*state, all[i]);
        const dp_shape s = {.kind = DP_GEOM_MESH, .hull = &h};
        for (int trial = 0; trial < 300; ++trial) {
            double d[3];
            random_direction(d, 3, &r);
            if (trial % 3 == 0) { // straight at a face: its vertices are as far, to round-off
                memcpy(d, h.face_plane + 4 * (size_t)random_below(&r, h.nface), sizeof d);
            }
            if (trial % 5 == 0) {
                d[random_below(&r, 3)] = 0.0;
            }
            const dp_v3 direction = dp_v3_load(d);
            double most = -INFINITY;
            for (int v = 0; v < h.nvertex; ++v) {
                most = fmax(most, dp_v3_dot(direction, vertex_of(&h, v)));
            }
            int vertex = trial % 4 == 0 ? -1 : random_below(&r, h.nvertex);
            const dp_v3 found = dp_core_support(&s, direction, &vertex);
            // The products above are right to three roundings of |x| ≤ 3 size.
            assert_near(dp_v3_dot(direction, found), most, 1e-15 * 3.0 * h.size);
            assert_true(vertex >= 0 && vertex < h.nvertex);
        }
    }
}

static void of_few_vertices_the_first_of_the_furthest_is_found(void **state)
{
    random_source r = {7};
    int ties = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const dp_mesh cloud = cloud_mesh(*state, 4 + trial % 30, &r);
        const dp_mesh prism = prism_mesh(*state, 3 + trial % 14, 1.0, 2.0);
        const dp_hull h = built(*state, trial % 2 == 0 ? &cloud : &prism);
        const dp_shape s = {.kind = DP_GEOM_MESH, .hull = &h};
        assert_true(h.nvertex <= DP_HULL_SCAN + 1);
        double d[3];
        random_direction(d, 3, &r);
        if (trial % 4 == 1) { // along an edge of the prism, both ends are as far
            d[2] = 0.0;
        }
        const dp_v3 direction = dp_v3_load(d);
        int first = 0, count = 0;
        double most = -INFINITY;
        for (int v = 0; v < h.nvertex; ++v) {
            const double far = dp_v3_dot(direction, vertex_of(&h, v));
            count = far > most ? 1 : count + (far == most);
            first = far > most ? v : first;
            most = far > most ? far : most;
        }
        ties += count > 1;
        int vertex = -1;
        (void)dp_core_support(&s, direction, &vertex);
        if (h.nvertex <= DP_HULL_SCAN) {
            assert_int_equal(vertex, first);
        }
    }
    assert_true(ties > 50);
}

static double random_size(random_source *r)
{
    return pow(10.0, random_between(r, -4.0, 0.0));
}

// h(d) = max d·x over the surface, by the formulas of textbooks.
static double height(const dp_shape *s, dp_v3 d)
{
    const double *size = s->size;
    const double across = sqrt(d.x * d.x + d.y * d.y);
    switch (s->kind) {
    case DP_GEOM_CAPSULE:
        return size[1] * fabs(d.z);
    case DP_GEOM_CYLINDER:
        return size[0] * across + size[1] * fabs(d.z);
    case DP_GEOM_ELLIPSOID:
        return sqrt(pow(size[0] * d.x, 2) + pow(size[1] * d.y, 2) + pow(size[2] * d.z, 2));
    case DP_GEOM_BOX:
        return size[0] * fabs(d.x) + size[1] * fabs(d.y) + size[2] * fabs(d.z);
    default:
        return 0.0;
    }
}

static void support_points_are_as_far_as_support_functions_say(void **state)
{
    (void)state;
    random_source r = {5};
    const dp_geom_kind kinds[] = {DP_GEOM_SPHERE, DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                  DP_GEOM_ELLIPSOID, DP_GEOM_BOX};
    for (int trial = 0; trial < 2000; ++trial) {
        dp_shape s = {.kind = kinds[trial % 5]};
        for (int k = 0; k < 3; ++k) {
            s.size[k] = random_size(&r);
        }
        double d[3];
        random_direction(d, 3, &r);
        if (trial % 7 < 3) {
            d[trial % 7] = 0.0;
        }
        if (trial % 11 < 2) {
            d[trial % 7 % 2] = d[(trial % 7 + 1) % 3] = 0.0;
        }
        const dp_v3 direction = dp_v3_load(d);
        if (dp_v3_norm(direction) == 0.0) {
            continue;
        }
        int vertex = -1;
        const dp_v3 x = dp_core_support(&s, direction, &vertex);
        assert_near(dp_v3_dot(direction, x), height(&s, direction), 1e-15); // sizes are below 1
        assert_near(dp_core_radius(&s),
                    s.kind == DP_GEOM_SPHERE || s.kind == DP_GEOM_CAPSULE ? s.size[0] : 0.0, 0.0);
    }
}

static void bad_points_are_refused_with_a_reason(void **state)
{
    (void)state;
    dp_hull *hull = (dp_hull *)1;
    double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_int_equal(dp_hull_create(NULL, x, 4, NULL), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_hull_create(&hull, x, 3, NULL), DP_ERROR_ARGUMENT);
    assert_null(hull);
    assert_non_null(strstr(dp_last_error(), "found 3"));
    assert_int_equal(dp_hull_create(&hull, NULL, 4, NULL), DP_ERROR_ARGUMENT);
    x[11] = NAN;
    assert_int_equal(dp_hull_create(&hull, x, 4, NULL), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "not finite"));
    x[11] = 0.0;
    assert_int_equal(dp_hull_create(&hull, x, 4, NULL), DP_ERROR_ARGUMENT); // in one plane
    assert_non_null(strstr(dp_last_error(), "plane"));
    memset(x, 0, sizeof x);
    x[0] = 1.0;
    x[3] = 2.0;
    assert_int_equal(dp_hull_create(&hull, x, 4, NULL), DP_ERROR_ARGUMENT); // on one line
    assert_null(hull);
    dp_hull_destroy(NULL);
}

static void duplicates_do_not_matter(void **state)
{
    (void)state;
    double x[3 * 16];
    for (int i = 0; i < 16; ++i) {
        for (int k = 0; k < 3; ++k) {
            x[3 * i + k] = i >> k & 1 ? 1.0 : 0.0;
        }
    }
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, x, 16, NULL), DP_OK);
    assert_int_equal(hull->nvertex, 8);
    assert_int_equal(hull->nface, 6);
    assert_well_formed(hull);
    dp_hull_destroy(hull);
}

static void every_allocation_may_fail(void **state)
{
    random_source r = {6};
    const dp_mesh cloud = cloud_mesh(*state, 30, &r);
    counting_allocator counts = {0};
    const dp_allocator a = counting_allocator_for(&counts);
    dp_hull *hull;
    assert_int_equal(dp_hull_create(&hull, cloud.vertex, cloud.nvertex, &a), DP_OK);
    dp_hull_destroy(hull);
    assert_int_equal(counts.blocks, 0);
    const size_t calls = counts.calls;
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_hull_create(&hull, cloud.vertex, cloud.nvertex, &a), DP_ERROR_MEMORY);
        assert_null(hull);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_has_six_faces_wherever_it_is),
        cmocka_unit_test(a_tetrahedron_has_four_faces_and_an_icosphere_only_triangles),
        cmocka_unit_test(a_prism_keeps_its_caps_whole),
        cmocka_unit_test(faces_that_are_flat_to_single_precision_are_one_panel),
        cmocka_unit_test(random_hulls_are_well_formed),
        cmocka_unit_test(lattices_of_collinear_and_coplanar_points_give_their_box),
        cmocka_unit_test(the_furthest_vertex_is_found_from_any_hint),
        cmocka_unit_test(of_few_vertices_the_first_of_the_furthest_is_found),
        cmocka_unit_test(support_points_are_as_far_as_support_functions_say),
        cmocka_unit_test(bad_points_are_refused_with_a_reason),
        cmocka_unit_test(duplicates_do_not_matter),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
