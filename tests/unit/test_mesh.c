// Meshes: edges, affine images, equal vertices, and moments against textbook solids.
#include "counting_allocator.h"
#include "mesh_shapes.h"
#include "test_random.h"

#include "geom/mass.h"
#include "math/angle.h"

#include <math.h>
#include <string.h>

// A few operations on doubles per face, and a few thousand faces.
static const double ROUND_OFF = 1e-12;

/// Equal but for round-off, relative to the expected number.
#define assert_same(actual, expected) assert_near((actual) / (expected), 1.0, ROUND_OFF)

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

static dp_mesh_moments moments_of(const dp_mesh *m, dp_mesh_inertia kind)
{
    dp_mesh_moments moments = {0};
    if (dp_mesh_check(m) != DP_OK || dp_mesh_integrate(&moments, m, kind, NULL) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    return moments;
}

static void assert_refused(const dp_mesh *m, dp_mesh_inertia kind, const char *message)
{
    dp_mesh_moments moments;
    assert_int_equal(dp_mesh_integrate(&moments, m, kind, NULL), DP_ERROR_ARGUMENT);
    if (!strstr(dp_last_error(), message)) {
        fail_msg("'%s' does not contain '%s'", dp_last_error(), message);
    }
}

// |actual − expected| ≤ ROUND_OFF · scale, element by element
static void assert_same_tensor(dp_sym3 actual, dp_sym3 expected, double scale)
{
    assert_near(actual.xx, expected.xx, ROUND_OFF * scale);
    assert_near(actual.yy, expected.yy, ROUND_OFF * scale);
    assert_near(actual.zz, expected.zz, ROUND_OFF * scale);
    assert_near(actual.xy, expected.xy, ROUND_OFF * scale);
    assert_near(actual.xz, expected.xz, ROUND_OFF * scale);
    assert_near(actual.yz, expected.yz, ROUND_OFF * scale);
}

static void assert_at(dp_v3 actual, dp_v3 expected, double scale)
{
    assert_near(actual.x, expected.x, ROUND_OFF * scale);
    assert_near(actual.y, expected.y, ROUND_OFF * scale);
    assert_near(actual.z, expected.z, ROUND_OFF * scale);
}

static const dp_v3 ORIGIN = {0.0, 0.0, 0.0};
static const dp_m3 IDENTITY = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

static dp_mesh transformed(dp_pool *pool, const dp_mesh *m, const dp_m3 *A, dp_v3 t)
{
    dp_mesh image;
    assert_int_equal(dp_mesh_transform(&image, pool, m, A, t), DP_OK);
    return image;
}

// --- solids with closed forms

static void a_box_of_triangles_is_the_box_of_the_closed_form(void **state)
{
    const double size[3] = {0.3, 0.07, 1.4};
    const dp_mesh box = box_mesh(*state, size[0], size[1], size[2]);
    const dp_v3 expected = dp_shape_moments(DP_GEOM_BOX, size);
    for (int kind = DP_MESH_INERTIA_CONVEX; kind <= DP_MESH_INERTIA_EXACT; ++kind) {
        const dp_mesh_moments I = moments_of(&box, (dp_mesh_inertia)kind);
        assert_same(I.measure, dp_shape_volume(DP_GEOM_BOX, size));
        assert_at(I.centre, ORIGIN, 1.0);
        assert_same_tensor(I.inertia,
                           (dp_sym3){.xx = expected.x, .yy = expected.y, .zz = expected.z}, 1.0);
    }
}

static void a_tetrahedron_with_a_right_corner_has_its_textbook_moments(void **state)
{
    const double a = 0.3, b = 0.5, c = 0.7;
    const dp_v3 corner[4] = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}, {0, 0, c}};
    const dp_mesh m = tetrahedron_mesh(*state, corner);
    const dp_mesh_moments I = moments_of(&m, DP_MESH_INERTIA_EXACT);
    assert_same(I.measure, a * b * c / 6.0);
    assert_at(I.centre, (dp_v3){a / 4.0, b / 4.0, c / 4.0}, 1.0);
    // About the right corner I_xx = (b² + c²)/10 and I_xy = −ab/20 per kg; shift by the centre.
    const dp_sym3 expected = {.xx = (b * b + c * c) * (1.0 / 10.0 - 1.0 / 16.0),
                              .yy = (a * a + c * c) * (1.0 / 10.0 - 1.0 / 16.0),
                              .zz = (a * a + b * b) * (1.0 / 10.0 - 1.0 / 16.0),
                              .xy = a * b * (1.0 / 16.0 - 1.0 / 20.0),
                              .xz = a * c * (1.0 / 16.0 - 1.0 / 20.0),
                              .yz = b * c * (1.0 / 16.0 - 1.0 / 20.0)};
    assert_same_tensor(I.inertia, expected, 1.0);
}

