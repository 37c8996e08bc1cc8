// The inertia along a tendon.
#include "mechanism.h"

#include <dashpot/format.h>

#include <string.h>

static const char SCENE[] =
    "<mujoco><option timestep='0.001' gravity='0 0 0'/>"
    "<worldbody><body><joint name='j' type='slide' axis='1 0 0'/>"
    "<geom size='0.1' mass='1' contype='0' conaffinity='0'/></body></worldbody>"
    "<tendon><fixed name='t' armature='3'><joint joint='j' coef='2'/></fixed></tendon></mujoco>";

// l = 2 q: the mass of 1 kg feels 2² · 3 kg more.
static void a_mass_on_a_tendon_carries_its_armature(void **state)
{
    (void)state;
    dp_spec *spec;
    assert_ok(dp_mjcf_parse(&spec, NULL, SCENE, strlen(SCENE), "scene", NULL));
    dp_spec_options(spec)->ledger = true;
    mechanism x = mechanism_from(spec);
    dp_data_force(x.d)[0] = 26.0;
    mechanism_steps(&x, 1000);
    assert_near(dp_data_v(x.d)[0], 2.0, 1e-12);
    const dp_ledger *ledger = dp_data_ledger(x.d);
    assert_near(ledger->elastic, 0.5 * 3.0 * 4.0 * 4.0, 1e-11); // l̇ = 4 m/s
    assert_near(dp_data_energy(x.d).kinetic + ledger->elastic, ledger->applied + ledger->remainder,
                1e-11);
    assert_true(ledger->remainder <= 0.0 && ledger->remainder > -0.03); // ½ h a Σ F
    mechanism_end(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mass_on_a_tendon_carries_its_armature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
