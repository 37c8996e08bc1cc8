// Sleeping: what stands still is left out of steps until something disturbs it.
#include "contact_scene.h"

#include <dashpot/format.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SLOW = 1e-4;  // [m/s] sleep_speed
static const double WHILE = 0.2;  // [s] sleep_time
static const double STEP = 0.005; // [s]
static const contact_stuff STUFF = {.mu = 0.5, .stiffness = 1e6, .damping = 2e3};
static const dp_v3 GRAVITY = {0.0, 0.0, -10.0};

enum { HIGH = 3 };

static void let_sleep(mechanism *x)
{
    dp_data_options(x->d)->sleep_speed = SLOW;
    dp_data_options(x->d)->sleep_time = WHILE;
}

static dp_body_id add_box(mechanism *x, int number, double height)
{
    char name[32];
    snprintf(name, sizeof name, "box_%d", number);
    return contact_scene_add(x, name, DP_GEOM_BOX, 0.1, 1.0, height, STUFF);
}

// `piles` of boxes, one metre from each other, and a ball above the first if it is high enough.
static mechanism make_piles(int piles, double ball_height)
{
    mechanism x = contact_scene_begin(STUFF, GRAVITY, STEP);
    for (int i = 0; i < piles * HIGH; ++i) {
        (void)add_box(&x, i, 0.1 + 0.2 * (i % HIGH));
    }
    if (ball_height > 0.0) {
        (void)contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 1.0, ball_height, STUFF);
    }
    mechanism_compile(&x);
    for (int i = 0; i < piles * HIGH; ++i) {
        dp_data_q(x.d)[7 * i] = i / HIGH;
    }
    return x;
}

static int sleepers(const mechanism *x)
{
    return dp_data_report(x->d)->asleep;
}

static mechanism sleeping_piles(int piles)
{
    mechanism x = make_piles(piles, 0.0);
    let_sleep(&x);
    mechanism_steps(&x, 200);
    assert_int_equal(sleepers(&x), piles * HIGH);
    return x;
}

static void nothing_sleeps_unless_it_is_asked_for(void **state)
{
    (void)state;
    mechanism x = make_piles(1, 0.0);
    assert_true(dp_data_options(x.d)->sleep_speed == 0.0);
    mechanism_steps(&x, 400);
    assert_int_equal(sleepers(&x), 0);
    assert_false(dp_body_is_asleep(x.d, (dp_body_id){1}));
    mechanism_end(&x);
}

static void what_stands_still_sleeps_when_the_time_is_over(void **state)
{
    (void)state;
    mechanism x = make_piles(1, 0.0);
    mechanism_steps(&x, 200); // settled long ago
    let_sleep(&x);
    mechanism_steps(&x, (int)(WHILE / STEP) - 1);
    assert_int_equal(sleepers(&x), 0);
    mechanism_steps(&x, 2); // the sum of 40 steps may be round-off below
    assert_int_equal(sleepers(&x), HIGH);
    double before[7 * HIGH];
    memcpy(before, dp_data_q(x.d), sizeof before);
    mechanism_steps(&x, 100);
    assert_memory_equal(before, dp_data_q(x.d), sizeof before);
    for (int k = 0; k < 6 * HIGH; ++k) {
        assert_true(dp_data_v(x.d)[k] == 0.0);
    }
    assert_int_equal(dp_data_report(x.d)->work.passes, 0); // nothing is solved
    mechanism_end(&x);
}

static void what_creeps_faster_than_the_limit_stays_awake(void **state)
{
    (void)state;
    const contact_stuff ice = {.mu = 0.0, .stiffness = 1e6, .damping = 2e3};
    for (int fast = 0; fast < 2; ++fast) {
        mechanism x = contact_scene_begin(ice, GRAVITY, STEP);
        (void)contact_scene_add(&x, "box", DP_GEOM_BOX, 0.1, 1.0, 0.1, ice);
        mechanism_compile(&x);
        mechanism_steps(&x, 200);
        let_sleep(&x);
        dp_data_v(x.d)[0] = fast ? 1.01 * SLOW : 0.99 * SLOW;
        mechanism_steps(&x, 400);
        assert_int_equal(sleepers(&x), fast ? 0 : 1);
        mechanism_end(&x);
    }
}

