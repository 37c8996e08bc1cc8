// The discretisation error that a step is taken to have at its contacts.
#include "law_problem.h"
#include "near.h"

#include "problem/step_error.h"

enum { BODY = 6, BODIES = 4 };

// Free bodies in a row, each in contact with the next one; the velocities of the first and second
// contact rows are those of the first two degrees of freedom.
static law_problem make_row(int bodies)
{
    random_source r = {.state = 1};
    law_problem lp = law_problem_create(0.01, BODY * BODIES, 3 * BODIES);
    const dp_friction friction = {{0.5, 0.5}, 0.0, {0.0, 0.0}};
    for (int b = 0; b < bodies; ++b) {
        law_problem_tree(&lp, BODY, true, 1.0, &r);
    }
    for (int b = 0; b + 1 < bodies; ++b) {
        int col[2 * BODY];
        double G[3 * 2 * BODY] = {0.0};
        for (int k = 0; k < 2 * BODY; ++k) {
            col[k] = BODY * b + k;
        }
        for (int i = 0; i < 3; ++i) {
            G[2 * BODY * i + i] = -1.0;
            G[2 * BODY * i + BODY + i] = 1.0;
        }
        (void)law_problem_contact(&lp, 3, 2 * BODY, col, G, &friction);
    }
    for (int i = 0; i < lp.p.nv; ++i) {
        lp.v0[i] = lp.v_free[i] = 0.0;
    }
    return lp;
}

static void bodies_that_move_alike_have_no_error(void **state)
{
    (void)state;
    law_problem lp = make_row(BODIES);
    double error[BODIES];
    for (int b = 0; b < BODIES; ++b) {
        lp.v0[BODY * b] = 3.0;
        lp.v_free[BODY * b] = 5.0; // forces do not count
    }
    dp_step_errors(error, &lp.p);
    for (int b = 0; b < BODIES; ++b) {
        assert_true(error[b] == 0.0);
    }
    law_problem_destroy(&lp);
}

static void
bodies_that_slide_have_half_the_speed_which_fades_from_neighbour_to_neighbour(void **state)
{
    (void)state;
    law_problem lp = make_row(BODIES);
    double error[BODIES];
    lp.v0[1] = -0.8; // the first body slides on the second
    dp_step_errors(error, &lp.p);
    assert_near(error[0], 0.4, 1e-15);
    assert_near(error[1], 0.4, 1e-15);
    assert_near(error[2], 0.32, 1e-15);
    assert_near(error[3], 0.256, 1e-15);
    assert_near(dp_step_error_of(&lp.p, 1, error), 0.4, 1e-15);
    assert_near(dp_step_error_of(&lp.p, 2, error), 0.32, 1e-15);
    law_problem_destroy(&lp);
}

static void a_mechanism_passes_on_nothing(void **state)
{
    (void)state;
    random_source r = {.state = 2};
    law_problem lp = law_problem_create(0.01, 8 + 2 * BODY, 6);
    const dp_friction friction = {{0.5, 0.5}, 0.0, {0.0, 0.0}};
    law_problem_tree(&lp, BODY, true, 1.0, &r);
    law_problem_tree(&lp, 8, true, 1.0, &r);
    law_problem_tree(&lp, BODY, true, 1.0, &r);
    const int first[2] = {0, BODY}, second[2] = {BODY, BODY + 8};
    const double G[6] = {-1.0, 1.0, 0.0, 0.0, 0.0, 0.0};
    (void)law_problem_contact(&lp, 3, 2, first, G, &friction);
    (void)law_problem_contact(&lp, 3, 2, second, G, &friction);
    for (int i = 0; i < lp.p.nv; ++i) {
        lp.v0[i] = 0.0;
    }
    lp.v0[0] = 1.0;
    double error[3];
    dp_step_errors(error, &lp.p);
    assert_near(error[0], 0.5, 1e-15);
    assert_near(error[1], 0.5, 1e-15); // its own contact
    assert_near(error[2], 0.4, 1e-15); // a free body beside it
    lp.v0[0] = 0.0;
    lp.v0[BODY + 8] = 1.0; // now the other end
    dp_step_errors(error, &lp.p);
    assert_near(error[2], 0.5, 1e-15);
    assert_near(error[0], 0.4, 1e-15);
    law_problem_destroy(&lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_move_alike_have_no_error),
        cmocka_unit_test(
            bodies_that_slide_have_half_the_speed_which_fades_from_neighbour_to_neighbour),
        cmocka_unit_test(a_mechanism_passes_on_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