// Moments about the centre per kg of the regular solids with edge s, full and as shells.
static void regular_solids_and_their_shells_have_their_textbook_moments(void **state)
{
    const double s = 0.9, g = 0.5 * (1.0 + sqrt(5.0));
    const double k = s / sqrt(8.0);
    const dp_v3 corner[4] = {{k, k, k}, {k, -k, -k}, {-k, -k, k}, {-k, k, -k}};
    const struct {
        dp_mesh mesh;
        double volume, area, solid, shell;
    } regular[] = {
        {tetrahedron_mesh(*state, corner), s * s * s / sqrt(72.0), sqrt(3.0) * s * s, s * s / 20.0,
         s * s / 12.0},
        {octahedron_mesh(*state, s / sqrt(2.0)), sqrt(2.0) / 3.0 * s * s * s,
         2.0 * sqrt(3.0) * s * s, s * s / 10.0, s * s / 6.0},
        {box_mesh(*state, s / 2.0, s / 2.0, s / 2.0), s * s * s, 6.0 * s * s, s * s / 6.0,
         5.0 / 18.0 * s * s},
        {icosphere_mesh(*state, 0.5 * s * sqrt(g * sqrt(5.0)), 0),
         5.0 / 12.0 * (3.0 + sqrt(5.0)) * s * s * s, 5.0 * sqrt(3.0) * s * s, g * g * s * s / 10.0,
         g * g * s * s / 6.0},
    };
    for (size_t i = 0; i < sizeof regular / sizeof *regular; ++i) {
        const dp_mesh *m = &regular[i].mesh;
        for (int kind = DP_MESH_INERTIA_CONVEX; kind <= DP_MESH_INERTIA_SHELL; ++kind) {
            const bool shell = kind == DP_MESH_INERTIA_SHELL;
            const double moment = shell ? regular[i].shell : regular[i].solid;
            const dp_mesh_moments I = moments_of(m, (dp_mesh_inertia)kind);
            assert_same(I.measure, shell ? regular[i].area : regular[i].volume);
            assert_at(I.centre, ORIGIN, 1.0);
            assert_same_tensor(I.inertia, (dp_sym3){.xx = moment, .yy = moment, .zz = moment}, 1.0);
        }
    }
}

// The six sides of a box as plates: two of area 4bc at x = ±a, and so on.
static void the_shell_of_a_box_is_six_plates(void **state)
{
    const double h[3] = {0.2, 0.5, 0.9};
    const dp_mesh box = box_mesh(*state, h[0], h[1], h[2]);
    double area = 0.0, square[3] = {0.0, 0.0, 0.0}; // ∫x², ∫y², ∫z²
    for (int n = 0; n < 3; ++n) {
        const double plate = 4.0 * h[(n + 1) % 3] * h[(n + 2) % 3];
        area += 2.0 * plate;
        for (int k = 0; k < 3; ++k) {
            square[k] += 2.0 * plate * h[k] * h[k] * (k == n ? 1.0 : 1.0 / 3.0);
        }
    }
    const dp_mesh_moments I = moments_of(&box, DP_MESH_INERTIA_SHELL);
    assert_same(I.measure, area);
    assert_same_tensor(I.inertia,
                       (dp_sym3){.xx = (square[1] + square[2]) / area,
                                 .yy = (square[0] + square[2]) / area,
                                 .zz = (square[0] + square[1]) / area},
                       1.0);
}

static void prisms_over_regular_polygons_follow_their_closed_form(void **state)
{
    const double r = 0.4, h = 0.75;
    for (int n = 3; n <= 100; n += n < 10 ? 1 : 30) {
        const dp_mesh m = prism_mesh(*state, n, r, h);
        const double angle = 2.0 * DP_PI / n;
        const double polar = r * r / 6.0 * (2.0 + cos(angle)); // of a regular polygon, per kg
        const dp_mesh_moments I = moments_of(&m, DP_MESH_INERTIA_EXACT);
        assert_same(I.measure, 0.5 * n * r * r * sin(angle) * 2.0 * h);
        assert_at(I.centre, ORIGIN, 1.0);
        const double across = 0.5 * polar + h * h / 3.0;
        assert_same_tensor(I.inertia, (dp_sym3){.xx = across, .yy = across, .zz = polar}, 1.0);
    }
}

// Pyramids from the centre: each face at its distance, its area by Heron's formula.
static void an_icosphere_is_the_sum_of_its_pyramids(void **state)
{
    for (int levels = 0; levels <= 4; ++levels) {
        const dp_mesh m = icosphere_mesh(*state, 1.3, levels);
        long double volume = 0.0L, area = 0.0L;
        for (int f = 0; f < m.nface; ++f) {
            const dp_v3 a = dp_mesh_corner(&m, f, 0), b = dp_mesh_corner(&m, f, 1),
                        c = dp_mesh_corner(&m, f, 2);
            const long double u = dp_v3_norm(dp_v3_sub(b, c)), v = dp_v3_norm(dp_v3_sub(c, a)),
                              w = dp_v3_norm(dp_v3_sub(a, b)), s = (u + v + w) / 2.0L;
            const long double face = sqrtl(s * (s - u) * (s - v) * (s - w));
            // All corners lie on the sphere: the plane passes at √(R² − (uvw/4A)²).
            const long double circumradius = u * v * w / (4.0L * face);
            area += face;
            volume += face * sqrtl(1.3L * 1.3L - circumradius * circumradius) / 3.0L;
        }
        assert_same(moments_of(&m, DP_MESH_INERTIA_EXACT).measure, (double)volume);
        assert_same(moments_of(&m, DP_MESH_INERTIA_SHELL).measure, (double)area);
    }
}