// The pile sleeps long before the ball comes.
static void a_pile_that_is_hit_moves_as_one_that_never_slept(void **state)
{
    (void)state;
    mechanism x = make_piles(2, 6.0), y = make_piles(2, 6.0); // 1.04 s for 5.4 m
    let_sleep(&x);
    dp_data_options(x.d)->ledger = dp_data_options(y.d)->ledger = true;
    mechanism_steps(&x, 180);
    mechanism_steps(&y, 180);
    assert_int_equal(sleepers(&x), 2 * HIGH);
    const double stays = dp_data_q(x.d)[7 * 5 + 2];
    double deepest = 0.0;
    for (int i = 0; i < 400; ++i) {
        mechanism_steps(&x, 1);
        mechanism_steps(&y, 1);
        deepest = fmin(deepest, dp_data_v(x.d)[6 * 2 + 2]);
        for (int k = 0; k < 7 * (2 * HIGH + 1); ++k) {
            // What was stopped had moved on by no more than this before it was woken.
            assert_near(dp_data_q(x.d)[k], dp_data_q(y.d)[k], SLOW * WHILE);
        }
        assert_true(dp_data_q(x.d)[7 * 5 + 2] == stays); // the other pile sleeps on
        // Who is stopped loses what it had: six boxes, twice.
        assert_near(dp_data_ledger(x.d)->remainder, dp_data_ledger(y.d)->remainder,
                    2.0 * 6.0 * 0.5 * SLOW * SLOW + 1e-9 * dp_data_energy(y.d).gravity);
        assert_near(dp_data_ledger(x.d)->elastic, dp_data_ledger(y.d)->elastic,
                    1e-3 * dp_data_ledger(y.d)->elastic);
    }
    assert_true(deepest < -1e-3);          // it was hit,
    assert_true(sleepers(&x) >= 2 * HIGH); // and sleeps again
    mechanism_end(&x);
    mechanism_end(&y);
}

// ---- what wakes

typedef enum disturbance {
    PUSH,
    TWIST,
    MOVE,
    LIFT,
    TILT,
    SWITCH,
    CALL,
    DISTURBANCES,
} disturbance;

static void disturb(mechanism *x, disturbance how)
{
    dp_options *o = dp_data_options(x->d);
    switch (how) {
    case PUSH:
        dp_data_force(x->d)[6 * 1] = 0.1;
        break;
    case TWIST:
        dp_data_wrench(x->d, (dp_body_id){2})->t.z = 0.01;
        break;
    case MOVE:
        dp_data_v(x->d)[6 * 1 + 2] = 1e-3;
        break;
    case LIFT:
        dp_data_q(x->d)[7 * 1 + 2] += 1e-6;
        break;
    case TILT:
        o->gravity.x = 0.1;
        break;
    case SWITCH:
        o->disable_contact = true;
        break;
    case CALL:
        dp_body_wake(x->d, (dp_body_id){2});
        break;
    case DISTURBANCES:
        break;
    }
}

static void what_is_disturbed_wakes_with_all_that_it_touches(void **state)
{
    (void)state;
    for (int how = 0; how < DISTURBANCES; ++how) {
        mechanism x = sleeping_piles(2);
        disturb(&x, (disturbance)how);
        mechanism_steps(&x, 1);
        const bool all = how == TILT || how == SWITCH;
        assert_int_equal(sleepers(&x), all ? 0 : HIGH);
        for (int b = 1; b <= 2 * HIGH; ++b) {
            assert_int_equal(dp_body_is_asleep(x.d, (dp_body_id){b}), !all && b > HIGH);
        }
        mechanism_end(&x);
    }
}

