// Damaged problem files and scarce memory: whatever comes in, reading ends with a problem that a
// law can take or with a message. No crash, no leak, no memory beyond a multiple of the text.
#include "counting_allocator.h"
#include "damage.h"
#include "made_problem.h"
#include "program_run.h"

#include <dashpot/advanced/problem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH DP_SCRATCH "/problem_mutations.txt"

enum { MUTANTS = 4000, LONGEST = 1 << 17 };

static const char *const word[] = {
    "problem\n", "warm\n",  "solution\n", "law x\n", "option a b\n",     "id 1 ff\n", "inf",
    "-inf",      "nan",     "1e999",      "-0",      "2147483647",       "-1",        "999999999",
    "\n",        "#",       " ",          "h 1 1\n", "state 1 lo\n",     "\x80",      "5e-324",
    "gamma 0\n", "col 0\n", "parent 0\n", "k",       "ffffffffffffffff",
};
enum { WORDS = sizeof word / sizeof *word };

// A file with everything.
static size_t rich_file(char text[MOST_TEXT], int ntree, int nblock)
{
    random_source r = {.state = 51};
    made_problem m;
    make_problem(&m, ntree, nblock, &r);
    double gamma[MADE_ROWS] = {0};
    uint8_t row_state[MADE_ROWS] = {0};
    const dp_warm warm = {m.p.nblock, m.id, m.row_start, gamma, NULL};
    const dp_problem_option option[] = {{"tolerance", "1e-9"}, {"vi.friction", "cone"}};
    const dp_problem_notes notes = {"everything", "compliant", option, 2};
    if (dp_problem_save(SCRATCH, &m.p, &warm, &(dp_step_solution){m.v_free, gamma, row_state},
                        &notes) != DP_OK) {
        fail_msg("%s", dp_last_error());
    }
    read_text(text, SCRATCH);
    return strlen(text);
}

// Reading ends well, or with a message that begins with the label and a line.
static bool swallow(const char *text, size_t n, int mutant)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    char *exact = malloc(n + (n == 0)); // its end is the end of the text, for the sanitizer
    assert_non_null(exact);
    memcpy(exact, text, n);
    dp_problem_file *file = (dp_problem_file *)1;
    const dp_status status = dp_problem_parse(&file, exact, n, "mutant", &allocator);
    if (status == DP_OK) {
        double scratch[MADE_V];
        dp_certificate c;
        const dp_step_problem *p = dp_problem_of(file);
        assert_int_equal(dp_problem_check(p, NULL), DP_OK);
        if (dp_problem_solution(file)->v && p->nv <= MADE_V) {
            dp_problem_certify(&c, p, dp_problem_solution(file), scratch);
        }
    } else {
        assert_null(file);
        if (status != DP_ERROR_PARSE || strncmp(dp_last_error(), "mutant:", 7) != 0) {
            fail_msg("mutant %d: %s: %s", mutant, dp_status_name(status), dp_last_error());
        }
    }
    dp_problem_destroy(file);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    free(exact);
    return status == DP_OK;
}

static void a_damaged_file_gives_a_problem_or_a_message(void **state)
{
    (void)state;
    static char original[MOST_TEXT], text[LONGEST];
    const size_t n = rich_file(original, 3, 4);
    int sound = 0;
    for (int i = 0; i < MUTANTS; ++i) {
        random_source r = {.state = (uint64_t)i};
        damaged_text mutant = {text, n, sizeof text};
        memcpy(text, original, n);
        for (uint64_t k = 1 + random_bits(&r) % 3; k > 0; --k) {
            damage_text(&mutant, word, WORDS, &r);
        }
        sound += swallow(text, mutant.count, i);
    }
    assert_true(sound > MUTANTS / 100 && sound < MUTANTS); // some damage is harmless, most is not
}

static void damaged_values_give_a_problem_or_a_message(void **state)
{
    (void)state;
    static char original[MOST_TEXT], text[LONGEST];
    const size_t n = rich_file(original, 2, 3);
    for (int i = 0; i < MUTANTS; ++i) {
        random_source r = {.state = (uint64_t)(1000000 + i)};
        damaged_text mutant = {text, n, sizeof text};
        memcpy(text, original, n);
        damage_value(&mutant, ' ', word, WORDS, &r);
        swallow(text, mutant.count, i);
    }
}

static void every_beginning_of_a_file_gives_a_problem_or_a_message(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    const size_t n = rich_file(text, 2, 2);
    for (size_t k = 0; k <= n; ++k) {
        swallow(text, k, (int)k);
    }
    assert_true(swallow(text, n, 0));
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    rich_file(text, MADE_TREES, MADE_BLOCKS);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    dp_problem_file *file;
    assert_int_equal(dp_problem_load(&file, SCRATCH, &allocator), DP_OK);
    const size_t calls = counts.calls;
    assert_true(calls > 5);
    dp_problem_destroy(file);
    assert_int_equal(counts.blocks, 0);
    for (size_t k = 1; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_problem_load(&file, SCRATCH, &allocator), DP_ERROR_MEMORY);
        assert_null(file);
        assert_int_equal(counts.blocks, 0);
        assert_int_equal(counts.wrong_sizes, 0);
        assert_non_null(strstr(dp_last_error(), "out of memory"));
    }
}

static void memory_is_proportional_to_the_text(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    static const char *const line[] = {"v0 500000 ", "option a b\n", "id 500000 ",   "#\n",
                                       "h 1 1\n",    "law x\n",      "Mt 999999999 "};
    static const char *const piece[] = {"1 ", "", "f ", "", "", "", "1 "};
    // A digit and a space are a double; an option of 11 bytes is two words of 16 and, while the
    // array of them grows, five pairs of pointers.
    const size_t most = 24;
    char *text = malloc(BYTES + 100);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof line / sizeof *line; ++i) {
        size_t n = (size_t)sprintf(text, "dashpot-problem 1\nproblem\n%s", line[i]);
        const char *more = piece[i][0] != '\0' ? piece[i] : line[i];
        while (n < BYTES) {
            n += (size_t)sprintf(text + n, "%s", more);
        }
        counting_allocator counts = {0};
        const dp_allocator allocator = counting_allocator_for(&counts);
        dp_problem_file *file;
        assert_int_equal(dp_problem_parse(&file, text, n, "long", &allocator), DP_ERROR_PARSE);
        if (counts.most_bytes > most * BYTES) {
            fail_msg("%s: %zu bytes of memory per byte of text", line[i],
                     counts.most_bytes / BYTES);
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_gives_a_problem_or_a_message),
        cmocka_unit_test(damaged_values_give_a_problem_or_a_message),
        cmocka_unit_test(every_beginning_of_a_file_gives_a_problem_or_a_message),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
        cmocka_unit_test(memory_is_proportional_to_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
