// A hundred thousand random step problems: rows of every kind, more of them than velocities often
// enough, stiffness from 1 to 1e15 and rigid, steps from 1e-5 to 0.2 s.
#include "law_problem.h"

#include <math.h>

enum { MOST_V = 100 };

typedef struct tally {
    int problems, capped, at_once, few, contradictory;
    int most_factorizations;
    double worst; // [m/s] residual where rows do not contradict each other
} tally;

static void check(tally *t, law_problem *lp, const dp_warm *warm)
{
    const dp_solve_info info = law_problem_solve(lp, warm, NULL);
    dp_certificate certificate;
    double scratch[MOST_V];
    dp_problem_certify(&certificate, &lp->p, &lp->s, scratch);
    assert_true(isfinite(certificate.normal_law) && isfinite(certificate.momentum));
    double force = 0.0; // what momentum is made of
    for (int i = 0; i < lp->p.nrow; ++i) {
        assert_true(lp->s.gamma[i] >= lp->row[i].lo && lp->s.gamma[i] <= lp->row[i].hi);
        force += fabs(lp->s.gamma[i]);
    }
    double motion = 0.0;
    for (int i = 0; i < lp->p.nv; ++i) {
        motion += lp->Mt[lp->Mt_start[i]] * (fabs(lp->s.v[i]) + fabs(lp->v_free[i]));
    }
    assert_true(certificate.momentum <= 1e-13 * (force + motion)); // sums of up to 60 terms
    ++t->problems;
    t->capped += info.outcome == DP_OUTCOME_CAPPED;
    t->at_once += info.factorizations <= info.islands;
    t->few += info.factorizations <= 5 * info.islands;
    t->contradictory += info.inconsistent > 1e-9;
    if (info.inconsistent <= 1e-9 && info.residual > t->worst) {
        t->worst = info.residual;
    }
    t->most_factorizations =
        info.factorizations > t->most_factorizations ? info.factorizations : t->most_factorizations;
}

static tally run(int problems, int trees, int blocks, const law_rows *kinds, uint64_t seed)
{
    random_source r = {.state = seed};
    tally t = {.problems = 0};
    for (int k = 0; k < problems; ++k) {
        const double h = pow(10.0, random_between(&r, -5.0, -0.7));
        law_problem lp = law_problem_random(h, 1 + random_below(&r, trees),
                                            1 + random_below(&r, blocks), kinds, &r);
        check(&t, &lp, NULL);
        law_problem_destroy(&lp);
    }
    print_message("%d problems: %d capped, %d at once, %d in up to five factorisations per island, "
                  "%d contradictory, at most %d, worst residual %g m/s\n",
                  t.problems, t.capped, t.at_once, t.few, t.contradictory, t.most_factorizations,
                  t.worst);
    return t;
}

static void small_problems_of_springs_are_all_solved(void **state)
{
    (void)state;
    const law_rows kinds = {1.0, 1e9, 0.0, 0.5, 0.6, 0.4};
    const tally t = run(50000, 3, 6, &kinds, 31);
    assert_int_equal(t.capped, 0);
    assert_true(t.worst <= 1e-9);
    assert_int_equal(t.contradictory, 0);
    assert_true(t.few > 9 * t.problems / 10);
}

static void small_problems_of_any_stiffness_are_all_solved(void **state)
{
    (void)state;
    const law_rows kinds = {1.0, 1e15, 0.3, 0.5, 0.5, 0.3};
    const tally t = run(30000, 3, 6, &kinds, 32);
    assert_int_equal(t.capped, 0);
    assert_true(t.worst <= 1e-9);
}

static void small_rigid_problems_are_all_solved_or_give_way(void **state)
{
    (void)state;
    const law_rows kinds = {1.0, 1.0, 1.0, 0.0, 0.7, 0.5};
    const tally t = run(20000, 3, 6, &kinds, 33);
    assert_int_equal(t.capped, 0);
    assert_true(t.worst <= 1e-9);
    assert_true(t.contradictory > 100); // otherwise they were not put to the test
}

static void large_problems_are_solved(void **state)
{
    (void)state;
    const law_rows springs = {1e2, 1e8, 0.0, 0.5, 0.6, 0.3};
    const tally t = run(500, 20, 40, &springs, 34);
    assert_int_equal(t.capped, 0);
    const law_rows rigid = {1.0, 1.0, 1.0, 0.0, 0.7, 0.5};
    const tally u = run(200, 20, 20, &rigid, 35);
    assert_int_equal(u.capped, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_of_springs_are_all_solved),
        cmocka_unit_test(small_problems_of_any_stiffness_are_all_solved),
        cmocka_unit_test(small_rigid_problems_are_all_solved_or_give_way),
        cmocka_unit_test(large_problems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
