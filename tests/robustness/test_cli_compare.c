// `dashpot compare`: every law shows its signature, in numbers, on shipped scenes.
#include "compared_rows.h"
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <math.h>
#include <string.h>

static const char ramp[] = DP_SCENES "/contact/ramp.xml";
static const char four_bar[] = DP_SCENES "/four_bar.xml";
static const char sliding[] = DP_SCRATCH "/compare_sliding.xml";
static const char csv[] = DP_SCRATCH "/compare.csv";

// On a ramp of angle a = 20° a box with μ = 0.25 slides from rest; it has the speed v = g (sin a −
// μ cos a) t at the end of its last step, and hovers at h μ v.
static void vi_hovers_by_step_times_friction_times_speed_and_the_others_do_not(void **state)
{
    (void)state;
    const program_result *r = RUN("compare", ramp, "--seconds", "1", "--json");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    const double a = 20.0 * 3.14159265358979323846 / 180.0, mu = 0.25, h = 0.01;
    const double v = 9.81 * (sin(a) - mu * cos(a)) * 1.0;
    assert_near(compared(r->out, "vi", "lift_off"), h * mu * v, 0.01 * h * mu * v);
    static const char *const others[] = {"compliant", "lcp", "ncp", "tamsi"};
    for (int i = 0; i < 4; ++i) {
        assert_true(compared(r->out, others[i], "lift_off") < 1e-9);
    }
}

static void tamsi_creeps_below_its_slip_speed_and_the_others_do_not(void **state)
{
    (void)state;
    const program_result *r = RUN("compare", ramp, "--seconds", "0.5", "--json");
    assert_int_equal(r->code, 0);
    // The box that stays is pulled by tan 20° / 0.5 = 0.73 of what friction can do.
    assert_near(compared(r->out, "tamsi", "creep"), 0.728e-4, 0.02e-4);
    static const char *const others[] = {"compliant", "lcp", "ncp", "vi"};
    for (int i = 0; i < 4; ++i) {
        assert_true(compared(r->out, others[i], "creep") < 1e-9);
    }
}

// A box that slides between two corners of the polygon; π/8 is half of what is between them.
static void polygons_turn_friction_and_cones_do_not(void **state)
{
    (void)state;
    write_text(sliding,
               "<mujoco><option timestep='.01'/><worldbody><geom type='plane' size='9 9 1'/>"
               "<body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .1 .05'/></body>"
               "</worldbody><keyframe><key name='go' qvel='2 .6 0 0 0 0'/></keyframe></mujoco>");
    const program_result *r =
        RUN("compare", sliding, "--keyframe", "go", "--seconds", "0.1", "--steps", "1e-3", "--laws",
            "all,lcp+lcp.directions=64", "--json");
    assert_int_equal(r->code, 0);
    const double pi = 3.14159265358979323846;
    const double eight = compared(r->out, "lcp", "heading");
    const double many = compared(r->out, "lcp+lcp.directions=64", "heading");
    assert_true(eight > 0.1 && eight <= pi / 8.0 + 1e-6);
    assert_true(many <= pi / 64.0 + 1e-6);
    assert_true(compared(r->out, "lcp", "apart") > 4.0 * compared(r->out, "ncp", "apart"));
    static const char *const others[] = {"compliant", "ncp", "tamsi"};
    for (int i = 0; i < 3; ++i) {
        assert_true(compared(r->out, others[i], "heading") < 1e-6);
    }
}

static void shorter_steps_come_to_the_reference_with_first_order(void **state)
{
    (void)state;
    const program_result *r = RUN("compare", ramp, "--seconds", "0.5", "--steps", "1e-2,2.5e-3",
                                  "--threads", "2", "--json");
    assert_int_equal(r->code, 0);
    static const char *const laws[] = {"compliant", "lcp", "ncp", "vi", "tamsi"};
    for (int i = 0; i < 5; ++i) {
        const char *coarse = compared_run(r->out, laws[i], 0),
                   *fine = compared_run(r->out, laws[i], 1);
        assert_true(coarse && fine);
        assert_near(json_number(coarse, NULL, "apart") / json_number(fine, NULL, "apart"), 4.0,
                    0.1);
    }
    assert_non_null(compared_run(r->out, "ode", 0));
    assert_null(compared_run(r->out, "ode", 1)); // it has steps of its own
}

