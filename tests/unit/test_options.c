// Settings by name.
#include "near.h"

#include <dashpot/spec.h>

#include <stdio.h>
#include <string.h>

static void set(dp_options *o, const char *name, const char *value)
{
    if (dp_options_set(o, name, value) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
}

static void every_kind_of_setting_is_read(void **state)
{
    (void)state;
    dp_options o = dp_options_default();
    set(&o, "step", "1e-3");
    set(&o, "gravity", "0,-0.5,1.62");
    set(&o, "magnetic", "1 2 3");
    set(&o, "fluid_density", "1.2");
    set(&o, "wind", "0 -3 0");
    set(&o, "integrator", "rk45");
    set(&o, "max_substeps", "7");
    set(&o, "max_halvings", "0");
    set(&o, "patch_points", "4");
    set(&o, "large_rotation", "0");
    set(&o, "accuracy", "1e-5");
    set(&o, "law", "compliant");
    assert_int_equal(o.integrator, DP_INTEGRATOR_SEMI_IMPLICIT); // which has laws
    set(&o, "law", "lcp");
    set(&o, "law", "ode");
    assert_int_equal(o.integrator, DP_INTEGRATOR_RK45);
    assert_int_equal(o.solver.law, DP_LAW_COMPLIANT); // whose springs it integrates
    assert_string_equal(dp_options_law_name(&o), "ode");
    set(&o, "integrator", "cvode");
    set(&o, "law", "ode");
    assert_int_equal(o.integrator, DP_INTEGRATOR_CVODE);
    set(&o, "ode.stiffness", "1e6");
    assert_true(o.ode_stiffness == 1e6);
    set(&o, "law.tolerance", "1e-11");
    set(&o, "law.error_share", "0");
    set(&o, "law.max_factorizations", "9");
    set(&o, "ledger", "true");
    set(&o, "disable_limits", "1");
    assert_true(o.step == 1e-3);
    assert_true(o.gravity.x == 0.0 && o.gravity.y == -0.5 && o.gravity.z == 1.62);
    assert_true(o.magnetic.x == 1.0 && o.magnetic.y == 2.0 && o.magnetic.z == 3.0);
    assert_true(o.fluid_density == 1.2 && o.wind.y == -3.0);
    assert_int_equal(o.max_substeps, 7);
    assert_int_equal(o.max_halvings, 0);
    assert_int_equal(o.patch_points, 4);
    assert_true(o.large_rotation == 0.0 && o.accuracy == 1e-5);
    assert_int_equal(o.solver.law, DP_LAW_COMPLIANT);
    assert_true(o.solver.tolerance == 1e-11 && o.solver.error_share == 0.0);
    assert_int_equal(o.solver.max_factorizations, 9);
    assert_true(o.ledger && o.disable_limits);
}

static void a_value_that_does_not_fit_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *message;
    } cases[] = {
        {"stp", "1", "no option 'stp' (did you mean 'step'?)"},
        {"", "1", "missing"},
        {"step", "0", "step: '0' is not a positive number"},
        {"step", "nan", "is not a positive number"},
        {"step", "1e999", "is not a positive number"},
        {"step", " 1", "is not a positive number"},
        {"step", "1 ", "is not a positive number"},
        {"step", "", "is not a positive number"},
        {"large_rotation", "-1", "is not a number of 0 or more"},
        {"max_passes", "0", "is not a whole number above 0"},
        {"max_passes", "1.5", "is not a whole number above 0"},
        {"max_passes", "3000000000", "is not a whole number above 0"},
        {"max_halvings", "-1", "is not a whole number of 0 or more"},
        {"gravity", "1,2", "is not a vector (expected x,y,z)"},
        {"gravity", "1,2,3,4", "is not a vector"},
        {"gravity", "1,,2,3", "is not a vector"},
        {"gravity", "1,2,3,", "is not a vector"},
        {"ledger", "yes", "ledger: 'yes' is neither true nor false"},
        {"integrator", "euler",
         "integrator 'euler' is unknown (expected semi-implicit, rk4, rk45, implicit-euler or "
         "cvode)"},
        {"law", "rigid", "law 'rigid' is unknown"},
        {"compliant.variant", "published", "no option 'compliant.variant'"},
        {"vi.friction", "x", "(expected cone or disc)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        dp_options o = dp_options_default(), before = o;
        if (dp_options_set(&o, cases[i].name, cases[i].value) != DP_ERROR_ARGUMENT) {
            fail_msg("%s=%s is taken", cases[i].name, cases[i].value);
        }
        if (!strstr(dp_last_error(), cases[i].message)) {
            fail_msg("'%s' does not say '%s'", dp_last_error(), cases[i].message);
        }
        assert_memory_equal(&o.step, &before.step, sizeof o.step);
        assert_memory_equal(&o.gravity, &before.gravity, sizeof o.gravity);
        assert_int_equal(o.max_passes, before.max_passes);
        assert_int_equal(o.solver.vi.friction, before.solver.vi.friction);
        assert_int_equal(o.ledger, before.ledger);
    }
}

static void every_name_is_a_setting_and_listed_once(void **state)
{
    (void)state;
    assert_true(dp_options_name_count() > 20);
    for (int i = 0; i < dp_options_name_count(); ++i) {
        dp_options o = dp_options_default();
        assert_int_equal(dp_options_set(&o, dp_options_name(i), "?"), DP_ERROR_ARGUMENT);
        assert_null(strstr(dp_last_error(), "no option"));
        for (int k = 0; k < i; ++k) {
            assert_string_not_equal(dp_options_name(i), dp_options_name(k));
        }
    }
    assert_string_equal(dp_options_name(-1), "");
    assert_string_equal(dp_options_name(dp_options_name_count()), "");
}

