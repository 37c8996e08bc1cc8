// `dashpot run`, `solve` and `check` under the law `lcp`: what they say of it.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/law_lcp_" name

// A box that slides along no direction of the polygons, and a ball that bounces.
static const char scene[] =
    "<mujoco xmlns:dp='dashpot'><option timestep='0.005'/><dp:option law='lcp' ledger='true'/>"
    "<worldbody><geom name='floor' type='plane' size='1 1 1' friction='0.3' dp:restitution='0.5'/>"
    "<body name='low' pos='0 0 0.1'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' mass='2'/></body>"
    "<body name='ball' pos='0.5 0 0.3'><freejoint/>"
    "<geom type='sphere' size='.1' mass='1' dp:restitution='0.5'/></body></worldbody>"
    "<keyframe><key name='moving' qvel='1 0.3 0 0 0 0  0 0 0 0 0 0'/></keyframe></mujoco>";

static const char *write_scene(void)
{
    write_text(SCRATCH("scene.xml"), scene);
    return SCRATCH("scene.xml");
}

static void a_run_tells_bias_impacts_and_what_is_not_used(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", write_scene(), "--keyframe", "moving", "--seconds", "0.6", "--json");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    const char *worst = json_at(r->out, "certificate", "worst");
    assert_true(json_number(worst, NULL, "creep") <= 1e-13);
    assert_true(json_number(worst, NULL, "normal_law") <= 1e-12);
    assert_true(json_number(worst, NULL, "heading") > 0.1);
    assert_true(json_number(worst, NULL, "heading") <= 0.3927); // π/8
    assert_true(json_number(r->out, "rows", "impacts") >= 1.0);
    assert_near(json_number(r->out, "rows", "impact_gains"), 0.0, 0.0);
    assert_near(json_number(r->out, "rows", "fallback_steps"), 0.0, 0.0);
    assert_true(json_number(r->out, "ledger", "impacts") > 0.5); // (1 − e²) m g 0.2 m at least
    r = RUN("run", SCRATCH("scene.xml"), "--keyframe", "moving", "--seconds", "0.6",
            "--certificate");
    assert_non_null(strstr(r->out, "friction off by"));
    assert_non_null(strstr(r->out, "with restitution"));
    assert_non_null(strstr(r->out, "the law is rigid"));
    assert_null(strstr(r->err, "note:"));
}

static void check_says_that_springs_are_not_used(void **state)
{
    (void)state;
    const program_result *r = RUN("check", write_scene());
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "the law lcp is rigid"));
}

// What a run wrote is solved again to the same bits, and by the other law.
static void a_problem_of_a_run_is_solved_again(void **state)
{
    (void)state;
    const program_result *r = RUN("run", write_scene(), "--keyframe", "moving", "--seconds", "0.01",
                                  "--dump-problems", SCRATCH("dumped"));
    assert_int_equal(r->code, 0);
    r = RUN("solve", SCRATCH("dumped/problem-000001.txt"), "--json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "\"law\": \"lcp\""));
    assert_near(json_number(r->out, "stored", "v"), 0.0, 0.0);
    assert_true(json_number(r->out, "certificate", "heading") > 0.1);
    r = RUN("solve", SCRATCH("dumped/problem-000001.txt"), "--law", "compliant", "--json");
    assert_int_equal(r->code, 0);
    assert_true(json_number(r->out, "certificate", "heading") < 1e-6); // the true cone
}

static void bad_options_end_with_code_2(void **state)
{
    (void)state;
    static const struct {
        const char *setting, *message;
    } cases[] = {
        {"lcp.directions=7", "expected an even number"},
        {"rigid.stabilisation=none", "expected gap or projection"},
        {"impact.rule=hertz", "expected expedient, poisson or newton"},
        {"impact.speed=-1", "impact.speed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const program_result *r = RUN("run", write_scene(), "--set", cases[i].setting);
        assert_int_equal(r->code, 2);
        assert_non_null(strstr(r->err, cases[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_tells_bias_impacts_and_what_is_not_used),
        cmocka_unit_test(check_says_that_springs_are_not_used),
        cmocka_unit_test(a_problem_of_a_run_is_solved_again),
        cmocka_unit_test(bad_options_end_with_code_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
