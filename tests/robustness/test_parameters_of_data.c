// Parameters by name: what is listed, what is refused, and what a refusal changes: nothing.
#include "counting_allocator.h"
#include "standing_scene.h"

#include <dashpot/parameters.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const SCENE[] = {"quadruped_stands.xml", "hand_16dof.xml",
                                    "humanoid.xml",         "cube_on_foundation.xml",
                                    "shaking_table.xml",    "contact/sphere_stack.xml"};
enum { SCENES = sizeof SCENE / sizeof *SCENE };

static dp_parameter_id parameter(const dp_model *m, const char *name)
{
    dp_parameter_id out;
    assert_ok(dp_model_find_parameter(&out, m, name));
    return out;
}

static void every_parameter_is_found_by_its_name(void **state)
{
    (void)state;
    for (int s = 0; s < SCENES; ++s) {
        mechanism x = standing_scene(SCENE[s], NULL);
        const int count = dp_model_parameter_count(x.m);
        assert_true(count > 10);
        for (int i = 0; i < count; ++i) {
            const dp_parameter_info p = dp_model_parameter(x.m, (dp_parameter_id){i});
            assert_int_equal(parameter(x.m, p.name).index, i);
            assert_true(strlen(p.unit) > 0);
            assert_true(p.lower_open ? p.value > p.lower : p.value >= p.lower);
            assert_true(p.value <= p.upper);
            assert_true(p.value == dp_data_parameter(x.d, (dp_parameter_id){i}));
        }
        assert_string_equal(dp_model_parameter(x.m, (dp_parameter_id){count}).name, "");
        assert_string_equal(dp_model_parameter(x.m, (dp_parameter_id){-1}).name, "");
        mechanism_end(&x);
    }
}

// A value near that of the model, within the bounds.
static double another_value(const dp_parameter_info *p)
{
    const double value = p->value > 0.0 ? 1.01 * p->value : p->value + 1e-3;
    return value <= p->upper ? value : p->value - 1e-3;
}

static void every_parameter_can_be_set_and_reset(void **state)
{
    (void)state;
    for (int s = 0; s < SCENES; ++s) {
        mechanism x = standing_scene(SCENE[s], NULL);
        dp_data *fresh;
        assert_ok(dp_data_create(&fresh, x.m, NULL));
        for (int i = 0; i < dp_model_parameter_count(x.m); ++i) {
            const dp_parameter_id id = {i};
            const dp_parameter_info p = dp_model_parameter(x.m, id);
            const double value = another_value(&p);
            const dp_status status = dp_data_set_parameter(x.d, id, value);
            if (status == DP_OK) { // off-diagonal inertias of points are not
                assert_true(dp_data_parameter(x.d, id) == value);
                assert_ok(dp_step(x.d));
                assert_ok(dp_data_reset_parameters(x.d));
            }
            assert_true(dp_data_parameter(x.d, id) == p.value);
        }
        dp_data_reset(x.d);
        for (int k = 0; k < 5; ++k) {
            assert_ok(dp_step(x.d));
            assert_ok(dp_step(fresh));
        }
        assert_true(dp_state_hash(x.d) == dp_state_hash(fresh));
        dp_data_destroy(fresh);
        mechanism_end(&x);
    }
}

static void assert_refused(mechanism *x, const char *name, double value, const char *message)
{
    const dp_parameter_id id = parameter(x->m, name);
    const double before = dp_data_parameter(x->d, id);
    assert_int_equal(dp_data_set_parameter(x->d, id, value), DP_ERROR_ARGUMENT);
    if (!strstr(dp_last_error(), message)) {
        print_error("'%s'\nis without '%s'\n", dp_last_error(), message);
        fail();
    }
    assert_true(dp_data_parameter(x->d, id) == before);
}

