// `dashpot solve`, run as a user runs it.
#include "json_text.h"
#include "made_problem.h"
#include "program_run.h"

#include <dashpot/advanced/law.h>
#include <dashpot/law.h>

#include <stdio.h>
#include <string.h>

#define ROD DP_SCENES "/problems/rod_on_two_feet.txt"
#define SCRATCH(name) DP_SCRATCH "/solve_" name

static void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("found no '%s' in: %s", part, text);
    }
}

// The particle of docs/problem-file.md with a text of its own in front of it and a stored solution.
static const char *particle(const char *notes, const char *v, const char *gamma)
{
    char text[2000];
    snprintf(text, sizeof text,
             "dashpot-problem 1\n%sproblem\nh 1 0.5\ntree_start 2 0 1\nparent 1 -1\nMt 1 2\n"
             "v0 1 -3\nv_free 1 -3\nrow_start 2 0 1\nid 1 2a\ncol_start 2 0 1\ncol 1 0\nG 1 1\n"
             "phi 1 0.25\nphi_t 1 0\nk 1 inf\nb 1 0\nb_ref 1 0\nlo 1 0\nhi 1 inf\nlen 1 1\n"
             "warm\nid 1 2a\nrow_start 2 0 1\ngamma 1 4\n"
             "solution\nv 1 %s\ngamma 1 %s\nstate 1 active\n",
             notes, v, gamma);
    write_text(SCRATCH("particle.txt"), text);
    return SCRATCH("particle.txt");
}

// ---- what it finds

static void a_rod_rests_on_one_foot_of_two(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", ROD, "--json", "--rows");
    assert_int_equal(r->code, 0);
    assert_one_json_object(r->out);
    const char *first = json_first(r->out, "rows");
    assert_near(json_number(first, NULL, "gamma"), 0.0981, 1e-12);
    assert_near(json_number(json_next(first), NULL, "gamma"), 0.0, 1e-12);
    assert_near(json_number(r->out, "certificate", "normal_law"), 0.0, 1e-9);
    assert_near(json_number(r->out, "certificate", "penetration"), 9.81e-7, 1e-12); // m g/k
}

// The stop is 0.25 m away: it is reached at −0.5 m/s with γ = 2·2.5 N s.
static void the_tables_tell_size_outcome_certificate_and_rows(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", particle("", "-0.5", "5"), "--rows");
    assert_int_equal(r->code, 0);
    assert_string_equal(r->err, "");
    assert_says(r->out, "1 velocity in 1 tree, 1 row in 1 block, step 0.5 s");
    assert_says(r->out, "compliant, from the impulses of the file");
    assert_says(r->out, "converged, residual ");
    assert_says(r->out, "1 island");
    assert_says(r->out, "1 with an impulse, 0 dependent on others");
    assert_says(r->out, "penetration");
    assert_says(r->out, "2a       0        5  -0.5        0  active\n");
}

// A spring of 100 N/m, pressed in by 0.1 m between two walls: γ = h k 0.1 = 2.5 N s, whatever the
// dashpot.
static void a_row_that_meets_no_velocity_has_its_impulse(void **state)
{
    (void)state;
    write_text(SCRATCH("walls.txt"),
               "dashpot-problem 1\nproblem\nh 1 0.25\ntree_start 1 0\nparent 0\nMt 0\nv0 0\n"
               "v_free 0\nrow_start 2 0 1\nid 1 5\ncol_start 2 0 0\ncol 0\nG 0\nphi 1 -0.1\n"
               "phi_t 1 0\nk 1 100\nb 1 1\nb_ref 1 0\nlo 1 0\nhi 1 inf\nlen 1 1\n");
    const program_result *r = RUN("solve", SCRATCH("walls.txt"), "--json", "--rows");
    assert_string_equal(r->err, "");
    assert_int_equal(r->code, 0);
    assert_near(json_number(json_first(r->out, "rows"), NULL, "gamma"), 2.5, 1e-14);
}

// ---- against the stored solution