static void a_force_that_does_not_change_lets_sleep(void **state)
{
    (void)state;
    mechanism x = make_piles(1, 0.0);
    let_sleep(&x);
    dp_data_force(x.d)[0] = 0.5; // friction holds it
    mechanism_steps(&x, 200);
    assert_int_equal(sleepers(&x), HIGH);
    mechanism_steps(&x, 50);
    assert_int_equal(sleepers(&x), HIGH);
    dp_data_force(x.d)[0] = 0.0;
    mechanism_steps(&x, 1);
    assert_int_equal(sleepers(&x), 0);
    mechanism_end(&x);
}

static void a_mocap_body_wakes_what_it_comes_to(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(STUFF, GRAVITY, STEP);
    (void)add_box(&x, 0, 0.1);
    (void)add_box(&x, 1, 0.1);
    const dp_body_id hand = mechanism_body(&x, DP_WORLD, "hand", (dp_v3){-0.5, 0.0, 0.1}, 1.0,
                                           (dp_v3){0.0, 0.0, 0.0}, (dp_v3){1.0, 1.0, 1.0});
    dp_spec_body(x.spec, hand)->mocap = true;
    dp_geom_spec geom = dp_geom_spec_default();
    geom.kind = DP_GEOM_SPHERE;
    geom.size[0] = 0.1;
    assert_ok(dp_spec_add_geom(NULL, x.spec, hand, &geom));
    mechanism_compile(&x);
    dp_data_q(x.d)[7] = 2.0;
    let_sleep(&x);
    mechanism_steps(&x, 200);
    assert_int_equal(sleepers(&x), 2);
    dp_data_mocap(x.d, 0)->p.x = -0.3; // a tenth of a metre away
    mechanism_steps(&x, 1);
    assert_int_equal(sleepers(&x), 2);
    dp_data_mocap(x.d, 0)->p.x = -0.199; // a millimetre deep
    mechanism_steps(&x, 1);
    assert_int_equal(sleepers(&x), 1);
    mechanism_steps(&x, 20);
    assert_true(dp_data_q(x.d)[0] > 0.5e-3); // pushed away
    mechanism_end(&x);
}

static void a_control_wakes_what_it_moves(void **state)
{
    (void)state;
    static const char SCENE[] =
        "<mujoco><worldbody><body name='a'><joint name='x' type='slide' axis='1 0 0'/>"
        "<geom size='0.1' mass='1'/></body><body name='b' pos='0 1 0'>"
        "<joint name='y' type='slide' axis='1 0 0'/><geom size='0.1' mass='1'/></body></worldbody>"
        "<actuator><position joint='x' kp='100' kv='20'/>"
        "<position joint='y' kp='100' kv='20'/></actuator></mujoco>";
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, SCENE, strlen(SCENE), "scene", NULL));
    mechanism x = mechanism_from(spec);
    let_sleep(&x);
    dp_data_control(x.d)[0] = dp_data_control(x.d)[1] = 0.3;
    mechanism_steps(&x, 3000);
    assert_int_equal(sleepers(&x), 2);
    dp_data_control(x.d)[1] = 0.4;
    mechanism_steps(&x, 1);
    assert_true(dp_body_is_asleep(x.d, (dp_body_id){1}));
    assert_false(dp_body_is_asleep(x.d, (dp_body_id){2}));
    mechanism_steps(&x, 3000);
    assert_near(dp_data_q(x.d)[0], 0.3, SLOW * WHILE);
    assert_near(dp_data_q(x.d)[1], 0.4, SLOW * WHILE);
    mechanism_end(&x);
}

