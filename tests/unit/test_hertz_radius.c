// How round two surfaces are against each other, against the displacements of Hertz's pressure.
#include "collide/hertz.h"
#include "near.h"

#include <math.h>

static const dp_v3 X = {1.0, 0.0, 0.0};

static dp_curvature ball(double r)
{
    return (dp_curvature){1.0 / r, 1.0 / r, X};
}

static dp_curvature cylinder(double r, double angle)
{
    return (dp_curvature){0.0, 1.0 / r, {cos(angle), sin(angle), 0.0}};
}

static void two_balls_have_their_radii_in_series(void **state)
{
    (void)state;
    const dp_curvature a = ball(0.03), b = ball(0.06), floor = {0.0, 0.0, X}, cup = ball(-0.06);
    double r;
    assert_int_equal(dp_hertz_radius(&r, &a, &b), DP_ROUND);
    assert_near(r, 0.02, 1e-15);
    assert_int_equal(dp_hertz_radius(&r, &a, &floor), DP_ROUND);
    assert_near(r, 0.03, 1e-15);
    assert_int_equal(dp_hertz_radius(&r, &a, &cup), DP_ROUND);
    assert_near(r, 0.06, 1e-15);
    assert_int_equal(dp_hertz_radius(&r, &b, &cup), DP_FLAT); // it fits
}

static void cylinders_are_round_where_they_cross(void **state)
{
    (void)state;
    const dp_curvature a = cylinder(0.05, 0.0), across = cylinder(0.05, acos(0.0));
    const dp_curvature along = cylinder(0.02, 0.0), floor = {0.0, 0.0, X};
    double r;
    assert_int_equal(dp_hertz_radius(&r, &a, &across), DP_ROUND);
    assert_near(r, 0.05, 1e-12);
    assert_int_equal(dp_hertz_radius(&r, &a, &along), DP_FLAT);
    assert_int_equal(dp_hertz_radius(&r, &a, &floor), DP_FLAT);
    const dp_curvature edge = {0.0, (double)INFINITY, X};
    assert_int_equal(dp_hertz_radius(&r, &a, &edge), DP_SHARP);
}

// Of the pressure p₀ √(1 − x²/a² − y²/b²) on a half space of E* = 1: the displacement
// (1/π) ∫ p/|r| dA in polar coordinates about the point (x, 0) of the rim, along whose rays
// p = p₀ √(κ r (L − r)), which gives π L² √κ/8.
static double sinks_at_end(double a, double b)
{
    const int n = 200000;
    const double step = acos(-1.0) / n;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double angle = (i + 0.5) * step - 0.5 * acos(-1.0);
        const double c = cos(angle), s = sin(angle);
        const double kappa = c * c / (a * a) + s * s / (b * b), L = 2.0 * c / (a * kappa);
        sum += sqrt(kappa) * L * L / 8.0 * step;
    }
    return sum;
}

// The same in the middle: rays of length ρ give π ρ/4.
static double sinks_in_middle(double a, double b)
{
    const int n = 200000;
    const double step = 2.0 * acos(-1.0) / n;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double c = cos(i * step), s = sin(i * step);
        sum += 0.25 / sqrt(c * c / (a * a) + s * s / (b * b)) * step;
    }
    return sum;
}

// The pressure on an ellipse tells which surfaces it belongs to, δ − A a² and δ − B b² at its ends,
// and its sum 2π a b p₀/3 is the force.
static void ellipses_push_as_their_pressure_says(void **state)
{
    (void)state;
    const double flat[5] = {0.95, 0.7, 0.3, 0.1, 0.02};
    for (int i = 0; i < 5; ++i) {
        const double a = 1.0, b = flat[i];
        const double depth = sinks_in_middle(a, b);
        const double A = (depth - sinks_at_end(a, b)) / (a * a);
        const double B = (depth - sinks_at_end(b, a)) / (b * b);
        const double force = 2.0 / 3.0 * acos(-1.0) * a * b;
        const dp_curvature one = {2.0 * A, 2.0 * B, X}, floor = {0.0, 0.0, X};
        double r;
        assert_int_equal(dp_hertz_radius(&r, &one, &floor), DP_ROUND);
        assert_near(4.0 / 3.0 * sqrt(r) * depth * sqrt(depth) / force, 1.0, 1e-6);

        // Curvatures that are shared by two surfaces, turned against each other.
        const dp_curvature part = {0.0, 2.0 * (B - A), X}, rest = {2.0 * A, 2.0 * A, {0.6, 0.8, 0}};
        double shared;
        assert_int_equal(dp_hertz_radius(&shared, &part, &rest), DP_ROUND);
        assert_near(shared / r, 1.0, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_balls_have_their_radii_in_series),
        cmocka_unit_test(cylinders_are_round_where_they_cross),
        cmocka_unit_test(ellipses_push_as_their_pressure_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
