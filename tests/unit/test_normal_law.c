// Normal laws of contacts: force, derivatives, inverse and tangents.
#include "near.h"
#include "problem/laws/normal_law.h"
#include "problem/laws/row_law.h"
#include "test_random.h"

#include <math.h>

static dp_normal random_law(random_source *r)
{
    const double d = random_chance(r, 0.3) ? 0.0 : pow(10.0, random_between(r, -3.0, 2.0));
    return (dp_normal){random_chance(r, 0.5) ? DP_NORMAL_HERTZ : DP_NORMAL_HUNT_CROSSLEY, d};
}

static dp_row random_row(random_source *r)
{
    return (dp_row){.phi = random_between(r, -1e-3, 1e-3),
                    .phi_t = random_chance(r, 0.5) ? random_between(r, -1.0, 1.0) : 0.0,
                    .k = pow(10.0, random_between(r, 2.0, 15.0)),
                    .hi = (double)INFINITY,
                    .len = 1.0};
}

static void the_forces_are_those_of_the_formulas(void **state)
{
    (void)state;
    const dp_normal hunt = {DP_NORMAL_HUNT_CROSSLEY, 0.5}, hertz = {DP_NORMAL_HERTZ, 0.5};
    assert_near(dp_normal_force_at(&hunt, 1e6, 1e-4, 0.2).force, 1e6 * 1e-4 * 1.1, 1e-12);
    assert_near(dp_normal_force_at(&hertz, 1e6, 1e-4, 0.2).force, 1e6 * 1e-6 * 1.1, 1e-12);
    assert_true(dp_normal_force_at(&hertz, 1e6, -1e-4, 0.2).force == 0.0); // apart
    assert_true(dp_normal_force_at(&hertz, 1e6, 1e-4, -2.1).force == 0.0); // it does not pull
    assert_near(dp_normal_energy(&hertz, 1e6, 1e-4), 0.4 * 1e6 * 1e-10, 1e-18);
    assert_near(dp_normal_energy(&hunt, 1e6, 1e-4), 0.5 * 1e6 * 1e-8, 1e-16);
}

// Central differences over 1e-5 of the depth and of 1 + d δ̇: errors of 1e-10.
static void derivatives_are_differences_of_the_force(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    for (int i = 0; i < 1000; ++i) {
        const dp_normal law = random_law(&r);
        const double depth = pow(10.0, random_between(&r, -9.0, -1.0)), k = 1e7;
        const double d = law.dissipation, rate = d > 0.0 ? random_between(&r, -0.9, 3.0) / d : 0.3;
        const dp_normal_force at = dp_normal_force_at(&law, k, depth, rate);
        const double a = 1e-5 * depth, b = 1e-5 * (d > 0.0 ? (1.0 + d * rate) / d : 1.0);
        const double by_depth = (dp_normal_force_at(&law, k, depth + a, rate).force -
                                 dp_normal_force_at(&law, k, depth - a, rate).force) /
                                (2.0 * a);
        const double by_rate = (dp_normal_force_at(&law, k, depth, rate + b).force -
                                dp_normal_force_at(&law, k, depth, rate - b).force) /
                               (2.0 * b);
        assert_near(by_depth / at.stiffness, 1.0, 1e-9);
        assert_near(by_rate, at.damping, 1e-9 * at.force / b * 1e-5 + 1e-9 * at.damping);
        const double energy =
            (dp_normal_energy(&law, k, depth + a) - dp_normal_energy(&law, k, depth - a)) /
            (2.0 * a);
        assert_near(energy / dp_normal_force_at(&law, k, depth, 0.0).force, 1.0, 1e-9);
    }
}

static void the_impulse_never_grows_with_the_velocity(void **state)
{
    (void)state;
    random_source r = {.state = 2};
    for (int i = 0; i < 500; ++i) {
        const dp_normal law = random_law(&r);
        const dp_row row = random_row(&r);
        const double h = pow(10.0, random_between(&r, -4.0, 0.0));
        double before = (double)INFINITY, slope;
        for (int k = -100; k <= 100; ++k) {
            const double u = 0.1 * k;
            const double now = dp_normal_impulse(&slope, &law, &row, h, u);
            assert_true(now <= before && now >= 0.0 && slope >= 0.0);
            before = now;
        }
    }
}