static void what_has_other_rows_than_contacts_stays_awake(void **state)
{
    (void)state;
    mechanism x = contact_scene_begin(STUFF, GRAVITY, STEP);
    const dp_body_id box = add_box(&x, 0, 0.1);
    const dp_body_id lid = mechanism_body(&x, box, "lid", (dp_v3){0.0, 0.0, 0.2}, 0.5,
                                          (dp_v3){0.1, 0.0, 0.0}, (dp_v3){1e-3, 1e-3, 1e-3});
    dp_joint_spec *hinge =
        mechanism_joint(&x, lid, "hinge", DP_JOINT_HINGE, (dp_v3){0.0, 1.0, 0.0});
    hinge->limited = true;
    hinge->range[0] = -0.1;
    hinge->range[1] = 0.1;
    hinge->damping = 0.5;
    mechanism_compile(&x);
    let_sleep(&x);
    mechanism_steps(&x, 1000);
    for (int k = 0; k < 7; ++k) {
        assert_near(dp_data_v(x.d)[k], 0.0, 0.1 * SLOW); // it stands still
    }
    assert_int_equal(sleepers(&x), 0);
    mechanism_end(&x);
}

// ---- state

static void sleepers_are_saved_restored_and_copied(void **state)
{
    (void)state;
    mechanism x = make_piles(2, 6.0), y = make_piles(2, 6.0);
    let_sleep(&x);
    let_sleep(&y);
    dp_data_force(x.d)[0] = dp_data_force(y.d)[0] = 0.1;
    mechanism_steps(&x, 180);
    assert_int_equal(sleepers(&x), 2 * HIGH);
    const size_t bytes = dp_state_bytes(x.d);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_ok(dp_state_save(saved, bytes, x.d));
    assert_ok(dp_state_restore(y.d, saved, bytes));
    free(saved);
    assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
    assert_true(dp_body_is_asleep(y.d, (dp_body_id){1}));
    dp_data *z;
    assert_ok(dp_data_create(&z, x.m, NULL));
    assert_ok(dp_data_copy(z, x.d));
    for (int i = 0; i < 100; ++i) {
        mechanism_steps(&x, 1);
        mechanism_steps(&y, 1);
        assert_ok(dp_step(z));
        assert_true(dp_state_hash(x.d) == dp_state_hash(y.d));
        assert_true(dp_state_hash(x.d) == dp_state_hash(z));
    }
    dp_data_destroy(z);
    mechanism_end(&x);
    mechanism_end(&y);
}

static void a_force_after_a_restore_wakes(void **state)
{
    (void)state;
    mechanism x = sleeping_piles(1);
    const size_t bytes = dp_state_bytes(x.d);
    void *saved = malloc(bytes);
    assert_non_null(saved);
    assert_ok(dp_state_save(saved, bytes, x.d));
    dp_data_force(x.d)[2] = 1.0; // whether it is set before
    assert_ok(dp_state_restore(x.d, saved, bytes));
    mechanism_steps(&x, 1);
    assert_int_equal(sleepers(&x), 0);
    dp_data_force(x.d)[2] = 0.0;
    assert_ok(dp_state_restore(x.d, saved, bytes));
    dp_data_force(x.d)[2] = 1.0; // or afterwards
    mechanism_steps(&x, 1);
    assert_int_equal(sleepers(&x), 0);
    free(saved);
    mechanism_end(&x);
}

static dp_status refuse(void *context, dp_data *d)
{
    (void)d;
    return *(const bool *)context ? DP_ERROR_ARGUMENT : DP_OK;
}

static void a_failed_step_wakes_nobody(void **state)
{
    (void)state;
    mechanism x = sleeping_piles(2);
    bool fails = true;
    dp_data_set_control_callback(x.d, refuse, &fails);
    dp_data_force(x.d)[0] = 1.0;
    const uint64_t before = dp_state_hash(x.d);
    assert_int_equal(dp_step(x.d), DP_ERROR_CALLBACK);
    assert_true(dp_state_hash(x.d) == before);
    fails = false;
    mechanism_steps(&x, 1);
    assert_int_equal(sleepers(&x), HIGH);
    mechanism_end(&x);
}