// One table: what a problem file can set of a law, a scene can, too.
static void options_of_laws_have_the_same_names_everywhere(void **state)
{
    (void)state;
    static const char *const values[] = {"17",         "0.5",   "17",    "12",   "lemke",
                                         "projection", "0.125", "equal", "disc", "true",
                                         "poisson",    "0.25",  "0.5",   "0.75"};
    assert_int_equal(dp_law_options_name_count(), 14);
    for (int i = 0; i < dp_law_options_name_count(); ++i) {
        const char *name = dp_law_options_name(i), *value = values[i];
        const char *short_name = strchr(name, '.') + 1;
        dp_options o = dp_options_default();
        dp_law_options in_full = o.solver, in_short = o.solver;
        set(&o, name, value);
        assert_int_equal(dp_law_options_set(&in_full, name, value), DP_OK);
        assert_int_equal(dp_law_options_set(&in_short, short_name, value), DP_OK);
        for (int k = 0; k < dp_law_options_name_count(); ++k) {
            char of_options[64], of_full[64], of_short[64];
            dp_law_options_text(of_options, sizeof of_options, &o.solver, k);
            dp_law_options_text(of_full, sizeof of_full, &in_full, k);
            dp_law_options_text(of_short, sizeof of_short, &in_short, k);
            assert_string_equal(of_full, of_options);
            assert_string_equal(of_short, of_options);
            if (k == i) {
                assert_string_equal(of_full, value);
            }
        }
        // In a scene a tolerance could be anybody's.
        assert_int_equal(dp_options_set(&o, short_name, value), DP_ERROR_ARGUMENT);
        assert_int_equal(dp_law_options_set(&in_full, name, "-1"), DP_ERROR_ARGUMENT);
    }
    dp_law_options law = dp_law_options_default();
    assert_int_equal(dp_law_options_set(&law, "lcp.directions", "7"), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_law_options_set(&law, "lcp.directions", "2"), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_law_options_set(&law, "lcp.directions", "258"), DP_ERROR_ARGUMENT);
    assert_int_equal(law.lcp.directions, 8);
    assert_string_equal(dp_impact_rule_name((dp_impact_rule)99), "unknown");
    assert_string_equal(dp_polyhedral_method_name((dp_polyhedral_method)99), "unknown");
    assert_string_equal(dp_stabilisation_name((dp_stabilisation)99), "unknown");
    assert_string_equal(dp_rigid_weights_name((dp_rigid_weights)99), "unknown");
    assert_string_equal(dp_vi_friction_name((dp_vi_friction)99), "unknown");
    assert_string_equal(dp_integrator_name((dp_integrator)99), "unknown");
    assert_int_equal(dp_law_options_set(&law, "tamsi.slip_turn", "3.2"), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_law_options_set(&law, "step", "1"), DP_ERROR_ARGUMENT);
    assert_non_null(strstr(dp_last_error(), "unknown option 'step' of a law"));
    assert_string_equal(dp_law_options_name(-1), "");
    assert_string_equal(dp_law_options_name(14), "");
}

static void an_option_of_a_law_is_written_as_it_is_read(void **state)
{
    (void)state;
    dp_law_options law = {.tolerance = 0x1.23456789abcdep-30, .max_factorizations = 12345};
    law.lcp.directions = 6;
    law.rigid.stabilisation = DP_STABILISATION_PROJECTION;
    law.rigid.compliance = 0x1.23456789abcddp-20;
    law.error_share = 0x1.23456789abcddp-11;
    law.rigid.weights = DP_RIGID_WEIGHTS_EQUAL;
    law.vi.friction = DP_VI_FRICTION_DISC;
    law.vi.desaxce = true;
    law.impact.rule = DP_IMPACT_RULE_NEWTON;
    law.impact.speed = 0x1.23456789abcdfp-3;
    law.friction.slip_speed = 0x1.23456789abcdap-9;
    law.tamsi.slip_turn = 0x1.23456789abcdbp-1;
    dp_law_options again = dp_law_options_default();
    for (int i = 0; i < dp_law_options_name_count(); ++i) {
        char text[64];
        dp_law_options_text(text, sizeof text, &law, i);
        assert_int_equal(dp_law_options_set(&again, dp_law_options_name(i), text), DP_OK);
    }
    assert_true(again.tolerance == law.tolerance);
    assert_true(again.error_share == law.error_share);
    assert_int_equal(again.max_factorizations, law.max_factorizations);
    assert_int_equal(again.lcp.directions, law.lcp.directions);
    assert_int_equal(again.rigid.stabilisation, law.rigid.stabilisation);
    assert_true(again.rigid.compliance == law.rigid.compliance);
    assert_int_equal(again.rigid.weights, law.rigid.weights);
    assert_int_equal(again.vi.friction, law.vi.friction);
    assert_true(again.vi.desaxce);
    assert_int_equal(dp_law_options_set(&again, "rigid.compliance", "automatic"), DP_OK);
    assert_true(again.rigid.compliance == dp_law_options_default().rigid.compliance);
    assert_int_equal(again.impact.rule, law.impact.rule);
    assert_true(again.impact.speed == law.impact.speed);
    assert_true(again.friction.slip_speed == law.friction.slip_speed &&
                again.tamsi.slip_turn == law.tamsi.slip_turn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_setting_is_read),
        cmocka_unit_test(a_value_that_does_not_fit_is_refused_and_changes_nothing),
        cmocka_unit_test(every_name_is_a_setting_and_listed_once),
        cmocka_unit_test(options_of_laws_have_the_same_names_everywhere),
        cmocka_unit_test(an_option_of_a_law_is_written_as_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
