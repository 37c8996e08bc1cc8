// A step that cannot be made says why and leaves the state as it was, to the last bit; nothing that
// is not a number reaches the user.
#include "mechanism.h"
#include "small_spec.h"

#include <math.h>
#include <string.h>

static const dp_integrator INTEGRATORS[] = {DP_INTEGRATOR_SEMI_IMPLICIT, DP_INTEGRATOR_RK4,
                                            DP_INTEGRATOR_RK45};

// One of everything: slide, hinge, free joint, mocap body, motor, filtered servo, sensors.
static mechanism small_mechanism(void)
{
    dp_spec *spec;
    assert_ok(small_spec_create(&spec, NULL));
    mechanism x = mechanism_from(spec);
    for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
        dp_data_v(x.d)[k] = 0.1 * (k + 1);
    }
    assert_ok(dp_kinematics(x.d));
    return x;
}

// All bits that a user can see of the motion: state, poses, velocities.
typedef struct view {
    uint64_t state;
    dp_pose pose[8];
    dp_twist velocity[8];
    dp_energy energy;
} view;

static view look(const mechanism *x)
{
    view seen;
    memset(&seen, 0, sizeof seen);
    seen.state = dp_state_hash(x->d);
    for (int b = 0; b < dp_model_sizes(x->m)->nbody; ++b) {
        seen.pose[b] = dp_body_pose(x->d, (dp_body_id){b});
        seen.velocity[b] = dp_body_velocity(x->d, (dp_body_id){b});
    }
    seen.energy = dp_data_energy(x->d);
    return seen;
}

static void assert_unchanged(const mechanism *x, const view *before)
{
    const view after = look(x);
    assert_true(after.state == before->state);
    assert_memory_equal(&after, before, sizeof after);
}

// The step fails with `status` and a message that has `text` in it, and changes nothing.
static void assert_step_fails(mechanism *x, dp_status status, const char *text)
{
    const view before = look(x);
    const dp_status got = dp_step(x->d);
    if (got != status || !strstr(dp_last_error(), text)) {
        print_error("got %s, '%s' (expected %s, '%s')\n", dp_status_name(got), dp_last_error(),
                    dp_status_name(status), text);
    }
    assert_int_equal(got, status);
    assert_non_null(strstr(dp_last_error(), text));
    assert_unchanged(x, &before);
}

static void bad_numbers_are_refused_by_name(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        mechanism x = small_mechanism();
        const dp_body_id pole = {2};
        const struct {
            double *at;
            const char *text;
        } places[] = {
            {&dp_data_q(x.d)[1], "position 1"},
            {&dp_data_q(x.d)[6], "position 6"},
            {&dp_data_v(x.d)[0], "velocity 0 (joint 'slider')"},
            {&dp_data_v(x.d)[7], "velocity 7 (joint 'flight')"},
            {&dp_data_activation(x.d)[0], "activation 0"},
            {&dp_data_control(x.d)[0], "control 0 ('motor')"},
            {&dp_data_force(x.d)[1], "applied force 1 (joint 'pivot')"},
            {&dp_data_wrench(x.d, pole)->f.y, "wrench on body 2 ('pole')"},
            {&dp_data_wrench(x.d, pole)->t.z, "wrench on body 2 ('pole')"},
            {&dp_data_mocap(x.d, 0)->p.x, "mocap body 'hand'"},
            {&dp_data_mocap(x.d, 0)->q.w, "mocap body 'hand'"},
        };
        for (size_t p = 0; p < sizeof places / sizeof *places; ++p) {
            const double good = *places[p].at;
            *places[p].at = bad[i];
            for (size_t k = 0; k < 3; ++k) {
                dp_data_options(x.d)->integrator = INTEGRATORS[k];
                assert_step_fails(&x, DP_ERROR_NUMERIC, places[p].text);
            }
            assert_int_equal(dp_kinematics(x.d), DP_ERROR_NUMERIC);
            assert_int_equal(dp_forward(x.d), DP_ERROR_NUMERIC);
            assert_int_equal(dp_sense(x.d), DP_ERROR_NUMERIC);
            *places[p].at = good;
            assert_ok(dp_kinematics(x.d));
        }
        dp_data_set_time(x.d, bad[i]);
        assert_step_fails(&x, DP_ERROR_NUMERIC, "the time");
        dp_data_set_time(x.d, 0.0);
        mechanism_steps(&x, 1); // all is well again
        mechanism_end(&x);
    }
}

