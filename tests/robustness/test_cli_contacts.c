// `dashpot check --contacts`: the list, its numbers, its manual.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <stdio.h>
#include <string.h>

#define SHELF DP_SCENES "/contact/shelf.xml"
#define SCRATCH(name) DP_SCRATCH "/contacts_" name

static void the_list_names_geoms_bodies_and_sums_up(void **state)
{
    (void)state;
    const program_result *r = RUN("check", SHELF, "--contacts");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    const char *expected[] = {"Contacts at the start, margin 0 m",
                              "geom A",
                              "body B",
                              "points of",
                              "overlap",
                              "weights sum to 1"};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
        assert_non_null(strstr(r->out, expected[k]));
    }
    assert_null(strstr(r->out, "Materials"));
    r = RUN("check", SHELF, "--contacts", "--keyframe", "fallen");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "Contacts at keyframe fallen"));
    assert_null(strstr(r->out, "board"));
}

// A cube of 0.2 m that is pressed 1 mm into the floor.
static const char cube[] =
    "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='cube' pos='0 0 0.099'><freejoint/><geom name='cube' type='box' size='.1 .1 .1'/>"
    "</body><body name='ball' pos='0 0 0.35'><freejoint/>"
    "<geom name='ball' type='sphere' size='.1' margin='0.02'/></body></worldbody></mujoco>";

static void a_cube_on_the_floor_has_four_corners_in_json(void **state)
{
    (void)state;
    write_text(SCRATCH("cube.xml"), cube);
    const program_result *r = RUN("check", SCRATCH("cube.xml"), "--contacts", "--json");
    assert_int_equal(r->code, 0);
    const char *contacts = strstr(r->out, "\"contacts\"");
    assert_non_null(contacts);
    assert_near(json_number(contacts, NULL, "pairs"), 1.0, 0.0);
    assert_near(json_number(contacts, NULL, "least_gap"), -0.001, 1e-15);
    int points = 0;
    double weights = 0.0;
    for (const char *at = strstr(contacts, "\"geom_a\""); at; at = strstr(at + 1, "\"geom_a\"")) {
        assert_near(json_number(at, NULL, "gap"), -0.001, 1e-15);
        weights += json_number(at, NULL, "weight");
        ++points;
    }
    assert_int_equal(points, 4);
    assert_near(weights, 1.0, 1e-14);
}

static void a_margin_finds_what_is_near(void **state)
{
    (void)state;
    write_text(SCRATCH("cube.xml"), cube);
    const char *path = SCRATCH("cube.xml");
    // The gap of cube and ball is 0.051 m; the ball brings 0.02 m of its own.
    const program_result *r = RUN("check", path, "--contacts", "--margin", "0.03");
    assert_null(strstr(r->out, " ball "));
    r = RUN("check", path, "--contacts", "--margin", "0.032");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, " ball "));
}

static void a_scene_that_cannot_run_is_listed_with_code_2(void **state)
{
    (void)state;
    write_text(
        SCRATCH("odd.xml"),
        "<mujoco><option collision='predefined'/><worldbody><geom type='plane' size='1 1 1'/><body "
        "pos='0 0 0.09'><freejoint/><geom name='ball' size='.1'/></body></worldbody>"
        "</mujoco>");
    const program_result *r = RUN("check", SCRATCH("odd.xml"), "--contacts");
    assert_int_equal(r->code, 2);
    assert_non_null(strstr(r->out, "Contacts at the start"));
    assert_non_null(strstr(r->out, " ball "));
    assert_non_null(strstr(r->err, "--allow collision"));
    assert_null(strstr(r->err, "--allow contact"));
}

static void a_scene_without_contact_says_so(void **state)
{
    (void)state;
    const program_result *r = RUN("check", DP_SCENES "/arm_7dof.xml", "--contacts");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "none"));
}

static void options_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    assert_int_equal(RUN("check", SHELF, "--margin", "0.1")->code, 2);
    assert_int_equal(RUN("check", SHELF, "--contacts", "--margin", "-1")->code, 2);
    assert_int_equal(RUN("check", SHELF, "--contacts", "--margin", "wide")->code, 2);
    assert_int_equal(RUN("check", SHELF, "--contacts", "--tree")->code, 2);
    assert_int_equal(RUN("check", SHELF, "--contacts", "--channels")->code, 2);
    assert_int_equal(RUN("check", SHELF, "--contacts", "--keyframe", "nowhere")->code, 2);
}

// The first command of docs/collision.md and what stands below it.
static void the_manual_shows_what_the_program_prints(void **state)
{
    (void)state;
    static char page[MOST_TEXT];
    read_text(page, DP_SOURCE "/docs/collision.md");
    const char *command = "$ dashpot check scenes/contact/shelf.xml --contacts --margin 0.01\n";
    const char *at = strstr(page, command);
    assert_non_null(at);
    at += strlen(command);
    const char *end = strstr(at, "```");
    assert_non_null(end);
    const program_result *r = RUN("check", SHELF, "--contacts", "--margin", "0.01");
    if (strlen(r->out) != (size_t)(end - at) || strncmp(r->out, at, strlen(r->out)) != 0) {
        fail_msg("docs/collision.md has another table than the program prints:\n%s", r->out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_names_geoms_bodies_and_sums_up),
        cmocka_unit_test(a_cube_on_the_floor_has_four_corners_in_json),
        cmocka_unit_test(a_margin_finds_what_is_near),
        cmocka_unit_test(a_scene_that_cannot_run_is_listed_with_code_2),
        cmocka_unit_test(a_scene_without_contact_says_so),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
        cmocka_unit_test(the_manual_shows_what_the_program_prints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
