// Mass properties against textbook formulas, quadrature, voxels and the parallel-axis theorem.
#include "near.h"
#include "test_random.h"

#include "geom/mass.h"
#include "math/angle.h"

#include <math.h>
#include <string.h>

// Closed forms are a few operations on doubles; sums of a thousand parts lose two or three digits.
static const double ROUND_OFF = 1e-12;

/// Equal but for round-off, relative to the expected number.
#define assert_same(actual, expected) assert_near((actual) / (expected), 1.0, ROUND_OFF)

static const dp_geom_kind solid[] = {DP_GEOM_SPHERE, DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                     DP_GEOM_ELLIPSOID, DP_GEOM_BOX};
enum { SOLIDS = 5 };
static const double size[3] = {0.3, 0.7, 0.45};

static dp_inertial inertial_of(dp_geom_kind kind, const double s[3], double density)
{
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = kind;
    geom.size[0] = s[0], geom.size[1] = s[1], geom.size[2] = s[2];
    geom.density = density;
    dp_inertial inertial;
    assert_int_equal(dp_geom_inertial(&inertial, &geom), DP_OK);
    return inertial;
}

static void spheres_cylinders_ellipsoids_and_boxes_follow_the_textbook(void **state)
{
    (void)state;
    const double a = size[0], b = size[1], c = size[2], rho = 700.0;

    dp_inertial i = inertial_of(DP_GEOM_SPHERE, size, rho);
    assert_same(i.mass, rho * 4.0 * DP_PI * a * a * a / 3.0);
    assert_same(i.moments.x, 2.0 * i.mass * a * a / 5.0);
    assert_same(i.moments.y, i.moments.x);
    assert_same(i.moments.z, i.moments.x);

    i = inertial_of(DP_GEOM_CYLINDER, size, rho);
    const double height = 2.0 * b;
    assert_same(i.mass, rho * DP_PI * a * a * height);
    assert_same(i.moments.x, i.mass * (3.0 * a * a + height * height) / 12.0);
    assert_same(i.moments.y, i.moments.x);
    assert_same(i.moments.z, i.mass * a * a / 2.0);

    i = inertial_of(DP_GEOM_ELLIPSOID, size, rho);
    assert_same(i.mass, rho * 4.0 * DP_PI * a * b * c / 3.0);
    assert_same(i.moments.x, i.mass * (b * b + c * c) / 5.0);
    assert_same(i.moments.y, i.mass * (a * a + c * c) / 5.0);
    assert_same(i.moments.z, i.mass * (a * a + b * b) / 5.0);

    i = inertial_of(DP_GEOM_BOX, size, rho);
    assert_same(i.mass, rho * 8.0 * a * b * c);
    assert_same(i.moments.x, i.mass * (4.0 * b * b + 4.0 * c * c) / 12.0);
    assert_same(i.moments.y, i.mass * (4.0 * a * a + 4.0 * c * c) / 12.0);
    assert_same(i.moments.z, i.mass * (4.0 * a * a + 4.0 * b * b) / 12.0);
}

static void a_capsule_is_a_cylinder_between_two_half_balls(void **state)
{
    (void)state;
    const double r = size[0], l = size[1], rho = 700.0;
    const double half_ball = rho * 2.0 * DP_PI * r * r * r / 3.0;
    const double cylinder = rho * DP_PI * r * r * 2.0 * l;
    const double to_com = 3.0 * r / 8.0; // from the flat side of a half ball
    // About its own centre of mass, across its axis: 2/5 m r² less the shift to the flat side.
    const double own = half_ball * (2.0 * r * r / 5.0 - to_com * to_com);
    const double across = cylinder * (3.0 * r * r + 4.0 * l * l) / 12.0 +
                          2.0 * (own + half_ball * (l + to_com) * (l + to_com));
    const double along = cylinder * r * r / 2.0 + 2.0 * half_ball * 2.0 * r * r / 5.0;

    const dp_inertial i = inertial_of(DP_GEOM_CAPSULE, size, rho);
    assert_same(i.mass, cylinder + 2.0 * half_ball);
    assert_same(i.moments.x, across);
    assert_same(i.moments.y, across);
    assert_same(i.moments.z, along);
}