// Two contacts, of which the second meets no velocity: its spring just pushes.
static void a_contact_that_meets_no_velocity_is_solved_by_compliant_laws(void **state)
{
    (void)state;
    write_text(SCRATCH("still.txt"),
               "dashpot-problem 1\nproblem\nh 1 0.01\ntree_start 2 0 2\nparent 2 -1 0\n"
               "Mt 3 1 1 0\nv0 2 0 0\nv_free 2 -0.1 0\nrow_start 3 0 3 6\nid 2 1 2\n"
               "col_start 3 0 2 2\ncol 2 0 1\nG 6 1 0 0 1 0 0\nphi 6 -1e-3 0 0 -1e-3 0 0\n"
               "phi_t 6 0 0 0 0 0 0\nk 6 1e4 0 0 1e4 0 0\nb 6 0 inf inf 0 inf inf\n"
               "b_ref 6 0 0 0 0 0 0\nlo 6 0 -inf -inf 0 -inf -inf\n"
               "hi 6 inf inf inf inf inf inf\nlen 6 1 1 1 1 1 1\nfriction\nblock 2 0 1\n"
               "mu 4 0.5 0.5 0.5 0.5\ntorsion 2 0 0\nroll 4 0 0 0 0\n");
    static const char *const laws[] = {"compliant", "tamsi"};
    for (int i = 0; i < 2; ++i) {
        const program_result *r =
            RUN("solve", SCRATCH("still.txt"), "--law", laws[i], "--json", "--rows");
        assert_int_equal(r->code, 0);
        assert_one_json_object(r->out);
    }
}

static void a_stored_solution_is_compared_bit_by_bit(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", particle("", "-0.5", "5"));
    assert_says(r->out, "the solution of the file has the same bits");
    r = RUN("solve", particle("", "-0.5", "5.25"));
    assert_int_equal(r->code, 0);
    assert_says(r->out, "differs by 0 m/s, 0.25 N s, 0 states");
    r = RUN("solve", particle("", "-0.5", "5.25"), "--json");
    assert_one_json_object(r->out);
    assert_memory_equal(json_at(r->out, "stored", "same_bits"), "false", 5);
    assert_near(json_number(r->out, "stored", "gamma"), 0.25, 0.0);
    r = RUN("solve", ROD, "--json");
    assert_memory_equal(json_at(r->out, NULL, "stored"), "null", 4);
}

// What the library finds, written to a file, is found again by the program.
static void the_program_gives_the_bits_of_the_library(void **state)
{
    (void)state;
    random_source r = {.state = 61};
    made_problem m;
    for (int repeat = 0; repeat < 8; ++repeat) {
        make_problem(&m, 4, 6, &r);
        double v[MADE_V], gamma[MADE_ROWS];
        uint8_t row_state[MADE_ROWS];
        dp_step_solution solution = {v, gamma, row_state};
        const dp_law_options law = dp_law_options_default();
        dp_solve_info info;
        if (dp_law_solve(&solution, &m.p, NULL, &law, NULL, &info) != DP_OK ||
            dp_problem_save(SCRATCH("dump.txt"), &m.p, NULL, &solution, NULL) != DP_OK) {
            fail_msg("%s", dp_last_error());
        }
        const program_result *run = RUN("solve", SCRATCH("dump.txt"), "--json");
        assert_string_equal(run->err, "");
        assert_memory_equal(json_at(run->out, "stored", "same_bits"), "true", 4);
        assert_near(json_number(run->out, NULL, "residual"), info.residual, 0.0);
    }
}

// ---- options

static void the_command_line_goes_before_the_file_and_that_before_the_default(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", particle("", "-0.5", "5"), "--json");
    assert_near(json_number(r->out, NULL, "tolerance"), dp_law_options_default().tolerance, 0.0);
    const char *notes = "law compliant\noption tolerance 1e-7\n";
    r = RUN("solve", particle(notes, "-0.5", "5"), "--json");
    assert_near(json_number(r->out, NULL, "tolerance"), 1e-7, 0.0);
    r = RUN("solve", particle(notes, "-0.5", "5"), "--json", "--law", "compliant", "--set",
            "tolerance=1e-6");
    assert_near(json_number(r->out, NULL, "tolerance"), 1e-6, 0.0);
    r = RUN("solve", particle(notes, "-0.5", "5"), "--json", "--set", "law.tolerance=1e-5");
    assert_near(json_number(r->out, NULL, "tolerance"), 1e-5, 0.0);
    r = RUN("solve", particle("option law.tolerance 1e-4\n", "-0.5", "5"), "--json");
    assert_near(json_number(r->out, NULL, "tolerance"), 1e-4, 0.0);
    r = RUN("solve", particle("law none\n", "-0.5", "5"), "--law", "compliant");
    assert_int_equal(r->code, 0);
}