static void icospheres_approach_the_sphere_with_the_square_of_their_edges(void **state)
{
    const double volume = 4.0 / 3.0 * DP_PI, area = 4.0 * DP_PI;
    double before[4] = {0.0};
    for (int levels = 1; levels <= 5; ++levels) {
        const dp_mesh m = icosphere_mesh(*state, 1.0, levels);
        const dp_mesh_moments solid = moments_of(&m, DP_MESH_INERTIA_EXACT);
        const dp_mesh_moments shell = moments_of(&m, DP_MESH_INERTIA_SHELL);
        const double error[4] = {1.0 - solid.measure / volume, 1.0 - solid.inertia.xx / 0.4,
                                 1.0 - shell.measure / area, 1.0 - shell.inertia.xx / (2.0 / 3.0)};
        for (int k = 0; k < 4; ++k) {
            if (levels > 2) {
                assert_near(before[k] / error[k], 4.0, 0.15); // the next order at these levels
            }
            before[k] = error[k];
        }
    }
}

static void a_ring_is_the_difference_of_two_prisms(void **state)
{
    const int n = 17;
    const double r = 1.0, s = 0.25;
    const dp_mesh ring = ring_mesh(*state, n, r, s);
    const dp_mesh outer = prism_mesh(*state, n, r + s, s), inner = prism_mesh(*state, n, r - s, s);
    const dp_mesh_moments I = moments_of(&ring, DP_MESH_INERTIA_EXACT),
                          o = moments_of(&outer, DP_MESH_INERTIA_EXACT),
                          i = moments_of(&inner, DP_MESH_INERTIA_EXACT);
    assert_same(I.measure, o.measure - i.measure);
    assert_near(I.inertia.zz,
                (o.measure * o.inertia.zz - i.measure * i.inertia.zz) / (o.measure - i.measure),
                ROUND_OFF);
    assert_same(moments_of(&ring, DP_MESH_INERTIA_CONVEX).measure, o.measure); // the hull fills it
}

// --- identities

// C = ∫(x − c)(x − c)ᵀ per kg, from I = tr(C) 1 − C
static dp_m3 covariance(const dp_sym3 *I)
{
    const double t = 0.5 * (I->xx + I->yy + I->zz);
    return (dp_m3){
        {{t - I->xx, -I->xy, -I->xz}, {-I->xy, t - I->yy, -I->yz}, {-I->xz, -I->yz, t - I->zz}}};
}

static double determinant(const dp_m3 *A)
{
    return dp_v3_dot(dp_m3_column(A, 0), dp_v3_cross(dp_m3_column(A, 1), dp_m3_column(A, 2)));
}

static void moments_follow_every_affine_image(void **state)
{
    random_source r = {42};
    for (int trial = 0; trial < 40; ++trial) {
        const dp_mesh star = star_mesh(*state, 1 + trial % 2, &r);
        const dp_m3 A = random_affine(&r, trial % 4 >= 2);
        const dp_v3 t = {random_between(&r, -5, 5), random_between(&r, -5, 5), 3.0};
        const dp_mesh image = transformed(*state, &star, &A, t);
        const dp_mesh_moments I = moments_of(&star, DP_MESH_INERTIA_EXACT),
                              J = moments_of(&image, DP_MESH_INERTIA_EXACT);
        assert_same(J.measure, fabs(determinant(&A)) * I.measure);
        assert_at(J.centre, dp_v3_add(dp_m3_apply(&A, I.centre), t), 10.0);
        // C' = A C Aᵀ
        const dp_m3 C = covariance(&I.inertia), D = covariance(&J.inertia);
        const dp_m3 At = dp_m3_transpose(&A), AC = dp_m3_mul(&A, &C), E = dp_m3_mul(&AC, &At);
        for (int k = 0; k < 9; ++k) {
            assert_near(D.m[k / 3][k % 3], E.m[k / 3][k % 3], ROUND_OFF * 10.0);
        }
    }
}

