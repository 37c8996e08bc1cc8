// Names and paths that would break lines, reach the terminal or turn the direction of the text:
// none of it gets through, in messages, tables, JSON and files.
#include "json_text.h"
#include "near.h"
#include "program_run.h"
#include "text_file.h"

#include <dashpot/base.h>
#include <dashpot/format.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A line end, the 8-bit CSI of terminals, a right-to-left override, and letters that are to stay.
#define NAME "a&#10;dashpot: fine&#x9b;31m&#x202e;é日"
#define SHOWN "a\\ndashpot: fine\\u009b31m\\u202eé日"
#define SCENE DP_SCRATCH "/cli_names_\n\x1b[31m\xe2\x80\xae.xml"

static const char scene[] =
    "<mujoco model='" NAME "'><worldbody><geom name='" NAME "f' type='plane' size='1 1 1'/>"
    "<body name='" NAME "' pos='0 0 .1'><joint name='" NAME "' type='slide' axis='0 0 1'/>"
    "<geom name='" NAME "' size='.1'/></body></worldbody>"
    "<actuator><motor name='" NAME "' joint='" NAME "'/></actuator>"
    "<keyframe><key name='" NAME "'/></keyframe></mujoco>";

static void assert_clean(const char *text)
{
    static const char *const bad[] = {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\ndashpot: fine"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        const char *found = strstr(text, bad[i]);
        if (found) {
            fail_msg("found character %zu in '%.80s'", i, found);
        }
    }
}

static void no_command_prints_what_a_terminal_obeys(void **state)
{
    (void)state;
    write_text(SCENE, scene);
    const char *const command[][6] = {
        {"check", SCENE, "--contacts", "--forces", "--report"},
        {"check", SCENE, "--json"},
        {"run", SCENE, "--seconds", "0.01", "--report"},
        {"run", SCENE, "--seconds", "0.01", "--json", "--report"},
        {"run", SCENE, "--control", SCENE},
        {"run", SCENE, "--keyframe", "\x1b[31m\n"},
        {"bench", SCENE, "--seconds", "0.01"},
        {"convert", SCENE, "-"},
        {"solve", SCENE},
        {"\x1b[31m\n"},
    };
    for (size_t i = 0; i < sizeof command / sizeof *command; ++i) {
        const program_result *r = program_run(command[i]);
        assert_clean(r->out);
        assert_clean(r->err);
    }
    const program_result *r = RUN("check", SCENE);
    assert_non_null(strstr(r->out, "cli_names_\\n\\x1b[31m\\u202e.xml: " SHOWN "\n"));
    remove(SCENE);
}

// JSON keeps the name itself, in escapes of its own.
static void json_holds_the_name_in_escapes(void **state)
{
    (void)state;
    write_text(SCENE, scene);
    const program_result *r = RUN("run", SCENE, "--seconds", "0.01", "--json");
    assert_int_equal(r->code, 0);
    assert_non_null(strstr(r->out, "\"title\": \"a\\u000adashpot: fine\\u009b31m\\u202eé日\""));
    remove(SCENE);
}

static void messages_of_the_library_are_printable(void **state)
{
    (void)state;
    static const char text[] = "<mujoco><worldbody>\n<geom type='" NAME "'/></worldbody></mujoco>";
    dp_spec *spec;
    dp_import_report *report;
    assert_int_equal(dp_mjcf_parse(&spec, &report, text, strlen(text), "\x1b[2J\n.xml", NULL),
                     DP_ERROR_PARSE);
    dp_import_report_destroy(report);
    assert_clean(dp_last_error());
    assert_int_equal(strncmp(dp_last_error(), "\\x1b[2J\\n.xml:2: geom: found type '" SHOWN "'",
                             strlen("\\x1b[2J\\n.xml:2: geom: found type '" SHOWN "'")),
                     0);
}

static void csv_has_one_line_for_the_names(void **state)
{
    (void)state;
    static const char csv[] = DP_SCRATCH "/cli_names.csv";
    write_text(SCENE, scene);
    assert_int_equal(RUN("run", SCENE, "--seconds", "0.01", "--csv", csv)->code, 0);
    char *bytes;
    size_t count;
    assert_int_equal(dp_file_read(&bytes, &count, csv, NULL), DP_OK);
    assert_clean(bytes);
    assert_non_null(strstr(bytes, SHOWN));
    free(bytes);
    remove(csv);
    remove(SCENE);
}

static void printable_text_is_cut_between_characters(void **state)
{
    (void)state;
    char out[16];
    assert_int_equal(dp_text_printable(out, sizeof out, "é日\xff\n\x7f"), 15);
    assert_string_equal(out, "é日\\xff\\n\\x7f");
    assert_int_equal(dp_text_printable(out, 4, "é日"), 5); // no half of 日
    assert_string_equal(out, "é");
    assert_int_equal(dp_text_printable(out, 3, "\n\n"), 4); // no half of an escape
    assert_string_equal(out, "\\n");
    assert_int_equal(dp_text_printable(NULL, 0, "abc"), 3);
    // Joiners, which Persian and emoji need, and right-to-left letters stay.
    static const char joined[] = "می\xe2\x80\x8cخواهم";
    char whole[64];
    dp_text_printable(whole, sizeof whole, joined);
    assert_string_equal(whole, joined);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_command_prints_what_a_terminal_obeys),
        cmocka_unit_test(json_holds_the_name_in_escapes),
        cmocka_unit_test(messages_of_the_library_are_printable),
        cmocka_unit_test(csv_has_one_line_for_the_names),
        cmocka_unit_test(printable_text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
