// A body that turns freely, as the default step advances it: what it keeps over a million steps, at
// steps of any length, and how its attitude converges.
#include "mechanism.h"

#include "math/angle.h"
#include "math/v3.h"

#include <float.h>
#include <math.h>

static const dp_v3 MOMENTS = {0.02, 0.05, 0.06}; // [kg m²]
static const double MASS = 3.0;

// A book without weight. Its centre of mass is off the origin of a free body, in it for a ball
// joint, so that nothing but itself determines the rotation.
static mechanism book(dp_joint_kind kind, double step)
{
    mechanism x = mechanism_begin();
    const dp_v3 com = kind == DP_JOINT_FREE ? (dp_v3){0.1, -0.2, 0.05} : (dp_v3){0.0, 0.0, 0.0};
    const dp_body_id b =
        mechanism_body(&x, DP_WORLD, "book", (dp_v3){0.0, 0.0, 0.0}, MASS, com, MOMENTS);
    mechanism_joint(&x, b, "joint", kind, (dp_v3){0.0, 0.0, 1.0});
    dp_spec_options(x.spec)->gravity = (dp_v3){0.0, 0.0, 0.0};
    dp_spec_options(x.spec)->step = step;
    mechanism_compile(&x);
    return x;
}

// Spin near the axis of the middle moment, where a book tumbles.
static void spin(mechanism *x, double rate)
{
    const int nv = dp_model_sizes(x->m)->nv;
    const dp_v3 w =
        dp_v3_scale((dp_v3){0.1, 0.99, 0.1}, rate / dp_v3_norm((dp_v3){0.1, 0.99, 0.1}));
    dp_v3_store(dp_data_v(x->d) + nv - 3, w);
    if (nv == 6) { // some speed for the centre of mass, too
        dp_v3_store(dp_data_v(x->d), (dp_v3){0.3, -0.4, 0.5});
    }
    assert_ok(dp_kinematics(x->d));
}

typedef struct drifts {
    double energy, angular, linear, path; // relative; path [m]
} drifts;

// The largest deviations over `steps` steps.
static drifts run(mechanism *x, int steps)
{
    const double energy = mechanism_energy(x);
    const dp_momentum start = dp_body_momentum(x->d, DP_WORLD);
    const double speed = dp_v3_norm(start.linear) / MASS;
    drifts worst = {0.0, 0.0, 0.0, 0.0};
    for (int i = 1; i <= steps; ++i) {
        mechanism_steps(x, 1);
        if (i % 100 != 0 && steps > 10000) {
            continue;
        }
        const dp_momentum now = dp_body_momentum(x->d, DP_WORLD);
        worst.energy = fmax(worst.energy, fabs(mechanism_energy(x) / energy - 1.0));
        worst.angular = fmax(worst.angular, dp_v3_norm(dp_v3_sub(now.angular, start.angular)) /
                                                dp_v3_norm(start.angular));
        if (speed > 0.0) {
            worst.linear = fmax(worst.linear, dp_v3_norm(dp_v3_sub(now.linear, start.linear)) /
                                                  dp_v3_norm(start.linear));
            const dp_v3 line = dp_v3_madd(start.com, dp_data_time(x->d) / MASS, start.linear);
            worst.path = fmax(worst.path, dp_v3_norm(dp_v3_sub(now.com, line)));
        }
    }
    return worst;
}

static void a_million_steps_keep_energy_and_angular_momentum(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        mechanism x = book(k ? DP_JOINT_BALL : DP_JOINT_FREE, 0.01);
        spin(&x, 10.0);
        const drifts d = run(&x, 1000000);
        print_message("%s, 1e6 steps of 10 ms at 10 rad/s: energy %.1e, angular momentum %.1e, "
                      "linear %.1e, path %.1e m\n",
                      k ? "ball" : "free", d.energy, d.angular, d.linear, d.path);
        // Round-off only: 1e6 steps of at most a few 1e-16, were they all of one sign.
        assert_true(d.energy < 5e-10);
        assert_true(d.angular < 5e-10);
        assert_true(d.linear < 5e-10);
        assert_true(d.path < 1e-6); // of 7 km: rounding of t and x, 1e-12 m a step
        mechanism_end(&x);
    }
}