static void shells_follow_rotations_shifts_and_uniform_scales(void **state)
{
    random_source r = {43};
    for (int trial = 0; trial < 20; ++trial) {
        const dp_mesh star = star_mesh(*state, 1, &r);
        double q[4];
        random_direction(q, 4, &r);
        const double scale = random_between(&r, 0.1, 3.0) * (trial % 2 ? 1.0 : -1.0);
        const dp_m3 R = dp_m3_from_quat(dp_quat_load(q));
        dp_m3 A = R;
        for (int k = 0; k < 9; ++k) {
            A.m[k / 3][k % 3] *= scale;
        }
        const dp_v3 t = {1.0, -2.0, random_between(&r, -5, 5)};
        const dp_mesh image = transformed(*state, &star, &A, t);
        const dp_mesh_moments I = moments_of(&star, DP_MESH_INERTIA_SHELL),
                              J = moments_of(&image, DP_MESH_INERTIA_SHELL);
        assert_same(J.measure, scale * scale * I.measure);
        assert_at(J.centre, dp_v3_add(dp_m3_apply(&A, I.centre), t), 10.0);
        const dp_sym3 K = dp_sym3_rotate(&R, I.inertia);
        const double s = scale * scale;
        assert_same_tensor(
            J.inertia, (dp_sym3){s * K.xx, s * K.yy, s * K.zz, s * K.xy, s * K.xz, s * K.yz}, 10.0);
    }
}

static void parts_add_up_and_cavities_subtract(void **state)
{
    const double a[3] = {0.5, 0.4, 0.3}, b[3] = {0.1, 0.2, 0.15};
    const dp_mesh first = box_mesh(*state, a[0], a[1], a[2]);
    dp_mesh second = box_mesh(*state, b[0], b[1], b[2]);
    const dp_v3 aside = {0.9, -0.2, 0.4};
    const dp_mesh moved = transformed(*state, &second, &IDENTITY, aside);
    const dp_mesh both = join_meshes(*state, &first, &moved);
    dp_mesh_moments I = moments_of(&both, DP_MESH_INERTIA_EXACT);

    dp_inertial part[2] = {{.frame = DP_IDENTITY_POSE}, {.frame = DP_IDENTITY_POSE}};
    part[0].mass = dp_shape_volume(DP_GEOM_BOX, a);
    part[1].mass = dp_shape_volume(DP_GEOM_BOX, b);
    part[0].moments = dp_v3_scale(dp_shape_moments(DP_GEOM_BOX, a), part[0].mass);
    part[1].moments = dp_v3_scale(dp_shape_moments(DP_GEOM_BOX, b), part[1].mass);
    part[1].frame.p = aside;
    const dp_inertial sum = dp_inertial_sum(part, 2);
    const dp_inertial ours = dp_mesh_inertial(&I, I.measure);
    assert_same(ours.mass, sum.mass);
    assert_at(ours.frame.p, sum.frame.p, 1.0);
    assert_same_tensor(dp_inertial_tensor(&ours), dp_inertial_tensor(&sum), 1.0);

    // The small box inside the big one, its faces turned inwards.
    double *vertex;
    int *face;
    second = copy_mesh(&vertex, &face, *state, &second);
    for (int f = 0; f < second.nface; ++f) {
        const int k = face[3 * f + 1];
        face[3 * f + 1] = face[3 * f + 2];
        face[3 * f + 2] = k;
    }
    const dp_mesh hollow = join_meshes(*state, &first, &second);
    I = moments_of(&hollow, DP_MESH_INERTIA_EXACT);
    assert_same(I.measure, part[0].mass - part[1].mass);
    assert_near(I.inertia.xx * I.measure, part[0].moments.x - part[1].moments.x, ROUND_OFF);
}

static void an_inertial_frame_has_the_principal_axes_of_the_mesh(void **state)
{
    random_source r = {44};
    const dp_mesh star = star_mesh(*state, 1, &r);
    const dp_m3 A = random_affine(&r, false);
    const dp_mesh m = transformed(*state, &star, &A, (dp_v3){1.0, 2.0, 3.0});
    const dp_mesh_moments I = moments_of(&m, DP_MESH_INERTIA_EXACT);
    const dp_inertial body = dp_mesh_inertial(&I, 7.0);
    assert_true(body.mass == 7.0);
    assert_at(body.frame.p, I.centre, 1.0);
    const dp_sym3 T = dp_inertial_tensor(&body);
    assert_same_tensor(
        (dp_sym3){T.xx / 7.0, T.yy / 7.0, T.zz / 7.0, T.xy / 7.0, T.xz / 7.0, T.yz / 7.0},
        I.inertia, 10.0);
}

// --- edges

static dp_mesh_topology edges_of(const dp_mesh *m)
{
    dp_mesh_topology t;
    assert_int_equal(dp_mesh_edges(&t, m, NULL), DP_OK);
    return t;
}

static void closed_surfaces_have_no_open_and_no_turned_edge(void **state)
{
    random_source r = {45};
    const dp_mesh closed[] = {box_mesh(*state, 1, 2, 3), icosphere_mesh(*state, 1.0, 3),
                              prism_mesh(*state, 11, 1.0, 1.0), star_mesh(*state, 2, &r)};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; ++i) {
        const dp_mesh_topology t = edges_of(&closed[i]);
        assert_int_equal(2 * t.nedge, 3 * closed[i].nface);
        assert_int_equal(t.nopen, 0);
        assert_int_equal(t.nturned, 0);
        assert_int_equal(t.nbranch, 0);
        assert_int_equal(t.euler, 2);
        assert_int_equal(t.open[0], -1);
    }
    const dp_mesh ring = ring_mesh(*state, 9, 1.0, 0.2);
    assert_int_equal(edges_of(&ring).euler, 0);
    assert_int_equal(edges_of(&ring).nopen, 0);
}

