// The law of one row: (SP 2) and (SP 3) for every stiffness and damping, and the residual.
#include "near.h"

#include "problem/laws/row_law.h"

#include <float.h>
#include <math.h>

#define INF ((double)INFINITY)

static const double value[] = {0.0, 1e-300, 1e-9, 1.0, 3e4, 1e15, 1e300, DBL_MAX, (double)INFINITY};
static const double step[] = {1e-5, 1e-3, 0.2, 30.0};
enum {
    VALUES = sizeof value / sizeof *value,
    STEPS = sizeof step / sizeof *step,
};

static dp_row two_sided(double k, double b)
{
    return (dp_row){.phi = 0.013,
                    .phi_t = -0.7,
                    .k = k,
                    .b = b,
                    .b_ref = 0.4,
                    .lo = -INF,
                    .hi = INF,
                    .len = 1.0};
}

static dp_row one_sided(double k, double b, double phi)
{
    return (dp_row){.phi = phi, .k = k, .b = b, .lo = 0.0, .hi = INF, .len = 1.0};
}

// ---- (SP 2)

static void r_and_u_hat_are_those_of_the_formula_for_any_stiffness_and_damping(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; ++s) {
        for (int i = 0; i < VALUES; ++i) {
            for (int j = 0; j < VALUES; ++j) {
                const double k = value[i], b = value[j];
                if (isinf(k) || isinf(b) || (k == 0.0 && b == 0.0)) {
                    continue;
                }
                const dp_row row = two_sided(k, b);
                const dp_soft soft = dp_row_soft(&row, step[s]);
                // The range of long double holds every product.
                const long double h = step[s], hkb = h * k + b, R = 1.0L / (h * hkb);
                const long double spring = (k * row.phi + h * k * row.phi_t) / hkb;
                const long double damper = (long double)b * row.b_ref / hkb;
                // h²k and all steps to it are rounded: five roundings, each half a unit
                if (R < DBL_MAX && R > DBL_MIN) {
                    assert_near(soft.R, (double)R, 3.0 * DBL_EPSILON * (double)R);
                } else { // beyond the range of a double: as near as it goes
                    assert_true(R > 1.0L ? soft.R >= DBL_MAX : soft.R <= DBL_MIN);
                }
                assert_near(soft.u_hat, (double)-(spring + damper),
                            4.0 * DBL_EPSILON * (double)(fabsl(spring) + fabsl(damper)) +
                                4.0 * DBL_EPSILON * (double)(h * k / hkb) *
                                    (row.phi / step[s] + 0.7)); // φ/h and φ_t may cancel
            }
        }
    }
}

static void nothing_is_ever_not_a_number(void **state)
{
    (void)state;
    for (int s = 0; s < STEPS; ++s) {
        for (int i = 0; i < VALUES * VALUES; ++i) {
            dp_row row = two_sided(value[i / VALUES], value[i % VALUES]);
            for (int side = 0; side < 2; ++side) {
                const dp_soft soft = dp_row_soft(&row, step[s]);
                assert_true(soft.R >= 0.0);
                assert_true(isfinite(soft.u_hat));
                assert_true(!isnan(soft.u_stop));
                for (int g = -1; g <= 1; ++g) {
                    assert_true(!isnan(dp_row_residual(&row, step[s], 1.0, g, 0.3)));
                }
                row.lo = 0.0;
            }
        }
    }
}

static void an_infinite_spring_is_rigid_whatever_the_dashpot(void **state)
{
    (void)state;
    for (int j = 0; j < VALUES; ++j) {
        const dp_row row = two_sided(INF, value[j]);
        const dp_soft soft = dp_row_soft(&row, 0.1);
        assert_true(soft.R == 0.0);
        assert_true(soft.u_hat == -row.phi / 0.1 - row.phi_t);
    }
}

static void an_infinite_dashpot_with_a_finite_spring_is_rigid_in_velocity(void **state)
{
    (void)state;
    for (int i = 0; i < VALUES - 1; ++i) {
        const dp_row row = two_sided(value[i], INF);
        const dp_soft soft = dp_row_soft(&row, 0.1);
        assert_true(soft.R == 0.0);
        assert_true(soft.u_hat == -row.b_ref);
    }
}

static void without_spring_and_dashpot_there_is_no_impulse(void **state)
{
    (void)state;
    const dp_row row = two_sided(0.0, 0.0);
    assert_true(dp_row_soft(&row, 0.1).R == INF);
    assert_true(dp_row_residual(&row, 0.1, INF, 0.0, 5.0) == 0.0);
    assert_true(dp_row_residual(&row, 0.1, INF, 1e-9, 5.0) > 0.0);
}

// With b = 0 a soft row aims at the very velocity of the rigid one, bit for bit.
static void without_a_dashpot_the_target_is_that_of_the_rigid_row(void **state)
{
    (void)state;
    for (int i = 1; i < VALUES; ++i) {
        const dp_row soft = two_sided(value[i], 0.0), rigid = two_sided(INF, 0.0);
        assert_true(dp_row_soft(&soft, 1e-3).u_hat == dp_row_soft(&rigid, 1e-3).u_hat);
    }
}

