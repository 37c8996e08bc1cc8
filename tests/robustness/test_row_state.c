// Rows and the state: what is saved, copied or left by a failed step goes on with the same bits;
// explicit integrators refuse rows.
#include "counting_allocator.h"
#include "mechanism.h"
#include "random_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Holds the distance of the first body's origin from the world's origin.
typedef struct leash {
    double length;
    bool fail;
} leash;

static dp_status leash_row(void *context, dp_data *d, bool end, dp_row *row, double *gradient)
{
    const dp_model *m = dp_data_model(d);
    (void)end;
    const leash *l = context;
    if (l->fail) {
        return DP_ERROR_ARGUMENT;
    }
    const dp_v3 p = dp_body_pose(d, (dp_body_id){1}).p;
    const double distance = sqrt(p.x * p.x + p.y * p.y + p.z * p.z) + 1e-300;
    const int nv = dp_model_sizes(m)->nv;
    double jacobian[6 * 64];
    assert_true(nv <= 64);
    dp_body_jacobian(jacobian, d, (dp_body_id){1}, p);
    row->phi = l->length - distance; // a rope
    row->k = 1e4;
    row->b = 10.0;
    row->lo = 0.0;
    for (int k = 0; k < nv; ++k) {
        gradient[k] = -(p.x * jacobian[3 * nv + k] + p.y * jacobian[4 * nv + k] +
                        p.z * jacobian[5 * nv + k]) /
                      distance;
    }
    return DP_OK;
}

static mechanism with_rows(uint64_t seed)
{
    const random_rows_options o = {.seed = seed, .max_bodies = 5};
    mechanism x = {random_rows(&o), NULL, NULL};
    dp_spec_options(x.spec)->step = 2e-3;
    assert_ok(dp_spec_allow(x.spec, "contact"));
    mechanism_compile(&x);
    random_source r = {seed};
    for (int k = 0; k < dp_model_sizes(x.m)->nv; ++k) {
        dp_data_v(x.d)[k] = random_between(&r, -3.0, 3.0);
    }
    for (int u = 0; u < dp_model_sizes(x.m)->nu; ++u) {
        dp_data_control(x.d)[u] = random_between(&r, -0.5, 0.5);
    }
    return x;
}

static void add_leashes(mechanism *x, leash l[2])
{
    assert_ok(dp_data_add_row(NULL, x->d, leash_row, &l[0]));
    assert_ok(dp_data_add_row(NULL, x->d, leash_row, &l[1]));
}

static void a_saved_state_with_rows_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        leash l[2] = {{.length = 0.3}, {.length = 0.5}};
        mechanism x = with_rows(seed), y = with_rows(seed);
        add_leashes(&x, l);
        add_leashes(&y, l);
        const dp_equality_id first = {0};
        mechanism_steps(&x, 20);
        dp_data_set_row_active(x.d, 1, false);
        dp_data_set_equality_active(x.d, first, false);
        mechanism_steps(&x, 10);
        const size_t bytes = dp_state_bytes(x.d);
        assert_true(bytes == dp_state_bytes(y.d));
        void *saved = malloc(bytes);
        assert_non_null(saved);
        assert_ok(dp_state_save(saved, bytes, x.d));
        const uint64_t hash = dp_state_hash(x.d);
        mechanism_steps(&x, 30);

        mechanism_steps(&y, 5); // elsewhere, with everything switched on
        assert_ok(dp_state_restore(y.d, saved, bytes));
        assert_true(dp_state_hash(y.d) == hash);
        if (dp_model_sizes(y.m)->nequality > 0) {
            assert_false(dp_data_equality_active(y.d, first));
        }
        mechanism_steps(&y, 30);
        assert_true(dp_state_hash(y.d) == dp_state_hash(x.d));
        free(saved);
        mechanism_end(&x);
        mechanism_end(&y);
    }
}

