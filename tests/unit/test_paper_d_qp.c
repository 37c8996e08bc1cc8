// The program (83)–(85) of [Drumwright2019] as printed, against closed forms and against whatever
// is smaller, and where it differs from the law.
#include "law_problem.h"
#include "near.h"

#include "drumwright/paper_d_qp.h"

#include <math.h>

// Two rows with W = [1 .9; .9 1] that ask for b = (1, .5).
static law_problem coupled(void)
{
    law_problem lp = law_problem_create(1.0, 2, 2);
    law_problem_particle(&lp, 1.0, 0.0);
    law_problem_particle(&lp, 1.0, 0.0);
    const int col[2] = {0, 1};
    const double G[4] = {1.0, 0.0, 0.9, sqrt(1.0 - 0.81)};
    dp_row *row = law_problem_block(&lp, 2, 2, col, G);
    row[0].lo = row[1].lo = 0.0;
    row[0].phi = -1.0;
    row[1].phi = -0.5;
    return lp;
}

static void the_published_program_pushes_with_a_row_that_should_be_open(void **state)
{
    (void)state;
    law_problem lp = coupled();
    law_problem_solve(&lp, NULL, NULL);
    assert_near(lp.s.gamma[0], 1.0, 1e-14);
    assert_true(lp.s.gamma[1] == 0.0);
    cli_qp q = {0};
    assert_true(cli_qp_solve(&q, &lp.p));
    // the minimum norm on the line γ₁ + 0.9 γ₂ = 1
    assert_near(q.gamma[0], 1.0 / 1.81, 1e-14);
    assert_near(q.gamma[1], 0.9 / 1.81, 1e-14);
    const double rate = lp.G[2] * q.v[0] + lp.G[3] * q.v[1];
    assert_true(rate - 0.5 > 0.1); // the second row opens, and the law is not met
    cli_qp_end(&q);
    law_problem_destroy(&lp);
}

// A rod of 1 kg and 1 m rests on a foot under its centre; a second foot under its end just touches.
// R = 1e-3/kg: h = 1e-3 s, k = 1e9 N/m.
static void the_published_program_makes_a_rod_at_rest_spin(void **state)
{
    (void)state;
    const double h = 1e-3, k = 1e9, g = 9.81;
    law_problem lp = law_problem_create(h, 2, 2);
    law_problem_particle(&lp, 1.0, -g * h);
    law_problem_particle(&lp, 1.0 / 12.0, 0.0);
    const int col[2] = {0, 1};
    const double G[4] = {1.0, 0.0, 1.0, 0.5};
    dp_row *row = law_problem_block(&lp, 2, 2, col, G);
    row[0].lo = row[1].lo = 0.0;
    row[0].k = row[1].k = k;
    row[0].phi = -g / k;
    law_problem_solve(&lp, NULL, NULL);
    assert_near(lp.s.gamma[0] / h, 9.81, 1e-12);
    assert_near(lp.s.gamma[1] / h, 0.0, 1e-14); // at rest to round-off, so it may touch
    assert_near(lp.s.v[1], 0.0, 1e-15);
    cli_qp q = {0};
    assert_true(cli_qp_solve(&q, &lp.p));
    assert_near(q.gamma[0] / h, 4.910, 5e-4);
    assert_near(q.gamma[1] / h, 4.905, 5e-4);
    assert_true(q.v[1] > 0.01); // [rad/s] after one step
    cli_qp_end(&q);
    law_problem_destroy(&lp);
}

static void without_coupling_the_published_program_is_the_law(void **state)
{
    (void)state;
    random_source r = {.state = 10};
    law_problem lp = law_problem_create(1e-2, 8, 8);
    for (int i = 0; i < 8; ++i) {
        law_problem_particle(&lp, random_between(&r, 0.1, 10.0), random_between(&r, -1.0, 1.0));
        const double G = 1.0;
        dp_row *row = law_problem_block(&lp, 1, 1, &i, &G);
        row->k = 1e4;
        row->lo = i % 3 == 0 ? -(double)INFINITY : 0.0;
    }
    law_problem_solve(&lp, NULL, NULL);
    cli_qp q = {0};
    assert_true(cli_qp_solve(&q, &lp.p));
    for (int i = 0; i < 8; ++i) {
        assert_near(q.gamma[i], i % 3 == 0 ? 0.0 : lp.s.gamma[i], 1e-13);
        assert_near(q.v[i], lp.s.v[i], 1e-13);
    }
    cli_qp_end(&q);
    law_problem_destroy(&lp);
}

