// Shells against quadrature over their surfaces, against closed forms, and against what thin solids
// tend to.
#include "near.h"

#include "geom/mass.h"
#include "geom/shell.h"
#include "math/angle.h"

#include <math.h>

// Closed forms, and the sums of quadrature: a few hundred roundings.
static const double ROUND_OFF = 1e-13;

/// Equal but for round-off, relative to the expected number.
#define assert_same(actual, expected) assert_near((actual) / (expected), 1.0, ROUND_OFF)

static const dp_geom_kind shape[] = {DP_GEOM_SPHERE, DP_GEOM_CAPSULE, DP_GEOM_CYLINDER,
                                     DP_GEOM_ELLIPSOID, DP_GEOM_BOX};
enum { SHAPES = 5 };
static const double size[3] = {0.3, 0.7, 0.45};

// Sums over a surface: area, and x², y², z² times area.
typedef struct surface_sums {
    double area, xx, yy, zz;
} surface_sums;

static void add_patch(surface_sums *sum, double area, double x, double y, double z)
{
    sum->area += area;
    sum->xx += area * x * x;
    sum->yy += area * y * y;
    sum->zz += area * z * z;
}

// Nodes and weights of Gauss's rule with n points on [−1, 1], by Newton's method on the Legendre
// polynomial.
static void gauss_rule(double *node, double *weight, int n)
{
    for (int i = 0; i < n; ++i) {
        double x = cos(DP_PI * (i + 0.75) / (n + 0.5)), slope = 0.0;
        for (int pass = 0; pass < 20; ++pass) {
            double before = 1.0, p = x;
            for (int k = 2; k <= n; ++k) {
                const double next = ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k;
                before = p;
                p = next;
            }
            slope = n * (x * p - before) / (x * x - 1.0);
            x -= p / slope;
        }
        node[i] = x;
        weight[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
}

enum { RINGS = 60, AROUND = 120 };

// The image of the unit sphere's band between two heights under (a, b, c), moved along z. Gauss's
// rule in height, equal steps around: exact to round-off for such smooth surfaces.
static void add_band(surface_sums *sum, double a, double b, double c, double low, double high,
                     double shift)
{
    double node[RINGS], weight[RINGS];
    gauss_rule(node, weight, RINGS);
    for (int i = 0; i < RINGS; ++i) {
        const double w = 0.5 * (high + low) + 0.5 * (high - low) * node[i];
        const double ring = sqrt(1.0 - w * w);
        for (int k = 0; k < AROUND; ++k) {
            const double angle = 2.0 * DP_PI * k / AROUND;
            const double u = ring * cos(angle), v = ring * sin(angle);
            // The cofactors of diag(a, b, c) turn the normal and scale the area.
            const double stretch =
                sqrt(b * b * c * c * u * u + a * a * c * c * v * v + a * a * b * b * w * w);
            const double area = 0.5 * (high - low) * weight[i] * 2.0 * DP_PI / AROUND * stretch;
            add_patch(sum, area, a * u, b * v, c * w + shift);
        }
    }
}

static void add_tube(surface_sums *sum, double r, double l)
{
    double node[RINGS], weight[RINGS];
    gauss_rule(node, weight, RINGS);
    for (int i = 0; i < RINGS; ++i) {
        for (int k = 0; k < AROUND; ++k) {
            const double angle = 2.0 * DP_PI * k / AROUND;
            add_patch(sum, l * weight[i] * 2.0 * DP_PI * r / AROUND, r * cos(angle), r * sin(angle),
                      l * node[i]);
        }
    }
}

static void add_disc(surface_sums *sum, double r, double z)
{
    double node[RINGS], weight[RINGS];
    gauss_rule(node, weight, RINGS);
    for (int i = 0; i < RINGS; ++i) {
        const double radius = 0.5 * r * (1.0 + node[i]);
        for (int k = 0; k < AROUND; ++k) {
            const double angle = 2.0 * DP_PI * k / AROUND;
            add_patch(sum, 0.5 * r * weight[i] * 2.0 * DP_PI * radius / AROUND, radius * cos(angle),
                      radius * sin(angle), z);
        }
    }
}

// The rectangle at x[axis] = at, the others from −size to size.
static void add_rectangle(surface_sums *sum, const double half[3], int axis, double at)
{
    double node[RINGS], weight[RINGS];
    gauss_rule(node, weight, RINGS);
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    for (int i = 0; i < RINGS; ++i) {
        for (int k = 0; k < RINGS; ++k) {
            double x[3];
            x[axis] = at;
            x[p] = half[p] * node[i];
            x[q] = half[q] * node[k];
            add_patch(sum, half[p] * weight[i] * half[q] * weight[k], x[0], x[1], x[2]);
        }
    }
}

static surface_sums integrate_surface(dp_geom_kind kind, const double s[3])
{
    surface_sums sum = {.area = 0.0};
    const double r = s[0], l = s[1];
    switch (kind) {
    case DP_GEOM_SPHERE:
        add_band(&sum, r, r, r, -1.0, 1.0, 0.0);
        break;
    case DP_GEOM_CAPSULE:
        add_band(&sum, r, r, r, 0.0, 1.0, l);
        add_band(&sum, r, r, r, -1.0, 0.0, -l);
        add_tube(&sum, r, l);
        break;
    case DP_GEOM_CYLINDER:
        add_tube(&sum, r, l);
        add_disc(&sum, r, l);
        add_disc(&sum, r, -l);
        break;
    case DP_GEOM_ELLIPSOID:
        add_band(&sum, s[0], s[1], s[2], -1.0, 1.0, 0.0);
        break;
    default:
        for (int axis = 0; axis < 3; ++axis) {
            add_rectangle(&sum, s, axis, s[axis]);
            add_rectangle(&sum, s, axis, -s[axis]);
        }
        break;
    }
    return sum;
}

static void every_shell_agrees_with_quadrature_over_its_surface(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; ++k) {
        const surface_sums sum = integrate_surface(shape[k], size);
        const dp_v3 moments = dp_shell_moments(shape[k], size);
        assert_same(dp_shape_area(shape[k], size), sum.area);
        assert_same(moments.x, (sum.yy + sum.zz) / sum.area);
        assert_same(moments.y, (sum.xx + sum.zz) / sum.area);
        assert_same(moments.z, (sum.xx + sum.yy) / sum.area);
    }
}

static void shells_follow_the_textbook(void **state)
{
    (void)state;
    const double r = size[0];
    assert_same(dp_shell_moments(DP_GEOM_SPHERE, size).y, 2.0 * r * r / 3.0);
    const double cube[3] = {0.2, 0.2, 0.2}; // a hollow cube of edge 2a: 5/18 m (2a)²
    assert_same(dp_shell_moments(DP_GEOM_BOX, cube).x, 5.0 / 18.0 * 0.16);
    const double tube[3] = {0.1, 1e9, 0.0}; // so long that its ends do not matter
    assert_near(dp_shell_moments(DP_GEOM_CYLINDER, tube).z / 0.01, 1.0, 1e-9);
    assert_near(dp_shell_moments(DP_GEOM_CAPSULE, tube).z / 0.01, 1.0, 1e-9);
}

static void round_ellipsoids_are_spheres(void **state)
{
    (void)state;
    const double ball[3] = {0.3, 0.3, 0.3};
    assert_same(dp_shape_area(DP_GEOM_ELLIPSOID, ball), dp_shape_area(DP_GEOM_SPHERE, ball));
    assert_same(dp_shell_moments(DP_GEOM_ELLIPSOID, ball).x,
                dp_shell_moments(DP_GEOM_SPHERE, ball).x);
    assert_same(dp_shell_moments(DP_GEOM_ELLIPSOID, ball).z,
                dp_shell_moments(DP_GEOM_SPHERE, ball).z);
}

// Areas of spheroids with semi-axes a, a, c and eccentricity e. acos(a/c) and acosh(a/c) are the
// textbook's arcsin e and artanh e, and keep their digits where e is nearly 1.
static double spheroid_area(double a, double c)
{
    if (c > a) { // long
        const double e = sqrt(1.0 - a * a / (c * c));
        return 2.0 * DP_PI * a * a * (1.0 + c / (a * e) * acos(a / c));
    }
    const double e = sqrt(1.0 - c * c / (a * a)); // flat
    return 2.0 * DP_PI * (a * a + c * c / e * acosh(a / c));
}

static void spheroids_of_any_proportion_have_the_area_that_is_known(void **state)
{
    (void)state;
    const double proportion[] = {1e-6, 1e-3, 0.1, 0.5, 2.0, 10.0, 1e3, 1e6};
    for (size_t i = 0; i < sizeof proportion / sizeof *proportion; ++i) {
        const double s[3] = {0.2, 0.2, 0.2 * proportion[i]};
        assert_near(dp_shape_area(DP_GEOM_ELLIPSOID, s) / spheroid_area(s[0], s[2]), 1.0, 1e-12);
    }
}

static void flat_and_long_ellipsoids_tend_to_discs_and_rods(void **state)
{
    (void)state;
    // Two discs of radius r lie on each other: mean x² = r²/4. Corrections are of order c² log c.
    const double flat[3] = {0.5, 0.5, 5e-8};
    assert_near(dp_shell_moments(DP_GEOM_ELLIPSOID, flat).z / (0.25 / 2.0), 1.0, 1e-12);
    // A needle carries mass in proportion to √(1 − z²): mean z² = c²/4.
    const double needle[3] = {5e-8, 5e-8, 0.5};
    assert_near(dp_shell_moments(DP_GEOM_ELLIPSOID, needle).x / (0.25 / 4.0), 1.0, 1e-12);
}

static void moments_of_an_ellipsoid_do_not_depend_on_the_order_of_its_axes(void **state)
{
    (void)state;
    const double turned[3] = {size[1], size[2], size[0]};
    const dp_v3 a = dp_shell_moments(DP_GEOM_ELLIPSOID, size);
    const dp_v3 b = dp_shell_moments(DP_GEOM_ELLIPSOID, turned);
    assert_same(a.x, b.z);
    assert_same(a.y, b.x);
    assert_same(a.z, b.y);
}

// A thin solid skin is the difference of two solids. For boxes, cylinders and capsules the skin has
// an even thickness when every size grows by the same amount.
static void a_thin_skin_has_nearly_the_moments_of_the_shell(void **state)
{
    (void)state;
    const dp_geom_kind skins[] = {DP_GEOM_SPHERE, DP_GEOM_CYLINDER, DP_GEOM_BOX, DP_GEOM_CAPSULE};
    const double t = 1e-5; // [m]: central differences err by t², the differences by round-off/t
    for (size_t k = 0; k < sizeof skins / sizeof *skins; ++k) {
        const bool capsule = skins[k] == DP_GEOM_CAPSULE; // whose half length stays
        double outer[3], inner[3];
        for (int i = 0; i < 3; ++i) {
            outer[i] = size[i] + (capsule && i == 1 ? 0.0 : t);
            inner[i] = size[i] - (capsule && i == 1 ? 0.0 : t);
        }
        const double outer_volume = dp_shape_volume(skins[k], outer);
        const double inner_volume = dp_shape_volume(skins[k], inner);
        const double volume = outer_volume - inner_volume;
        const dp_v3 moments = dp_shell_moments(skins[k], size);
        const double x = outer_volume * dp_shape_moments(skins[k], outer).x -
                         inner_volume * dp_shape_moments(skins[k], inner).x;
        const double z = outer_volume * dp_shape_moments(skins[k], outer).z -
                         inner_volume * dp_shape_moments(skins[k], inner).z;
        assert_near(volume / (2.0 * t) / dp_shape_area(skins[k], size), 1.0, 1e-8);
        assert_near(x / volume / moments.x, 1.0, 1e-8);
        assert_near(z / volume / moments.z, 1.0, 1e-8);
    }
}

static void what_has_no_surface_of_its_own_has_no_shell(void **state)
{
    (void)state;
    const dp_geom_kind none[] = {DP_GEOM_PLANE, DP_GEOM_MESH, DP_GEOM_HFIELD};
    for (int k = 0; k < 3; ++k) {
        assert_true(dp_shape_area(none[k], size) == 0.0);
        assert_true(dp_shell_moments(none[k], size).x == 0.0);
    }
}

static void axes_beyond_all_proportion_give_no_number(void **state)
{
    (void)state;
    const double s[3] = {1.0, 1.0, 1e-200};
    assert_true(isnan(dp_shape_area(DP_GEOM_ELLIPSOID, s)));
    assert_true(isnan(dp_shell_moments(DP_GEOM_ELLIPSOID, s).x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shell_agrees_with_quadrature_over_its_surface),
        cmocka_unit_test(shells_follow_the_textbook),
        cmocka_unit_test(round_ellipsoids_are_spheres),
        cmocka_unit_test(spheroids_of_any_proportion_have_the_area_that_is_known),
        cmocka_unit_test(flat_and_long_ellipsoids_tend_to_discs_and_rods),
        cmocka_unit_test(moments_of_an_ellipsoid_do_not_depend_on_the_order_of_its_axes),
        cmocka_unit_test(a_thin_skin_has_nearly_the_moments_of_the_shell),
        cmocka_unit_test(what_has_no_surface_of_its_own_has_no_shell),
        cmocka_unit_test(axes_beyond_all_proportion_give_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
