// Each law shows its signature, and no other, on scenes of every kind.
#include "compared_rows.h"
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <math.h>
#include <string.h>

static const char *const LAWS[] = {"compliant", "lcp", "ncp", "vi", "tamsi"};
static const char five[] = "compliant,lcp,ncp,vi,tamsi";
enum { LAW_COUNT = 5, VI = 3, TAMSI = 4 };

// What friction holds creeps under tamsi, below its slip speed, and under no other law; what slides
// hovers under vi, and under no other law; all steps are solved.
static void assert_signatures(const char *json, bool holds, bool slides)
{
    const double slip_speed = 1e-4;
    for (int i = 0; i < LAW_COUNT; ++i) {
        const double creep = compared(json, LAWS[i], "creep");
        const double lift = compared(json, LAWS[i], "lift_off");
        const double most = i == TAMSI ? slip_speed : 1e-9; // the tolerance of a row
        assert_true(creep <= most && (!holds || i != TAMSI || creep > 1e-3 * slip_speed));
        assert_true(i == VI && slides ? lift > 1e-6 : lift < 1e-9);
        assert_true(compared(json, LAWS[i], "unsolved") == 0.0);
    }
}

static const char *compare(const char *scene, const char *seconds, const char *keyframe)
{
    const program_result *r = keyframe
                                  ? RUN("compare", scene, "--seconds", seconds, "--laws", five,
                                        "--reference", "finest", "--json", "--keyframe", keyframe)
                                  : RUN("compare", scene, "--seconds", seconds, "--laws", five,
                                        "--reference", "finest", "--json");
    assert_int_equal(r->code, 0);
    return r->out;
}

static void a_gripper_holds_under_every_law(void **state)
{
    (void)state;
    const char *json = compare(DP_SCENES "/contact/gripper.xml", "2", NULL);
    assert_signatures(json, true, false);
    for (int i = 0; i < LAW_COUNT; ++i) { // the cube stays with the hand; creep takes 2 s · 1e-4
        assert_true(compared(json, LAWS[i], "most_apart") < 2.5e-4);
    }
}

static void a_stack_sinks_by_its_springs_and_not_under_rigid_laws(void **state)
{
    (void)state;
    const char *json = compare(DP_SCENES "/contact/sphere_stack.xml", "1", NULL);
    assert_signatures(json, false, false);
    const double pi = 3.14159265358979323846;
    const double weight = 1000.0 * 4.0 / 3.0 * pi * pow(0.05, 3.0) * 9.81, k = 1e7;
    for (int i = 0; i < LAW_COUNT; ++i) {
        const double overlap = compared(json, LAWS[i], "overlap");
        if (i == 0 ||
            i == TAMSI) { // the lowest carries a hundred balls, and more while they settle
            assert_true(overlap > 100.0 * weight / k && overlap < 200.0 * weight / k);
        } else {
            assert_true(overlap < 1e-12);
        }
    }
}

static void a_table_rests_on_four_legs_by_weight_over_stiffness(void **state)
{
    (void)state;
    const char *json = compare(DP_SCENES "/paper/preclik_table.xml", "1", NULL);
    assert_signatures(json, false, false);
    // 1 N on four legs of 1e6 N/m; the sum of the normal forces is the weight under every law.
    assert_near(compared(json, "compliant", "overlap"), 0.25e-6, 0.01e-6);
    for (int i = 0; i < LAW_COUNT; ++i) {
        assert_near(compared(json, LAWS[i], "force"), 1.0, 1e-3);
    }
}

static void a_four_bar_is_the_same_under_every_law_and_does_not_drift(void **state)
{
    (void)state;
    const char *json = compare(DP_SCENES "/four_bar.xml", "1", "turning");
    const double off = compared(json, "compliant", "apart");
    for (int i = 0; i < LAW_COUNT; ++i) {
        assert_true(compared(json, LAWS[i], "drift") < 1e-12);
        assert_near(compared(json, LAWS[i], "apart"), off, 1e-6 * off); // of the step, not the law
    }
}

static void a_cradle_keeps_its_energy_under_every_law(void **state)
{
    (void)state;
    const char *json = compare(DP_SCENES "/contact/cradle.xml", "0.6", "lifted");
    for (int i = 0; i < LAW_COUNT; ++i) { // e = 1
        assert_true(fabs(compared(json, LAWS[i], "energy_change")) < 1e-5);
    }
}

// v becomes 5/7 of what it was, when slip ends; while it lasts, vi hovers by h μ v at most.
static void a_sphere_slips_and_then_rolls_and_vi_hovers_before(void **state)
{
    (void)state;
    const char *json = compare(DP_SCENES "/contact/slip_to_roll.xml", "1", "thrown");
    assert_signatures(json, true, true);
    const double h = 1e-3, v = 2.0;
    const double hover = compared(json, "vi", "lift_off");
    assert_true(hover <= h * 1.0 * v && hover > 0.1 * h * v); // μ is below 1
    for (int i = 0; i < LAW_COUNT; ++i) {
        assert_true(compared(json, LAWS[i], "apart") < 1e-3);
        assert_near(compared(json, LAWS[i], "energy_change"), -0.5 * (2.0 / 7.0) * v * v, 5e-3);
    }
}

static void a_humanoid_stands_under_every_law(void **state)
{
    (void)state;
    const char *json = compare(DP_SCENES "/humanoid_stands.xml", "0.5", NULL);
    assert_signatures(json, true, false);
    for (int i = 0; i < LAW_COUNT; ++i) {
        assert_true(compared(json, LAWS[i], "most_apart") < 1e-3);
    }
}

// Without its motors it collapses: feet hold, then slide, and each law shows what it is known for.
static void a_humanoid_falls_under_every_law_each_with_its_signature(void **state)
{
    (void)state;
    const program_result *r =
        RUN("compare", DP_SCENES "/humanoid_stands.xml", "--seconds", "0.8", "--laws", five,
            "--reference", "finest", "--set", "disable_actuation=true", "--json");
    assert_int_equal(r->code, 0);
    assert_signatures(r->out, true, true);
    const double half_a_side = 3.14159265358979323846 / 8.0; // of the polygon
    const double off = compared(r->out, "lcp", "heading");
    assert_true(off > 0.1 && off <= half_a_side + 1e-6);
    assert_true(compared(r->out, "compliant", "heading") < 1e-4);
    assert_true(compared(r->out, "ncp", "heading") < 1e-4);
    for (int i = 0; i < LAW_COUNT; ++i) { // it has fallen, and much the same way
        assert_true(compared(r->out, LAWS[i], "energy_change") < -10.0);
        assert_true(compared(r->out, LAWS[i], "most_apart") < 1e-2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gripper_holds_under_every_law),
        cmocka_unit_test(a_stack_sinks_by_its_springs_and_not_under_rigid_laws),
        cmocka_unit_test(a_table_rests_on_four_legs_by_weight_over_stiffness),
        cmocka_unit_test(a_four_bar_is_the_same_under_every_law_and_does_not_drift),
        cmocka_unit_test(a_cradle_keeps_its_energy_under_every_law),
        cmocka_unit_test(a_sphere_slips_and_then_rolls_and_vi_hovers_before),
        cmocka_unit_test(a_humanoid_stands_under_every_law),
        cmocka_unit_test(a_humanoid_falls_under_every_law_each_with_its_signature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
