// Trees that turn in a step by as much as explicit velocity terms are allowed, to the last digit.
#include "mechanism.h"

#include <dashpot/format.h>

#include <string.h>

// A balanced rotor of 20 rad/s on a plate that sticks to a slope: 0.1 rad in a step of 5 ms, which
// is large_rotation, once the impulses of the contacts have added their round-off.
static const char TEXT[] =
    "<mujoco><option timestep='0.005'/><default><geom friction='.6'/></default><worldbody>"
    "<geom type='box' size='5 5 .1' euler='0 20 0' pos='0 0 -.1'/>"
    "<body name='plate' pos='.0178 0 .049' euler='0 20 0'><freejoint/>"
    "<geom type='box' size='.3 .3 .05' mass='5'/>"
    "<body pos='0 0 .1'><joint name='rotor' type='hinge' axis='0 0 1'/>"
    "<geom type='box' size='.2 .02 .02' mass='1'/></body></body></worldbody></mujoco>";

static void steps_end_under_every_law_where_a_tree_turns_by_the_limit(void **state)
{
    (void)state;
    static const dp_law_kind laws[] = {DP_LAW_COMPLIANT, DP_LAW_NCP, DP_LAW_VI, DP_LAW_LCP,
                                       DP_LAW_TAMSI};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i) {
        dp_spec *spec;
        assert_ok(dp_mjcf_parse(&spec, NULL, TEXT, strlen(TEXT), "rotor.xml", NULL));
        dp_spec_options(spec)->solver.law = laws[i];
        mechanism x = mechanism_from(spec);
        dp_data_v(x.d)[6] = 20.0;
        for (int k = 0; k < 10; ++k) { // the limit is met within the first few
            mechanism_steps(&x, 1);
            assert_int_equal(dp_data_report(x.d)->unsolved, 0);
        }
        assert_near(dp_data_v(x.d)[6], 20.0, 1e-2);
        mechanism_end(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_end_under_every_law_where_a_tree_turns_by_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
