// `dashpot run --html`, as a user calls it.
#include "json_text.h"
#include "near.h"
#include "program_run.h"
#include "replay_text.h"

#include <stdio.h>
#include <string.h>

#define SCRATCH(name) DP_SCRATCH "/cli_replay_" name
#define PENDULUM DP_SCENES "/pendulum.xml"

static void a_run_leaves_a_page_with_its_facts(void **state)
{
    (void)state;
    const program_result *r = RUN("run", PENDULUM, "--seconds", "0.5", "--html", SCRATCH("a.html"));
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, SCRATCH("a.html")));
    const char *json = replay_json(SCRATCH("a.html"));
    assert_one_json_object(json);
    assert_non_null(strstr(json, "\"title\":\"pendulum\""));
    const char *steps = strstr(json, "[\"simulated\",\"");
    assert_non_null(steps); // the table that was printed
    char line[40];
    snprintf(line, sizeof line, "%.20s", steps + strlen("[\"simulated\",\""));
    line[strcspn(line, "\"")] = '\0';
    assert_non_null(strstr(r->out, line));
    assert_non_null(json_find(json, "channels", "name", "energy.total"));
}

static void names_that_cannot_be_written_are_refused_before_the_run(void **state)
{
    (void)state;
    static const struct {
        const char *path, *message;
    } bad[] = {
        {SCRATCH("a.htm"), "(expected a name that ends in .html)"},
        {DP_SCRATCH "/no/a.html", "--html"},
        {"-", "the standard output belongs to the table"},
        {PENDULUM, "is an input of this run"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const program_result *r = RUN("run", PENDULUM, "--html", bad[i].path);
        assert_int_equal(r->code, 2);
        assert_non_null(strstr(r->err, bad[i].message));
        assert_string_equal(r->out, "");
    }
    const program_result *r =
        RUN("run", PENDULUM, "--html", SCRATCH("same.html"), "--csv", SCRATCH("same.html"));
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "--csv and --html both write"));
    assert_false(exists(SCRATCH("same.html")));
}

static void a_page_changes_nothing_in_the_table_beside_it(void **state)
{
    (void)state;
    static char alone[MOST_TEXT], beside[MOST_TEXT];
    assert_int_equal(
        RUN("run", PENDULUM, "--seconds", "2", "--csv", SCRATCH("alone.csv"), "--quiet")->code, 0);
    assert_int_equal(RUN("run", PENDULUM, "--seconds", "2", "--csv", SCRATCH("beside.csv"),
                         "--html", SCRATCH("b.html"), "--quiet")
                         ->code,
                     0);
    read_text(alone, SCRATCH("alone.csv"));
    read_text(beside, SCRATCH("beside.csv"));
    assert_string_equal(alone, beside);
}

static void chosen_channels_are_plotted(void **state)
{
    (void)state;
    const program_result *r = RUN("run", PENDULUM, "--seconds", "0.1", "--channels", "joint.*",
                                  "--html", SCRATCH("c.html"), "--quiet");
    assert_int_equal(r->code, 0);
    const char *json = replay_json(SCRATCH("c.html"));
    assert_non_null(strstr(json, "\"name\":\"joint."));
    assert_non_null(json_find(json, "channels", "name", "energy.total"));
    r = RUN("run", PENDULUM, "--channels", "nothing.*", "--html", SCRATCH("none.html"));
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "nothing"));
    assert_false(exists(SCRATCH("none.html")));
}

// Six hundred frames at most: a long run takes no more room than a short one.
static void long_runs_are_thinned(void **state)
{
    (void)state;
    assert_int_equal(RUN("run", PENDULUM, "--seconds", "10", "--step", "0.001", "--html",
                         SCRATCH("long.html"), "--quiet")
                         ->code,
                     0);
    const char *json = replay_json(SCRATCH("long.html"));
    enum { FRAMES = 10000 / 17 + 2 }; // every 17th step, the first and the last
    static float times[FRAMES];
    replay_floats(times, FRAMES, json_at(json, "motion", "times"));
    assert_near((double)times[1], 0.017, 1e-6);
    assert_near((double)times[FRAMES - 1], 10.0, 1e-6);
}

static void robots_from_urdf_files_have_pages(void **state)
{
    (void)state;
    const program_result *r = RUN("run", DP_SCENES "/urdf/gripper.urdf", "--seconds", "0.1",
                                  "--html", SCRATCH("u.html"), "--quiet");
    assert_int_equal(r->code, 0);
    const char *json = replay_json(SCRATCH("u.html"));
    assert_one_json_object(json);
    assert_non_null(json_first(json, "joints"));
    assert_non_null(json_first(json, "geoms"));
}

static void hostile_names_stay_text(void **state)
{
    (void)state;
    write_text(SCRATCH("evil.xml"),
               "<mujoco model='&lt;/script&gt;&lt;script&gt;x()'><worldbody>"
               "<body name='&lt;!--&quot;\\'><freejoint/><geom size='0.1'/></body></worldbody>"
               "</mujoco>");
    assert_int_equal(
        RUN("run", SCRATCH("evil.xml"), "--seconds", "0.01", "--html", SCRATCH("evil.html"))->code,
        0);
    const char *json = replay_json(SCRATCH("evil.html"));
    assert_one_json_object(json);
    assert_null(strpbrk(json, "<>&"));
    assert_non_null(strstr(json, "\\u003c/script\\u003e\\u003cscript\\u003ex()"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_leaves_a_page_with_its_facts),
        cmocka_unit_test(names_that_cannot_be_written_are_refused_before_the_run),
        cmocka_unit_test(a_page_changes_nothing_in_the_table_beside_it),
        cmocka_unit_test(chosen_channels_are_plotted),
        cmocka_unit_test(long_runs_are_thinned),
        cmocka_unit_test(robots_from_urdf_files_have_pages),
        cmocka_unit_test(hostile_names_stay_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
