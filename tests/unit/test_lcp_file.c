// Complementarity problems as text: every bit comes back, and what is wrong is reported by file and
// line.
#include "lcp_draw.h"
#include "text_file.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH DP_SCRATCH "/lcp_file.txt"
#define INF ((double)INFINITY)

static void a_problem_comes_back_bit_for_bit(void **state)
{
    (void)state;
    for (int draw = 0; draw < 100; ++draw) {
        random_source r = {.state = (uint64_t)draw};
        drawn_lcp x = lcp_new((int)(random_bits(&r) % 6));
        const size_t n = (size_t)x.p.n;
        lcp_draw_matrix(&x, LCP_GENERAL, &r);
        lcp_scale(&x, 150, &r);
        lcp_draw_vector(&x, false, &r);
        if (n > 0) {
            x.M[0] = draw % 2 == 0 ? -0.0 : 5e-324;
            x.q[0] = -DBL_MAX;
            x.lo[0] = -INF;
        }
        const bool bounds = draw % 2 == 0, solution = draw % 3 == 0;
        x.p.lo = bounds ? x.lo : NULL;
        x.p.hi = bounds ? x.hi : NULL;
        const dp_problem_option option[] = {{"lcp.method", "lemke"}, {"seed", "3"}};
        const dp_problem_notes notes = {"two\nlines", "not kept", option, 2};
        assert_int_equal(dp_lcp_save(SCRATCH, &x.p, solution ? x.z : NULL, &notes), DP_OK);
        dp_lcp_file *file;
        assert_int_equal(dp_lcp_load(&file, SCRATCH, NULL), DP_OK);
        const dp_lcp *p = dp_lcp_of(file);
        assert_int_equal(p->n, x.p.n);
        assert_memory_equal(p->M, x.M, n * n * sizeof *p->M);
        assert_memory_equal(p->q, x.q, n * sizeof *p->q);
        assert_true((p->lo != NULL) == (bounds && n > 0) || n == 0);
        if (bounds && n > 0) {
            assert_memory_equal(p->lo, x.lo, n * sizeof *p->lo);
            assert_memory_equal(p->hi, x.hi, n * sizeof *p->hi);
        }
        assert_true((dp_lcp_stored(file) != NULL) == solution || n == 0);
        assert_int_equal(dp_lcp_notes(file)->noption, 2);
        assert_string_equal(dp_lcp_notes(file)->option[1].name, "seed");
        assert_null(dp_lcp_notes(file)->law);
        dp_lcp_destroy(file);
        lcp_free(&x);
    }
}

static void the_first_word_tells_what_a_text_is(void **state)
{
    (void)state;
    assert_true(dp_lcp_is_text("dashpot-lcp 1\n", 14));
    assert_true(dp_lcp_is_text("dashpot-lcp\t1", 13));
    assert_false(dp_lcp_is_text("dashpot-lcp", 11));
    assert_false(dp_lcp_is_text("dashpot-lcps 1", 14));
    assert_false(dp_lcp_is_text("dashpot-problem 1", 17));
    assert_false(dp_lcp_is_text("", 0));
}

