// The compliant law against independent solutions in long double (law_reference.c).
#include "law_problem.h"

#include <math.h>

enum { MOST_V = 60, MOST_ROWS = 40 };

// A chain of trees of four or five velocities with up to three rows from each to the next: rows are
// independent, and the reference itself has digits to spare.
static law_problem independent_rows(double h, double mass_ratio, const law_rows *kinds,
                                    random_source *r)
{
    law_problem lp = law_problem_create(h, MOST_V, MOST_ROWS);
    const int ntree = 2 + random_below(r, 8);
    for (int t = 0; t < ntree; ++t) {
        const double m = pow(mass_ratio, random_between(r, -0.5, 0.5));
        law_problem_tree(&lp, 4 + random_below(r, 2), false, m, r);
    }
    for (int b = 0; b < ntree - 1; ++b) {
        law_problem_link(&lp, b, b + 1, kinds, r);
    }
    return lp;
}

// Largest error of γ relative to the largest γ.
static double impulse_error(const law_problem *lp, const long double *gamma)
{
    long double error = 0.0L, size = 0.0L;
    for (int i = 0; i < lp->p.nrow; ++i) {
        error = fmaxl(error, fabsl(gamma[i] - (long double)lp->s.gamma[i]));
        size = fmaxl(size, fabsl(gamma[i]));
    }
    return (double)(error / size);
}

static void two_sided_rows_agree_to_12_digits_for_every_stiffness(void **state)
{
    (void)state;
    random_source r = {.state = 21};
    for (double k = 1.0; k < 2e15; k *= 10.0) {
        for (double h = 1e-5; h < 0.3; h *= 7.0) {
            const law_rows kinds = {k, k, 0.0, 0.3, 0.0, 0.0};
            law_problem lp = independent_rows(h, 1.0, &kinds, &r);
            const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            assert_int_equal(info.factorizations, info.islands);
            long double gamma[MOST_ROWS], y[MOST_V];
            law_reference_two_sided(gamma, y, &lp.p);
            assert_true(impulse_error(&lp, gamma) < 1e-12);
            law_problem_destroy(&lp);
        }
    }
}

static void rows_of_all_stiffnesses_and_masses_agree_together(void **state)
{
    (void)state;
    random_source r = {.state = 22};
    const law_rows kinds = {1.0, 1e15, 0.2, 0.4, 0.0, 0.0};
    for (int repeat = 0; repeat < 200; ++repeat) {
        const double h = pow(10.0, random_between(&r, -5.0, -0.7));
        law_problem lp = independent_rows(h, 1e6, &kinds, &r);
        law_problem_solve(&lp, NULL, NULL);
        long double gamma[MOST_ROWS], y[MOST_V];
        law_reference_two_sided(gamma, y, &lp.p);
        assert_true(impulse_error(&lp, gamma) < 1e-12);
        law_problem_destroy(&lp);
    }
}

// The same problem twice, the second time with some rigid rows repeated, scaled and added up.
static void redundant_rows_leave_the_generalised_force_as_it_is(void **state)
{
    (void)state;
    random_source r = {.state = 23};
    const law_rows rigid = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    for (int repeat = 0; repeat < 100; ++repeat) {
        law_problem lp = law_problem_create(1e-2, 5, 20);
        law_problem_tree(&lp, 5, false, 1.0, &r);
        const int col[5] = {0, 1, 2, 3, 4};
        double G[10];
        for (int k = 0; k < 10; ++k) {
            G[k] = random_between(&r, -1.0, 1.0);
        }
        dp_row *row = law_problem_block(&lp, 2, 5, col, G);
        law_problem_random_row(row, &rigid, &r);
        law_problem_random_row(row + 1, &rigid, &r);
        long double gamma[2], y[5];
        law_reference_two_sided(gamma, y, &lp.p);
        double force[5], reference[5];
        for (int i = 0; i < 5; ++i) {
            reference[i] =
                (double)((long double)G[i] * gamma[0] + (long double)G[5 + i] * gamma[1]);
        }
        for (int copy = 0; copy < 6; ++copy) { // powers of two, so that they stay consistent
            const double a = ldexp(1.0, random_below(&r, 7) - 3);
            const int from = random_below(&r, 2);
            double scaled[5];
            for (int i = 0; i < 5; ++i) {
                scaled[i] = a * G[5 * from + i];
            }
            dp_row *more = law_problem_block(&lp, 1, 5, col, scaled);
            *more = lp.row[from];
            more->phi *= a;
            more->phi_t *= a;
        }
        const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
        assert_int_equal(info.dependent, 6);
        assert_true(info.residual < 1e-12);
        law_problem_force(force, &lp.p, lp.s.gamma);
        double size = 0.0;
        for (int i = 0; i < 5; ++i) {
            size = fmax(size, fabs(reference[i]));
        }
        for (int i = 0; i < 5; ++i) {
            assert_near(force[i], reference[i], 1e-12 * size);
        }
        law_problem_destroy(&lp);
    }
}

static void the_one_stand_of_rows_that_is_possible_is_found(void **state)
{
    (void)state;
    random_source r = {.state = 24};
    const law_rows kinds = {1e2, 1e9, 0.3, 0.5, 0.6, 0.5};
    int compared = 0;
    for (int repeat = 0; repeat < 400; ++repeat) {
        const double h = pow(10.0, random_between(&r, -4.0, -1.0));
        law_problem lp = law_problem_create(h, 10, 6);
        law_problem_tree(&lp, 5, false, 1.0, &r);
        law_problem_tree(&lp, 5, false, 1.0, &r);
        law_problem_random_block(&lp, &kinds, &r);
        law_problem_random_block(&lp, &kinds, &r);
        if (lp.p.nrow <= 5) {
            const dp_solve_info info = law_problem_solve(&lp, NULL, NULL);
            assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
            long double gamma[6], y[10];
            assert_true(law_reference_enumerate(gamma, y, &lp.p, 1e-12));
            assert_true(impulse_error(&lp, gamma) < 1e-11 || fabsl(gamma[0]) < 1e-12L);
            ++compared;
        }
        law_problem_destroy(&lp);
    }
    assert_true(compared > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sided_rows_agree_to_12_digits_for_every_stiffness),
        cmocka_unit_test(rows_of_all_stiffnesses_and_masses_agree_together),
        cmocka_unit_test(redundant_rows_leave_the_generalised_force_as_it_is),
        cmocka_unit_test(the_one_stand_of_rows_that_is_possible_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
