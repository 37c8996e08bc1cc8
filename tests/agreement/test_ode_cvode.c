// integrator=cvode: the motions of the Runge–Kutta pair, for less where they are stiff; and
// what is said where the library was built without it.
#include "accuracy_rig.h"

#include <dashpot/format.h>

#include <math.h>
#include <string.h>

// A box of 1 kg that slides until it stops on a floor of 1e9 N/m, with springs of 5 kHz below it.
static const accuracy_scene HARD_FLOOR = {
    .name = "hard floor",
    .text = "<mujoco xmlns:dp='dashpot'><option gravity='0 0 -9.81'/><default><geom friction='0.5' "
            "dp:stiffness='1e9' dp:damping='1e4'/></default><worldbody>"
            "<geom type='plane' size='2 2 .1'/><body pos='0 0 0.05'><freejoint/>"
            "<geom type='box' size='.05 .05 .05' mass='1'/></body></worldbody>"
            "<keyframe><key qpos='0 0 .05 1 0 0 0' qvel='.1 0 0 0 0 0'/></keyframe></mujoco>",
    .seconds = 0.2,
    .step = 0.05,
    .slip_speed = 1e-4,
};

static mechanism start(const accuracy_scene *scene, dp_integrator integrator, double tolerance)
{
    mechanism x = accuracy_scene_load(scene);
    dp_options *o = dp_data_options(x.d);
    o->step = scene->step;
    o->integrator = integrator;
    o->relative_tolerance = o->absolute_tolerance = tolerance;
    o->max_substeps = 1000000;
    return x;
}

static void skip_without_cvode(void)
{
    if (!dp_has_cvode()) {
        skip();
    }
}

typedef struct work {
    long pair, cvode; // evaluations
    double off;       // largest difference of q [m, rad] at the ends of steps
} work;

static work side_by_side(const accuracy_scene *scene, double tolerance)
{
    mechanism x = start(scene, DP_INTEGRATOR_RK45, tolerance);
    mechanism y = start(scene, DP_INTEGRATOR_CVODE, tolerance);
    work w = {0, 0, 0.0};
    const int steps = (int)lround(scene->seconds / scene->step);
    for (int i = 0; i < steps; ++i) {
        mechanism_steps(&x, 1);
        mechanism_steps(&y, 1);
        w.pair += dp_data_report(x.d)->work.evaluations;
        w.cvode += dp_data_report(y.d)->work.evaluations;
        for (int k = 0; k < dp_model_sizes(x.m)->nq; ++k) {
            w.off = fmax(w.off, fabs(dp_data_q(x.d)[k] - dp_data_q(y.d)[k]));
        }
    }
    mechanism_end(&x);
    mechanism_end(&y);
    print_message("%s, to %g: %.1e apart; %ld evaluations by the pair, %ld by CVODE\n", scene->name,
                  tolerance, w.off, w.pair, w.cvode);
    return w;
}

// Tolerances are those of each substep, of which there are up to some thousand.
static void cvode_finds_the_motions_of_the_pair(void **state)
{
    (void)state;
    static const accuracy_scene *const scene[] = {&RIG_SPRINGS, &RIG_TOP,  &RIG_FOUR_BAR,
                                                  &RIG_SLIDE,   &RIG_PUSH, &RIG_BOUNCE};
    skip_without_cvode();
    for (size_t i = 0; i < sizeof scene / sizeof scene[0]; ++i) {
        assert_true(side_by_side(scene[i], 1e-10).off < 1e-7);
    }
}

static void a_hard_floor_costs_cvode_a_tenth_of_what_it_costs_the_pair(void **state)
{
    (void)state;
    skip_without_cvode();
    const work w = side_by_side(&HARD_FLOOR, 1e-8);
    assert_true(w.off < 1e-5);
    assert_true(10 * w.cvode < w.pair);
}

