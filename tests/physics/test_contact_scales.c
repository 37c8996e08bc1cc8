// options.contact_stiffness_scale and contact_friction_scale: factors on what the scene says.
#include "contact_scene.h"

#include <math.h>
#include <string.h>

#define INF ((double)INFINITY)

static const double G = 10.0; // [m/s²]

// A ball of 2 kg that rests on a rigid floor.
static mechanism resting_ball(double stiffness, double damping, double mu)
{
    const contact_stuff floor = {.mu = mu};
    const contact_stuff soft = {.mu = mu, .stiffness = stiffness, .damping = damping};
    mechanism x = contact_scene_begin(floor, (dp_v3){0.0, 0.0, -G}, 0.002);
    contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 2.0, 0.1, soft);
    mechanism_compile(&x);
    return x;
}

static void a_scale_of_stiffness_divides_the_depth_at_rest(void **state)
{
    (void)state;
    static const double scale[] = {0.25, 1.0, 64.0};
    const double stiffness = 1e5;
    mechanism x = resting_ball(stiffness, 900.0, 0.5);
    for (size_t i = 0; i < sizeof scale / sizeof *scale; ++i) {
        dp_data_options(x.d)->contact_stiffness_scale = scale[i]; // while it runs
        mechanism_steps(&x, 2000);
        const double depth = 2.0 * G / (scale[i] * stiffness);
        assert_near(0.1 - dp_data_q(x.d)[2], depth, 1e-9);
    }
    mechanism_end(&x);
}

static void rows_have_the_scaled_numbers_to_the_bit(void **state)
{
    (void)state;
    static const double scale[] = {1.0, 0.3, 7.0};
    mechanism x = resting_ball(123456.7, 89.1, 0.37);
    mechanism_steps(&x, 1);
    assert_true(dp_data_contact_count(x.d) == 1);
    const dp_contact usual = dp_data_contact(x.d, 0);
    for (size_t i = 0; i < sizeof scale / sizeof *scale; ++i) {
        dp_data_options(x.d)->contact_stiffness_scale = scale[i];
        dp_data_options(x.d)->contact_friction_scale = 2.0 * scale[i];
        mechanism_steps(&x, 1);
        const dp_contact c = dp_data_contact(x.d, 0);
        assert_true(c.stiffness == scale[i] * usual.stiffness);
        assert_true(c.damping == sqrt(scale[i]) * usual.damping);
        assert_true(c.limit.mu[0] == 2.0 * scale[i] * usual.limit.mu[0]);
    }
    mechanism_end(&x);
}

static void what_slides_is_braked_by_the_scaled_friction(void **state)
{
    (void)state;
    static const double scale[] = {0.0, 0.5, 1.0, 1.5};
    const double mu = 0.4, v = 3.0, h = 0.001;
    enum { STEPS = 100 };
    for (int law = DP_LAW_COMPLIANT; law <= DP_LAW_NCP; ++law) {
        for (size_t i = 0; i < sizeof scale / sizeof *scale; ++i) {
            mechanism x = contact_scene_slider(mu, h, -1.0, 0.0);
            dp_options *o = dp_data_options(x.d);
            o->gravity = (dp_v3){0.0, 0.0, -G};
            o->solver.law = (dp_law_kind)law;
            mechanism_steps(&x, 500); // until it rests
            o->contact_friction_scale = scale[i];
            dp_data_v(x.d)[0] = v;
            mechanism_steps(&x, STEPS);
            // Along x the only force is μ times the weight; of the polygon of lcp, x is a corner.
            assert_near(dp_data_v(x.d)[0], v - scale[i] * mu * G * STEPS * h, 1e-6 * v);
            mechanism_end(&x);
        }
    }
}

static void springs_throw_back_as_much_at_any_scale(void **state)
{
    (void)state;
    const double e = 0.6, v = 1.0;
    double thrown[2];
    for (int i = 0; i < 2; ++i) {
        mechanism x = contact_scene_slider(0.0, 1e-5, e, 0.001);
        dp_options *o = dp_data_options(x.d);
        o->gravity = (dp_v3){0.0, 0.0, 0.0};
        o->contact_stiffness_scale = i == 0 ? 1.0 : 0.25;
        dp_data_v(x.d)[2] = -v;
        mechanism_steps(&x, 3000);
        thrown[i] = dp_data_v(x.d)[2];
        mechanism_end(&x);
    }
    assert_near(thrown[1], e * v, 0.02 * v); // of a step that resolves the impact in some 100 parts
    assert_near(thrown[0], thrown[1], 0.02 * v);
}

static void scales_that_mean_nothing_are_refused(void **state)
{
    (void)state;
    static const double bad[][2] = {{0.0, 1.0},         {-1.0, 1.0},  {INF, 1.0},
                                    {(double)NAN, 1.0}, {1.0, -1e-9}, {1.0, INF},
                                    {1.0, (double)NAN}};
    mechanism x = resting_ball(1e5, 100.0, 0.5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        dp_options *o = dp_data_options(x.d);
        o->contact_stiffness_scale = bad[i][0];
        o->contact_friction_scale = bad[i][1];
        assert_int_equal(dp_step(x.d), DP_ERROR_ARGUMENT);
        assert_non_null(strstr(dp_last_error(), "scales of contacts"));
        dp_options *told = dp_spec_options(x.spec);
        told->contact_stiffness_scale = bad[i][0];
        told->contact_friction_scale = bad[i][1];
        dp_model *m;
        assert_int_equal(dp_model_compile(&m, x.spec), DP_ERROR_ARGUMENT);
        assert_null(m);
    }
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scale_of_stiffness_divides_the_depth_at_rest),
        cmocka_unit_test(rows_have_the_scaled_numbers_to_the_bit),
        cmocka_unit_test(what_slides_is_braked_by_the_scaled_friction),
        cmocka_unit_test(springs_throw_back_as_much_at_any_scale),
        cmocka_unit_test(scales_that_mean_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