// Half widths of the slice of a solid at height z; 0 outside. Slices are ellipses or rectangles.
static void slice(double *wx, double *wy, dp_geom_kind kind, double z)
{
    const double r = size[0], l = size[1];
    double w = 0.0, beyond;
    switch (kind) {
    case DP_GEOM_SPHERE:
        w = sqrt(r * r - z * z);
        break;
    case DP_GEOM_CAPSULE:
        beyond = fmax(fabs(z) - l, 0.0);
        w = sqrt(r * r - beyond * beyond);
        break;
    case DP_GEOM_CYLINDER:
        w = r;
        break;
    case DP_GEOM_ELLIPSOID:
        w = sqrt(1.0 - z * z / (size[2] * size[2]));
        *wx = size[0] * w;
        *wy = size[1] * w;
        return;
    default:
        *wx = size[0];
        *wy = size[1];
        return;
    }
    *wx = *wy = w;
}

// Volume and ∫x², ∫y², ∫z² between two heights, by five-point Gauss quadrature over slices: exact
// for the polynomials (degree ≤ 4 in z) that these solids give.
static void integrate_slices(double out[4], dp_geom_kind kind, double low, double high)
{
    static const double node[5] = {-0.9061798459386640, -0.5384693101056831, 0.0,
                                   0.5384693101056831, 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    const double half = 0.5 * (high - low), middle = 0.5 * (high + low);
    const double corner = kind == DP_GEOM_BOX ? 4.0 : DP_PI;           // area / (wx wy)
    const double square = kind == DP_GEOM_BOX ? 1.0 / 3.0 : 1.0 / 4.0; // mean of x² / wx²
    for (int k = 0; k < 5; ++k) {
        const double z = middle + half * node[k];
        double wx, wy;
        slice(&wx, &wy, kind, z);
        const double volume = half * weight[k] * corner * wx * wy;
        out[0] += volume;
        out[1] += volume * square * wx * wx;
        out[2] += volume * square * wy * wy;
        out[3] += volume * z * z;
    }
}

static void every_solid_agrees_with_quadrature_over_its_slices(void **state)
{
    (void)state;
    for (int k = 0; k < SOLIDS; ++k) {
        const dp_geom_kind kind = solid[k];
        const double r = size[0], l = size[1];
        double I[4] = {0.0};
        if (kind == DP_GEOM_CAPSULE) {
            integrate_slices(I, kind, -l - r, -l);
            integrate_slices(I, kind, -l, l);
            integrate_slices(I, kind, l, l + r);
        } else {
            const double top = kind == DP_GEOM_SPHERE ? r : kind == DP_GEOM_CYLINDER ? l : size[2];
            integrate_slices(I, kind, -top, top);
        }
        const dp_v3 moments = dp_shape_moments(kind, size);
        assert_same(dp_shape_volume(kind, size), I[0]);
        assert_same(moments.x, (I[2] + I[3]) / I[0]);
        assert_same(moments.y, (I[1] + I[3]) / I[0]);
        assert_same(moments.z, (I[1] + I[2]) / I[0]);
    }
}

static bool is_inside(dp_geom_kind kind, double x, double y, double z)
{
    const double r = size[0], l = size[1];
    const double beyond = fmax(fabs(z) - l, 0.0);
    switch (kind) {
    case DP_GEOM_SPHERE:
        return x * x + y * y + z * z <= r * r;
    case DP_GEOM_CAPSULE:
        return x * x + y * y + beyond * beyond <= r * r;
    case DP_GEOM_CYLINDER:
        return x * x + y * y <= r * r && fabs(z) <= l;
    case DP_GEOM_ELLIPSOID:
        return x * x / (size[0] * size[0]) + y * y / (size[1] * size[1]) +
                   z * z / (size[2] * size[2]) <=
               1.0;
    default:
        return fabs(x) <= size[0] && fabs(y) <= size[1] && fabs(z) <= size[2];
    }
}

static void every_solid_agrees_with_counting_the_points_inside_it(void **state)
{
    (void)state;
    enum { N = 100 }; // points per edge of the box around the solid
    // The cells along a curved surface are in doubt, about 3/N of them all; their errors are
    // nearly random, so they add up to a twentieth of that.
    const double tolerance = 0.15 / N;
    for (int k = 0; k < SOLIDS; ++k) {
        const double r = size[0], l = size[1];
        const bool round = solid[k] == DP_GEOM_SPHERE || solid[k] == DP_GEOM_CAPSULE ||
                           solid[k] == DP_GEOM_CYLINDER;
        const double X = size[0], Y = round ? r : size[1];
        const double Z = solid[k] == DP_GEOM_SPHERE     ? r
                         : solid[k] == DP_GEOM_CAPSULE  ? l + r
                         : solid[k] == DP_GEOM_CYLINDER ? l
                                                        : size[2];
        double n = 0.0, xx = 0.0, yy = 0.0, zz = 0.0;
        for (int i = 0; i < N * N * N; ++i) {
            const int column = i % N, row = i / N % N, layer = i / (N * N);
            const double x = X * ((2 * column + 1.0) / N - 1.0);
            const double y = Y * ((2 * row + 1.0) / N - 1.0);
            const double z = Z * ((2 * layer + 1.0) / N - 1.0);
            if (is_inside(solid[k], x, y, z)) {
                n += 1.0;
                xx += x * x;
                yy += y * y;
                zz += z * z;
            }
        }
        const dp_v3 moments = dp_shape_moments(solid[k], size);
        const double cell = 8.0 * X * Y * Z / ((double)N * N * N);
        assert_near(n * cell / dp_shape_volume(solid[k], size), 1.0, tolerance);
        assert_near((yy + zz) / n / moments.x, 1.0, tolerance);
        assert_near((xx + zz) / n / moments.y, 1.0, tolerance);
        assert_near((xx + yy) / n / moments.z, 1.0, tolerance);
    }
}

static void a_given_mass_wins_over_density(void **state)
{
    (void)state;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.size[0] = 0.5;
    geom.mass = 3.0;
    geom.density = 1e6;
    geom.pose.p.x = 2.0;
    dp_inertial i;
    assert_int_equal(dp_geom_inertial(&i, &geom), DP_OK);
    assert_true(i.mass == 3.0);
    assert_true(i.frame.p.x == 2.0);
    assert_near(i.moments.y, 0.4 * 3.0 * 0.25, ROUND_OFF);
}

static void a_plane_has_no_mass(void **state)
{
    (void)state;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_PLANE;
    dp_inertial i;
    assert_int_equal(dp_geom_inertial(&i, &geom), DP_OK);
    assert_true(i.mass == 0.0 && i.moments.x == 0.0);
}

static void a_shape_without_size_is_refused(void **state)
{
    (void)state;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_CYLINDER;
    geom.size[0] = 0.1;
    dp_inertial i;
    assert_int_equal(dp_geom_inertial(&i, &geom), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "cylinder with size 0"));
}

