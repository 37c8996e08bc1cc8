// `dashpot solve` on the files of FCLIB and Siconos, run as a user runs it.
#include "fc_draw.h"
#include "json_text.h"
#include "program_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ROD DP_SCENES "/problems/rod_on_two_feet.txt"
#define LCP DP_SCENES "/problems/sliding_block_lcp.txt"
#define SCRATCH(name) DP_SCRATCH "/cli_fc_" name

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("found no '%s' in: %s", part, text);
    }
}

// 2 kg that fall at 1 m/s and slide at 3 m/s: 2 N s, and friction of 1 N s.
static const char *const block = "3\n1\n0\n3\n3\n3\t3\n0.5 0 0\n0 0.5 0\n0 0 0.5\n-1 3 0\n0.5\n";

static void a_block_slides(void **state)
{
    (void)state;
    write_text(SCRATCH("block.dat"), block);
    const program_result *r = RUN("solve", SCRATCH("block.dat"), "--rows");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_says(r->out, "1 contact in 3 dimensions, local form");
    assert_says(r->out, "solved, worst residual");
    assert_says(r->out, "as Siconos has it");
    assert_says(r->out, "0 open, 0 stick, 1 slide");
    assert_says(r->out, "slide\n");
    r = RUN("solve", SCRATCH("block.dat"), "--rows", "--json", "--set", "fc.method=cone");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    assert_memory_equal(json_at(r->out, NULL, "outcome"), "\"solved\"", 8);
    assert_memory_equal(json_at(r->out, NULL, "found_by"), "\"cone\"", 6);
    assert_true(json_number(r->out, "residual", "siconos") <= 1e-8);
    assert_true(json_number(r->out, "residual", "velocity") <= 1e-8);
    assert_memory_equal(json_at(r->out, NULL, "stored"), "null", 4);
}

static void a_crushed_ball_ends_with_code_1(void **state)
{
    (void)state;
    // One mass between two walls: W = [1 −1; −1 1] of the normals, both closing.
    write_text(SCRATCH("crushed.dat"),
               "3\n2\n0\n6\n6\n6\t6\n1 0 0 -1 0 0\n0 1 0 0 1 0\n0 0 1 0 0 1\n-1 0 0 1 0 0\n"
               "0 1 0 0 1 0\n0 0 1 0 0 1\n-1 0 0 -1 0 0\n0.5 0.5\n");
    const program_result *r = RUN("solve", SCRATCH("crushed.dat"));
    assert_int_equal(r->code, 1);
    assert_says(r->out, "infeasible");
    assert_says(r->out, "no velocity opens all contacts");
    r = RUN("solve", SCRATCH("crushed.dat"), "--json");
    assert_int_equal(r->code, 1);
    assert_memory_equal(json_at(r->out, NULL, "outcome"), "\"infeasible\"", 12);
    assert_true(json_number(r->out, NULL, "feasibility") <= 1e-12);
}

static void a_step_is_written_for_others_and_solved_again(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", ROD, "--write", SCRATCH("rod.dat"));
    assert_int_equal(r->code, 0);
    r = RUN("solve", SCRATCH("rod.dat"), "--json");
    assert_int_equal(r->code, 0);
    assert_near(json_number(r->out, NULL, "contacts"), 2.0, 0.0);
    assert_memory_equal(json_at(r->out, NULL, "form"), "\"local\"", 7);
    r = RUN("solve", ROD, "--write", SCRATCH("global.dat"), "--form", "global");
    assert_int_equal(r->code, 0);
    r = RUN("solve", SCRATCH("global.dat"), "--json", "--write", SCRATCH("local.dat"), "--form",
            "local");
    assert_int_equal(r->code, 0);
    assert_memory_equal(json_at(r->out, NULL, "form"), "\"global\"", 8);
    static char one[MOST_TEXT], two[MOST_TEXT];
    read_text(one, SCRATCH("rod.dat"));
    read_text(two, SCRATCH("local.dat"));
    assert_string_equal(one, two);
}