static void sleepers_are_held_when_forces_are_asked_for(void **state)
{
    (void)state;
    mechanism x = sleeping_piles(1);
    assert_ok(dp_forward(x.d));
    for (int k = 0; k < 6 * HIGH; ++k) {
        assert_near(dp_data_acceleration(x.d)[k], 0.0, SLOW / STEP);
    }
    assert_near(contact_scene_load(x.d), 10.0 * (1.0 + 2.0 + 3.0), 1e-3); // floor and two boxes
    assert_ok(dp_find_contacts(x.d, NULL));
    assert_int_equal(dp_data_found_contact_count(x.d), 4 * HIGH);
    mechanism_steps(&x, 1);
    assert_int_equal(sleepers(&x), HIGH); // and sleep on
    mechanism_end(&x);
}

// Who sleeps is left out of the limit that the error control goes to, and of its error.
static void sleepers_stay_asleep_under_error_control(void **state)
{
    (void)state;
    for (double accuracy = 1e-2; accuracy > 0.9e-4; accuracy *= 0.1) {
        mechanism x = contact_scene_begin(STUFF, GRAVITY, 2.0 * STEP);
        (void)add_box(&x, 0, 0.11);
        (void)contact_scene_add(&x, "ball", DP_GEOM_SPHERE, 0.1, 1.0, 0.1, STUFF);
        mechanism_compile(&x);
        dp_data_q(x.d)[7] = 1.0; // beside the box
        let_sleep(&x);
        dp_data_options(x.d)->accuracy = accuracy;
        int begun = 0;
        for (int before = 0; sleepers(&x) < 2; before = sleepers(&x)) {
            mechanism_steps(&x, 1);
            assert_true(++begun < 200); // 2 s
            assert_true(sleepers(&x) >= before);
        }
        double q[14];
        memcpy(q, dp_data_q(x.d), sizeof q);
        for (int n = 0; n < 50; ++n) {
            mechanism_steps(&x, 1);
            assert_int_equal(sleepers(&x), 2);
            assert_int_equal(dp_data_report(x.d)->work.substeps, 4); // one part, in quarters
            assert_true(dp_data_report(x.d)->error == 0.0);
        }
        assert_memory_equal(dp_data_q(x.d), q, sizeof q);
        mechanism_end(&x);
    }
}

static void threads_change_no_bit_of_it(void **state)
{
    (void)state;
    static const int THREADS[] = {1, 2, 3, 8};
    uint64_t hash[2] = {0, 0};
    for (size_t i = 0; i < sizeof THREADS / sizeof *THREADS; ++i) {
        mechanism x = make_piles(50, 3.0);
        let_sleep(&x);
        assert_ok(dp_data_set_threads(x.d, THREADS[i]));
        mechanism_steps(&x, 120); // most sleep
        assert_true(sleepers(&x) >= 50 * HIGH);
        const uint64_t asleep = dp_state_hash(x.d);
        mechanism_steps(&x, 60); // the ball comes
        assert_true(i == 0 || (asleep == hash[0] && dp_state_hash(x.d) == hash[1]));
        hash[0] = asleep;
        hash[1] = dp_state_hash(x.d);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_sleeps_unless_it_is_asked_for),
        cmocka_unit_test(what_stands_still_sleeps_when_the_time_is_over),
        cmocka_unit_test(what_creeps_faster_than_the_limit_stays_awake),
        cmocka_unit_test(a_pile_that_is_hit_moves_as_one_that_never_slept),
        cmocka_unit_test(what_is_disturbed_wakes_with_all_that_it_touches),
        cmocka_unit_test(a_force_that_does_not_change_lets_sleep),
        cmocka_unit_test(a_mocap_body_wakes_what_it_comes_to),
        cmocka_unit_test(a_control_wakes_what_it_moves),
        cmocka_unit_test(what_has_other_rows_than_contacts_stays_awake),
        cmocka_unit_test(sleepers_are_saved_restored_and_copied),
        cmocka_unit_test(a_force_after_a_restore_wakes),
        cmocka_unit_test(a_failed_step_wakes_nobody),
        cmocka_unit_test(sleepers_are_held_when_forces_are_asked_for),
        cmocka_unit_test(sleepers_stay_asleep_under_error_control),
        cmocka_unit_test(threads_change_no_bit_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
