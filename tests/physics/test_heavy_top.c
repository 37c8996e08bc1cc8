// The heavy symmetric top (Lagrange): conserved quantities, steady precession in closed form, and
// its Euler angles integrated tightly by an independent equation.
#include "mechanism.h"

#include "math/v3.h"

#include <math.h>
#include <string.h>

// A disc on a light shaft that rests on a ball joint: axis z of the body.
static const double MASS = 0.5, ARM = 0.2;             // [kg], pivot to centre of mass [m]
static const double MOMENT_ACROSS = 2e-3, SPIN = 3e-3; // about the centre of mass [kg m²]
static const double G = 9.81;

static double moment_across(void) // about the pivot
{
    return MOMENT_ACROSS + MASS * ARM * ARM;
}

static mechanism top(dp_integrator integrator, double step)
{
    mechanism x = mechanism_begin();
    const dp_body_id disc =
        mechanism_body(&x, DP_WORLD, "disc", (dp_v3){0.3, -0.1, 0.2}, MASS, (dp_v3){0.0, 0.0, ARM},
                       (dp_v3){MOMENT_ACROSS, MOMENT_ACROSS, SPIN});
    mechanism_joint(&x, disc, "tip", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0});
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, -G};
    o->integrator = integrator;
    o->step = step;
    o->relative_tolerance = o->absolute_tolerance = 1e-13;
    mechanism_compile(&x);
    return x;
}

// Lean by `theta` about x; precess at `precession` about the vertical, nutate at `nutation`, spin
// at w3 about the own axis (in all, with the precession's share).
static void start(mechanism *x, double theta, double precession, double nutation, double w3)
{
    const double q[4] = {cos(0.5 * theta), sin(0.5 * theta), 0.0, 0.0};
    const double v[3] = {nutation, precession * sin(theta), w3};
    mechanism_set(x, q, v);
}

typedef struct invariants {
    double energy, vertical, axial; // E, L_z, L₃
} invariants;

static invariants measure(const mechanism *x)
{
    const double *v = dp_data_v(x->d);
    const dp_quat R = dp_quat_load(dp_data_q(x->d));
    const dp_v3 L = {moment_across() * v[0], moment_across() * v[1], SPIN * v[2]};
    return (invariants){mechanism_energy(x), dp_quat_rotate(R, L).z, L.z};
}

static double tilt(const mechanism *x)
{
    const dp_v3 axis = dp_quat_rotate(dp_quat_load(dp_data_q(x->d)), (dp_v3){0.0, 0.0, 1.0});
    return atan2(sqrt(axis.x * axis.x + axis.y * axis.y), axis.z);
}

static double azimuth(const mechanism *x)
{
    const dp_v3 axis = dp_quat_rotate(dp_quat_load(dp_data_q(x->d)), (dp_v3){0.0, 0.0, 1.0});
    return atan2(axis.x, -axis.y); // 0 at the start: leaning about x leans towards −y
}

static void energy_and_two_momenta_are_conserved(void **state)
{
    (void)state;
    mechanism x = top(DP_INTEGRATOR_RK45, 0.01);
    start(&x, 0.6, 1.0, 0.5, 80.0);
    const invariants before = measure(&x);
    double worst = 0.0;
    for (int i = 0; i < 500; ++i) {
        mechanism_steps(&x, 1);
        const invariants now = measure(&x);
        worst = fmax(worst, fabs(now.energy / before.energy - 1.0));
        worst = fmax(worst, fabs(now.vertical / before.vertical - 1.0));
        worst = fmax(worst, fabs(now.axial / before.axial - 1.0));
    }
    print_message("rk45: E, L_z and L_3 wander by %.1e in 5 s\n", worst);
    assert_true(worst < 2e-11); // 1e-13 in each of some thousand substeps
    mechanism_end(&x);
}

// The kick does not touch the axial momentum and the free rotation keeps it: the default step has
// no error in L₃ but round-off, and L_z likewise; the energy wanders with h but does not drift.
static void the_default_step_keeps_both_momenta_to_round_off(void **state)
{
    (void)state;
    mechanism x = top(DP_INTEGRATOR_SEMI_IMPLICIT, 1e-3);
    start(&x, 0.6, 1.0, 0.5, 80.0);
    const invariants before = measure(&x);
    double wander = 0.0, momenta = 0.0;
    for (int i = 0; i < 100000; ++i) {
        mechanism_steps(&x, 1);
        const invariants now = measure(&x);
        wander = fmax(wander, fabs(now.energy / before.energy - 1.0));
        momenta = fmax(momenta, fabs(now.vertical / before.vertical - 1.0));
        momenta = fmax(momenta, fabs(now.axial / before.axial - 1.0));
    }
    print_message("default step: E wanders by %.1e, L_z and L_3 by %.1e in 100 s\n", wander,
                  momenta);
    assert_true(momenta < 1e-12); // 1e5 steps, a random walk of 1e-16 and its drift
    assert_true(wander < 1e-3);
    mechanism_end(&x);
}

