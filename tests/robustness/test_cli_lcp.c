// `dashpot solve` on complementarity files, run as a user runs it.
#include "json_text.h"
#include "near.h"
#include "program_run.h"

#include <string.h>

#define BLOCK DP_SCENES "/problems/sliding_block_lcp.txt"
#define SCRATCH(name) DP_SCRATCH "/cli_lcp_" name

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("found no '%s' in: %s", part, text);
    }
}

static void a_block_slides(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", BLOCK, "--rows");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_says(r->out, "4 variables: 0 free, 0 with a range at both ends");
    assert_says(r->out, "solved, residual 0 (tolerance 1e-10)");
    assert_says(r->out, "the z of the file has residual 0, and differs by 0");
    assert_says(r->out, "row    z  w  state");
    assert_says(r->out, "  3  2.5  0  between");
    r = RUN("solve", BLOCK, "--rows", "--json", "--set", "lcp.method=lemke");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    assert_memory_equal(json_at(r->out, NULL, "outcome"), "\"solved\"", 8);
    assert_memory_equal(json_at(r->out, NULL, "found_by"), "\"lemke\"", 7);
    assert_near(json_number(r->out, NULL, "n"), 4.0, 0.0);
    assert_near(json_number(r->out, "stored", "z"), 0.0, 0.0);
    assert_says(r->out, "\"z\": [2, 0, 1, 2.5]");
}

// 0 ≤ z, −1 ≥ 0: no solution, and that is proven.
static void a_problem_without_a_solution_ends_with_code_1(void **state)
{
    (void)state;
    write_text(SCRATCH("none.txt"), "dashpot-lcp 1\nM 1 0\nq 1 -1\n");
    const program_result *r = RUN("solve", SCRATCH("none.txt"));
    assert_int_equal(r->code, 1);
    assert_string_equal(r->err, "");
    assert_says(r->out, "ray: proven to have no solution, residual 1");
    r = RUN("solve", SCRATCH("none.txt"), "--json");
    assert_int_equal(r->code, 1);
    assert_memory_equal(json_at(r->out, NULL, "infeasible"), "true", 4);
    assert_memory_equal(json_at(r->out, NULL, "stored"), "null", 4);
}

static void dependent_rows_are_told(void **state)
{
    (void)state;
    write_text(SCRATCH("twice.txt"),
               "dashpot-lcp 1\nM 4 1 2 2 4\nq 2 -1 -2\nlo 2 -inf -inf\nhi 2 inf inf\n");
    const program_result *r = RUN("solve", SCRATCH("twice.txt"), "--rows");
    assert_int_equal(r->code, 0);
    assert_says(r->out, "2 variables: 2 free");
    assert_says(r->out, "1 row dropped, off by 0");
    assert_says(r->out, "dependent");
}

static void options_of_the_file_give_way_to_the_command_line(void **state)
{
    (void)state;
    write_text(SCRATCH("option.txt"), "dashpot-lcp 1\noption lcp.method lemke\nM 1 2\nq 1 -1\n");
    const program_result *r = RUN("solve", SCRATCH("option.txt"), "--json");
    assert_memory_equal(json_at(r->out, NULL, "method"), "\"lemke\"", 7);
    r = RUN("solve", SCRATCH("option.txt"), "--json", "--set", "method=pivoting", "--set",
            "tolerance=1e-6");
    assert_memory_equal(json_at(r->out, NULL, "method"), "\"pivoting\"", 10);
    assert_near(json_number(r->out, NULL, "tolerance"), 1e-6, 0.0);
}

static void bad_usage_and_bad_files_end_with_code_2(void **state)
{
    (void)state;
    static const struct {
        const char *argument[2], *message;
    } cases[] = {
        {{"--law", "compliant"}, "found a complementarity problem, which has no law"},
        {{"--cold"}, "has no impulses to start from (expected a step problem, or no --cold)"},
        {{"--set", "method"}, "--set: 'method' has no value (expected option=value)"},
        {{"--set", "method=simplex"},
         "'simplex' is unknown (expected automatic, lemke or pivoting)"},
        {{"--set", "restart=1"}, "unknown option 'restart' (did you mean 'restarts'?)"},
        {{"--set", "law.tolerance=1"}, "unknown option 'law.tolerance' (did you mean"},
        {{"--set", "tolerance=1"}, "'1' is too large (expected less than 1)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const program_result *r = RUN("solve", BLOCK, cases[i].argument[0], cases[i].argument[1]);
        assert_int_equal(r->code, 2);
        assert_says(r->err, cases[i].message);
        assert_string_equal(r->out, "");
    }
    write_text(SCRATCH("bad.txt"), "dashpot-lcp 1\nM 1 one\nq 1 1\n");
    const program_result *r = RUN("solve", SCRATCH("bad.txt"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "cli_lcp_bad.txt:2: found 'one' (expected a number or inf)");
    write_text(SCRATCH("bad.txt"), "dashpot-lcp 1\noption speed 1\nM 1 1\nq 1 1\n");
    r = RUN("solve", SCRATCH("bad.txt"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "cli_lcp_bad.txt: unknown option 'speed'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_slides),
        cmocka_unit_test(a_problem_without_a_solution_ends_with_code_1),
        cmocka_unit_test(dependent_rows_are_told),
        cmocka_unit_test(options_of_the_file_give_way_to_the_command_line),
        cmocka_unit_test(bad_usage_and_bad_files_end_with_code_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