static void the_hash_sees_every_switch_and_impulse(void **state)
{
    (void)state;
    leash l[2] = {{.length = 0.3}, {.length = 0.5}};
    mechanism x = with_rows(4);
    add_leashes(&x, l);
    mechanism_steps(&x, 10);
    const uint64_t before = dp_state_hash(x.d);
    dp_data_set_row_active(x.d, 0, false);
    assert_true(dp_state_hash(x.d) != before);
    dp_data_set_row_active(x.d, 0, true);
    assert_true(dp_state_hash(x.d) == before);
    mechanism_end(&x);
}

static void a_copy_with_rows_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        for (int rows = 0; rows < 3; ++rows) { // what the copy had before
            leash l[2] = {{.length = 0.3}, {.length = 0.5}};
            mechanism x = with_rows(seed);
            if (rows != 1) {
                add_leashes(&x, l);
            }
            mechanism_steps(&x, 20);
            dp_data_set_row_active(x.d, 0, false);
            dp_data *copy;
            assert_ok(dp_data_create(&copy, x.m, NULL));
            for (int i = 0; i < 2 * rows; ++i) {
                assert_ok(dp_data_add_row(NULL, copy, leash_row, &l[i % 2]));
            }
            for (int n = 0; n < 7; ++n) {
                assert_ok(dp_step(copy));
            }
            assert_ok(dp_data_copy(copy, x.d));
            assert_true(dp_state_hash(copy) == dp_state_hash(x.d));
            for (int n = 0; n < 30; ++n) {
                assert_ok(dp_step(x.d));
                assert_ok(dp_step(copy));
            }
            assert_true(dp_state_hash(copy) == dp_state_hash(x.d));
            dp_data_destroy(copy);
            mechanism_end(&x);
        }
    }
}

// Two links with servos that come to the ends of their force ranges and leave them.
static mechanism servo_arm(void)
{
    mechanism x = mechanism_begin();
    dp_spec_options(x.spec)->step = 0.01;
    dp_spec_options(x.spec)->accuracy = 1e-4;
    dp_body_id parent = DP_WORLD;
    for (int i = 0; i < 2; ++i) {
        const char *name = i == 0 ? "shoulder" : "elbow";
        parent = mechanism_body(&x, parent, i == 0 ? "upper" : "lower",
                                (dp_v3){i == 0 ? 0.0 : 0.3, 0.0, 0.0}, 0.4, (dp_v3){0.15, 0.0, 0.0},
                                (dp_v3){1e-4, 3e-3, 3e-3});
        mechanism_joint(&x, parent, name, DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0})->damping = 0.01;
        dp_actuator_spec servo = dp_actuator_spec_default();
        servo.joint = name;
        servo.gain[0] = 50.0;
        servo.bias[1] = -50.0;
        servo.bias[2] = -1.0;
        servo.force_limited = true;
        servo.force_range[0] = -2.0;
        servo.force_range[1] = 2.0;
        assert_ok(dp_spec_add_actuator(NULL, x.spec, &servo));
    }
    mechanism_compile(&x);
    return x;
}

// A copy has the state and knows nothing of attempts before: parts of a step that have no rows take
// nothing over from parts that had some.
static void parts_of_a_step_without_rows_depend_on_the_state_alone(void **state)
{
    (void)state;
    mechanism x = servo_arm();
    int with_rows_in_it = 0;
    for (int n = 0; n < 150; ++n) {
        dp_data_control(x.d)[0] = n / 37 % 2 ? 1.0 : -1.0;
        dp_data_control(x.d)[1] = n / 23 % 2 ? 1.0 : -1.0;
        dp_data *copy;
        assert_ok(dp_data_create(&copy, x.m, NULL));
        assert_ok(dp_data_copy(copy, x.d));
        assert_ok(dp_step(x.d));
        assert_ok(dp_step(copy));
        assert_true(dp_state_hash(copy) == dp_state_hash(x.d));
        with_rows_in_it += dp_data_report(x.d)->work.passes > 0;
        dp_data_destroy(copy);
    }
    assert_true(with_rows_in_it > 10 && with_rows_in_it < 140);
    mechanism_end(&x);
}

static dp_status switching_control(void *context, dp_data *d)
{
    const dp_model *m = dp_data_model(d);
    (void)context, (void)m;
    dp_data_set_row_active(d, 1, false); // by a step that is going to fail
    dp_data_set_equality_active(d, (dp_equality_id){0}, false);
    return DP_OK;
}