// Also with samples, of which the pair and CVODE think alike.
static void a_step_depends_on_the_state_alone(void **state)
{
    (void)state;
    skip_without_cvode();
    enum { SAMPLES = 7 };
    double q[SAMPLES][7], v[SAMPLES][6], other_q[SAMPLES][7], other_v[SAMPLES][6];
    mechanism x = start(&RIG_BOUNCE, DP_INTEGRATOR_CVODE, 1e-10);
    mechanism pair = start(&RIG_BOUNCE, DP_INTEGRATOR_RK45, 1e-10);
    for (int i = 0; i < 20; ++i) {
        dp_data *fresh; // it has never made a step
        assert_ok(dp_data_create(&fresh, x.m, NULL));
        assert_ok(dp_data_copy(fresh, x.d));
        mechanism_steps(&x, 1);
        assert_ok(dp_step_sampled(fresh, SAMPLES, &q[0][0], &v[0][0]));
        assert_true(dp_state_hash(x.d) == dp_state_hash(fresh));
        dp_data_destroy(fresh);
        assert_ok(dp_step_sampled(pair.d, SAMPLES, &other_q[0][0], &other_v[0][0]));
        for (int s = 0; s < SAMPLES; ++s) {
            for (int k = 0; k < 7; ++k) {
                assert_near(q[s][k], other_q[s][k], 1e-7);
            }
            const double *w = q[s] + 3;
            assert_near(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3], 1.0, 1e-14);
        }
    }
    mechanism_end(&x);
    mechanism_end(&pair);
}

static dp_status refuse(void *context, dp_data *d, double *force)
{
    (void)force;
    const double *until = context;
    return dp_data_time(d) > *until ? DP_ERROR_ARGUMENT : DP_OK;
}

static void a_step_that_fails_leaves_the_state_as_it_was(void **state)
{
    (void)state;
    skip_without_cvode();
    mechanism x = start(&RIG_BOUNCE, DP_INTEGRATOR_CVODE, 1e-8),
              y = start(&RIG_BOUNCE, DP_INTEGRATOR_CVODE, 1e-8);
    mechanism_steps(&x, 3);
    mechanism_steps(&y, 3);
    const uint64_t before = dp_state_hash(x.d);
    dp_options *o = dp_data_options(x.d);
    o->max_substeps = 2;
    assert_int_equal(dp_step(x.d), DP_ERROR_NUMERIC);
    assert_non_null(strstr(dp_last_error(), "CVODE gave up at t = 0.03"));
    assert_true(dp_state_hash(x.d) == before);
    o->max_substeps = 1000000;
    o->relative_tolerance = o->absolute_tolerance = 1e-300;
    assert_int_equal(dp_step(x.d), DP_ERROR_NUMERIC);
    assert_non_null(strstr(dp_last_error(), "CVODE gave up"));
    o->relative_tolerance = 0.0;
    assert_int_equal(dp_step(x.d), DP_ERROR_ARGUMENT);
    o->relative_tolerance = o->absolute_tolerance = 1e-8;
    o->accuracy = 1e-3;
    assert_int_equal(dp_step(x.d), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "error control of its own"));
    o->accuracy = 0.0;
    double until = 0.033;
    dp_data_set_force_callback(x.d, refuse, &until);
    assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
    dp_data_set_force_callback(x.d, NULL, NULL);
    assert_true(dp_state_hash(x.d) == before);
    mechanism_steps(&x, 1);
    mechanism_steps(&y, 1);
    assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
    mechanism_end(&x);
    mechanism_end(&y);
}

static void what_does_not_move_takes_its_time(void **state)
{
    (void)state;
    static const accuracy_scene nothing = {
        .name = "nothing", .text = "<mujoco><worldbody/></mujoco>", .step = 0.01};
    skip_without_cvode();
    mechanism x = start(&nothing, DP_INTEGRATOR_CVODE, 1e-8);
    mechanism_steps(&x, 2);
    assert_near(dp_data_time(x.d), 0.02, 1e-15);
    mechanism_end(&x);
}

static void a_library_without_sundials_says_so(void **state)
{
    (void)state;
    mechanism x = start(&RIG_SPRINGS, DP_INTEGRATOR_CVODE, 1e-8);
    const uint64_t before = dp_state_hash(x.d);
    const dp_status status = dp_step(x.d);
    if (dp_has_cvode()) {
        assert_int_equal(status, DP_OK);
    } else {
        assert_int_equal(status, DP_ERROR_UNSUPPORTED);
        assert_non_null(strstr(dp_last_error(), "libsundials-dev"));
        assert_string_equal(dp_last_feature(), "sundials");
        assert_true(dp_state_hash(x.d) == before);
    }
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cvode_finds_the_motions_of_the_pair),
        cmocka_unit_test(a_hard_floor_costs_cvode_a_tenth_of_what_it_costs_the_pair),
        cmocka_unit_test(a_step_depends_on_the_state_alone),
        cmocka_unit_test(a_step_that_fails_leaves_the_state_as_it_was),
        cmocka_unit_test(what_does_not_move_takes_its_time),
        cmocka_unit_test(a_library_without_sundials_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
