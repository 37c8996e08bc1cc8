// The pendulum against the elliptic integral, and the order of every integrator by halving the
// step.
#include "trial.h"

#include "math/v3.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double G = 9.81; // [m/s²]

// A rod that swings about y: mass 2 kg, centre of mass 0.7 m from the pivot, 0.3 kg m² about it.
static const double MASS = 2.0, ARM = 0.7, MOMENT = 0.3;

static mechanism pendulum(dp_integrator integrator)
{
    mechanism x = mechanism_begin();
    const dp_body_id rod = mechanism_body(&x, DP_WORLD, "rod", (dp_v3){0.1, 0.2, 0.3}, MASS,
                                          (dp_v3){0.0, 0.0, -ARM}, (dp_v3){MOMENT, MOMENT, 0.01});
    mechanism_joint(&x, rod, "pivot", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, -G};
    dp_spec_options(x.spec)->integrator = integrator;
    mechanism_compile(&x);
    return x;
}

// ω₀ of small swings.
static double small_rate(void)
{
    return sqrt(MASS * G * ARM / (MOMENT + MASS * ARM * ARM));
}

static double arithmetic_geometric_mean(double a, double b)
{
    while (fabs(a - b) > 4.0 * DBL_EPSILON * a) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

// T = 4 K(sin θ₀/2)/ω₀ = 2π/(ω₀ agm(1, cos θ₀/2)), Gauss.
static double period(double amplitude)
{
    return 2.0 * PI / (small_rate() * arithmetic_geometric_mean(1.0, cos(0.5 * amplitude)));
}

static void the_period_is_the_complete_elliptic_integral(void **state)
{
    (void)state;
    const double amplitude[] = {0.01, 0.5, 1.0, 2.0, 3.0, 3.1};
    for (size_t i = 0; i < sizeof amplitude / sizeof *amplitude; ++i) {
        mechanism x = pendulum(DP_INTEGRATOR_RK45);
        dp_options *o = dp_data_options(x.d);
        o->relative_tolerance = 1e-13;
        o->absolute_tolerance = 1e-13;
        o->step = period(amplitude[i]) / 400.0;
        const double q = amplitude[i], v = 0.0;
        mechanism_set(&x, &q, &v);

        // After a quarter: the lowest point, at the speed that energy gives.
        const double fastest = 2.0 * small_rate() * sin(0.5 * amplitude[i]);
        mechanism_steps(&x, 100);
        const double late = dp_data_q(x.d)[0] / fastest; // [s] by which the period is off, ×4
        print_message("amplitude %.2f rad: period off by %.1e\n", amplitude[i],
                      4.0 * late / period(amplitude[i]));
        // Local errors of 1e-13 grow by e^(ω₀ t) where the pendulum rests on its head.
        assert_near(4.0 * late / period(amplitude[i]), 0.0, 1e-12);
        assert_near(dp_data_v(x.d)[0], -fastest, 1e-11 * fastest);
        mechanism_steps(&x, 300); // and back to the start
        assert_near(dp_data_q(x.d)[0], amplitude[i], 1e-10);
        assert_near(dp_data_v(x.d)[0], 0.0, 1e-10);
        mechanism_end(&x);
    }
}

// Small swings are those of the linear oscillator, cos ω₀t, up to θ₀³/… .
static void small_swings_are_harmonic(void **state)
{
    (void)state;
    mechanism x = pendulum(DP_INTEGRATOR_RK4);
    dp_data_options(x.d)->step = 1e-3;
    const double q = 1e-4, v = 0.0;
    mechanism_set(&x, &q, &v);
    for (int i = 1; i <= 2000; ++i) {
        mechanism_steps(&x, 1);
        // The period is longer by θ₀²/16: 6e-10 of the phase ω₀ t ≤ 7; RK4 adds (ω₀h)⁴/120.
        assert_near(dp_data_q(x.d)[0] / q, cos(small_rate() * i * 1e-3), 1e-8);
    }
    mechanism_end(&x);
}

// Semi-implicit Euler is symplectic: for one hinge the energy wanders with h and never drifts.
static void the_default_step_keeps_the_energy_of_a_pendulum_within_order_h(void **state)
{
    (void)state;
    double wander[2];
    for (int level = 0; level < 2; ++level) {
        mechanism x = pendulum(DP_INTEGRATOR_SEMI_IMPLICIT);
        dp_data_options(x.d)->step = level ? 0.005 : 0.01; // slower than 0.1 rad in a step
        const double q = 2.0, v = 0.0;
        mechanism_set(&x, &q, &v);
        const double start = mechanism_energy(&x);
        wander[level] = 0.0;
        for (int i = 0; i < (level ? 200000 : 100000); ++i) { // 1000 s, some 500 swings
            mechanism_steps(&x, 1);
            assert_int_equal(dp_data_report(x.d)->transported, 0);
            wander[level] = fmax(wander[level], fabs(mechanism_energy(&x) - start));
        }
        mechanism_end(&x);
    }
    const double scale = 2.0 * MASS * G * ARM; // from the lowest to the highest point
    print_message("energy wanders by %.2e and %.2e of 2mgl\n", wander[0] / scale,
                  wander[1] / scale);
    assert_true(wander[0] < 0.03 * scale);
    assert_near(log2(wander[0] / wander[1]), 1.0, 0.05);
}

// Three bodies: one free, two on ball joints. Adding the angular velocities of different stages as
// if rotations commuted would be of order 2 here.
static mechanism tumbling_chain(void)
{
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", (dp_v3){0.0, 0.0, 1.0}, 1.5,
                                        (dp_v3){0.1, 0.0, 0.05}, (dp_v3){0.02, 0.03, 0.04});
    const dp_body_id b = mechanism_body(&x, a, "b", (dp_v3){0.3, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.2, 0.05, 0.0}, (dp_v3){0.01, 0.03, 0.025});
    const dp_body_id c = mechanism_body(&x, b, "c", (dp_v3){0.4, 0.0, 0.0}, 0.8,
                                        (dp_v3){0.15, 0.0, 0.1}, (dp_v3){0.02, 0.015, 0.01});
    mechanism_joint(&x, a, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_joint(&x, b, "ball", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0});
    mechanism_joint(&x, c, "other_ball", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    return x;
}

static mechanism two_hinges(void)
{
    mechanism x = mechanism_begin();
    const dp_body_id a = mechanism_body(&x, DP_WORLD, "a", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.0, 0.0, -0.5}, (dp_v3){0.1, 0.1, 0.01});
    const dp_body_id b = mechanism_body(&x, a, "b", (dp_v3){0.0, 0.0, -1.0}, 1.0,
                                        (dp_v3){0.0, 0.0, -0.5}, (dp_v3){0.1, 0.1, 0.01});
    mechanism_joint(&x, a, "upper", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    mechanism_joint(&x, b, "lower", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    mechanism_compile(&x);
    return x;
}

// Explicit velocity terms everywhere: transport has its own test.
static trial attempt(dp_integrator integrator, int steps, double tolerance)
{
    return (trial){.integrator = integrator,
                   .steps = steps,
                   .seconds = 1.0,
                   .tolerance = tolerance,
                   .large_rotation = 1e9};
}

static void assert_bare_formula(const trial *t, const dp_step_report *info)
{
    if (t->integrator == DP_INTEGRATOR_RK45) {
        assert_int_equal(info->work.substeps, 1);
    }
}

static double measured_order(mechanism (*make)(void), dp_integrator integrator, int steps)
{
    const double loose = 1e6;
    const trial reference = attempt(DP_INTEGRATOR_RK45, 64, 1e-14);
    trial t = attempt(integrator, steps, loose);
    t.check = assert_bare_formula;
    return trial_order(make, &t, &reference);
}

// The errors of the reference (1e-13) and of the next term of the expansion, a factor of h smaller,
// leave a few per cent.
static void the_default_step_has_order_one(void **state)
{
    (void)state;
    assert_near(measured_order(two_hinges, DP_INTEGRATOR_SEMI_IMPLICIT, 4000), 1.0, 0.01);
    assert_near(measured_order(tumbling_chain, DP_INTEGRATOR_SEMI_IMPLICIT, 4000), 1.0, 0.01);
}

static void rk4_has_order_four(void **state)
{
    (void)state;
    assert_near(measured_order(two_hinges, DP_INTEGRATOR_RK4, 200), 4.0, 0.05);
    assert_near(measured_order(tumbling_chain, DP_INTEGRATOR_RK4, 400), 4.0, 0.05);
}

static void the_formula_of_rk45_has_order_five(void **state)
{
    (void)state;
    assert_near(measured_order(two_hinges, DP_INTEGRATOR_RK45, 100), 5.0, 0.2);
    assert_near(measured_order(tumbling_chain, DP_INTEGRATOR_RK45, 200), 5.0, 0.2);
}

static void the_error_control_delivers_what_it_is_asked_for(void **state)
{
    (void)state;
    double reference[MAX_STATE], y[MAX_STATE];
    const trial exact = attempt(DP_INTEGRATOR_RK45, 10, 1e-14);
    const int n = trial_run(reference, tumbling_chain, &exact);
    double previous = INFINITY;
    for (int digits = 4; digits <= 12; digits += 2) {
        const double tolerance = pow(10.0, -digits);
        const trial t = attempt(DP_INTEGRATOR_RK45, 10, tolerance);
        trial_run(y, tumbling_chain, &t);
        double error = 0.0;
        for (int i = 0; i < n; ++i) {
            error = fmax(error, fabs(y[i] - reference[i]));
        }
        print_message("tolerance 1e-%d: error %.1e\n", digits, error);
        assert_true(error < 10.0 * tolerance); // a few dozen substeps add up
        assert_true(error < previous);
        previous = error;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_period_is_the_complete_elliptic_integral),
        cmocka_unit_test(small_swings_are_harmonic),
        cmocka_unit_test(the_default_step_keeps_the_energy_of_a_pendulum_within_order_h),
        cmocka_unit_test(the_default_step_has_order_one),
        cmocka_unit_test(rk4_has_order_four),
        cmocka_unit_test(the_formula_of_rk45_has_order_five),
        cmocka_unit_test(the_error_control_delivers_what_it_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