static void a_failed_step_with_rows_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        leash l[2] = {{.length = 0.3}, {.length = 0.5}};
        mechanism x = with_rows(seed), y = with_rows(seed);
        add_leashes(&x, l);
        add_leashes(&y, l);
        mechanism_steps(&x, 20);
        mechanism_steps(&y, 20);
        const uint64_t hash = dp_state_hash(x.d);
        dp_data_options(x.d)->accuracy = seed % 2 ? 1e-3 : 0.0;
        l[0].fail = true;
        dp_data_set_control_callback(x.d, switching_control, NULL);
        assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
        assert_true(dp_state_hash(x.d) == hash);
        l[0].fail = false;
        dp_data_set_control_callback(x.d, NULL, NULL);
        dp_data_options(x.d)->accuracy = 0.0;
        mechanism_steps(&x, 20);
        mechanism_steps(&y, 20);
        assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
        mechanism_end(&x);
        mechanism_end(&y);
    }
}

static void a_state_with_other_rows_of_the_user_is_refused(void **state)
{
    (void)state;
    leash l[2] = {{.length = 0.3}, {.length = 0.5}};
    mechanism x = with_rows(4), y = with_rows(4);
    add_leashes(&x, l);
    mechanism_steps(&x, 3);
    mechanism_steps(&y, 5);
    const size_t bytes = dp_state_bytes(x.d);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_ok(dp_state_save(saved, bytes, x.d));
    const uint64_t hash = dp_state_hash(y.d);
    assert_int_equal(dp_state_restore(y.d, saved, bytes), DP_ERROR_ARGUMENT);
    assert_true(dp_state_hash(y.d) == hash);
    free(saved);
    mechanism_end(&x);
    mechanism_end(&y);
}

// One element each that asks for rows.
typedef enum asks_for_rows {
    LIMIT,
    FRICTION,
    EQUALITY,
    TENDON_SPRING,
    TENDON_LIMIT,
    CONTACT,
    USER_ROW,
    ASKING,
} asks_for_rows;