// γ = −h k φ₁ − h b (u + b_ref), term by term.
static void the_impulse_is_that_of_a_spring_and_a_dashpot_at_the_end_of_the_step(void **state)
{
    (void)state;
    random_source r = {.state = 11};
    for (int repeat = 0; repeat < 200; ++repeat) {
        const double k = exp(random_between(&r, 0.0, 34.0)); // up to 6e14
        const double b = exp(random_between(&r, -7.0, 20.0));
        const double h = exp(random_between(&r, -11.0, -1.6)), u = random_between(&r, -1.0, 1.0);
        const dp_row row = two_sided(k, b);
        const dp_soft soft = dp_row_soft(&row, h);
        const long double end = row.phi + (long double)h * (u + row.phi_t);
        const long double spring = h * (long double)k * end;
        const long double damper = h * (long double)b * ((long double)u + row.b_ref);
        const double gamma = (soft.u_hat - u) / soft.R;
        const double scale = (fabs(soft.u_hat) + fabs(u) + row.phi / h + 0.7) / soft.R;
        assert_near(gamma, (double)-(spring + damper), 8.0 * DBL_EPSILON * scale);
    }
}

// ---- (SP 3)

static void only_one_sided_rows_have_a_velocity_at_which_they_stop(void **state)
{
    (void)state;
    dp_row row = one_sided(1e4, 10.0, 0.02);
    assert_true(dp_row_is_one_sided(&row));
    assert_true(dp_row_soft(&row, 0.1).u_stop == -0.02 / 0.1);
    row.hi = 5.0;
    assert_false(dp_row_is_one_sided(&row));
    assert_true(dp_row_soft(&row, 0.1).u_stop == INF);
    row.lo = -INF;
    row.hi = INF;
    assert_true(dp_row_soft(&row, 0.1).u_stop == INF);
}

// Apart by 1 m and closing at 2 m/s: ten steps are left.
static void a_dashpot_does_not_push_at_a_distance(void **state)
{
    (void)state;
    const dp_row row = one_sided(0.0, 1e3, 1.0);
    const double h = 0.05, u = -2.0;
    assert_true(dp_row_residual(&row, h, 1.0, 0.0, u) == 0.0);
    dp_row same = row; // as a two-sided row the dashpot would brake
    same.lo = -INF;
    assert_true(dp_row_residual(&same, h, 1.0, 0.0, u) > 1.0);
}

// The damper alone would stop the row before the gap has closed: it closes exactly, with any
// impulse up to the damper's own.
static void the_gap_may_close_with_less_than_the_dashpot_gives(void **state)
{
    (void)state;
    const double h = 0.1, phi = 0.02, b = 30.0;
    const dp_row row = one_sided(0.0, b, phi);
    const double u_stop = -phi / h; // φ₁ = 0
    const double most = -h * b * u_stop;
    for (int i = 0; i <= 4; ++i) {
        const double gamma = 0.25 * i * most;
        assert_near(dp_row_residual(&row, h, 1.0, gamma, u_stop), 0.0, DBL_EPSILON);
    }
    assert_true(dp_row_residual(&row, h, 1.0, 1.1 * most, u_stop) > 1e-3);
    assert_true(dp_row_residual(&row, h, 1.0, 0.5 * most, u_stop - 0.01) > 1e-3);
}

// ---- residual

static void the_residual_is_the_error_in_velocity_within_the_range(void **state)
{
    (void)state;
    const dp_row row = one_sided(INF, 0.0, 0.0);
    assert_near(dp_row_residual(&row, 0.1, 4.0, 3.0, 0.25), 0.25, 0.0);
    assert_near(dp_row_residual(&row, 0.1, 4.0, 3.0, -0.25), 0.25, 0.0);
    assert_near(dp_row_residual(&row, 0.1, 4.0, 3.0, 0.0), 0.0, 0.0);
}

static void the_residual_is_the_impulse_in_units_of_velocity_at_the_ends_of_the_range(void **state)
{
    (void)state;
    dp_row row = one_sided(INF, 0.0, 0.0);
    assert_near(dp_row_residual(&row, 0.1, 4.0, 0.5, 1e3), 4.0 * 0.5, 0.0);  // open, yet pushing
    assert_near(dp_row_residual(&row, 0.1, 4.0, -0.5, 1e3), 4.0 * 0.5, 0.0); // pulling
    assert_near(dp_row_residual(&row, 0.1, 4.0, 0.0, 1e3), 0.0, 0.0);        // open
    row.lo = -2.0;
    row.hi = 3.0;
    assert_near(dp_row_residual(&row, 0.1, 4.0, 3.0, -9.0), 0.0, 0.0); // held at hi, yields
    assert_near(dp_row_residual(&row, 0.1, 4.0, -2.0, 9.0), 0.0, 0.0);
    assert_near(dp_row_residual(&row, 0.1, 4.0, 3.0, 9.0), 9.0, 0.0); // should have let go
    assert_near(dp_row_residual(&row, 0.1, 4.0, 3.5, -9.0), 4.0 * 0.5, 0.0);
}