static void bad_settings_are_refused(void **state)
{
    (void)state;
    mechanism x = small_mechanism();
    dp_options *o = dp_data_options(x.d);
    const dp_options good = *o;
    const double steps[] = {0.0, -0.01, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        o->step = steps[i];
        assert_step_fails(&x, DP_ERROR_ARGUMENT, "the step is");
    }
    *o = good;
    o->gravity.z = NAN;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "gravity");
    *o = good;
    o->magnetic.x = INFINITY;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "magnetic");
    *o = good;
    o->wind.y = NAN;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "wind");
    *o = good;
    o->fluid_viscosity = -1.0;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "viscosity");
    *o = good;
    o->large_rotation = NAN;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "large rotation");
    *o = good;
    o->integrator = (dp_integrator)77;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "integrator 77");
    *o = good;
    o->integrator = DP_INTEGRATOR_RK45;
    o->relative_tolerance = 0.0;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "tolerance");
    o->relative_tolerance = 1e-8;
    o->max_substeps = 0;
    assert_step_fails(&x, DP_ERROR_ARGUMENT, "substeps");
    *o = good;
    mechanism_steps(&x, 1);
    mechanism_end(&x);
}

// What the callbacks below are to do, and when.
typedef struct plan {
    int calls;
    int fail_at; // this call (1, 2, …)
    double bad;  // write this instead of failing, unless it is zero
} plan;

static dp_status control_as_planned(void *context, dp_data *d)
{
    plan *p = context;
    dp_data_control(d)[0] = 0.25;
    if (++p->calls == p->fail_at) {
        if (p->bad == 0.0) {
            return DP_ERROR_IO;
        }
        dp_data_control(d)[0] = p->bad;
    }
    return DP_OK;
}

static dp_status force_as_planned(void *context, dp_data *d, double *force)
{
    plan *p = context;
    (void)d;
    force[0] += 0.5;
    if (++p->calls == p->fail_at) {
        if (p->bad == 0.0) {
            return DP_ERROR_MEMORY;
        }
        force[1] = p->bad;
    }
    return DP_OK;
}

// In whichever stage of whichever integrator it happens.
static void a_failing_callback_stops_the_step(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k) {
        const int stages = INTEGRATORS[k] == DP_INTEGRATOR_SEMI_IMPLICIT ? 1
                           : INTEGRATORS[k] == DP_INTEGRATOR_RK4         ? 4
                                                                         : 7;
        for (int stage = 1; stage <= stages; ++stage) {
            for (int what = 0; what < 4; ++what) {
                mechanism x = small_mechanism();
                dp_data_options(x.d)->integrator = INTEGRATORS[k];
                dp_data_options(x.d)->relative_tolerance = 1.0; // one substep
                plan p = {.fail_at = stage, .bad = what < 2 ? 0.0 : NAN};
                if (what % 2 == 0) {
                    dp_data_set_control_callback(x.d, control_as_planned, &p);
                    dp_data_control(x.d)[0] = 0.25;
                } else {
                    dp_data_set_force_callback(x.d, force_as_planned, &p);
                }
                assert_step_fails(&x, what < 2 ? DP_ERROR_CALLBACK : DP_ERROR_NUMERIC,
                                  what % 2 == 0 ? "control callback" : "force callback");
                assert_int_equal(p.calls, stage);
                dp_data_control(x.d)[0] = 0.25; // an input, not the state
                mechanism_steps(&x, 1);         // the plan is fulfilled: it works again
                mechanism_end(&x);
            }
        }
    }
}

// The next step normalises what a user writes; a step that fails does not even do that.
static void a_failed_step_leaves_quaternions_as_they_were_written(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k) {
        mechanism x = small_mechanism();
        dp_data_options(x.d)->integrator = INTEGRATORS[k];
        dp_data_q(x.d)[5] = 3.0;
        dp_data_q(x.d)[6] = -0.7;
        dp_data_mocap(x.d, 0)->q.x = 0.4;
        plan p = {.fail_at = 1};
        dp_data_set_control_callback(x.d, control_as_planned, &p);
        const uint64_t before = dp_state_hash(x.d);
        assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
        assert_true(dp_state_hash(x.d) == before);
        mechanism_steps(&x, 1);
        const double *q = dp_data_q(x.d) + 5;
        assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-15);
        mechanism_end(&x);
    }
}

