// The double pendulum, chaotic and without a closed solution, against another road to the same
// motion: its two equations in absolute angles, integrated in long double by steps so small that
// halving them changes nothing above 1e-12.
#include "mechanism.h"

#include <math.h>
#include <string.h>

// Two rods about y: mass [kg], length [m], distance of the centre of mass [m], moment about it
// [kg m²].
static const double M1 = 1.2, L1 = 0.9, C1 = 0.4, I1 = 0.08;
static const double M2 = 0.7, C2 = 0.35, I2 = 0.05;
static const double G = 9.81;
static const double START[4] = {2.2, 1.9, 0.5, -1.0}; // absolute angles and rates
static const double SECONDS = 2.0;

// ẏ for y = (θ₁, θ₂, θ̇₁, θ̇₂): with Δ = θ₁ − θ₂, B = m₂ l₁ c₂,
//   (I₁ + m₁c₁² + m₂l₁²) θ̈₁ + B cos Δ θ̈₂ = −B sin Δ θ̇₂² − (m₁c₁ + m₂l₁) g sin θ₁
//   (I₂ + m₂c₂²) θ̈₂ + B cos Δ θ̈₁ =  B sin Δ θ̇₁² − m₂c₂ g sin θ₂
static void rate(long double f[4], const long double y[4])
{
    const long double a = I1 + M1 * C1 * C1 + M2 * L1 * L1, b = M2 * L1 * C2, c = I2 + M2 * C2 * C2;
    const long double s = sinl(y[0] - y[1]), k = b * cosl(y[0] - y[1]);
    const long double r1 = -b * s * y[3] * y[3] - (M1 * C1 + M2 * L1) * G * sinl(y[0]);
    const long double r2 = b * s * y[2] * y[2] - M2 * C2 * G * sinl(y[1]);
    const long double det = a * c - k * k;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (c * r1 - k * r2) / det;
    f[3] = (a * r2 - k * r1) / det;
}

// Classical Runge–Kutta in long double: SECONDS in `steps` steps.
static void integrate(long double y[4], int steps)
{
    const long double h = (long double)SECONDS / steps;
    for (int i = 0; i < 4; ++i) {
        y[i] = START[i];
    }
    for (int n = 0; n < steps; ++n) {
        long double k[4][4], at[4];
        rate(k[0], y);
        for (int s = 1; s < 4; ++s) {
            for (int i = 0; i < 4; ++i) {
                at[i] = y[i] + (s == 3 ? h : 0.5L * h) * k[s - 1][i];
            }
            rate(k[s], at);
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6.0L * (k[0][i] + 2.0L * (k[1][i] + k[2][i]) + k[3][i]);
        }
    }
}

static long double reference[4];

static int make_reference(void **state)
{
    (void)state;
    integrate(reference, 100000);
    return 0;
}

static void the_reference_is_right_to_twelve_digits(void **state)
{
    (void)state;
    long double coarse[4];
    integrate(coarse, 50000);
    for (int i = 0; i < 4; ++i) { // its error is sixteen times that of the reference
        assert_near((double)coarse[i], (double)reference[i], 1e-12);
    }
}

// The largest deviation from the reference after SECONDS.
static double error_of(dp_integrator integrator, double step, double tolerance)
{
    mechanism x = mechanism_begin();
    const dp_body_id upper = mechanism_body(&x, DP_WORLD, "upper", (dp_v3){0.0, 0.0, 2.0}, M1,
                                            (dp_v3){0.0, 0.0, -C1}, (dp_v3){0.01 + I1, I1, 0.02});
    const dp_body_id lower = mechanism_body(&x, upper, "lower", (dp_v3){0.0, 0.1, -L1}, M2,
                                            (dp_v3){0.0, 0.02, -C2}, (dp_v3){0.01 + I2, I2, 0.02});
    mechanism_joint(&x, upper, "shoulder", DP_JOINT_HINGE, (dp_v3){0.0, 2.0, 0.0});
    mechanism_joint(&x, lower, "elbow", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -G};
    o->integrator = integrator;
    o->step = step;
    o->relative_tolerance = o->absolute_tolerance = tolerance;
    mechanism_compile(&x);
    const double q[2] = {START[0], START[1] - START[0]}, v[2] = {START[2], START[3] - START[2]};
    mechanism_set(&x, q, v);
    mechanism_steps(&x, (int)lround(SECONDS / step));
    const double *q1 = dp_data_q(x.d), *v1 = dp_data_v(x.d);
    const long double got[4] = {q1[0], (long double)q1[0] + q1[1], v1[0],
                                (long double)v1[0] + v1[1]};
    double worst = 0.0;
    for (int i = 0; i < 4; ++i) {
        worst = fmax(worst, (double)fabsl(got[i] - reference[i]));
    }
    mechanism_end(&x);
    return worst;
}

static void rk4_approaches_the_reference_with_its_order(void **state)
{
    (void)state;
    const double coarse = error_of(DP_INTEGRATOR_RK4, 1e-3, 1e-8),
                 fine = error_of(DP_INTEGRATOR_RK4, 5e-4, 1e-8);
    print_message("rk4: error %.2e at 1 ms, %.2e at 0.5 ms, order %.3f\n", coarse, fine,
                  log2(coarse / fine));
    assert_true(coarse < 1e-8);
    assert_near(log2(coarse / fine), 4.0, 0.1);
}

static void rk4_in_small_steps_meets_the_reference(void **state)
{
    (void)state;
    const double error = error_of(DP_INTEGRATOR_RK4, 2.5e-5, 1e-8);
    print_message("rk4: error %.2e at 25 us\n", error);
    // 8e4 steps that round to 1e-16 each, as a random walk, amplified by the motion itself.
    assert_true(error < 2e-12);
}

static void rk45_meets_the_reference(void **state)
{
    (void)state;
    const double error = error_of(DP_INTEGRATOR_RK45, 0.01, 1e-14);
    print_message("rk45: error %.2e at tolerance 1e-14\n", error);
    assert_true(error < 5e-12); // some 2000 substeps of 1e-14, amplified likewise
}

static void the_default_step_approaches_the_reference_with_order_one(void **state)
{
    (void)state;
    const double coarse = error_of(DP_INTEGRATOR_SEMI_IMPLICIT, 5e-5, 1e-8);
    const double fine = error_of(DP_INTEGRATOR_SEMI_IMPLICIT, 2.5e-5, 1e-8);
    print_message("semi-implicit: error %.2e at 50 us, %.2e at 25 us, order %.3f\n", coarse, fine,
                  log2(coarse / fine));
    assert_near(log2(coarse / fine), 1.0, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_right_to_twelve_digits),
        cmocka_unit_test(rk4_approaches_the_reference_with_its_order),
        cmocka_unit_test(rk4_in_small_steps_meets_the_reference),
        cmocka_unit_test(rk45_meets_the_reference),
        cmocka_unit_test(the_default_step_approaches_the_reference_with_order_one),
    };
    return cmocka_run_group_tests(tests, make_reference, NULL);
}