static void the_velocity_gives_the_impulse_back(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    for (int i = 0; i < 2000; ++i) {
        const dp_normal law = random_law(&r);
        const dp_row row = random_row(&r);
        const double h = pow(10.0, random_between(&r, -4.0, 0.0));
        const double gamma = pow(10.0, random_between(&r, -12.0, 4.0));
        const double u = dp_normal_velocity(&law, &row, h, gamma);
        double slope;
        const double sizes = fabs(u) + fabs(row.phi_t) + fabs(row.phi) / h +
                             (law.dissipation > 0.0 ? 1.0 / law.dissipation : 0.0);
        const double digits = 8.0 * 0x1p-52 * sizes; // of a velocity
        assert_true(dp_normal_impulse(&slope, &law, &row, h, u - digits) >= (1.0 - 1e-12) * gamma);
        assert_true(dp_normal_impulse(&slope, &law, &row, h, u + digits) <= (1.0 + 1e-12) * gamma);
        const double rest = dp_normal_velocity(&law, &row, h, 0.0);
        assert_true(dp_normal_impulse(&slope, &law, &row, h, rest + 1e-12 * sizes) == 0.0);
        assert_true(dp_normal_impulse(&slope, &law, &row, h, rest - 1e-3) > 0.0);
    }
}

// The tangent at the deeper point: no other point of the law lies below it.
static void tangents_lie_below_the_law(void **state)
{
    (void)state;
    random_source r = {.state = 4};
    for (int i = 0; i < 500; ++i) {
        const dp_normal law = random_law(&r);
        const dp_row row = random_row(&r);
        const double h = 0.01, u = random_between(&r, -2.0, 1.0);
        const double gamma =
            random_chance(&r, 0.3) ? 0.0 : pow(10.0, random_between(&r, -6.0, 3.0));
        const dp_soft tangent = dp_normal_tangent(&law, &row, h, gamma, u, -1.0, 1.0);
        assert_true(tangent.R > 0.0 && isfinite(tangent.R) && isfinite(tangent.u_hat));
        double slope;
        const double deepest = fmax(gamma, dp_normal_impulse(&slope, &law, &row, h, u));
        for (int k = 0; k <= 40 && deepest > 0.0; ++k) {
            const double other = -3.0 + 0.1 * k;
            const double on_law = dp_normal_impulse(&slope, &law, &row, h, other);
            const double on_line = (tangent.u_hat - other) / tangent.R;
            assert_true(on_line <= on_law + 1e-9 * (on_law + deepest) + 1e-12 / tangent.R);
        }
    }
}

static void the_bound_is_no_less_than_the_residual_and_equal_next_to_the_law(void **state)
{
    (void)state;
    random_source r = {.state = 9};
    int near = 0;
    for (int i = 0; i < 20000; ++i) {
        const dp_normal law = random_law(&r);
        const dp_row row = random_row(&r);
        const double h = 0.005, a = pow(10.0, random_between(&r, -3.0, 3.0));
        const double u = random_between(&r, -1.0, 1.0), off = random_between(&r, -16.0, 0.0);
        double slope;
        const double there = dp_normal_impulse(&slope, &law, &row, h, u);
        const double factor = 1.0 + (random_chance(&r, 0.5) ? 1.0 : -1.0) * pow(10.0, off);
        const double gamma = random_chance(&r, 0.1) ? 0.0 : fmax(there, 1e-9) * factor;
        const double residual = dp_soft_residual(dp_normal_exact(&law, &row, h, gamma), 0.0,
                                                 (double)INFINITY, a, gamma, u);
        const double bound = dp_normal_bound(&law, &row, h, a, gamma, u);
        const double digits = 1e-12 * (1.0 + fabs(row.phi) / h); // of the inverse law
        assert_true(bound >= residual * (1.0 - 1e-9) - digits);
        if (there > 0.0 && off < -3.0 && gamma > 0.0) {
            ++near;
            assert_true(bound <= residual * 1.01 + digits);
        }
    }
    assert_true(near > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_forces_are_those_of_the_formulas),
        cmocka_unit_test(derivatives_are_differences_of_the_force),
        cmocka_unit_test(the_impulse_never_grows_with_the_velocity),
        cmocka_unit_test(the_velocity_gives_the_impulse_back),
        cmocka_unit_test(tangents_lie_below_the_law),
        cmocka_unit_test(the_bound_is_no_less_than_the_residual_and_equal_next_to_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
