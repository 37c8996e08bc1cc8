// dp_step_sampled: states within a step of the embedded Runge–Kutta pair.
#include "mechanism.h"
#include "trial.h"

#include <math.h>
#include <string.h>

// A mass on a spring, of which it takes one second to swing: x = cos 2πt.
static mechanism swing(double h)
{
    const double pi = 3.14159265358979323846;
    mechanism x = mechanism_begin();
    dp_options *o = dp_spec_options(x.spec);
    o->gravity = (dp_v3){0.0, 0.0, 0.0};
    o->integrator = DP_INTEGRATOR_RK45;
    o->step = h;
    o->relative_tolerance = o->absolute_tolerance = 1.0; // one substep to a step
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "mass", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.01, 0.01});
    mechanism_joint(&x, body, "x", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0})->stiffness =
        4.0 * pi * pi;
    mechanism_compile(&x);
    dp_data_q(x.d)[0] = 1.0;
    return x;
}

enum { SAMPLES = 10 };

// The local error of a substep of length h within it is of order 5, as of order 4 globally.
static void samples_are_of_fourth_order(void **state)
{
    (void)state;
    const double two_pi = 6.28318530717958647692;
    double h[4], error[4];
    for (int i = 0; i < 4; ++i) {
        h[i] = 0.08 / (1 << i);
        mechanism x = swing(h[i]);
        double q[SAMPLES], v[SAMPLES];
        assert_ok(dp_step_sampled(x.d, SAMPLES, q, v));
        assert_int_equal(dp_data_report(x.d)->work.substeps, 1);
        error[i] = 0.0;
        for (int k = 0; k < SAMPLES - 1; ++k) {
            const double t = h[i] * (k + 1) / SAMPLES;
            error[i] = fmax(error[i], fabs(q[k] - cos(two_pi * t)));
            error[i] = fmax(error[i], fabs(v[k] + two_pi * sin(two_pi * t)));
        }
        assert_true(q[SAMPLES - 1] == dp_data_q(x.d)[0] && v[SAMPLES - 1] == dp_data_v(x.d)[0]);
        print_message("h = %g: %.2e off\n", h[i], error[i]);
        mechanism_end(&x);
    }
    assert_near(fitted_order(h, error, 4), 5.0, 0.15);
}

static void samples_change_no_bit_of_the_step(void **state)
{
    (void)state;
    mechanism x = swing(0.3), y = swing(0.3);
    dp_data_options(x.d)->relative_tolerance = dp_data_options(x.d)->absolute_tolerance = 1e-9;
    dp_data_options(y.d)->relative_tolerance = dp_data_options(y.d)->absolute_tolerance = 1e-9;
    double q[SAMPLES], v[SAMPLES];
    for (int n = 0; n < 5; ++n) {
        assert_ok(dp_step_sampled(x.d, SAMPLES, q, v));
        mechanism_steps(&y, 1);
        assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
        assert_int_equal(dp_data_report(x.d)->work.evaluations,
                         dp_data_report(y.d)->work.evaluations);
        for (int k = 0; k < SAMPLES; ++k) { // over several substeps, to what these are good for
            const double t = 0.3 * n + 0.3 * (k + 1) / SAMPLES;
            assert_near(q[k], cos(6.28318530717958647692 * t), 1e-7);
        }
    }
    assert_true(dp_data_report(x.d)->work.substeps > 3);
    mechanism_end(&x);
    mechanism_end(&y);
}

// A body that turns freely: q is a unit quaternion at every sample.
static void quaternions_of_samples_are_unit(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->integrator = DP_INTEGRATOR_RK45;
    dp_spec_options(x.spec)->step = 0.2;
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){0.01, 0.02, 0.03});
    (void)mechanism_joint(&x, body, "free", DP_JOINT_FREE, (dp_v3){0.0, 0.0, 1.0});
    mechanism_compile(&x);
    dp_data_v(x.d)[3] = 3.0;
    dp_data_v(x.d)[4] = 0.1;
    double q[SAMPLES][7], v[SAMPLES][6];
    assert_ok(dp_step_sampled(x.d, SAMPLES, &q[0][0], &v[0][0]));
    for (int k = 0; k < SAMPLES; ++k) {
        const double *w = q[k] + 3;
        assert_near(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3], 1.0, 1e-14);
    }
    mechanism_end(&x);
}

static void other_methods_have_no_samples(void **state)
{
    (void)state;
    mechanism x = swing(0.1);
    double q[SAMPLES], v[SAMPLES];
    assert_int_equal(dp_step_sampled(x.d, 0, q, v), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "expected 1 or more"));
    dp_data_options(x.d)->integrator = DP_INTEGRATOR_SEMI_IMPLICIT;
    assert_int_equal(dp_step_sampled(x.d, SAMPLES, q, v), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "needs the integrator rk45"));
    assert_true(dp_data_time(x.d) == 0.0);
    mechanism_end(&x);
}

// A control that asks for samples in the middle of a step, which is refused.
static dp_status sample_within(void *context, dp_data *d)
{
    int *refused = context;
    double q[SAMPLES], v[SAMPLES];
    *refused += dp_step_sampled(d, SAMPLES, q, v) == DP_ERROR_ARGUMENT &&
                strstr(dp_last_error(), "dp_step_sampled was called by a callback") != NULL;
    return DP_OK;
}

static void a_callback_cannot_take_samples_nor_those_of_its_step(void **state)
{
    (void)state;
    mechanism x = swing(0.1), y = swing(0.1);
    double q[2][SAMPLES], v[2][SAMPLES];
    int refused = 0;
    dp_data_set_control_callback(x.d, sample_within, &refused);
    assert_ok(dp_step_sampled(x.d, SAMPLES, q[0], v[0]));
    assert_ok(dp_step_sampled(y.d, SAMPLES, q[1], v[1]));
    assert_true(refused > 0);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    mechanism_end(&x);
    mechanism_end(&y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_of_fourth_order),
        cmocka_unit_test(samples_change_no_bit_of_the_step),
        cmocka_unit_test(quaternions_of_samples_are_unit),
        cmocka_unit_test(other_methods_have_no_samples),
        cmocka_unit_test(a_callback_cannot_take_samples_nor_those_of_its_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
