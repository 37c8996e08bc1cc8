// Foundations in `dashpot run`: pressures as channels and as a picture, run as a user runs them.
#include "near.h"
#include "program_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBE DP_SCENES "/cube_on_foundation.xml"
#define SCRATCH(name) DP_SCRATCH "/foundation_" name

static char text[MOST_TEXT];

static void assert_says(const char *all, const char *part)
{
    if (!strstr(all, part)) {
        fail_msg("found no '%s' in: %.2000s", part, all);
    }
}

static int count_of(const char *all, const char *part)
{
    int count = 0;
    for (const char *at = all; (at = strstr(at, part)); at += strlen(part)) {
        ++count;
    }
    return count;
}

static void a_run_draws_the_pressures(void **state)
{
    (void)state;
    remove(SCRATCH("map.svg"));
    const program_result *r =
        RUN("run", CUBE, "--seconds", "0.5", "--pressure", SCRATCH("map.svg"), "--certificate");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "rows             900");
    assert_says(r->out, SCRATCH("map.svg"));
    read_text(text, SCRATCH("map.svg"));
    assert_says(text, "<svg xmlns=");
    assert_says(text, "pressure [Pa]");
    assert_says(text, "cube: 128.5 N, at most "); // weight and load
    assert_says(text, "x [m]");
    assert_says(text, "prefers-color-scheme:dark");
    assert_says(text, "centre of pressure");
    // The highest pressure has the last colour, and so has the end of the scale.
    assert_in_range(count_of(text, "class=\"p47\""), 2, 30);
    assert_says(text, "</svg>");
}

static void what_stands_on_the_world_does_not_keep_its_momentum(void **state)
{
    (void)state;
    write_text(SCRATCH("free.xml"),
               "<mujoco xmlns:dp='dashpot'><option timestep='0.01'/><worldbody>"
               "<geom type='plane' size='1 1 1'/><body pos='0 0 0.5'><freejoint/>"
               "<geom name='block' type='box' size='0.5 0.5 0.5' density='8' dp:foundation='4 4'"
               " dp:youngs_modulus='1e7' dp:depth='1'/></body></worldbody></mujoco>");
    const program_result *r = RUN("run", SCRATCH("free.xml"), "--seconds", "0.2", "--pressure",
                                  SCRATCH("free.svg"), "--certificate");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "block may stand on the world");
    // Equal pressures: one strip per row of springs, in the last colour, beside that of the scale.
    read_text(text, SCRATCH("free.svg"));
    assert_int_equal(count_of(text, "class=\"p47\""), 4 + 1);
}

// A cube that is pressed down at one side: the springs of the other are open.
static void a_picture_shows_where_it_lifts(void **state)
{
    (void)state;
    write_text(
        SCRATCH("tipped.xml"),
        "<mujoco xmlns:dp='dashpot'><option timestep='0.01'/><worldbody>"
        "<geom type='plane' size='1 1 1'/><body pos='0 0 0.5'><joint type='slide' axis='0 0 1'/>"
        "<joint name='rock' axis='0 1 0'/><geom name='a&lt;b' type='box' size='0.5 0.5 0.5'"
        " density='8' dp:foundation='8 1' dp:youngs_modulus='1e7' dp:depth='1' "
        "dp:damping='100'/>"
        "</body></worldbody><actuator><motor joint='rock'/></actuator>"
        "<keyframe><key name='tipped' ctrl='25'/></keyframe></mujoco>");
    const program_result *r =
        RUN("run", SCRATCH("tipped.xml"), "--seconds", "1", "--keyframe", "tipped", "--pressure",
            SCRATCH("tipped.svg"), "--csv", SCRATCH("tipped.csv"), "--channels",
            "geom.*.pressure.*.0,geom.*");
    assert_int_equal(r->code, 0);
    read_text(text, SCRATCH("tipped.csv"));
    char *line = strrchr(text, '\n');
    *line = '\0';
    line = strrchr(text, '\n') + 1;
    double value[14];
    for (int i = 0; i < 14; ++i) {
        value[i] = strtod(line, &line);
        ++line;
    }
    // time, eight springs, force, highest, centre: in the order in which they were asked for.
    assert_near(value[1], 0.0, 0.0);
    for (int i = 2; i <= 8; ++i) {
        assert_true(value[i] >= value[i - 1]);
    }
    assert_close(value[9], 8.0 * 9.81, 1e-6);
    assert_near(value[10], value[8], 0.0);
    assert_true(value[11] > 0.2 && value[11] < 0.5); // the centre has moved to +x
    read_text(text, SCRATCH("tipped.svg"));
    assert_says(text, "a&lt;b: 78.48 N");
    assert_int_equal(count_of(text, "class=\"p47\""), 2); // the last spring alone, and the scale
}

