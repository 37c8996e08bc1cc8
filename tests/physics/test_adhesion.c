// Actuators that pull a body to what it touches.
#include "mechanism.h"

#include <dashpot/contact.h>
#include <dashpot/format.h>

#include <math.h>
#include <string.h>

static mechanism load(const char *text)
{
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, text, strlen(text), "a.xml", NULL));
    return mechanism_from(spec);
}

// A box of 2 kg under a ceiling, which it touches.
static const char ceiling[] =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<geom name='ceiling' type='box' size='1 1 .1' pos='0 0 1.1'/>"
    "<body name='box' pos='0 0 0.9000001'><freejoint/>"
    "<geom name='box' type='box' size='.1 .1 .1' mass='2'/></body></worldbody>"
    "<actuator><adhesion name='a' body='box' ctrlrange='0 1' gain='100'/></actuator></mujoco>";

static void a_box_hangs_from_the_ceiling_while_it_is_held(void **state)
{
    (void)state;
    mechanism x = load(ceiling);
    dp_data_control(x.d)[0] = 0.5;
    mechanism_steps(&x, 400);
    assert_near(dp_data_q(x.d)[2], 0.9, 1e-4);
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_actuator_force(x.d)[0], 50.0, 1e-12);
    // The ceiling pushes with what the adhesion has beyond the weight.
    const dp_body_id box = {1};
    assert_near(dp_contact_on_body(x.d, box, (dp_v3){0.0, 0.0, 0.0}).f.z, -(50.0 - 2.0 * 9.81),
                1e-6);
    dp_data_control(x.d)[0] = 0.0;
    mechanism_steps(&x, 60);
    assert_true(dp_data_q(x.d)[2] < 0.6);
    mechanism_end(&x);
}

static void less_than_its_weight_does_not_hold_it(void **state)
{
    (void)state;
    mechanism x = load(ceiling);
    dp_data_control(x.d)[0] = 0.19;
    mechanism_steps(&x, 60);
    assert_true(dp_data_q(x.d)[2] < 0.89);
    mechanism_end(&x);
}

static void what_touches_nothing_is_not_pulled(void **state)
{
    (void)state;
    mechanism x = load(ceiling);
    dp_data_control(x.d)[0] = 1.0;
    dp_data_q(x.d)[2] = 0.5;
    assert_ok(dp_forward(x.d));
    assert_near(dp_data_acceleration(x.d)[2], -9.81, 1e-12);
    mechanism_end(&x);
}

static void friction_holds_by_the_force_of_adhesion(void **state)
{
    (void)state;
    // On a wall, μ = 0.5: 50 N hold 25 N, and the weight is 19.62 N.
    mechanism x = load("<mujoco><option timestep='0.005'/><default><geom friction='0.5'/></default>"
                       "<worldbody><geom type='box' size='.1 1 1' pos='-.1 0 1'/>"
                       "<body name='box' pos='.0999999 0 1'><freejoint/>"
                       "<geom type='box' size='.1 .1 .1' mass='2'/></body></worldbody>"
                       "<actuator><adhesion body='box' ctrlrange='0 1' gain='100'/></actuator>"
                       "</mujoco>");
    dp_data_control(x.d)[0] = 0.5;
    mechanism_steps(&x, 400);
    assert_near(dp_data_q(x.d)[2], 1.0, 1e-4);
    dp_data_control(x.d)[0] = 0.35; // 17.5 N
    mechanism_steps(&x, 200);
    assert_true(dp_data_q(x.d)[2] < 0.95);
    mechanism_end(&x);
}

static void a_state_that_is_restored_moves_as_before(void **state)
{
    (void)state;
    mechanism x = load(ceiling);
    dp_data_control(x.d)[0] = 0.5;
    mechanism_steps(&x, 7);
    static unsigned char saved[100000];
    const size_t bytes = dp_state_bytes(x.d);
    assert_true(bytes <= sizeof saved);
    assert_ok(dp_state_save(saved, bytes, x.d));
    mechanism_steps(&x, 20);
    const uint64_t hash = dp_state_hash(x.d);
    mechanism_steps(&x, 5);
    assert_ok(dp_state_restore(x.d, saved, bytes));
    mechanism_steps(&x, 20);
    assert_true(dp_state_hash(x.d) == hash);
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_hangs_from_the_ceiling_while_it_is_held),
        cmocka_unit_test(less_than_its_weight_does_not_hold_it),
        cmocka_unit_test(what_touches_nothing_is_not_pulled),
        cmocka_unit_test(friction_holds_by_the_force_of_adhesion),
        cmocka_unit_test(a_state_that_is_restored_moves_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