static mechanism asking(asks_for_rows what)
{
    mechanism x = mechanism_begin();
    const dp_body_id body = mechanism_body(&x, DP_WORLD, "body", (dp_v3){0.5, 0.0, 0.0}, 1.0,
                                           (dp_v3){0.1, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    dp_joint_spec *joint =
        mechanism_joint(&x, body, "elbow", DP_JOINT_SLIDE, (dp_v3){0.0, 0.0, 1.0});
    joint->limited = what == LIMIT;
    joint->range[0] = -1.0;
    joint->range[1] = 1.0;
    joint->friction_loss = what == FRICTION ? 1.0 : 0.0;
    if (what == EQUALITY) {
        dp_equality_spec e = dp_equality_spec_default();
        e.name = "bolt";
        e.kind = DP_EQUALITY_JOINT;
        e.object[0] = "elbow";
        assert_ok(dp_spec_add_equality(NULL, x.spec, &e));
    }
    if (what == TENDON_SPRING || what == TENDON_LIMIT) {
        const dp_wrap_spec wrap = {.kind = DP_WRAP_JOINT, .object = "elbow", .coefficient = 1.0};
        dp_tendon_spec tendon = dp_tendon_spec_default();
        tendon.name = "cord";
        tendon.wrap = &wrap;
        tendon.nwrap = 1;
        tendon.stiffness = what == TENDON_SPRING ? 1.0 : 0.0;
        tendon.limited = what == TENDON_LIMIT;
        tendon.range[0] = -1.0;
        tendon.range[1] = 1.0;
        assert_ok(dp_spec_add_tendon(NULL, x.spec, &tendon));
    }
    if (what == CONTACT) {
        dp_geom_spec geom = dp_geom_spec_default();
        geom.kind = DP_GEOM_PLANE;
        assert_ok(dp_spec_add_geom(NULL, x.spec, DP_WORLD, &geom));
        geom.kind = DP_GEOM_SPHERE;
        geom.size[0] = 0.1;
        assert_ok(dp_spec_add_geom(NULL, x.spec, body, &geom));
    }
    mechanism_compile(&x);
    return x;
}

static void what_has_no_rows_refuses_them_by_name(void **state)
{
    (void)state;
    const char *const culprit[ASKING] = {
        "limit of joint 'elbow'", "friction of joint 'elbow'", "equality 'bolt'",  "tendon 'cord'",
        "tendon 'cord'",          "geoms could touch",         "row 0 of the user"};
    const dp_integrator integrators[] = {DP_INTEGRATOR_RK4, DP_INTEGRATOR_RK45};
    for (int i = 0; i < 2 * ASKING; ++i) {
        const asks_for_rows what = (asks_for_rows)(i / 2);
        mechanism x = asking(what);
        leash l = {.length = 1.0};
        if (what == USER_ROW) {
            assert_ok(dp_data_add_row(NULL, x.d, leash_row, &l));
        }
        dp_data_options(x.d)->integrator = integrators[i % 2];
        dp_data_options(x.d)->solver.law = DP_LAW_NCP; // the other takes springs
        const uint64_t hash = dp_state_hash(x.d);
        assert_int_equal(dp_step(x.d), DP_ERROR_UNSUPPORTED);
        assert_non_null(strstr(dp_last_error(), culprit[what]));
        assert_non_null(strstr(dp_last_error(), "semi-implicit"));
        assert_true(dp_state_hash(x.d) == hash);

        // What is switched off asks for nothing.
        dp_data_options(x.d)->disable_limits = true;
        dp_data_options(x.d)->disable_equality = true;
        dp_data_options(x.d)->disable_springs = true;
        dp_data_options(x.d)->disable_contact = true;
        dp_data_set_row_active(x.d, 0, false);
        assert_int_equal(dp_step(x.d), what == FRICTION ? DP_ERROR_UNSUPPORTED : DP_OK);
        mechanism_end(&x);
    }
}

static void a_row_for_which_there_is_no_memory_leaves_the_simulation_as_it_was(void **state)
{
    (void)state;
    mechanism x = with_rows(4);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_data *d, *more;
    assert_ok(dp_data_create(&d, x.m, &allocator));
    leash l[2] = {{.length = 0.3}, {.length = 0.5}};
    assert_ok(dp_data_add_row(NULL, d, leash_row, &l[0]));
    assert_ok(dp_step(d));
    const uint64_t hash = dp_state_hash(d);
    int number = -7;
    counts.fail_at = counts.calls + 1;
    assert_int_equal(dp_data_add_row(&number, d, leash_row, &l[1]), DP_ERROR_MEMORY);
    assert_int_equal(number, -7);
    assert_true(dp_state_hash(d) == hash);

    // Nor does a copy that needs room for more rows.
    assert_ok(dp_data_create(&more, x.m, NULL));
    for (int i = 0; i < 3; ++i) {
        assert_ok(dp_data_add_row(NULL, more, leash_row, &l[1]));
    }
    counts.fail_at = counts.calls + 1;
    assert_int_equal(dp_data_copy(d, more), DP_ERROR_MEMORY);
    assert_true(dp_state_hash(d) == hash);
    assert_ok(dp_step(d));
    dp_data_destroy(more);
    dp_data_destroy(d);
    assert_true(counts.blocks == 0 && counts.wrong_sizes == 0);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_state_with_rows_goes_on_with_the_same_bits),
        cmocka_unit_test(the_hash_sees_every_switch_and_impulse),
        cmocka_unit_test(a_copy_with_rows_goes_on_with_the_same_bits),
        cmocka_unit_test(parts_of_a_step_without_rows_depend_on_the_state_alone),
        cmocka_unit_test(a_failed_step_with_rows_changes_nothing),
        cmocka_unit_test(a_state_with_other_rows_of_the_user_is_refused),
        cmocka_unit_test(what_has_no_rows_refuses_them_by_name),
        cmocka_unit_test(a_row_for_which_there_is_no_memory_leaves_the_simulation_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