// Do the one-sided rows (the first n) of `lp` meet (84) with impulses x, the others holding?
static bool meets_the_program(const law_problem *lp, int n, const double *x)
{
    bool free_row[8];
    long double R[8], t[8], gamma[8], y[8];
    for (int k = 0; k < lp->p.nrow; ++k) {
        free_row[k] = k >= n;
        gamma[k] = k < n ? (long double)x[k] : 0.0L;
        law_reference_soft(R + k, t + k, lp->row + k, lp->p.h);
    }
    law_reference_solve(gamma, y, &lp->p, free_row, R, t);
    for (int k = 0; k < n; ++k) {
        long double u = 0.0L;
        for (int j = 0; j < lp->p.nv; ++j) {
            u += (long double)lp->G[k * lp->p.nv + j] * (y[j] + (long double)lp->v_free[j]);
        }
        if (u + R[k] * gamma[k] - t[k] < -1e-9L) { // [m/s], the tolerance of the law
            return false;
        }
    }
    return true;
}

static void nothing_smaller_meets_the_published_program(void **state)
{
    (void)state;
    random_source r = {.state = 25};
    cli_qp q = {0};
    int tried = 0;
    for (int repeat = 0; repeat < 300; ++repeat) {
        const int nv = 2 + random_below(&r, 5), n = 1 + random_below(&r, 5);
        law_problem lp = law_problem_create(1e-2, nv, 6);
        law_problem_tree(&lp, nv, false, 1.0, &r);
        const int col[6] = {0, 1, 2, 3, 4, 5};
        for (int k = 0; k < n + repeat % 2; ++k) { // every other one with a two-sided row
            double G[6];
            random_direction(G, nv, &r);
            dp_row *row = law_problem_block(&lp, 1, nv, col, G);
            row->k = random_between(&r, 1e3, 1e4);
            row->phi = random_between(&r, -1e-2, 2e-3);
            row->lo = k < n ? 0.0 : row->lo;
        }
        assert_true(cli_qp_solve(&q, &lp.p));
        assert_int_equal(q.found.outcome, DP_OUTCOME_CONVERGED);
        assert_true(meets_the_program(&lp, n, q.gamma));
        double least = 0.0;
        for (int k = 0; k < n; ++k) {
            least += q.gamma[k] * q.gamma[k];
        }
        for (int trial = 0; trial < 100; ++trial) {
            const double reach = pow(10.0, random_between(&r, -4.0, 0.0)) * sqrt(least);
            double x[6], sum = 0.0;
            for (int k = 0; k < n; ++k) {
                x[k] = fmax(0.0, q.gamma[k] + reach * random_between(&r, -1.0, 1.0));
                sum += x[k] * x[k];
            }
            if (sum < (1.0 - 1e-9) * least) { // by more than the tolerance of the rows could give
                assert_false(meets_the_program(&lp, n, x));
                ++tried;
            }
        }
        law_problem_destroy(&lp);
    }
    assert_true(tried > 1000);
    cli_qp_end(&q);
}

static void rows_that_the_program_does_not_know_are_refused(void **state)
{
    (void)state;
    law_problem lp = coupled();
    lp.row[0].hi = 1.0;
    cli_qp q = {0};
    assert_false(cli_qp_solve(&q, &lp.p));
    cli_qp_end(&q);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_program_pushes_with_a_row_that_should_be_open),
        cmocka_unit_test(the_published_program_makes_a_rod_at_rest_spin),
        cmocka_unit_test(without_coupling_the_published_program_is_the_law),
        cmocka_unit_test(nothing_smaller_meets_the_published_program),
        cmocka_unit_test(rows_that_the_program_does_not_know_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