static void fclib_keeps_the_solution(void **state)
{
    (void)state;
    if (!dp_fc_has_hdf5()) {
        skip();
    }
    write_text(SCRATCH("block.dat"), block);
    const program_result *r = RUN("solve", SCRATCH("block.dat"), "--write", SCRATCH("block.hdf5"));
    assert_int_equal(r->code, 0);
    r = RUN("solve", SCRATCH("block.hdf5"), "--json");
    assert_int_equal(r->code, 0);
    assert_true(json_number(r->out, "stored", "worst") <= 1e-8);
    r = RUN("solve", SCRATCH("block.hdf5"));
    assert_says(r->out, "cli_fc_block.dat");
    assert_says(r->out, "the r of the file has");
}

static void complementarity_problems_go_to_siconos_and_back(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", LCP, "--write", SCRATCH("lcp.dat"));
    assert_int_equal(r->code, 0);
    r = RUN("solve", SCRATCH("lcp.dat"), "--rows", "--write", SCRATCH("lcp.txt"));
    assert_int_equal(r->code, 0);
    assert_says(r->out, "  3  2.5  0  between");
    r = RUN("solve", SCRATCH("lcp.txt"));
    assert_int_equal(r->code, 0);
}

static void a_folder_is_profiled(void **state)
{
    (void)state;
    const char *const folder = SCRATCH("folder");
    assert_true(mkdir(folder, 0777) == 0 || errno == EEXIST);
    write_text(SCRATCH("folder/block.dat"), block);
    static char text[MOST_TEXT];
    read_text(text, ROD);
    write_text(SCRATCH("folder/rod.txt"), text);
    read_text(text, LCP);
    write_text(SCRATCH("folder/lcp.txt"), text);
    write_text(SCRATCH("folder/notes"), "nothing of the kind");
    const program_result *r = RUN("solve", "--profile", folder, "--plot", SCRATCH("profile.svg"),
                                  "--csv", SCRATCH("profile.csv"));
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_says(r->out, "2 friction-contact problems"); // the block, and the rod as one
    assert_says(r->out, "1 step problems");
    assert_says(r->out, "1 complementarity problems");
    assert_says(r->out, "cone");
    assert_says(r->out, "compliant");
    read_text(text, SCRATCH("profile.csv"));
    assert_says(text, "file,kind,solver,outcome,solved,seconds,residual\n");
    assert_says(text, "\"block.dat\",friction-contact problems,newton,solved,1,");
    assert_says(text, "\"rod.txt\",step problems,compliant,converged,1,");
    read_text(text, SCRATCH("profile.svg"));
    assert_says(text, "<svg");
    assert_says(text, "Performance profile");
    r = RUN("solve", "--profile", folder, "--json");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    r = RUN("solve", "--profile", SCRATCH("nowhere"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "cannot be read");
    r = RUN("solve", ROD, "--profile", folder);
    assert_int_equal(r->code, 2);
    assert_says(r->err, "--profile: found a file");
    r = RUN("solve", ROD, "--plot", SCRATCH("profile.svg"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "--plot goes with --profile");
    r = RUN("solve");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "no FILE given");
}

static void wrong_use_is_told(void **state)
{
    (void)state;
    write_text(SCRATCH("block.dat"), block);
    const program_result *r = RUN("solve", SCRATCH("block.dat"), "--law", "lcp");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "found a friction-contact problem, which has no law");
    r = RUN("solve", SCRATCH("block.dat"), "--set", "fc.metod=cone");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "fc.metod");
    r = RUN("solve", SCRATCH("block.dat"), "--set", "fc.method=fast");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "'fast' is unknown (expected automatic, newton or cone)");
    r = RUN("solve", SCRATCH("block.dat"), "--form", "flat");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "--form 'flat' is unknown (expected local or global)");
    r = RUN("solve", SCRATCH("block.dat"), "--write", SCRATCH("no.dat"), "--form", "global");
    assert_int_equal(r->code, 1);
    assert_says(r->err, "has no M and H");
    write_text(SCRATCH("bad.dat"), "3\n1\n9\n");
    r = RUN("solve", SCRATCH("bad.dat"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "cli_fc_bad.dat:3: found '9' (expected 0, 1 or 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides),
        cmocka_unit_test(a_crushed_ball_ends_with_code_1),
        cmocka_unit_test(a_step_is_written_for_others_and_solved_again),
        cmocka_unit_test(fclib_keeps_the_solution),
        cmocka_unit_test(complementarity_problems_go_to_siconos_and_back),
        cmocka_unit_test(a_folder_is_profiled),
        cmocka_unit_test(wrong_use_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