static void springs_are_channels_for_those_who_ask(void **state)
{
    (void)state;
    const program_result *r = RUN("check", CUBE, "--channels");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "geom.cube.pressure_max");
    assert_says(r->out, "geom.cube.force");
    assert_null(strstr(r->out, "pressure.0.0"));
    r = RUN("run", CUBE, "--seconds", "0.02", "--csv", SCRATCH("all.csv"), "--channels", "*");
    assert_int_equal(r->code, 0);
    read_text(text, SCRATCH("all.csv"));
    assert_null(strstr(text, "pressure.0.0"));
    r = RUN("run", CUBE, "--seconds", "0.02", "--csv", SCRATCH("some.csv"), "--channels",
            "geom.cube.pressure.29.29,geom.cube.pressure.0.?");
    assert_int_equal(r->code, 0);
    read_text(text, SCRATCH("some.csv"));
    assert_says(text, "time,geom.cube.pressure.29.29,geom.cube.pressure.0.0,");
    assert_int_equal(count_of(text, "pressure"), 11);
    r = RUN("run", CUBE, "--seconds", "0.02", "--csv", SCRATCH("some.csv"), "--channels",
            "geom.cube.pressure.30.0");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "did you mean 'geom.cube.pressure.");
}

static void pictures_need_a_foundation_and_a_name(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", DP_SCENES "/pendulum.xml", "--pressure", SCRATCH("none.svg"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "has no elastic foundation over a plane (expected");
    assert_false(exists(SCRATCH("none.svg")));
    r = RUN("run", CUBE, "--pressure", SCRATCH("none.png"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "--pressure: ");
    assert_says(r->err, "(expected a name that ends in .svg)");
    r = RUN("run", CUBE, "--pressure", SCRATCH("none.svg"), "--plot", SCRATCH("none.svg"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "--plot and --pressure both write");
}

static void a_check_tells_what_stands_on_what(void **state)
{
    (void)state;
    const program_result *r = RUN("check", CUBE);
    assert_int_equal(r->code, 0);
    assert_says(r->out, "cube may stand on floor by 30 x 30 springs of 1.111e4 N/m");
    assert_says(r->out, "rows at the start: foundation 900");
    r = RUN("check", CUBE, "--json");
    assert_says(r->out, "\"nx\": 30");
}

static void a_problem_can_be_solved_again(void **state)
{
    (void)state;
    const program_result *r =
        RUN("run", CUBE, "--seconds", "0.03", "--dump-problems", SCRATCH("problems"), "--quiet");
    assert_int_equal(r->code, 0);
    r = RUN("solve", SCRATCH("problems") "/problem-000002.txt");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "900 rows in 1 block");
    assert_says(r->out, "the solution of the file has the same bits");
}

static void a_scene_survives_conversion(void **state)
{
    (void)state;
    const program_result *r = RUN("convert", CUBE, SCRATCH("copy.xml"));
    assert_int_equal(r->code, 0);
    read_text(text, SCRATCH("copy.xml"));
    assert_says(text, "dp:foundation=\"30 30\"");
    r = RUN("run", SCRATCH("copy.xml"), "--seconds", "0.1", "--certificate");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "rows             900");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_draws_the_pressures),
        cmocka_unit_test(what_stands_on_the_world_does_not_keep_its_momentum),
        cmocka_unit_test(a_picture_shows_where_it_lifts),
        cmocka_unit_test(springs_are_channels_for_those_who_ask),
        cmocka_unit_test(pictures_need_a_foundation_and_a_name),
        cmocka_unit_test(a_check_tells_what_stands_on_what),
        cmocka_unit_test(a_problem_can_be_solved_again),
        cmocka_unit_test(a_scene_survives_conversion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