// Ω² I₁ cos θ − Ω L₃ + m g l = 0: two steady precessions, a slow and a fast one.
static void steady_precession_is_steady(void **state)
{
    (void)state;
    const double theta = 0.5, w3 = 150.0, weight = MASS * G * ARM;
    const double L3 = SPIN * w3, a = moment_across() * cos(theta);
    const double root = sqrt(L3 * L3 - 4.0 * a * weight);
    const double rates[2] = {(L3 - root) / (2.0 * a), (L3 + root) / (2.0 * a)};
    for (int k = 0; k < 2; ++k) {
        const double seconds = 1.0, rate = rates[k];
        mechanism x = top(DP_INTEGRATOR_RK45, 1e-2);
        start(&x, theta, rate, 0.0, w3);
        for (int i = 0; i < 100; ++i) {
            mechanism_steps(&x, 1);
            assert_near(tilt(&x), theta, 1e-10);
        }
        const double turned = remainder(azimuth(&x) - rate * seconds, 2.0 * 3.14159265358979323846);
        print_message("precession at %.4f rad/s: off by %.1e rad in 1 s\n", rate, turned);
        assert_near(turned, 0.0, 1e-9); // the fast one turns with 1e2 rad/s: 1e-13 in 1e3 substeps
        mechanism_end(&x);
    }
}

// A fast top that is let go nods with the rate L₃/I₁ of small nutations, between θ₀ and the angle
// that energy allows.
static void small_nutation_has_the_frequency_of_spin_over_cross_moment(void **state)
{
    (void)state;
    const double theta = 1.0, w3 = 800.0;
    const double rate = SPIN * w3 / moment_across(); // [rad/s]
    const double slow = MASS * G * ARM / (SPIN * w3);
    mechanism x = top(DP_INTEGRATOR_RK45, 2.0 * 3.14159265358979323846 / rate / 64.0);
    start(&x, theta, slow * 1.02, 0.0, w3); // a little off the steady precession
    double least = INFINITY, most = 0.0;
    double start_tilt = tilt(&x), after_half = 0.0;
    for (int i = 1; i <= 64; ++i) {
        mechanism_steps(&x, 1);
        least = fmin(least, tilt(&x));
        most = fmax(most, tilt(&x));
        after_half = i == 32 ? tilt(&x) : after_half;
    }
    const double amplitude = most - least;
    print_message("nutation %.1e rad, after one period off by %.1e of it\n", amplitude,
                  fabs(tilt(&x) - start_tilt) / amplitude);
    assert_true(amplitude > 1e-6);
    // The rate is right to m g l I₁/L₃² relative, 1e-3 here; at the turning point that counts
    // twice.
    assert_near(tilt(&x), start_tilt, 1e-3 * amplitude);
    assert_near(fabs(after_half - start_tilt), amplitude, 1e-3 * amplitude);
    mechanism_end(&x);
}

// Lagrange's reduction by the two momenta:
//   φ̇ = (L_z − L₃ cos θ)/(I₁ sin² θ),   I₁ θ̈ = I₁ φ̇² sin θ cos θ − L₃ φ̇ sin θ + m g l sin θ
static void euler_rate(long double f[3], const long double y[3], long double Lz, long double L3)
{
    const long double I1 = moment_across(), s = sinl(y[0]), c = cosl(y[0]);
    const long double phi = (Lz - L3 * c) / (I1 * s * s);
    f[0] = y[1];
    f[1] = phi * phi * s * c - (L3 * phi * s - (long double)(MASS * G * ARM) * s) / I1;
    f[2] = phi;
}

static void euler_angles(long double y[3], long double Lz, long double L3, double seconds,
                         int steps)
{
    const long double h = (long double)seconds / steps;
    for (int n = 0; n < steps; ++n) {
        long double k[4][3], at[3];
        euler_rate(k[0], y, Lz, L3);
        for (int s = 1; s < 4; ++s) {
            for (int i = 0; i < 3; ++i) {
                at[i] = y[i] + (s == 3 ? h : 0.5L * h) * k[s - 1][i];
            }
            euler_rate(k[s], at, Lz, L3);
        }
        for (int i = 0; i < 3; ++i) {
            y[i] += h / 6.0L * (k[0][i] + 2.0L * (k[1][i] + k[2][i]) + k[3][i]);
        }
    }
}

