// Step problems: which of them no law can take, and certificates against hand-computed ones.
#include "counting_allocator.h"
#include "made_problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define INF ((double)INFINITY)

// ---- check

static void refuse(const made_problem *m, const char *expected)
{
    if (dp_problem_check(&m->p, NULL) != DP_ERROR_ARGUMENT) {
        fail_msg("taken, although: %s", expected);
    }
    if (strncmp(dp_last_error(), expected, strlen(expected)) != 0) {
        fail_msg("found '%s', expected '%s'", dp_last_error(), expected);
    }
}

static void random_problems_of_every_kind_of_row_are_taken(void **state)
{
    (void)state;
    random_source r = {.state = 1};
    made_problem m;
    for (int i = 0; i < 100; ++i) {
        make_problem(&m, 1 + i % MADE_TREES, i % MADE_BLOCKS, &r);
        if (dp_problem_check(&m.p, NULL) != DP_OK) {
            fail_msg("%s", dp_last_error());
        }
    }
}

static void a_problem_of_nothing_is_taken(void **state)
{
    (void)state;
    const dp_step_problem nothing = {.h = 1.0};
    assert_int_equal(dp_problem_check(&nothing, NULL), DP_OK);
}

// One thing is wrong at a time; the message names the array, the place, what was found and what was
// expected. Three trees and six blocks from a fixed seed: sizes below are theirs.
static void what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    made_problem m;
#define WRONG(change, expected)                                                                    \
    do {                                                                                           \
        random_source r = {.state = 2};                                                            \
        make_problem(&m, 3, 6, &r);                                                                \
        change;                                                                                    \
        refuse(&m, expected);                                                                      \
    } while (0)
    WRONG(m.p.h = 0.0, "h is 0 (expected a step above 0)");
    WRONG(m.p.h = INF, "h is inf (expected");
    WRONG(m.p.h = NAN, "h is ");
    WRONG(m.p.nrow = -1, "nrow is -1 (expected 0 or more)");
    WRONG(m.p.v0 = NULL, "v0 is NULL (expected an array)");
    WRONG(m.p.col = NULL, "col is NULL (expected an array)");
    WRONG(m.p.G = NULL, "G is NULL (expected an array)");
    WRONG(m.tree_start[0] = 1, "tree_start[0] is 1 (expected 0)");
    WRONG(m.tree_start[1] = 1000, "tree_start[2] is ");
    WRONG(m.p.nv -= 1, "tree_start[3] is ");
    WRONG(m.parent[m.tree_start[1]] = 0, "parent[");       // of another tree
    WRONG(m.parent[0] = 0, "parent[0] is 0 (expected -1"); // itself
    WRONG(m.parent[0] = -2, "parent[0] is -2 (expected -1");
    WRONG(m.Mt_start[1] = 2, "Mt_start[1] is 2 (expected 1: 1 elements from 0 on)");
    WRONG(m.Mt[0] = NAN, "Mt[0] is ");
    WRONG(m.v_free[1] = -INF, "v_free[1] is -inf (expected a finite number)");
    WRONG(m.row_start[6] += 1, "row_start[6] is ");
    WRONG(m.row_start[1] = 0x7fffffff, "row_start[2] is ");
    WRONG(m.id[3] = m.id[2], "id[3] is ");
    WRONG(m.col_start[2] = -1, "col_start[2] is -1 (expected ");
    WRONG(m.col[0] = m.p.nv, "col[0] is ");
    WRONG(m.col[m.col_start[1]] = -1, "col[");
    WRONG(m.G_start[4] += 1, "G_start[4] is ");
    WRONG(m.G[2] = INF, "G[2] is inf (expected a finite number)");
    WRONG(m.row[1].phi = NAN, "row[1].phi is ");
    WRONG(m.row[1].phi_t = INF, "row[1].phi_t is inf (expected a finite number)");
    WRONG(m.row[2].b_ref = -INF, "row[2].b_ref is -inf");
    WRONG(m.row[1].k = -1.0, "row[1].k is -1 (expected 0 or more)");
    WRONG(m.row[1].k = NAN, "row[1].k is ");
    WRONG(m.row[1].b = -1e-9, "row[1].b is -1e-09 (expected 0 or more)");
    WRONG((m.row[1].k = 0.0, m.row[1].b = 0.0), "row[1].k is 0 and b is 0 (expected one of them");
    WRONG((m.row[1].k = 1e-320, m.row[1].b = 0.0), "row[1].k is ");
    WRONG(m.row[0].lo = 0.5, "row[0].lo is 0.5 (expected 0 or less)");
    WRONG(m.row[0].hi = -0.5, "row[0].hi is -0.5 (expected 0 or more)");
    WRONG(m.row[0].hi = NAN, "row[0].hi is ");
    WRONG(m.row[0].len = 0.0, "row[0].len is 0 (expected a length above 0)");
    WRONG(m.row[0].len = INF, "row[0].len is inf (expected a length above 0)");
    WRONG(m.row[0].phi = 1e307, "row[0].phi is 1e+307 (expected a gap that a finite velocity");
    WRONG(m.Mt[0] = -1.0, "Mt is not positive definite (found the pivot -");