static void every_option_of_a_law_can_be_set(void **state)
{
    (void)state;
    const dp_law_options usual = dp_law_options_default();
    for (int i = 0; i < dp_law_options_name_count(); ++i) {
        char value[64], assignment[160];
        dp_law_options_text(value, sizeof value, &usual, i);
        snprintf(assignment, sizeof assignment, "%s=%s", dp_law_options_name(i), value);
        assert_int_equal(RUN("solve", ROD, "--set", assignment)->code, 0);
    }
}

static void a_cold_start_leaves_the_impulses_of_the_file_aside(void **state)
{
    (void)state;
    const program_result *r = RUN("solve", particle("", "-0.5", "5"), "--json");
    assert_memory_equal(json_at(r->out, NULL, "warm"), "true", 4);
    r = RUN("solve", particle("", "-0.5", "5"), "--json", "--cold");
    assert_memory_equal(json_at(r->out, NULL, "warm"), "false", 5);
    assert_near(json_number(r->out, "stored", "gamma"), 0.0, 1e-12);
}

// ---- what goes wrong

static void bad_usage_and_bad_files_end_with_code_2(void **state)
{
    (void)state;
    static const struct {
        const char *argument[3], *message;
    } cases[] = {
        {{"--law", "newton"},
         "--law: law 'newton' is unknown (expected compliant, lcp, ncp, vi or tamsi)"},
        {{"--set", "tolerance"}, "--set: 'tolerance' has no value (expected option=value)"},
        {{"--set", "tolerance=-1"}, "--set tolerance: '-1' is not a positive number"},
        {{"--set", "max_factorizations=0"}, "'0' is not a whole number above 0"},
        {{"--set", "variant=published"}, "unknown option 'variant'"},
        {{"--set", "tolerence=1"}, "unknown option 'tolerence' (did you mean 'tolerance'?)"},
        {{"--set", "law.tolerence=1"}, "unknown option 'law.tolerence' (did you mean"},
        {{"--set", "step=1"}, "unknown option 'step' ('dashpot help solve' lists them)"},
        {{"--row"}, "unknown option '--row' (did you mean '--rows'?)"},
    };
    const program_result *r;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        r = RUN("solve", ROD, cases[i].argument[0], cases[i].argument[1]);
        assert_int_equal(r->code, 2);
        assert_says(r->err, cases[i].message);
        assert_string_equal(r->out, "");
    }
    r = RUN("solve");
    assert_int_equal(r->code, 2);
    assert_says(r->err, "no FILE given");
    r = RUN("solve", SCRATCH("missing.txt"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "solve_missing.txt: cannot be opened");
    r = RUN("solve", DP_SCENES "/pendulum.xml");
    assert_int_equal(r->code, 2);
    assert_says(r->err,
                "pendulum.xml: found XML, as of a scene (expected a problem; 'dashpot run'");
    r = RUN("solve", particle("", "-0.5", "five"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "solve_particle.txt:28: found 'five' (expected a number or inf)");
    r = RUN("solve", particle("law none\n", "-0.5", "5"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "solve_particle.txt: law 'none' is unknown");
    r = RUN("solve", particle("option pace 1\n", "-0.5", "5"));
    assert_int_equal(r->code, 2);
    assert_says(r->err, "solve_particle.txt: unknown option 'pace'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_rests_on_one_foot_of_two),
        cmocka_unit_test(the_tables_tell_size_outcome_certificate_and_rows),
        cmocka_unit_test(a_row_that_meets_no_velocity_has_its_impulse),
        cmocka_unit_test(a_contact_that_meets_no_velocity_is_solved_by_compliant_laws),
        cmocka_unit_test(a_stored_solution_is_compared_bit_by_bit),
        cmocka_unit_test(the_program_gives_the_bits_of_the_library),
        cmocka_unit_test(the_command_line_goes_before_the_file_and_that_before_the_default),
        cmocka_unit_test(every_option_of_a_law_can_be_set),
        cmocka_unit_test(a_cold_start_leaves_the_impulses_of_the_file_aside),
        cmocka_unit_test(bad_usage_and_bad_files_end_with_code_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
