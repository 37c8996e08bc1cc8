// Damaged complementarity files and scarce memory: reading ends with a problem or with a message,
// and what was read is solved or not, but told truly.
#include "counting_allocator.h"
#include "damage.h"
#include "lcp_draw.h"
#include "text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH DP_SCRATCH "/lcp_mutations.txt"

enum { MUTANTS = 4000, LONGEST = 1 << 16, MOST = 12 };

static const char *const word[] = {
    "M 1 1\n", "q 1 1\n", "lo 1 0\n", "hi 1 1\n", "z 1 0\n", "option seed 2\n", "inf", "-inf",
    "nan",     "1e999",   "-0",       "1e300",    "-1e300",  "5e-324",          "0",   "1",
    "-1",      "\n",      "#",        " ",        "\x80",    "2147483647",
};
enum { WORDS = sizeof word / sizeof *word };

static size_t rich_file(char text[MOST_TEXT])
{
    random_source r = {.state = 9};
    drawn_lcp x = lcp_new(5);
    lcp_draw_matrix(&x, LCP_MONOTONE, &r);
    lcp_draw_vector(&x, false, &r);
    x.p.lo = x.lo;
    x.p.hi = x.hi;
    x.lo[1] = -(double)INFINITY;
    x.hi[2] = 1.0;
    const dp_problem_option option[] = {{"lcp.method", "lemke"}, {"tolerance", "1e-9"}};
    const dp_problem_notes notes = {"everything", NULL, option, 2};
    assert_int_equal(dp_lcp_save(SCRATCH, &x.p, x.z, &notes), DP_OK);
    lcp_free(&x);
    read_text(text, SCRATCH);
    return strlen(text);
}

static void solve(const dp_lcp *p)
{
    double z[MOST], w[MOST];
    int scratch[4 * MOST];
    dp_lcp_info info;
    if (p->n > MOST) {
        return;
    }
    assert_int_equal(dp_lcp_solve(&(dp_lcp_solution){.z = z, .w = w}, p, NULL, NULL, &info), DP_OK);
    for (int i = 0; i < p->n; ++i) {
        assert_true(isfinite(z[i]) && isfinite(w[i]));
    }
    assert_true(info.residual == dp_lcp_residual(p, z, NULL, scratch));
    assert_true(info.outcome != DP_LCP_OUTCOME_SOLVED || info.residual <= 1e-10);
}

static bool swallow(const char *text, size_t n)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    char *exact = malloc(n + (n == 0)); // its end is the end of the text, for the sanitizer
    assert_non_null(exact);
    memcpy(exact, text, n);
    dp_lcp_file *file = (dp_lcp_file *)1;
    const dp_status status = dp_lcp_parse(&file, exact, n, "mutant", &allocator);
    if (status == DP_OK) {
        assert_int_equal(dp_lcp_check(dp_lcp_of(file)), DP_OK);
        solve(dp_lcp_of(file));
    } else {
        assert_null(file);
        assert_int_equal(status, DP_ERROR_PARSE);
        assert_memory_equal(dp_last_error(), "mutant:", 7);
    }
    dp_lcp_destroy(file);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    free(exact);
    return status == DP_OK;
}

static void a_damaged_file_gives_a_problem_or_a_message(void **state)
{
    (void)state;
    static char original[MOST_TEXT], text[LONGEST];
    const size_t n = rich_file(original);
    int sound = 0;
    for (int i = 0; i < MUTANTS; ++i) {
        random_source r = {.state = (uint64_t)i};
        damaged_text mutant = {text, n, sizeof text};
        memcpy(text, original, n);
        for (uint64_t k = 1 + random_bits(&r) % 3; k > 0; --k) {
            damage_text(&mutant, word, WORDS, &r);
        }
        sound += swallow(text, mutant.count);
    }
    assert_true(sound > MUTANTS / 100 && sound < MUTANTS); // some damage is harmless, most is not
}

static void damaged_values_give_a_problem_or_a_message(void **state)
{
    (void)state;
    static char original[MOST_TEXT], text[LONGEST];
    const size_t n = rich_file(original);
    int sound = 0;
    for (int i = 0; i < MUTANTS; ++i) {
        random_source r = {.state = (uint64_t)(1000000 + i)};
        damaged_text mutant = {text, n, sizeof text};
        memcpy(text, original, n);
        damage_value(&mutant, ' ', word, WORDS, &r);
        sound += swallow(text, mutant.count);
    }
    assert_true(sound > MUTANTS / 20);
}

static void every_beginning_of_a_file_gives_a_problem_or_a_message(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    const size_t n = rich_file(text);
    for (size_t k = 0; k <= n; ++k) {
        swallow(text, k);
    }
    assert_true(swallow(text, n));
}

static void each_allocation_of_the_reader_may_fail_in_turn(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    rich_file(text);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_lcp_file *file;
    assert_int_equal(dp_lcp_load(&file, SCRATCH, &allocator), DP_OK);
    const size_t calls = counts.calls;
    assert_true(calls > 4);
    dp_lcp_destroy(file);
    assert_int_equal(counts.blocks, 0);
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_lcp_load(&file, SCRATCH, &allocator), DP_ERROR_MEMORY);
        assert_null(file);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_gives_a_problem_or_a_message),
        cmocka_unit_test(damaged_values_give_a_problem_or_a_message),
        cmocka_unit_test(every_beginning_of_a_file_gives_a_problem_or_a_message),
        cmocka_unit_test(each_allocation_of_the_reader_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