#undef WRONG
}

// Each element of a matrix is fine, and so is each row; together they are not.
static void a_matrix_that_is_not_positive_definite_is_refused(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 1.0, 0.0);
    m.p.nv = 2;
    m.tree_start[1] = 2;
    m.parent[1] = 0;
    m.Mt_start[2] = 3;
    m.Mt[0] = m.Mt[1] = 1.0;
    m.Mt[2] = 0.5; // [1 .5; .5 1]
    assert_int_equal(dp_problem_check(&m.p, NULL), DP_OK);
    m.Mt[2] = 1.5;
    refuse(&m, "Mt is not positive definite (found the pivot -1.25 at velocity 0");
}

static void a_check_gives_its_memory_back_and_may_run_out_of_it(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 1.0, 0.0);
    counting_allocator counts = {0};
    const dp_allocator allocator = counting_allocator_for(&counts);
    assert_int_equal(dp_problem_check(&m.p, &allocator), DP_OK);
    assert_true(counts.calls > 0);
    for (size_t k = 1, calls = counts.calls; k <= calls; ++k) {
        counts = (counting_allocator){.fail_at = k};
        assert_int_equal(dp_problem_check(&m.p, &allocator), DP_ERROR_MEMORY);
        assert_int_equal(counts.blocks, 0);
    }
}

// ---- certificate

static dp_certificate certify(const made_problem *m, double *v, double *gamma)
{
    double scratch[MADE_V];
    uint8_t row_state[MADE_ROWS] = {0};
    dp_certificate c;
    dp_problem_certify(&c, &m->p, &(dp_step_solution){v, gamma, row_state}, scratch);
    return c;
}

// m = 2, v_free = −3, φ = 0.05, h = 0.1: a rigid stop lets it move at −0.5, γ = 2·2.5 = 5.
static void the_solution_of_a_rigid_stop_has_a_clean_certificate(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 2.0, -3.0);
    m.row[0].phi = 0.05;
    m.row[0].lo = 0.0;
    const dp_certificate c = certify(&m, (double[]){-0.5}, (double[]){5.0});
    assert_near(c.momentum, 0.0, 0.0);
    assert_near(c.normal_law, 0.0, 1e-16);
    assert_near(c.complementarity, 0.0, 1e-15);
    assert_near(c.penetration, 0.0, 1e-17);
    assert_true(c.drift == 0.0);
    assert_int_equal(c.nrow, 1);
    assert_int_equal(c.nactive, 1);
}

// The same stop with v = −1 and γ = 4: momentum balances (2·2 = 4), the gap ends at −0.05, and
// u − u_stop = −0.5 is the residual; |γ slack| = 4·0.5.
static void a_penetration_is_told_in_metres(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 2.0, -3.0);
    m.row[0].phi = 0.05;
    m.row[0].lo = 0.0;
    const dp_certificate c = certify(&m, (double[]){-1.0}, (double[]){4.0});
    assert_near(c.momentum, 0.0, 0.0);
    assert_near(c.normal_law, 0.5, 1e-15);
    assert_near(c.penetration, 0.05, 1e-16);
    assert_near(c.complementarity, 2.0, 1e-14);
}

// M̃ = [2 1; 1 3] on one branch, v − v_free = (1, −1), G = (1, 2), γ = 0.25:
// M̃ dv = (1, −2), Gᵀγ = (0.25, 0.5), so the error is (0.75, −2.5).
static void momentum_counts_every_element_of_a_branch(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 2.0, 0.0);
    m.p.nv = 2;
    m.tree_start[1] = 2;
    m.parent[1] = 0;
    m.Mt_start[2] = 3;
    m.Mt[1] = 3.0;
    m.Mt[2] = 1.0;
    m.col_start[1] = 2;
    m.col[1] = 1;
    m.G_start[1] = 2;
    m.G[1] = 2.0;
    m.v_free[0] = 0.5;
    m.v_free[1] = 1.5;
    const dp_certificate c = certify(&m, (double[]){1.5, 0.5}, (double[]){0.25});
    assert_near(c.momentum, 2.5, 1e-15);
}