static void what_is_wrong_is_told_by_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "in.txt:1: found the end of the line (expected dashpot-lcp 1)"},
        {"dashpot-problem 1\n", "in.txt:1: found 'dashpot-problem' (expected dashpot-lcp 1)"},
        {"dashpot-lcp 2\n", "in.txt:1: found '2' (expected version 1)"},
        {"dashpot-lcp 1 x\n", "in.txt:1: found 'x' (expected the end of the line)"},
        {"dashpot-lcp 1\n\nq 1 0\n", "in.txt:3: found no M (expected one)"},
        {"dashpot-lcp 1\nM 1 0", "in.txt:2: found no q (expected one)"},
        {"dashpot-lcp 1\nN 1 0\n", "in.txt:2: found 'N' (expected M, q, lo, hi, z or option)"},
        {"dashpot-lcp 1\nq 1 0\nq 1 0\n",
         "in.txt:3: found q again (expected it once, as in line 2)"},
        {"dashpot-lcp 1\nq one\n", "in.txt:2: found 'one' (expected how many values follow)"},
        {"dashpot-lcp 1\nq -1\n", "in.txt:2: found '-1' (expected how many values follow)"},
        {"dashpot-lcp 1\nq 9 1 2\n", "in.txt:2: found less than 9 values of q (expected 9)"},
        {"dashpot-lcp 1\nq 2 1 x\n", "in.txt:2: found 'x' (expected a number or inf)"},
        {"dashpot-lcp 1\nq 2 1 nan\n", "in.txt:2: found 'nan' (expected a number or inf)"},
        {"dashpot-lcp 1\nq 1 1 2\n", "in.txt:2: found '2' (expected the end of the line)"},
        {"dashpot-lcp 1\nM 2 1 1\nq 2 1 1\n",
         "in.txt:2: found 2 values of M (expected 4, the square of what q has)"},
        {"dashpot-lcp 1\nM 1 1\nq 1 1\n\nlo 2 0 0\n",
         "in.txt:5: found 2 values of lo (expected 1, as q has)"},
        {"dashpot-lcp 1\nM 1 inf\nq 1 1\n", "in.txt:2: M(0, 0) is inf (expected a finite number)"},
        {"dashpot-lcp 1\nM 1 1\nq 1 -inf\n", "in.txt:3: q[0] is -inf (expected a finite number)"},
        {"dashpot-lcp 1\nM 1 1\nq 1 1\nlo 1 3\nhi 1 2\n",
         "in.txt:5: hi[0] is 2 (expected no less than lo, 3)"},
        {"dashpot-lcp 1\nM 1 1\nq 1 1\nlo 1 inf\n",
         "in.txt:4: lo[0] is inf (expected a number or -inf)"},
        {"dashpot-lcp 1\nM 1 1\nq 1 1\nhi 1 -2\n",
         "in.txt:4: hi[0] is -2 (expected no less than lo, 0)"},
        {"dashpot-lcp 1\noption seed\n",
         "in.txt:2: found the end of the line (expected the value of the option)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        dp_lcp_file *file = (dp_lcp_file *)1;
        assert_int_equal(dp_lcp_parse(&file, cases[i].text, strlen(cases[i].text), "in.txt", NULL),
                         DP_ERROR_PARSE);
        assert_null(file);
        assert_string_equal(dp_last_error(), cases[i].message);
    }
    dp_lcp_file *file;
    assert_int_equal(dp_lcp_parse(&file, "dashpot-lcp 1\nM\0 0", 18, "in.txt", NULL),
                     DP_ERROR_PARSE);
    assert_string_equal(dp_last_error(), "in.txt:2: found a byte 0 (expected text)");
    assert_int_equal(dp_lcp_load(&file, DP_SCRATCH "/no_such_lcp.txt", NULL), DP_ERROR_IO);
    assert_null(file);
    dp_lcp_destroy(NULL);
}

static void options_that_are_no_words_are_not_written(void **state)
{
    (void)state;
    const double M = 1.0, q = 0.0;
    const dp_lcp p = {.n = 1, .M = &M, .q = &q};
    const dp_problem_option option = {"lcp.method", "two words"};
    const dp_problem_notes notes = {.option = &option, .noption = 1};
    assert_int_equal(dp_lcp_save(SCRATCH, &p, NULL, &notes), DP_ERROR_ARGUMENT);
    assert_int_equal(dp_lcp_save(DP_SCRATCH "/no/such/folder.txt", &p, NULL, NULL), DP_ERROR_IO);
}

// The file of the documentation is the one that is shipped.
static void the_shipped_problem_has_the_solution_that_it_tells(void **state)
{
    (void)state;
    dp_lcp_file *file;
    assert_int_equal(dp_lcp_load(&file, DP_SCENES "/problems/sliding_block_lcp.txt", NULL), DP_OK);
    const double *z = dp_lcp_stored(file);
    assert_non_null(z);
    int scratch[16];
    assert_near(dp_lcp_residual(dp_lcp_of(file), z, NULL, scratch), 0.0, 0.0);
    dp_lcp_destroy(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_comes_back_bit_for_bit),
        cmocka_unit_test(the_first_word_tells_what_a_text_is),
        cmocka_unit_test(what_is_wrong_is_told_by_line),
        cmocka_unit_test(options_that_are_no_words_are_not_written),
        cmocka_unit_test(the_shipped_problem_has_the_solution_that_it_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
