// The search for contact impulses: where it begins, and where there is nothing to be found.
#include "law_problem.h"
#include "near.h"

#include <math.h>
#include <stdlib.h>

// A particle between two rigid planes that make a groove of the half angle `half`, both of which
// ask for the speed `closes` that leads out of it.
static law_problem groove(double half, double mu, double closes)
{
    const double h = 1e-3;
    law_problem lp = law_problem_create(h, 3, 6);
    for (int i = 0; i < 3; ++i) {
        law_problem_particle(&lp, 1.0, i == 2 ? -9.81 * h : 0.0);
    }
    const int col[3] = {0, 1, 2};
    const dp_friction friction = {.mu = {mu, mu}};
    for (int side = -1; side <= 1; side += 2) {
        const double n[3] = {side * cos(half), 0.0, sin(half)};
        const double G[9] = {n[0], n[1], n[2], 0.0, 1.0, 0.0, -n[2], 0.0, n[0]};
        law_problem_contact(&lp, 3, 3, col, G, &friction)[0].phi = -closes * h;
    }
    return lp;
}

// Friction above tan(half) makes both planes push the particle further in when it leaves: impulses
// grow without end, and no speed is reached.
static void a_wedge_of_rigid_contacts_ends_in_few_factorizations(void **state)
{
    (void)state;
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_NCP;
    for (int k = 0; k < 6; ++k) {
        const double half = 0.05 + 0.05 * k, closes = 1e-5 * pow(10.0, k % 3);
        law_problem lp = groove(half, 2.0 * tan(half), closes);
        const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
        print_message("half angle %.2f: %s, %d factorizations, residual %.2e m/s of %.0e\n", half,
                      dp_outcome_name(info.outcome), info.factorizations, info.residual, closes);
        assert_int_equal(info.outcome, DP_OUTCOME_CAPPED);
        assert_true(info.factorizations <= 40);
        assert_true(info.residual <= 1.01 * closes);
        law_problem_destroy(&lp);
    }
}

// With less, it slides out of the groove as fast as it is asked to.
static void a_groove_that_does_not_jam_is_left(void **state)
{
    (void)state;
    dp_law_options opt = dp_law_options_default();
    opt.law = DP_LAW_NCP;
    const double half = 0.2, closes = 1e-3;
    law_problem lp = groove(half, 0.5 * tan(half), closes);
    const dp_solve_info info = law_problem_solve(&lp, NULL, &opt);
    assert_int_equal(info.outcome, DP_OUTCOME_CONVERGED);
    assert_near(lp.s.v[2], closes / sin(half), 1e-9);
    law_problem_destroy(&lp);
}

// A solution less 0.9 of a random change, and that change: the guess that goes on is the solution.
static void the_search_begins_at_the_better_of_two_guesses(void **state)
{
    (void)state;
    const dp_law_options opt = dp_law_options_default();
    int going_on = 0, as_it_was = 0, misled = 0, solved = 0;
    random_source r = {.state = 7};
    for (int k = 0; k < 60; ++k) {
        law_problem lp = law_problem_random_contacts(8, &r);
        for (int b = 0; b < lp.p.nblock; ++b) {
            dp_row *normal = &lp.row[lp.p.row_start[b]];
            normal->k = lp.p.friction_of[b] >= 0 ? 1e5 : normal->k; // contacts yield
        }
        double *gamma = calloc((size_t)lp.p.nrow, sizeof *gamma);
        double *change = calloc((size_t)lp.p.nrow, sizeof *change);
        const dp_warm warm = {lp.p.nblock, lp.id, lp.row_start, gamma, change};
        dp_warm plain = warm;
        plain.change = NULL;
        if (law_problem_solve(&lp, NULL, &opt).outcome == DP_OUTCOME_CONVERGED) {
            for (int i = 0; i < lp.p.nrow; ++i) {
                change[i] = random_between(&r, -1.0, 1.0);
                gamma[i] = lp.s.gamma[i] - 0.9 * change[i];
            }
            going_on += law_problem_solve(&lp, &warm, &opt).factorizations;
            as_it_was += law_problem_solve(&lp, &plain, &opt).factorizations;
            for (int i = 0; i < lp.p.nrow; ++i) {
                change[i] *= 1e9;
            }
            misled += law_problem_solve(&lp, &warm, &opt).outcome != DP_OUTCOME_CONVERGED;
            ++solved;
        }
        free(gamma);
        free(change);
        law_problem_destroy(&lp);
    }
    print_message("%d problems: %d factorizations, %d without the change; %d misled\n", solved,
                  going_on, as_it_was, misled);
    assert_true(solved > 40);
    assert_true(going_on <= 2 * solved && as_it_was > 3 * going_on);
    assert_int_equal(misled, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wedge_of_rigid_contacts_ends_in_few_factorizations),
        cmocka_unit_test(a_groove_that_does_not_jam_is_left),
        cmocka_unit_test(the_search_begins_at_the_better_of_two_guesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