static dp_quat random_rotation(random_source *r)
{
    double x[4];
    random_direction(x, 4, r);
    return dp_quat_load(x);
}

static void a_dumbbell_follows_the_parallel_axis_theorem(void **state)
{
    (void)state;
    const double m1 = 2.0, m2 = 3.0, r = 0.1, d = 1.5;
    const double ball1 = 0.4 * m1 * r * r, ball2 = 0.4 * m2 * r * r;
    const dp_inertial part[2] = {
        {m1, {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}, {ball1, ball1, ball1}},
        {m2, {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 1.0 + d}}, {ball2, ball2, ball2}},
    };
    const dp_inertial sum = dp_inertial_sum(part, 2);
    const double across = ball1 + ball2 + m1 * m2 / (m1 + m2) * d * d; // reduced mass times d²
    assert_near(sum.mass, m1 + m2, ROUND_OFF);
    assert_near(sum.frame.p.z, 1.0 + d * m2 / (m1 + m2), ROUND_OFF);
    assert_near(sum.moments.x, across, ROUND_OFF);
    assert_near(sum.moments.y, across, ROUND_OFF);
    assert_near(sum.moments.z, ball1 + ball2, ROUND_OFF);
}

static void a_box_cut_into_bricks_has_the_inertia_of_the_whole(void **state)
{
    (void)state;
    enum { CUTS = 3, PARTS = CUTS * CUTS * CUTS };
    random_source random = {7};
    const dp_pose X = {random_rotation(&random), {0.3, -1.2, 0.8}}; // of the box
    const double brick[3] = {size[0] / CUTS, size[1] / CUTS, size[2] / CUTS};
    dp_inertial part[PARTS];
    for (int k = 0; k < PARTS; ++k) {
        part[k] = inertial_of(DP_GEOM_BOX, brick, 1000.0);
        const int column = k % CUTS, row = k / CUTS % CUTS, layer = k / (CUTS * CUTS);
        const dp_v3 p = {brick[0] * (2 * column - CUTS + 1), brick[1] * (2 * row - CUTS + 1),
                         brick[2] * (2 * layer - CUTS + 1)};
        part[k].frame = (dp_pose){X.q, dp_pose_apply(X, p)};
    }
    const dp_inertial sum = dp_inertial_sum(part, PARTS);
    dp_inertial whole = inertial_of(DP_GEOM_BOX, size, 1000.0);
    whole.frame = X;

    assert_same(sum.mass, whole.mass);
    assert_near(dp_v3_norm(dp_v3_sub(sum.frame.p, X.p)), 0.0, ROUND_OFF);
    const dp_sym3 A = dp_inertial_tensor(&sum), B = dp_inertial_tensor(&whole);
    assert_same(A.xx, B.xx);
    assert_same(A.yy, B.yy);
    assert_same(A.zz, B.zz);
    assert_near(A.xy, B.xy, ROUND_OFF * whole.moments.x);
    assert_near(A.xz, B.xz, ROUND_OFF * whole.moments.x);
    assert_near(A.yz, B.yz, ROUND_OFF * whole.moments.x);
    // Principal moments come in decreasing order; of this box they are x > … by its sizes.
    assert_same(sum.moments.x, whole.moments.x);
    assert_same(sum.moments.y, whole.moments.z);
    assert_same(sum.moments.z, whole.moments.y);
}

