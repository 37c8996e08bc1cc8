// The free rotation of one rigid body by dp_spin: what it keeps at any step, and how accurate it
// is.
#include "near.h"

#include "dynamics/spin.h"
#include "math/angle.h"
#include "test_random.h"

#include <float.h>

static random_source random_numbers = {.state = 404};

static dp_v3 any_vector(double size)
{
    return (dp_v3){random_between(&random_numbers, -size, size),
                   random_between(&random_numbers, -size, size),
                   random_between(&random_numbers, -size, size)};
}

// The inertia of a box in turned axes.
static dp_sym3 any_inertia(void)
{
    const double a = random_between(&random_numbers, 0.1, 1.0);
    const double b = random_between(&random_numbers, 0.1, 1.0);
    const double c = random_between(&random_numbers, 0.1, 1.0);
    const dp_v3 u = any_vector(1.0);
    const dp_m3 R = dp_m3_from_quat(dp_quat_unit((dp_quat){0.5, u.x, u.y, u.z}));
    return dp_sym3_rotate(&R, (dp_sym3){b * b + c * c, a * a + c * c, a * a + b * b, 0, 0, 0});
}

static double energy(dp_sym3 I, dp_v3 w)
{
    return 0.5 * dp_v3_dot(w, dp_sym3_apply(I, w));
}

static void energy_and_momentum_are_kept_at_any_step(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; ++i) {
        const dp_sym3 I = any_inertia();
        const dp_v3 w0 = any_vector(10.0);
        // h‖ω‖ from 1e-4 to 17 rad in one step. Each substep of half a radian rounds a few times.
        const double h = (double[]){1e-5, 1e-3, 1e-2, 0.1, 1.0}[i % 5];
        const double tolerance = 8.0 * DBL_EPSILON * (1.0 + 2.0 * h * dp_v3_norm(w0));
        dp_v3 w = w0;
        dp_quat turn;
        dp_spin(&w, &turn, I, h);
        const dp_v3 L0 = dp_sym3_apply(I, w0);
        const dp_v3 L1 = dp_quat_rotate(turn, dp_sym3_apply(I, w));
        assert_near(energy(I, w) / energy(I, w0), 1.0, tolerance);
        assert_near(dp_v3_norm(dp_v3_sub(L1, L0)) / dp_v3_norm(L0), 0.0, tolerance);
    }
}

// Slender rods, where Newton's method has to be watched, and turns beyond counting.
static void energy_is_kept_for_rods_and_for_absurd_speeds(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; ++i) {
        const double thin = i % 4 == 0 ? 1e-4 : i % 4 == 1 ? 1e-5 : i % 4 == 2 ? 1e-6 : 0.3;
        const dp_sym3 I = {1.0, 1.0 - 0.5 * thin, thin, 0.0, 0.0, 0.0};
        const dp_v3 w0 = any_vector(1.0);
        const double angle = i % 4 == 3 ? 1e6 : 0.4; // [rad] in the step
        if (i % 4 == 3 && i > 40) {
            continue; // they are slow
        }
        dp_v3 w = w0;
        dp_spin(&w, NULL, I, angle / dp_v3_norm(w0));
        // Round-off of the momentum in the long axes is amplified by the thin one: eps/thin.
        assert_near(energy(I, w) / energy(I, w0), 1.0, 1e-13 / thin);
    }
}

static void a_sphere_turns_steadily(void **state)
{
    (void)state;
    const dp_sym3 I = {0.3, 0.3, 0.3, 0.0, 0.0, 0.0};
    const dp_v3 w0 = {1.0, -2.0, 3.0};
    dp_v3 w = w0;
    dp_quat turn;
    dp_spin(&w, &turn, I, 0.05);
    assert_near(dp_v3_norm(dp_v3_sub(w, w0)), 0.0, 16.0 * DBL_EPSILON);
    const dp_v3 expected = dp_quat_log(dp_quat_cayley(dp_v3_scale(w0, 0.05)));
    assert_near(dp_v3_norm(dp_v3_sub(dp_quat_log(turn), expected)), 0.0, 16.0 * DBL_EPSILON);
}

static void turning_back_returns_to_the_start(void **state)
{
    (void)state;
    for (int i = 0; i < 500; ++i) {
        const dp_sym3 I = any_inertia();
        const dp_v3 w0 = any_vector(10.0);
        dp_v3 w = w0;
        dp_quat there, back;
        dp_spin(&w, &there, I, 0.02);
        dp_spin(&w, &back, I, -0.02); // the midpoint rule is symmetric
        const dp_quat both = dp_quat_mul(there, back);
        assert_near(dp_v3_norm(dp_v3_sub(w, w0)), 0.0, 1e-14 * dp_v3_norm(w0) * 10.0);
        assert_near(dp_v3_norm(dp_quat_log(both)), 0.0, 1e-14);
    }
}

// Half the step, a quarter of the error, against a thousand times finer steps.
static void the_attitude_converges_with_order_two(void **state)
{
    (void)state;
    const dp_sym3 I = {1.0, 2.0, 2.5, 0.1, -0.2, 0.05};
    const dp_v3 w0 = {1.0, 2.0, -1.5};
    dp_quat result[3];
    const int steps[3] = {50, 100, 20000};
    for (int k = 0; k < 3; ++k) {
        dp_v3 w = w0;
        result[k] = (dp_quat){1.0, 0.0, 0.0, 0.0};
        for (int i = 0; i < steps[k]; ++i) {
            dp_quat turn;
            dp_spin(&w, &turn, I, 2.0 / steps[k]);
            result[k] = dp_quat_unit(dp_quat_mul(result[k], turn));
        }
    }
    double error[2];
    for (int k = 0; k < 2; ++k) {
        error[k] = dp_v3_norm(dp_quat_log(dp_quat_mul(dp_quat_conjugate(result[2]), result[k])));
    }
    const double order = log2(error[0] / error[1]);
    print_message("attitude: order %.4f\n", order);
    assert_near(order, 2.0, 0.01); // the next term of the error is h² smaller
}

static void no_spin_stays_no_spin_and_nothing_is_not_a_number(void **state)
{
    (void)state;
    const dp_sym3 I = {1.0, 2.0, 2.5, 0.0, 0.0, 0.0};
    dp_v3 w = {0.0, 0.0, 0.0};
    dp_quat turn;
    dp_spin(&w, &turn, I, 1.0);
    assert_true(w.x == 0.0 && w.y == 0.0 && w.z == 0.0 && turn.w == 1.0);
    // A rod has no moment about its axis, and a point none at all: they do not resist, nor turn.
    dp_v3 about_rod = {0.0, 0.0, 5.0};
    dp_spin(&about_rod, &turn, (dp_sym3){1.0, 1.0, 0.0, 0.0, 0.0, 0.0}, 0.1);
    assert_true(dp_v3_finite(about_rod) && isfinite(dp_quat_norm(turn)));
    dp_v3 of_point = {1.0, 2.0, 3.0};
    dp_spin(&of_point, &turn, (dp_sym3){0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 0.1);
    assert_true(dp_v3_finite(of_point) && isfinite(dp_quat_norm(turn)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_momentum_are_kept_at_any_step),
        cmocka_unit_test(energy_is_kept_for_rods_and_for_absurd_speeds),
        cmocka_unit_test(a_sphere_turns_steadily),
        cmocka_unit_test(turning_back_returns_to_the_start),
        cmocka_unit_test(the_attitude_converges_with_order_two),
        cmocka_unit_test(no_spin_stays_no_spin_and_nothing_is_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