// k = 100, b = 5, h = 0.1, φ = 0.2: φ₁ = 0.2 + 0.1 u; with u = −1 φ₁ = 0.1 and
// γ = −0.1·100·0.1 − 0.1·5·(−1) = −0.5. Its stretch of 0.1 m is no drift.
static void a_spring_that_gives_does_not_drift(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 1.0, -0.5);
    m.row[0].phi = 0.2;
    m.row[0].k = 100.0;
    m.row[0].b = 5.0;
    dp_certificate c = certify(&m, (double[]){-1.0}, (double[]){-0.5});
    assert_near(c.momentum, 0.0, 1e-16);
    assert_near(c.normal_law, 0.0, 1e-15);
    assert_near(c.drift, 0.0, 1e-16);
    assert_true(c.penetration == 0.0 && c.complementarity == 0.0);

    // A rigid row at the same place is 0.1 m away from where it should be, 1 m/s too fast.
    m.row[0].k = INF;
    c = certify(&m, (double[]){-1.0}, (double[]){-0.5});
    assert_near(c.drift, 0.1, 1e-16);
    assert_near(c.normal_law, 1.0, 1e-15);
}

// A dry joint: |γ| ≤ 0.2, rigid in velocity. It slides at 0.7 with γ = −0.2: nothing is wrong. With
// γ = −0.1 it is 0.1 short of the end where it should be, which at 0.7 m/s is 0.07 J, and with
// w = 1/m = 0.5 a residual of 0.05 m/s.
static void a_bounded_row_is_judged_by_the_end_it_should_be_at(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 2.0, 0.8);
    m.row[0].k = 0.0;
    m.row[0].b = INF;
    m.row[0].lo = -0.2;
    m.row[0].hi = 0.2;
    dp_certificate c = certify(&m, (double[]){0.7}, (double[]){-0.2});
    assert_near(c.momentum, 0.0, 1e-15);
    assert_true(c.normal_law == 0.0 && c.complementarity == 0.0 && c.drift == 0.0);
    c = certify(&m, (double[]){0.7}, (double[]){-0.1});
    assert_near(c.complementarity, 0.07, 1e-16);
    assert_near(c.normal_law, 0.5 * 0.1, 1e-16);
    assert_near(c.momentum, 0.1, 1e-15);
}

// The penetration above, of an angular row of 0.25 m: 0.05 rad are 0.0125 m.
static void angles_count_as_lengths(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 2.0, -3.0);
    m.row[0].phi = 0.05;
    m.row[0].lo = 0.0;
    m.row[0].len = 0.25;
    const dp_certificate c = certify(&m, (double[]){-1.0}, (double[]){4.0});
    assert_near(c.penetration, 0.0125, 1e-16);
    assert_near(c.normal_law, 0.125, 1e-15);
    assert_near(c.complementarity, 2.0, 1e-14); // energy is energy
}

static void an_open_row_has_no_impulse_and_no_error(void **state)
{
    (void)state;
    made_problem m;
    make_particle(&m, 2.0, 3.0);
    m.row[0].lo = 0.0;
    const dp_certificate c = certify(&m, (double[]){3.0}, (double[]){0.0});
    assert_true(c.momentum == 0.0 && c.normal_law == 0.0 && c.complementarity == 0.0);
    assert_true(c.penetration == 0.0);
    assert_int_equal(c.nactive, 0);
}

static void what_is_not_a_number_is_not_hidden(void **state)
{
    (void)state;
    random_source r = {.state = 3};
    made_problem m;
    double v[MADE_V] = {0}, gamma[MADE_ROWS] = {0};
    make_problem(&m, 3, 6, &r);
    v[0] = NAN;
    assert_true(isnan(certify(&m, v, gamma).momentum));
    v[0] = 0.0;
    for (int i = 0; i < m.p.nrow; ++i) {
        gamma[i] = NAN;
        assert_true(isnan(certify(&m, v, gamma).normal_law));
        assert_true(isnan(certify(&m, v, gamma).momentum));
        gamma[i] = 0.0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_of_every_kind_of_row_are_taken),
        cmocka_unit_test(a_problem_of_nothing_is_taken),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(a_matrix_that_is_not_positive_definite_is_refused),
        cmocka_unit_test(a_check_gives_its_memory_back_and_may_run_out_of_it),
        cmocka_unit_test(the_solution_of_a_rigid_stop_has_a_clean_certificate),
        cmocka_unit_test(a_penetration_is_told_in_metres),
        cmocka_unit_test(momentum_counts_every_element_of_a_branch),
        cmocka_unit_test(a_spring_that_gives_does_not_drift),
        cmocka_unit_test(a_bounded_row_is_judged_by_the_end_it_should_be_at),
        cmocka_unit_test(angles_count_as_lengths),
        cmocka_unit_test(an_open_row_has_no_impulse_and_no_error),
        cmocka_unit_test(what_is_not_a_number_is_not_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