static dp_status control_by_sensors(void *context, dp_data *d)
{
    double *seen = context, tau[8], a[8] = {0.0};
    if (dp_sense(d) != DP_OK || dp_forward(d) != DP_OK || dp_inverse_dynamics(tau, d, a) != DP_OK ||
        dp_forward_dynamics(a, d, tau) != DP_OK) {
        return DP_ERROR_CALLBACK;
    }
    *seen = dp_data_sensors(d)[2];
    dp_data_control(d)[0] = -0.1 * tau[0];
    return DP_OK;
}

static dp_status force_by_sensors(void *context, dp_data *d, double *force)
{
    double *seen = context;
    force[1] = 0.125; // stays, whatever is asked for below
    if (dp_sense(d) != DP_OK) {
        return DP_ERROR_CALLBACK;
    }
    *seen = dp_data_sensors(d)[2];
    return DP_OK;
}

static dp_status step_inside(void *context, dp_data *d)
{
    dp_status *status = context;
    *status = dp_step(d);
    return DP_OK;
}

// A controller may read sensors, accelerations and inverse dynamics; it does not call itself by
// that.
static void callbacks_may_ask_for_everything_but_a_step(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k) {
        mechanism x = small_mechanism(), plain = small_mechanism();
        dp_data_options(x.d)->integrator = dp_data_options(plain.d)->integrator = INTEGRATORS[k];
        double control_saw = 0.0, force_saw = 0.0;
        dp_data_set_control_callback(x.d, control_by_sensors, &control_saw);
        dp_data_set_force_callback(x.d, force_by_sensors, &force_saw);
        mechanism_steps(&x, 10);
        assert_true(control_saw != 0.0 && isfinite(control_saw) && isfinite(force_saw));

        dp_data_set_control_callback(x.d, NULL, NULL);
        dp_data_set_force_callback(x.d, NULL, NULL);
        mechanism_set(&plain, dp_data_q(x.d), dp_data_v(x.d));
        dp_data_activation(plain.d)[0] = dp_data_activation(x.d)[0];
        dp_data_set_time(plain.d, dp_data_time(x.d));
        dp_data_control(plain.d)[0] = dp_data_control(x.d)[0];
        dp_data_force(plain.d)[1] = 0.125; // the same force without a callback
        dp_data_set_force_callback(x.d, force_by_sensors, &force_saw);
        mechanism_steps(&x, 1);
        mechanism_steps(&plain, 1);
        assert_true(dp_state_hash(x.d) == dp_state_hash(plain.d));

        dp_status inner = DP_OK;
        dp_data_set_force_callback(x.d, NULL, NULL);
        dp_data_set_control_callback(x.d, step_inside, &inner);
        mechanism_steps(&x, 1);
        assert_int_equal(inner, DP_ERROR_ARGUMENT);
        mechanism_end(&x);
        mechanism_end(&plain);
    }
}

// Forces and speeds whose products are no numbers.
static void an_overflow_is_refused_and_names_the_coordinate(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k) {
        mechanism x = small_mechanism();
        dp_data_options(x.d)->integrator = INTEGRATORS[k];
        dp_data_options(x.d)->max_substeps = 1000;
        dp_data_force(x.d)[0] = 1e305;
        const char *text[] = {"velocity 0 (joint 'slider')", "t = 0", "gave up"};
        assert_step_fails(&x, DP_ERROR_NUMERIC, text[k]);
        dp_data_force(x.d)[0] = 0.0;
        dp_data_v(x.d)[1] = 1e200; // its square is not a number
        assert_int_equal(dp_step(x.d), DP_ERROR_NUMERIC);
        assert_int_equal(dp_forward(x.d), DP_ERROR_NUMERIC);
        assert_non_null(strstr(dp_last_error(), "acceleration"));
        assert_int_equal(dp_sense(x.d), DP_ERROR_NUMERIC);
        double a[8], tau[8] = {0.0};
        assert_int_equal(dp_forward_dynamics(a, x.d, tau), DP_ERROR_NUMERIC);
        mechanism_end(&x);
    }
}

