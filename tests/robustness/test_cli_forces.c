// `dashpot check --forces`: the tables, their numbers, their manual.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <stdio.h>
#include <string.h>

#define FOUR_BAR DP_SCENES "/four_bar.xml"
#define SCRATCH(name) DP_SCRATCH "/forces_" name

// A beam of 10 kg on three balls; its centre of mass is 0.3 m to the right.
static const char beam[] =
    "<mujoco><option gravity='0 0 -10'/><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' condim='1'/><body name='beam' pos='0 0 .1'>"
    "<freejoint/><inertial pos='.3 0 0' mass='10' diaginertia='1 1 1'/>"
    "<geom name='left' size='.1' pos='-1 0 0' condim='1'/><geom name='middle' size='.1' "
    "condim='1'/>"
    "<geom name='right' size='.1' pos='1 0 0' condim='1'/></body></worldbody>"
    "<keyframe><key name='up' qpos='0 0 1 1 0 0 0'/></keyframe></mujoco>";

static void the_table_names_connections_bodies_and_bounds(void **state)
{
    (void)state;
    write_text(SCRATCH("beam.xml"), beam);
    const program_result *r = RUN("check", SCRATCH("beam.xml"), "--forces");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    const char *expected[] = {
        "Reactions at the start\n",
        "3 components in 6 equations of rank 2: 1 is too many",
        "Not determined",
        "left on floor    beam  normal     z          18.333         0       35  N",
        "middle on floor  beam  normal     z          33.333         0       70  N",
        "right on floor   beam  normal     z          48.333        30       65  N",
        "least norm: of sqrt"};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
        if (!strstr(r->out, expected[k])) {
            fail_msg("no '%s' in\n%s", expected[k], r->out);
        }
    }
    assert_null(strstr(r->out, "Materials"));
}

static void a_keyframe_is_another_moment(void **state)
{
    (void)state;
    write_text(SCRATCH("beam.xml"), beam);
    const program_result *r = RUN("check", SCRATCH("beam.xml"), "--forces", "--keyframe", "up");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->out, "Reactions at keyframe up\n  none: nothing holds anything\n");
    r = RUN("check", SCRATCH("beam.xml"), "--forces", "--keyframe", "down");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->err, "down"));
}

static void json_has_rank_names_and_ranges(void **state)
{
    (void)state;
    write_text(SCRATCH("beam.xml"), beam);
    const program_result *r = RUN("check", SCRATCH("beam.xml"), "--forces", "--json");
    assert_int_equal(r->code, 0);
    const char *forces = strstr(r->out, "\"statics\"");
    assert_non_null(forces);
    assert_near(json_number(forces, NULL, "rank"), 2.0, 0.0);
    assert_near(json_number(forces, NULL, "nullity"), 1.0, 0.0);
    assert_near(json_number(forces, NULL, "undetermined"), 3.0, 0.0);
    const char *middle = strstr(forces, "\"middle on floor\"");
    assert_non_null(middle);
    assert_near(json_number(middle, NULL, "least_norm"), 100.0 / 3.0, 1e-10);
    assert_near(json_number(middle, NULL, "smallest"), 0.0, 1e-8);
    assert_near(json_number(middle, NULL, "largest"), 70.0, 1e-7);
    r = RUN("check", FOUR_BAR, "--forces", "--json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "\"largest\": null")); // without bound
    r = RUN("check", FOUR_BAR, "--json");
    assert_null(strstr(r->out, "\"statics\"")); // only where somebody asks
}

static void the_length_of_the_norm_can_be_given(void **state)
{
    (void)state;
    const program_result *r = RUN("check", FOUR_BAR, "--forces", "--length", "0.25");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "moment/0.25 m"));
}

static void a_determined_mechanism_says_so(void **state)
{
    (void)state;
    const program_result *r = RUN("check", DP_SCENES "/pendulum.xml", "--forces");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "equilibrium determines them all"));
    assert_null(strstr(r->out, "Not determined"));
}

static void options_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *option[4];
        const char *message;
    } bad[] = {{{"--length", "0.1"}, "--length goes with --forces"},
               {{"--forces", "--length", "0"}, "--length is 0 m (expected a number > 0)"},
               {{"--forces", "--length", "-1"}, "--length is -1 m (expected a number > 0)"},
               {{"--forces", "--length", "long"}, "long"},
               {{"--forces", "--tree"}, "--tree and --forces exclude each other"},
               {{"--forces", "--contacts"}, "--contacts and --forces exclude each other"},
               {{"--forces", "--channels"}, "--forces and --channels exclude each other"},
               {{"--forces", "--all"}, "--forces and --all exclude each other"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const char *arguments[8] = {"check", FOUR_BAR};
        for (int i = 0; i < 4 && bad[k].option[i]; ++i) {
            arguments[2 + i] = bad[k].option[i];
        }
        const program_result *r = program_run(arguments);
        assert_int_equal(r->code, 2);
        if (!strstr(r->err, bad[k].message)) {
            fail_msg("no '%s' in\n%s", bad[k].message, r->err);
        }
    }
}

// The first command of docs/forces.md and what stands below it.
static void the_manual_shows_what_the_program_prints(void **state)
{
    (void)state;
    static char page[MOST_TEXT];
    read_text(page, DP_SOURCE "/docs/forces.md");
    const char *command = "$ dashpot check scenes/four_bar.xml --forces\n";
    const char *at = strstr(page, command);
    assert_non_null(at);
    at += strlen(command);
    const char *end = strstr(at, "```");
    assert_non_null(end);
    const program_result *r = RUN("check", FOUR_BAR, "--forces");
    if (strlen(r->out) != (size_t)(end - at) || strncmp(r->out, at, strlen(r->out)) != 0) {
        fail_msg("docs/forces.md has another table than the program prints:\n%s", r->out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_names_connections_bodies_and_bounds),
        cmocka_unit_test(a_keyframe_is_another_moment),
        cmocka_unit_test(json_has_rank_names_and_ranges),
        cmocka_unit_test(the_length_of_the_norm_can_be_given),
        cmocka_unit_test(a_determined_mechanism_says_so),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
        cmocka_unit_test(the_manual_shows_what_the_program_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
