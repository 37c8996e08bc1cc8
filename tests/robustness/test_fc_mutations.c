// Damaged friction-contact files and scarce memory: reading ends with a problem or with a message,
// and what was read is solved or not, but told truly.
#include "counting_allocator.h"
#include "damage.h"
#include "fc_draw.h"
#include "text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH DP_SCRATCH "/fc_mutations.dat"

enum { MUTANTS = 1500, LONGEST = 1 << 16, MOST = 8 };

static const char *const word[] = {"inf", "nan", "1e999", "-0",         "1e300", "-1e300", "5e-324",
                                   "0",   "1",   "-1",    "2147483647", "\n",    " ",      "\x80",
                                   "2",   "3",   "col",   "CSparse",    ":",     "1e-300"};
enum { WORDS = sizeof word / sizeof *word };

// Local in blocks, global by columns.
static size_t rich_file(char text[MOST_TEXT], bool global)
{
    drawn_fc x = fc_network(2, 3, 1.0, 0.3, 3);
    dp_fc_file *local;
    assert_int_equal(dp_fc_localise(&local, &x.p, NULL), DP_OK);
    assert_int_equal(dp_fc_save(SCRATCH, global ? &x.p : dp_fc_of(local)), DP_OK);
    dp_fc_destroy(local);
    fc_free(&x);
    read_text(text, SCRATCH);
    return strlen(text);
}

static void solve(const dp_fc *p)
{
    double r[3 * MOST], u[3 * MOST];
    if (p->nc > MOST) {
        return;
    }
    dp_fc_options opt = dp_fc_options_default();
    opt.max_factorizations = 60;
    dp_fc_info info;
    const dp_status status =
        dp_fc_solve(&(dp_fc_solution){.r = r, .u = u}, p, NULL, &opt, NULL, &info);
    if (status != DP_OK) { // M without an inverse
        assert_int_equal(status, DP_ERROR_ARGUMENT);
        return;
    }
    for (int i = 0; i < p->dimension * p->nc; ++i) {
        assert_true(isfinite(r[i]));
    }
    assert_true(info.outcome != DP_FC_OUTCOME_SOLVED || info.residual.worst <= opt.tolerance);
}

static bool swallow(const char *text, size_t n)
{
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    char *exact = malloc(n + (n == 0)); // its end is the end of the text, for the sanitizer
    assert_non_null(exact);
    memcpy(exact, text, n);
    (void)dp_fc_format_of(exact, n);
    (void)dp_lcp_is_siconos(exact, n);
    dp_fc_file *file = (dp_fc_file *)1;
    const dp_status status = dp_fc_parse(&file, exact, n, "mutant", &allocator);
    if (status == DP_OK) {
        assert_int_equal(dp_fc_check(dp_fc_of(file)), DP_OK);
        solve(dp_fc_of(file));
    } else {
        assert_null(file);
        assert_int_equal(status, DP_ERROR_PARSE);
        assert_memory_equal(dp_last_error(), "mutant:", 7);
    }
    dp_fc_destroy(file);
    assert_int_equal(counts.blocks, 0);
    assert_int_equal(counts.wrong_sizes, 0);
    free(exact);
    return status == DP_OK;
}

static void a_damaged_file_gives_a_problem_or_a_message(void **state)
{
    (void)state;
    static char original[MOST_TEXT], text[LONGEST];
    for (int global = 0; global < 2; ++global) {
        const size_t n = rich_file(original, global == 1);
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
        assert_true(sound > MUTANTS / 100 && sound < MUTANTS);
    }
}

static void every_beginning_of_a_file_gives_a_problem_or_a_message(void **state)
{
    (void)state;
    static char text[MOST_TEXT];
    for (int global = 0; global < 2; ++global) {
        const size_t n = rich_file(text, global == 1);
        for (size_t k = 0; k <= n; k += 7) {
            swallow(text, k);
        }
        assert_true(swallow(text, n));
    }
}

typedef dp_status (*task)(const dp_allocator *a);

static dp_status parse(const dp_allocator *a)
{
    static char text[MOST_TEXT];
    const size_t n = rich_file(text, true);
    dp_fc_file *file;
    const dp_status status = dp_fc_parse(&file, text, n, "text", a);
    assert_true((status == DP_OK) == (file != NULL));
    dp_fc_destroy(file);
    return status;
}

static dp_status solve_velocities(const dp_allocator *a)
{
    drawn_fc x = fc_wall(2, 2, 0.5, 0.1);
    double *r = calloc(6 * (size_t)x.p.nc, sizeof *r);
    assert_non_null(r);
    dp_fc_info info;
    const dp_status status = dp_fc_solve(&(dp_fc_solution){.r = r, .u = r + 3 * (size_t)x.p.nc},
                                         &x.p, NULL, NULL, a, &info);
    free(r);
    fc_free(&x);
    return status;
}

static dp_status solve_impulses(const dp_allocator *a)
{
    drawn_fc x = fc_wall(3, 3, 0.5, 0.1);
    dp_fc_file *local;
    double *r = calloc(6 * (size_t)x.p.nc, sizeof *r);
    assert_non_null(r);
    dp_status status = dp_fc_localise(&local, &x.p, a);
    if (status == DP_OK) {
        dp_fc_info info;
        status = dp_fc_solve(&(dp_fc_solution){.r = r, .u = r + 3 * (size_t)x.p.nc},
                             dp_fc_of(local), NULL, NULL, a, &info);
    }
    dp_fc_destroy(local);
    free(r);
    fc_free(&x);
    return status;
}

// Two walls close on a ball: the certificate is computed.
static dp_status solve_infeasible(const dp_allocator *a)
{
    static const char text[] = "3\n2\n0\n6\n6\n6\t6\n1 0 0 -1 0 0\n0 1 0 0 1 0\n0 0 1 0 0 1\n"
                               "-1 0 0 1 0 0\n0 1 0 0 1 0\n0 0 1 0 0 1\n-1 0 0 -1 0 0\n0.5 0.5\n";
    dp_fc_file *file;
    dp_status status = dp_fc_parse(&file, text, sizeof text - 1, "text", a);
    if (status == DP_OK) {
        double r[6];
        dp_fc_info info;
        status = dp_fc_solve(&(dp_fc_solution){.r = r}, dp_fc_of(file), NULL, NULL, a, &info);
    }
    dp_fc_destroy(file);
    return status;
}

static void each_allocation_may_fail_in_turn(void **state)
{
    (void)state;
    static const task all[] = {parse, solve_velocities, solve_impulses, solve_infeasible};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        dp_status status = DP_ERROR_MEMORY;
        for (size_t fail = 1; status != DP_OK; ++fail) {
            counting_allocator counts = {.fail_at = fail};
            const dp_allocator a = counting_allocator_for(&counts);
            status = all[k](&a);
            assert_true(status == DP_OK || status == DP_ERROR_MEMORY);
            assert_int_equal(counts.blocks, 0);
            assert_int_equal(counts.wrong_sizes, 0);
            assert_true(fail < 2000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_gives_a_problem_or_a_message),
        cmocka_unit_test(every_beginning_of_a_file_gives_a_problem_or_a_message),
        cmocka_unit_test(each_allocation_may_fail_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