// A spring that no explicit method follows at this step.
static void rk45_that_cannot_go_on_says_so(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, b, "spring", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0})->stiffness = 1e14;
    dp_spec_options(x.spec)->integrator = DP_INTEGRATOR_RK45;
    dp_spec_options(x.spec)->max_substeps = 50;
    dp_spec_options(x.spec)->step = 0.01;
    mechanism_compile(&x);
    dp_data_q(x.d)[0] = 0.1;
    assert_ok(dp_kinematics(x.d));
    assert_step_fails(&x, DP_ERROR_NUMERIC, "the error control gave up");
    assert_non_null(strstr(dp_last_error(), "50"));
    dp_data_options(x.d)->integrator = DP_INTEGRATOR_SEMI_IMPLICIT; // which does not mind
    mechanism_steps(&x, 10);
    mechanism_end(&x);
}

// The first trial of a stiff step goes astray, to where the slide is so far out that the ball joint
// has no inertia left in proportion. That is no reason to fail.
static void rk45_tries_shorter_substeps_when_a_trial_goes_astray(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.1, 0.2, 0.3}, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, b, "ball", DP_JOINT_BALL, (dp_v3){0.0, 0.0, 1.0})->stiffness = 1e8;
    mechanism_joint(&x, b, "slide", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0})->stiffness = 1e8;
    dp_spec_options(x.spec)->integrator = DP_INTEGRATOR_RK45;
    dp_spec_options(x.spec)->step = 0.01;
    mechanism_compile(&x);
    dp_data_q(x.d)[4] = 0.1;
    dp_data_v(x.d)[0] = 1.0;
    assert_ok(dp_kinematics(x.d));
    const double energy = mechanism_energy(&x);
    mechanism_steps(&x, 1);
    assert_true(dp_data_report(x.d)->work.rejected > 0);
    assert_near(mechanism_energy(&x) / energy, 1.0, 1e-5); // 100 rad of oscillation to 1e-8 each
    mechanism_end(&x);
}

static void rk4_that_is_too_stiff_says_so_before_numbers_end(void **state)
{
    (void)state;
    mechanism x = mechanism_begin();
    const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                        (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    mechanism_joint(&x, b, "spring", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0})->stiffness = 1e8;
    dp_spec_options(x.spec)->integrator = DP_INTEGRATOR_RK4;
    dp_spec_options(x.spec)->step = 0.01;
    mechanism_compile(&x);
    dp_data_q(x.d)[0] = 0.1;
    dp_status status = DP_OK;
    for (int i = 0; i < 1000 && status == DP_OK; ++i) {
        status = dp_step(x.d);
        assert_true(isfinite(dp_data_q(x.d)[0]) && isfinite(dp_data_v(x.d)[0]));
    }
    assert_int_equal(status, DP_ERROR_NUMERIC);
    assert_non_null(strstr(dp_last_error(), "t = "));
    mechanism_end(&x);
}

// Two slides along one axis: no force can tell them apart.
static void joints_that_line_up_are_refused_by_name(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k) {
        mechanism x = mechanism_begin();
        const dp_body_id b = mechanism_body(&x, DP_WORLD, "b", (dp_v3){0.0, 0.0, 0.0}, 1.0,
                                            (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
        mechanism_joint(&x, b, "one", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
        mechanism_joint(&x, b, "other", DP_JOINT_SLIDE, (dp_v3){1.0, 0.0, 0.0});
        dp_spec_options(x.spec)->integrator = INTEGRATORS[k];
        mechanism_compile(&x);
        assert_step_fails(&x, DP_ERROR_NUMERIC, "body 'b'");
        mechanism_end(&x);
    }
}

// Nothing that moves, nothing at all.
static void a_mechanism_without_joints_steps(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; ++k) {
        mechanism x = mechanism_begin();
        dp_spec_options(x.spec)->integrator = INTEGRATORS[k];
        mechanism_compile(&x);
        mechanism_steps(&x, 3);
        assert_ok(dp_sense(x.d));
        assert_near(dp_data_time(x.d), 0.006, 1e-15);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_numbers_are_refused_by_name),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(a_failing_callback_stops_the_step),
        cmocka_unit_test(a_failed_step_leaves_quaternions_as_they_were_written),
        cmocka_unit_test(callbacks_may_ask_for_everything_but_a_step),
        cmocka_unit_test(an_overflow_is_refused_and_names_the_coordinate),
        cmocka_unit_test(rk45_that_cannot_go_on_says_so),
        cmocka_unit_test(rk45_tries_shorter_substeps_when_a_trial_goes_astray),
        cmocka_unit_test(rk4_that_is_too_stiff_says_so_before_numbers_end),
        cmocka_unit_test(joints_that_line_up_are_refused_by_name),
        cmocka_unit_test(a_mechanism_without_joints_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