static void a_missing_face_leaves_three_open_edges(void **state)
{
    dp_mesh box = box_mesh(*state, 1, 1, 1);
    --box.nface; // the last one has the vertices 3, 7, 5
    const dp_mesh_topology t = edges_of(&box);
    assert_int_equal(t.nopen, 3);
    assert_int_equal(t.nturned, 0);
    assert_int_equal(t.open[0], 3);
    assert_int_equal(t.open[1], 5);
    assert_refused(&box, DP_MESH_INERTIA_EXACT,
                   "mesh 'box': found 3 edges where the surface ends, the first between vertices 3 "
                   "and 5 (expected a closed surface");
    assert_near(moments_of(&box, DP_MESH_INERTIA_CONVEX).measure, 8.0, ROUND_OFF);
    assert_near(moments_of(&box, DP_MESH_INERTIA_SHELL).measure, 22.0, ROUND_OFF);
}

static void a_turned_face_is_found_by_its_edges(void **state)
{
    double *vertex;
    int *face;
    dp_mesh box = box_mesh(*state, 1, 1, 1);
    box = copy_mesh(&vertex, &face, *state, &box);
    const int swapped = face[0];
    face[0] = face[1];
    face[1] = swapped;
    const dp_mesh_topology t = edges_of(&box);
    assert_int_equal(t.nopen, 0);
    assert_int_equal(t.nturned, 3);
    assert_refused(&box, DP_MESH_INERTIA_EXACT,
                   "found 3 edges where one face is turned inside out, the "
                   "first between vertices 0 and 1");
}

static void a_moebius_strip_has_a_turned_edge(void **state)
{
    (void)state;
    enum { N = 7 };
    double vertex[6 * N];
    int face[6 * N];
    for (int i = 0; i < N; ++i) {
        const double a = 2.0 * DP_PI * i / N;
        for (int k = 0; k < 2; ++k) {
            const double w = (k ? 0.3 : -0.3), r = 1.0 + w * cos(a / 2.0);
            dp_v3_store(vertex + 6 * i + 3 * k, (dp_v3){r * cos(a), r * sin(a), w * sin(a / 2.0)});
        }
        const int far = i + 1 < N ? 2 * (i + 1) : 1, far_up = i + 1 < N ? 2 * (i + 1) + 1 : 0;
        const int two[6] = {2 * i, far, far_up, 2 * i, far_up, 2 * i + 1};
        memcpy(face + 6 * i, two, sizeof two);
    }
    const dp_mesh strip = {"strip", vertex, 2 * N, face, 2 * N};
    const dp_mesh_topology t = edges_of(&strip);
    assert_int_equal(t.nturned, 1);
    assert_int_equal(t.nopen, 2 * N); // its one border
    assert_int_equal(t.euler, 0);
}

static void two_boxes_that_share_an_edge_are_closed_nevertheless(void **state)
{
    const dp_mesh box = box_mesh(*state, 1, 1, 1);
    const dp_mesh other = transformed(*state, &box, &IDENTITY, (dp_v3){2.0, 2.0, 0.0});
    dp_mesh both = join_meshes(*state, &box, &other);
    dp_mesh_welded counts;
    assert_int_equal(dp_mesh_weld(&both, &counts, *state, &both), DP_OK);
    assert_int_equal(counts.nvertex, 2);
    const dp_mesh_topology t = edges_of(&both);
    assert_int_equal(t.nbranch, 1);
    assert_int_equal(t.nopen + t.nturned, 0);
    assert_near(moments_of(&both, DP_MESH_INERTIA_EXACT).measure, 16.0, 16.0 * ROUND_OFF);
}

static void faces_with_equal_corners_count_for_nothing(void **state)
{
    double *vertex;
    int *face;
    dp_mesh box = box_mesh(*state, 1, 1, 1);
    const dp_mesh sliver = {"sliver", box.vertex, 8, (const int[6]){0, 0, 1, 2, 3, 2}, 2};
    dp_mesh both = join_meshes(*state, &box, &sliver);
    both = copy_mesh(&vertex, &face, *state, &both);
    for (int k = 36; k < 42; ++k) {
        face[k] -= 8; // onto the vertices of the box
    }
    both.nvertex = 8;
    assert_int_equal(edges_of(&both).nedge, 18);
    assert_int_equal(edges_of(&both).euler, 2);
    assert_near(moments_of(&both, DP_MESH_INERTIA_EXACT).measure, 8.0, 8.0 * ROUND_OFF);
}

// --- affine images, bounds