static void tilt_and_azimuth_follow_the_reduced_equation_of_lagrange(void **state)
{
    (void)state;
    const double seconds = 2.0;
    long double y[2][3];
    mechanism x = top(DP_INTEGRATOR_RK45, 0.01);
    start(&x, 0.6, 1.0, 0.5, 80.0);
    const long double L3 = (long double)SPIN * 80.0L;
    const long double Lz =
        (long double)moment_across() * 1.0L * powl(sinl(0.6L), 2) + L3 * cosl(0.6L);
    for (int level = 0; level < 2; ++level) {
        memcpy(y[level], (long double[3]){0.6L, 0.5L, 0.0L}, sizeof y[level]);
        euler_angles(y[level], Lz, L3, seconds, level ? 200000 : 100000);
    }
    for (int i = 0; i < 3; ++i) { // the reference is right to 1e-12
        assert_near((double)(y[0][i] - y[1][i]), 0.0, 1e-12);
    }
    mechanism_steps(&x, 200);
    const double turn = 2.0 * 3.14159265358979323846;
    const double off_tilt = tilt(&x) - (double)y[1][0];
    const double off_azimuth = remainder(azimuth(&x) - (double)y[1][2], turn);
    print_message("after 2 s: tilt off by %.1e, azimuth by %.1e rad\n", off_tilt, off_azimuth);
    assert_near(off_tilt, 0.0, 1e-11); // 1e-13 in some hundred substeps
    assert_near(off_azimuth, 0.0, 1e-11);
    mechanism_end(&x);
}

static void the_default_step_approaches_the_motion_with_order_one(void **state)
{
    (void)state;
    // Compared at fifty moments of half a second: at a single one the two leading terms may cancel.
    enum { MOMENTS = 50 };
    double tilts[3][MOMENTS], azimuths[3][MOMENTS], error[2] = {0.0, 0.0};
    for (int level = 0; level < 3; ++level) {
        const int steps = level == 2 ? 1 : level == 1 ? 800 : 400;
        mechanism x =
            top(level == 2 ? DP_INTEGRATOR_RK45 : DP_INTEGRATOR_SEMI_IMPLICIT, 0.01 / steps);
        start(&x, 0.6, 1.0, 0.5, 80.0);
        for (int i = 0; i < MOMENTS; ++i) {
            mechanism_steps(&x, steps);
            tilts[level][i] = tilt(&x);
            azimuths[level][i] = azimuth(&x);
        }
        mechanism_end(&x);
    }
    for (int level = 0; level < 2; ++level) {
        for (int i = 0; i < MOMENTS; ++i) {
            error[level] = fmax(error[level], fabs(tilts[level][i] - tilts[2][i]));
            error[level] = fmax(error[level], fabs(azimuths[level][i] - azimuths[2][i]));
        }
    }
    const double order = log2(error[0] / error[1]);
    print_message("error %.1e at 25 us, order %.3f\n", error[0], order);
    assert_near(order, 1.0, 0.02);
}

// Faster than a critical spin the upright top sleeps, slower it falls: ω₃² = 4 I₁ m g l/I₃².
static void a_top_sleeps_above_the_critical_spin_only(void **state)
{
    (void)state;
    const double critical = 2.0 * sqrt(moment_across() * MASS * G * ARM) / SPIN;
    for (int fast = 0; fast < 2; ++fast) {
        mechanism x = top(DP_INTEGRATOR_SEMI_IMPLICIT, 1e-3);
        start(&x, 1e-4, 0.0, 0.0, (fast ? 1.05 : 0.95) * critical);
        double most = 0.0;
        for (int i = 0; i < 10000; ++i) {
            mechanism_steps(&x, 1);
            most = fmax(most, tilt(&x));
        }
        print_message("%s the critical spin: leans up to %.1e rad\n", fast ? "above" : "below",
                      most);
        assert_true(fast ? most < 1e-3 : most > 0.1);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_and_two_momenta_are_conserved),
        cmocka_unit_test(the_default_step_keeps_both_momenta_to_round_off),
        cmocka_unit_test(steady_precession_is_steady),
        cmocka_unit_test(small_nutation_has_the_frequency_of_spin_over_cross_moment),
        cmocka_unit_test(tilt_and_azimuth_follow_the_reduced_equation_of_lagrange),
        cmocka_unit_test(the_default_step_approaches_the_motion_with_order_one),
        cmocka_unit_test(a_top_sleeps_above_the_critical_spin_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