static void inertia_about_the_origin_adds_the_offset_of_the_mass(void **state)
{
    (void)state;
    dp_inertial i = inertial_of(DP_GEOM_BOX, size, 1000.0);
    i.frame.p = (dp_v3){1.0, 2.0, -3.0};
    const dp_sym3 I = dp_inertial_tensor_about_origin(&i);
    assert_same(I.xx, i.moments.x + i.mass * 13.0);
    assert_same(I.yy, i.moments.y + i.mass * 10.0);
    assert_same(I.zz, i.moments.z + i.mass * 5.0);
    assert_same(I.xy, -i.mass * 2.0);
    assert_same(I.xz, i.mass * 3.0);
    assert_same(I.yz, i.mass * 6.0);
}

static void a_single_part_keeps_its_frame(void **state)
{
    (void)state;
    random_source random = {3};
    const dp_quat q = random_rotation(&random);
    const dp_inertial part = {2.0, {q, {1.0, 2.0, 3.0}}, {1.0, 3.0, 2.5}};
    const dp_inertial sum = dp_inertial_sum(&part, 1);
    assert_true(sum.frame.q.w == q.w && sum.frame.q.x == q.x && sum.frame.p.z == 3.0);
    assert_true(sum.moments.x == 1.0 && sum.moments.y == 3.0 && sum.moments.z == 2.5);
}

// As in MuJoCo 3; MuJoCo 2 sorted the axes.
static void massless_parts_leave_the_frame_of_the_only_heavy_one(void **state)
{
    (void)state;
    random_source random = {3};
    const dp_inertial nothing = {0.0, {{1.0, 0.0, 0.0, 0.0}, {9.0, 9.0, 9.0}}, {0.0, 0.0, 0.0}};
    const dp_quat q = random_rotation(&random);
    const dp_inertial heavy = {2.0, {q, {1.0, 2.0, 3.0}}, {1.0, 3.0, 2.5}};
    const dp_inertial part[3] = {nothing, heavy, nothing};
    const dp_inertial sum = dp_inertial_sum(part, 3);
    assert_true(sum.mass == 2.0 && sum.frame.p.x == 1.0);
    assert_true(sum.frame.q.w == q.w && sum.frame.q.x == q.x && sum.frame.q.y == q.y);
    assert_true(sum.moments.x == 1.0 && sum.moments.y == 3.0 && sum.moments.z == 2.5);
}

static void no_mass_gives_zeros(void **state)
{
    (void)state;
    const dp_inertial part[2] = {{0.0, DP_IDENTITY_POSE, {0.0, 0.0, 0.0}},
                                 {0.0, DP_IDENTITY_POSE, {0.0, 0.0, 0.0}}};
    for (int n = 0; n <= 2; ++n) {
        const dp_inertial sum = dp_inertial_sum(part, n);
        assert_true(sum.mass == 0.0 && sum.moments.x == 0.0 && sum.frame.q.w == 1.0);
    }
}