static void bounds_touch_the_mesh_on_six_sides(void **state)
{
    const dp_mesh box = box_mesh(*state, 0.1, 0.2, 0.3);
    const dp_mesh m = transformed(*state, &box, &IDENTITY, (dp_v3){1.0, -2.0, 4.0});
    dp_v3 low, high;
    dp_mesh_bounds(&low, &high, &m);
    assert_at(low, (dp_v3){0.9, -2.2, 3.7}, 1.0);
    assert_at(high, (dp_v3){1.1, -1.8, 4.3}, 1.0);
}

static void a_mirror_image_keeps_its_faces_outward(void **state)
{
    random_source r = {46};
    const dp_mesh star = star_mesh(*state, 1, &r);
    const dp_m3 mirror = {{{-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    const dp_mesh image = transformed(*state, &star, &mirror, ORIGIN);
    const dp_mesh_moments I = moments_of(&star, DP_MESH_INERTIA_EXACT),
                          J = moments_of(&image, DP_MESH_INERTIA_EXACT);
    assert_same(J.measure, I.measure);
    assert_near(J.centre.x, -I.centre.x, ROUND_OFF);
    assert_near(J.inertia.xy, -I.inertia.xy, ROUND_OFF);
    assert_near(J.inertia.yz, I.inertia.yz, ROUND_OFF);
    const dp_mesh back = transformed(*state, &image, &mirror, ORIGIN);
    assert_memory_equal(back.vertex, star.vertex, (size_t)star.nvertex * 3 * sizeof(double));
    assert_memory_equal(back.face, star.face, (size_t)star.nface * 3 * sizeof(int));
}

static void a_scale_that_flattens_or_overflows_is_refused(void **state)
{
    dp_mesh box = box_mesh(*state, 1, 1, 1), kept = box;
    const dp_m3 flat = {{{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
    assert_int_equal(dp_mesh_transform(&box, *state, &box, &flat, ORIGIN), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(),
                        "mesh 'box': its scale has the determinant 0 (expected one "
                        "that is finite and not zero)");
    const dp_m3 lost = {{{NAN, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    assert_int_equal(dp_mesh_transform(&box, *state, &box, &lost, ORIGIN), DP_ERROR_ARGUMENT);
    const dp_m3 huge = {{{1.7e308, 0.0, 0.0}, {0.0, 1e-300, 0.0}, {0.0, 0.0, 1.0}}};
    assert_int_equal(dp_mesh_transform(&box, *state, &box, &huge, (dp_v3){1.7e308, 0.0, 0.0}),
                     DP_ERROR_ARGUMENT);
    assert_memory_equal(&box, &kept, sizeof box); // a failure leaves it as it was
}

// --- equal vertices

static void welding_undoes_an_explosion(void **state)
{
    random_source r = {47};
    const dp_mesh star = star_mesh(*state, 2, &r);
    const dp_mesh loose = explode_mesh(*state, &star);
    assert_int_equal(edges_of(&loose).nopen, 3 * star.nface);
    dp_mesh welded;
    dp_mesh_welded counts;
    assert_int_equal(dp_mesh_weld(&welded, &counts, *state, &loose), DP_OK);
    assert_int_equal(welded.nvertex, star.nvertex);
    assert_int_equal(welded.nface, star.nface);
    assert_int_equal(counts.nvertex, loose.nvertex - star.nvertex);
    assert_int_equal(counts.nface, 0);
    for (int k = 0; k < 3 * star.nface; ++k) { // the same corners, in the order they appear in
        const dp_v3 a = dp_mesh_corner(&welded, k / 3, k % 3),
                    b = dp_mesh_corner(&star, k / 3, k % 3);
        assert_memory_equal(&a, &b, sizeof a);
    }
    for (int k = 0, seen = 0; k < 3 * welded.nface; ++k) {
        assert_true(welded.face[k] <= seen); // numbered by first appearance
        seen += welded.face[k] == seen;
    }
    assert_int_equal(edges_of(&welded).nopen, 0);
}

static void only_equal_vertices_are_made_one(void **state)
{
    const double next = nextafter(1.0, 2.0);
    const double vertex[] = {0,    0,    0, 1, 0, 0, 0, 1, 0, -0.0, 0,
                             -0.0, next, 0, 0, 1, 0, 0, 0, 0, 5};
    const int face[] = {0, 1, 2, 3, 4, 2, 0, 5, 1, 2, 1, 6};
    const dp_mesh m = {"m", vertex, 7, face, 4};
    dp_mesh welded;
    dp_mesh_welded counts;
    assert_int_equal(dp_mesh_weld(&welded, &counts, *state, &m), DP_OK);
    assert_int_equal(counts.nvertex, 2); // −0 is 0; the neighbour of 1 is not 1
    assert_int_equal(counts.nface, 1);   // 0 5 1 has lost a corner
    const int expected[] = {0, 1, 2, 0, 3, 2, 2, 1, 4};
    assert_int_equal(welded.nface, 3);
    assert_memory_equal(welded.face, expected, sizeof expected);
    for (int k = 0; k < 15; ++k) {
        assert_false(signbit(welded.vertex[k]));
    }
    assert_true(welded.vertex[9] == next);
}

static void many_vertices_in_one_place_become_one(void **state)
{
    enum { N = 100000 }; // a sort that dislikes equal keys would take 10¹⁰ steps
    double *vertex;
    assert_int_equal(dp_pool_take(&vertex, *state, N, 3 * sizeof *vertex), DP_OK);
    const dp_mesh m = {"heap", vertex, N, NULL, 0};
    dp_mesh welded;
    assert_int_equal(dp_mesh_weld(&welded, NULL, *state, &m), DP_OK);
    assert_int_equal(welded.nvertex, 1);
}

// --- what is refused

static void meshes_without_sense_are_refused_with_the_place(void **state)
{
    double *vertex;
    int *face;
    dp_mesh m = box_mesh(*state, 1, 1, 1);
    m = copy_mesh(&vertex, &face, *state, &m);
    assert_int_equal(dp_mesh_check(&m), DP_OK);
    vertex[3 * 5 + 1] = INFINITY;
    assert_int_equal(dp_mesh_check(&m), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(),
                        "mesh 'box': vertex 5 is not finite (expected three numbers)");
    vertex[3 * 5 + 1] = 0.0;
    face[3 * 7 + 2] = 8;
    assert_int_equal(dp_mesh_check(&m), DP_ERROR_ARGUMENT);
    assert_string_equal(dp_last_error(), "mesh 'box': face 7 refers to vertex 8 (expected 0 … 7)");
    face[3 * 7 + 2] = -1;
    assert_int_equal(dp_mesh_check(&m), DP_ERROR_ARGUMENT);
    const dp_mesh empty = {.name = NULL};
    assert_int_equal(dp_mesh_check(&empty), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "mesh: found 0 vertices and 0 faces"));
    const dp_mesh crowd = {"crowd", vertex, 8, face, DP_MESH_MAX + 1};
    assert_int_equal(dp_mesh_check(&crowd), DP_ERROR_ARGUMENT);
}

static void a_mesh_inside_out_is_refused_with_its_volume(void **state)
{
    double *vertex;
    int *face;
    dp_mesh box = box_mesh(*state, 1, 1, 1);
    box = copy_mesh(&vertex, &face, *state, &box);
    for (int f = 0; f < box.nface; ++f) {
        const int k = face[3 * f];
        face[3 * f] = face[3 * f + 1];
        face[3 * f + 1] = k;
    }
    assert_refused(&box, DP_MESH_INERTIA_EXACT,
                   "mesh 'box': found the volume -8 m³ (expected a positive one: faces "
                   "counterclockwise from outside)");
}

static void a_mesh_that_cancels_itself_is_refused(void **state)
{
    // A long thin box less a short wide one of nearly its volume.
    const dp_mesh a = box_mesh(*state, 1.0, 0.1, 0.1);
    dp_mesh b = box_mesh(*state, 0.2, 0.2, 0.24);
    double *vertex;
    int *face;
    b = copy_mesh(&vertex, &face, *state, &b);
    for (int f = 0; f < b.nface; ++f) {
        const int k = face[3 * f];
        face[3 * f] = face[3 * f + 1];
        face[3 * f + 1] = k;
    }
    const dp_mesh both = join_meshes(*state, &a, &b);
    assert_refused(&both, DP_MESH_INERTIA_EXACT, "found moments of inertia that no body has");
    assert_true(moments_of(&both, DP_MESH_INERTIA_SHELL).measure > 0.0);
}

static void flat_and_faceless_meshes_are_refused(void **state)
{
    const double vertex[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 3, 0};
    const int face[] = {0, 1, 2, 0, 2, 1};
    const dp_mesh both_sides = {"sheet", vertex, 4, face, 2};
    assert_refused(&both_sides, DP_MESH_INERTIA_EXACT, "mesh 'sheet': found no volume");
    assert_refused(&both_sides, DP_MESH_INERTIA_CONVEX,
                   "mesh 'sheet': all 4 vertices lie in one plane");
    assert_near(moments_of(&both_sides, DP_MESH_INERTIA_SHELL).measure, 1.0, ROUND_OFF);
    const dp_mesh points = {"points", vertex, 4, NULL, 0};
    assert_refused(&points, DP_MESH_INERTIA_EXACT, "found no faces");
    assert_refused(&points, DP_MESH_INERTIA_SHELL, "found no faces");
    const int needle[] = {0, 1, 1};
    const dp_mesh line = {"line", vertex, 2, needle, 1};
    assert_refused(&line, DP_MESH_INERTIA_SHELL, "found no area");
    (void)state;
}

static void sizes_beyond_the_range_of_numbers_are_refused(void **state)
{
    const dp_mesh huge = box_mesh(*state, 1e150, 1e150, 1e150);
    assert_refused(&huge, DP_MESH_INERTIA_EXACT, "beyond the range of numbers");
    const dp_mesh tiny = box_mesh(*state, 1e-150, 1e-150, 1e-150);
    assert_refused(&tiny, DP_MESH_INERTIA_EXACT, "found no volume");
}

static void a_thin_tilted_plate_keeps_its_volume_and_possible_moments(void **state)
{
    random_source r = {48};
    double q[4];
    random_direction(q, 4, &r);
    const dp_m3 R = dp_m3_from_quat(dp_quat_load(q));
    const dp_mesh flat = box_mesh(*state, 1.0, 1.0, 1e-6);
    const dp_mesh plate = transformed(*state, &flat, &R, (dp_v3){0.3, 0.2, 0.1});
    for (int kind = DP_MESH_INERTIA_CONVEX; kind <= DP_MESH_INERTIA_EXACT; ++kind) {
        const dp_mesh_moments I = moments_of(&plate, (dp_mesh_inertia)kind);
        // Corners are rounded to 1e-16 of a plate of 1e-6: relative 1e-10, and some of them.
        assert_near(I.measure / 8e-6, 1.0, 1e-9);
        const dp_inertial body = dp_mesh_inertial(&I, 1.0);
        assert_near(body.moments.x, 2.0 / 3.0, 1e-9);
        assert_near(body.moments.z, 1.0 / 3.0, 1e-9);
        assert_true(body.moments.x <= body.moments.y + body.moments.z);
    }
}

// --- memory

static dp_status use_everything(const dp_allocator *allocator, const dp_mesh *m)
{
    dp_pool pool;
    dp_pool_init(&pool, allocator);
    dp_mesh welded = *m, image;
    dp_mesh_moments I;
    dp_status status = dp_mesh_weld(&welded, NULL, &pool, m);
    if (status == DP_OK) {
        const dp_m3 mirror = {{{-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
        status = dp_mesh_transform(&image, &pool, &welded, &mirror, ORIGIN);
    }
    for (int kind = DP_MESH_INERTIA_CONVEX; kind <= DP_MESH_INERTIA_SHELL && status == DP_OK;
         ++kind) {
        status = dp_mesh_integrate(&I, &image, (dp_mesh_inertia)kind, allocator);
    }
    dp_pool_destroy(&pool);
    return status;
}

static void each_allocation_may_fail_in_turn(void **state)
{
    random_source r = {49};
    const dp_mesh star = star_mesh(*state, 1, &r), loose = explode_mesh(*state, &star);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    assert_int_equal(use_everything(&allocator, &loose), DP_OK);
    const size_t calls = counts.calls;
    assert_true(calls > 10);
    for (size_t k = 0; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k}; // 0: none fails
        assert_int_equal(use_everything(&allocator, &loose), k > 0 ? DP_ERROR_MEMORY : DP_OK);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_of_triangles_is_the_box_of_the_closed_form),
        cmocka_unit_test(a_tetrahedron_with_a_right_corner_has_its_textbook_moments),
        cmocka_unit_test(regular_solids_and_their_shells_have_their_textbook_moments),
        cmocka_unit_test(the_shell_of_a_box_is_six_plates),
        cmocka_unit_test(prisms_over_regular_polygons_follow_their_closed_form),
        cmocka_unit_test(an_icosphere_is_the_sum_of_its_pyramids),
        cmocka_unit_test(icospheres_approach_the_sphere_with_the_square_of_their_edges),
        cmocka_unit_test(a_ring_is_the_difference_of_two_prisms),
        cmocka_unit_test(moments_follow_every_affine_image),
        cmocka_unit_test(shells_follow_rotations_shifts_and_uniform_scales),
        cmocka_unit_test(parts_add_up_and_cavities_subtract),
        cmocka_unit_test(an_inertial_frame_has_the_principal_axes_of_the_mesh),
        cmocka_unit_test(closed_surfaces_have_no_open_and_no_turned_edge),
        cmocka_unit_test(a_missing_face_leaves_three_open_edges),
        cmocka_unit_test(a_turned_face_is_found_by_its_edges),
        cmocka_unit_test(a_moebius_strip_has_a_turned_edge),
        cmocka_unit_test(two_boxes_that_share_an_edge_are_closed_nevertheless),
        cmocka_unit_test(faces_with_equal_corners_count_for_nothing),
        cmocka_unit_test(bounds_touch_the_mesh_on_six_sides),
        cmocka_unit_test(a_mirror_image_keeps_its_faces_outward),
        cmocka_unit_test(a_scale_that_flattens_or_overflows_is_refused),
        cmocka_unit_test(welding_undoes_an_explosion),
        cmocka_unit_test(only_equal_vertices_are_made_one),
        cmocka_unit_test(many_vertices_in_one_place_become_one),
        cmocka_unit_test(meshes_without_sense_are_refused_with_the_place),
        cmocka_unit_test(a_mesh_inside_out_is_refused_with_its_volume),
        cmocka_unit_test(a_mesh_that_cancels_itself_is_refused),
        cmocka_unit_test(flat_and_faceless_meshes_are_refused),
        cmocka_unit_test(sizes_beyond_the_range_of_numbers_are_refused),
        cmocka_unit_test(a_thin_tilted_plate_keeps_its_volume_and_possible_moments),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