static void a_value_that_no_mechanism_has_is_refused(void **state)
{
    (void)state;
    mechanism x = standing_scene("humanoid.xml", NULL), y = standing_scene("humanoid.xml", NULL);
    assert_ok(dp_data_set_parameter(x.d, parameter(x.m, "body.pelvis.mass"), 7.0));
    assert_ok(dp_data_set_parameter(y.d, parameter(y.m, "body.pelvis.mass"), 7.0));
    assert_refused(&x, "body.pelvis.mass", -1.0, "body.pelvis.mass is -1 kg (expected");
    assert_refused(&x, "body.pelvis.mass", (double)NAN, "expected a finite number");
    assert_refused(&x, "body.pelvis.mass", (double)INFINITY, "expected a finite number");
    assert_refused(&x, "body.pelvis.mass", 0.0, "body.pelvis moves but has mass 0 kg");
    assert_refused(&x, "body.pelvis.inertia.xx", 100.0, "body.pelvis has moments of inertia");
    assert_refused(&x, "geom.ground.friction", -0.1, "geom.ground.friction is -0.1 (expected");
    assert_refused(&x, "geom.ground.restitution", 1.5, "expected a number ≤ 1");
    assert_refused(&x, "gravity.z", (double)NAN, "gravity.z");
    for (int k = 0; k < 20; ++k) {
        assert_ok(dp_step(x.d));
        assert_ok(dp_step(y.d));
    }
    assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
    assert_int_equal(dp_data_set_parameter(x.d, (dp_parameter_id){-1}, 1.0), DP_ERROR_ARGUMENT);
    assert_true(dp_data_parameter(x.d, (dp_parameter_id){100000}) == 0.0);
    mechanism_end(&x);
    mechanism_end(&y);
}

static void of_several_values_all_are_set_or_none(void **state)
{
    (void)state;
    mechanism x = standing_scene("humanoid.xml", NULL);
    const dp_parameter_id id[2] = {parameter(x.m, "gravity.z"), parameter(x.m, "body.pelvis.mass")};
    const double bad[2] = {-1.0, 0.0}, good[2] = {-1.0, 5.0};
    assert_int_equal(dp_data_set_parameters(x.d, 2, id, bad), DP_ERROR_ARGUMENT);
    assert_true(dp_data_options(x.d)->gravity.z == -9.81);
    assert_ok(dp_data_set_parameters(x.d, 2, id, good));
    assert_true(dp_data_options(x.d)->gravity.z == -1.0);
    assert_true(dp_data_parameter(x.d, id[1]) == 5.0);
    assert_ok(dp_data_reset_parameters(x.d));
    assert_true(dp_data_options(x.d)->gravity.z == -9.81);
    mechanism_end(&x);
}