// Where no law differs from another, the step is named, and not a law.
static void what_is_the_step_is_not_blamed_on_the_law(void **state)
{
    (void)state;
    const program_result *r =
        RUN("compare", four_bar, "--keyframe", "turning", "--seconds", "0.6", "--json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "What differs is the length of the step, not the law"));
    assert_non_null(strstr(r->out, "cannot run this scene: equality 'pin' is rigid"));
    assert_non_null(strstr(r->out, "compliant with steps of 1.25e-4 s"));
}

static void no_number_depends_on_the_threads(void **state)
{
    (void)state;
    static char one[MOST_TEXT], two[MOST_TEXT];
    assert_int_equal(RUN("compare", ramp, "--seconds", "0.2", "--csv", csv)->code, 0);
    read_text(one, csv);
    assert_int_equal(RUN("compare", ramp, "--seconds", "0.2", "--csv", csv, "--threads", "3")->code,
                     0);
    read_text(two, csv);
    const char *a = one, *b = two;
    while (*a && *b) { // all columns but the speed, which is the third from the end
        const size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        const char *end_a = a + n, *end_b = b + m;
        for (int comma = 0; comma < 3; ++comma) {
            do {
                --end_a;
            } while (*end_a != ',');
            do {
                --end_b;
            } while (*end_b != ',');
        }
        assert_int_equal(end_a - a, end_b - b);
        assert_memory_equal(a, b, (size_t)(end_a - a));
        a += n + 1;
        b += m + 1;
    }
    assert_true(*a == '\0' && *b == '\0');
}

static void patience_ends_a_run_and_says_so(void **state)
{
    (void)state;
    const program_result *r = RUN("compare", ramp, "--laws", "ode,ncp", "--patience", "0.01");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "ode: given up at t ="));
    assert_non_null(strstr(r->out, "(--patience)"));
}

static void runs_that_end_early_do_not_count_as_agreement(void **state)
{
    (void)state;
    const program_result *r = RUN("compare", DP_SCENES "/contact/wall.xml", "--seconds", "1",
                                  "--laws", "compliant,ncp", "--patience", "0.001", "--json");
    assert_int_equal(r->code, 0);
    assert_null(strstr(r->out, "stay within"));
    assert_non_null(strstr(r->out, "There is no reference"));
}

static void a_table_replaces_another_when_it_is_complete(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    write_text(csv, "mine");
    assert_int_equal(RUN("compare", ramp, "--laws", "ncp", "--seconds", "0.1", "--csv",
                         DP_SCRATCH "/no_such_folder/a.csv")
                         ->code,
                     2);
    assert_int_equal(RUN("compare", ramp, "--laws", "ncp", "--seconds", "0.1", "--csv", csv)->code,
                     0);
    read_text(text, csv);
    assert_non_null(strstr(text, "law,step,outcome"));
    assert_false(exists(DP_SCRATCH "/compare.csv.part"));
}

static void bad_words_are_refused(void **state)
{
    (void)state;
    const struct {
        const char *option, *value, *complaint;
    } bad[] = {
        {"--laws", "ncp,nco", "law 'nco' is unknown"},
        {"--laws", "ncp,ncp", "ncp is given twice"},
        {"--laws", "lcp+lcp.corners=8", "unknown option 'lcp.corners'"},
        {"--laws", "lcp+lcp.directions=7", "--laws lcp.directions: found 7"},
        {"--laws", "lcp+", "expected LAW+OPTION=VALUE"},
        {"--steps", "1e-2,3e-3", "a whole part of the longest"},
        {"--steps", "0", "numbers above 0"},
        {"--seconds", "0", "--seconds must be above 0"},
        {"--reference", "best", "expected ode, finest, none or one of --laws"},
        {"--threads", "0", "at least 1"},
        {"--friction-scale", "-1", "must not be negative"},
        {"--package", DP_SCENES, "--package belongs to URDF files"},
        {"--keyframe", "none", "no key 'none'"},
        {"--set", "stepp=1", "did you mean 'step'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const program_result *r = RUN("compare", ramp, bad[i].option, bad[i].value);
        assert_int_equal(r->code, 2);
        assert_non_null(strstr(r->err, bad[i].complaint));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vi_hovers_by_step_times_friction_times_speed_and_the_others_do_not),
        cmocka_unit_test(tamsi_creeps_below_its_slip_speed_and_the_others_do_not),
        cmocka_unit_test(polygons_turn_friction_and_cones_do_not),
        cmocka_unit_test(shorter_steps_come_to_the_reference_with_first_order),
        cmocka_unit_test(what_is_the_step_is_not_blamed_on_the_law),
        cmocka_unit_test(no_number_depends_on_the_threads),
        cmocka_unit_test(patience_ends_a_run_and_says_so),
        cmocka_unit_test(runs_that_end_early_do_not_count_as_agreement),
        cmocka_unit_test(a_table_replaces_another_when_it_is_complete),
        cmocka_unit_test(bad_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