// |γ − (γ − e/a)| would be lost in the digits of γ.
static void the_residual_of_a_large_impulse_keeps_its_digits(void **state)
{
    (void)state;
    const dp_row row = two_sided(INF, 0.0);
    const dp_soft soft = dp_row_soft(&row, 0.1);
    const double u = soft.u_hat + 0x1p-40;
    assert_true(dp_row_residual(&row, 0.1, 1.0, 1e12, u) == 0x1p-40);
}

static void what_is_not_a_number_has_no_small_residual(void **state)
{
    (void)state;
    const dp_row row = one_sided(1e3, 1.0, 0.0);
    assert_true(isnan(dp_row_residual(&row, 0.1, 1.0, NAN, 0.0)));
    assert_true(isnan(dp_row_residual(&row, 0.1, 1.0, 0.0, NAN)));
}

// ---- energy

static void a_spring_in_a_range_gives_no_more_than_it_loses(void **state)
{
    (void)state;
    random_source r = {5};
    for (int i = 0; i < 1000; ++i) {
        const double h = 0.01, k = random_between(&r, 1.0, 1e4);
        dp_row row = two_sided(k, 0.0);
        row.lo = i % 3 == 0 ? -INF : -h * random_between(&r, 0.0, 100.0);
        row.hi = i % 2 == 0 ? INF : h * random_between(&r, 0.0, 100.0);
        const double from = random_between(&r, -1.0, 1.0), to = random_between(&r, -1.0, 1.0);
        const double more = dp_row_spring_energy(&row, h, to) - dp_row_spring_energy(&row, h, from);
        const double f = dp_row_spring_force(&row, h, to);
        assert_true(f >= row.lo / h && f <= row.hi / h);
        assert_true(more <= -f * (to - from) + 1e-12 * k); // convex; round-off of k φ²/2
    }
    const dp_row free = two_sided(200.0, 0.0);
    assert_close(dp_row_spring_energy(&free, 0.01, 0.3), 0.5 * 200.0 * 0.09, 1e-15);
}

// The speed that is left, of 1 m/s, when implicit steps of the spring and dashpot end to push.
static double speed_after_steps(const dp_row *row, double h, double w)
{
    double u = -1.0, phi = 0.0;
    for (int i = 0; i < 1000000; ++i) {
        const double next = (u - w * h * row->k * phi) / (1.0 + w * h * (h * row->k + row->b));
        if (next <= u) {
            return u;
        }
        u = next;
        phi += h * u;
    }
    return NAN;
}

static void the_restitution_of_a_row_is_what_its_steps_leave(void **state)
{
    (void)state;
    const double w = 0.5, h = 1e-4, damping[] = {0.0, 1.0, 8.0, 25.0}; // critical: 28
    for (int i = 0; i < 4; ++i) {
        const dp_row row = one_sided(100.0, damping[i], 0.0);
        // Whole steps: the last is off by a square of its share in all.
        assert_near(dp_row_restitution(&row, h, w), speed_after_steps(&row, h, w), 1e-7);
    }
    const dp_row rigid = one_sided(INF, 0.0, 0.0), none = one_sided(0.0, 1.0, 0.0);
    const dp_row damped = one_sided(100.0, 40.0, 0.0);
    assert_true(dp_row_restitution(&rigid, h, w) == 0.0);
    assert_true(dp_row_restitution(&none, h, w) == 0.0);
    assert_true(dp_row_restitution(&damped, h, w) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r_and_u_hat_are_those_of_the_formula_for_any_stiffness_and_damping),
        cmocka_unit_test(nothing_is_ever_not_a_number),
        cmocka_unit_test(an_infinite_spring_is_rigid_whatever_the_dashpot),
        cmocka_unit_test(an_infinite_dashpot_with_a_finite_spring_is_rigid_in_velocity),
        cmocka_unit_test(without_spring_and_dashpot_there_is_no_impulse),
        cmocka_unit_test(without_a_dashpot_the_target_is_that_of_the_rigid_row),
        cmocka_unit_test(the_impulse_is_that_of_a_spring_and_a_dashpot_at_the_end_of_the_step),
        cmocka_unit_test(only_one_sided_rows_have_a_velocity_at_which_they_stop),
        cmocka_unit_test(a_dashpot_does_not_push_at_a_distance),
        cmocka_unit_test(the_gap_may_close_with_less_than_the_dashpot_gives),
        cmocka_unit_test(the_residual_is_the_error_in_velocity_within_the_range),
        cmocka_unit_test(the_residual_is_the_impulse_in_units_of_velocity_at_the_ends_of_the_range),
        cmocka_unit_test(the_residual_of_a_large_impulse_keeps_its_digits),
        cmocka_unit_test(what_is_not_a_number_has_no_small_residual),
        cmocka_unit_test(a_spring_in_a_range_gives_no_more_than_it_loses),
        cmocka_unit_test(the_restitution_of_a_row_is_what_its_steps_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
