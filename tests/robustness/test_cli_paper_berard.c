// `dashpot paper b-4.1` to `b-4.6`: what [Berard2006] says, and what an independent solution of
// Lagrange's equations knows.
#include "near.h"
#include "paper_rows.h"

#include <stdlib.h>
#include <string.h>

static const char *const ids[] = {"b-4.1", "b-4.2", "b-4.3", "b-4.4", "b-4.5", "b-4.6"};
enum { IDS = sizeof ids / sizeof ids[0] };

static char *printed[IDS]; // once for all tests

static int run_all(void **state)
{
    (void)state;
    for (int i = 0; i < IDS; ++i) {
        printed[i] = strdup(paper_json(ids[i]));
        assert_non_null(printed[i]);
    }
    return 0;
}

static int forget_all(void **state)
{
    (void)state;
    for (int i = 0; i < IDS; ++i) {
        free(printed[i]);
    }
    return 0;
}

static void sizes_are_those_of_the_report(void **state)
{
    (void)state;
    static const double sizes[IDS] = {10, 15, 21, 25, 25, 22};
    for (int i = 0; i < IDS; ++i) {
        const char *json = printed[i];
        assert_near(paper_ours(json, "mixed problem (34)", "size"), sizes[i], 0.0);
        assert_near(paper_theirs(json, "mixed problem (34)", "size"), sizes[i], 0.0);
    }
}

// Orders are those of the last halving, from h = 2.5 to 1.25 ms: the next term is of h.
static void steps_agree_with_lagrange_to_first_order(void **state)
{
    (void)state;
    for (int i = 0; i < IDS; ++i) {
        const char *json = printed[i];
        assert_near(paper_ours(json, "(34)", "order of the error in h"), 1.0, 0.05);
        assert_near(paper_ours(json, "(34) without φ/h", "order of the error in h"), 1.0, 0.05);
        assert_near(paper_ours(json, "law lcp", "order of the error in h"), 1.0, 0.05);
        assert_near(paper_ours(json, "(34)", "steps that were not solved"), 0.0, 0.0);
        assert_near(paper_ours(json, "law lcp", "steps that were not solved"), 0.0, 0.0);
    }
}

// Two ways to one answer: speeds of 10 rad/s, problems of 25 variables.
static void the_law_finds_the_velocities_of_the_mixed_problem(void **state)
{
    (void)state;
    for (int i = 0; i < IDS; ++i) {
        assert_near(paper_ours(printed[i], "law lcp on the problems of (34)",
                               "largest difference of a velocity"),
                    0.0, 1e-12);
    }
}

// 10 J over some thousand steps with errors of 1e-12.
static void the_reference_keeps_the_energy_of_what_does_not_slide(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        assert_near(paper_ours(printed[i], "reference", "error of its energy"), 0.0, 1e-11);
    }
}

static void gaps_over_the_step_make_drift_of_second_order(void **state)
{
    (void)state;
    for (int i = 0; i < IDS; ++i) {
        const char *json = printed[i];
        assert_near(paper_ours(json, "(34)", "order of the drift in h"), 2.0, 0.02);
        assert_near(paper_ours(json, "(34) without φ/h", "order of the drift in h"), 1.0, 0.05);
        // The tolerance of gaps, 1e-10 m in each of two directions.
        assert_near(paper_ours(json, "law lcp", "drift of the pins, h = 0.01 s"), 0.0, 1.5e-10);
    }
}

static void nothing_overlaps_where_nothing_turns(void **state)
{
    (void)state;
    for (int i = 1; i < IDS; ++i) {
        const char *json = printed[i];
        assert_true(paper_ours(json, "(34)", "deepest overlap of a contact") <= 1e-12);
        assert_true(paper_ours(json, "law lcp", "deepest overlap of a contact") <= 1e-12);
        assert_true(paper_ours(json, "reference", "least load of a foot") > 0.0);
    }
}

static void overlap_of_what_turns_is_of_second_order(void **state)
{
    (void)state;
    for (int i = 3; i < IDS; ++i) {
        const char *json = printed[i];
        assert_near(paper_ours(json, "tipping block, (34)", "order of the overlap in h"), 2.0,
                    0.05);
        assert_near(paper_ours(json, "tipping block, law lcp", "order of the overlap in h"), 2.0,
                    0.05);
        assert_near(
            paper_ours(json, "tipping block, (34) without φ/h", "order of the overlap in h"), 1.0,
            0.1);
    }
    for (int i = 1; i < 3; ++i) { // a corner goes up, not down
        const char *json = printed[i];
        assert_near(paper_ours(json, "tipping block, (34)", "order of the lift in h"), 2.0, 0.05);
    }
}

static void what_hangs_is_carried_at_the_speed_of_the_belt(void **state)
{
    (void)state;
    static const char *const of[] = {"hanging on the belt, (34)", "hanging on the belt, law lcp"};
    for (int i = 4; i < IDS; ++i) {
        for (int k = 0; k < 2; ++k) {
            const char *json = printed[i];
            // Round-off of 0.25 m/s in each of some hundred steps.
            assert_near(paper_ours(json, of[k], "largest difference from its speed"), 0.0, 1e-14);
            assert_near(paper_ours(json, of[k], "from rest: the block misses it by, then"), 0.0,
                        1e-14);
            // The reference has it at 0.131 s; a step is 0.01 s.
            assert_near(paper_ours(json, of[k], "from rest: its speed is reached after"), 0.135,
                        0.011);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_the_report),
        cmocka_unit_test(steps_agree_with_lagrange_to_first_order),
        cmocka_unit_test(the_law_finds_the_velocities_of_the_mixed_problem),
        cmocka_unit_test(the_reference_keeps_the_energy_of_what_does_not_slide),
        cmocka_unit_test(gaps_over_the_step_make_drift_of_second_order),
        cmocka_unit_test(nothing_overlaps_where_nothing_turns),
        cmocka_unit_test(overlap_of_what_turns_is_of_second_order),
        cmocka_unit_test(what_hangs_is_carried_at_the_speed_of_the_belt),
    };
    return cmocka_run_group_tests(tests, run_all, forget_all);
}