static void energy_and_momentum_are_kept_at_steps_of_any_length(void **state)
{
    (void)state;
    const double turns[] = {0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0}; // h‖ω‖ [rad]
    for (size_t i = 0; i < sizeof turns / sizeof *turns; ++i) {
        mechanism x = book(DP_JOINT_FREE, turns[i] / 10.0);
        spin(&x, 10.0);
        const drifts d = run(&x, 10000);
        print_message("%.2f rad a step: energy %.1e, angular momentum %.1e\n", turns[i], d.energy,
                      d.angular);
        // 1e4 steps of up to 20 substeps, a few roundings each, as a drift in the worst case.
        assert_true(d.energy < 1e-10);
        assert_true(d.angular < 1e-10);
        assert_true(d.linear < 1e-10);
        mechanism_end(&x);
    }
}

// Euler's equations and q̇ = ½ q ∘ (0, ω) in long double, by classical Runge–Kutta.
static void euler_rate(long double f[7], const long double y[7])
{
    const long double *q = y, *w = y + 4;
    f[0] = -0.5L * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
    f[1] = 0.5L * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    f[2] = 0.5L * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    f[3] = 0.5L * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    f[4] = (MOMENTS.y - MOMENTS.z) / (long double)MOMENTS.x * w[1] * w[2];
    f[5] = (MOMENTS.z - MOMENTS.x) / (long double)MOMENTS.y * w[2] * w[0];
    f[6] = (MOMENTS.x - MOMENTS.y) / (long double)MOMENTS.z * w[0] * w[1];
}

static dp_quat reference_attitude(const double *w, double seconds, int steps)
{
    long double y[7] = {1.0L, 0.0L, 0.0L, 0.0L, w[0], w[1], w[2]};
    const long double h = (long double)seconds / steps;
    for (int n = 0; n < steps; ++n) {
        long double k[4][7], at[7];
        euler_rate(k[0], y);
        for (int s = 1; s < 4; ++s) {
            for (int i = 0; i < 7; ++i) {
                at[i] = y[i] + (s == 3 ? h : 0.5L * h) * k[s - 1][i];
            }
            euler_rate(k[s], at);
        }
        for (int i = 0; i < 7; ++i) {
            y[i] += h / 6.0L * (k[0][i] + 2.0L * (k[1][i] + k[2][i]) + k[3][i]);
        }
    }
    return dp_quat_unit((dp_quat){(double)y[0], (double)y[1], (double)y[2], (double)y[3]});
}

static void the_attitude_converges_with_order_two(void **state)
{
    (void)state;
    double error[2];
    for (int level = 0; level < 2; ++level) {
        const double step = level ? 5e-4 : 1e-3;
        mechanism x = book(DP_JOINT_BALL, step);
        spin(&x, 10.0);
        const dp_quat exact = reference_attitude(dp_data_v(x.d), 1.0, 20000);
        mechanism_steps(&x, (int)lround(1.0 / step));
        const dp_quat off = dp_quat_mul(dp_quat_conjugate(exact), dp_quat_load(dp_data_q(x.d)));
        error[level] = dp_v3_norm(dp_quat_log(off));
        mechanism_end(&x);
    }
    print_message("attitude off by %.2e and %.2e rad after 10 rad: order %.3f\n", error[0],
                  error[1], log2(error[0] / error[1]));
    assert_near(log2(error[0] / error[1]), 2.0, 0.02);
}

// Spinning about the smallest or largest moment is stable, about the middle one it is not; the step
// knows the difference, however long it is.
static void only_the_middle_axis_is_unstable(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        mechanism x = book(DP_JOINT_BALL, 0.05);
        double *w = dp_data_v(x.d);
        w[axis] = 10.0;
        w[(axis + 1) % 3] = 1e-3;
        double least = INFINITY;
        for (int i = 0; i < 2000; ++i) {
            mechanism_steps(&x, 1);
            least = fmin(least, w[axis]);
        }
        if (axis == 1) {
            assert_true(least < -9.0); // turns over
        } else {
            assert_true(least > 9.999);
        }
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_steps_keep_energy_and_angular_momentum),
        cmocka_unit_test(energy_and_momentum_are_kept_at_steps_of_any_length),
        cmocka_unit_test(the_attitude_converges_with_order_two),
        cmocka_unit_test(only_the_middle_axis_is_unstable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