static void the_message_of_an_unknown_name_says_what_there_is(void **state)
{
    (void)state;
    mechanism x = standing_scene("humanoid.xml", NULL);
    static const char *const list[][2] = {
        {"body.pelvi.mass", "did you mean 'pelvis'?"},
        {"body.pelvis.mas", "expected body.NAME. and one of mass, com.x"},
        {"gravity", "expected body., joint.,"},
        {"gravity.w", "one of x, y, z"},
        {"", "no parameter ''"},
        {"body..mass", "no parameter 'body..mass'"},
        {"body.-1.mass", "no parameter 'body.-1.mass'"},
        {"body.0.mass", "mass is nothing that this body has"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        dp_parameter_id id = {7};
        assert_int_equal(dp_model_find_parameter(&id, x.m, list[i][0]), DP_ERROR_ARGUMENT);
        assert_non_null(strstr(dp_last_error(), list[i][1]));
        assert_int_equal(id.index, 7);
    }
    dp_parameter_id id;
    assert_int_equal(dp_model_find_parameter(&id, x.m, NULL), DP_ERROR_ARGUMENT);
    mechanism_end(&x);
}

static dp_status set_within(void *context, dp_data *d)
{
    const dp_parameter_id *id = context;
    return dp_data_set_parameter(d, *id, 3.0);
}

static void no_callback_may_set_one(void **state)
{
    (void)state;
    mechanism x = standing_scene("humanoid.xml", NULL);
    dp_parameter_id id = parameter(x.m, "body.pelvis.mass");
    dp_data_set_control_callback(x.d, set_within, &id);
    assert_int_not_equal(dp_step(x.d), DP_OK);
    assert_true(dp_data_parameter(x.d, id) != 3.0);
    mechanism_end(&x);
}

// The first takes memory, and what needs more rows than the model; nothing else does, no step
// either.
static void only_the_first_value_takes_memory_and_a_lack_of_it_changes_nothing(void **state)
{
    (void)state;
    mechanism x = standing_scene("hand_16dof.xml", NULL);
    int joint = 0;
    while (dp_model_joint(x.m, (dp_joint_id){joint}).friction_loss > 0.0) {
        ++joint;
    }
    char name[600];
    snprintf(name, sizeof name, "joint.%s.friction_loss",
             dp_model_joint(x.m, (dp_joint_id){joint}).name);
    const dp_parameter_id mass = {3}, friction = parameter(x.m, name);
    int failures = 0;
    for (size_t fail_at = 1;; ++fail_at) {
        counting_allocator counts = {.fail_at = 0};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_data *d;
        assert_ok(dp_data_create(&d, x.m, &allocator));
        const double before = dp_data_parameter(d, mass);
        counts.fail_at = counts.calls + fail_at;
        dp_status status = dp_data_set_parameter(d, mass, 0.5);
        assert_true(dp_data_parameter(d, mass) == (status == DP_OK ? 0.5 : before));
        const size_t calls = counts.calls;
        if (status == DP_OK) {
            assert_ok(dp_data_set_parameter(d, mass, 0.6));
            assert_int_equal(counts.calls, calls);
            status = dp_data_set_parameter(d, friction, 0.02);
            assert_true(dp_data_parameter(d, mass) == 0.6);
            assert_true(dp_data_parameter(d, friction) == (status == DP_OK ? 0.02 : 0.0));
        }
        counts.fail_at = 0;
        const size_t set = counts.calls;
        for (int k = 0; k < 5; ++k) {
            assert_ok(dp_step(d));
        }
        assert_int_equal(counts.calls, set);
        dp_data_destroy(d);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        if (status == DP_OK) {
            break;
        }
        assert_int_equal(status, DP_ERROR_MEMORY);
        ++failures;
    }
    assert_true(failures >= 3);
    mechanism_end(&x);
}

static void a_sleeper_wakes_when_a_parameter_is_set(void **state)
{
    (void)state;
    mechanism x = standing_scene("contact/sphere_stack.xml", NULL);
    dp_data_options(x.d)->sleep_speed = 1e-2;
    dp_data_options(x.d)->sleep_time = 0.02;
    for (int k = 0; k < 5000 && dp_data_report(x.d)->asleep == 0; ++k) {
        assert_ok(dp_step(x.d));
    }
    assert_true(dp_data_report(x.d)->asleep > 0);
    int body = 1;
    while (!dp_body_is_asleep(x.d, (dp_body_id){body})) {
        ++body;
    }
    assert_ok(dp_data_set_parameter(x.d, (dp_parameter_id){3}, 0.7)); // the mass of a body
    assert_false(dp_body_is_asleep(x.d, (dp_body_id){body}));
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_found_by_its_name),
        cmocka_unit_test(every_parameter_can_be_set_and_reset),
        cmocka_unit_test(a_value_that_no_mechanism_has_is_refused),
        cmocka_unit_test(of_several_values_all_are_set_or_none),
        cmocka_unit_test(the_message_of_an_unknown_name_says_what_there_is),
        cmocka_unit_test(no_callback_may_set_one),
        cmocka_unit_test(only_the_first_value_takes_memory_and_a_lack_of_it_changes_nothing),
        cmocka_unit_test(a_sleeper_wakes_when_a_parameter_is_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
