// MuJoCo's files with contact from the command line: they run as they are, and the report says what
// does not mean what it means in MuJoCo.
#include "near.h"
#include "program_run.h"

#include <string.h>

#define SCENE(name) DP_SOURCE "/tests/agreement/scenes/" name ".xml"

static void assert_runs(const char *path)
{
    const program_result *r = RUN("run", path, "--seconds", "0.3");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "all steps solved"));
}

// A text of the report, which breaks lines where it likes.
static void assert_says(const char *report, const char *text)
{
    for (const char *from = report; *from != '\0'; ++from) {
        const char *a = from, *b = text;
        while (*b != '\0') {
            if (*a == *b) {
                ++a;
                ++b;
            } else if (*a == '\n' && *b == ' ') {
                a += strspn(a, "\n ");
                ++b;
            } else {
                break;
            }
        }
        if (*b == '\0') {
            return;
        }
    }
    fail_msg("the report does not say '%s':\n%s", text, report);
}

static void files_of_mujoco_with_contact_run_as_they_are(void **state)
{
    (void)state;
    assert_runs(SCENE("table"));
    assert_runs(SCENE("hand_with_ball"));
    assert_runs(SCENE("doll"));
}

static void the_report_of_a_table_says_what_changed_its_meaning(void **state)
{
    (void)state;
    const program_result *r = RUN("check", SCENE("table"));
    assert_int_equal(r->code, 0);
    assert_says(r->out, "0 refused");
    assert_says(r->out,
                "<geom> 'box' and 3 more: by the spring k = m/((1 - d) T^2 z^2) and the "
                "damper b = 2 m/((1 - d) T) beyond the width of solimp, where T z = solref");
    assert_says(r->out, "<geom> 'ball' margin: contacts are found that early; the force sets in "
                        "where surfaces meet");
    assert_says(r->out, "<geom> 'ball' solref: by the spring k = -solref[0] m/(1 - d)");
    assert_says(r->out, "<pair> solimp: stiffness and damping grow with depth");
    assert_says(r->out, "used, with another meaning");
    assert_says(r->out, "5  default material: 2e7 N/m, 2e4 N s/m; MuJoCo's is softer: <geom>");
    assert_says(r->out, "1  rigid by default: MuJoCo's default is soft: <joint> range");
    assert_says(r->out, "a setting of MuJoCo's solver: <option> cone");
    assert_says(r->out, "1 exclude and 1 given pair");
}

static void the_report_of_a_doll_says_how_its_limits_and_skin_give(void **state)
{
    (void)state;
    const program_result *r = RUN("check", SCENE("doll"));
    assert_int_equal(r->code, 0);
    assert_says(r->out, "<geom> 'floor' and 14 more: by the spring k = m/((1 - d) T^2 z^2)");
    assert_says(r->out, "<joint> 'bend' and 9 more: of it only d, the second number");
    assert_null(strstr(r->out, "default material"));
    // what is approximated is more than a strict reader takes
    assert_int_equal(RUN("check", SCENE("doll"), "--strict")->code, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_mujoco_with_contact_run_as_they_are),
        cmocka_unit_test(the_report_of_a_table_says_what_changed_its_meaning),
        cmocka_unit_test(the_report_of_a_doll_says_how_its_limits_and_skin_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