static void principal_axes_rebuild_the_matrix(void **state)
{
    (void)state;
    random_source random = {11};
    for (int trial = 0; trial < 1000; ++trial) {
        const double scale = pow(10.0, random_between(&random, -12.0, 6.0));
        double d[3];
        for (int k = 0; k < 3; ++k) {
            d[k] = scale * random_between(&random, 0.0, 1.0);
        }
        if (trial % 4 == 0) { // two or three equal ones
            d[1] = d[0];
            d[2] = trial % 8 == 0 ? d[0] : d[2];
        }
        const dp_quat q = random_rotation(&random);
        const dp_inertial given = {1.0, {q, {0.0, 0.0, 0.0}}, {d[0], d[1], d[2]}};
        const dp_sym3 A = dp_inertial_tensor(&given);

        dp_inertial found = {.mass = 1.0};
        dp_principal_axes(&found.moments, &found.frame.q, A);
        assert_true(found.moments.x >= found.moments.y * (1.0 - 1e-12));
        assert_true(found.moments.y >= found.moments.z * (1.0 - 1e-12));
        assert_near(dp_quat_norm(found.frame.q), 1.0, 1e-15);
        const dp_sym3 B = dp_inertial_tensor(&found);
        const double round_off = 1e-14 * scale; // a dozen rotations of a matrix of this size
        assert_near(B.xx, A.xx, round_off);
        assert_near(B.yy, A.yy, round_off);
        assert_near(B.zz, A.zz, round_off);
        assert_near(B.xy, A.xy, round_off);
        assert_near(B.xz, A.xz, round_off);
        assert_near(B.yz, A.yz, round_off);
    }
}

static void principal_axes_of_a_diagonal_matrix_only_swap(void **state)
{
    (void)state;
    dp_v3 values;
    dp_quat q;
    dp_principal_axes(&values, &q, (dp_sym3){.xx = 3.0, .yy = 2.0, .zz = 1.0});
    assert_true(q.w == 1.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0);
    dp_principal_axes(&values, &q, (dp_sym3){.xx = 1.0, .yy = 2.0, .zz = 3.0});
    assert_true(values.x == 3.0 && values.y == 2.0 && values.z == 1.0);
}

static void a_bundle_of_needles_keeps_the_moment_about_its_axis(void **state)
{
    (void)state;
    // Two needles of radius 1e-9 in line: their moment about the line is 1e-18 of the one across.
    const dp_inertial needle = inertial_of(DP_GEOM_CYLINDER, (double[3]){1e-9, 1.0, 0.0}, 1e18);
    dp_inertial part[2] = {needle, needle};
    random_source random = {5};
    const dp_quat q = random_rotation(&random);
    part[0].frame = (dp_pose){q, {0.0, 0.0, 0.0}};
    part[1].frame = (dp_pose){q, dp_quat_rotate(q, (dp_v3){0.0, 0.0, 2.0})};
    const dp_inertial sum = dp_inertial_sum(part, 2);
    assert_true(sum.moments.z >= 2.0 * needle.moments.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_cylinders_ellipsoids_and_boxes_follow_the_textbook),
        cmocka_unit_test(a_capsule_is_a_cylinder_between_two_half_balls),
        cmocka_unit_test(every_solid_agrees_with_quadrature_over_its_slices),
        cmocka_unit_test(every_solid_agrees_with_counting_the_points_inside_it),
        cmocka_unit_test(a_given_mass_wins_over_density),
        cmocka_unit_test(a_plane_has_no_mass),
        cmocka_unit_test(a_shape_without_size_is_refused),
        cmocka_unit_test(a_dumbbell_follows_the_parallel_axis_theorem),
        cmocka_unit_test(a_box_cut_into_bricks_has_the_inertia_of_the_whole),
        cmocka_unit_test(inertia_about_the_origin_adds_the_offset_of_the_mass),
        cmocka_unit_test(a_single_part_keeps_its_frame),
        cmocka_unit_test(massless_parts_leave_the_frame_of_the_only_heavy_one),
        cmocka_unit_test(no_mass_gives_zeros),
        cmocka_unit_test(principal_axes_rebuild_the_matrix),
        cmocka_unit_test(principal_axes_of_a_diagonal_matrix_only_swap),
        cmocka_unit_test(a_bundle_of_needles_keeps_the_moment_about_its_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
